package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/ports"
)

// Dashboard tells what happened in an organisation, and what wants attention.
type Dashboard struct {
	store    ports.Store
	catalog  catalog.Catalog
	calendar access.Calendar
	clock    Clock
}

// NewDashboard returns the use case. The catalogue gives the prices by which what
// history saved is reckoned.
func NewDashboard(store ports.Store, c catalog.Catalog, calendar access.Calendar, clock Clock) *Dashboard {
	return &Dashboard{store: store, catalog: c, calendar: calendar, clock: clock}
}

// Day is one day of the dashboard, in the instance's time zone.
type Day struct {
	// Start is its first instant.
	Start time.Time
	// Contacts counts by webhook; "" is those made by hand.
	Contacts        map[string]int
	Charged, Cached int
	Spent           catalog.Money
	// Saved is what the answers from history would cost today.
	Saved catalog.Money
}

// Overview is the dashboard of a period.
type Overview struct {
	// Days are in order, the last one is today.
	Days []Day
	// Total sums all days up.
	Total    Day
	Webhooks map[string]string // names, by id
	// Origins are those that contacts came from in the period, the most first.
	Origins   []OriginCount
	Attention []Attention
	Newest    []ContactView
}

// OriginCount is how many contacts came from an origin; its name is empty for those
// without one.
type OriginCount struct {
	ID, Name string
	Count    int
}

// Attention is something that somebody should look at.
type Attention struct {
	// Kind is refused (a webhook's posts), dead (runs that were given up) or cap (a key
	// near its month's cap).
	Kind string
	// ID and Name are of the webhook or key; Count of posts, runs or percent.
	ID, Name string
	Count    int
}

// Look returns the dashboard of so many days up to today. Faults:
// NotFound, ServiceUnavailable.
func (d *Dashboard) Look(ctx context.Context, by Caller, days int) (Overview, error) {
	orgID, err := by.org()
	if err != nil {
		return Overview{}, err
	}
	now := d.clock()
	o := Overview{Webhooks: map[string]string{}, Total: Day{Contacts: map[string]int{}}}
	index := map[string]int{}
	for i := range days {
		at := d.calendar.DaysBefore(now, days-1-i)
		index[d.calendar.Day(at)] = i
		o.Days = append(o.Days, Day{Start: at.In(d.calendar.Location), Contacts: map[string]int{}})
	}
	start := o.Days[0].Start
	// dayOf finds the day of an hour.
	dayOf := func(hour time.Time) *Day {
		if i, ok := index[d.calendar.Day(hour)]; ok {
			return &o.Days[i]
		}
		return nil
	}
	r := d.store.Repos()
	contacts, err := r.Figures.Contacts(ctx, orgID, start)
	if err != nil {
		return o, err
	}
	from := map[string]int{}
	for _, f := range contacts {
		if day := dayOf(f.Hour); day != nil {
			day.Contacts[f.WebhookID] += f.Count
			o.Total.Contacts[f.WebhookID] += f.Count
			from[f.OriginID] += f.Count
		}
	}
	lookups, err := r.Figures.Lookups(ctx, orgID, start)
	if err != nil {
		return o, err
	}
	for _, f := range lookups {
		day := dayOf(f.Hour)
		if day == nil {
			continue
		}
		product, _ := d.catalog.Find(f.Product)
		saved := product.Price * catalog.Money(f.Cached)
		for _, sum := range []*Day{day, &o.Total} {
			sum.Charged, sum.Cached, sum.Spent, sum.Saved = sum.Charged+f.Charged, sum.Cached+f.Cached, sum.Spent+f.Amount, sum.Saved+saved
		}
	}
	page, err := r.Contacts.Page(ctx, orgID, "", 6)
	if err != nil {
		return o, err
	}
	n, err := loadNames(ctx, r, orgID)
	if err != nil {
		return o, err
	}
	o.Webhooks = n.webhooks
	for id, count := range from {
		o.Origins = append(o.Origins, OriginCount{id, n.origins[id], count})
	}
	slices.SortFunc(o.Origins, func(a, b OriginCount) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name)) })
	for _, c := range page {
		o.Newest = append(o.Newest, n.view(c))
	}
	if by.mayManage(orgID) {
		o.Attention, err = d.attention(ctx, r, orgID, n, now)
	}
	return o, err
}

// attention is what owners and administrators should look at.
func (d *Dashboard) attention(ctx context.Context, r ports.Repos, orgID string, n names, now time.Time) ([]Attention, error) {
	var out []Attention
	refused, err := r.Deliveries.Summaries(ctx, orgID, now.Add(-24*time.Hour))
	for id, sum := range refused {
		if sum.Refused > 0 {
			out = append(out, Attention{Kind: "refused", ID: id, Name: n.webhooks[id], Count: sum.Refused})
		}
	}
	slices.SortFunc(out, func(a, b Attention) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.ID, b.ID)) })
	dead, err2 := r.Jobs.Page(ctx, orgID, ports.JobFilter{State: automation.Dead}, "", 100)
	if len(dead) > 0 {
		out = append(out, Attention{Kind: "dead", Count: len(dead)})
	}
	keys, err3 := r.Keys.List(ctx, orgID)
	if err := errors.Join(err, err2, err3); err != nil {
		return nil, err
	}
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	month, err := r.Usage.SpentByKeys(ctx, ids, d.calendar.Month(now))
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if !k.UsableAt(now) || k.Limits.PerMonth == 0 {
			continue
		}
		if percent := month[k.ID].Count * 100 / k.Limits.PerMonth; percent >= 80 {
			out = append(out, Attention{Kind: "cap", ID: k.ID, Name: k.Name, Count: percent})
		}
	}
	return out, nil
}

// ContactCount is how many contacts a day brought.
func (d Day) ContactCount() (n int) {
	for _, one := range d.Contacts {
		n += one
	}
	return n
}
