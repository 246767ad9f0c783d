// Package ports has the interfaces through which use cases reach everything outside the program (storage, bureaus,
// other systems, mail), and the values that cross them.
package ports

import (
	"context"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
)

// Bureau asks an external data bureau. Implementations never repeat a call that the
// bureau may charge for: every one that may have reached it, but for those that it is
// known to have refused for nothing (specification, 8.1.4).
type Bureau interface {
	// Ask makes one call for a purpose, by its code; empty for none. The context bounds it; implementations also keep the
	// bureau's own timeout. A failure is a *BureauError, always.
	Ask(ctx context.Context, product catalog.Product, doc document.Document, purpose string) (Answer, error)
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
	// NotCharged: the bureau refused the call, in a way that it is known not to charge for.
	NotCharged BureauOutcome = "not_charged"
)

// Charged reports whether a call that ended so is charged: every one that the bureau may have served
// (specification, 8.1.4).
func (o BureauOutcome) Charged() bool { return o != NotSent && o != NotCharged }

// BureauError is the failure of a call to the bureau. Its text holds no document,
// no credential and nothing that the bureau answered, so that it may be logged.
type BureauError struct {
	Outcome BureauOutcome
	// Reason is a short English phrase for the log: "connection refused",
	// "status 500", "answer is not JSON".
	Reason string
	// RetryAfter is how long waiting makes sense; zero when that is not known.
	RetryAfter time.Duration
}

// Error returns the outcome and the reason.
func (e *BureauError) Error() string { return "bureau " + string(e.Outcome) + ": " + e.Reason }
