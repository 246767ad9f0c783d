package lookups

import (
	"context"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func statement(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	e := kit.Running(t, kit.ID())
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Statement.Add(ctx, e) }))
	got, err := repos.Statement.Find(ctx, ports.AnyOrg, e.ID)
	kit.Must(t, err)
	kit.Same(t, "running entry", got, e)
	_, err = repos.Statement.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "unknown entry", err, ports.ErrNotFound)

	e.Status, e.RecordID, e.SettleAt = lookup.Done, kit.ID(), time.Time{}
	open, err := repos.Calls.End(ctx, ports.Outcome{Entry: e, Price: 4500})
	kit.Must(t, err)
	kit.Same(t, "was open", open, true)
	got, err = repos.Statement.Find(ctx, ports.AnyOrg, e.ID)
	kit.Must(t, err)
	kit.Same(t, "finished entry", got, e)
	late := e
	late.Status, late.Charged, late.Amount = lookup.NotSent, false, 0
	open, err = repos.Calls.End(ctx, ports.Outcome{Entry: late, Price: 4500})
	kit.Must(t, err)
	kit.Same(t, "a finished entry is closed", open, false)
	got, err = repos.Statement.Find(ctx, ports.AnyOrg, e.ID)
	kit.Must(t, err)
	kit.Same(t, "finished entry stays", got, e)

	byMember := kit.Running(t, "")
	byMember.MemberID, byMember.Status, byMember.SettleAt = kit.ID(), lookup.Done, time.Time{}
	kit.Must(t, repos.Statement.Add(ctx, byMember))
	got, err = repos.Statement.Find(ctx, ports.AnyOrg, byMember.ID)
	kit.Must(t, err)
	kit.Same(t, "entry of a member", got, byMember)
}

func statementPages(t *testing.T, s ports.Store) {
	ctx, repos, org, key := t.Context(), s.Repos(), kit.ID(), kit.ID()
	var all []lookup.Entry
	for i := range 7 {
		e := kit.Running(t, key)
		e.OrgID = org
		e.At = kit.At.Add(time.Duration(i) * time.Hour)
		e.ID = kit.IDOf(e.At)
		e.Status, e.SettleAt, e.Cache = lookup.Done, time.Time{}, i%2 == 0
		if i == 3 {
			e.Product, e.Document = "veiculo", kit.Doc(t, document.Plate, "ABC1D23")
		}
		kit.Must(t, repos.Statement.Add(ctx, e))
		all = append([]lookup.Entry{e}, all...)
	}
	kit.Must(t, repos.Statement.Add(ctx, kit.Running(t, kit.ID()))) // somebody else's
	page := func(f lookup.Filter, after string, limit int) []lookup.Entry {
		entries, err := repos.Statement.Page(ctx, lookup.Asker{OrgID: org, KeyID: key}, f, after, limit)
		kit.Must(t, err)
		return entries
	}
	kit.Same(t, "first page", page(lookup.Filter{}, "", 3), all[:3])
	brief := all[0]
	brief.OrgID, brief.ContactID, brief.RecordID, brief.Day, brief.Month, brief.SettleAt = "", "", "", "", "", time.Time{}
	kit.Same(t, "in brief", page(lookup.Filter{Brief: true}, "", 1), []lookup.Entry{brief})
	kit.Same(t, "in brief, by product", page(lookup.Filter{Brief: true, Product: brief.Product}, "", 1),
		[]lookup.Entry{brief})
	newer := kit.Running(t, key)
	newer.OrgID, newer.ID = org, kit.IDOf(kit.At.Add(8*time.Hour))
	kit.Must(t, repos.Statement.Add(ctx, newer))
	kit.Same(t, "second page, after an insert", page(lookup.Filter{}, all[2].ID, 3), all[3:6])
	kit.Same(t, "last page", page(lookup.Filter{}, all[5].ID, 3), all[6:])
	kit.Same(t, "after the end", page(lookup.Filter{}, all[6].ID, 3), []lookup.Entry{})
	kit.Same(t, "one product", page(lookup.Filter{Product: "veiculo"}, "", 10), all[3:4])
	yes, no := true, false
	kit.Same(t, "from history", len(page(lookup.Filter{Cache: &yes}, "", 10)), 4)
	kit.Same(t, "fresh", len(page(lookup.Filter{Cache: &no}, "", 10)), 4)
	kit.Same(t, "from, inclusive, until, exclusive",
		page(lookup.Filter{From: kit.At.Add(2 * time.Hour), Until: kit.At.Add(4 * time.Hour)}, "", 10), all[3:5])
}

// statementFilters compares every filter of every asker, page by page, with the same selection made in memory.
func statementFilters(t *testing.T, s ports.Store) {
	ctx, repos, org, keys, member := t.Context(), s.Repos(), kit.ID(), []string{kit.ID(), kit.ID(), ""}, kit.ID()
	var all []lookup.Entry
	for i := range 48 {
		e := kit.Running(t, keys[i%3])
		e.OrgID, e.At, e.Status, e.SettleAt = org, kit.At.Add(time.Duration(i)*time.Hour), lookup.Done, time.Time{}
		e.ID, e.Cache, e.Product = kit.IDOf(e.At), i%2 == 0, []string{"cnpj", "cpf", "novo", "cpf"}[i/3%4]
		e.Purpose, e.AutomationID = []string{"", "credito", "credito", "cobranca"}[i/12%4], []string{"", kit.ID()}[i%2]
		if e.KeyID == "" && i%2 == 0 {
			e.MemberID = member
		} else if e.KeyID == "" {
			e.MemberID = kit.ID()
		}
		kit.Must(t, repos.Statement.Add(ctx, e))
		all = append([]lookup.Entry{e}, all...)
	}
	yes, no := true, false
	for _, by := range []lookup.Asker{
		{OrgID: org}, {OrgID: org, KeyID: keys[0]}, {OrgID: org, Members: true}, {OrgID: org, MemberID: member},
	} {
		for _, product := range []string{"", "cpf", "novo", "placa"} {
			for _, cache := range []*bool{nil, &yes, &no} {
				for i, until := range []time.Time{{}, kit.At.Add(30 * time.Hour), kit.At.Add(-time.Hour), {},
					kit.At.Add(30 * time.Hour)} {
					f := lookup.Filter{Product: product, Cache: cache, Until: until}
					if i > 2 {
						f.Purpose = "credito"
					}
					if !until.IsZero() {
						f.From = until.Add(-20 * time.Hour)
					}
					want := []lookup.Entry{}
					for _, e := range all {
						asked := (by.KeyID == "" || e.KeyID == by.KeyID) && (!by.Members || e.KeyID == "") &&
							(by.MemberID == "" || e.MemberID == by.MemberID)
						shown := (product == "" || e.Product == product) && (cache == nil || e.Cache == *cache) &&
							(f.Purpose == "" || e.Purpose == f.Purpose)
						if asked && shown && !e.At.Before(f.From) && (until.IsZero() || e.At.Before(until)) {
							want = append(want, e)
						}
					}
					got := []lookup.Entry{}
					for after := ""; ; after = got[len(got)-1].ID {
						page, err := repos.Statement.Page(ctx, by, f, after, 5)
						kit.Must(t, err)
						if got = append(got, page...); len(page) < 5 {
							break
						}
					}
					kit.Same(t, "page by page", got, want)
				}
			}
		}
	}
	day := kit.At.Format(time.DateOnly)
	spent, err := repos.Statement.Spend(ctx, lookup.Asker{OrgID: org, MemberID: member}, day, day)
	kit.Must(t, err)
	sum := lookup.Spent{}
	for _, d := range spent {
		sum.Add(d.Spent)
	}
	want := lookup.Spent{}
	for _, e := range all {
		if e.MemberID == member && e.Charged && e.Day == day {
			want.Add(lookup.Spent{Count: 1, Amount: e.Amount})
		}
	}
	kit.Same(t, "what a member was charged", sum, want)
}

func settling(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	call := ports.Charge{Entry: kit.Running(t, kit.ID()), Takes: 15 * time.Second,
		Caps: access.Limits{PerDay: 1, PerMonth: 1}}
	kit.Same(t, "begun", kit.Begins(t, s, call), ports.Begun{})
	e, err := repos.Statement.Find(ctx, ports.AnyOrg, call.Entry.ID)
	kit.Must(t, err)
	settle := func(now time.Time) (n int) {
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) (err error) {
			n, err = r.LookupEnds.Settle(ctx, now)
			return err
		}))
		return n
	}
	kit.Same(t, "settled before its time", settle(e.SettleAt.Add(-time.Microsecond)), 0)
	kit.Same(t, "settled", settle(e.SettleAt), 1)
	kit.Same(t, "settled again", settle(e.SettleAt.Add(time.Hour)), 0)
	got, err := repos.Statement.Find(ctx, ports.AnyOrg, e.ID)
	kit.Must(t, err)
	want := []any{lookup.NoAnswer, true, catalog.Money(4500)}
	kit.Same(t, "outcome and charge", []any{got.Status, got.Charged, got.Amount}, want)
	next := call
	next.Entry.ID, next.Entry.KeyID = kit.ID(), kit.ID()
	kit.Same(t, "nobody asks after settling", kit.Begins(t, s, next), ports.Begun{})
	e.Status, e.RecordID = lookup.Done, kit.ID()
	open, err := repos.Calls.End(ctx, ports.Outcome{Entry: e, Price: 4500})
	kit.Must(t, err)
	kit.Same(t, "its owner may still speak", open, true)
	open, err = repos.Calls.End(ctx, ports.Outcome{Entry: e, Price: 4500})
	kit.Must(t, err)
	kit.Same(t, "once", open, false)

	// An erasure forgets whom an entry is about; the entry can still be settled as not sent, and its charge taken back.
	erased := ports.Charge{Entry: kit.Running(t, kit.ID()), Takes: 15 * time.Second,
		Caps: access.Limits{PerDay: 1, PerMonth: 1}}
	kit.Same(t, "begun", kit.Begins(t, s, erased), ports.Begun{})
	e, err = repos.Statement.Find(ctx, ports.AnyOrg, erased.Entry.ID)
	kit.Must(t, err)
	settle(e.SettleAt)
	his, _ := privacy.OfDocument(e.Document)
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		person := privacy.Person{OrgID: e.OrgID, Identities: []privacy.Identity{his}}
		_, err := r.SubjectTraces.Erase(ctx, &person, privacy.Lookups, []string{e.ID})
		return err
	}))
	e.Status, e.Charged, e.Amount = lookup.NotSent, false, 0
	open, err = repos.Calls.End(ctx, ports.Outcome{Entry: e, Price: 4500})
	kit.Must(t, err)
	kit.Same(t, "not sent, after an erasure", open, true)
	today, _, _, err := repos.Usage.Spent(ctx, e.OrgID, e.KeyID, e.Day, e.Month)
	kit.Must(t, err)
	kit.Same(t, "given back", today, lookup.Spent{})

	left := kit.Running(t, kit.ID())
	kit.Must(t, repos.Statement.Add(ctx, left))
	abandon := func(seen time.Duration) func(context.Context, string) (bool, error) {
		return func(ctx context.Context, id string) (bool, error) {
			return repos.LookupEnds.Abandon(ctx, id, left.SettleAt.Add(seen))
		}
	}
	for _, c := range []struct {
		what string
		do   func(context.Context, string) (bool, error)
		want bool
	}{
		{"abandoned though it was put off", abandon(-time.Microsecond), false},
		{"abandoned", abandon(0), true}, {"abandoned again", abandon(0), false},
		{"its owner may still speak", func(ctx context.Context, _ string) (bool, error) {
			left.Status = lookup.Done
			return repos.Calls.End(ctx, ports.Outcome{Entry: left, Price: left.Amount})
		}, true},
		{"abandoned when it is done", abandon(0), false},
	} {
		got, err := c.do(ctx, left.ID)
		kit.Must(t, err)
		kit.Same(t, c.what, got, c.want)
	}
}

func contactLookups(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	cpf := kit.Doc(t, document.CPF, "52998224725")
	rec := lookup.Record{
		ID: kit.ID(), OrgID: o.ID, Product: "cpf", Document: cpf, AnsweredAt: kit.At, Found: true, Fields: []byte("{}"),
		Raw: []byte("{}"),
	}
	kit.Must(t, repos.History.Save(ctx, rec))
	contact := kit.ID()
	entry := func(orgID, contactID, recordID string) lookup.Entry {
		e := lookup.Entry{
			ID: kit.ID(), OrgID: orgID, KeyID: kit.ID(), Product: "cpf", Document: cpf, At: kit.At, Status: lookup.Done,
			RecordID:  recordID,
			ContactID: contactID,
		}
		kit.Must(t, repos.Statement.Add(ctx, e))
		return e
	}
	first, second := entry(o.ID, contact, rec.ID), entry(o.ID, contact, "")
	entry(o.ID, kit.ID(), rec.ID)
	entry(o.ID, "", rec.ID)
	entry(other.ID, contact, "")
	got, err := repos.LookupContacts.OfContact(ctx, o.ID, contact, 10)
	kit.Must(t, err)
	kit.Same(t, "lookups of a contact, newest first", got, []ports.ContactLookup{
		{Entry: second}, {Entry: first, AnsweredAt: kit.At},
	})
	got, err = repos.LookupContacts.OfContact(ctx, o.ID, contact, 1)
	kit.Must(t, err)
	kit.Same(t, "bounded", len(got), 1)
	got, err = repos.LookupContacts.OfContact(ctx, o.ID, kit.ID(), 9)
	kit.Must(t, err)
	kit.Same(t, "of another contact", len(got), 0)

	free := entry(o.ID, "", "")
	kit.Must(t, repos.LookupContacts.Tie(ctx, free.OrgID, free.ID, contact))
	kit.Must(t, repos.LookupContacts.Tie(ctx, second.OrgID, second.ID, kit.ID()))
	free.ContactID = contact
	got, err = repos.LookupContacts.OfContact(ctx, o.ID, contact, 10)
	kit.Must(t, err)
	kit.Same(t, "tied and tied elsewhere", got, []ports.ContactLookup{{Entry: free}, {Entry: first, AnsweredAt: kit.At}})

	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	both := kit.Made(t, s, crm.Contact{OrgID: o.ID, Name: "Ana", Email: "ana@example.com", StageID: stage},
		crm.Contact{OrgID: o.ID, Name: "Ana", Email: "ana@example.com", StageID: stage})
	old, own := entry(o.ID, both[1].ID, ""), entry(o.ID, both[0].ID, "")
	newest := entry(o.ID, both[1].ID, rec.ID)
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.Removals.Remove(ctx, crm.Removal{
			Contact: both[1], IntoID: both[0].ID, Before: both[0], After: both[0], At: kit.At,
		})
	}))
	for limit, want := range map[int][]ports.ContactLookup{
		10: {{Entry: newest, AnsweredAt: kit.At}, {Entry: own}, {Entry: old}},
		2:  {{Entry: newest, AnsweredAt: kit.At}, {Entry: own}},
	} {
		got, err = repos.LookupContacts.OfContact(ctx, o.ID, both[0].ID, limit)
		kit.Must(t, err)
		kit.Same(t, "with those of a contact merged into it", got, want)
	}
}

func statementByAsker(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	key, other := kit.ID(), kit.ID()
	rec := kit.Kept(t, s, kit.ID(), kit.Doc(t, document.CPF, "52998224725"))

	var all []lookup.Entry // newest first
	for _, c := range []struct {
		key, day string
		charged  bool
	}{
		{key, "2026-11-19", true}, {key, "2026-11-20", true}, {other, "2026-11-20", true}, {key, "2026-11-20", true},
		{key, "2026-11-20", false},
	} {
		e := kit.Running(t, c.key)
		e.OrgID, e.Day, e.Status, e.SettleAt = rec.OrgID, c.day, lookup.Done, time.Time{}
		if !c.charged {
			e.Charged, e.Amount, e.Status = false, 0, lookup.NotSent
		}
		if len(all) == 0 {
			e.RecordID, e.ContactID = rec.ID, kit.ID()
		}
		kit.Must(t, repos.Statement.Add(ctx, e))
		all = append([]lookup.Entry{e}, all...)
	}
	first := all[len(all)-1]
	cached := kit.Free(t, "", rec)
	cached.MemberID, cached.ContactID = kit.ID(), first.ContactID
	_, err := repos.History.Serve(ctx, cached, time.Time{})
	kit.Must(t, err)
	cached.RecordID = rec.ID
	all = append([]lookup.Entry{cached}, all...)
	kit.Must(t, repos.Statement.Add(ctx, kit.Running(t, key))) // another organisation's

	everybody := lookup.Asker{OrgID: rec.OrgID}
	recent, err := repos.Statement.Page(ctx, everybody, lookup.Filter{}, "", 4)
	kit.Must(t, err)
	kit.Same(t, "recent entries", recent, all[:4])
	recent, err = repos.Statement.Page(ctx, everybody, lookup.Filter{}, all[3].ID, 10)
	kit.Must(t, err)
	kit.Same(t, "older entries", recent, all[4:])

	for who, want := range map[lookup.Asker]int{
		{OrgID: rec.OrgID, KeyID: key}: len(all) - 2, {OrgID: rec.OrgID, Members: true}: 1, {OrgID: kit.ID(), KeyID: key}: 0,
	} {
		entries, err := repos.Statement.Page(ctx, who, lookup.Filter{}, "", 10)
		kit.Must(t, err)
		kit.Same(t, "entries by who asked", len(entries), want)
	}

	byItself := kit.Running(t, "")
	byItself.AutomationID, byItself.Status, byItself.SettleAt = kit.ID(), lookup.Done, time.Time{}
	kit.Must(t, repos.Statement.Add(ctx, byItself))
	team := lookup.Asker{OrgID: byItself.OrgID, Members: true}
	entries, err := repos.Statement.Page(ctx, team, lookup.Filter{}, "", 10)
	kit.Must(t, err)
	kit.Same(t, "what an automation asked is the team's", entries, []lookup.Entry{byItself})
	cost, err := repos.Statement.Spend(ctx, team, byItself.Day, byItself.Day)
	kit.Must(t, err)
	kit.Same(t, "and so is what that cost", cost[0].Spent, lookup.Spent{Count: 1, Amount: byItself.Amount})

	asked, err := repos.Statement.Asked(ctx, rec.OrgID, []string{rec.ID, kit.ID()})
	kit.Must(t, err)
	kit.Same(t, "who asked for the records", asked, map[string]lookup.Entry{rec.ID: first})

	spend := func(by lookup.Asker, from string) []lookup.DaySpent {
		days, err := repos.Statement.Spend(ctx, by, from, "2026-11-20")
		kit.Must(t, err)
		return days
	}
	day := func(day string, n int) lookup.DaySpent {
		return lookup.DaySpent{Day: day, Product: "cpf", Spent: lookup.Spent{Count: n, Amount: first.Amount}}
	}
	two := day("2026-11-20", 2)
	two.Amount *= 2
	three := day("2026-11-20", 3)
	three.Amount *= 3
	byKey := lookup.Asker{OrgID: rec.OrgID, KeyID: key}
	kit.Same(t, "spend of a key", spend(byKey, "2026-11-01"), []lookup.DaySpent{day("2026-11-19", 1), two})
	kit.Same(t, "spend of all on a day", spend(everybody, "2026-11-20"), []lookup.DaySpent{three})
	members := lookup.Asker{OrgID: rec.OrgID, Members: true}
	kit.Same(t, "spend of members", spend(members, "2026-11-01"), []lookup.DaySpent{})
	kit.Same(t, "spend of another organisation", spend(lookup.Asker{OrgID: kit.ID(), KeyID: key}, ""), []lookup.DaySpent{})
	byMember := kit.Running(t, "")
	byMember.OrgID, byMember.MemberID = rec.OrgID, kit.ID()
	kit.Must(t, repos.Statement.Add(ctx, byMember))
	kit.Same(t, "spend of a member", spend(members, "2026-11-01"), []lookup.DaySpent{day("2026-11-20", 1)})
	byMember.Charged, byMember.Amount, byMember.Status = false, 0, lookup.NotSent
	_, err = repos.Calls.End(ctx, ports.Outcome{Entry: byMember, Price: 4500})
	kit.Must(t, err)
	kit.Same(t, "spend that was taken back", spend(members, "2026-11-01"), []lookup.DaySpent{})
}

func unanswered(t *testing.T, s ports.Store) {
	ctx, repos, orgID, key := t.Context(), s.Repos(), kit.ID(), kit.ID()
	var lost []lookup.Entry
	for _, status := range []lookup.Status{lookup.Failed, lookup.Done, lookup.NoAnswer, lookup.NotSent, lookup.Failed} {
		e := kit.Running(t, key)
		e.OrgID, e.Status, e.SettleAt = orgID, status, time.Time{}
		if len(lost) == 3 { // another entry stands for it
			e.FollowedID = lost[0].ID
		}
		kit.Must(t, repos.Statement.Add(ctx, e))
		if status != lookup.Done && e.FollowedID == "" {
			lost = append([]lookup.Entry{{ID: e.ID, KeyID: key, At: e.At}}, lost...)
		}
	}
	for among, want := range map[int]int{1: 0, 2: 1, 3: 2, 4: 2, 5: 3} {
		entries, err := repos.Statement.Unanswered(ctx, orgID, among)
		kit.Must(t, err)
		kit.Same(t, "without an answer", entries, lost[:want])
	}
}
