package app

import (
	"context"
	"errors"
	"time"

	"fichario/domain/access"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Show returns a key of an organisation that the caller manages. Faults:
// InvalidRequest, ServiceUnavailable.
func (k *Keys) Show(ctx context.Context, by Caller, id string) (access.Key, error) {
	return k.existing(ctx, by, id)
}

// RotateOnce is Rotate for a form that may be sent twice: the key gets a new secret
// only if its newest one still has that prefix; otherwise rotated is false.
func (k *Keys) RotateOnce(ctx context.Context, by Caller, id, prefix string, overlap time.Duration) (key access.Key, secret access.Secret, rotated bool, err error) {
	key, secret, err = k.rotate(ctx, by, id, prefix, overlap)
	if errors.Is(err, ports.ErrNotFound) {
		key, err = k.existing(ctx, by, id)
		return key, secret, false, err
	}
	return key, secret, err == nil, err
}

// NewKeyID returns an id for a key to be made by a form, so that a form that is sent
// twice makes one key.
func NewKeyID() string { return newID() }

// KeyUse is a key with what it was charged.
type KeyUse struct {
	access.Key
	Today, Month lookup.Spent
	// Usable is false for a key that is revoked or has expired.
	Usable bool
}

// Parked reports whether the key gets answers from history only until the next day.
func (u KeyUse) Parked() bool { return u.Usable && u.Today.Count >= u.Limits.PerDay }

// Exhausted reports whether it does until the next month.
func (u KeyUse) Exhausted() bool { return u.Usable && u.Month.Count >= u.Limits.PerMonth }

// Keys returns the keys of the caller's organisation with what they were charged,
// oldest first, those that are over last. Faults: InvalidRequest, ServiceUnavailable.
func (s *Statement) Keys(ctx context.Context, by Caller) ([]KeyUse, error) {
	if err := mayManage(ctx, s.store, by, by.OrgID); err != nil {
		return nil, err
	}
	repos, now := s.store.Repos(), s.clock()
	all, err := repos.Keys.List(ctx, by.OrgID)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(all))
	for i, k := range all {
		ids[i] = k.ID
	}
	today, err := repos.Usage.SpentByKeys(ctx, ids, s.calendar.Day(now))
	if err != nil {
		return nil, err
	}
	month, err := repos.Usage.SpentByKeys(ctx, ids, s.calendar.Month(now))
	if err != nil {
		return nil, err
	}
	var usable, over []KeyUse
	for _, k := range all {
		if u := (KeyUse{Key: k, Today: today[k.ID], Month: month[k.ID], Usable: k.UsableAt(now)}); u.Usable {
			usable = append(usable, u)
		} else {
			over = append(over, u)
		}
	}
	return append(usable, over...), nil
}

// spendMax is the longest period that Spend adds up, in days.
const spendMax = 400

// Spend returns what was charged on each day of a period, by product, oldest day
// first; both days are inclusive, as 2006-01-02. Whose lookups they are is as in a
// StatementQuery. Faults: InvalidRequest, ServiceUnavailable.
func (s *Statement) Spend(ctx context.Context, caller Caller, by, from, until string) ([]lookup.DaySpent, error) {
	first, err := time.Parse(time.DateOnly, from)
	if err != nil {
		return nil, invalid("de", "O período começa em uma data, como 2026-11-01.")
	}
	last, err := time.Parse(time.DateOnly, until)
	if err != nil || last.Before(first) {
		return nil, invalid("ate", "O período termina em uma data que não é anterior à primeira.")
	}
	if last.Sub(first) > spendMax*24*time.Hour {
		return nil, fault.New(fault.InvalidRequest, "O período vai até 400 dias.").At("de")
	}
	who, err := s.asker(ctx, caller, by)
	if err != nil {
		return nil, err
	}
	return s.store.Repos().Statement.Spend(ctx, who, from, until)
}
