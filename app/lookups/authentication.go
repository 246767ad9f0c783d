package lookups

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/fault"
	"fichario/ports"
)

// keyTTL is how long an instance trusts what it read about a key: a revocation, or a rotation without overlap, takes
// effect everywhere within this time, which is about as long as the command itself runs.
const keyTTL = 100 * time.Millisecond

type knownKey struct {
	key  access.Key
	read time.Duration // monotonic
}

// Authenticate returns the caller that a secret stands for, used from an address. It reads the database at most ten
// times a second for each existing key, and strangersMost times a minute for unknown keys from one network. Faults:
// Unauthenticated, AddressRefused, MinuteLimit, ServiceUnavailable.
func (k *Keys) Authenticate(ctx context.Context, text string, from netip.Addr) (app.Caller, error) {
	secret, ok := access.ParseSecret(text)
	if !ok {
		return app.Caller{}, app.Unauthenticated("Esta não é uma chave do Fichário: ela começa com fic_ e tem 50 caracteres.")
	}
	now, hash := k.clock(), secret.Hash()
	key, err := k.find(ctx, secret, hash, now, from)
	switch {
	case errors.Is(err, ports.ErrNotFound):
		return app.Caller{}, app.Unauthenticated("Esta chave não existe ou foi substituída.")
	case err != nil:
		return app.Caller{}, err
	case !key.UsableAt(now):
		return app.Caller{}, k.Refused(key, app.Unauthenticated("Esta chave foi revogada ou expirou."))
	case !key.UsableFrom(from):
		return app.Caller{}, k.Refused(key, fault.New(fault.AddressRefused,
			"Esta chave só pode ser usada de redes registradas, e o pedido veio de outra. Nada foi consultado nem cobrado; quem administra a organização vê as redes em Chaves de API."))
	}
	return app.ByKey(key), nil
}

func (k *Keys) find(
	ctx context.Context, s access.Secret, hash [sha256.Size]byte, now time.Time, from netip.Addr,
) (*access.Key, error) {
	elapsed := ports.Since(k.start)
	if v, ok := k.known.Load(hash); ok {
		if cached := v.(*knownKey); elapsed-cached.read < keyTTL { //nolint:forcetypeassert // nothing else is stored
			return &cached.key, nil
		}
	} else if wait := k.strangers.wait(from, elapsed); wait > 0 {
		return nil, fault.New(fault.MinuteLimit,
			"Esta rede enviou chaves desconhecidas demais. Confira a chave e espere o tempo de Retry-After.").After(wait)
	}
	key, err := k.store.Repos().Keys.BySecret(ctx, s, now)
	if errors.Is(err, ports.ErrNotFound) {
		k.known.Delete(hash)
		k.strangers.count(from, elapsed)
	}
	if err != nil {
		return nil, err
	}
	k.known.Store(hash, &knownKey{key: key, read: elapsed})
	if key.UsableAt(now) {
		k.used.Store(key.ID, now) // to a tenth of a second, which is how often a busy key gets here
	}
	return &key, nil
}

// Allow counts a request of the key against its per-minute limit on this instance
// (specification, 8.1).
func (k *Keys) Allow(key *access.Key) access.State {
	w, ok := k.windows.Load(key.ID)
	if !ok {
		w, _ = k.windows.LoadOrStore(key.ID, &access.Window{})
	}
	window := w.(*access.Window) //nolint:forcetypeassert // nothing else is stored
	return window.Allow(ports.Since(k.start), key.Limits.PerMinute)
}

// MinuteUse returns how many requests of a key this instance counted within the last sixty seconds.
func (k *Keys) MinuteUse(id string) int {
	w, ok := k.windows.Load(id)
	if !ok {
		return 0
	}
	window := w.(*access.Window) //nolint:forcetypeassert // nothing else is stored
	return window.Used(ports.Since(k.start))
}

// MinuteLimit returns the fault of a request that Allow refused.
func MinuteLimit(s access.State) error {
	f := fault.New(fault.MinuteLimit,
		"O limite de requisições por minuto desta chave foi atingido. Espere o tempo de Retry-After.").After(s.Reset)
	f.Limit = s.Limit
	return f
}

// SaveUse stores when keys were last used. It is a chore.
func (k *Keys) SaveUse(ctx context.Context) error {
	uses := map[string]time.Time{}
	k.used.Range(func(id, at any) bool {
		uses[id.(string)] = at.(time.Time) //nolint:forcetypeassert // nothing else is stored
		return true
	})
	if len(uses) == 0 {
		return nil
	}
	if err := k.store.Repos().Keys.Touch(ctx, uses); err != nil {
		return err
	}
	for id, at := range uses {
		k.used.CompareAndDelete(id, at) // keeps a use that came meanwhile
	}
	return nil
}

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
