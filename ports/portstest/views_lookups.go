package portstest

import (
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// lookupViews holds what the interface shows of lookups to both databases.
func lookupViews(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	key, other := id(), id()
	person := doc(t, document.CPF, "52998224725")
	rec := kept(t, s, id(), person)
	older := rec
	older.ID, older.AnsweredAt, older.Found = id(), at.Add(-time.Hour), false
	must(t, repos.History.Save(ctx, older))

	var all []lookup.Entry // newest first
	for _, c := range []struct {
		key, day string
		charged  bool
	}{{key, "2026-11-19", true}, {key, "2026-11-20", true}, {other, "2026-11-20", true}, {key, "2026-11-20", true}, {key, "2026-11-20", false}} {
		e := running(t, c.key)
		e.OrgID, e.Day, e.Status, e.SettleAt = rec.OrgID, c.day, lookup.Done, time.Time{}
		if !c.charged {
			e.Charged, e.Amount, e.Status = false, 0, lookup.NotSent
		}
		if len(all) == 0 {
			e.RecordID, e.ContactID = rec.ID, id()
		}
		must(t, repos.Statement.Add(ctx, e))
		all = append([]lookup.Entry{e}, all...)
	}
	first := all[len(all)-1]
	cached := free(t, "", rec)
	cached.MemberID, cached.ContactID = id(), first.ContactID
	_, err := repos.History.Serve(ctx, cached, time.Time{})
	must(t, err)
	cached.RecordID = rec.ID
	all = append([]lookup.Entry{cached}, all...)
	must(t, repos.Statement.Add(ctx, running(t, key))) // another organisation's

	everybody := lookup.Asker{OrgID: rec.OrgID}
	recent, err := repos.Statement.Page(ctx, everybody, lookup.Filter{}, "", 4)
	must(t, err)
	same(t, "recent entries", recent, all[:4])
	recent, err = repos.Statement.Page(ctx, everybody, lookup.Filter{}, all[3].ID, 10)
	must(t, err)
	same(t, "older entries", recent, all[4:])

	for who, want := range map[lookup.Asker]int{
		{OrgID: rec.OrgID, KeyID: key}: len(all) - 2, {OrgID: rec.OrgID, Members: true}: 1, {OrgID: id(), KeyID: key}: 0,
	} {
		entries, err := repos.Statement.Page(ctx, who, lookup.Filter{}, "", 10)
		must(t, err)
		same(t, "entries by who asked", len(entries), want)
	}

	asked, err := repos.Statement.Asked(ctx, []string{rec.ID, older.ID})
	must(t, err)
	same(t, "who asked for the records", asked, map[string]lookup.Entry{rec.ID: first})

	spend := func(by lookup.Asker, from string) []lookup.DaySpent {
		days, err := repos.Statement.Spend(ctx, by, from, "2026-11-20")
		must(t, err)
		return days
	}
	day := func(day string, n int) lookup.DaySpent {
		return lookup.DaySpent{Day: day, Product: "cpf", Spent: lookup.Spent{Count: n, Amount: first.Amount}}
	}
	two := day("2026-11-20", 2)
	two.Amount *= 2
	three := day("2026-11-20", 3)
	three.Amount *= 3
	same(t, "spend of a key", spend(lookup.Asker{OrgID: rec.OrgID, KeyID: key}, "2026-11-01"), []lookup.DaySpent{day("2026-11-19", 1), two})
	same(t, "spend of all on a day", spend(everybody, "2026-11-20"), []lookup.DaySpent{three})

	records, err := repos.History.Records(ctx, []string{rec.ID, older.ID, id()})
	must(t, err)
	same(t, "records", records, map[string]lookup.Record{rec.ID: rec, older.ID: older})
	answers, err := repos.History.Answers(ctx, rec.OrgID, rec.Product, person, 5)
	must(t, err)
	bare := []lookup.Record{rec, older}
	for i := range bare {
		bare[i].Fields, bare[i].Raw = nil, nil
	}
	same(t, "answers", answers, bare)

	must(t, charge(ctx, s, key, "2026-11-20", "2026-11", 4500, access.Limits{PerMinute: 5, PerDay: 5, PerMonth: 5}))
	spent, err := repos.Usage.SpentByKeys(ctx, []string{key, other}, "2026-11")
	must(t, err)
	same(t, "spent by keys", spent, map[string]lookup.Spent{key: {Count: 1, Amount: 4500}})
}
