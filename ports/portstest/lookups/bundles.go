package lookups

import (
	"testing"

	"fichario/domain/catalog"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func bundles(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	credit := catalog.Bundle{ID: kit.ID(), OrgID: o.ID, Name: "Crédito PJ",
		Products: []string{"score", "cnpj", "protestos"}}
	basic := catalog.Bundle{ID: kit.ID(), OrgID: o.ID, Name: "básico", Products: []string{"cpf", "obito"}}
	kit.Must(t, repos.Bundles.Create(ctx, credit))
	kit.Must(t, repos.Bundles.Create(ctx, basic))
	theirOwn := catalog.Bundle{ID: kit.ID(), OrgID: other.ID, Name: "CREDITO PJ", Products: basic.Products}
	kit.Must(t, repos.Bundles.Create(ctx, theirOwn))
	again := catalog.Bundle{ID: kit.ID(), OrgID: o.ID, Name: "CREDITO PJ", Products: basic.Products}
	kit.WantErr(t, "a name that differs by case and accents", repos.Bundles.Create(ctx, again), ports.ErrExists)
	list := func(what string, want ...catalog.Bundle) {
		t.Helper()
		got, err := repos.Bundles.List(ctx, o.ID)
		kit.Must(t, err)
		kit.Same(t, what, got, want)
	}
	list("bundles by name", basic, credit)

	credit.Name, credit.Products = "Análise", []string{"cnpj", "score"}
	kit.Must(t, repos.Bundles.Update(ctx, credit))
	list("a changed bundle", credit, basic)
	taken := catalog.Bundle{ID: credit.ID, OrgID: o.ID, Name: "BASICO", Products: basic.Products}
	kit.WantErr(t, "a name that another has", repos.Bundles.Update(ctx, taken), ports.ErrExists)
	theirs := catalog.Bundle{ID: credit.ID, OrgID: other.ID, Name: "x", Products: basic.Products}
	kit.WantErr(t, "another organisation's bundle changed", repos.Bundles.Update(ctx, theirs), ports.ErrNotFound)
	kit.WantErr(t, "another organisation's bundle removed", repos.Bundles.Remove(ctx, theirs), ports.ErrNotFound)
	kit.Must(t, repos.Bundles.Remove(ctx, credit))
	list("what is left", basic)
}
