package app_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"fichario/adapters/gormstore"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

const day = 24 * time.Hour

// TestWhatIsKeptForLongEnoughGoes: removed answers leave entries and sums, and contacts with recent events stay.
func TestWhatIsKeptForLongEnoughGoes(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		ctx, owner := t.Context(), s.add("dona", crm.Owner)
		asked := must(s.ask(owner, lookups.Request{Document: cpfs[0]})).Entry
		again := must(s.ask(owner, lookups.Request{Document: cpfs[0]})).Entry
		hook := s.hook(webhook.Signature{})
		still, old := s.arrive(hook, "bia"), s.arrive(hook, "leo")
		after := func(d time.Duration) *privacy.Retention {
			keep := privacy.Keeping{Answers: 180 * day, Deliveries: 30 * day, Contacts: 365 * day}
			return privacy.NewRetention(later(s.store, d), keep, time.Now)
		}
		done(after(179 * day).ForgetAnswers(ctx))
		equal(t, "answers of 179 days", len(must(s.store.Repos().History.Records(ctx, ports.AnyOrg, []string{asked.RecordID}))), 1)
		spent := must(s.statement.SpentToday(ctx, owner))
		done(after(181 * day).ForgetAnswers(ctx))
		equal(t, "answers of 181 days", len(must(s.store.Repos().History.Records(ctx, ports.AnyOrg, []string{asked.RecordID}))), 0)
		equal(t, "what was spent", must(s.statement.SpentToday(ctx, owner)), spent)
		equal(t, "the entry", must(s.store.Repos().Statement.Find(ctx, ports.AnyOrg, again.ID)).Document.Value(), cpfs[0])
		view := must(s.lookups.Show(ctx, owner, again.ID))
		equal(t, "its sheet", view.Record == nil && !view.Unreadable, true)

		done(after(364 * day).ForgetContacts(ctx))
		equal(t, "contacts of 364 days", len(must(s.contacts.List(ctx, owner, s.orgID, 9))), 2)
		done(s.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			return r.ContactHistory.AddNote(ctx, crm.Event{
				ID: IDAt(time.Now().Add(2 * day)), OrgID: s.orgID, ContactID: still.ID, Kind: crm.NoteAdded, At: time.Now(),
			})
		}))
		done(after(366 * day).ForgetContacts(ctx))
		equal(t, "contacts of 366 days", must(s.contacts.List(ctx, owner, s.orgID, 9))[0].ID, still.ID)
		equal(t, "their history", len(must(s.store.Repos().ContactHistory.Events(ctx, ports.AnyOrg, old.ID))), 0)
		for _, f := range must(s.store.(*gormstore.Store).Check(ctx, time.Now())) {
			if f.Violations > 0 {
				t.Error(f.Name, f.IDs)
			}
		}
	})
}

// TestTheAuditIsKeptForAsLongAsItIsTold: where five years are kept, a line of 1 826 days goes, one of 1 824 stays, and
// the rest stays bound to what was removed. Ages follow the database's clock, so the lines are backdated here.
func TestTheAuditIsKeptForAsLongAsItIsTold(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		ctx, orgID := t.Context(), uuid.NewString()
		for _, days := range []time.Duration{1826, 1824} {
			done(s.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
				return r.Audit.Append(ctx, audit.Line{
					ID: uuid.Must(uuid.NewV7()).String(), OrgID: orgID, Action: audit.SignedIn,
					At: time.Now().Add(-days * day).UTC().Truncate(time.Microsecond),
				})
			}))
		}
		left := func() (numbers []int64) {
			for _, l := range must(s.store.Repos().Audit.Page(ctx, orgID, ports.AuditQuery{Ascending: true, Limit: 9})) {
				numbers = append(numbers, l.Number)
			}
			return numbers
		}
		for _, c := range []struct {
			kept time.Duration
			left string
		}{{1827, "[1 2]"}, {1825, "[2]"}, {1823, "[]"}} {
			done(privacy.NewRetention(s.store, privacy.Keeping{Audit: c.kept * day}, time.Now).ForgetAudit(ctx))
			equal(t, fmt.Sprint("lines where ", int(c.kept), " days are kept"), fmt.Sprint(left()), c.left)
		}
		equal(t, "the number of the last line", must(s.store.Repos().Audit.Head(ctx, orgID)).Number, 2)
	})
}

// clocked is a store with a clock of its own.
type clocked struct {
	ports.Store
	now func() time.Time
}

// later is a store by whose clock that much time has passed.
func later(s ports.Store, by time.Duration) clocked {
	return clocked{s, func() time.Time { return time.Now().Add(by) }}
}

func (c clocked) Repos() ports.Repos {
	r := c.Store.Repos()
	r.Clock = c
	return r
}

// Now is the present of ports.Clock.
func (c clocked) Now(context.Context, time.Time) (time.Time, error) { return c.now().UTC(), nil }

// meanwhile calls do before each transaction.
type meanwhile struct {
	ports.Store
	do func()
}

func (m meanwhile) InTx(ctx context.Context, f ports.Tx) error {
	m.do()
	return m.Store.InTx(ctx, f)
}

// TestAContactThatIsTouchedMeanwhileStays: touched after it was found to be old and before it would be removed.
func TestAContactThatIsTouchedMeanwhileStays(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		ctx, owner, hook := t.Context(), s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		touched := s.arrive(hook, "bia")
		s.arrive(hook, "leo")
		store := meanwhile{s.store, func() {
			done(s.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
				return r.ContactHistory.AddNote(ctx, crm.Event{
					ID: IDAt(time.Now().Add(2 * day)), OrgID: s.orgID, ContactID: touched.ID, Kind: crm.NoteAdded, At: time.Now(),
				})
			}))
		}}
		keep := privacy.Keeping{Contacts: 365 * day}
		done(privacy.NewRetention(later(store, 366*day), keep, time.Now).ForgetContacts(ctx))
		var left []string
		for _, c := range must(s.contacts.List(ctx, owner, s.orgID, 9)) {
			left = append(left, c.Name)
		}
		equal(t, "contacts that are left", line(left), "[bia]")
	})
}

// TestMistakenMergesGoInTime: contacts of two people that were merged are kept no longer than others, though the merge
// could still be undone.
func TestMistakenMergesGoInTime(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		ctx, owner := t.Context(), s.add("dona", crm.Owner)
		var ids []string
		for _, cpf := range cpfs[:3] {
			form := bia()
			form.Documents = cpf
			ids = append(ids, must(s.contacts.Create(ctx, owner, form)).ID)
		}
		done(s.contacts.Merge(ctx, owner, ids[1], ids[2]))
		done(s.contacts.Merge(ctx, owner, ids[0], ids[1]))
		left := func(after time.Duration) string {
			keep := privacy.Keeping{Contacts: 7 * day}
			done(privacy.NewRetention(later(s.store, after), keep, time.Now).ForgetContacts(ctx))
			kept := 0
			for _, id := range ids[1:] {
				if gone := must(s.store.Repos().Removals.Find(ctx, s.orgID, id)); gone.Contact.Name != "" {
					kept++
				}
			}
			return line(len(must(s.contacts.List(ctx, owner, s.orgID, 9))), kept)
		}
		equal(t, "after six days", left(6*day), "1 2")
		equal(t, "after eight", left(8*day), "0 0")
	})
}

// TestAContactThatIsAskedAboutStays: a lookup about a contact is in its history, and something that happened to it.
func TestAContactThatIsAskedAboutStays(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		ctx, owner, hook := t.Context(), s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		asked := s.arrive(hook, "bia")
		s.arrive(hook, "leo")
		created := time.Now().UnixMilli()
		patience.Every(t, time.Millisecond, "the next millisecond, which ids count in", func() bool {
			return time.Now().UnixMilli() > created
		})
		since := time.Now()
		must(s.ask(owner, lookups.Request{Document: cpfs[0], ContactID: asked.ID}))
		store := clocked{s.store, func() time.Time { return since.Add(365 * day) }}
		keep := privacy.Keeping{Contacts: 365 * day}
		done(privacy.NewRetention(store, keep, time.Now).ForgetContacts(ctx))
		var left []string
		for _, c := range must(s.contacts.List(ctx, owner, s.orgID, 9)) {
			left = append(left, c.Name)
		}
		equal(t, "contacts that are left", line(left), "[bia]")
	})
}

// IDAt returns an id made at a time.
func IDAt(at time.Time) string {
	ms := at.UnixMilli()
	return fmt.Sprintf("%08x-%04x-7000-8000-000000000001", ms>>16, ms&0xffff)
}

func TestAnswersAreKeptWhileTheyAnswer(t *testing.T) {
	t.Parallel()
	if err := (privacy.Keeping{Answers: 29 * day}).Check(30 * day); err == nil {
		t.Error("answers are removed that lookups are answered from")
	}
	if err := (privacy.Keeping{Answers: 30 * day}).Check(30 * day); err != nil {
		t.Error(err)
	}
}
