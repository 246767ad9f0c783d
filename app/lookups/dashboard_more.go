package lookups

import (
	"context"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Accrued is the total spent up to the end of each day of a month, from the first day; for the present month up to
// today.
type Accrued struct {
	// Start is the first day.
	Start time.Time
	Days  int // in the whole month
	Spent []catalog.Money
}

// Steps are the first steps of an organisation; true for those done.
type Steps struct{ Webhook, Team, Lookup, Key bool }

// Done reports whether all steps are done; without lookups, all that then remain.
func (s Steps) Done(lookups bool) bool {
	return s.Webhook && s.Team && (!lookups || s.Lookup && s.Key)
}

// accrue adds the present month and the one before, by day.
func (d *Dashboard) accrue(ctx context.Context, r ports.Repos, orgID string, o *Overview, now time.Time) error {
	today := now.In(d.calendar.Location)
	first := time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, today.Location())
	before := first.AddDate(0, -1, 0)
	spent, err := r.Statement.Spend(ctx, lookup.Asker{OrgID: orgID}, before.Format(time.DateOnly),
		today.Format(time.DateOnly))
	if err != nil {
		return err
	}
	byDay := map[string]catalog.Money{}
	for _, s := range spent {
		byDay[s.Day] += s.Amount
	}
	for i, start := range []time.Time{first, before} {
		a, sum := &o.Accrued[i], catalog.Money(0)
		a.Start, a.Days = start, start.AddDate(0, 1, -1).Day()
		for day := start; day.Month() == start.Month() && !day.After(today); day = day.AddDate(0, 0, 1) {
			sum += byDay[day.Format(time.DateOnly)]
			a.Spent = append(a.Spent, sum)
		}
	}
	return nil
}

// countOpen adds the number and value of contacts in open stages.
func (o *Overview) countOpen(ctx context.Context, r ports.Repos, orgID string, n crm.Names) error {
	totals, err := r.ContactSearch.Totals(ctx, orgID, ports.ContactFilter{}, app.CountMax)
	for id, total := range totals {
		if n.Stage(id).Outcome == crm.Open {
			o.Open.Count, o.Open.Amount = o.Open.Count+total.Count, o.Open.Amount+total.Amount
		}
	}
	return err
}

// steps finds out which first steps the organisation has done.
func (o *Overview) steps(ctx context.Context, r ports.Repos, orgID string, n crm.Names) error {
	keys, err := r.Keys.List(ctx, orgID)
	if err != nil {
		return err
	}
	asked, err := r.Statement.Page(ctx, lookup.Asker{OrgID: orgID}, lookup.Filter{}, "", 1)
	o.Steps = Steps{
		Webhook: len(o.Webhooks) > 0, Team: len(n.Of(crm.NamedMember)) > 1, Lookup: len(asked) > 0, Key: len(keys) > 0,
	}
	return err
}
