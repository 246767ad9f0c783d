package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/ports"
)

// keyTTL is how long an instance trusts what it read about a key: a revocation is
// seen everywhere within this time.
const keyTTL = time.Second

// Keys issues, authenticates and ends API keys, and keeps their per-minute limit.
type Keys struct {
	store ports.Store
	clock Clock
	start time.Time

	known   sync.Map // of [sha256.Size]byte to knownKey
	windows sync.Map // of key id to *access.Window
	used    sync.Map // of key id to time.Time: uses not yet written down
}

type knownKey struct {
	key  access.Key
	read time.Duration // monotonic
}

// NewKeys returns the use case.
func NewKeys(store ports.Store, clock Clock) *Keys {
	return &Keys{store: store, clock: clock, start: time.Now()}
}

// Authenticate returns the caller that a secret stands for. It reads the database
// at most once a second for each key. Faults: Unauthenticated, ServiceUnavailable.
func (k *Keys) Authenticate(ctx context.Context, text string) (Caller, error) {
	secret, ok := access.ParseSecret(text)
	if !ok {
		return Caller{}, unauthenticated("Esta não é uma chave do Fichário: ela começa com fic_ e tem 50 caracteres.")
	}
	now, hash := k.clock(), secret.Hash()
	key, err := k.find(ctx, secret, hash, now)
	switch {
	case errors.Is(err, ports.ErrNotFound):
		return Caller{}, unauthenticated("Esta chave não existe ou foi substituída.")
	case err != nil:
		return Caller{}, err
	case !key.UsableAt(now):
		return Caller{}, unauthenticated("Esta chave foi revogada ou expirou.")
	}
	return Caller{OrgID: key.OrgID, Key: key}, nil
}

func unauthenticated(message string) error {
	return fault.New(fault.Unauthenticated, message+" Envie uma chave válida em Authorization: Bearer.")
}

func (k *Keys) find(ctx context.Context, s access.Secret, hash [sha256.Size]byte, now time.Time) (*access.Key, error) {
	elapsed := time.Since(k.start)
	if v, ok := k.known.Load(hash); ok {
		if known := v.(*knownKey); elapsed-known.read < keyTTL { //nolint:forcetypeassert // only these are stored
			return &known.key, nil
		}
	}
	key, err := k.store.Repos().Keys.BySecret(ctx, s, now)
	if err != nil {
		k.known.Delete(hash)
		return nil, err
	}
	k.known.Store(hash, &knownKey{key: key, read: elapsed})
	if key.UsableAt(now) {
		k.used.Store(key.ID, now) // to the second, which is how often a busy key gets here
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
	return w.(*access.Window).Allow(time.Since(k.start), key.Limits.PerMinute) //nolint:forcetypeassert // only these are stored
}

// MinuteUse is how many requests of a key this instance counted within the last sixty
// seconds.
func (k *Keys) MinuteUse(id string) int {
	w, ok := k.windows.Load(id)
	if !ok {
		return 0
	}
	return w.(*access.Window).Used(time.Since(k.start)) //nolint:forcetypeassert // only these are stored
}

// MinuteLimit is the fault of a request that Allow refused.
func MinuteLimit(s access.State) error {
	f := fault.New(fault.MinuteLimit, "O limite de requisições por minuto desta chave foi atingido. Espere o tempo de Retry-After.").After(s.Reset)
	f.Limit = s.Limit
	return f
}

// SaveUse writes down when keys were last used. Run calls it regularly.
func (k *Keys) SaveUse(ctx context.Context) error {
	uses := map[string]time.Time{}
	k.used.Range(func(id, at any) bool {
		uses[id.(string)] = at.(time.Time) //nolint:forcetypeassert // only these are stored
		k.used.Delete(id)
		return true
	})
	if len(uses) == 0 {
		return nil
	}
	return k.store.Repos().Keys.Touch(ctx, uses)
}

// NewKey describes a key to be made.
type NewKey struct {
	// ID is the key's; empty for a new one. A key with it that exists is a fault.
	ID     string
	OrgID  string
	Name   string
	Scopes []document.Type
	Limits access.Limits
	// ExpiresAt is when the key ends; zero for never.
	ExpiresAt time.Time
}

// Create makes a key; the secret is returned once and stored as a hash only.
// Faults: InvalidRequest with the field at fault, ServiceUnavailable.
func (k *Keys) Create(ctx context.Context, by Caller, n NewKey) (access.Key, access.Secret, error) {
	now := k.clock()
	name, ok := crm.CleanName(n.Name)
	switch {
	case !ok:
		return access.Key{}, access.Secret{}, invalid("name", fmt.Sprintf("O nome da chave tem de 1 a %d caracteres.", crm.NameMax))
	case len(n.Scopes) == 0:
		return access.Key{}, access.Secret{}, invalid("scopes", "A chave precisa de ao menos um escopo: cpf, cnpj, placa ou email.")
	case n.Limits.PerMinute < 1:
		return access.Key{}, access.Secret{}, invalid("per-minute", "O limite por minuto é de ao menos 1.")
	case n.Limits.PerDay < 0 || n.Limits.PerMonth < 0:
		return access.Key{}, access.Secret{}, invalid("per-day", "Os limites por dia e por mês não são negativos.")
	case !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now):
		return access.Key{}, access.Secret{}, invalid("expires", "A chave já estaria expirada.")
	}
	scopes := []document.Type{}
	for _, t := range document.Types() {
		if slices.Contains(n.Scopes, t) {
			scopes = append(scopes, t)
		}
	}
	for _, s := range n.Scopes {
		if !s.Valid() {
			return access.Key{}, access.Secret{}, invalid("scopes", "Escopo desconhecido; os escopos são cpf, cnpj, placa e email.")
		}
	}
	if err := mayManage(ctx, k.store, by, n.OrgID); err != nil {
		return access.Key{}, access.Secret{}, err
	}
	id := cmp.Or(n.ID, newID())
	if !validID(id) {
		return access.Key{}, access.Secret{}, invalid("id", "O id da chave não é válido.")
	}
	secret := access.NewSecret()
	key := access.Key{
		ID: id, OrgID: n.OrgID, Name: name, Prefix: secret.Prefix(), Scopes: scopes, Limits: n.Limits,
		CreatedAt: now, ExpiresAt: n.ExpiresAt,
	}
	err := k.store.InTx(ctx, func(repos ports.Repos) error {
		if err := repos.Keys.Create(ctx, key); err != nil {
			return err
		}
		return repos.Keys.AddSecret(ctx, key.ID, "", secret, now)
	})
	if errors.Is(err, ports.ErrExists) {
		return access.Key{}, access.Secret{}, invalid("id", "Esta chave já foi criada.").Because(ErrTwice)
	}
	return key, secret, err
}

// ErrTwice is behind the fault of a key that was made already.
var ErrTwice = errors.New("it was made already")

// List returns the keys of an organisation, oldest first.
func (k *Keys) List(ctx context.Context, by Caller, orgID string) ([]access.Key, error) {
	if err := mayManage(ctx, k.store, by, orgID); err != nil {
		return nil, err
	}
	return k.store.Repos().Keys.List(ctx, orgID)
}

// Revoke ends a key for good, on every instance within a second. Fault:
// InvalidRequest when there is no such key.
func (k *Keys) Revoke(ctx context.Context, by Caller, id string) error {
	if _, err := k.existing(ctx, by, id); err != nil {
		return err
	}
	return k.store.Repos().Keys.Revoke(ctx, id, k.clock())
}

// Rotate gives a key a new secret. The key stays the same one: its statement, its
// limits and what is used of them go on. The old secret ends after the overlap, at
// once when that is zero. Fault: InvalidRequest when there is no such key, or when
// it is revoked.
func (k *Keys) Rotate(ctx context.Context, by Caller, id string, overlap time.Duration) (access.Key, access.Secret, error) {
	return k.rotate(ctx, by, id, "", overlap)
}

// rotate is Rotate for a key whose newest secret has the prefix was, where that is not
// empty; ports.ErrNotFound when it has another.
func (k *Keys) rotate(ctx context.Context, by Caller, id, was string, overlap time.Duration) (access.Key, access.Secret, error) {
	key, err := k.existing(ctx, by, id)
	if err != nil {
		return key, access.Secret{}, err
	}
	if overlap < 0 || overlap > 30*24*time.Hour {
		return key, access.Secret{}, invalid("overlap", "A sobreposição vai de 0 a 720h.")
	}
	now := k.clock()
	if !key.UsableAt(now) {
		return key, access.Secret{}, invalid("id", "Esta chave foi revogada ou expirou; crie outra.")
	}
	secret := access.NewSecret()
	key.Prefix = secret.Prefix()
	err = k.store.InTx(ctx, func(repos ports.Repos) error {
		return repos.Keys.AddSecret(ctx, key.ID, was, secret, now.Add(overlap))
	})
	return key, secret, err
}

// existing returns a key that a caller may manage.
func (k *Keys) existing(ctx context.Context, by Caller, id string) (access.Key, error) {
	notFound := missing("id", "Não há chave com este id.")
	if !validID(id) {
		return access.Key{}, notFound
	}
	key, err := k.store.Repos().Keys.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !by.sees(key.OrgID) {
		return access.Key{}, notFound
	}
	if err == nil {
		err = by.manages(key.OrgID)
	}
	return key, err
}
