package app_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"fichario/app"
	"fichario/app/batches"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/ports"
	"fichario/ports/portstest"
)

// purpose registers a purpose for all roles, or for some.
func (s *setting) purpose(code string, roles ...crm.Role) {
	s.t.Helper()
	must(s.purposes.Add(s.t.Context(), app.Operator(), crm.Purpose{
		OrgID: s.orgID, Code: code, Name: "Para " + code, Basis: "legitimo_interesse", Roles: roles,
	}))
	s.lookups = s.otherLookups(s.store) // an instance trusts what it has read for a while
}

// restricted makes a caller with a key that may state some purposes.
func (s *setting) restricted(purposes ...string) app.Caller {
	s.t.Helper()
	_, secret, err := s.keys.Create(s.t.Context(), app.Operator(), lookups.NewKey{
		OrgID: s.orgID, Name: "k", Scopes: document.Types(), Limits: access.Limits{PerMinute: 9, PerDay: 99, PerMonth: 99},
		Purposes: purposes,
	})
	done(err)
	return must(s.keys.Authenticate(s.t.Context(), secret.Reveal(), netip.Addr{}))
}

// TestWhatALookupIsFor is the table of the rule: what is stated, by whom, and which purposes there are.
func TestWhatALookupIsFor(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, common := s.add("ana", crm.Owner), s.add("bia", crm.Common)
	asks := func(by app.Caller, purpose string) string {
		t.Helper()
		before := len(s.bureau.Asked())
		result, err := s.lookups.Do(t.Context(), by, lookups.Request{
			Product: catalog.CPF, Document: cpfs[0], Purpose: purpose, Refresh: true,
		})
		if err != nil {
			if len(s.bureau.Asked()) != before {
				t.Errorf("%q is refused after the bureau was asked", purpose)
			}
			return said(err)
		}
		return result.Entry.Purpose
	}
	equal(t, "an organisation without purposes", asks(owner, ""), "")
	equal(t, "what is said there is refused", asks(owner, "credito"), "finalidade_negada finalidade")
	s.purpose("credito")
	equal(t, "the only one is taken", asks(owner, ""), "credito")
	s.purpose("cobranca", crm.Owner, crm.Admin)
	all, one := s.restricted(), s.restricted("cobranca")
	for _, c := range []struct {
		who  string
		by   app.Caller
		said string
		want string
	}{
		{"an owner who may several", owner, "", "finalidade_ausente finalidade"},
		{"an owner who says one", owner, "cobranca", "cobranca"},
		{"a member whose role may one", common, "", "credito"},
		{"a member whose role may not", common, "cobranca", "finalidade_negada finalidade"},
		{"a key for all", all, "", "finalidade_ausente finalidade"},
		{"a key for all that says one", all, "credito", "credito"},
		{"a key for one", one, "", "cobranca"},
		{"a key for another", one, "credito", "finalidade_negada finalidade"},
		{"one that there is not", all, "marketing", "finalidade_negada finalidade"},
	} {
		equal(t, c.who, asks(c.by, c.said), c.want)
	}
	entries := len(must(s.lookups.List(t.Context(), owner, false, "", 100)).Lookups)
	equal(t, "entries: one for each that was not refused", entries, 2+4)

	retired := true
	purposes := s.purposes
	must(purposes.Set(t.Context(), app.Operator(), s.orgID, "cobranca", privacy.PurposeChange{Retired: &retired}))
	equal(t, "a key whose only one is retired", asks(s.restricted("credito"), ""), "credito")
	equal(t, "an owner who may one since", asks(owner, "credito"), "credito")
	must(purposes.Set(t.Context(), app.Operator(), s.orgID, "credito", privacy.PurposeChange{Retired: &retired}))
	other := s.another()
	equal(t, "another organisation has none of them", must(other.lookups.Do(t.Context(), other.add("caio", crm.Owner),
		lookups.Request{Product: catalog.CPF, Document: cpfs[0]})).Entry.Purpose, "")
}

// TestHistoryOfAnotherPurpose: an answer bought for one serves another only where the organisation says so.
func TestHistoryOfAnotherPurpose(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.purpose("credito")
	s.purpose("cobranca")
	owner := s.add("ana", crm.Owner)
	ask := func(purpose string, free bool) string {
		result, err := s.lookups.Do(t.Context(), owner, lookups.Request{
			Product: catalog.CPF, Document: cpfs[0], Purpose: purpose, Free: free,
		})
		if err != nil {
			return said(err)
		}
		return line(result.Entry.Purpose, result.Entry.Cache, result.Entry.Amount)
	}
	equal(t, "bought", ask("credito", false), line("credito", false, "0.45"))
	equal(t, "shared as long as nobody says otherwise", ask("cobranca", false), line("cobranca", true, 0))
	done(s.orgs.SetShareHistory(t.Context(), owner, s.orgID, false))
	s.lookups = s.otherLookups(s.store)
	equal(t, "only history, of another purpose", ask("cobranca", true), "fora_do_historico")
	doc := must(document.Parse(document.CPF, cpfs[0]))
	for purpose, fresh := range map[string]bool{"credito": true, "cobranca": false} {
		choices := must(s.lookups.Choices(t.Context(), owner, doc, purpose, nil))
		for _, c := range choices {
			if c.Product.ID == catalog.CPF {
				equal(t, "the button of "+purpose+" is free", c.Fresh, fresh)
			}
		}
		quote := must(s.batches.Quote(t.Context(), owner, batches.NewBatch{
			Product: catalog.CPF, Documents: cpfs[:1], Purpose: purpose,
		}))
		equal(t, "a quote for "+purpose+" finds in history", quote.FromHistory == 1, fresh)
		equal(t, "and keeps the purpose", quote.Purpose, purpose)
	}
	equal(t, "bought for its own purpose", ask("cobranca", false), line("cobranca", false, "0.45"))
	equal(t, "and free from then on", ask("cobranca", false), line("cobranca", true, 0))
	equal(t, "the first stays free", ask("credito", true), line("credito", true, 0))
}

// TestABatchFromBeforeThereWerePurposes asks no more, whoever confirms or resumes it: it has none, and each lookup must
// have one.
func TestABatchFromBeforeThereWerePurposes(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key := s.byKey(access.Limits{PerMinute: 60, PerDay: 99, PerMonth: 99})
		quoted := must(s.batches.Quote(t.Context(), key, quote(someCPFs(100, 3)...)))
		s.bureau.Script = portstest.Fails(ports.NotSent)
		begun := must(s.batches.Quote(t.Context(), key, carteira(3, 99*price, 7200)))
		defer running(s)()
		s.until(begun.ID, paused)
		s.purpose("credito")
		s.bureau.Script = nil
		why := func(v batches.View) bool { return paused(v) && v.Reason == batch.Asked }
		equal(t, "it says why it stopped", strings.Contains(s.until(begun.ID, why).Note, "Orce os documentos de novo"), true)
		for name, by := range map[string]app.Caller{"key": key, "operator": app.Operator()} {
			_, err := s.batches.Confirm(t.Context(), by, quoted.ID, nil)
			equal(t, name+": confirmed", said(err), "finalidade_ausente finalidade")
			_, err = s.batches.Resume(t.Context(), by, begun.ID, nil, false)
			equal(t, name+": resumed", said(err), "finalidade_ausente finalidade")
		}
		equal(t, "spent", must(s.batches.Show(t.Context(), key, begun.ID)).Spent.Amount, 0)
		again := must(s.batches.Quote(t.Context(), key, carteira(3, 99*price, 7200)))
		s.until(again.ID, ended)
	})
}

// TestPurposesAreTheOwners: others see them, and change nothing.
func TestPurposesAreTheOwners(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	purposes, stranger := s.purposes, s.another().add("eva", crm.Owner)
	owner, admin := s.add("ana", crm.Owner), s.add("bia", crm.Admin)
	made := crm.Purpose{OrgID: s.orgID, Code: "credito", Name: "Crédito", Basis: "protecao_do_credito"}
	add := func(by app.Caller, p crm.Purpose) string {
		_, err := purposes.Add(t.Context(), by, p)
		return said(err)
	}
	equal(t, "an administrator", add(admin, made), "nao_permitido")
	equal(t, "somebody else", add(stranger, made), "nao_encontrado org")
	equal(t, "an owner", add(owner, made), "")
	equal(t, "again", add(owner, made), "requisicao_invalida code")
	for field, change := range map[string]func(*crm.Purpose){
		"code":  func(p *crm.Purpose) { p.Code = "Crédito" },
		"name":  func(p *crm.Purpose) { p.Name = " " },
		"basis": func(p *crm.Purpose) { p.Basis = "vontade" },
		"role":  func(p *crm.Purpose) { p.Roles = []crm.Role{"boss"} },
	} {
		wrong := made
		wrong.Code = "outra"
		change(&wrong)
		equal(t, "a wrong "+field, add(owner, wrong), "requisicao_invalida "+field)
	}
	name, long := "Análise de crédito", strings.Repeat("x", crm.NameMax+1)
	equal(t, "renamed", must(purposes.Set(t.Context(), owner, s.orgID, "credito", privacy.PurposeChange{Name: &name})).Name, name)
	for want, f := range map[string]func() error{
		"requisicao_invalida name": func() error {
			_, err := purposes.Set(t.Context(), owner, s.orgID, "credito", privacy.PurposeChange{Name: &long})
			return err
		},
		"nao_encontrado code": func() error {
			_, err := purposes.Set(t.Context(), owner, s.orgID, "outra", privacy.PurposeChange{})
			return err
		},
		"requisicao_invalida purposes": func() error {
			_, _, err := s.keys.Create(t.Context(), owner, lookups.NewKey{
				OrgID: s.orgID, Name: "k", Scopes: document.Types(), Limits: access.Limits{PerMinute: 1}, Purposes: []string{"outra"},
			})
			return err
		},
		"requisicao_invalida from": func() error {
			_, _, err := s.keys.Create(t.Context(), owner, lookups.NewKey{
				OrgID: s.orgID, Name: "k", Scopes: document.Types(), Limits: access.Limits{PerMinute: 1}, From: []string{"203.0.113.0/33"},
			})
			return err
		},
	} {
		equal(t, want, said(f()), want)
	}
	var many []string
	for i := range access.NetworksMax + 1 {
		many = append(many, fmt.Sprintf("203.0.113.%d", i))
	}
	key := lookups.NewKey{
		OrgID: s.orgID, Name: "k", Scopes: document.Types(), Limits: access.Limits{PerMinute: 1}, From: many[1:],
	}
	_, _, err := s.keys.Create(t.Context(), owner, key)
	equal(t, "the most networks", said(err), "")
	key.From = many
	_, _, err = s.keys.Create(t.Context(), owner, key)
	equal(t, "more networks", said(err), "requisicao_invalida from")
}

// TestTwoChangesOfOnePurpose: a change does not undo a concurrent one.
func TestTwoChangesOfOnePurpose(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	s.purpose("credito")
	retired, name := true, "Outra"
	store := meanwhile{s.store, func() {
		must(s.purposes.Set(t.Context(), app.Operator(), s.orgID, "credito", privacy.PurposeChange{Retired: &retired}))
	}}
	is := must(privacy.NewPurposes(store, s.now).
		Set(t.Context(), app.Operator(), s.orgID, "credito", privacy.PurposeChange{Name: &name}))
	equal(t, "then", line(is.Name, is.InForce()), "Outra false")
}
