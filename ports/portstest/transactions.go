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
	"fichario/ports/portstest/kit"
)

func transactions(t *testing.T, s ports.Store) {
	ctx := t.Context()
	stop := errors.New("stop")
	o := crm.Organisation{ID: kit.ID(), Name: "Desfeita", CreatedAt: kit.At}
	err := s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		kit.Must(t, r.Orgs.Create(ctx, o))
		got, err := r.Orgs.Find(ctx, o.ID)
		kit.Must(t, err)
		kit.Same(t, "inside", got.Name, o.Name)
		return fmt.Errorf("wrapped: %w", stop)
	})
	kit.WantErr(t, "the function's own error", err, stop)
	_, err = s.Repos().Orgs.Find(ctx, o.ID)
	kit.WantErr(t, "rolled back", err, ports.ErrNotFound)

	func() {
		defer func() { _ = recover() }()
		_ = s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			kit.Must(t, r.Orgs.Create(ctx, o))
			panic(stop)
		})
	}()
	_, err = s.Repos().Orgs.Find(ctx, o.ID)
	kit.WantErr(t, "rolled back by a panic", err, ports.ErrNotFound)
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Orgs.Create(ctx, o) }))
	_, err = s.Repos().Orgs.Find(ctx, o.ID)
	kit.Must(t, err)

	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	err = s.InTx(cancelled, func(_ context.Context, r ports.Repos) error {
		return r.Orgs.Create(cancelled, crm.Organisation{ID: kit.ID()})
	})
	if err == nil {
		t.Error("a transaction of a cancelled context succeeds")
	}
}

// onlyInside are the operations whose comments in package ports say so, by the names in their errors; a test keeps the
// two in step.
var onlyInside = map[string]func(context.Context, ports.Repos) error{
	"orgs.holdCharges":   func(ctx context.Context, r ports.Repos) error { return r.Orgs.HoldCharges(ctx, kit.ID()) },
	"usage.limitChanged": func(ctx context.Context, r ports.Repos) error { return r.Usage.LimitChanged(ctx, kit.ID(), kit.ID()) },
	"orgs.lock":          func(ctx context.Context, r ports.Repos) error { return r.Orgs.Lock(ctx, kit.ID()) },
	"contacts.setStage": func(ctx context.Context, r ports.Repos) error {
		return r.ContactHistory.SetStage(ctx, kit.ID(), crm.Event{})
	},
	"contacts.setAssignee": func(ctx context.Context, r ports.Repos) error {
		return r.ContactHistory.SetAssignee(ctx, kit.ID(), crm.Event{})
	},
	"contacts.addNote": func(ctx context.Context, r ports.Repos) error {
		return r.ContactHistory.AddNote(ctx,
			crm.Event{})
	},
	"contacts.create": func(ctx context.Context, r ports.Repos) error {
		return r.Contacts.Create(ctx, crm.Contact{}, crm.Event{})
	},
	"contacts.lock": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Contacts.Lock(ctx, ports.AnyOrg, kit.ID())
		return err
	},
	"contacts.edit": func(ctx context.Context, r ports.Repos) error {
		return r.Contacts.Edit(ctx, crm.Contact{}, crm.Event{})
	},
	"webhooks.setToken": func(ctx context.Context, r ports.Repos) error {
		return r.Webhooks.SetToken(ctx, kit.ID(), webhook.NewToken(), kit.At)
	},
	"notifications.createOnce": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Notifications.CreateOnce(ctx, crm.Notification{}, kit.ID(), "x")
		return err
	},
	"jobs.nextPlace": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Jobs.NextPlace(ctx, kit.ID(), kit.ID())
		return err
	},
	"jobs.lock": func(ctx context.Context, r ports.Repos) error {
		_, err := r.JobQueue.Lock(ctx, automation.FanOut, 1)
		return err
	},
	"batches.lock": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Batches.Lock(ctx, ports.AnyOrg, kit.ID())
		return err
	},
	"batches.update": func(ctx context.Context, r ports.Repos) error { return r.Batches.Update(ctx, batch.Batch{}) },
	"batches.due": func(ctx context.Context, r ports.Repos) error {
		_, err := r.BatchRuns.Due(ctx, kit.ID(), kit.At)
		return err
	},
	"batches.claim": func(ctx context.Context, r ports.Repos) error { return r.BatchRuns.Claim(ctx, nil) },
	"batches.start": func(ctx context.Context, r ports.Repos) error { return r.BatchRuns.Start(ctx, kit.ID(), nil) },
	"batches.settle": func(ctx context.Context, r ports.Repos) error {
		_, err := r.BatchRuns.Settle(ctx, kit.ID(),
			nil)
		return err
	},
	"batches.retry": func(ctx context.Context, r ports.Repos) error {
		_, _, err := r.BatchItems.Retry(ctx, kit.ID(), kit.ID())
		return err
	},
	"batches.pace": func(ctx context.Context, r ports.Repos) error {
		_, err := r.BatchRuns.Pace(ctx, "b", 1, 1, kit.At)
		return err
	},
	"contacts.answer": func(ctx context.Context, r ports.Repos) error {
		return r.ContactAnswers.Answer(ctx, crm.Contact{}, kit.ID(), kit.At)
	},
	"contacts.unanswer": func(ctx context.Context, r ports.Repos) error {
		return r.ContactAnswers.Unanswer(ctx, crm.Contact{}, kit.ID(), kit.At)
	},
	"contacts.log": func(ctx context.Context, r ports.Repos) error { return r.ContactHistory.Log(ctx, crm.Event{}) },
	"bulks.create": func(ctx context.Context, r ports.Repos) error { return r.Bulks.Create(ctx, crm.Bulk{}, nil) },
	"bulks.next":   func(ctx context.Context, r ports.Repos) error { _, err := r.Bulks.Next(ctx, kit.ID()); return err },
	"bulks.lock": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Bulks.Lock(ctx, ports.AnyOrg, kit.ID())
		return err
	},
	"removals.remove": func(ctx context.Context, r ports.Repos) error {
		return r.Removals.Remove(ctx, crm.Removal{})
	},
	"removals.save": func(ctx context.Context, r ports.Repos) error {
		return r.Removals.Save(ctx, crm.Removal{})
	},
	"removals.restore": func(ctx context.Context, r ports.Repos) error {
		return r.Removals.Restore(ctx, crm.Contact{}, crm.Event{})
	},
	"told.add": func(ctx context.Context, r ports.Repos) error { return r.Told.Add(ctx, automation.Told{}) },
	"told.answered": func(ctx context.Context, r ports.Repos) error {
		return r.Told.Answered(ctx, kit.ID(), kit.ID(), kit.At)
	},
	"audit.append": func(ctx context.Context, r ports.Repos) error { return r.Audit.Append(ctx, audit.Line{}) },
	"audit.blank": func(ctx context.Context, r ports.Repos) error {
		_, err := r.AuditRemovals.Blank(ctx, kit.ID(), kit.ID(), ports.AuditTraces{}, 1)
		return err
	},
	"subjects.erase": func(ctx context.Context, r ports.Repos) error {
		_, err := r.SubjectTraces.Erase(ctx, &privacy.Person{}, privacy.Lookups, []string{kit.ID()})
		return err
	},
	"subjects.bar": func(ctx context.Context, r ports.Repos) error {
		return r.SubjectBlocks.Bar(ctx, kit.ID(), kit.ID(), [][]byte{{1}})
	},
	"subjects.unbar": func(ctx context.Context, r ports.Repos) error { return r.SubjectBlocks.Unbar(ctx, kit.ID(), kit.ID()) },
	"subjects.block": func(ctx context.Context, r ports.Repos) error {
		return r.SubjectBlocks.Block(ctx, privacy.Block{Hashes: [][]byte{{1}}})
	},
	"subjects.addErasure": func(ctx context.Context, r ports.Repos) error {
		return r.Erasures.AddErasure(ctx, privacy.Erasure{ID: kit.ID(), OrgID: kit.ID()})
	},
	"subjects.saveErasure": func(ctx context.Context, r ports.Repos) error {
		return r.Erasures.SaveErasure(ctx, privacy.Erasure{ID: kit.ID(), OrgID: kit.ID()})
	},
	"subjects.lockErasure": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Erasures.LockErasure(ctx, kit.ID(), "x")
		return err
	},
	"rotations.turn": func(ctx context.Context, r ports.Repos) error {
		_, err := r.Rotations.Turn(ctx, kit.ID(), kit.ID(), []string{kit.ID()})
		return err
	},
}

// onlyOutside are likewise those refused inside a transaction.
var onlyOutside = map[string]func(context.Context, ports.Store, ports.Repos) error{
	"store.inTx": func(ctx context.Context, s ports.Store, _ ports.Repos) error {
		return s.InTx(ctx, func(context.Context, ports.Repos) error { return nil })
	},
	"history.serve": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		_, err := r.History.Serve(ctx, lookup.Entry{}, kit.At)
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
	"calls.next": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		_, err := r.Calls.Next(ctx, ports.Next{})
		return err
	},
	"keys.addRefusals": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		return r.Keys.AddRefusals(ctx, nil)
	},
	"laterAnswers.accept": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		return r.LaterAnswers.Accept(ctx, ports.Accepted{})
	},
	"lookupRequests.claim": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		_, err := r.LookupRequests.Claim(ctx, ports.LookupRequest{})
		return err
	},
	"webhooks.open": func(ctx context.Context, _ ports.Store, r ports.Repos) error {
		_, err := r.Webhooks.Open(ctx, webhook.NewToken(), kit.At)
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
		kit.WantErr(t, op, err, want)
		if err != nil && !strings.HasPrefix(err.Error(), op+": ") {
			t.Errorf("%s is refused without its name: %v", op, err)
		}
	}
	for op, call := range onlyInside {
		check(op, call(t.Context(), s.Repos()), ports.ErrOutsideTx)
	}
	for op, call := range onlyOutside {
		kit.Must(t, s.InTx(t.Context(), func(ctx context.Context, r ports.Repos) error {
			check(op, call(ctx, s, r), ports.ErrInsideTx)
			return nil
		}))
	}
	kit.Must(t, s.InTx(t.Context(), func(context.Context, ports.Repos) error { return nil }))
}
