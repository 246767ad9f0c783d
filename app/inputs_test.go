package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"fichario/app/batches"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/ports/portstest"
)

// asksFor notes the inputs of what it is asked.
type asksFor struct{ asked []map[string]string }

// Ask answers with somebody.
func (b *asksFor) Ask(_ context.Context, q ports.Question) (ports.Answer, error) {
	b.asked = append(b.asked, q.Inputs)
	return portstest.Found(q.Product, map[string]any{"nome": "Ana"}), nil
}

// needing is a product of one bureau that needs these inputs.
func (s *setting) needing(b ports.Bureau, inputs ...catalog.Input) (catalog.Catalog, *lookups.Asker) {
	product := products()[0]
	product.Inputs = inputs
	offered := catalog.Catalog{product}
	ledger := lookups.NewLedger(lookups.LedgerConfig{
		Store: s.store, Terms: lookups.NewTerms(offered, timeout, fresh, calendar), Clock: s.now, Log: s.log.logger(),
		Observe: s.observed.add,
		Bureaus: lookups.NewBureaus(ports.Single("a", b, offered, timeout), s.store, calendar, s.now, s.log.logger()),
	})
	s.t.Cleanup(ledger.Close)
	return offered, lookups.NewAsker(ledger, nil)
}

// TestInputsArePartOfAQuestion: history, idempotency and what the bureau gets tell questions apart by them; what is
// missing, wrong or unknown is refused before anything is asked.
func TestInputsArePartOfAQuestion(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		bureau := &asksFor{}
		_, asker := s.needing(bureau, catalog.Input{Name: "nascimento", Type: catalog.InputDate, Required: true},
			catalog.Input{Name: "uf", Type: catalog.InputState})
		by, owner := s.byKey(wide), s.add("dona", crm.Owner)
		ask := func(key string, inputs map[string]string) string {
			r, err := asker.Do(t.Context(), by, lookups.Request{
				Product: catalog.CPF, Document: cpfs[0], Inputs: inputs, RequestKey: key,
			})
			if err != nil {
				return said(err)
			}
			return line(r.Entry.Cache, r.Replayed)
		}
		born, other := map[string]string{"nascimento": "1980-02-29"}, map[string]string{"nascimento": "1981-02-28"}
		equal(t, "without", ask("", nil), "requisicao_invalida nascimento")
		equal(t, "no date", ask("", map[string]string{"nascimento": "29/02/1980"}), "requisicao_invalida nascimento")
		equal(t, "unknown", ask("", map[string]string{"nascimento": "1980-02-29", "mae": "x"}), "requisicao_invalida entradas")
		_, err := asker.Do(t.Context(), by, lookups.Request{
			Product: catalog.CPF, Document: cpfs[0], Inputs: map[string]string{cpfs[0]: "x"},
		})
		equal(t, "repeats it", strings.Contains(err.Error(), cpfs[0]), false)
		equal(t, "asked", len(bureau.asked), 0)
		equal(t, "first", ask("k", born), line(false, false))
		equal(t, "from history", ask("", born), line(true, false))
		equal(t, "another question", ask("", other), line(false, false))
		equal(t, "a third", ask("", map[string]string{"nascimento": "1980-02-29", "uf": "SP"}), line(false, false))
		equal(t, "by the key", ask("k", born), line(false, true))
		equal(t, "another under the key", ask("k", other), "chave_reutilizada")
		equal(t, "what the bureau got", line(bureau.asked[0], bureau.asked[1], bureau.asked[2]),
			line(born, other, map[string]string{"nascimento": "1980-02-29", "uf": "SP"}))
		entries := must(s.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: s.orgID}, lookup.Filter{}, "", 9))
		kept := must(s.store.Repos().Statement.Find(t.Context(), ports.AnyOrg, entries[len(entries)-1].ID))
		equal(t, "kept", fmt.Sprint(catalog.InputsOf(kept.Inputs)), fmt.Sprint(born))
		s.sound()
		s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]})
		erased := must(s.store.Repos().Statement.Find(t.Context(), ports.AnyOrg, kept.ID))
		equal(t, "erased", line(erased.Erased, erased.Inputs), line(true, ""))
		s.sound()
	})
}

// TestTheSheetOfAQuestionWithInputs shows the answers to that question, not those to another about the same document.
func TestTheSheetOfAQuestionWithInputs(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	_, asker := s.needing(&asksFor{}, catalog.Input{Name: "uf", Type: catalog.InputState})
	ana := s.add("ana", crm.Common)
	ask := func(inputs map[string]string) string {
		return must(asker.Do(t.Context(), ana, lookups.Request{
			Product: catalog.CPF, Document: cpfs[0], Inputs: inputs, Refresh: true,
		})).Entry.ID
	}
	bare, sp, mg := ask(nil), ask(map[string]string{"uf": "SP"}), ask(map[string]string{"uf": "MG"})
	again := ask(map[string]string{"uf": "SP"})
	for id, want := range map[string]string{
		bare: line(bare), sp: line(again, sp), again: line(again, sp), mg: line(mg),
	} {
		var ids []any
		view := must(s.lookups.Show(t.Context(), ana, id))
		for _, v := range must(s.lookups.Answers(t.Context(), ana, view, 9)) {
			ids = append(ids, v.Entry.ID)
		}
		equal(t, "the answers", line(ids...), want)
	}
}

// TestABatchSendsInputs: they are columns of its table, written as people do; rows that differ in them are different
// questions, and what the table lacks is told before anything is quoted.
func TestABatchSendsInputs(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		bureau := &asksFor{}
		offered, asker := s.needing(bureau, catalog.Input{Name: "nascimento", Type: catalog.InputDate, Required: true},
			catalog.Input{Name: "uf", Type: catalog.InputState, Label: "Estado"})
		s.batches.Catalog, s.batches.Asker, s.batches.Concurrency = offered, asker, 1
		key := s.byKey(wide)
		quote := func(rows ...string) (batches.View, error) {
			n := batches.NewBatch{Product: catalog.CPF, Tabs: []batch.Tab{{}}}
			for i, row := range rows {
				n.Tabs[0].Rows = append(n.Tabs[0].Rows, batch.Row{Line: i + 1, Cells: strings.Split(row, ";")})
			}
			return s.batches.Quote(t.Context(), key, n)
		}
		equal(t, "a list", said(second(s.batches.Quote(t.Context(), key, batches.NewBatch{
			Product: catalog.CPF, Documents: cpfs[:1],
		}))), "requisicao_invalida nascimento")
		equal(t, "no column", said(second(quote("cpf;nome", cpfs[0]+";Ana"))), "requisicao_invalida nascimento")
		must(asker.Do(t.Context(), key, lookups.Request{
			Product: catalog.CPF, Document: cpfs[0], Inputs: map[string]string{"nascimento": "1980-02-29"},
		}))
		q := must(quote("CPF;Nascimento;estado", cpfs[0]+";29/02/1980", cpfs[0]+";28/02/1981;sp", cpfs[0]+";1980-02-29;",
			cpfs[1]+";", cpfs[1]+";29/02/1981", cpfs[1]+";1/2/1990;SP"))
		equal(t, "quote", line(q.Total, q.Valid, q.Repeated, q.Invalid, q.FromHistory, q.MaxCost()), "6 3 1 2 1 0.9")
		equal(t, "what is wrong", line(q.Invalids[0].Message, "/", q.Invalids[1].Message),
			"falta Nascimento / o valor de Nascimento não é uma data como 1980-02-29")
		must(s.batches.Confirm(t.Context(), key, q.ID, nil))
		defer running(s)()
		equal(t, "the end", state(s.until(q.ID, ended)), "concluido  ended 3 charged 2 free 1 failed 0 spent 0.9")
		equal(t, "asked", line(bureau.asked[1:]), line([]map[string]string{
			{"nascimento": "1981-02-28", "uf": "SP"}, {"nascimento": "1990-02-01", "uf": "SP"},
		}))
		s.sound()
	})
}

// TestAPersonBesideAnothersDocument: what was sent about somebody else, and names the person, is the person's: it is
// exported alone, and erased. The other's document and answer stay, and answer no other question than before.
func TestAPersonBesideAnothersDocument(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		bureau := &asksFor{}
		_, asker := s.needing(bureau, catalog.Input{Name: "dono", Type: catalog.InputText},
			catalog.Input{Name: "uf", Type: catalog.InputState})
		by, owner, who := s.byKey(wide), s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[1]}
		ask := func(inputs map[string]string) lookup.Entry {
			r := lookups.Request{Product: catalog.CPF, Document: cpfs[0], Inputs: inputs}
			return must(asker.Do(t.Context(), by, r)).Entry
		}
		named := map[string]string{"dono": "Rui, " + cpfs[1], "uf": "SP"}
		bought, again, alone := ask(named), ask(named), ask(nil)
		equal(t, "from history", line(bought.Cache, again.Cache, alone.Cache), line(false, true, false))
		held := must(s.subjects.Count(t.Context(), owner, who, 0))
		equal(t, "held", line(held.Counts[privacy.Lookups], held.Counts[privacy.Answers]), line(2, 0))
		for one, err := range must(s.subjects.Export(t.Context(), owner, who)).Held(t.Context(), privacy.Lookups) {
			done(err)
			l := one.(privacyapp.SubjectLookup)
			equal(t, "exported", line(l.Partly, l.Document.IsZero(), l.RecordID, l.Record == nil, l.Sent()),
				line(true, true, "", true, map[string]string{"dono": named["dono"]}))
		}

		e := must(s.subjects.Erase(t.Context(), owner, who, false))
		e = must(s.subjects.Await(t.Context(), e.ID))
		equal(t, "the receipt", line(e.Gone[privacy.Lookups], e.Gone[privacy.Answers]), line(2, 0))
		equal(t, "left", s.left(owner, who), "map[]")
		left, repos := map[string]string{"dono": "[apagado]", "uf": "SP"}, s.store.Repos()
		for _, was := range []lookup.Entry{bought, again} {
			is := must(repos.Statement.Find(t.Context(), ports.AnyOrg, was.ID))
			equal(t, "the entry", line(is.Document.Value(), is.RecordID, catalog.InputsOf(is.Inputs)),
				line(cpfs[0], bought.RecordID, left))
		}
		rec := must(repos.History.Records(t.Context(), bought.OrgID, []string{bought.RecordID}))[bought.RecordID]
		equal(t, "the answer", line(rec.Document.Value(), catalog.InputsOf(rec.Inputs), rec.Unreadable),
			line(cpfs[0], left, false))
		equal(t, "without it", ask(nil).RecordID, alone.RecordID)
		equal(t, "from history, with it", ask(named).Cache, false)
		s.sound()
		s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]})
		s.sound()
	})
}
