package app_test

import (
	"testing"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest"
)

// TestAnAnswerThatIsReadAgainIsInTheAudit: it is no line of the statement, by which one could tell who had it.
func TestAnAnswerThatIsReadAgainIsInTheAudit(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, key := s.add("dona", crm.Owner), s.byKey(wide)
	asked := must(s.ask(key, app.LookupRequest{Document: cpfs[0]}))
	again, _, err := s.lookups.Again(t.Context(), key, asked.Entry.ID)
	done(err)
	equal(t, "the answer", again.Record.ID, asked.Record.ID)
	page := must(s.audit.Page(t.Context(), owner, app.AuditSearch{}, 1))
	equal(t, "the newest line", line(page.Lines[0].Action, page.Lines[0].Object), "resposta.baixada "+asked.Entry.ID)
}

// TestHowALookupEndedStays: it is told again and again, and no waiting is asked for.
func TestHowALookupEndedStays(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[ports.BureauOutcome]string{
		ports.NotSent: "bureau_indisponivel", ports.Failed: "bureau_falhou", ports.NoAnswer: "bureau_sem_resposta",
	} {
		s := inMemory(t)
		s.bureau.Script = portstest.Fails(outcome)
		key := s.byKey(wide)
		_, id, err := s.lookups.DoLater(t.Context(), key, app.LookupRequest{Product: catalog.CPF, Document: cpfs[0]})
		done(err)
		s.lookups.Close()
		for range 2 {
			_, running, err := s.lookups.Again(t.Context(), key, id)
			equal(t, want, line(running, said(err), app.FaultOf(err).RetryAfter), "false "+want+" 0s")
		}
		_, _, err = s.lookups.Again(t.Context(), s.byKey(wide), id)
		equal(t, "of another key", said(err), "consulta_desconhecida id")
	}
}
