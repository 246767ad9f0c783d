package app_test

import (
	"context"
	"errors"
	"testing"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/ports/portstest"
)

// TestAnAnswerThatIsReadAgainIsInTheAudit: no entry of the statement would show who read it.
func TestAnAnswerThatIsReadAgainIsInTheAudit(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, key := s.add("dona", crm.Owner), s.byKey(wide)
	asked := must(s.ask(key, lookups.Request{Document: cpfs[0]}))
	again, err := s.lookups.Again(t.Context(), key, asked.Entry.ID)
	done(err)
	equal(t, "the answer", again.Record.ID, asked.Record.ID)
	page := must(s.audit.Page(t.Context(), owner, privacy.AuditSearch{}, 1))
	equal(t, "the newest line", line(page.Lines[0].Action, page.Lines[0].Object), "resposta.baixada "+asked.Entry.ID)
}

// TestHowALookupEndedStays: it is returned again and again, without a RetryAfter.
func TestHowALookupEndedStays(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[ports.BureauOutcome]string{
		ports.NotSent: "bureau_indisponivel", ports.Failed: "bureau_falhou", ports.NoAnswer: "bureau_sem_resposta",
	} {
		s := inMemory(t)
		s.bureau.Script = portstest.Fails(outcome)
		key := s.byKey(wide)
		id := must(s.lookups.later(t.Context(), key, lookups.Request{Product: catalog.CPF, Document: cpfs[0]})).Entry.ID
		s.lookups.Close()
		for range 2 {
			again, err := s.lookups.Again(t.Context(), key, id)
			running := again.Entry.Status == lookup.Running
			equal(t, want, line(running, said(err), app.FaultOf(err).RetryAfter), "false "+want+" 0s")
		}
		_, err := s.lookups.Again(t.Context(), s.byKey(wide), id)
		equal(t, "of another key", said(err), "consulta_desconhecida id")
	}
}

// TestAnAnswerThatWasErasedIsKeptNoMore: asking again gives UnknownLookup, and listening automations are told.
func TestAnAnswerThatWasErasedIsKeptNoMore(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, key := s.add("dona", crm.Owner), s.byKey(wide)
		rule := s.listen(automation.LookupCompleted, "")
		asked := must(s.ask(key, lookups.Request{Document: cpfs[0]})).Entry
		who := privacy.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		done(s.subjects.Finish(t.Context(), must(s.subjects.Erase(t.Context(), owner, who, false)).ID))
		_, err := s.lookups.Again(t.Context(), key, asked.ID)
		equal(t, "again", said(err), "consulta_desconhecida id")
		s.bureau.Script = portstest.Fails(ports.Failed)
		_, err = s.ask(key, lookups.Request{Document: cpfs[1]})
		equal(t, "another", said(err), "bureau_falhou")
		failed := must(s.store.Repos().Statement.Page(t.Context(), lookup.Asker{OrgID: s.orgID}, lookup.Filter{}, "", 1))[0]
		s.erase(owner, privacy.SubjectQuery{OrgID: s.orgID, Document: cpfs[1]})
		_, err = s.lookups.Again(t.Context(), key, failed.ID)
		equal(t, "one that had failed", said(err), "consulta_desconhecida id")

		run := s.ready(rule, "")
		run.Event, run.SubjectID = automation.LookupCompleted, asked.ID
		done(errors.Join(s.store.Repos().JobQueue.Remove(t.Context(), run), s.store.Repos().Jobs.Add(t.Context(), run)))
		ctx, stop := context.WithCancel(t.Context())
		config := s.worker()
		config.Observe = func(automation.JobKind, automation.JobState) {
			if s.job(run.ID).Result != "" {
				stop()
			}
		}
		automations.NewJobs(config).Run(ctx)
		run = s.job(run.ID)
		equal(t, "its run", line(run.State, run.Result), "done os dados do evento não estão mais guardados")
	})
}
