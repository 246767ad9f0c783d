package app_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fichario/app"
	"fichario/app/privacy"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/ports"
)

const (
	inHistory   = "- the history of the contact says it"
	inStatement = "- the statement says it"
	inItself    = "- it says itself who made it, and costs nothing"
)

// audited lists the audit lines of use cases that change something, or why there is none.
var audited = map[string]string{
	"Members.Add": "membro.criado", "Members.Update": "membro.alterado", "Members.SetPassword": "membro.senha_trocada",
	"Sessions.ChangeOwnPassword": "senha.trocada", "Sessions.SignOutEverywhere": "sessoes.encerradas",

	"Funnels.Add": "funil.criado", "Funnels.Rename": "funil.alterado", "Funnels.AddStage": "funil.alterado",
	"Funnels.RenameStage": "funil.alterado", "Funnels.EditStage": "funil.alterado", "Funnels.SetOutcome": "funil.alterado",
	"Funnels.PlaceStage": "funil.alterado", "Funnels.RemoveStage": "funil.alterado",
	"Origins.Add": "origem.criada", "Origins.Rename": "origem.renomeada", "Origins.Remove": "origem.removida",
	"Bundles.Add": "pacote.criado", "Bundles.Change": "pacote.alterado", "Bundles.Remove": "pacote.removido",
	"Rotations.Add": "rodizio.criado", "Rotations.Change": "rodizio.alterado", "Rotations.Remove": "rodizio.removido",
	"Purposes.Add": "finalidade.criada", "Purposes.Set": "finalidade.alterada",
	"Organisations.SetShareHistory": "organizacao.historico_alterado", "Keys.Change": "chave.restringida",
	"Automations.SetPurpose": "automacao.alterada", "Automations.Refill": "automacao.alterada",
	"Subjects.Export": "titular.exportado", "Subjects.Erase": "titular.apagado",
	"Subjects.Unblock": "titular.desbloqueado", "Subjects.UnblockErased": "titular.desbloqueado",
	"Organisations.SetMemberBatchLimit": "organizacao.limite_alterado",

	"Notifications.ReadAll": "- it is the member's own", "Notifications.ReadUpTo": "- it is the member's own",
	"Preferences.Set": "- it is the member's own",

	"Contacts.Create": inHistory, "Contacts.Edit": inHistory, "Contacts.Note": inHistory, "Contacts.Assign": inHistory,
	"Contacts.Consent": inHistory,
	"Contacts.Move":    inHistory, "Contacts.Called": inHistory, "Contacts.Opened": "contato.aberto",
	"Contacts.Delete": "contato.excluido", "Contacts.Undelete": "contato.restaurado", "Contacts.All": "contatos.baixados",
	"Contacts.List":    "contatos.baixados",
	"Contacts.HandOut": "contatos.baixados", "Contacts.Chosen": "contatos.baixados",
	"Bulks.Start": "acao.iniciada", "Bulks.Undo": "acao.desfeita", "Bulks.PrepareImport": inItself,
	"Bulks.ChooseImport": inItself, "Bulks.StartImport": "importacao.iniciada",
	"Bulks.FinishImport": "- its start is in the audit", "Bulks.ImportResults": "importacao.baixada",

	"Keys.Create": "chave.criada", "Keys.RotateOnce": "chave.trocada", "Keys.Rotate": "chave.trocada",
	"Keys.Revoke":   "chave.revogada",
	"Batches.Quote": inItself, "Batches.Confirm": "lote.confirmado", "Batches.Pause": "lote.pausado",
	"Batches.Resume": "lote.retomado", "Batches.Cancel": "lote.cancelado", "Batches.AllResults": "lote.baixado",
	"Statement.Lines": "extrato.baixado",

	"Asker.Do": inStatement, "AgentSessions.DoWithin": inStatement, "Asker.Start": inStatement,
	"Sheet.Tie": "- it is a note to the lookup", "Sheet.Opened": "consulta.aberta", "Sheet.OpenKept": "consulta.aberta",
	"AgentSessions.End": "- as none tells that a session began",
	"Sheet.Downloaded":  "resposta.baixada", "Asker.Again": "resposta.baixada",

	"Webhooks.Create": "webhook.criado", "Webhooks.Update": "webhook.alterado",
	"Webhooks.Regenerate": "webhook.endereco_trocado", "Intake.Replay": "- here it has made its contact; see TestAReplay",
	"Intake.Complete":     "- here it has made its contact; see TestARefusedPostIsCompleted",
	"Intake.OpenDelivery": "entrega.aberta",
	"Automations.Add":     "automacao.criada", "Automations.Edit": "automacao.alterada",
	"Automations.Try": "automacao.experimentada", "Automations.Samples": "automacao.experimentada",
	"Automations.Rehearse":   "automacao.experimentada",
	"Automations.SetEnabled": "automacao.desabilitada", "Automations.RunAgain": "execucao.repetida",
	"Automations.RunFailedAgain": "execucoes.repetidas", "Automations.RunWaitingNow": "execucoes.repetidas",
	"Audit.All":    "auditoria.baixada",
	"Sessions.End": "sessao.encerrada", "Sessions.EndOthers": "sessoes.encerradas", "Links.Invite": "convite.enviado",
	"Factors.BeginCodes": "- they count once they are confirmed", "Factors.ConfirmCodes": "codigo.usado segundo_fator.ligado",
	"Factors.BeginPasskey": "codigo.usado", "Factors.AddPasskey": "chave_de_acesso.criada",
	"Factors.BeginProof":    "- it counts with the change that it is for",
	"Factors.RemovePasskey": "chave_de_acesso.removida", "Factors.Require": "segundo_fator.exigido",
	"Factors.Renew": "codigos.refeitos", "Factors.Off": "segundo_fator.desligado",
}

// lines returns the organisation's lines after a number, oldest first.
func (s *setting) lines(after int64) []audit.Line {
	s.t.Helper()
	q := ports.AuditQuery{After: after, Ascending: true, Limit: 500}
	return must(s.store.Repos().Audit.Page(s.t.Context(), s.orgID, q))
}

// TestEveryChangeIsInTheAudit calls every method that takes a caller, as an owner: one that changes something writes
// the line listed in audited, with the owner as its actor, or audited says why it writes none.
func TestEveryChangeIsInTheAudit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	template.Copy(t, path)
	s := newSetting(t, open(t, "sqlite://"+path), now)
	owner := s.add("dona", crm.Owner)
	uses := s.uses(owner)
	db := must(sql.Open("sqlite", path))
	defer func() { _ = db.Close() }()
	seen := map[string]bool{}
	ctx := app.Through(t.Context(), app.Via{Door: audit.Interface, Address: "203.0.113.7", RequestID: "pedido"})
	before := contents(t, db, "audit_lines", "audit_heads", "sqlite_sequence", "subject_traces", "privacy_marks")
	for _, u := range uses {
		last := must(s.store.Repos().Audit.Last(t.Context(), s.orgID))
		done(u.by(ctx, owner))
		after := contents(t, db, "audit_lines", "audit_heads", "sqlite_sequence", "subject_traces", "privacy_marks")
		var wrote []string
		for _, l := range s.lines(last) {
			wrote = append(wrote, string(l.Action))
			equal(t, "who and how of "+u.name(), line(l.Actor, l.Door, l.Address, l.RequestID),
				line(audit.ByMember(owner.MemberID()), audit.Interface, "203.0.113.7", "pedido"))
			if !l.Action.Valid() {
				t.Errorf("%s: %s has no words", u.name(), l.Action)
			}
		}
		want, declared := audited[u.name()]
		seen[u.name()] = true
		if !declared && after != before {
			t.Errorf("%s changes something: say its action, or why it has none", u.name())
		}
		if strings.HasPrefix(want, "- ") {
			want = ""
		}
		equal(t, "lines of "+u.name(), strings.Join(wrote, " "), want)
		before = after
	}
	for name := range audited {
		if !seen[name] {
			t.Errorf("%s is not used", name)
		}
	}
	last := must(s.store.Repos().Audit.Last(t.Context(), s.orgID))
	_, err := s.contacts.List(ctx, owner, s.orgID, 0)
	equal(t, "a list that is refused", said(err)+actions(s.lines(last)), "requisicao_invalida limit")
	found := must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{}))
	equal(t, "the chain", fmt.Sprint(found.Finding, found.Lines), fmt.Sprint((*audit.Finding)(nil), len(s.lines(0))))
}

// settling are changes to a state that may be the present one.
var settling = []string{
	"Members.Update", "Funnels.Rename", "Funnels.RenameStage", "Funnels.EditStage", "Funnels.SetOutcome",
	"Funnels.PlaceStage", "Origins.Rename", "Bundles.Change", "Rotations.Change", "Purposes.Set",
	"Organisations.SetShareHistory", "Organisations.SetMemberBatchLimit", "Keys.Change", "Keys.Revoke",
	"Webhooks.Update", "Automations.Edit", "Automations.SetPurpose", "Automations.Refill", "Automations.SetEnabled",
	"Factors.Require",
}

// TestWhatChangesNothingIsNotInTheAudit: who asks for what is there already is answered well, and nothing is written.
func TestWhatChangesNothingIsNotInTheAudit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	template.Copy(t, path)
	s := newSetting(t, open(t, "sqlite://"+path), now)
	owner := s.add("dona", crm.Owner)
	db := must(sql.Open("sqlite", path))
	defer func() { _ = db.Close() }()
	ctx, seen := app.Through(t.Context(), app.Via{Door: audit.Interface}), map[string]bool{}
	for _, u := range s.uses(owner) {
		done(u.by(ctx, owner))
		if !slices.Contains(settling, u.name()) {
			continue
		}
		seen[u.name()] = true
		before := contents(t, db)
		done(u.by(ctx, owner))
		if contents(t, db) != before {
			t.Errorf("%s writes something the second time", u.name())
		}
	}
	equal(t, "how many were called", len(seen), len(settling))
}

// TestSigningInIsInTheAudit: who signed in and out, and who failed; an unknown address gives no line, nor does an
// attempt that has to wait.
func TestSigningInIsInTheAudit(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ana := s.add("ana", crm.Common)
	ctx := app.Through(t.Context(), app.Via{Door: audit.Interface, Address: "203.0.113.7"})
	last := must(s.store.Repos().Audit.Last(ctx, s.orgID))
	for range 9 {
		_, err := s.sessions.SignIn(ctx, "", s.email("ana"), "errada")
		equal(t, "a wrong password", said(err), out)
		_, err = s.sessions.SignIn(ctx, "", "ninguem@x.example", "errada")
		equal(t, "an unknown address", said(err), out)
	}
	var wrote []string
	for _, l := range s.lines(last) {
		wrote = append(wrote, line(l.Action, l.Actor, l.Object == ana.MemberID(), l.Address))
	}
	const refused = "entrada.recusada ninguem true 203.0.113.7;"
	equal(t, "lines of refusals", strings.Join(wrote, ";")+";", strings.Repeat(refused, 5))

	s.add("bia", crm.Common)
	last = must(s.store.Repos().Audit.Last(ctx, s.orgID))
	token := must(s.sessions.SignIn(ctx, "", s.email("bia"), "senha-de-bia"))
	done(s.sessions.SignOut(ctx, token.Reveal()))
	done(s.sessions.SignOut(ctx, token.Reveal()))
	equal(t, "in and out", actions(s.lines(last)), "entrada.aceita entrada.encerrada")
}

func actions(lines []audit.Line) string {
	var out []string
	for _, l := range lines {
		out = append(out, string(l.Action))
	}
	return strings.Join(out, " ")
}

// TestTheAuditIsForOwners: members, administrators and strangers do not see it.
func TestTheAuditIsForOwners(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, admin := s.add("dona", crm.Owner), s.add("adm", crm.Admin)
	stranger := s.another().add("rui", crm.Owner)
	for by, want := range map[*app.Caller]string{&admin: forbidden, &stranger: missing + " org"} {
		_, err := s.audit.All(t.Context(), *by, s.orgID, privacy.AuditSearch{})
		equal(t, "all, to who wants "+want, said(err), want)
		_, err = s.audit.Verify(t.Context(), *by, s.orgID, audit.Hash{})
		equal(t, "a check, by who wants "+want, said(err), want)
	}
	page := must(s.audit.Page(t.Context(), owner, privacy.AuditSearch{Who: string(audit.Operator)}, 2))
	equal(t, "lines of the operator", line(len(page.Lines), page.More, page.Lines[0].Who, page.Lines[0].Action),
		line(2, true, "operador", audit.MemberAdded))
	next := must(s.audit.Page(t.Context(), owner, privacy.AuditSearch{After: page.Lines[1].Number}, 2))
	equal(t, "the next page", line(len(next.Lines), next.More, next.Lines[0].Action), line(1, false, audit.OrgCreated))
	_, err := s.audit.Page(t.Context(), owner, privacy.AuditSearch{Action: "x"}, 2)
	equal(t, "another action", said(err), "requisicao_invalida action")
}

// TestTheAuditIsReadTwice: a second walk over the same lines starts where the first one did.
func TestTheAuditIsReadTwice(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	for i := range 600 { // more than one page
		must(s.origins.Add(t.Context(), owner, s.orgID, fmt.Sprint("Origem ", i)))
	}
	all := must(s.audit.All(t.Context(), owner, s.orgID, privacy.AuditSearch{}))
	var counts [2]int
	for i := range counts {
		for _, err := range all {
			done(err)
			counts[i]++
		}
	}
	equal(t, "the second time", counts[1], counts[0])
}
