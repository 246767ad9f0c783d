package lookups

import (
	"context"
	"errors"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// laterAnswers: a question that a bureau has taken keeps its entry and its lease, and is handed to one caller at a
// time.
func laterAnswers(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	call := ports.Charge{
		Entry: kit.Running(t, kit.ID()), Takes: time.Second, Caps: access.Limits{PerDay: 9, PerMonth: 9}, Shared: true,
	}
	kit.Same(t, "begun", kit.Begins(t, s, call), ports.Begun{})
	now := time.Now().UTC()
	accepted := ports.Accepted{
		LaterAnswer: ports.LaterAnswer{
			ID: call.Entry.ID, Ticket: "protocolo", Trail: "x", Compare: true, Rest: []string{"b"}, Before: []string{kit.ID()},
			Shares: &ports.Only{},
		},
		Entry: call.Entry, At: now, Every: time.Minute, For: time.Hour, Margin: time.Second,
	}
	for range 2 { // the commit of the first may have been lost
		kit.Must(t, repos.LaterAnswers.Accept(ctx, accepted))
	}
	e, err := repos.Statement.Find(ctx, ports.AnyOrg, call.Entry.ID)
	kit.Must(t, err)
	kit.Same(t, "settled after its time", e.SettleAt.Sub(now) > 50*time.Minute, true)
	settle := func(now time.Time) (n int) {
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) (err error) {
			n, err = r.LookupEnds.Settle(ctx, now)
			return err
		}))
		return n
	}
	kit.Same(t, "settled by nobody", settle(e.SettleAt.Add(time.Hour)), 0)
	abandoned, err := repos.LookupEnds.Abandon(ctx, e.ID, e.SettleAt.Add(time.Hour))
	kit.Must(t, err)
	kit.Same(t, "abandoned by nobody", abandoned, false)
	same := call
	same.Entry.ID = kit.ID()
	kit.Same(t, "nobody else asks the same", kit.Begins(t, s, same), ports.Begun{Holder: e.ID})

	count, err := repos.LaterAnswers.Count(ctx)
	kit.Must(t, err)
	kit.Same(t, "how many", count, 1)
	claim := func(now, until time.Time) []ports.LaterAnswer {
		t.Helper()
		some, err := repos.LaterAnswers.Claim(ctx, now, until, 9)
		kit.Must(t, err)
		return some
	}
	kit.Same(t, "before it is due", len(claim(now, now.Add(time.Hour))), 0)
	due := now.Add(2 * time.Minute)
	some := claim(due, due.Add(time.Minute))
	kit.Same(t, "due", len(some), 1)
	got := some[0]
	kit.Same(t, "until", got.Until.Sub(now).Round(time.Minute), time.Hour)
	kit.Same(t, "what is kept",
		[]any{got.ID, got.Ticket, got.Trail, got.Compare, got.Rest[0], got.Before[0], got.Shares != nil},
		[]any{e.ID, "protocolo", "x", true, "b", accepted.Before[0], true})
	kit.Same(t, "while another one has it", len(claim(due, due.Add(time.Minute))), 0)
	posted := func(body string) {
		kit.Must(t, repos.LaterAnswers.Arrive(ctx, e.ID, ports.Reply{Body: []byte(body)}, now))
	}
	posted("first")
	posted("second")
	kit.Must(t, repos.LaterAnswers.Arrive(ctx, kit.ID(), ports.Reply{}, now))
	kit.Same(t, "posted while another one has it", len(claim(due, due.Add(time.Minute))), 0)
	mine, err := repos.LaterAnswers.Hold(ctx, got, due.Add(2*time.Minute))
	kit.Must(t, err)
	kit.Same(t, "held without what was posted", mine, false)
	kit.Must(t, repos.LaterAnswers.Release(ctx, got, now, due.Add(9*time.Hour)))
	some = claim(due, due.Add(time.Minute))
	kit.Same(t, "due when it is nobody's", len(some), 1)
	got = some[0]
	kit.Same(t, "what was posted", string(got.Reply.Body), "first")
	kit.Must(t, repos.LaterAnswers.Release(ctx, got, now, due.Add(9*time.Hour)))
	kit.Same(t, "left by whoever cannot read it", len(claim(due, due.Add(time.Minute))), 0)
	posted("third")
	kit.Same(t, "and not due by what is posted again", len(claim(due, due.Add(time.Minute))), 0)
	found, err := repos.LaterAnswers.Find(ctx, e.ID)
	kit.Must(t, err)
	kit.Same(t, "found", []any{found.Ticket, string(found.Reply.Body)}, []any{"protocolo", "first"})
	_, err = repos.LaterAnswers.Find(ctx, kit.ID())
	kit.Same(t, "another one", errors.Is(err, ports.ErrNotFound), true)
	due = due.Add(9 * time.Hour)
	some = claim(due, due.Add(time.Minute))
	kit.Same(t, "due again with what was posted", len(some), 1)
	got = some[0]
	proofs := map[string]bool{}
	for _, of := range [][2]string{{"a", e.ID}, {"b", e.ID}, {"a", kit.ID()}, {"a", e.ID}} {
		proof, err := repos.LaterAnswers.Proof(ctx, of[0], of[1])
		kit.Must(t, err)
		proofs[proof] = true
	}
	kit.Same(t, "proofs", len(proofs), 3)
	stale := got
	mine, err = repos.LaterAnswers.Hold(ctx, got, due.Add(2*time.Minute))
	kit.Must(t, err)
	kit.Same(t, "held", mine, true)
	mine, err = repos.LaterAnswers.Hold(ctx, stale, due)
	kit.Must(t, err)
	kit.Same(t, "held by whoever has it no more", mine, false)
	kit.Must(t, repos.LaterAnswers.Remove(ctx, stale))
	some = claim(due.Add(time.Hour), due.Add(2*time.Hour))
	kit.Same(t, "still there", len(some), 1)

	other := e
	other.Bureau = "b"
	next := ports.Next{Entry: other, From: e.Bureau, At: now, Takes: time.Second}
	running, err := repos.Calls.Next(ctx, next)
	kit.Must(t, err)
	kit.Same(t, "it goes on to another bureau", running, true)
	kit.Must(t, repos.LaterAnswers.Accept(ctx, accepted)) // by whoever did not hear that it was stored
	kit.Same(t, "which answers at once", len(claim(due.Add(9*time.Hour), due)), 0)
	accepted.Entry = other
	kit.Same(t, "and may die", settle(now.Add(time.Hour)), 1)
	kit.Must(t, repos.LaterAnswers.Accept(ctx, accepted)) // it was only slow
	again, err := repos.Statement.Find(ctx, ports.AnyOrg, e.ID)
	kit.Must(t, err)
	kit.Same(t, "running again", []any{again.Status, again.Spare, again.SettleAt.Sub(now) > 50*time.Minute},
		[]any{lookup.Running, lookup.Spent{}, true})
	kit.Same(t, "and nobody else asks the same", kit.Begins(t, s, same), ports.Begun{Holder: e.ID})
	kit.Same(t, "settled by nobody again", settle(again.SettleAt.Add(time.Hour)), 0)
	other.Status, other.RecordID = lookup.Failed, ""
	open, err := repos.Calls.End(ctx, ports.Outcome{Entry: other, Price: catalog.Money(4500)})
	kit.Must(t, err)
	kit.Same(t, "ended", open, true)
	some = claim(due.Add(9*time.Hour), due)
	kit.Same(t, "accepted after it was settled, and kept until it is removed", len(some), 1)
	kit.Must(t, repos.LaterAnswers.Remove(ctx, some[0]))
	kit.Must(t, repos.LaterAnswers.Accept(ctx, accepted))
	kit.Same(t, "removed, and not accepted any more", len(claim(due.Add(9*time.Hour), due)), 0)
}
