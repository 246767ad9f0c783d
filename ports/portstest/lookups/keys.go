package lookups

import (
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/document"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func keys(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	key := access.Key{
		ID: kit.ID(), OrgID: o.ID, Name: "CRM", Scopes: []document.Type{document.CPF, document.Email},
		Limits: access.Limits{PerMinute: 60, PerDay: 500, PerMonth: 5000}, CreatedAt: kit.At,
		ExpiresAt: kit.At.Add(time.Hour),
	}
	first, second := access.NewSecret(), access.NewSecret()
	kit.Must(t, repos.Keys.Create(ctx, key))
	kit.Must(t, repos.Keys.AddSecret(ctx, key.ID, "", first, kit.At))
	key.Prefix = first.Prefix()
	got, err := repos.Keys.BySecret(ctx, first, kit.At)
	kit.Must(t, err)
	kit.Same(t, "key by secret", got, key)
	_, err = repos.Keys.BySecret(ctx, second, kit.At)
	kit.WantErr(t, "unknown secret", err, ports.ErrNotFound)

	kit.Must(t, repos.Keys.AddSecret(ctx, key.ID, first.Prefix(), second, kit.At.Add(time.Minute)))
	key.Prefix = second.Prefix()
	for _, secret := range []access.Secret{first, second} {
		got, err = repos.Keys.BySecret(ctx, secret, kit.At.Add(59*time.Second))
		kit.Must(t, err)
		kit.Same(t, "key while two secrets work", got, key)
	}
	kit.WantErr(t, "a secret that there is", repos.Keys.AddSecret(ctx, key.ID, "", second, kit.At), ports.ErrExists)
	got, err = repos.Keys.BySecret(ctx, second, kit.At.Add(time.Hour))
	kit.Must(t, err)
	kit.Same(t, "and nothing has changed", got, key)
	_, err = repos.Keys.BySecret(ctx, first, kit.At.Add(time.Minute))
	kit.WantErr(t, "secret after its end", err, ports.ErrNotFound)
	third := access.NewSecret()
	kit.Must(t, repos.Keys.AddSecret(ctx, key.ID, "", third, kit.At.Add(time.Hour)))
	_, err = repos.Keys.BySecret(ctx, first, kit.At.Add(2*time.Minute))
	kit.WantErr(t, "an ended secret does not come back", err, ports.ErrNotFound)

	key.Prefix, key.LastUsedAt = third.Prefix(), kit.At.Add(time.Second)
	kit.Must(t, repos.Keys.Touch(ctx, map[string]time.Time{key.ID: kit.At.Add(time.Second)}))
	kit.Must(t, repos.Keys.Touch(ctx, map[string]time.Time{key.ID: kit.At}))
	list, err := repos.Keys.List(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "list; the last use never goes back", list, []access.Key{key})
	other, err := repos.Keys.List(ctx, kit.ID())
	kit.Must(t, err)
	kit.Same(t, "keys of another organisation", len(other), 0)

	refused := func(day, reason string, n int) ports.KeyRefusals {
		return ports.KeyRefusals{KeyID: key.ID, Day: day, Reason: reason, Count: n}
	}
	for range 2 { // it adds
		kit.Must(t, repos.Keys.AddRefusals(ctx, []ports.KeyRefusals{
			refused("2026-11-01", "a", 1), refused("2026-11-02", "a", 2), refused("2026-11-02", "b", 9),
		}))
	}
	refusals := func(from string, ids ...string) []ports.KeyRefusals {
		t.Helper()
		found, err := repos.Keys.Refusals(ctx, ids, from)
		kit.Must(t, err)
		return found
	}
	kit.Same(t, "refusals", refusals("2026-11-01", key.ID, kit.ID()),
		[]ports.KeyRefusals{refused("", "b", 18), refused("", "a", 6)})
	kit.Must(t, repos.Keys.ForgetRefusals(ctx, "2026-11-02"))
	kit.Same(t, "what is left", refusals("2026-11-01", key.ID),
		[]ports.KeyRefusals{refused("", "b", 18), refused("", "a", 4)})
	kit.Same(t, "later ones", len(refusals("2026-11-03", key.ID)), 0)
	kit.Same(t, "of nobody", len(refusals("2026-11-01")), 0)

	reads := access.Key{
		ID: kit.ID(), OrgID: o.ID, Name: "Agente", Scopes: []document.Type{document.CNPJ}, CreatedAt: kit.At, Contacts: true,
	}
	kit.Must(t, repos.Keys.Create(ctx, reads))
	got, err = repos.Keys.Find(ctx, ports.AnyOrg, reads.ID)
	kit.Must(t, err)
	kit.Same(t, "a key for contacts", got, reads)

	kit.Must(t, repos.Keys.Revoke(ctx, ports.AnyOrg, key.ID, kit.At.Add(time.Minute)))
	kit.Must(t, repos.Keys.Revoke(ctx, ports.AnyOrg, key.ID, kit.At.Add(time.Hour)))
	key.RevokedAt = kit.At.Add(time.Minute)
	got, err = repos.Keys.Find(ctx, ports.AnyOrg, key.ID)
	kit.Must(t, err)
	kit.Same(t, "revoked key", got, key)
	_, err = repos.Keys.Find(ctx, ports.AnyOrg, kit.ID())
	kit.WantErr(t, "unknown key", err, ports.ErrNotFound)
	kit.WantErr(t, "revoke an unknown key", repos.Keys.Revoke(ctx, ports.AnyOrg, kit.ID(), kit.At), ports.ErrNotFound)
}
