package lookups

import (
	"context"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
)

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
	spent, err := s.store.Repos().Usage.SpentByKeys(ctx, []string{by.MemberID()}, month)
	return &Budget{Limit: *by.Budget(), Spent: spent[by.MemberID()].Amount}, err
}

// SpentByAccounts returns what members or automations were charged in this month, by their ids. The caller must manage
// the organisation; that the ids belong to it is not checked. Faults: NotFound, Forbidden, ServiceUnavailable.
func (s *Statement) SpentByAccounts(ctx context.Context, by app.Caller, ids []string) (map[string]lookup.Spent, error) {
	if _, err := by.ManagedOrg(); err != nil {
		return nil, err
	}
	return s.store.Repos().Usage.SpentByKeys(ctx, ids, s.calendar.Month(s.clock()))
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
