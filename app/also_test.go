package app_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/ports/portstest"
)

// talkative is a bureau whose answers about a person say something of other products too.
type talkative struct{ asked []string }

// Ask answers.
func (b *talkative) Ask(_ context.Context, q ports.Question) (ports.Answer, error) {
	b.asked = append(b.asked, q.Product.ID)
	answer := portstest.Found(q.Product, map[string]any{"nome": "Ana"})
	if q.Product.ID != catalog.CPF {
		return answer, nil
	}
	for _, id := range []string{"situacao_cadastral", "score", "obito"} {
		p, _ := products().Find(id)
		part := portstest.Found(p, map[string]any{"nome": "Ana", "situacao": "REGULAR"})
		answer.Also = append(answer.Also, ports.Part{Product: id, Found: id != "obito", Fields: part.Fields})
	}
	return answer, nil
}

// talking makes the desk whose bureau that is. A score needs its value, and the next bureau is asked where there is no
// record of a death; another one also has the status, for credit alone. Products have these inputs.
func (s *setting) talking(b *talkative, inputs map[string][]catalog.Input) *desk {
	var offered catalog.Catalog
	chains := ports.Chains{}
	for _, p := range products() {
		p.Inputs = inputs[p.ID]
		chain := ports.Chain{Links: []ports.Link{{Name: "a", Product: p, Timeout: timeout, Bureau: b}}}
		if p.ID == "score" {
			chain.Need = []string{"score"}
		}
		chain.OnNoRecord = p.ID == "obito"
		if p.ID == "situacao_cadastral" {
			chain.Links = append(chain.Links, ports.Link{Name: "b", Product: p, Timeout: timeout, Bureau: b})
			chain.Routes = []ports.Route{{Purposes: []string{"credito"}, Asked: []string{"b"}}}
		}
		chains[p.ID], offered = chain, append(offered, p)
	}
	terms := lookups.NewTerms(offered, timeout, fresh, calendar)
	known := lookups.NewBureaus(chains, s.store, calendar, s.now, s.log.logger())
	ledger := lookups.NewLedger(lookups.LedgerConfig{
		Store: s.store, Terms: terms, Clock: s.now, Log: s.log.logger(), Observe: s.observed.add, Bureaus: known,
	})
	s.t.Cleanup(ledger.Close)
	return &desk{
		Asker: lookups.NewAsker(ledger, nil), Ledger: ledger, Sheet: lookups.NewSheet(s.store, terms, s.now), terms: terms,
		bureaus: known,
	}
}

// TestAnAnswerThatSaysMore answers the other products from history, but for what their chains would not have taken from
// it: one charge, one line. Export and erasure find all of it.
func TestAnAnswerThatSaysMore(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		b := &talkative{}
		desk, by, owner := s.talking(b, nil), s.byKey(wide), s.add("dona", crm.Owner)
		ask := func(product string) string {
			got, err := desk.Do(t.Context(), by, lookups.Request{Product: product, Document: cpfs[0]})
			done(err)
			return line(got.Entry.Cache, got.Entry.Amount, got.Record.Bureau)
		}
		equal(t, "the person", ask(catalog.CPF), line(false, catalog.Money(price), "a"))
		equal(t, "lines", line(s.entries()), "[concluida 0.45]")
		equal(t, "the status", ask("situacao_cadastral"), line(true, catalog.Money(0), "a"))
		equal(t, "a score that is null", ask("score"), line(false, catalog.Money(price), "a"))
		equal(t, "no record, where another bureau may know", ask("obito"), line(false, catalog.Money(price), "a"))
		equal(t, "asked", line(b.asked), "[cpf score obito]")
		equal(t, "the key's account", s.spent(by), line(3, 3, 3, catalog.Money(3*price)))
		s.sound()

		who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		equal(t, "what is held", must(s.subjects.Count(t.Context(), owner, who, 0)).Counts[privacy.Answers], 4)
		asker := lookup.Asker{OrgID: s.orgID}
		entries := must(s.store.Repos().Statement.Page(t.Context(), asker, lookup.Filter{}, "", 9))
		shared := slices.IndexFunc(entries, func(e lookup.Entry) bool { return e.Cache })
		brought := must(s.store.Repos().Statement.Asked(t.Context(), ports.AnyOrg, []string{entries[shared].RecordID}))
		equal(t, "who brought it", brought[entries[shared].RecordID].Product, catalog.CPF)
		view := must(desk.Show(t.Context(), owner, entries[shared].ID))
		equal(t, "its page", line(view.Asked.Product, view.Record.Product), line(catalog.CPF, "situacao_cadastral"))
		s.erase(owner, who)
		left := must(s.store.Repos().History.Records(t.Context(), ports.AnyOrg, []string{entries[shared].RecordID}))
		equal(t, "its answer is gone", len(left), 0)
		s.sound()
	})
}

// TestAPartOfABureauThatIsNotAsked about its product is not kept: another order was set, or the purpose has its own
// way.
func TestAPartOfABureauThatIsNotAsked(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		for _, purpose := range []string{"credito", "cobranca"} {
			s.purpose(purpose)
		}
		desk, owner := s.talking(&talkative{}, nil), s.add("dona", crm.Owner)
		parts := func(document, purpose string) int {
			asked := must(desk.Do(t.Context(), owner, lookups.Request{
				Product: catalog.CPF, Document: document, Purpose: purpose,
			}))
			brought := []string{asked.Record.ID}
			return len(must(s.store.Repos().History.Parts(t.Context(), ports.AnyOrg, brought))[asked.Record.ID])
		}
		equal(t, "as configured", parts(cpfs[0], "cobranca"), 1)
		equal(t, "another way", parts(cpfs[1], "credito"), 0)
		done(desk.bureaus.SetOrder(t.Context(), owner, "situacao_cadastral", []string{"b"}))
		equal(t, "another order", parts(cpfs[2], "cobranca"), 0)
		s.sound()
	})
}

// TestAnExportHasAllPartsOfAnAnswer, also of products that nobody has asked about.
func TestAnExportHasAllPartsOfAnAnswer(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		desk, owner := s.talking(&talkative{}, nil), s.add("dona", crm.Owner)
		asked := must(desk.Do(t.Context(), s.byKey(wide), lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
		parts := must(s.store.Repos().History.Parts(t.Context(), ports.AnyOrg, []string{asked.Record.ID}))[asked.Record.ID]
		equal(t, "parts", len(parts), 1)
		equal(t, "alike", line(parts[0].Document, parts[0].Bureau, json.Valid(parts[0].Raw)),
			line(asked.Record.Document, "a", true))
		who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		export := must(s.subjects.Export(t.Context(), owner, who))
		for one, err := range export.Held(t.Context(), privacy.Lookups) {
			done(err)
			l, _ := one.(privacyapp.SubjectLookup)
			equal(t, "in the export", line(len(l.Parts), l.Parts[0].Product), line(1, "situacao_cadastral"))
		}
		s.erase(owner, who)
		equal(t, "erased", len(must(s.store.Repos().History.Records(t.Context(), ports.AnyOrg, []string{parts[0].ID}))), 0)
		s.sound()
	})
}

// TestAPartHasTheInputsThatItsProductUses, so that a question with the same ones finds it, and no other.
func TestAPartHasTheInputsThatItsProductUses(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		b := &talkative{}
		date := catalog.Input{Name: "nascimento", Type: catalog.InputDate, Required: true}
		desk, by := s.talking(b, map[string][]catalog.Input{
			catalog.CPF: {date, {Name: "uf", Type: catalog.InputState, Required: true}}, "situacao_cadastral": {date},
		}), s.byKey(wide)
		ask := func(product string, inputs map[string]string) bool {
			request := lookups.Request{Product: product, Document: cpfs[0], Inputs: inputs}
			return must(desk.Do(t.Context(), by, request)).Entry.Cache
		}
		equal(t, "asked", ask(catalog.CPF, map[string]string{"nascimento": "1980-02-29", "uf": "SP"}), false)
		equal(t, "born then", ask("situacao_cadastral", map[string]string{"nascimento": "1980-02-29"}), true)
		equal(t, "born on another day", ask("situacao_cadastral", map[string]string{"nascimento": "1980-02-28"}), false)
		s.sound()
	})
}
