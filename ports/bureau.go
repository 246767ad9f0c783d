// Package ports holds the interfaces through which the use cases reach the outside world, and the values that cross
// them: storage, bureaus, other systems and mail.
package ports

import (
	"context"
	"slices"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
)

// Bureau asks an external data bureau. Implementations never repeat a call that the bureau may charge for: any call
// that may have reached it, except those that it is known to refuse free of charge (specification, 8.1.4).
type Bureau interface {
	// Ask makes one call. The context bounds it; implementations also keep the bureau's own timeout. A failure is always
	// a *BureauError.
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Question is what one call asks.
type Question struct {
	Product  catalog.Product
	Document document.Document
	// Purpose is the code of its purpose, or empty.
	Purpose string
	// Inputs are what the product needs besides the document, by name.
	Inputs map[string]string
	// Ticket is that of an answer that comes later: then nothing is asked, and Ask only fetches the answer to the question
	// that the rest repeats. Empty for a question.
	Ticket string
	// Callback is an address to which the bureau may post an answer that comes later; empty for none.
	Callback string
	// Reply, beside a Ticket, is what came there: then Ask reads the answer in it, and sends nothing. It says that the
	// answer comes later where that is not in it.
	Reply *Reply
}

// Reply is what a bureau has posted.
type Reply struct {
	Header map[string][]string
	Body   []byte
}

// Answer is what a bureau said.
type Answer struct {
	// Found is false when the bureau says that it has no record. That is an
	// answer like any other, and charged.
	Found bool
	// Raw is the answer as one JSON text: byte for byte what the bureau sent; for
	// a "no record" answer without JSON it is null, or the text as a JSON string.
	Raw []byte
	// Fields is a JSON object of every named field of the product, made by
	// catalog.Product.Project.
	Fields []byte
	// Dropped are the paths of named fields whose mapping gave a wrong type or
	// failed, without their values.
	Dropped []string
	// Amount is what the bureau says that the call cost; nil where it does not say, and the call costs the product's
	// price.
	Amount *catalog.Money
	// Also are what the same answer says of other products.
	Also []Part
	// Later is set, and nothing else, where the bureau has taken the question and answers later, or where the answer is
	// not there yet. A fetch that fails for a reason of its own says so too.
	Later *Later
}

// Part is what an answer says of a product other than the one that was asked about, as in Answer.
type Part struct {
	// Product is its id.
	Product string
	Found   bool
	Fields  []byte
}

// Later is how the answer to a question that a bureau has taken is fetched: by Ask, with its ticket, which costs
// nothing beyond the question.
type Later struct {
	// Ticket is what the bureau calls the question; it is as secret as the document.
	Ticket string
	// Every is how long to wait before the answer is fetched, and For how long it may take in all.
	Every, For time.Duration
	// Unread is true where this instance does not know how to fetch or read the answer: another may.
	Unread bool
}

// Rester is a Bureau that asks nothing for a while: after failures, or where it was told to wait.
type Rester interface {
	// Rests is for how long that still goes on, in this instance; zero where it asks.
	Rests() time.Duration
}

// BureauOutcome says what is known about a call that brought no answer.
type BureauOutcome string

// The outcomes of a call without an answer.
const (
	// NotSent: the call cannot have reached the bureau. It is not charged.
	NotSent BureauOutcome = "not_sent"
	// Failed: the bureau was reached, and failed or answered nonsense.
	Failed BureauOutcome = "failed"
	// NoAnswer: the call may have reached the bureau, and no answer came in time.
	NoAnswer BureauOutcome = "no_answer"
	// NotCharged: the bureau refused the call in a way that it is known not to charge for.
	NotCharged BureauOutcome = "not_charged"
	// Exhausted: the bureau refused the call because no credit is left there. It is not charged, and nothing is asked
	// there until somebody says so, or the period ends.
	Exhausted BureauOutcome = "exhausted"
)

// Charged reports whether a call with this outcome is charged: every one that the bureau may have served
// (specification, 8.1.4).
func (o BureauOutcome) Charged() bool { return o != NotSent && o != NotCharged && o != Exhausted }

// BureauError is the failure of a call to the bureau. Its text holds no document,
// no credential and nothing that the bureau answered, so that it may be logged.
type BureauError struct {
	Outcome BureauOutcome
	// Reason is a short English phrase for the log: "connection refused",
	// "status 500", "answer is not JSON".
	Reason string
	// RetryAfter is how long to wait before asking again; zero when that is not known.
	RetryAfter time.Duration
	// Out says, with NotSent and Exhausted, that nothing is asked there until RetryAfter is over, or somebody calls the
	// bureau back; where RetryAfter is zero, only then.
	Out bool
	// Amount is what the bureau says that a charged call cost; nil where it does not say.
	Amount *catalog.Money
	// Renews says, with Exhausted, that the credit is renewed when the month ends.
	Renews bool
	// Own says, with NotSent and NotCharged, that it may be this question alone that is not answered.
	Own bool
}

// Error returns the outcome and the reason.
func (e *BureauError) Error() string { return "bureau " + string(e.Outcome) + ": " + e.Reason }

// Chains are the bureaus that an instance may ask about each product, by the product's id.
type Chains map[string]Chain

// Chain is the bureaus that are asked about a product, one after the other: the next one where the one before certainly
// was not sent the question, or refused it free of charge.
type Chain struct {
	Links []Link
	// OnNoRecord asks the next one also where a bureau has no record, and Need where one of these fields is null. Then a
	// question may cost what all of them cost.
	OnNoRecord bool
	Need       []string
	// Asked are the names of the links that a question goes through, in order; empty for all. Routes are other ways, for
	// some questions: the first that fits.
	Asked  []string
	Routes []Route
	// Compare has another bureau asked the same, for a share of the questions; nil for none.
	Compare *Comparison
	// Shares is, of a chain that a question goes through, LaterAnswer.Shares.
	Shares *Only
}

// Comparison is a bureau whose answers are compared with those of a chain, and not used.
type Comparison struct {
	Link Link
	// Share is how many of the questions are compared, above 0 and at most 1.
	Share float64
	// Monthly is the most that the comparisons of the product may cost in a month, in ten-thousandths of a real.
	Monthly catalog.Money
}

// Route is the way of the questions for some purposes, or about documents of some types; where it has neither, of all.
type Route struct {
	Purposes  []string
	Documents []document.Type
	// Asked are names of links, in order.
	Asked []string
}

// Fits reports whether a question goes this way.
func (r Route) Fits(purpose string, t document.Type) bool {
	return (len(r.Purposes) == 0 || slices.Contains(r.Purposes, purpose)) &&
		(len(r.Documents) == 0 || slices.Contains(r.Documents, t))
}

// Of lists the purposes and types of document.
func (r Route) Of() (words []string) {
	words = slices.Clone(r.Purposes)
	for _, t := range r.Documents {
		words = append(words, string(t))
	}
	return words
}

// Taking is the chain of the links that take a type of document.
func (c Chain) Taking(t document.Type) Chain {
	c.Links = slices.DeleteFunc(slices.Clone(c.Links), func(l Link) bool { return !l.Product.Takes(t) })
	return c
}

// Through is the chain of the named links alone, in that order; of all where it has none of them.
func (c Chain) Through(names []string) Chain {
	var links []Link
	for _, name := range names {
		if i := slices.IndexFunc(c.Links, func(l Link) bool { return l.Name == name }); i >= 0 {
			links = append(links, c.Links[i])
		}
	}
	if c.Asked, c.Routes = nil, nil; len(links) > 0 {
		c.Links = links
	}
	return c
}

// Link is a bureau in a chain.
type Link struct {
	// Name is the bureau's.
	Name string
	// Product has what the bureau takes and answers, and the most that a call to it costs.
	Product catalog.Product
	// Timeout is the longest that a call may take.
	Timeout time.Duration
	Bureau  Bureau
}

// Names returns the bureaus of a product in order.
func (c Chains) Names(product string) []string { return c[product].Names() }

// Names returns the bureaus in order.
func (c Chain) Names() (names []string) {
	for _, l := range c.Links {
		names = append(names, l.Name)
	}
	return names
}

// All returns the bureaus of a product, and the one that they are compared with.
func (c Chains) All(product string) []string {
	names, compare := c.Names(product), c[product].Compare
	if compare != nil && !slices.Contains(names, compare.Link.Name) {
		names = append(names, compare.Link.Name)
	}
	return names
}

// Single is chains of one bureau.
func Single(name string, b Bureau, offered catalog.Catalog, timeout time.Duration) Chains {
	chains := Chains{}
	for _, p := range offered {
		chains[p.ID] = Chain{Links: []Link{{name, p, timeout, b}}}
	}
	return chains
}

// Most is what a question may cost, in ten-thousandths of a real, and how many of its calls may be charged: on the way
// where that is most.
func (c Chain) Most() (most catalog.Money, calls int) {
	if len(c.Asked) > 0 || len(c.Routes) > 0 {
		most, calls = c.Through(c.Asked).Most()
		for _, r := range c.Routes {
			amount, n := c.Through(r.Asked).Most()
			most, calls = max(most, amount), max(calls, n)
		}
		return most, calls
	}
	for _, l := range c.Links {
		if c.OnNoRecord || len(c.Need) > 0 {
			most, calls = most+l.Product.Price, calls+1
		} else {
			most, calls = max(most, l.Product.Price), 1
		}
	}
	return most, calls
}

// Timeout is the longest that a question may take.
func (c Chain) Timeout() (sum time.Duration) {
	for _, l := range c.Links {
		sum += l.Timeout
	}
	return sum
}

// BureauStates keeps what people, and the bureaus themselves, say about the bureaus of the instance.
type BureauStates interface {
	// Settings returns all of it.
	Settings(ctx context.Context) (BureauSettings, error)
	// SetOrder sets the order in which a product's bureaus are asked; without names, that of the configuration.
	SetOrder(ctx context.Context, product string, names []string) error
	// TakeOut lets a bureau be asked nothing for a while, and reports whether it was asked until now. One without credit
	// stays out at least as long as it is without.
	TakeOut(ctx context.Context, out BureauOut, now time.Time) (first bool, err error)
	// Back lets a bureau be asked again, and reports whether it was out.
	Back(ctx context.Context, name string, now time.Time) (bool, error)
	// Days returns how the calls of some days went, the first day included.
	Days(ctx context.Context, from string) ([]BureauDay, error)
	// Matches returns how bureaus' answers agreed, by product, bureaus and field, with all months in one: of one product,
	// or of all where it is empty.
	Matches(ctx context.Context, product string) ([]BureauMatch, error)
}

// BureauSettings are the orders of products' bureaus, by the products' ids, and the bureaus that were taken out.
type BureauSettings struct {
	Orders map[string][]string
	Outs   []BureauOut
}

// BureauOut is a bureau that is asked nothing.
type BureauOut struct {
	Name string
	// Until is when it is asked again, UTC; zero for when somebody says so.
	Until time.Time
	// Exhausted is true where the bureau has said that no credit is left.
	Exhausted bool
}

// BureauDay is how the calls to a bureau that took about as long went on a day.
type BureauDay struct {
	// Day is a bucket of access.Calendar, Pace lookup.Pace.
	Bureau, Day string
	Pace        int
	Calls       int
	// Failed counts the calls without an answer, Over those for which more than the price was charged.
	Failed, Over int
	// Charged are in ten-thousandths of a real.
	Charged catalog.Money
}

// BureauMatch is how often the answers of two bureaus to the same question agreed on a field. It holds no personal
// data.
type BureauMatch struct {
	// Month is a bucket of access.Calendar; empty for all of them.
	Month string
	// Product is an id; First is the bureau that answered the question, Second the one it was compared with.
	Product, First, Second string
	// Field is a named field of the product; empty for whether a bureau has a record at all, which is counted once for
	// each question.
	Field string
	catalog.Agreement
	// FirstCost and SecondCost are what the questions that were compared cost, and their comparisons, in ten-thousandths
	// of a real; zero where there is a Field.
	FirstCost, SecondCost catalog.Money
}
