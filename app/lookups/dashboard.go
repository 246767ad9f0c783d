package lookups

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
)

// Dashboard shows what happened in an organisation, and what needs attention.
type Dashboard struct {
	store    ports.Store
	catalog  catalog.Catalog
	calendar access.Calendar
	clock    app.Clock
}

// NewDashboard returns the use case. The savings from history are computed with the prices of the catalogue.
func NewDashboard(store ports.Store, c catalog.Catalog, calendar access.Calendar, clock app.Clock) *Dashboard {
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
	// Saved is what the answers from history would have cost at today's prices.
	Saved catalog.Money
}

// Overview is the dashboard of a period.
type Overview struct {
	// Days are in order, ending today.
	Days []Day
	// Total is the sum of all days.
	Total    Day
	Webhooks map[string]string // names, by id
	// Origins are those of the period's contacts, the most frequent first.
	Origins   []OriginCount
	Attention []Attention
	Newest    []crm.ContactView
	// Accrued holds the present month and the one before.
	Accrued [2]Accrued
	// Open totals the contacts in stages without a decided outcome, of all Funnels.
	Open    ports.StageTotal
	Funnels int
	// Funnel are the stages of the default funnel, in order, with what is in them now, those of the lost apart.
	Funnel []StageCount
	// Answers counts the first answers to contacts by how long these had waited.
	Answers crm.AnsweredWithin
	// Conversion is how far the contacts of the most frequent origins have come in the default funnel.
	Conversion []OriginConversion
	// Steps are the first steps of a new organisation, for those who manage it.
	Steps Steps
}

// OriginConversion is how far the contacts of an origin have come that came in the period, the newest of them if there
// are more than cohort.
type OriginConversion struct {
	// OriginCount has how many of them are in the default funnel.
	OriginCount
	// Reached counts those that have come to each stage of Overview.Funnel, in its order; to a stage of the lost, those in
	// it.
	Reached []int
}

// Percent is how many have come to a stage, given by its place in the funnel, in per cent.
func (c OriginConversion) Percent(stage int) int { return Share(c.Reached[stage], c.Count) }

// originsCompared is how many origins are compared, by at most cohort contacts of each.
const originsCompared, cohort = 6, 500

// OriginCount is how many contacts came from an origin; its name is empty for contacts without one.
type OriginCount struct {
	ID, Name string
	Count    int
}

// StageCount is what is in a stage now. Reached counts the contacts in it and in those after it: what has come this
// far, without the lost, of whom the stage that they were lost in is not kept.
type StageCount struct {
	Stage crm.Stage
	ports.StageTotal
	Reached int
}

// Percent is how many of the contacts of the funnel have come this far, in per cent.
func (o Overview) Percent(s StageCount) int { return Share(s.Reached, o.Funnel[0].Reached) }

// Share is a part of a whole in per cent, rounded as people do who check it; 0 of nothing.
func Share(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return (200*part + whole) / (2 * whole)
}

// Attention is something that somebody should look into.
type Attention struct {
	// Kind is source (a page whose leads cannot be fetched, or not for long), refused (a webhook's posts), dead (runs that
	// were given up) or cap (a key near its monthly cap).
	Kind string
	// ID is that of the webhook or key, Name its name, or the page's; Count is of posts, runs or percent.
	ID, Name string
	Count    int
	// Who is the contact, automation or person of the latest case, and At its time; zero values where not known.
	Who string
	At  time.Time
	// Why is the reason of the latest case.
	Why string
}

// newestShown is how many of the newest contacts the dashboard shows.
const newestShown = 6

// Look returns the dashboard of that many days up to today. Faults: NotFound, ServiceUnavailable.
func (d *Dashboard) Look(ctx context.Context, by app.Caller, days int) (Overview, error) {
	orgID, err := by.Org()
	if err != nil {
		return Overview{}, err
	}
	r, now := d.store.Repos(), d.clock()
	n, err := r.Names.All(ctx, orgID, app.ContactKinds...)
	if err != nil {
		return Overview{}, err
	}
	o, bounds := d.emptyDays(now, days)
	o.Webhooks = n.Of(crm.NamedWebhook)
	if err := o.countContacts(ctx, r, orgID, n, bounds); err != nil {
		return o, err
	}
	if err := d.countLookups(ctx, r, orgID, &o, bounds); err != nil {
		return o, err
	}
	newest, err := r.Contacts.Page(ctx, orgID, "", newestShown)
	if err != nil {
		return o, err
	}
	for _, contact := range newest {
		o.Newest = append(o.Newest, n.View(contact))
	}
	if err := d.accrue(ctx, r, orgID, &o, now); err != nil {
		return o, err
	}
	err = errors.Join(o.countOpen(ctx, r, orgID, n), o.convert(ctx, r, orgID), o.countAnswers(ctx, r, orgID))
	if err != nil || !by.Manages(orgID) {
		return o, err
	}
	if err := o.steps(ctx, r, orgID, n); err != nil {
		return o, err
	}
	o.Attention, err = d.attention(ctx, r, orgID, n, now)
	return o, err
}

// emptyDays returns an overview without figures, with the beginnings of its days and the end of the last one.
func (d *Dashboard) emptyDays(now time.Time, days int) (o Overview, bounds []time.Time) {
	o = Overview{Total: Day{Contacts: map[string]int{}}, Days: make([]Day, days)}
	for i := range o.Days {
		o.Days[i] = Day{Start: d.calendar.DaysBefore(now, days-1-i).In(d.calendar.Location), Contacts: map[string]int{}}
		bounds = append(bounds, o.Days[i].Start)
	}
	return o, append(bounds, d.calendar.DaysBefore(now, -1))
}

func (o *Overview) countContacts(
	ctx context.Context, r ports.Repos, orgID string, n crm.Names, bounds []time.Time,
) error {
	figures, err := r.Figures.Contacts(ctx, orgID, bounds)
	if err != nil {
		return err
	}
	from := map[string]int{}
	for _, f := range figures {
		o.Days[f.Day].Contacts[f.WebhookID] += f.Count
		o.Total.Contacts[f.WebhookID] += f.Count
		from[f.OriginID] += f.Count
	}
	for id, count := range from {
		o.Origins = append(o.Origins, OriginCount{id, n.Name(crm.NamedOrigin, id), count})
	}
	slices.SortFunc(o.Origins, func(a, b OriginCount) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Name, b.Name))
	})
	return nil
}

func (d *Dashboard) countLookups(
	ctx context.Context, r ports.Repos, orgID string, o *Overview, bounds []time.Time,
) error {
	figures, err := r.Figures.Lookups(ctx, orgID, bounds)
	if err != nil {
		return err
	}
	for _, f := range figures {
		product, _ := d.catalog.Find(f.Product)
		for _, sum := range []*Day{&o.Days[f.Day], &o.Total} {
			sum.Charged, sum.Cached, sum.Spent = sum.Charged+f.Charged, sum.Cached+f.Cached, sum.Spent+f.Amount
			sum.Saved += product.Price * catalog.Money(f.Cached)
		}
	}
	return nil
}

// sourceAttention returns the pages whose leads cannot be fetched, or not for long.
func sourceAttention(ctx context.Context, r ports.Repos, orgID string, now time.Time) (out []Attention, err error) {
	sources, err := r.LeadSources.List(ctx, orgID, "")
	for _, s := range sources {
		a := Attention{Kind: "source", ID: s.WebhookID, Name: s.Name, Why: s.Reason}
		switch ends := s.ExpiresAt; {
		case s.State != webhook.SourceOpen:
			out = append(out, a)
		case !ends.IsZero() && ends.Sub(now) <= webhook.TokenWarning:
			a.Why = "o token vence em menos de três dias"
			out = append(out, a)
		}
	}
	return out, err
}

// refusedAttention returns the webhooks with refused posts of the last 24 hours of which nobody has made a contact, the
// most first.
func refusedAttention(
	ctx context.Context, r ports.Repos, orgID string, n crm.Names, now time.Time,
) (out []Attention, err error) {
	since := now.Add(-24 * time.Hour)
	received, err := r.Deliveries.Summaries(ctx, orgID, since)
	if err != nil {
		return nil, err
	}
	open, err := app.Unsettled(ctx, r, orgID, since, received)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	last, err := r.Deliveries.Latest(ctx, orgID, slices.Collect(maps.Keys(open)), webhook.Refused, since, now)
	for id, count := range open {
		out = append(out, Attention{
			Kind: "refused", ID: id, Name: n.Name(crm.NamedWebhook, id), Count: count, At: last[id].At, Why: last[id].Reason,
		})
	}
	slices.SortFunc(out, func(a, b Attention) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.ID, b.ID)) })
	return out, err
}

// attention returns what owners and administrators should look into.
func (d *Dashboard) attention(
	ctx context.Context, r ports.Repos, orgID string, n crm.Names, now time.Time,
) ([]Attention, error) {
	out, err := sourceAttention(ctx, r, orgID, now)
	if err != nil {
		return nil, err
	}
	refused, err := refusedAttention(ctx, r, orgID, n, now)
	if err != nil {
		return nil, err
	}
	out = append(out, refused...)
	off, err4 := app.DisabledOf(ctx, r, orgID)
	dead,
		err2 := r.JobRuns.Page(ctx, orgID, automation.JobFilter{State: automation.Dead, Without: off}, "", app.FailedAtOnce)
	if len(dead) > 0 {
		a := Attention{Kind: "dead", Count: len(dead), At: dead[0].EndedAt, Why: dead[0].Result}
		rule, err := r.Automations.Find(ctx, orgID, dead[0].AutomationID)
		if a.Who = rule.Name; err != nil && !errors.Is(err, ports.ErrNotFound) {
			return nil, err
		}
		out = append(out, a)
	}
	keys, err3 := r.Keys.List(ctx, orgID)
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return nil, err
	}
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = k.ID
	}
	month := d.calendar.Month(now)
	spent, err := r.Usage.SpentByKeys(ctx, orgID, ids, month)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if !k.UsableAt(now) || k.Limits.PerMonth == 0 {
			continue
		}
		if percent := spent[month][k.ID].Count * 100 / k.Limits.PerMonth; percent >= 80 {
			out = append(out, Attention{Kind: "cap", ID: k.ID, Name: k.Name, Count: percent, At: k.LastUsedAt})
		}
	}
	return out, nil
}

// ContactCount is how many contacts came on the day.
func (d Day) ContactCount() (n int) {
	for _, count := range d.Contacts {
		n += count
	}
	return n
}

// Accrued is the total spent up to the end of each day of a month, from the first day; for the present month up to
// today.
type Accrued struct {
	// Start is the first day, at midnight in UTC whatever the time zone of the instance.
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
	// As bare dates: in the zone itself a day may have no midnight, and the one before it would be counted twice.
	year, month, day := now.In(d.calendar.Location).Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	first := today.AddDate(0, 0, 1-day)
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
	if err != nil {
		return err
	}
	funnels, err := r.Funnels.List(ctx, orgID)
	o.Funnels = len(funnels)
	if err != nil || len(funnels) == 0 {
		return err
	}
	var lost []StageCount
	for _, stage := range funnels[0].Stages {
		line := StageCount{Stage: stage, StageTotal: totals[stage.ID]}
		if stage.Outcome == crm.Lost {
			lost = append(lost, line)
			continue
		}
		o.Funnel = append(o.Funnel, line)
	}
	for i := len(o.Funnel) - 1; i >= 0; i-- {
		if o.Funnel[i].Reached = o.Funnel[i].Count; i+1 < len(o.Funnel) {
			o.Funnel[i].Reached += o.Funnel[i+1].Reached
		}
	}
	o.Funnel = append(o.Funnel, lost...)
	return nil
}

// convert adds how far contacts of the most frequent origins have come, once origins and funnel are known.
func (o *Overview) convert(ctx context.Context, r ports.Repos, orgID string) error {
	var ids []string
	for _, origin := range o.Origins {
		if origin.Name != "" && len(ids) < originsCompared {
			ids = append(ids, origin.ID)
			o.Conversion = append(o.Conversion, OriginConversion{origin, make([]int, len(o.Funnel))})
		}
	}
	found, err := r.Figures.Stages(ctx, orgID, ids, o.Days[0].Start, cohort)
	for i := range o.Conversion {
		c := &o.Conversion[i]
		c.Count = 0
		for _, f := range found {
			at := slices.IndexFunc(o.Funnel, func(s StageCount) bool { return s.Stage.ID == f.StageID })
			if f.OriginID != c.ID || at < 0 {
				continue
			}
			c.Count += f.Count
			c.Reached[at] += f.Count
			for before := range at {
				if o.Funnel[at].Stage.Outcome != crm.Lost {
					c.Reached[before] += f.Count
				}
			}
		}
	}
	o.Conversion = slices.DeleteFunc(o.Conversion, func(c OriginConversion) bool { return c.Count == 0 })
	return err
}

// countAnswers adds how long the contacts had waited that were first answered in the period.
func (o *Overview) countAnswers(ctx context.Context, r ports.Repos, orgID string) error {
	answers, err := r.ContactAnswers.FirstAnswers(ctx, orgID, o.Days[0].Start)
	for _, a := range answers {
		for i, n := range a.Within {
			o.Answers[i] += n
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
