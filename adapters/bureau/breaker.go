package bureau

import (
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"fichario/ports"
)

const (
	// tripAfter is how many failures in a row, without a success between them, open the circuit.
	tripAfter = 20
	// openFor is how long it stays open before one call may try again.
	openFor = 5 * time.Second
)

// failure is a call without an answer.
type failure struct {
	err *ports.BureauError
	// counts says that the failure is evidence against the bureau's health. A caller that hangs up, or a refused
	// credential, is not.
	counts bool
}

// Error lets a failure pass through gobreaker.
func (f *failure) Error() string { return f.err.Error() }

// counted is a failure that is evidence against the bureau's health.
func counted(o ports.BureauOutcome, reason string) *failure {
	return &failure{&ports.BureauError{Outcome: o, Reason: reason}, true}
}

// neutral is a failure that says nothing about the bureau's health.
func neutral(o ports.BureauOutcome, reason string) *failure {
	return &failure{&ports.BureauError{Outcome: o, Reason: reason}, false}
}

// breaker stops calls to a bureau that is down: such a call delays its caller, and may be charged for nothing.
type breaker struct {
	cb      *gobreaker.CircuitBreaker[reply]
	reopens atomic.Int64 // Unix nanoseconds
}

func newBreaker(log *slog.Logger) *breaker {
	b := &breaker{}
	b.cb = gobreaker.NewCircuitBreaker[reply](gobreaker.Settings{
		MaxRequests: 1,
		Timeout:     openFor,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tripAfter },
		IsExcluded: func(err error) bool {
			var f *failure
			return errors.As(err, &f) && !f.counts
		},
		OnStateChange: func(_ string, from, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				b.reopens.Store(time.Now().Add(openFor).UnixNano())
			}
			log.Warn("bureau circuit changed", "from", from.String(), "to", to.String())
		},
	})
	return b
}

// left returns for how much longer the circuit stays open; zero where it is closed, or may be tried.
func (b *breaker) left() time.Duration {
	if b == nil || b.cb.State() != gobreaker.StateOpen {
		return 0
	}
	return max(time.Until(time.Unix(0, b.reopens.Load())), 0)
}

// do runs the call unless the circuit is open.
func (b *breaker) do(call func() (reply, *failure)) (reply, *failure) {
	if b == nil {
		return call()
	}
	r, err := b.cb.Execute(func() (reply, error) {
		r, fail := call()
		if fail != nil {
			return reply{}, fail
		}
		return r, nil
	})
	if err == nil {
		return r, nil
	}
	var fail *failure
	if errors.As(err, &fail) {
		return reply{}, fail
	}
	fail = neutral(ports.NotSent, "circuit open after repeated failures")
	fail.err.RetryAfter = max(time.Until(time.Unix(0, b.reopens.Load())), time.Second)
	return reply{}, fail
}
