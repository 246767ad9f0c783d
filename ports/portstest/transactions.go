package portstest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
)

func transactions(t *testing.T, s ports.Store) {
	ctx := t.Context()
	stop := errors.New("stop")
	o := crm.Organisation{ID: id(), Name: "Desfeita", CreatedAt: at}
	err := s.InTx(ctx, func(r ports.Repos) error {
		must(t, r.Orgs.Create(ctx, o))
		got, err := r.Orgs.Find(ctx, o.ID)
		must(t, err)
		same(t, "inside", got.Name, o.Name)
		return fmt.Errorf("wrapped: %w", stop)
	})
	wantErr(t, "the function's own error", err, stop)
	_, err = s.Repos().Orgs.Find(ctx, o.ID)
	wantErr(t, "rolled back", err, ports.ErrNotFound)

	func() {
		defer func() { _ = recover() }()
		_ = s.InTx(ctx, func(r ports.Repos) error {
			must(t, r.Orgs.Create(ctx, o))
			panic(stop)
		})
	}()
	_, err = s.Repos().Orgs.Find(ctx, o.ID)
	wantErr(t, "rolled back by a panic", err, ports.ErrNotFound)
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Orgs.Create(ctx, o) }))
	_, err = s.Repos().Orgs.Find(ctx, o.ID)
	must(t, err)

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	err = s.InTx(cancelled, func(r ports.Repos) error { return r.Orgs.Create(cancelled, crm.Organisation{ID: id()}) })
	if err == nil {
		t.Error("a transaction of a cancelled context succeeds")
	}
}

// onlyInside are the operations whose comments in package ports say so, by the names in their errors; a test keeps the
// two in step.
var onlyInside = map[string]func(context.Context, ports.Repos) error{
	"orgs.holdCharges":   func(ctx context.Context, r ports.Repos) error { return r.Orgs.HoldCharges(ctx, id()) },
	"usage.limitChanged": func(ctx context.Context, r ports.Repos) error { return r.Usage.LimitChanged(ctx, id()) },
	"orgs.lock":          func(ctx context.Context, r ports.Repos) error { return r.Orgs.Lock(ctx, id()) },
	"contacts.setStage": func(ctx context.Context, r ports.Repos) error {
		return r.ContactHistory.SetStage(ctx, id(), crm.Event{})
	},
	"contacts.setAssignee": func(ctx context.Context, r ports.Repos) error {
		return r.ContactHistory.SetAssignee(ctx, id(), crm.Event{})
	},
	"contacts.addNote": func(ctx context.Context, r ports.Repos) error { return r.ContactHistory.AddNote(ctx, crm.Event{}) },
	"contacts.create": func(ctx context.Context, r ports.Repos) error {
		return r.Contacts.Create(ctx, crm.Contact{}, crm.Event{})
	},
	"contacts.lock": func(ctx context.Context, r ports.Repos) error { _, err := r.Contacts.Lock(ctx, id()); return err },
	"contacts.edit": func(ctx context.Context, r ports.Repos) error {
		return r.Contacts.Edit(ctx, crm.Contact{}, crm.Event{})
	},
	"webhooks.setToken": func(ctx context.Context, r ports.Repos) error {
		return r.Webhooks.SetToken(ctx, id(), webhook.NewToken(), at)
	},
	"notifications.createOnce": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Notifications.CreateOnce(ctx, crm.Notification{}, id(), "x")
		return err
	},
	"jobs.nextPlace": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Jobs.NextPlace(ctx, id())
		return err
	},
	"jobs.lock": func(ctx context.Context, r ports.Repos) error {
		_, err := r.JobQueue.Lock(ctx, automation.FanOut, 1)
		return err
	},
	"batches.lock":   func(ctx context.Context, r ports.Repos) error { _, err := r.Batches.Lock(ctx, id()); return err },
	"batches.update": func(ctx context.Context, r ports.Repos) error { return r.Batches.Update(ctx, batch.Batch{}) },
	"batches.due":    func(ctx context.Context, r ports.Repos) error { _, err := r.BatchRuns.Due(ctx, id(), at); return err },
	"batches.claim":  func(ctx context.Context, r ports.Repos) error { return r.BatchRuns.Claim(ctx, nil) },
	"batches.start":  func(ctx context.Context, r ports.Repos) error { return r.BatchRuns.Start(ctx, nil) },
	"batches.settle": func(ctx context.Context, r ports.Repos) error { _, err := r.BatchRuns.Settle(ctx, nil); return err },
	"batches.retry":  func(ctx context.Context, r ports.Repos) error { _, _, err := r.BatchItems.Retry(ctx, id()); return err },
	"batches.pace": func(ctx context.Context, r ports.Repos) error {
		_, err := r.BatchRuns.Pace(ctx, "b", 1, 1, at)
		return err
	},
	"contacts.answer": func(ctx context.Context, r ports.Repos) error {
		return r.ContactAnswers.Answer(ctx, crm.Contact{}, id(), at)
	},
	"contacts.unanswer": func(ctx context.Context, r ports.Repos) error {
		return r.ContactAnswers.Unanswer(ctx, crm.Contact{}, id(), at)
	},
	"contacts.log": func(ctx context.Context, r ports.Repos) error { return r.ContactHistory.Log(ctx, crm.Event{}) },
	"bulks.create": func(ctx context.Context, r ports.Repos) error { return r.Bulks.Create(ctx, crm.Bulk{}, nil) },
	"bulks.next":   func(ctx context.Context, r ports.Repos) error { _, err := r.Bulks.Next(ctx, id()); return err },
	"bulks.lock":   func(ctx context.Context, r ports.Repos) error { _, err := r.Bulks.Lock(ctx, id()); return err },
	"removals.remove": func(ctx context.Context, r ports.Repos) error {
		return r.Removals.Remove(ctx, crm.Removal{})
	},
	"removals.restore": func(ctx context.Context, r ports.Repos) error {
		return r.Removals.Restore(ctx, crm.Contact{}, crm.Event{})
	},
	"audit.append": func(ctx context.Context, r ports.Repos) error { return r.Audit.Append(ctx, audit.Line{}) },
	"audit.blank": func(ctx context.Context, r ports.Repos) error {
		_, err := r.AuditRemovals.Blank(ctx, id(), id(), ports.AuditTraces{}, 1)
		return err
	},
	"subjects.erase": func(ctx context.Context, r ports.Repos) error {
		_, err := r.SubjectTraces.Erase(ctx, &privacy.Person{}, privacy.Lookups, []string{id()})
		return err
	},
	"subjects.bar": func(ctx context.Context, r ports.Repos) error {
		return r.SubjectBlocks.Bar(ctx, id(), id(), [][]byte{{1}})
	},
	"subjects.unbar": func(ctx context.Context, r ports.Repos) error { return r.SubjectBlocks.Unbar(ctx, id()) },
	"subjects.block": func(ctx context.Context, r ports.Repos) error {
		return r.SubjectBlocks.Block(ctx, privacy.Block{Hashes: [][]byte{{1}}})
	},
	"subjects.addErasure": func(ctx context.Context, r ports.Repos) error {
		return r.Erasures.AddErasure(ctx, privacy.Erasure{ID: id(), OrgID: id()})
	},
	"subjects.saveErasure": func(ctx context.Context, r ports.Repos) error {
		return r.Erasures.SaveErasure(ctx, privacy.Erasure{ID: id(), OrgID: id()})
	},
	"subjects.lockErasure": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Erasures.LockErasure(ctx, id(), "x")
		return err
	},
	"rotations.turn": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Rotations.Turn(ctx, id(), []string{id()})
		return err
	},
}

// onlyOutside are likewise those refused inside a transaction.
var onlyOutside = map[string]func(context.Context, ports.Store, ports.Repos) error{
	"store.inTx": func(ctx context.Context, s ports.Store, _ ports.Repos) error {
		return s.InTx(ctx, func(ports.Repos) error { return nil })
	},
	"history.serve": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		_, err := r.History.Serve(ctx, lookup.Entry{}, at)
		return err
	},
	"calls.begin": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		_, err := r.Calls.Begin(ctx, ports.Charge{})
		return err
	},
	"calls.end": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		_, err := r.Calls.End(ctx, ports.Outcome{})
		return err
	},
	"lookupRequests.claim": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		_, err := r.LookupRequests.Claim(ctx, ports.LookupRequest{})
		return err
	},
	"webhooks.open": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		_, err := r.Webhooks.Open(ctx, webhook.NewToken(), at)
		return err
	},
	"inbox.take": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		_, err := r.Inbox.Take(ctx, ports.Arrival{})
		return err
	},
}

func refusals(t *testing.T, s ports.Store) {
	check := func(op string, err, want error) {
		t.Helper()
		wantErr(t, op, err, want)
		if err != nil && !strings.HasPrefix(err.Error(), op+": ") {
			t.Errorf("%s is refused without its name: %v", op, err)
		}
	}
	for op, call := range onlyInside {
		check(op, call(t.Context(), s.Repos()), ports.ErrOutsideTx)
	}
	for op, call := range onlyOutside {
		must(t, s.InTx(t.Context(), func(r ports.Repos) error {
			check(op, call(t.Context(), s, r), ports.ErrInsideTx)
			return nil
		}))
	}
	must(t, s.InTx(t.Context(), func(ports.Repos) error { return nil }))
}
