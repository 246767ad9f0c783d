package ports

import (
	"context"
	"time"

	"fichario/domain/automation"
)

// Dispatcher calls other systems for automations. Addresses come from organisations, not from the operator:
// implementations refuse those that are not on the public internet, after name resolution, follow no redirect, and
// bound the time and the answer.
type Dispatcher interface {
	// Post sends one event, signed by Standard Webhooks, and returns the status of
	// the answer. Every status outside 200 to 299, and every call without an
	// answer, is a *SendError.
	Post(ctx context.Context, c Call) (status int, err error)
	// Send makes the request that the action of c describes, unless its search finds the record there already, and returns
	// a short Portuguese phrase about the outcome: "status 201", "já existe no destino". A refusal, and every call without
	// an answer, is a *SendError.
	Send(ctx context.Context, c Call) (result string, err error)
}

// Destinations knows the requests that HTTP actions can make.
type Destinations interface {
	// Shipped describes the destinations that come with the program.
	Shipped() []automation.Destination
	// Describe reads the action's destination or own request, and returns what is wrong with it or with the values filled
	// in.
	Describe(a automation.Action) (automation.Destination, []automation.FieldFault)
	// Show returns the request that a call would make, with the secrets masked. Its error is a *SendError.
	Show(ctx context.Context, c Call) (automation.ShownRequest, error)
}

// Conditions evaluates jq expressions over what other systems are told of an event: what Dispatcher sends as `data`.
type Conditions interface {
	// Check returns what is wrong with an expression, in Portuguese.
	Check(expression string) error
	// Holds reports whether the expression gives true for an event. An error is a short Portuguese phrase without personal
	// data: the expression fails, gives something other than true or false, or takes too long.
	Holds(ctx context.Context, expression string, e automation.Event) (bool, error)
	// Data is what the expression sees, as JSON for people to read.
	Data(e automation.Event) string
}

// Call is one event for another system.
type Call struct {
	// ID is the `webhook-id`: the same in every attempt of one run, so that the
	// receiver can recognise a repetition.
	ID  string
	URL string
	// Secret signs the call: `whsec_` and base64.
	Secret string
	// At is the time of the attempt, UTC.
	At time.Time
	// Event is what the receiver is told.
	Event automation.Event
	// Action is set for Send.
	Action automation.Action
}

// Mailer sends e-mail.
type Mailer interface {
	// Send hands one message to the mail server. A failure is a *SendError. It gives up by itself within 20 s, and says
	// then that the server is to blame.
	Send(ctx context.Context, m Mail) error
}

// Mail is one message to one address.
type Mail struct {
	// ID makes the Message-ID: the same in every attempt, so that a mail server or
	// reader can drop a repetition.
	ID string
	// To is one address.
	To string
	// Subject is one line of text, Text the body in plain text.
	Subject, Text string
}

// SendError is a call or message that did not get through. Its text holds no
// address, no secret and nothing that the other side answered, so that it may be
// logged and shown.
type SendError struct {
	// Reason is a short Portuguese phrase: "conexão recusada", "status 500".
	Reason string
	// Permanent is true when trying again cannot help.
	Permanent bool
	// RetryAfter is how long the other side asked to wait; zero when it did not.
	RetryAfter time.Duration
}

// Error returns the reason.
func (e *SendError) Error() string { return e.Reason }
