package lookups

import (
	"context"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/lookup"
	"fichario/ports"
)

// KeyUse is a key with what it was charged.
type KeyUse struct {
	access.Key
	Today, Month lookup.Spent
	// Refused is how often it was refused within the last 30 days, by reason, the most frequent first.
	Refused []ports.KeyRefusals
	// Usable is false for a key that is revoked or has expired.
	Usable bool
}

// HistoryOnly reports whether the key only ever gets answers from history: one of its caps is zero.
func (u KeyUse) HistoryOnly() bool { return u.Usable && min(u.Limits.PerDay, u.Limits.PerMonth) == 0 }

// Parked reports whether the key only gets answers from history until the next day.
func (u KeyUse) Parked() bool {
	return u.Usable && !u.HistoryOnly() && u.Today.Count >= u.Limits.PerDay
}

// Exhausted reports whether the key only gets answers from history until the next month.
func (u KeyUse) Exhausted() bool {
	return u.Usable && !u.HistoryOnly() && u.Month.Count >= u.Limits.PerMonth
}

// Keys returns the keys of an organisation with what they were charged, oldest first, those no longer usable last.
// Faults: NotFound, Forbidden, ServiceUnavailable.
func (s *Statement) Keys(ctx context.Context, by app.Caller, orgID string) ([]KeyUse, error) {
	repos, now := s.store.Repos(), s.clock()
	if err := app.MayManageOrg(ctx, repos, by, orgID); err != nil {
		return nil, err
	}
	all, err := repos.Keys.List(ctx, orgID)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(all))
	for i, k := range all {
		ids[i] = k.ID
	}
	today, month := s.calendar.Day(now), s.calendar.Month(now)
	spent, err := repos.Usage.SpentByKeys(ctx, orgID, ids, today, month)
	if err != nil {
		return nil, err
	}
	refused, err := repos.Keys.Refusals(ctx, ids, s.refusedFrom(now))
	if err != nil {
		return nil, err
	}
	why := map[string][]ports.KeyRefusals{}
	for _, r := range refused {
		why[r.KeyID] = append(why[r.KeyID], r)
	}
	var usable, over []KeyUse
	for _, k := range all {
		u := KeyUse{Key: k, Today: spent[today][k.ID], Month: spent[month][k.ID], Refused: why[k.ID], Usable: k.UsableAt(now)}
		if u.Usable {
			usable = append(usable, u)
		} else {
			over = append(over, u)
		}
	}
	return append(usable, over...), nil
}

// ChargedDays returns how many lookups some of an organisation's keys were charged on each of some days, by the ids of
// the keys. The days are those of the calendar. Faults: NotFound, Forbidden, ServiceUnavailable.
func (s *Statement) ChargedDays(
	ctx context.Context, by app.Caller, orgID string, keys []KeyUse, days []string,
) (map[string][]int, error) {
	if err := app.MayManageOrg(ctx, s.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	out, ids := map[string][]int{}, []string(nil)
	for _, k := range keys {
		if k.OrgID != orgID {
			return nil, app.KeyKind.NotFound()
		}
		ids, out[k.ID] = append(ids, k.ID), make([]int, len(days))
	}
	spent, err := s.store.Repos().Usage.SpentByKeys(ctx, orgID, ids, days...)
	for i, day := range days {
		for id, of := range spent[day] {
			out[id][i] = of.Count
		}
	}
	return out, err
}

// failuresAmong is among how many of an organisation's newest lookups LastFailures looks for those without an answer:
// the list of keys waits for it.
const failuresAmong = 50

// LastFailures returns the newest lookup of each key that the bureau did not answer, among the organisation's newest
// lookups, by the ids of the keys, each with its ID and At. Faults: NotFound, Forbidden, ServiceUnavailable.
func (s *Statement) LastFailures(ctx context.Context, by app.Caller, orgID string) (map[string]lookup.Entry, error) {
	if err := app.MayManageOrg(ctx, s.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	newest, err := s.store.Repos().Statement.Unanswered(ctx, orgID, failuresAmong)
	out := map[string]lookup.Entry{}
	for _, e := range newest {
		if _, known := out[e.KeyID]; !known {
			out[e.KeyID] = e
		}
	}
	delete(out, "") // those of members
	return out, err
}
