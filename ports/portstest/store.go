// Package portstest holds the suites that every implementation of a port must pass,
// so that two databases stay one product.
package portstest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Store runs the suite of ports.Store. newStore returns an empty, migrated store.
func Store(t *testing.T, newStore func(t *testing.T) ports.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, ports.Store){
		"organisations and members": organisations,
		"keys and secrets":          keys,
		"usage and caps":            usage,
		"caps under concurrency":    capsUnderConcurrency,
		"statement":                 statement,
		"statement pages":           statementPages,
		"serving from history":      serving,
		"serving together":          servingTogether,
		"settling":                  settling,
		"history":                   history,
		"leases":                    leases,
		"leases under concurrency":  leasesUnderConcurrency,
		"transactions":              transactions,
		"funnels and origins":       funnels,
		"webhooks":                  webhooks,
		"opening webhooks":          opening,
		"taking a contact":          taking,
		"taking once":               takingOnce,
		"taking together":           takingTogether,
		"forgetting":                forgetting,
		"contacts":                  contacts,
		"notifications":             notifications,
		"views of contacts":         contactViews,
		"edits of contacts":         contactEdits,
		"lookups of contacts":       contactLookups,
		"automations":               automations,
		"jobs":                      jobs,
		"jobs and their workers":    workers,
		"views of lookups":          lookupViews,
		"sessions":                  sessions,
		"attempts to sign in":       attempts,
		"setting up":                setup,
		"figures":                   figures,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newStore(t))
		})
	}
}

// at is a time of day that both databases keep exactly.
var at = time.Date(2026, 11, 20, 14, 3, 11, 520_001_000, time.UTC)

func id() string { return uuid.Must(uuid.NewV7()).String() }

// idOf is an id of another time than now: stores find things by the time in their ids.
func idOf(t time.Time) string {
	u := uuid.Must(uuid.NewV7())
	for i := range 6 {
		u[i] = byte(t.UnixMilli() >> (40 - 8*i))
	}
	return u.String()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func doc(t *testing.T, typ document.Type, s string) document.Document {
	t.Helper()
	d, err := document.Parse(typ, s)
	must(t, err)
	return d
}

func org(t *testing.T, s ports.Store) crm.Organisation {
	t.Helper()
	o := crm.Organisation{ID: id(), Name: "Organização " + id(), CreatedAt: at}
	must(t, s.Repos().Orgs.Create(t.Context(), o))
	return o
}

func organisations(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	all, err := repos.Orgs.List(ctx)
	must(t, err)
	same(t, "organisations of an empty store", all, []crm.Organisation{})
	o := org(t, s)
	got, err := repos.Orgs.Find(ctx, o.ID)
	must(t, err)
	same(t, "organisation", got, o)
	all, err = repos.Orgs.List(ctx)
	must(t, err)
	same(t, "organisations", all, []crm.Organisation{o})
	_, err = repos.Orgs.Find(ctx, id())
	wantErr(t, "unknown organisation", err, ports.ErrNotFound)
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Orgs.Lock(ctx, o.ID) }))
	wantErr(t, "an unknown organisation locked", s.InTx(ctx, func(r ports.Repos) error { return r.Orgs.Lock(ctx, id()) }), ports.ErrNotFound)

	m := crm.Member{ID: id(), OrgID: o.ID, Name: "Ana", Email: "ana@example.com", Role: crm.Owner, Active: true, PasswordHash: "x", CreatedAt: at}
	must(t, repos.Members.Create(ctx, m))
	m.ID = id()
	wantErr(t, "second member with one e-mail", repos.Members.Create(ctx, m), ports.ErrExists)
}

func keys(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	key := access.Key{
		ID: id(), OrgID: o.ID, Name: "CRM", Scopes: []document.Type{document.CPF, document.Email},
		Limits: access.Limits{PerMinute: 60, PerDay: 500, PerMonth: 5000}, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
	}
	first, second := access.NewSecret(), access.NewSecret()
	must(t, repos.Keys.Create(ctx, key))
	must(t, repos.Keys.AddSecret(ctx, key.ID, "", first, at))
	key.Prefix = first.Prefix()
	got, err := repos.Keys.BySecret(ctx, first, at)
	must(t, err)
	same(t, "key by secret", got, key)
	_, err = repos.Keys.BySecret(ctx, second, at)
	wantErr(t, "unknown secret", err, ports.ErrNotFound)

	must(t, repos.Keys.AddSecret(ctx, key.ID, first.Prefix(), second, at.Add(time.Minute)))
	key.Prefix = second.Prefix()
	for _, secret := range []access.Secret{first, second} {
		got, err = repos.Keys.BySecret(ctx, secret, at.Add(59*time.Second))
		must(t, err)
		same(t, "key while two secrets work", got, key)
	}
	_, err = repos.Keys.BySecret(ctx, first, at.Add(time.Minute))
	wantErr(t, "secret after its end", err, ports.ErrNotFound)
	third := access.NewSecret()
	must(t, repos.Keys.AddSecret(ctx, key.ID, "", third, at.Add(time.Hour)))
	_, err = repos.Keys.BySecret(ctx, first, at.Add(2*time.Minute))
	wantErr(t, "an ended secret does not come back", err, ports.ErrNotFound)

	key.Prefix, key.LastUsedAt = third.Prefix(), at.Add(time.Second)
	must(t, repos.Keys.Touch(ctx, map[string]time.Time{key.ID: at.Add(time.Second)}))
	must(t, repos.Keys.Touch(ctx, map[string]time.Time{key.ID: at}))
	list, err := repos.Keys.List(ctx, o.ID)
	must(t, err)
	same(t, "list; the last use never goes back", list, []access.Key{key})
	other, err := repos.Keys.List(ctx, id())
	must(t, err)
	same(t, "keys of another organisation", len(other), 0)

	must(t, repos.Keys.Revoke(ctx, key.ID, at.Add(time.Minute)))
	must(t, repos.Keys.Revoke(ctx, key.ID, at.Add(time.Hour)))
	key.RevokedAt = at.Add(time.Minute)
	got, err = repos.Keys.Find(ctx, key.ID)
	must(t, err)
	same(t, "revoked key", got, key)
	_, err = repos.Keys.Find(ctx, id())
	wantErr(t, "unknown key", err, ports.ErrNotFound)
	wantErr(t, "revoke an unknown key", repos.Keys.Revoke(ctx, id(), at), ports.ErrNotFound)
}

func charge(ctx context.Context, s ports.Store, key, day, month string, amount catalog.Money, caps access.Limits) error {
	return s.InTx(ctx, func(r ports.Repos) error { return r.Usage.Charge(ctx, key, day, month, amount, caps) })
}

func usage(t *testing.T, s ports.Store) {
	ctx, key := t.Context(), id()
	caps := access.Limits{PerDay: 2, PerMonth: 3}
	must(t, charge(ctx, s, key, "2026-11-20", "2026-11", 4500, caps))
	must(t, charge(ctx, s, key, "2026-11-20", "2026-11", 1, caps))
	wantErr(t, "third of a day of two", charge(ctx, s, key, "2026-11-20", "2026-11", 1, caps), ports.ErrDayCap)
	must(t, charge(ctx, s, key, "2026-11-21", "2026-11", 20750, caps))
	wantErr(t, "fourth of a month of three", charge(ctx, s, key, "2026-11-21", "2026-11", 1, caps), ports.ErrMonthCap)
	wantErr(t, "the month comes first", charge(ctx, s, key, "2026-11-20", "2026-11", 1, caps), ports.ErrMonthCap)
	must(t, charge(ctx, s, key, "2026-12-01", "2026-12", 1, caps))
	wantErr(t, "no charges at all", charge(ctx, s, id(), "2026-11-20", "2026-11", 1, access.Limits{PerDay: 0, PerMonth: 1}), ports.ErrDayCap)
	wantErr(t, "no charges in the month", charge(ctx, s, id(), "2026-11-20", "2026-11", 1, access.Limits{PerDay: 1}), ports.ErrMonthCap)

	spent := func(day, month string) [3]lookup.Spent {
		today, inMonth, all, err := s.Repos().Usage.Spent(ctx, key, day, month)
		must(t, err)
		return [3]lookup.Spent{today, inMonth, all}
	}
	same(t, "spent", spent("2026-11-20", "2026-11"), [3]lookup.Spent{{Count: 2, Amount: 4501}, {Count: 3, Amount: 25251}, {Count: 4, Amount: 25252}})
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Usage.Release(ctx, key, "2026-11-20", "2026-11", 4500) }))
	same(t, "spent after a release", spent("2026-11-20", "2026-11"), [3]lookup.Spent{{Count: 1, Amount: 1}, {Count: 2, Amount: 20751}, {Count: 3, Amount: 20752}})
	must(t, charge(ctx, s, key, "2026-11-20", "2026-11", 1, caps))
	same(t, "spent on a quiet day", spent("2026-11-25", "2027-01")[0], lookup.Spent{})
}

func capsUnderConcurrency(t *testing.T, s ports.Store) {
	ctx, key := t.Context(), id()
	const attempts, limit = 60, 7
	var ok, refused atomic.Int32
	var wg sync.WaitGroup
	for range attempts {
		wg.Go(func() {
			switch err := charge(ctx, s, key, "2026-11-20", "2026-11", 4500, access.Limits{PerDay: limit, PerMonth: 1000}); {
			case err == nil:
				ok.Add(1)
			case errors.Is(err, ports.ErrDayCap):
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	same(t, "charged and refused", [2]int32{ok.Load(), refused.Load()}, [2]int32{limit, attempts - limit})
	today, inMonth, all, err := s.Repos().Usage.Spent(ctx, key, "2026-11-20", "2026-11")
	must(t, err)
	want := lookup.Spent{Count: limit, Amount: limit * 4500}
	same(t, "spent", [3]lookup.Spent{today, inMonth, all}, [3]lookup.Spent{want, want, want})
}

func running(t *testing.T, key string) lookup.Entry {
	t.Helper()
	return lookup.Entry{
		ID: id(), OrgID: id(), KeyID: key, Product: "cpf", Document: doc(t, document.CPF, "52998224725"), At: at,
		Charged: true, Amount: 4500, Status: lookup.Running, Day: "2026-11-20", Month: "2026-11", SettleAt: at.Add(15 * time.Second),
	}
}

func statement(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	e := running(t, id())
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Statement.Add(ctx, e) }))
	got, err := repos.Statement.Find(ctx, e.ID)
	must(t, err)
	same(t, "running entry", got, e)
	_, err = repos.Statement.Find(ctx, id())
	wantErr(t, "unknown entry", err, ports.ErrNotFound)

	e.Status, e.RecordID, e.SettleAt = lookup.Done, id(), time.Time{}
	open, err := repos.Statement.Finish(ctx, e)
	must(t, err)
	same(t, "was open", open, true)
	got, err = repos.Statement.Find(ctx, e.ID)
	must(t, err)
	same(t, "finished entry", got, e)
	late := e
	late.Status, late.Charged, late.Amount = lookup.NotSent, false, 0
	open, err = repos.Statement.Finish(ctx, late)
	must(t, err)
	same(t, "a finished entry is closed", open, false)
	got, err = repos.Statement.Find(ctx, e.ID)
	must(t, err)
	same(t, "finished entry stays", got, e)

	byMember := running(t, "")
	byMember.MemberID, byMember.Status, byMember.SettleAt = id(), lookup.Done, time.Time{}
	must(t, repos.Statement.Add(ctx, byMember))
	got, err = repos.Statement.Find(ctx, byMember.ID)
	must(t, err)
	same(t, "entry of a member", got, byMember)
}

func statementPages(t *testing.T, s ports.Store) {
	ctx, repos, org, key := t.Context(), s.Repos(), id(), id()
	var all []lookup.Entry
	for i := range 7 {
		e := running(t, key)
		e.OrgID = org
		e.At = at.Add(time.Duration(i) * time.Hour)
		e.ID = idOf(e.At)
		e.Status, e.SettleAt, e.Cache = lookup.Done, time.Time{}, i%2 == 0
		if i == 3 {
			e.Product, e.Document = "veiculo", doc(t, document.Plate, "ABC1D23")
		}
		must(t, repos.Statement.Add(ctx, e))
		all = append([]lookup.Entry{e}, all...)
	}
	must(t, repos.Statement.Add(ctx, running(t, id()))) // somebody else's
	page := func(f lookup.Filter, after string, limit int) []lookup.Entry {
		entries, err := repos.Statement.Page(ctx, lookup.Asker{OrgID: org, KeyID: key}, f, after, limit)
		must(t, err)
		return entries
	}
	same(t, "first page", page(lookup.Filter{}, "", 3), all[:3])
	newer := running(t, key)
	newer.OrgID, newer.ID = org, idOf(at.Add(8*time.Hour))
	must(t, repos.Statement.Add(ctx, newer))
	same(t, "second page, after an insert", page(lookup.Filter{}, all[2].ID, 3), all[3:6])
	same(t, "last page", page(lookup.Filter{}, all[5].ID, 3), all[6:])
	same(t, "after the end", page(lookup.Filter{}, all[6].ID, 3), []lookup.Entry{})
	same(t, "one product", page(lookup.Filter{Product: "veiculo"}, "", 10), all[3:4])
	yes, no := true, false
	same(t, "from history", len(page(lookup.Filter{Cache: &yes}, "", 10)), 4)
	same(t, "fresh", len(page(lookup.Filter{Cache: &no}, "", 10)), 4)
	same(t, "from, inclusive, until, exclusive", page(lookup.Filter{From: at.Add(2 * time.Hour), Until: at.Add(4 * time.Hour)}, "", 10), all[3:5])
}

// kept saves a record of a document and returns it.
func kept(t *testing.T, s ports.Store, orgID string, d document.Document) lookup.Record {
	t.Helper()
	rec := lookup.Record{
		ID: id(), OrgID: orgID, Product: "cpf", Document: d, AnsweredAt: at, Found: true, Schema: "s1",
		Fields: []byte(`{"nome":"Ana"}`), Raw: []byte(`{ "nome" : "Ana" }`),
	}
	must(t, s.Repos().History.Save(t.Context(), rec))
	return rec
}

func free(t *testing.T, key string, rec lookup.Record) lookup.Entry {
	t.Helper()
	return lookup.Entry{
		ID: id(), OrgID: rec.OrgID, KeyID: key, Product: rec.Product, Document: rec.Document, At: at.Add(time.Hour), Cache: true, Status: lookup.Done,
	}
}

func serving(t *testing.T, s ports.Store) {
	ctx, repos, key := t.Context(), s.Repos(), id()
	rec := kept(t, s, id(), doc(t, document.CPF, "52998224725"))
	e := free(t, key, rec)
	got, err := repos.History.Serve(ctx, e, at.Add(-time.Microsecond))
	must(t, err)
	same(t, "served record", got, rec)
	e.RecordID = rec.ID
	entry, err := repos.Statement.Find(ctx, e.ID)
	must(t, err)
	same(t, "its entry", entry, e)

	byMember := free(t, "", rec)
	byMember.MemberID = id()
	_, err = repos.History.Serve(ctx, byMember, time.Time{})
	must(t, err)
	byMember.RecordID = rec.ID
	entry, err = repos.Statement.Find(ctx, byMember.ID)
	must(t, err)
	same(t, "entry of a member", entry, byMember)

	newer := rec
	newer.ID, newer.AnsweredAt, newer.Found, newer.Raw = id(), at.Add(time.Second), false, []byte("null")
	must(t, repos.History.Save(ctx, newer))
	got, err = repos.History.Serve(ctx, free(t, key, rec), at)
	must(t, err)
	same(t, "the newest is served", got, newer)

	stale, strange := free(t, key, rec), free(t, key, rec)
	_, err = repos.History.Serve(ctx, stale, at.Add(time.Second))
	wantErr(t, "answered at that time, not after it", err, ports.ErrNotFound)
	strange.Document = doc(t, document.CPF, "11144477735")
	_, err = repos.History.Serve(ctx, strange, time.Time{})
	wantErr(t, "a document without a record", err, ports.ErrNotFound)
	for _, unanswered := range []lookup.Entry{stale, strange} {
		_, err = repos.Statement.Find(ctx, unanswered.ID)
		wantErr(t, "entry of what was not served", err, ports.ErrNotFound)
	}
}

// servingTogether mixes lookups that are served, that are not, and that cannot be
// written, all at once.
func servingTogether(t *testing.T, s ports.Store) {
	ctx, repos, key := t.Context(), s.Repos(), id()
	const n = 300
	here := kept(t, s, id(), doc(t, document.CPF, "52998224725"))
	also := kept(t, s, here.OrgID, doc(t, document.CPF, "11144477735"))
	taken := free(t, key, here)
	_, err := repos.History.Serve(ctx, taken, time.Time{})
	must(t, err)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			want := []lookup.Record{here, also}[i%2]
			e := free(t, key, want)
			switch {
			case i%50 == 0:
				e.ID = taken.ID
				_, err := repos.History.Serve(ctx, e, time.Time{})
				wantErr(t, "an id that is taken", err, ports.ErrExists)
				return
			case i%3 == 0:
				_, err := repos.History.Serve(ctx, e, at.Add(time.Hour))
				wantErr(t, "stale", err, ports.ErrNotFound)
				return
			}
			got, err := repos.History.Serve(ctx, e, time.Time{})
			if err != nil {
				t.Error(err)
				return
			}
			same(t, "record", got, want)
			if entry, err := repos.Statement.Find(ctx, e.ID); err != nil || entry.RecordID != want.ID {
				t.Errorf("the entry of an answered lookup is not there, or not whole: %v", err)
			}
		})
	}
	wg.Wait()
	entries, err := repos.Statement.Page(ctx, lookup.Asker{OrgID: here.OrgID, KeyID: key}, lookup.Filter{}, "", 2*n)
	must(t, err)
	same(t, "entries", len(entries), 1+n-n/3-4)
}

func settling(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	e := running(t, id())
	lease := lookup.Lease{OrgID: e.OrgID, Product: e.Product, Document: e.Document, CallID: e.ID, ExpiresAt: e.SettleAt}
	must(t, s.InTx(ctx, func(r ports.Repos) error {
		if _, err := r.Leases.Acquire(ctx, lease, at); err != nil {
			return err
		}
		return r.Statement.Add(ctx, e)
	}))
	settle := func(now time.Time) (n int) {
		must(t, s.InTx(ctx, func(r ports.Repos) (err error) {
			n, err = r.Statement.Settle(ctx, now)
			return err
		}))
		return n
	}
	same(t, "settled before its time", settle(e.SettleAt.Add(-time.Microsecond)), 0)
	same(t, "settled", settle(e.SettleAt), 1)
	same(t, "settled again", settle(e.SettleAt.Add(time.Hour)), 0)
	got, err := repos.Statement.Find(ctx, e.ID)
	must(t, err)
	same(t, "outcome and charge", []any{got.Status, got.Charged, got.Amount}, []any{lookup.NoAnswer, true, catalog.Money(4500)})
	lease.CallID = id()
	must(t, s.InTx(ctx, func(r ports.Repos) error {
		holder, err := r.Leases.Acquire(ctx, lease, at)
		same(t, "holder after settling", holder, "")
		return err
	}))
	e.Status, e.RecordID = lookup.Done, id()
	open, err := repos.Statement.Finish(ctx, e)
	must(t, err)
	same(t, "its owner may still speak", open, true)
	open, err = repos.Statement.Finish(ctx, e)
	must(t, err)
	same(t, "once", open, false)
}

func history(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	orgID, person := id(), doc(t, document.CPF, "52998224725")
	_, err := repos.History.Latest(ctx, orgID, "cpf", person)
	wantErr(t, "empty history", err, ports.ErrNotFound)
	raw := "{ \"z\": 1.50, \"a\": 1e2,\n \"n\":12345678901234567890, \"h\":\"<b>&\u2028\\u00e9\", \"dup\":1, \"dup\":2 }"
	old := lookup.Record{
		ID: id(), OrgID: orgID, Product: "cpf", Document: person, AnsweredAt: at, Found: true, Schema: "s1",
		Fields: []byte(`{"nome":"Ana"}`), Raw: []byte(raw),
	}
	newer := old
	newer.ID, newer.AnsweredAt, newer.Found, newer.Raw = id(), at.Add(time.Microsecond), false, []byte("null")
	must(t, repos.History.Save(ctx, newer))
	must(t, repos.History.Save(ctx, old))
	got, err := repos.History.Latest(ctx, orgID, "cpf", person)
	must(t, err)
	same(t, "latest", got, newer)
	old.ID, old.AnsweredAt = id(), at.Add(time.Hour)
	must(t, repos.History.Save(ctx, old))
	got, err = repos.History.Latest(ctx, orgID, "cpf", person)
	must(t, err)
	same(t, "latest, byte for byte", got, old)
	for what, f := range map[string]func() error{
		"another organisation": func() error { _, err := repos.History.Latest(ctx, id(), "cpf", person); return err },
		"another product":      func() error { _, err := repos.History.Latest(ctx, orgID, "obito", person); return err },
		"another document": func() error {
			_, err := repos.History.Latest(ctx, orgID, "cpf", doc(t, document.CPF, "11144477735"))
			return err
		},
	} {
		wantErr(t, what, f(), ports.ErrNotFound)
	}
}

func acquire(ctx context.Context, s ports.Store, l lookup.Lease, now time.Time) (holder string, err error) {
	err = s.InTx(ctx, func(r ports.Repos) (err error) {
		holder, err = r.Leases.Acquire(ctx, l, now)
		return err
	})
	return holder, err
}

func leases(t *testing.T, s ports.Store) {
	ctx := t.Context()
	first := lookup.Lease{OrgID: id(), Product: "cpf", Document: doc(t, document.CPF, "52998224725"), CallID: id(), ExpiresAt: at.Add(15 * time.Second)}
	second := first
	second.CallID, second.ExpiresAt = id(), at.Add(time.Hour)
	other := second
	other.Product = "obito"
	for _, step := range []struct {
		what  string
		lease lookup.Lease
		now   time.Time
		want  string
	}{
		{"free", first, at, ""},
		{"held", second, at.Add(14 * time.Second), first.CallID},
		{"another product", other, at, ""},
		{"expired", second, at.Add(15 * time.Second), ""},
		{"held by the second", first, at.Add(15 * time.Second), second.CallID},
	} {
		holder, err := acquire(ctx, s, step.lease, step.now)
		must(t, err)
		same(t, step.what, holder, step.want)
	}
	must(t, s.Repos().Leases.Free(ctx, first.CallID)) // no longer holds it
	holder, err := acquire(ctx, s, first, at)
	must(t, err)
	same(t, "a past holder frees nothing", holder, second.CallID)
	must(t, s.Repos().Leases.Free(ctx, second.CallID))
	holder, err = acquire(ctx, s, first, at)
	must(t, err)
	same(t, "freed", holder, "")
}

func leasesUnderConcurrency(t *testing.T, s ports.Store) {
	ctx := t.Context()
	const n = 24
	l := lookup.Lease{OrgID: id(), Product: "cpf", Document: doc(t, document.CPF, "52998224725"), ExpiresAt: at.Add(time.Minute)}
	holders := make([]string, n)
	calls := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			mine := l
			mine.CallID = id()
			calls[i] = mine.CallID
			var err error
			if holders[i], err = acquire(ctx, s, mine, at); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	winner := ""
	for i, h := range holders {
		if h == "" {
			if winner != "" {
				t.Fatal("two hold one lease")
			}
			winner = calls[i]
		}
	}
	for _, h := range holders {
		if h != "" && h != winner {
			t.Errorf("a loser was told of %s, not of the winner %s", h, winner)
		}
	}
}

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
	if err := s.InTx(cancelled, func(r ports.Repos) error { return r.Orgs.Create(cancelled, crm.Organisation{ID: id()}) }); err == nil {
		t.Error("a transaction of a cancelled context succeeds")
	}
}
