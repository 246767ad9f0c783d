package app_test

import (
	"context"
	"fmt"
	"testing"

	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
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

// TestInputsArePartOfAQuestion: history, idempotency and what the bureau gets tell questions apart by them; what is
// missing, wrong or unknown is refused before anything is asked.
func TestInputsArePartOfAQuestion(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		bureau := &asksFor{}
		product := products()[0]
		product.Inputs = []catalog.Input{
			{Name: "nascimento", Type: catalog.InputDate, Required: true}, {Name: "uf", Type: catalog.InputState},
		}
		offered := catalog.Catalog{product}
		terms := lookups.NewTerms(offered, timeout, fresh, calendar)
		ledger := lookups.NewLedger(lookups.LedgerConfig{
			Store: s.store, Terms: terms, Clock: s.now, Log: s.log.logger(), Observe: s.observed.add,
			Bureaus: lookups.NewBureaus(ports.Single("a", bureau, offered, timeout), s.store, calendar, s.now, s.log.logger()),
		})
		s.t.Cleanup(ledger.Close)
		asker, by, owner := lookups.NewAsker(ledger, nil), s.byKey(wide), s.add("dona", crm.Owner)
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
		equal(t, "unknown", ask("", map[string]string{"nascimento": "1980-02-29", "mae": "x"}), "requisicao_invalida mae")
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
		kept := must(s.store.Repos().Statement.Find(t.Context(), entries[len(entries)-1].ID))
		equal(t, "kept", fmt.Sprint(catalog.InputsOf(kept.Inputs)), fmt.Sprint(born))
		s.sound()
		s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]})
		erased := must(s.store.Repos().Statement.Find(t.Context(), kept.ID))
		equal(t, "erased", line(erased.Erased, erased.Inputs), line(true, ""))
		s.sound()
	})
}
