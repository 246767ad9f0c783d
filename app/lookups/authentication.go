package lookups

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/netip"
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
