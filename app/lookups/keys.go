package lookups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fichario/app"
	"fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/ports"
)

// Keys issues, authenticates and revokes API keys, and enforces their per-minute limit.
type Keys struct {
	store ports.Store
	clock app.Clock
	start time.Time

	known   sync.Map // of [sha256.Size]byte to knownKey
	windows sync.Map // of key id to *access.Window
	used    sync.Map // of key id to time.Time: uses not yet stored

	strangers strangers
	refusals  refusals
}

// NewKeys returns the use case.
func NewKeys(store ports.Store, clock app.Clock) *Keys {
	return &Keys{store: store, clock: clock, start: ports.Now()}
}

// NewKey describes a key to be made.
type NewKey struct {
	// ID is the key's id; empty for a new one. An existing id is a fault.
	ID    string
	OrgID string
	Name  string
	// Scopes are document types, and access.BureauScope.
	Scopes []document.Type
	Limits access.Limits
	// Purposes are the codes of the purposes that it may state; empty for all.
	Purposes []string
	// From are addresses and ranges that it may be used from; empty for all.
	From []string
	// Contacts lets agents search the organisation's contacts with it.
	Contacts bool
	// ExpiresAt is when the key ends; zero for never.
	ExpiresAt time.Time
}

// Create makes a key; the secret is returned once and stored as a hash only.
// Faults: InvalidRequest with the field at fault, NotFound, Forbidden,
// ServiceUnavailable.
func (k *Keys) Create(ctx context.Context, by app.Caller, n NewKey) (access.Key, access.Secret, error) {
	key, err := n.describe(k.clock())
	if err != nil {
		return access.Key{}, access.Secret{}, err
	}
	if err := app.MayManageOrg(ctx, k.store.Repos(), by, n.OrgID); err != nil {
		return access.Key{}, access.Secret{}, err
	}
	if err := privacy.CheckPurposes(ctx, k.store.Repos(), n.OrgID, n.Purposes); err != nil {
		return access.Key{}, access.Secret{}, err
	}
	secret := access.NewSecret()
	key.Prefix = secret.Prefix()
	line := audit.Line{OrgID: key.OrgID, Action: audit.KeyCreated, Object: key.ID, Detail: keyDetail(key)}
	err = app.Recorded(ctx, k.store, by, line, func(ctx context.Context, repos ports.Repos) error {
		if err := repos.Keys.Create(ctx, key); err != nil {
			return err
		}
		return repos.Keys.AddSecret(ctx, key.ID, "", secret, key.CreatedAt)
	})
	if errors.Is(err, ports.ErrExists) {
		return access.Key{}, access.Secret{}, app.Invalid("id", "Esta chave já foi criada.").Because(ErrTwice)
	}
	return key, secret, err
}

// keyDetail is what the audit says of a key.
func keyDetail(k access.Key) audit.Detail {
	d := audit.Detail{
		"nome": k.Name, "prefixo": k.Prefix, "escopos": app.Joined(k.Scopes), "porMinuto": strconv.Itoa(k.Limits.PerMinute),
		"porDia": strconv.Itoa(k.Limits.PerDay), "porMes": strconv.Itoa(k.Limits.PerMonth),
	}
	if len(k.Purposes) > 0 {
		d["finalidades"] = app.Joined(k.Purposes)
	}
	if len(k.From) > 0 {
		d["redes"] = strings.Trim(fmt.Sprint(k.From), "[]")
	}
	if k.Contacts {
		d["contatos"] = app.YesNo(true)
	}
	if k.Bureau {
		d["bureau"] = app.YesNo(true)
	}
	if !k.ExpiresAt.IsZero() {
		d["expiraEm"] = k.ExpiresAt.Format(time.RFC3339)
	}
	return d
}

// describe checks a description and makes the key.
func (n NewKey) describe(now time.Time) (access.Key, error) {
	name, ok := crm.CleanName(n.Name)
	isBureau := func(t document.Type) bool { return t == access.BureauScope }
	bureau := slices.ContainsFunc(n.Scopes, isBureau)
	n.Scopes = slices.DeleteFunc(slices.Clone(n.Scopes), isBureau)
	id := cmp.Or(n.ID, app.NewID())
	switch {
	case !ok:
		return access.Key{}, app.Invalid("name", fmt.Sprintf("O nome da chave tem de 1 a %d caracteres.", crm.NameMax))
	case len(n.Scopes) == 0:
		return access.Key{}, app.Invalid("scopes", "A chave precisa de ao menos um escopo: cpf, cnpj, placa ou email.")
	case slices.ContainsFunc(n.Scopes, func(s document.Type) bool { return !s.Valid() }):
		return access.Key{}, app.Invalid("scopes", "Escopo desconhecido; os escopos são cpf, cnpj, placa e email. Com mais bureau, a chave escolhe o bureau.")
	case !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now):
		return access.Key{}, app.Invalid("expires", "A data de vencimento da chave já passou.")
	case n.ExpiresAt.UTC().Year() > access.LastYear+1: // the last day of the last year ends in the next
		return access.Key{}, app.Invalid("expires", fmt.Sprintf("O vencimento da chave pode ser até o fim de %d.", access.LastYear))
	case !app.ValidID(id):
		return access.Key{}, app.Invalid("id", "O id da chave não é válido.")
	}
	if err := checkLimits(n.Limits); err != nil {
		return access.Key{}, err
	}
	from, err := networksOf(n.From)
	if err != nil {
		return access.Key{}, err
	}
	notAScope := func(t document.Type) bool { return !slices.Contains(n.Scopes, t) }
	return access.Key{
		ID: id, OrgID: n.OrgID, Name: name, Scopes: slices.DeleteFunc(document.Types(), notAScope), Limits: n.Limits,
		CreatedAt: now, ExpiresAt: n.ExpiresAt, Purposes: n.Purposes, From: from, Contacts: n.Contacts,
		Bureau: bureau,
	}, nil
}

// networksOf reads the networks to bind a key to. Fault: InvalidRequest.
func networksOf(typed []string) ([]netip.Prefix, error) {
	from, err := access.ParseNetworks(typed)
	if len(from) > access.NetworksMax {
		err = fmt.Errorf("são no máximo %d faixas de endereços", access.NetworksMax)
	}
	if err != nil {
		return nil, app.Invalid("from", "Confira de onde a chave pode ser usada: "+err.Error()+".")
	}
	return from, nil
}

// KeyChange is what changes of a key; nil leaves it.
type KeyChange struct {
	// Purposes are the codes of those that it may state, From the addresses and ranges that it may be used from; empty
	// ones lift the restriction.
	Purposes, From *[]string
	// The limits are those of access.Limits.
	PerMinute, PerDay, PerMonth *int
	// Still refuses the change where the key is no longer as the caller saw it.
	Still app.Still[access.Key]
}

// limits returns the limits after the change.
func (c KeyChange) limits(l access.Limits) access.Limits {
	app.Replace(&l.PerMinute, c.PerMinute)
	app.Replace(&l.PerDay, c.PerDay)
	app.Replace(&l.PerMonth, c.PerMonth)
	return l
}

// Change changes a key's purposes, networks and limits. No charge that the new ones refuse commits after it; that
// requests are refused for their address or the limit per minute takes up to a second on other instances. Faults:
// InvalidRequest with the field at fault, NotFound, Forbidden, ServiceUnavailable.
func (k *Keys) Change(ctx context.Context, by app.Caller, id string, change KeyChange) (key access.Key, err error) {
	err = k.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if key, err = app.KeyKind.Locked(ctx, r, by, id); err != nil {
			return err
		}
		if err := change.Still.Check(key); err != nil {
			return err
		}
		before := key
		written := ports.KeyChange{Purposes: change.Purposes}
		if change.Purposes != nil {
			isOld := func(code string) bool { return slices.Contains(key.Purposes, code) } // those may have been retired
			added := slices.DeleteFunc(slices.Clone(*change.Purposes), isOld)
			if err := privacy.CheckPurposes(ctx, r, key.OrgID, added); err != nil {
				return err
			}
			key.Purposes = *change.Purposes
		}
		if change.From != nil {
			if key.From, err = networksOf(*change.From); err != nil {
				return err
			}
			written.From = &key.From
		}
		if limits := change.limits(key.Limits); limits != key.Limits {
			if err := checkLimits(limits); err != nil {
				return err
			}
			key.Limits, written.Limits = limits, &limits
		}
		if reflect.DeepEqual(before, key) {
			return nil
		}
		if err := r.Orgs.HoldCharges(ctx, key.OrgID); err != nil {
			return err
		}
		if written.Limits != nil {
			if err := r.Usage.LimitChanged(ctx, key.OrgID, id); err != nil {
				return err
			}
		}
		if err := r.Keys.Change(ctx, key.OrgID, id, written); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: key.OrgID, Action: audit.KeyRestricted, Object: id, Detail: keyDetail(key),
		})
	})
	return key, err
}

// checkLimits returns the fault of limits that no key can have.
func checkLimits(l access.Limits) error {
	switch {
	case l.PerMinute < 1:
		return app.Invalid("perMinute", "O limite por minuto deve ser de pelo menos 1.")
	case l.PerDay < 0:
		return app.Invalid("perDay", "Os limites por dia e por mês não podem ser negativos.")
	case l.PerMonth < 0:
		return app.Invalid("perMonth", "Os limites por dia e por mês não podem ser negativos.")
	}
	return nil
}

// ErrTwice is the cause of the fault where a key with the id was made already.
var ErrTwice = errors.New("it was made already")

// List returns the keys of an organisation, oldest first. Faults: NotFound, Forbidden, ServiceUnavailable.
func (k *Keys) List(ctx context.Context, by app.Caller, orgID string) ([]access.Key, error) {
	if err := app.MayManageOrg(ctx, k.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	return k.store.Repos().Keys.List(ctx, orgID)
}

// Revoke ends a key for good, on every instance within keyTTL. Faults: NotFound, Forbidden, ServiceUnavailable.
func (k *Keys) Revoke(ctx context.Context, by app.Caller, id string) error {
	key, err := app.KeyKind.Managed(ctx, k.store.Repos(), by, id)
	if err != nil {
		return err
	}
	if !key.RevokedAt.IsZero() {
		return nil
	}
	line := audit.Line{OrgID: key.OrgID, Action: audit.KeyRevoked, Object: id, Detail: app.NameOf(key.Name)}
	return app.Recorded(ctx, k.store, by, line, func(ctx context.Context, r ports.Repos) error {
		if err := r.Orgs.HoldCharges(ctx, key.OrgID); err != nil {
			return err
		}
		return r.Keys.Revoke(ctx, key.OrgID, id, k.clock())
	})
}

// Rotate gives a key a new secret. The key stays the same: its statement, its limits and their usage go on. The old
// secret ends after the overlap, at once if that is zero. Faults: InvalidRequest for an overlap out of bounds and for a
// key that is revoked or expired, NotFound, Forbidden, ServiceUnavailable.
func (k *Keys) Rotate(
	ctx context.Context, by app.Caller, id string, overlap time.Duration,
) (access.Key, access.Secret, error) {
	return k.rotate(ctx, by, id, "", overlap)
}

// rotate is Rotate for a key whose newest secret must have the prefix was, unless that is empty; ports.ErrNotFound when
// it has another.
func (k *Keys) rotate(
	ctx context.Context, by app.Caller, id, was string, overlap time.Duration,
) (access.Key, access.Secret, error) {
	key, err := app.KeyKind.Managed(ctx, k.store.Repos(), by, id)
	if err != nil {
		return key, access.Secret{}, err
	}
	if overlap < 0 || overlap > app.OverlapMax {
		return key, access.Secret{}, app.Invalid("overlap", "A sobreposição vai de 0 a 720h.")
	}
	now := k.clock()
	if !key.UsableAt(now) {
		return key, access.Secret{}, app.Invalid("id", "Esta chave foi revogada ou expirou; crie outra.")
	}
	secret := access.NewSecret()
	key.Prefix = secret.Prefix()
	line := audit.Line{OrgID: key.OrgID, Action: audit.KeyRotated, Object: id, Detail: audit.Detail{
		"nome": key.Name, "prefixo": key.Prefix, "sobreposicao": overlap.String(),
	}}
	err = app.Recorded(ctx, k.store, by, line, func(ctx context.Context, repos ports.Repos) error {
		return repos.Keys.AddSecret(ctx, key.ID, was, secret, app.EndAfter(now, overlap))
	})
	return key, secret, err
}

// Show returns a key of an organisation that the caller manages. Faults: NotFound, Forbidden, ServiceUnavailable.
func (k *Keys) Show(ctx context.Context, by app.Caller, id string) (access.Key, error) {
	return app.KeyKind.Managed(ctx, k.store.Repos(), by, id)
}

// RotateOnce is Rotate for a form that may be sent twice: the key gets a new secret only if its newest one still has
// that prefix; otherwise rotated is false.
func (k *Keys) RotateOnce(
	ctx context.Context, by app.Caller, id, prefix string, overlap time.Duration,
) (key access.Key, secret access.Secret, rotated bool, err error) {
	key, secret, err = k.rotate(ctx, by, id, prefix, overlap)
	if errors.Is(err, ports.ErrNotFound) {
		key, err = app.KeyKind.Managed(ctx, k.store.Repos(), by, id)
		return key, secret, false, err
	}
	return key, secret, err == nil, err
}

// NewKeyID returns an id for a key that a form will make, so that sending the form twice makes one key.
func NewKeyID() string { return app.NewID() }
