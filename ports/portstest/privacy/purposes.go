package privacy

import (
	"net/netip"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func purposes(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	credit := crm.Purpose{
		ID: kit.ID(), OrgID: o.ID, Code: "credito", Name: "Análise de crédito", Basis: "protecao_do_credito",
		Roles: []crm.Role{crm.Owner, crm.Admin}, CreatedAt: kit.At,
	}
	debt := crm.Purpose{
		ID: kit.ID(), OrgID: o.ID, Code: "cobranca", Name: "Cobrança", Basis: "legitimo_interesse", CreatedAt: kit.At,
	}
	theirs := credit
	theirs.ID, theirs.OrgID = kit.ID(), other.ID
	for _, p := range []crm.Purpose{credit, debt, theirs} {
		kit.Must(t, repos.Purposes.Create(ctx, p))
	}
	again := credit
	again.ID = kit.ID()
	kit.WantErr(t, "a code that there is", repos.Purposes.Create(ctx, again), ports.ErrExists)
	credit.Name, credit.Basis, credit.Roles, credit.RetiredAt = "Crédito", "consentimento", nil, kit.At.Add(time.Hour)
	kit.Must(t, repos.Purposes.Update(ctx, credit))
	got, err := repos.Purposes.List(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "purposes, oldest first", got, []crm.Purpose{credit, debt})
	moved := debt
	moved.OrgID = other.ID
	kit.WantErr(t, "another organisation's purpose changed", repos.Purposes.Update(ctx, moved), ports.ErrNotFound)
	credit.RetiredAt = time.Time{}
	kit.Must(t, repos.Purposes.Update(ctx, credit))
	got, err = repos.Purposes.List(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "in force again", got[0], credit)

	kit.Must(t, repos.Orgs.SetShareHistory(ctx, o.ID, false))
	found, err := repos.Orgs.Find(ctx, o.ID)
	kit.Must(t, err)
	kit.Same(t, "history of its own", found.OwnHistory, true)
	kit.WantErr(t, "an organisation that is not there", repos.Orgs.SetShareHistory(ctx, kit.ID(), true), ports.ErrNotFound)
}

func restrictedKeys(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	key := access.Key{
		ID: kit.ID(), OrgID: o.ID, Name: "CRM", Scopes: []document.Type{document.CPF}, CreatedAt: kit.At,
		Purposes: []string{"credito"},
		Limits:   access.Limits{PerMinute: 60}, From: []netip.Prefix{netip.MustParsePrefix("2001:db8::/32")},
	}
	kit.Must(t, repos.Keys.Create(ctx, key))
	read := func(what string) {
		t.Helper()
		got, err := repos.Keys.Find(ctx, ports.AnyOrg, key.ID)
		kit.Must(t, err)
		kit.Same(t, what, got, key)
	}
	read("a restricted key")
	key.Purposes = []string{"credito", "cobranca"}
	key.From = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::1/128")}
	kit.Must(t, repos.Keys.Change(ctx, ports.AnyOrg, key.ID, ports.KeyChange{Purposes: &key.Purposes, From: &key.From}))
	read("restricted otherwise")
	key.Purposes = nil
	kit.Must(t, repos.Keys.Change(ctx, ports.AnyOrg, key.ID, ports.KeyChange{Purposes: &key.Purposes}))
	read("of purposes no more")
	key.From = nil
	kit.Must(t, repos.Keys.Change(ctx, ports.AnyOrg, key.ID, ports.KeyChange{From: &key.From}))
	read("no more restricted")
	key.Limits = access.Limits{PerMinute: 7, PerDay: 0, PerMonth: 3}
	kit.Must(t, repos.Keys.Change(ctx, ports.AnyOrg, key.ID, ports.KeyChange{Limits: &key.Limits}))
	read("with other limits")
	kit.Must(t, repos.Keys.Change(ctx, ports.AnyOrg, key.ID, ports.KeyChange{}))
	read("left as it is")
	unknown := repos.Keys.Change(ctx, ports.AnyOrg, kit.ID(), ports.KeyChange{From: &key.From})
	kit.WantErr(t, "an unknown key", unknown, ports.ErrNotFound)
}

// historyOfPurposes has one document looked up for two purposes, and for none.
func historyOfPurposes(t *testing.T, s ports.Store) {
	ctx, repos, orgID, key := t.Context(), s.Repos(), kit.ID(), kit.ID()
	person := kit.Doc(t, document.CPF, "52998224725")
	bought := func(purpose string, after time.Duration) lookup.Record {
		rec := kit.Kept(t, s, orgID, kit.Doc(t, document.CPF, "11144477735")) // somebody else
		rec.ID, rec.Document, rec.Purpose, rec.AnsweredAt = kit.ID(), person, purpose, kit.At.Add(after)
		kit.Must(t, repos.History.Save(ctx, rec))
		return rec
	}
	credit, none := bought("credito", time.Second), bought("", 2*time.Second)
	for purpose, want := range map[string]lookup.Record{"credito": credit, "": none} {
		own := repos.History.Only(ports.Only{Purpose: &purpose})
		got, err := own.Latest(ctx, orgID, "cpf", person)
		kit.Must(t, err)
		got.Purpose = purpose
		kit.Same(t, "the newest for "+purpose, got, want)
		e := kit.Free(t, key, want)
		e.Purpose = "credito"
		got, err = own.Serve(ctx, e, time.Time{})
		kit.Must(t, err)
		kit.Same(t, "served for "+purpose, got.ID, want.ID)
		entry, err := repos.Statement.Find(ctx, ports.AnyOrg, e.ID)
		kit.Must(t, err)
		kit.Same(t, "the purpose of its entry", entry.Purpose, "credito")
		fresh, err := own.Fresh(ctx, orgID, "cpf", []lookup.About{{Document: person}}, kit.At)
		kit.Must(t, err)
		kit.Same(t, "fresh for "+purpose, fresh[lookup.About{Document: person}], want.ID)
	}
	collecting := "cobranca"
	_, err := repos.History.Only(ports.Only{Purpose: &collecting}).Serve(ctx, kit.Free(t, key, credit), time.Time{})
	kit.WantErr(t, "for a purpose that nothing was bought for", err, ports.ErrNotFound)
	got, err := repos.History.Serve(ctx, kit.Free(t, key, credit), time.Time{})
	kit.Must(t, err)
	kit.Same(t, "whichever", got.ID, none.ID)
	records, err := repos.History.Records(ctx, credit.OrgID, []string{credit.ID})
	kit.Must(t, err)
	kit.Same(t, "a record knows its purpose", records[credit.ID], credit)
	answers, err := repos.History.Answers(ctx, orgID, "cpf", person, 5)
	kit.Must(t, err)
	kit.Same(t, "and an answer", answers[1].Purpose, "credito")
}

// callsForPurposes: calls share answers and leases only with those for the same purpose.
func callsForPurposes(t *testing.T, s ports.Store) {
	first := kit.Running(t, kit.ID())
	ask := func(purpose string, only *string) ports.Begun {
		e := kit.Running(t, first.KeyID)
		e.OrgID, e.Purpose = first.OrgID, purpose
		return kit.Begins(t, s, ports.Charge{
			Entry: e, Takes: time.Minute, Only: ports.Only{Purpose: only}, Caps: access.Limits{PerDay: 9, PerMonth: 9},
		})
	}
	credit, debt := "credito", "cobranca"
	first.Purpose = credit
	begun := kit.Begins(t, s, ports.Charge{
		Entry: first, Takes: time.Minute, Only: ports.Only{Purpose: &credit}, Caps: access.Limits{PerDay: 9, PerMonth: 9},
	})
	kit.Same(t, "the first call", begun, ports.Begun{})
	kit.Same(t, "another for its purpose", ask(credit, &credit), ports.Begun{Holder: first.ID})
	kit.Same(t, "one for another purpose", ask(debt, &debt), ports.Begun{})
	rec := kit.Kept(t, s, first.OrgID, kit.Doc(t, document.CPF, "11144477735"))
	rec.ID, rec.Document, rec.Purpose = kit.ID(), first.Document, credit
	first.Status, first.RecordID = lookup.Done, rec.ID
	open, err := s.Repos().Calls.End(t.Context(), ports.Outcome{Entry: first, Price: first.Amount, Record: &rec})
	kit.Must(t, err)
	kit.Same(t, "it was open", open, true)
	kit.Same(t, "its answer spares a call for its purpose", ask(credit, &credit), ports.Begun{RecordID: rec.ID})
	other := "outra"
	kit.Same(t, "and none for another", ask(other, &other), ports.Begun{})
}
