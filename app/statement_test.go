package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

// asked writes an entry of the past, charged unless it came from history.
func (s *setting) asked(by app.Caller, at time.Time, product string, cache bool) lookup.Entry {
	s.t.Helper()
	e := lookup.Entry{
		ID: idOf(at), OrgID: s.orgID, MemberID: by.MemberID(), Product: product, At: at, Cache: cache,
		Status:   lookup.Done,
		Document: must(document.Parse(document.CPF, cpfs[0])), Charged: !cache,
	}
	if by.Key() != nil {
		e.KeyID = by.Key().ID
	}
	if e.Charged {
		e.Amount, e.Day, e.Month = price, calendar.Day(at), calendar.Month(at)
	}
	done(s.store.Repos().Statement.Add(s.t.Context(), e))
	return e
}

// idOf returns an id made at a time.
func idOf(at time.Time) string {
	ms := at.UnixMilli()
	return fmt.Sprintf("%08x-%04x%s", ms>>16, ms&0xffff, lookups.NewKeyID()[13:])
}

// TestWhoseStatementItIs: a key's own, and for those who manage the organisation the whole, by who asked.
func TestWhoseStatementItIs(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
	first, second := s.byKey(wide), s.byKey(wide)
	theirs := s.another()
	their := theirs.byKey(wide)
	for _, by := range []app.Caller{first, first, second, ana} {
		must(s.ask(by, lookups.Request{Document: cpfs[0], Refresh: true}))
	}
	must(s.ask(first, lookups.Request{Document: cpfs[0]}))
	must(theirs.ask(their, lookups.Request{Document: cpfs[0]}))
	for _, c := range []struct {
		what string
		by   app.Caller
		q    lookups.StatementQuery
		said string
		want string // lines, today's and all charges, whether it is a key's, number of names
	}{
		{"a key's own", first, lookups.StatementQuery{}, "", "3 2 2 true 0"},
		{"a key's own, whatever it asks for", first, lookups.StatementQuery{OfKey: second.Key().ID, By: lookups.ByMembers}, "",
			"3 2 2 true 0"},
		{"the organisation's", owner, lookups.StatementQuery{}, "", "5 4 0 false 4"},
		{"what members asked", owner, lookups.StatementQuery{By: lookups.ByMembers}, "", "1 4 0 false 4"},
		{"what a key asked", owner, lookups.StatementQuery{By: second.Key().ID}, "", "1 4 0 false 4"},
		{"what no key asked", owner, lookups.StatementQuery{By: "x"}, "requisicao_invalida quem", ""},
		{"what another's key asked", owner, lookups.StatementQuery{By: their.Key().ID}, "", "0 4 0 false 4"},
		{"of a key", owner, lookups.StatementQuery{OfKey: first.Key().ID}, "", "3 2 2 true 0"},
		{"of another's key", owner, lookups.StatementQuery{OfKey: their.Key().ID}, "nao_encontrado id", ""},
		{"to who does not manage, his own", ana, lookups.StatementQuery{}, "", "1 1 0 false 4"},
		{"another's, to who does not manage", ana, lookups.StatementQuery{By: second.Key().ID}, "", "1 1 0 false 4"},
		{"less than nothing", first, lookups.StatementQuery{Limit: -5}, "requisicao_invalida limite", ""},
		{"one's own", owner, lookups.StatementQuery{By: lookups.BySelf}, "", "0 4 0 false 4"},
		{"of a key, to who does not manage", ana, lookups.StatementQuery{OfKey: first.Key().ID}, "nao_permitido", ""},
		{"to the operator", app.Operator(), lookups.StatementQuery{}, "nao_encontrado org", ""},
		{"of a key, to the operator", app.Operator(), lookups.StatementQuery{OfKey: first.Key().ID}, "", "3 2 2 true 0"},
	} {
		page, err := s.statement.Page(t.Context(), c.by, c.q)
		equal(t, c.what, said(err), c.said)
		lines, err := s.statement.Lines(t.Context(), c.by, c.q)
		equal(t, c.what+", as a file", said(err), c.said)
		if err != nil {
			continue
		}
		equal(t, c.what, line(len(page.Entries), page.Today.Count, page.Ever.Count, page.Key.ID != "", len(page.Names)),
			c.want)
		n := 0
		for l, err := range lines.All {
			done(err)
			equal(t, c.what+": who asked is named", l.By != "", !lines.OfKey)
			n++
		}
		equal(t, c.what+", as a file", n, len(page.Entries))
	}
}

// TestStatementsAreFiltered: by days of the calendar, both inclusive, by product and by where the answer came from.
func TestStatementsAreFiltered(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	key := s.byKey(wide)
	// Eleven at night in Brasília is the next day in Greenwich.
	day := time.Date(2020, 3, 10, 23, 0, 0, 0, calendar.Location)
	for i := range 3 {
		s.asked(key, day.AddDate(0, 0, i), []string{"cpf", "cpf", "score"}[i], i == 1)
	}
	for _, c := range []struct {
		q    lookups.StatementQuery
		want string
		n    int
	}{
		{lookups.StatementQuery{}, "", 3},
		{lookups.StatementQuery{From: "2020-03-10"}, "", 3}, {lookups.StatementQuery{From: "2020-03-11"}, "", 2},
		{lookups.StatementQuery{Until: "2020-03-10"}, "", 1}, {lookups.StatementQuery{Until: "2020-03-09"}, "", 0},
		{lookups.StatementQuery{From: "2020-03-11", Until: "2020-03-11"}, "", 1},
		{lookups.StatementQuery{Product: "cpf"}, "", 2}, {lookups.StatementQuery{Product: "nada"}, "", 0},
		{lookups.StatementQuery{Cache: at(true)}, "", 1}, {lookups.StatementQuery{Cache: at(false), Product: "cpf"}, "", 1},
		{lookups.StatementQuery{From: "ontem"}, "requisicao_invalida de", 0},
		{lookups.StatementQuery{Until: "2020-02-30"}, "requisicao_invalida ate", 0},
		{lookups.StatementQuery{From: "2020-03-11", Until: "2020-03-10"}, "requisicao_invalida ate", 0},
		{lookups.StatementQuery{Cursor: "x"}, "requisicao_invalida cursor", 0},
		{lookups.StatementQuery{Product: "c\x00pf"}, "requisicao_invalida produto", 0},
		{lookups.StatementQuery{Purpose: "\xff"}, "requisicao_invalida finalidade", 0},
		{lookups.StatementQuery{Cursor: "bsOjbyDDqSB1bSBpZA"}, "requisicao_invalida cursor", 0},
	} {
		page, err := s.statement.Page(t.Context(), key, c.q)
		equal(t, line(c.q), line(said(err), len(page.Entries)), line(c.want, c.n))
	}
}

// TestStatementsHavePages: each entry once, newest first, while others come in.
func TestStatementsHavePages(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	key := s.byKey(wide)
	var want, got []string
	earlier := now().Add(-time.Minute)
	for i := range 7 { // a millisecond apart, because ids of one are in no order here
		at := earlier.Add(time.Duration(i) * time.Millisecond)
		want = append([]string{s.asked(key, at, "cpf", true).ID}, want...)
	}
	q := lookups.StatementQuery{Limit: 3}
	for {
		page := must(s.statement.Page(t.Context(), key, q))
		for _, e := range page.Entries {
			got = append(got, e.ID)
		}
		s.asked(key, now(), "cpf", true)
		if q.Cursor = page.Next; q.Cursor == "" {
			break
		}
	}
	equal(t, "lines", strings.Join(got, " "), strings.Join(want, " "))
	equal(t, "without a limit", len(must(s.statement.Page(t.Context(), key, lookups.StatementQuery{})).Entries), 10)
}

// TestWhatDaysCost: by day and product, within bounds.
func TestWhatDaysCost(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, key := s.add("dona", crm.Owner), s.byKey(wide)
	day, cached := time.Date(2020, 3, 10, 23, 0, 0, 0, calendar.Location), true
	for i, by := range []app.Caller{key, key, owner} {
		s.asked(by, day.AddDate(0, 0, i), []string{"cpf", "cpf", "score"}[i], false)
	}
	for _, c := range []struct {
		what        string
		by          app.Caller
		q           lookups.StatementQuery
		from, until string
		want        string
	}{
		{"all", owner, lookups.StatementQuery{}, "2020-03-10", "2020-03-12",
			"2020-03-10 cpf 1 0.45, 2020-03-11 cpf 1 0.45, 2020-03-12 score 1 0.45"},
		{"a day", owner, lookups.StatementQuery{}, "2020-03-11", "2020-03-11", "2020-03-11 cpf 1 0.45"},
		{"of members", owner, lookups.StatementQuery{By: lookups.ByMembers}, "2020-03-10", "2020-03-12", "2020-03-12 score 1 0.45"},
		{"of a key", owner, lookups.StatementQuery{OfKey: key.Key().ID}, "2020-03-11", "2020-03-12", "2020-03-11 cpf 1 0.45"},
		{"no first day", owner, lookups.StatementQuery{}, "", "2020-03-12", "requisicao_invalida de"},
		{"no last day", owner, lookups.StatementQuery{}, "2020-03-12", "", "requisicao_invalida ate"},
		{"back in time", owner, lookups.StatementQuery{}, "2020-03-12", "2020-03-11", "requisicao_invalida ate"},
		{"of a product", owner, lookups.StatementQuery{Product: "score"}, "2020-03-10", "2020-03-12", "2020-03-12 score 1 0.45"},
		{"of a purpose that none had", owner, lookups.StatementQuery{Purpose: "credito"}, "2020-03-10", "2020-03-12", ""},
		{"of the history", owner, lookups.StatementQuery{Cache: &cached}, "2020-03-10", "2020-03-12", ""},
		{"of no product", owner, lookups.StatementQuery{Product: "?"}, "2020-03-10", "2020-03-12",
			"requisicao_invalida produto"},
		{"of a purpose, more than 62 days", owner, lookups.StatementQuery{Purpose: "credito"}, "2020-01-01", "2020-03-12",
			"requisicao_invalida de"},
		{"more than 400 days", owner, lookups.StatementQuery{}, "2019-01-01", "2020-03-12", "requisicao_invalida de"},
	} {
		days, err := s.statement.Spend(t.Context(), c.by, c.q, c.from, c.until)
		got := []string{said(err)}
		if err == nil {
			got = nil
		}
		for _, d := range days {
			got = append(got, line(d.Day, d.Product, d.Count, d.Amount))
		}
		equal(t, c.what, strings.Join(got, ", "), c.want)
	}
}

// TestKeysAndWhatTheyUsed: those no longer usable last, with what is left of their caps.
func TestKeysAndWhatTheyUsed(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	over := s.byKey(wide)
	parked := s.byKey(access.Limits{PerMinute: 9, PerDay: 1, PerMonth: 9})
	exhausted := s.byKey(access.Limits{PerMinute: 9, PerDay: 9, PerMonth: 1})
	free := s.byKey(wide)
	history := s.byKey(access.Limits{PerMinute: 9, PerDay: 0, PerMonth: 9})
	for _, by := range []app.Caller{over, parked, exhausted} {
		must(s.ask(by, lookups.Request{Product: catalog.CPF, Document: cpfs[0], Refresh: true}))
	}
	done(s.keys.Revoke(t.Context(), owner, over.Key().ID))
	var got []string
	for _, u := range must(s.statement.Keys(t.Context(), owner, s.orgID)) {
		name := map[string]string{
			over.Key().ID: "over", parked.Key().ID: "parked", exhausted.Key().ID: "exhausted", free.Key().ID: "free",
			history.Key().ID: "history",
		}[u.ID]
		got = append(got, line(name, u.Today.Count, u.Month.Count, u.Parked(), u.Exhausted(), u.HistoryOnly()))
	}
	equal(t, "keys", strings.Join(got, ", "),
		"parked 1 1 true false false, exhausted 1 1 false true false, free 0 0 false false false, "+
			"history 0 0 false false true, over 1 1 false false false")
}

// TestTheForecastOfAMonthThatEndsWithoutAMidnight: the last day of a month may begin at one o'clock, as that of March
// 2030 in the Azores; it counts all the same, so that the forecast is not below what was spent.
func TestTheForecastOfAMonthThatEndsWithoutAMidnight(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	zone := must(time.LoadLocation("Atlantic/Azores"))
	s.asked(owner, time.Date(2030, time.March, 5, 12, 0, 0, 0, time.UTC), "cpf", false)
	now := func() time.Time { return time.Date(2030, time.March, 31, 23, 59, 0, 0, zone) }
	statement := lookups.NewStatement(s.store, access.Calendar{Location: zone}, now)
	page := must(statement.Page(t.Context(), owner, lookups.StatementQuery{}))
	if page.Forecast < price || page.Forecast > price+price/100 {
		t.Errorf("a minute before the month ends, its forecast is %s, and %s is spent", page.Forecast, page.Month.Amount)
	}
}
