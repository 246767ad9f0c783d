package lookups

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/fault"
	"fichario/ports"
)

const (
	// refusalDays is for how many days refusals of keys are shown, refusalsKept for how many they are kept.
	refusalDays, refusalsKept = 30, 90
)

// refusalReasons are the codes of answers that say that a key may not do something, or no more of it.
var refusalReasons = []fault.Code{
	fault.Unauthenticated, fault.AddressRefused, fault.MissingScope, fault.BureauRefused, fault.MissingPurpose,
	fault.PurposeRefused, fault.MinuteLimit, fault.DailyLimit, fault.MonthlyLimit,
}

// refusals counts refusals in memory, so that a key that is refused in a loop costs one row a day and reason.
type refusals struct {
	mu     sync.Mutex
	counts map[refusal]int
	// forgot is the day for which old ones were forgotten.
	forgot string
}

type refusal struct {
	keyID string
	code  fault.Code
}

func (r *refusals) add(of refusal, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[refusal]int{}
	}
	r.counts[of] += n
}

// Refused counts that a key was refused, if err says so, and returns err.
func (k *Keys) Refused(key *access.Key, err error) error {
	if err == nil {
		return nil
	}
	if code := fault.CodeOf(err); slices.Contains(refusalReasons, code) {
		k.refusals.add(refusal{key.ID, code}, 1)
	}
	return err
}

// SaveRefusals writes what was counted since the last time, as of today, and forgets what is too old. It is a chore; a
// kill loses what it has not written.
func (k *Keys) SaveRefusals(ctx context.Context, calendar access.Calendar) error {
	r, repos, now := &k.refusals, k.store.Repos(), k.clock()
	today := calendar.Day(now)
	r.mu.Lock()
	counts := r.counts
	r.counts = nil
	r.mu.Unlock()
	var all []ports.KeyRefusals
	for of, n := range counts {
		all = append(all, ports.KeyRefusals{KeyID: of.keyID, Day: today, Reason: string(of.code), Count: n})
	}
	slices.SortFunc(all, func(a, b ports.KeyRefusals) int { // so that no two instances deadlock
		return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Reason, b.Reason))
	})
	if len(all) > 0 {
		if err := repos.Keys.AddRefusals(ctx, all); err != nil {
			for of, n := range counts {
				r.add(of, n)
			}
			return err
		}
	}
	if r.forgot == today {
		return nil
	}
	err := repos.Keys.ForgetRefusals(ctx, calendar.Day(calendar.DaysBefore(now, refusalsKept)))
	if err == nil {
		r.forgot = today
	}
	return err
}

// Refused returns how often a key was refused within refusalDays days, by reason, the most frequent first. Faults:
// NotFound, Forbidden, ServiceUnavailable.
func (s *Statement) Refused(ctx context.Context, by app.Caller, key access.Key) ([]ports.KeyRefusals, error) {
	if err := app.MayManageOrg(ctx, s.store.Repos(), by, key.OrgID); err != nil {
		return nil, err
	}
	return s.store.Repos().Keys.Refusals(ctx, []string{key.ID}, s.refusedFrom(s.clock()))
}

func (s *Statement) refusedFrom(now time.Time) string {
	return s.calendar.Day(s.calendar.DaysBefore(now, refusalDays-1))
}
