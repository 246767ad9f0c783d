package portstest

import (
	"testing"

	"fichario/domain/catalog"
	"fichario/ports"
)

func bundles(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	credit := catalog.Bundle{ID: id(), OrgID: o.ID, Name: "Crédito PJ", Products: []string{"score", "cnpj", "protestos"}}
	basic := catalog.Bundle{ID: id(), OrgID: o.ID, Name: "básico", Products: []string{"cpf", "obito"}}
	must(t, repos.Bundles.Create(ctx, credit))
	must(t, repos.Bundles.Create(ctx, basic))
	theirOwn := catalog.Bundle{ID: id(), OrgID: other.ID, Name: "CREDITO PJ", Products: basic.Products}
	must(t, repos.Bundles.Create(ctx, theirOwn))
	again := catalog.Bundle{ID: id(), OrgID: o.ID, Name: "CREDITO PJ", Products: basic.Products}
	wantErr(t, "a name that differs by case and accents", repos.Bundles.Create(ctx, again), ports.ErrExists)
	list := func(what string, want ...catalog.Bundle) {
		t.Helper()
		got, err := repos.Bundles.List(ctx, o.ID)
		must(t, err)
		same(t, what, got, want)
	}
	list("bundles by name", basic, credit)

	credit.Name, credit.Products = "Análise", []string{"cnpj", "score"}
	must(t, repos.Bundles.Update(ctx, credit))
	list("a changed bundle", credit, basic)
	taken := catalog.Bundle{ID: credit.ID, OrgID: o.ID, Name: "BASICO", Products: basic.Products}
	wantErr(t, "a name that another has", repos.Bundles.Update(ctx, taken), ports.ErrExists)
	theirs := catalog.Bundle{ID: credit.ID, OrgID: other.ID, Name: "x", Products: basic.Products}
	wantErr(t, "another organisation's bundle changed", repos.Bundles.Update(ctx, theirs), ports.ErrNotFound)
	wantErr(t, "another organisation's bundle removed", repos.Bundles.Remove(ctx, theirs), ports.ErrNotFound)
	must(t, repos.Bundles.Remove(ctx, credit))
	list("what is left", basic)
}
