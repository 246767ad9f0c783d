package lookups

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"iter"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Statement shows what was looked up and what it cost: to a key its own (specification, 4.4), to a member their own, to
// those who manage an organisation everything, by keys and members.
type Statement struct {
	store    ports.Store
	calendar access.Calendar
	clock    app.Clock
}

// NewStatement returns the use case.
func NewStatement(store ports.Store, calendar access.Calendar, clock app.Clock) *Statement {
	return &Statement{store: store, calendar: calendar, clock: clock}
}

// StatementQuery selects entries of a statement. Zero values select all.
type StatementQuery struct {
	// Limit is the size of a page, at most 200; zero for 50.
	Limit int
	// Cursor is StatementPage.Next of the previous page.
	Cursor string
	// From and Until are days of the instance's calendar, both inclusive, as 2006-01-02.
	From, Until string
	Product     string
	// Purpose is a code.
	Purpose string
	Cache   *bool
	// By selects lookups of an organisation's statement: the id of a key, ByMembers or BySelf. A caller who does not
	// manage the organisation always gets their own.
	By string
	// OfKey is the key whose own statement a caller who manages it wants.
	OfKey string
}

// ByMembers selects lookups made without a key, by members and by automations, which act for the organisation as they
// do; BySelf selects the caller's own.
const (
	ByMembers = "equipe"
	BySelf    = "minhas"
)

const (
	pageDefault = 50
	pageMax     = 200
	// linesAtOnce is how many lines of a whole statement are read at once.
	linesAtOnce = 2000
)

// StatementPage is one page of a statement.
type StatementPage struct {
	// Key is the key that the statement belongs to; its zero value for an organisation's.
	Key access.Key
	// Ever is set for keys only.
	Today, Month, Ever lookup.Spent
	// Forecast is what the month will cost at the pace of its days so far; zero on its first day.
	Forecast catalog.Money
	Entries  []lookup.Entry
	// Names maps the ids of the organisation's keys and members to their names; not for a key.
	Names map[string]string
	// Next is the cursor of the next page; empty at the end.
	Next string
}

// Page returns one page, newest first. The filter changes neither Today nor Month nor
// Ever. Faults: InvalidRequest with the field at fault, NotFound, Forbidden,
// ServiceUnavailable.
func (s *Statement) Page(ctx context.Context, caller app.Caller, q StatementQuery) (_ StatementPage, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "statement.page")
	defer func() { ports.EndSpan(span, err) }()
	of, err := s.owner(ctx, caller, q)
	if err != nil {
		return StatementPage{}, err
	}
	chosen, err := s.parse(q)
	if err != nil {
		return StatementPage{}, err
	}
	page, err := s.spending(ctx, caller, of)
	if err != nil {
		return page, err
	}
	page.Entries, err = s.store.Repos().Statement.Page(ctx, of.asker, chosen.filter, chosen.after, chosen.limit+1)
	if err != nil {
		return page, err
	}
	if len(page.Entries) > chosen.limit {
		page.Entries = page.Entries[:chosen.limit]
		page.Next = base64.RawURLEncoding.EncodeToString([]byte(page.Entries[chosen.limit-1].ID))
	}
	return page, nil
}

// Figures is a Page without its entries, for a caller who polls what was spent. Faults: those of Page.
func (s *Statement) Figures(ctx context.Context, caller app.Caller, q StatementQuery) (StatementPage, error) {
	of, err := s.owner(ctx, caller, q)
	if err != nil {
		return StatementPage{}, err
	}
	return s.spending(ctx, caller, of)
}

// StatementLine is a line of a statement with the name of whoever asked; empty in a key's.
type StatementLine struct {
	lookup.Entry
	By string
}

// StatementLines are all lines of a statement.
type StatementLines struct {
	// OfKey is whether they belong to one key.
	OfKey bool
	// Zone is the time zone of the days.
	Zone *time.Location
	// All yields them newest first, or an error at which they end. They are read as they are consumed.
	All iter.Seq2[StatementLine, error]
}

// Lines returns every line that a query selects, ignoring its limit and cursor, and records the request in the audit.
// Faults: those of Page.
func (s *Statement) Lines(ctx context.Context, caller app.Caller, q StatementQuery) (StatementLines, error) {
	of, err := s.owner(ctx, caller, q)
	if err != nil {
		return StatementLines{}, err
	}
	chosen, err := s.parse(q)
	if err != nil {
		return StatementLines{}, err
	}
	names := map[string]string{}
	if of.key == nil {
		if names, err = app.People(ctx, s.store.Repos(), of.asker.OrgID); err != nil {
			return StatementLines{}, err
		}
	}
	line := audit.Line{OrgID: of.asker.OrgID, Action: audit.StatementDownloaded, Object: of.asker.KeyID}
	if err := app.Looked(ctx, s.store, caller, line); err != nil {
		return StatementLines{}, err
	}
	lines := StatementLines{OfKey: of.key != nil, Zone: s.calendar.Location}
	chosen.filter.Brief = true
	entries := app.ReadAhead(ctx, linesAtOnce, func(ctx context.Context, last *lookup.Entry) ([]lookup.Entry, error) {
		after := ""
		if last != nil {
			after = last.ID
		}
		return s.store.Repos().Statement.Page(ctx, of.asker, chosen.filter, after, linesAtOnce)
	})
	lines.All = func(yield func(StatementLine, error) bool) {
		for e, err := range entries {
			if !yield(StatementLine{e, names[e.AskedBy()]}, err) {
				return
			}
		}
	}
	return lines, nil
}

// statementOwner is the owner of a statement: a key or, without one, an organisation.
type statementOwner struct {
	asker lookup.Asker
	key   *access.Key
}

// owner determines the statement that a caller may see. Faults: InvalidRequest, NotFound, Forbidden,
// ServiceUnavailable.
func (s *Statement) owner(ctx context.Context, caller app.Caller, q StatementQuery) (statementOwner, error) {
	key := caller.Key()
	if q.OfKey != "" && key == nil {
		found, err := app.KeyKind.Managed(ctx, s.store.Repos(), caller, q.OfKey)
		if err != nil {
			return statementOwner{}, err
		}
		key = &found
	}
	if key != nil {
		return statementOwner{lookup.Asker{OrgID: key.OrgID, KeyID: key.ID}, key}, nil
	}
	orgID, err := caller.Org()
	if err != nil {
		return statementOwner{}, err
	}
	who := lookup.Asker{OrgID: orgID}
	switch {
	case !caller.Manages(orgID), q.By == BySelf:
		who.MemberID = caller.MemberID()
	case q.By == ByMembers:
		who.Members = true
	case q.By != "" && !app.ValidID(q.By):
		err = app.Invalid("quem", "Não há chave com este id.")
	default:
		who.KeyID = q.By
	}
	return statementOwner{asker: who}, err
}

// spending returns a page without its entries.
func (s *Statement) spending(
	ctx context.Context, caller app.Caller, of statementOwner) (page StatementPage, err error,
) {
	now := s.clock()
	day, month := s.calendar.Day(now), s.calendar.Month(now)
	if of.key != nil {
		page.Key = *of.key
		page.Today, page.Month, page.Ever, err = s.store.Repos().Usage.Spent(ctx, of.key.OrgID, of.key.ID, day, month)
		page.Forecast = s.forecast(page.Month.Amount, now)
		return page, err
	}
	asker := lookup.Asker{OrgID: of.asker.OrgID} // all of it, whatever the filter
	if !caller.Manages(asker.OrgID) {
		asker.MemberID = caller.MemberID()
	}
	days, err := s.store.Repos().Statement.Spend(ctx, asker, month+"-01", day)
	if err != nil {
		return page, err
	}
	page.add(days, day)
	page.Forecast = s.forecast(page.Month.Amount, now)
	page.Names, err = app.People(ctx, s.store.Repos(), asker.OrgID)
	return page, err
}

// add sums up the days of the month.
func (p *StatementPage) add(days []lookup.DaySpent, today string) {
	for _, d := range days {
		p.Month.Add(d.Spent)
		if d.Day == today {
			p.Today.Add(d.Spent)
		}
	}
}

// Selected returns Today, Month and Forecast of what a query selects, whatever days it names. Faults: those of Page.
func (s *Statement) Selected(ctx context.Context, caller app.Caller, q StatementQuery) (page StatementPage, err error) {
	now := s.clock()
	day, month := s.calendar.Day(now), s.calendar.Month(now)
	days, err := s.Spend(ctx, caller, q, month+"-01", day)
	page.add(days, day)
	page.Forecast = s.forecast(page.Month.Amount, now)
	return page, err
}

// forecast is what the month of now will cost.
func (s *Statement) forecast(spent catalog.Money, now time.Time) catalog.Money {
	year, month, day := now.In(s.calendar.Location).Date()
	days := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day() // in UTC each of them has a midnight
	begin, end := s.calendar.DaysBefore(now, day-1), s.calendar.DaysBefore(now, day-1-days)
	return lookup.Forecast(spent, begin, now, end)
}

// spendMax is the longest period that Spend adds up, in days.
const spendMax = 400

// partsMax is the longest period that is added up from the charges themselves, in days.
const partsMax = 62

// Spend returns what was charged on each day of a period, by product, oldest day first; both days are inclusive, as
// 2006-01-02. By, OfKey, Product, Purpose and Cache of the query select whose lookups, and which. Faults:
// InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (s *Statement) Spend(
	ctx context.Context, caller app.Caller, q StatementQuery, from, until string,
) (out []lookup.DaySpent, err error) {
	if q.Purpose == "" {
		of, err := s.spender(ctx, caller, q, from, until, spendMax)
		if err != nil || of.nothing {
			return nil, err
		}
		out, err = s.store.Repos().Statement.Spend(ctx, of.asker, from, until)
		return slices.DeleteFunc(out, func(d lookup.DaySpent) bool { return q.Product != "" && d.Product != q.Product }), err
	}
	sums, err := s.SpendBy(ctx, caller, q, from, until, [2]lookup.Part{lookup.ByDay, lookup.ByProduct})
	for _, sum := range sums {
		out = append(out, lookup.DaySpent{Day: sum.Of[0], Product: sum.Of[1], Spent: sum.Spent})
	}
	slices.SortFunc(out, func(a, b lookup.DaySpent) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Product, b.Product))
	})
	return out, err
}

// SpendBy returns what was charged in a period of at most 62 days, by two parts, the second of which may be empty, in
// no order. The days and the query are those of Spend. Faults: those of Spend.
func (s *Statement) SpendBy(
	ctx context.Context, caller app.Caller, q StatementQuery, from, until string, parts [2]lookup.Part,
) ([]lookup.PartSpent, error) {
	of, err := s.spender(ctx, caller, q, from, until, partsMax)
	if err != nil || of.nothing {
		return nil, err
	}
	return s.store.Repos().Statement.SpendBy(ctx, of.asker, of.filter, from, until, parts)
}

// spender is whose charges are added up, and which; nothing where the query wants what is never charged.
type spender struct {
	asker   lookup.Asker
	filter  lookup.Filter
	nothing bool
}

// spender reads what Spend and SpendBy are asked for.
func (s *Statement) spender(
	ctx context.Context, caller app.Caller, q StatementQuery, from, until string, most int,
) (spender, error) {
	first, err := time.Parse(time.DateOnly, from)
	if err != nil {
		return spender{}, app.Invalid("de", "O início do período deve ser uma data, como 2026-11-01.")
	}
	last, err := time.Parse(time.DateOnly, until)
	if err != nil || last.Before(first) {
		return spender{}, app.Invalid("ate", "O fim do período deve ser uma data que não seja anterior à primeira.")
	}
	if last.Sub(first) > time.Duration(most)*24*time.Hour {
		return spender{}, app.Invalid("de", fmt.Sprintf("O período pode ter até %d dias.", most))
	}
	chosen, err := s.parse(StatementQuery{Product: q.Product, Purpose: q.Purpose})
	if err != nil {
		return spender{}, err
	}
	of, err := s.owner(ctx, caller, q)
	return spender{of.asker, chosen.filter, q.Cache != nil && *q.Cache}, err
}

// Budget is what a member's lookups may cost in the month, and what they did cost.
type Budget struct{ Limit, Spent catalog.Money }

// Left is what the member may still spend.
func (b Budget) Left() catalog.Money { return max(0, b.Limit-b.Spent) }

// Budget returns the caller's own; nil for a caller without one. Faults: NotFound, ServiceUnavailable.
func (s *Statement) Budget(ctx context.Context, by app.Caller) (*Budget, error) {
	if _, err := by.Org(); err != nil || by.Budget() == nil {
		return nil, err
	}
	month := s.calendar.Month(s.clock())
	spent, err := s.store.Repos().Usage.SpentByKeys(ctx, by.OrgID(), []string{by.MemberID()}, month)
	return &Budget{Limit: *by.Budget(), Spent: spent[month][by.MemberID()].Amount}, err
}

// SpentByAccounts returns what members or automations were charged in this month, by their ids. The caller must manage
// the organisation; that the ids belong to it is not checked. Faults: NotFound, Forbidden, ServiceUnavailable.
func (s *Statement) SpentByAccounts(ctx context.Context, by app.Caller, ids []string) (map[string]lookup.Spent, error) {
	if _, err := by.ManagedOrg(); err != nil {
		return nil, err
	}
	month := s.calendar.Month(s.clock())
	spent, err := s.store.Repos().Usage.SpentByKeys(ctx, by.OrgID(), ids, month)
	return spent[month], err
}

// SpentToday returns what the caller's organisation was charged today, by keys and members. Faults: NotFound,
// ServiceUnavailable.
func (s *Statement) SpentToday(ctx context.Context, by app.Caller) (lookup.Spent, error) {
	orgID, err := by.Org()
	if err != nil {
		return lookup.Spent{}, err
	}
	today := s.calendar.Day(s.clock())
	days, err := s.store.Repos().Statement.Spend(ctx, lookup.Asker{OrgID: orgID}, today, today)
	var sum lookup.Spent
	for _, d := range days {
		sum.Add(d.Spent)
	}
	return sum, err
}
