package privacy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/ports"
)

// Keeping holds how long things are kept; zero means until somebody removes them.
type Keeping struct{ Answers, Deliveries, Contacts, Audit time.Duration }

// Check returns the error of a retention shorter than answers are used for lookups.
func (k Keeping) Check(fresh time.Duration) error {
	if k.Answers < fresh {
		return fmt.Errorf("FICHARIO_RETENTION_ANSWERS (%s) is shorter than FICHARIO_HISTORY_FRESH (%s): answers would be "+
			"removed that lookups are to be answered from", k.Answers, fresh)
	}
	return nil
}

// Retention removes what has been kept long enough, a limited number per transaction, so that writers are not held up.
// Several instances may do so at once: each row is removed by one.
type Retention struct {
	store ports.Store
	keep  Keeping
	clock app.Clock
}

// NewRetention returns the use case.
func NewRetention(store ports.Store, keep Keeping, clock app.Clock) *Retention {
	return &Retention{store, keep, clock}
}

// before is the time before which things have been kept long enough, by the database's clock: what an instance removes
// whose own clock is ahead is gone.
func (r *Retention) before(ctx context.Context, kept time.Duration) (time.Time, error) {
	now, err := r.store.Repos().Clock.Now(ctx, r.clock())
	return now.Add(-kept), err
}

// ForgetAnswers removes answers of bureaus; the statement keeps what they cost. It is a chore.
func (r *Retention) ForgetAnswers(ctx context.Context) error {
	return app.ForgetOld(ctx, r.store, r.clock, r.keep.Answers,
		func(ctx context.Context, repos ports.Repos, before time.Time) (int, error) {
			return repos.Retention.ForgetAnswers(ctx, before)
		})
}

// ForgetDeliveries removes the posts of webhooks and their idempotency keys, by whole days of UTC. It is a chore.
func (r *Retention) ForgetDeliveries(ctx context.Context) error {
	before, err := r.before(ctx, r.keep.Deliveries)
	if err != nil {
		return err
	}
	before = before.UTC().Truncate(24 * time.Hour)
	if err := r.store.Repos().Retention.Mark(ctx, "deliveries", before); err != nil {
		return err
	}
	return app.Forget(ctx, func(ctx context.Context) (int, error) { return r.store.Repos().Inbox.Forget(ctx, before) })
}

// ForgetAudit removes lines of the audit from the beginnings of the chains. It is a chore.
func (r *Retention) ForgetAudit(ctx context.Context) error {
	return app.ForgetOld(ctx, r.store, r.clock, r.keep.Audit,
		func(ctx context.Context, repos ports.Repos, before time.Time) (int, error) {
			return repos.AuditRemovals.Forget(ctx, before)
		})
}

// retireAtOnce is how many contacts one transaction removes: it asks a few things about each of them.
const retireAtOnce = 25

// ForgetContacts removes contacts to which nothing has happened for that long, with their history, as if they had been
// deleted: what their persons had withdrawn stays withdrawn. It is a chore.
func (r *Retention) ForgetContacts(ctx context.Context) error {
	if r.keep.Contacts == 0 {
		return nil
	}
	before, err := r.before(ctx, r.keep.Contacts)
	if err != nil {
		return err
	}
	after := ""
	return app.Forget(ctx, func(ctx context.Context) (n int, err error) {
		old, next, err := r.store.Repos().Retention.OldContacts(ctx, before, after, retireAtOnce)
		if err != nil || next == "" {
			return 0, err
		}
		from := after
		after = next
		if len(old) == 0 {
			return 1, nil
		}
		return 1, r.store.InTx(ctx, func(ctx context.Context, repos ports.Repos) error {
			// They were read without a lock: something may have happened to one since.
			old, _, err := repos.Retention.OldContacts(ctx, before, from, retireAtOnce)
			if err != nil {
				return err
			}
			for orgID, ids := range old {
				if err := r.forget(ctx, repos, orgID, ids, before); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// forget removes contacts of an organisation to which nothing has happened since a time. Another one of a withdrawn
// consent, to which nothing has happened either, goes with them: to keep it for what was withdrawn would keep it on.
func (r *Retention) forget(ctx context.Context, repos ports.Repos, orgID string, ids []string, before time.Time) error {
	stays := func(ctx context.Context, c crm.Contact) (bool, error) {
		if slices.Contains(ids, c.ID) {
			return false, nil
		}
		touched, err := touchedSince(ctx, repos, c.OrgID, c.ID, before)
		if err == nil && !touched {
			ids = append(ids, c.ID)
		}
		return touched, err
	}
	for n := 0; n < len(ids); n++ {
		c, err := repos.Contacts.Lock(ctx, orgID, ids[n])
		if errors.Is(err, ports.ErrNotFound) {
			continue
		}
		if err == nil {
			gone := crm.Removal{Contact: c, By: "serviço", At: r.clock()}
			err = app.KeepWithdrawals(ctx, repos, gone, stays)
		}
		if err != nil {
			return err
		}
	}
	all := slices.Clone(ids) // with those merged into them, whosever they are: nothing has happened since to any
	for n := 0; n < len(all); n++ {
		merged, err := repos.Removals.Into(ctx, orgID, all[n])
		if err != nil {
			return err
		}
		for _, gone := range merged {
			all = append(all, gone.Contact.ID)
		}
	}
	p := &privacy.Person{OrgID: orgID, Contacts: all}
	_, err := repos.SubjectTraces.Erase(ctx, p, privacy.Contacts, ids)
	return err
}

// touchedSince reports whether something has happened to a contact since a time, as Retention.OldContacts has it.
func touchedSince(ctx context.Context, repos ports.Repos, orgID, contactID string, since time.Time) (bool, error) {
	first := app.IDAt(since)
	if contactID >= first {
		return true, nil
	}
	events, err := repos.ContactHistory.Events(ctx, orgID, contactID)
	if err != nil || slices.ContainsFunc(events, func(e crm.Event) bool { return e.ID >= first }) {
		return true, err
	}
	asked, err := repos.LookupContacts.OfContact(ctx, orgID, contactID, 1)
	return len(asked) > 0 && asked[0].ID >= first, err
}
