package portstest

import (
	"net/netip"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

func purposes(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	credit := crm.Purpose{
		ID: id(), OrgID: o.ID, Code: "credito", Name: "Análise de crédito", Basis: "protecao_do_credito",
		Roles: []crm.Role{crm.Owner, crm.Admin}, CreatedAt: at,
	}
	debt := crm.Purpose{
		ID: id(), OrgID: o.ID, Code: "cobranca", Name: "Cobrança", Basis: "legitimo_interesse", CreatedAt: at,
	}
	theirs := credit
	theirs.ID, theirs.OrgID = id(), other.ID
	for _, p := range []crm.Purpose{credit, debt, theirs} {
		must(t, repos.Purposes.Create(ctx, p))
	}
	again := credit
	again.ID = id()
	wantErr(t, "a code that there is", repos.Purposes.Create(ctx, again), ports.ErrExists)
	credit.Name, credit.Basis, credit.Roles, credit.RetiredAt = "Crédito", "consentimento", nil, at.Add(time.Hour)
	must(t, repos.Purposes.Update(ctx, credit))
	got, err := repos.Purposes.List(ctx, o.ID)
	must(t, err)
	same(t, "purposes, oldest first", got, []crm.Purpose{credit, debt})
	moved := debt
	moved.OrgID = other.ID
	wantErr(t, "another organisation's purpose changed", repos.Purposes.Update(ctx, moved), ports.ErrNotFound)
	credit.RetiredAt = time.Time{}
	must(t, repos.Purposes.Update(ctx, credit))
	got, err = repos.Purposes.List(ctx, o.ID)
	must(t, err)
	same(t, "in force again", got[0], credit)

	must(t, repos.Orgs.SetShareHistory(ctx, o.ID, false))
	found, err := repos.Orgs.Find(ctx, o.ID)
	must(t, err)
	same(t, "history of its own", found.OwnHistory, true)
	wantErr(t, "an organisation that is not there", repos.Orgs.SetShareHistory(ctx, id(), true), ports.ErrNotFound)
}

func restrictedKeys(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	key := access.Key{
		ID: id(), OrgID: o.ID, Name: "CRM", Scopes: []document.Type{document.CPF}, CreatedAt: at, Purposes: []string{"credito"},
		Limits: access.Limits{PerMinute: 60}, From: []netip.Prefix{netip.MustParsePrefix("2001:db8::/32")},
	}
	must(t, repos.Keys.Create(ctx, key))
	read := func(what string) {
		t.Helper()
		got, err := repos.Keys.Find(ctx, key.ID)
		must(t, err)
		same(t, what, got, key)
	}
	read("a restricted key")
	key.Purposes = []string{"credito", "cobranca"}
	key.From = []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("2001:db8::1/128")}
	must(t, repos.Keys.Change(ctx, key.ID, ports.KeyChange{Purposes: &key.Purposes, From: &key.From}))
	read("restricted otherwise")
	key.Purposes = nil
	must(t, repos.Keys.Change(ctx, key.ID, ports.KeyChange{Purposes: &key.Purposes}))
	read("of purposes no more")
	key.From = nil
	must(t, repos.Keys.Change(ctx, key.ID, ports.KeyChange{From: &key.From}))
	read("no more restricted")
	key.Limits = access.Limits{PerMinute: 7, PerDay: 0, PerMonth: 3}
	must(t, repos.Keys.Change(ctx, key.ID, ports.KeyChange{Limits: &key.Limits}))
	read("with other limits")
	must(t, repos.Keys.Change(ctx, key.ID, ports.KeyChange{}))
	read("left as it is")
	wantErr(t, "an unknown key", repos.Keys.Change(ctx, id(), ports.KeyChange{From: &key.From}), ports.ErrNotFound)
}

// historyOfPurposes has one document looked up for two purposes, and for none.
func historyOfPurposes(t *testing.T, s ports.Store) {
	ctx, repos, orgID, key := t.Context(), s.Repos(), id(), id()
	person := doc(t, document.CPF, "52998224725")
	bought := func(purpose string, after time.Duration) lookup.Record {
		rec := kept(t, s, orgID, doc(t, document.CPF, "11144477735")) // somebody else
		rec.ID, rec.Document, rec.Purpose, rec.AnsweredAt = id(), person, purpose, at.Add(after)
		must(t, repos.History.Save(ctx, rec))
		return rec
	}
	credit, none := bought("credito", time.Second), bought("", 2*time.Second)
	for purpose, want := range map[string]lookup.Record{"credito": credit, "": none} {
		own := repos.History.Only(purpose)
		got, err := own.Latest(ctx, orgID, "cpf", person)
		must(t, err)
		got.Purpose = purpose
		same(t, "the newest for "+purpose, got, want)
		e := free(t, key, want)
		e.Purpose = "credito"
		got, err = own.Serve(ctx, e, time.Time{})
		must(t, err)
		same(t, "served for "+purpose, got.ID, want.ID)
		entry, err := repos.Statement.Find(ctx, e.ID)
		must(t, err)
		same(t, "the purpose of its entry", entry.Purpose, "credito")
		fresh, err := own.Fresh(ctx, orgID, "cpf", []document.Document{person}, at)
		must(t, err)
		same(t, "fresh for "+purpose, fresh[person], want.ID)
	}
	_, err := repos.History.Only("cobranca").Serve(ctx, free(t, key, credit), time.Time{})
	wantErr(t, "for a purpose that nothing was bought for", err, ports.ErrNotFound)
	got, err := repos.History.Serve(ctx, free(t, key, credit), time.Time{})
	must(t, err)
	same(t, "whichever", got.ID, none.ID)
	records, err := repos.History.Records(ctx, []string{credit.ID})
	must(t, err)
	same(t, "a record knows its purpose", records[credit.ID], credit)
	answers, err := repos.History.Answers(ctx, orgID, "cpf", person, 5)
	must(t, err)
	same(t, "and an answer", answers[1].Purpose, "credito")
}

// callsForPurposes: calls share answers and leases only with those for the same purpose.
func callsForPurposes(t *testing.T, s ports.Store) {
	first := running(t, id())
	ask := func(purpose string, only *string) ports.Begun {
		e := running(t, first.KeyID)
		e.OrgID, e.Purpose = first.OrgID, purpose
		return begins(t, s, ports.Charge{
			Entry: e, Takes: time.Minute, Only: only, Caps: access.Limits{PerDay: 9, PerMonth: 9},
		})
	}
	credit, debt := "credito", "cobranca"
	first.Purpose = credit
	begun := begins(t, s, ports.Charge{
		Entry: first, Takes: time.Minute, Only: &credit, Caps: access.Limits{PerDay: 9, PerMonth: 9},
	})
	same(t, "the first call", begun, ports.Begun{})
	same(t, "another for its purpose", ask(credit, &credit), ports.Begun{Holder: first.ID})
	same(t, "one for another purpose", ask(debt, &debt), ports.Begun{})
	rec := kept(t, s, first.OrgID, doc(t, document.CPF, "11144477735"))
	rec.ID, rec.Document, rec.Purpose = id(), first.Document, credit
	first.Status, first.RecordID = lookup.Done, rec.ID
	open, err := s.Repos().Calls.End(t.Context(), ports.Outcome{Entry: first, Price: first.Amount, Record: &rec})
	must(t, err)
	same(t, "it was open", open, true)
	same(t, "its answer spares a call for its purpose", ask(credit, &credit), ports.Begun{RecordID: rec.ID})
	other := "outra"
	same(t, "and none for another", ask(other, &other), ports.Begun{})
}
