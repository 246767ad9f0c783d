package portstest

import (
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/document"
	"fichario/ports"
)

func keys(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	key := access.Key{
		ID: id(), OrgID: o.ID, Name: "CRM", Scopes: []document.Type{document.CPF, document.Email},
		Limits: access.Limits{PerMinute: 60, PerDay: 500, PerMonth: 5000}, CreatedAt: at, ExpiresAt: at.Add(time.Hour),
	}
	first, second := access.NewSecret(), access.NewSecret()
	must(t, repos.Keys.Create(ctx, key))
	must(t, repos.Keys.AddSecret(ctx, key.ID, "", first, at))
	key.Prefix = first.Prefix()
	got, err := repos.Keys.BySecret(ctx, first, at)
	must(t, err)
	same(t, "key by secret", got, key)
	_, err = repos.Keys.BySecret(ctx, second, at)
	wantErr(t, "unknown secret", err, ports.ErrNotFound)

	must(t, repos.Keys.AddSecret(ctx, key.ID, first.Prefix(), second, at.Add(time.Minute)))
	key.Prefix = second.Prefix()
	for _, secret := range []access.Secret{first, second} {
		got, err = repos.Keys.BySecret(ctx, secret, at.Add(59*time.Second))
		must(t, err)
		same(t, "key while two secrets work", got, key)
	}
	wantErr(t, "a secret that there is", repos.Keys.AddSecret(ctx, key.ID, "", second, at), ports.ErrExists)
	got, err = repos.Keys.BySecret(ctx, second, at.Add(time.Hour))
	must(t, err)
	same(t, "and nothing has changed", got, key)
	_, err = repos.Keys.BySecret(ctx, first, at.Add(time.Minute))
	wantErr(t, "secret after its end", err, ports.ErrNotFound)
	third := access.NewSecret()
	must(t, repos.Keys.AddSecret(ctx, key.ID, "", third, at.Add(time.Hour)))
	_, err = repos.Keys.BySecret(ctx, first, at.Add(2*time.Minute))
	wantErr(t, "an ended secret does not come back", err, ports.ErrNotFound)

	key.Prefix, key.LastUsedAt = third.Prefix(), at.Add(time.Second)
	must(t, repos.Keys.Touch(ctx, map[string]time.Time{key.ID: at.Add(time.Second)}))
	must(t, repos.Keys.Touch(ctx, map[string]time.Time{key.ID: at}))
	list, err := repos.Keys.List(ctx, o.ID)
	must(t, err)
	same(t, "list; the last use never goes back", list, []access.Key{key})
	other, err := repos.Keys.List(ctx, id())
	must(t, err)
	same(t, "keys of another organisation", len(other), 0)

	reads := access.Key{
		ID: id(), OrgID: o.ID, Name: "Agente", Scopes: []document.Type{document.CNPJ}, CreatedAt: at, Contacts: true,
	}
	must(t, repos.Keys.Create(ctx, reads))
	got, err = repos.Keys.Find(ctx, reads.ID)
	must(t, err)
	same(t, "a key for contacts", got, reads)

	must(t, repos.Keys.Revoke(ctx, key.ID, at.Add(time.Minute)))
	must(t, repos.Keys.Revoke(ctx, key.ID, at.Add(time.Hour)))
	key.RevokedAt = at.Add(time.Minute)
	got, err = repos.Keys.Find(ctx, key.ID)
	must(t, err)
	same(t, "revoked key", got, key)
	_, err = repos.Keys.Find(ctx, id())
	wantErr(t, "unknown key", err, ports.ErrNotFound)
	wantErr(t, "revoke an unknown key", repos.Keys.Revoke(ctx, id(), at), ports.ErrNotFound)
}
