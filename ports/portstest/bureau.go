package portstest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

// Misbehaviour is how the other side of a ports.Bureau fails.
type Misbehaviour string

// The misbehaviours of the other side.
const (
	// Away: no connection can be made.
	Away Misbehaviour = "away"
	// Silent: the call arrives, and is not answered.
	Silent Misbehaviour = "silent"
	// Breaking: the call arrives, and its connection breaks.
	Breaking Misbehaviour = "breaking"
	// Failing: an error is answered, in the bureau's own form.
	Failing Misbehaviour = "failing"
	// Babbling: the answer is none of the bureau's forms.
	Babbling Misbehaviour = "babbling"
	// Refusing: the call is refused, and the bureau says so in a way in which it does not bill.
	Refusing Misbehaviour = "refusing"
	// Penniless: the call is refused because no credit is left.
	Penniless Misbehaviour = "penniless"
)

// BureauUnderTest is a ports.Bureau with control over its other side.
type BureauUnderTest struct {
	Bureau ports.Bureau
	// Product is one that it offers.
	Product catalog.Product
	// Known is a document of the product that the bureau has a record of, Unknown one that it has not.
	Known, Unknown document.Document
	// Wrong is a document of a type that the product does not take.
	Wrong document.Document
	// Later is a document whose answer comes later, but within patience.Limit.
	Later document.Document
	// Misbehave makes the other side fail like this from now on, and Bill name an amount in its answers.
	Misbehave func(Misbehaviour)
	Bill      func(catalog.Money)
	// Calls is how many calls have arrived at the other side.
	Calls func() int
}

// Bureau runs the suite of ports.Bureau, which decides whether a call is charged. start returns one that works.
func Bureau(t *testing.T, start func(t *testing.T) BureauUnderTest) {
	t.Helper()
	t.Run("answers", func(t *testing.T) { bureauAnswers(t, start(t)) })
	t.Run("answers later", func(t *testing.T) { bureauAnswersLater(t, start(t)) })
	t.Run("the bill in the answer", func(t *testing.T) { bureauBills(t, start(t)) })
	t.Run("refusals of its own", func(t *testing.T) { bureauRefuses(t, start(t)) })
	for _, c := range []struct {
		behaviour Misbehaviour
		outcomes  []ports.BureauOutcome
		calls     int
	}{
		{Away, []ports.BureauOutcome{ports.NotSent}, 0},
		{Silent, []ports.BureauOutcome{ports.NoAnswer}, 1},
		{Breaking, []ports.BureauOutcome{ports.NoAnswer, ports.Failed}, 1},
		{Failing, []ports.BureauOutcome{ports.Failed, ports.NotCharged}, 1},
		{Babbling, []ports.BureauOutcome{ports.Failed}, 1},
		{Refusing, []ports.BureauOutcome{ports.NotCharged}, 1},
		{Penniless, []ports.BureauOutcome{ports.Exhausted}, 1},
	} {
		t.Run(string(c.behaviour), func(t *testing.T) {
			b := start(t)
			b.Misbehave(c.behaviour)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := b.Bureau.Ask(ctx, ports.Question{Product: b.Product, Document: b.Known})
			b.wantFailure(t, err, c.outcomes...)
			if calls := b.Calls(); calls != c.calls {
				t.Errorf("%d calls arrived, not %d: each may be charged", calls, c.calls)
			}
		})
	}
}

// bureauAnswers: an answer has every named field, and the bureau's own text; "no record" is an answer, too.
func bureauAnswers(t *testing.T, b BureauUnderTest) {
	t.Helper()
	for d, found := range map[document.Document]bool{b.Known: true, b.Unknown: false} {
		answer, err := b.Bureau.Ask(t.Context(), ports.Question{Product: b.Product, Document: d})
		if err != nil || answer.Found != found || !json.Valid(answer.Raw) {
			t.Fatalf("found is %t, not %t, JSON: %t, %v", answer.Found, found, json.Valid(answer.Raw), err)
		}
		var fields map[string]any
		if err := json.Unmarshal(answer.Fields, &fields); err != nil {
			t.Fatal(err)
		}
		for _, f := range b.Product.Fields {
			value, ok := fields[f.Name]
			if delete(fields, f.Name); !ok || !found && value != nil {
				t.Errorf("found %t: %s is there: %t", found, f.Name, ok)
			}
		}
		if len(fields) > 0 {
			t.Errorf("%d fields that the product has not", len(fields))
		}
	}
	if b.Calls() != 2 {
		t.Errorf("%d calls arrived for two questions", b.Calls())
	}
}

// bureauAnswersLater: a question is taken with a ticket, and its answer fetched with that, without asking again. A
// fetch that fails says nothing about the question.
func bureauAnswersLater(t *testing.T, b BureauUnderTest) {
	t.Helper()
	q := ports.Question{Product: b.Product, Document: b.Later}
	answer, err := b.Bureau.Ask(t.Context(), q)
	for fetches := 0; err == nil && answer.Later != nil; fetches++ {
		if l := answer.Later; l.Ticket == "" || l.Every <= 0 || l.For < l.Every || q.Ticket != "" && l.Ticket != q.Ticket {
			t.Fatalf("it is taken, to be fetched every %s for %s, ticket known: %t", l.Every, l.For, l.Ticket != "")
		}
		q.Ticket = answer.Later.Ticket
		if fetches == 0 {
			cancelled, cancel := context.WithCancel(t.Context())
			cancel()
			if failed, err := b.Bureau.Ask(cancelled, q); err != nil || failed.Later == nil {
				t.Fatalf("a fetch that fails ends the question: %v", err)
			}
		}
		answer, err = b.Bureau.Ask(t.Context(), q)
	}
	if err != nil || !answer.Found || !json.Valid(answer.Raw) || q.Ticket == "" {
		t.Fatalf("found: %t, it was taken first: %t, %v", answer.Found, q.Ticket != "", err)
	}
	if b.Calls() != 1 {
		t.Errorf("%d calls arrived for one question", b.Calls())
	}
}

// bureauBills: the amount that an answer names is told to the ten-thousandth, whatever the product's price is.
func bureauBills(t *testing.T, b BureauUnderTest) {
	t.Helper()
	for _, amount := range []catalog.Money{0, 2075, b.Product.Price, 3 * b.Product.Price} {
		b.Bill(amount)
		answer, err := b.Bureau.Ask(t.Context(), ports.Question{Product: b.Product, Document: b.Known})
		if err != nil || answer.Amount == nil || *answer.Amount != amount {
			t.Errorf("%s is told as %v, %v", amount, answer.Amount, err)
		}
	}
}

// bureauRefuses: a call that is not made is not charged.
func bureauRefuses(t *testing.T, b BureauUnderTest) {
	t.Helper()
	_, err := b.Bureau.Ask(t.Context(), ports.Question{Product: b.Product, Document: b.Wrong})
	b.wantFailure(t, err, ports.NotSent)
	_, err = b.Bureau.Ask(t.Context(), ports.Question{Product: catalog.Product{ID: "outro"}, Document: b.Known})
	b.wantFailure(t, err, ports.NotSent)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.Bureau.Ask(cancelled, ports.Question{Product: b.Product, Document: b.Known})
	b.wantFailure(t, err, ports.NotSent)
	if b.Calls() != 0 {
		t.Errorf("%d calls arrived", b.Calls())
	}
}

// wantFailure: a failure says whether it is charged, and does not reveal the document.
func (b BureauUnderTest) wantFailure(t *testing.T, err error, outcomes ...ports.BureauOutcome) {
	t.Helper()
	var failure *ports.BureauError
	if !errors.As(err, &failure) {
		t.Errorf("%v is no *ports.BureauError", err)
		return
	}
	for _, outcome := range outcomes {
		if failure.Outcome == outcome {
			if strings.Contains(err.Error(), b.Known.Value()) || strings.Contains(err.Error(), b.Wrong.Value()) {
				t.Error("the error names the document")
			}
			return
		}
	}
	t.Errorf("%v, not one of %v", failure, outcomes)
}
