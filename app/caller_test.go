package app_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/agents"
	"fichario/app/automations"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
)

// use is a method of a use case that takes a caller, with its further arguments.
type use struct {
	method any
	args   []any
	// member and stranger are the faults of a plain member of the organisation and of another organisation's owner; empty
	// where they may call it, the stranger in the other organisation.
	member, stranger string
}

const (
	missing   = "nao_encontrado"
	forbidden = "nao_permitido"
	unknown   = "lote_desconhecido"
)

// uses returns all of them, in an order in which an owner may call them one after the other.
func (s *setting) uses(owner app.Caller) []use {
	ctx := s.t.Context()
	hook := s.hook(webhook.Signature{})
	contact, twin := s.arrive(hook, "bia"), s.arrive(hook, "gêmea")
	accepted := s.deliveries(hook)[0]
	rotation := must(s.rotations.Add(ctx, owner, s.orgID, "Vendas", nil))
	action := must(s.bulks.Start(ctx, owner, contacts.NewBulk{
		Kind: crm.BulkMove, TargetID: s.funnel(owner).Stages[2].ID, Of: contacts.Selection{IDs: []string{twin.ID}},
	}))
	table, skip := tableOf("E-mail", "rui@example.com"), contacts.ImportChoices{Duplicates: crm.SkipDuplicates}
	imported := must(s.bulks.PrepareImport(ctx, owner, table))
	key, _ := s.key(wide)
	origin := must(s.origins.Add(ctx, owner, s.orgID, "Rádio"))
	bundle := must(s.bundles.Add(ctx, owner, s.orgID, "Crédito PJ", []string{"cpf", "score"}))
	rule := s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "oi"})
	enabled := s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "oi"})
	s.purpose("credito")
	looks := s.rule(automations.NewAutomation{Action: automation.Lookup, Product: catalog.CPF, Ceiling: catalog.Real})
	const slackWebhook = "https://hooks.slack.com/services/a"
	sends := s.rule(automations.NewAutomation{Action: automation.HTTP, RequestForm: automations.RequestForm{
		Destination: "slack", Values: map[string]string{"webhook": slackWebhook},
	}})
	funnel := s.funnel(owner)
	ze := s.add("ze", crm.Common).MemberID()
	asked := must(s.ask(owner, lookups.Request{Document: cpfs[0]})).Entry
	batched := must(s.batches.Quote(ctx, owner, quote(cpfs[:2]...))).ID
	subject := privacy.SubjectQuery{OrgID: s.orgID, Document: cpfs[3]}
	erased := must(s.subjects.Erase(ctx, owner, privacy.SubjectQuery{OrgID: s.orgID, Email: "rui@x.example"}, true))
	type args = []any
	return append(s.ownUses(owner), []use{
		{s.orgs.Find, nil, "", ""},

		{s.members.Add, args{team.NewMember{
			OrgID: s.orgID, Name: "Nova", Email: "nova@x.example", Role: crm.Common, Password: "vento sul",
		}}, forbidden, missing},
		{s.members.List, args{s.orgID}, "", missing},
		{s.members.Update, args{ze, team.MemberChange{Name: at("Zé")}}, forbidden, missing},
		{s.members.SetPassword, args{ze, "vento norte"}, forbidden, missing},
		{s.sessions.ChangeOwnPassword, args{"senha-de-dona", "outra-senha", s.members}, out, out},

		{s.funnels.List, args{s.orgID}, "", missing},
		{s.funnels.Add, args{"Locação"}, forbidden, ""},
		{s.funnels.Rename, args{funnel.ID, "Imóveis"}, forbidden, missing},
		{s.funnels.AddStage, args{funnel.ID, "Visita"}, forbidden, missing},
		{s.funnels.RenameStage, args{funnel.ID, funnel.Stages[5].ID, "Fim"}, forbidden, missing},
		{s.funnels.EditStage, args{funnel.ID, funnel.Stages[5].ID, "Fim", crm.Won, app.Still[crm.Stage](nil)},
			forbidden, missing},
		{s.funnels.SetOutcome, args{s.orgID, funnel.Stages[5].ID, crm.Lost}, forbidden, missing},
		{s.funnels.PlaceStage, args{funnel.ID, funnel.Stages[5].ID, 4}, forbidden, missing},
		{s.funnels.RemoveStage, args{funnel.ID, funnel.Stages[5].ID}, forbidden, missing},

		{s.origins.Add, args{s.orgID, "Feira"}, forbidden, missing},
		{s.origins.List, args{s.orgID}, "", missing},
		{s.origins.Rename, args{origin.ID, "Jornal"}, forbidden, missing},
		{s.origins.Remove, args{origin.ID}, forbidden, missing},

		{s.bundles.Add, args{s.orgID, "Outro", []string{"cpf", "score"}}, forbidden, missing},
		{s.bundles.List, args{s.orgID}, "", missing},
		{s.bundles.Change, args{catalog.Bundle{
			ID: bundle.ID, OrgID: s.orgID, Name: "Crédito", Products: []string{"cpf", "score"},
		}, app.Still[catalog.Bundle](nil)}, forbidden, missing},
		{s.bundles.Remove, args{s.orgID, bundle.ID}, forbidden, missing},

		{s.purposes.Add, args{crm.Purpose{
			OrgID: s.orgID, Code: "cobranca", Name: "Cobrança", Basis: "legitimo_interesse", Roles: []crm.Role{crm.Admin},
		}}, forbidden, missing},
		{s.purposes.Set, args{s.orgID, "cobranca", privacy.PurposeChange{Name: at("Cobranças")}}, forbidden, missing},
		{s.purposes.List, args{s.orgID}, "", missing},
		{s.purposes.Allowed, nil, "", ""},
		{s.record.Of, args{s.orgID}, forbidden, missing},
		{s.purposes.InForce, nil, "", ""},

		{s.notifications.List, args{s.orgID, "", 5}, "", missing},
		{s.notifications.Unread, nil, "", ""},
		{s.notifications.ReadAll, args{s.orgID, ze}, "", missing},
		{s.notifications.ReadUpTo, args{contact.ID}, "", ""},

		{s.preferences.Mine, nil, "", ""},
		{s.preferences.Set, args{crm.ContactDensity, "compacto"}, "", ""},

		{s.contacts.Create, args{bia()}, "", ""},
		{s.contacts.List, args{s.orgID, 5}, "", missing},
		{s.contacts.Search, args{contacts.ContactSearch{}, "", "", 5}, "", ""},
		{s.contacts.HandOut, args{"bia", "", 5}, "", ""},
		{s.contacts.Count, args{contacts.ContactSearch{}}, "", ""},
		{s.contacts.All, args{contacts.ContactSearch{}}, "", ""},
		{s.contacts.Choices, nil, "", ""},
		{s.contacts.Board, args{funnel.ID, contacts.ContactSearch{}, func(string) int { return 5 }}, "", missing},
		{s.contacts.Show, args{contact.ID}, "", missing},
		{s.contacts.View, args{contact.ID}, "", missing},
		{s.contacts.Opened, args{crm.ContactView{Contact: contact}}, "", missing},
		{s.contacts.History, args{contact.ID}, "", missing},
		{s.contacts.Documents, args{contact.ID}, "", missing},
		{s.contacts.Edit, args{contact.ID, bia()}, "", missing},
		{s.contacts.Note, args{contact.ID, "oi"}, "", missing},
		{s.contacts.Consent, args{contact.ID, "aceite", true}, "", missing},
		{s.contacts.Consents, args{contact.ID}, "", missing},
		{s.contacts.Assign, args{contact.ID, ze}, "", missing},
		{s.contacts.Move, args{contact.ID, funnel.Stages[2].ID}, "", missing},
		{s.contacts.Alike, args{contact.ID}, "", missing},
		{s.contacts.CameBefore, args{[]string{contact.ID}}, "", ""},
		{s.contacts.Doubles, args{[]string{contact.ID}}, "", ""},
		{s.contacts.PreviewMerge, args{contact.ID, twin.ID}, "", missing},
		{s.contacts.Merges, args{contact.ID}, "", missing},
		{s.contacts.Chosen, args{[]string{contact.ID}}, "", missing},
		{s.bulks.Start, args{contacts.NewBulk{
			Kind: crm.BulkMove, TargetID: funnel.Stages[3].ID, Of: contacts.Selection{IDs: []string{contact.ID}},
		}}, "", missing},
		{s.contacts.Called, args{contact.ID}, "", missing},
		{s.contacts.Waits, args{30}, "", ""},
		{s.rotations.Add, args{s.orgID, "Todos", []crm.RotationMember(nil)}, forbidden, missing},
		{s.rotations.Change, args{rotation.ID, "Venda", []crm.RotationMember(nil), app.Still[crm.Rotation](nil)}, forbidden, missing},
		{s.rotations.List, args{s.orgID}, forbidden, missing},
		{s.rotations.Show, args{rotation.ID}, forbidden, missing},
		{s.rotations.Remove, args{rotation.ID}, forbidden, missing},
		{s.bulks.Show, args{action.ID}, "", missing},
		{s.bulks.Undo, args{action.ID}, forbidden, missing},
		{s.bulks.PrepareImport, args{table}, "", ""},
		{s.bulks.RehearseImport, args{table, func(crm.Import) (contacts.ImportChoices, error) { return skip, nil }}, "", ""},
		{s.bulks.Imports, nil, "", ""},
		{s.bulks.ShowImport, args{imported.ID}, "", missing},
		{s.bulks.TryImport, args{imported.ID}, "", missing},
		{s.bulks.ChooseImport, args{imported.ID, skip}, forbidden, missing},
		{s.bulks.StartImport, args{imported.ID, skip}, forbidden, missing},
		{s.bulks.FinishImport, args{imported.ID}, "", missing},
		{s.bulks.ImportResults, args{imported.ID}, "", missing},
		{s.contacts.Delete, args{twin.ID}, forbidden, missing},
		{s.contacts.Removed, args{twin.ID}, "", missing},
		{s.contacts.Undelete, args{twin.ID}, forbidden, missing},
		{s.dashboard.Look, args{7}, "", ""},

		{s.keys.Create, args{lookups.NewKey{
			OrgID: s.orgID, Name: "k", Scopes: []document.Type{document.CPF}, Limits: access.Limits{PerMinute: 1},
		}}, forbidden, missing},
		{s.orgs.SetMemberBatchLimit, args{s.orgID, catalog.Money(1)}, forbidden, missing},
		{s.orgs.SetShareHistory, args{s.orgID, false}, forbidden, missing},
		{s.batches.Quote, args{quote(cpfs[0])}, "", ""},
		{s.batches.List, args{"", 5}, "", ""},
		{s.batches.Open, args{5}, "", ""},
		{s.batches.All, args{s.orgID, 5}, "", missing},
		{s.batches.Names, nil, "", ""},
		{s.batches.Show, args{batched}, "", unknown},
		{s.batches.Confirm, args{batched, at(catalog.Money(2 * price))}, forbidden, unknown},
		{s.batches.Pause, args{batched}, "", unknown},
		{s.batches.Resume, args{batched, at(catalog.Money(3 * price)), false}, forbidden, unknown},
		{s.batches.Results, args{batched, batch.State(""), "", 5}, "", unknown},
		{s.batches.AllResults, args{batched, batch.State("")}, "", unknown},
		{s.batches.Cancel, args{batched}, "", unknown},
		{s.subjects.Count, args{subject, time.Duration(0)}, forbidden, missing},
		{s.subjects.Export, args{subject}, forbidden, missing},
		{s.subjects.Erase, args{subject, true}, forbidden, missing},
		{s.subjects.Erasures, args{s.orgID, "", 5}, forbidden, missing},
		{s.subjects.AllErasures, args{s.orgID}, forbidden, missing},
		{s.subjects.Erasure, args{erased.ID}, forbidden, missing},
		{s.subjects.Blocks, args{s.orgID}, forbidden, missing},
		{s.subjects.Unblock, args{subject}, forbidden, missing},
		{s.subjects.UnblockErased, args{erased.ID}, forbidden, missing},
		{s.keys.List, args{s.orgID}, forbidden, missing},
		{s.keys.Show, args{key.ID}, forbidden, missing},
		{s.keys.RotateOnce, args{key.ID, key.Prefix, time.Duration(0)}, forbidden, missing},
		{s.keys.Change, args{key.ID, lookups.KeyChange{From: &[]string{"10.0.0.1"}}}, forbidden, missing},
		{s.keys.Rotate, args{key.ID, time.Duration(0)}, forbidden, missing},
		{s.keys.Revoke, args{key.ID}, forbidden, missing},
		{s.statement.Page, args{lookups.StatementQuery{OfKey: key.ID}}, forbidden, missing},
		{s.statement.Figures, args{lookups.StatementQuery{OfKey: key.ID}}, forbidden, missing},
		{s.statement.Lines, args{lookups.StatementQuery{}}, "", ""},
		{s.lookups.Kept, args{[]document.Document{}, "", "cpf"}, "", ""},
		{s.lookups.OpenKept, args{[]lookup.Entry{asked}}, "", missing},
		{s.statement.Spend, args{lookups.StatementQuery{}, "2026-01-01", "2026-01-02"}, "", ""},
		{s.statement.SpendBy, args{lookups.StatementQuery{}, "2026-01-01", "2026-01-02", [2]lookup.Part{}}, "", ""},
		{s.statement.Keys, args{s.orgID}, forbidden, missing},
		{s.statement.LastFailures, args{s.orgID}, forbidden, missing},
		{s.statement.ChargedDays, args{s.orgID, []lookups.KeyUse{{Key: key}}, []string{"2026-01-01"}}, forbidden, missing},
		{s.statement.Refused, args{key}, forbidden, missing},

		{s.lookups.Do, args{lookups.Request{Product: catalog.CPF, Document: cpfs[0]}}, "", ""},
		{s.agents().DoWithin, args{
			lookups.Request{Product: catalog.CPF, Document: cpfs[0]}, session(9 * catalog.Real),
		}, "", ""},
		{s.agents().Spent, args{session(0)}, "", ""},
		{s.agents().Open, args{session(0), now()}, "", ""},
		{s.agents().End, args{session(0)}, "", ""},
		{
			s.lookups.Start, args{lookups.Request{Product: catalog.CPF, Document: cpfs[0], ContactID: contact.ID}}, "",
			missing,
		},
		{s.lookups.Contact, args{contact.ID}, "", missing},
		{s.lookups.Show, args{asked.ID}, "", missing},
		{s.lookups.Opened, args{lookups.View{Entry: asked}}, "", missing},
		{s.lookups.Downloaded, args{lookups.View{Entry: asked}}, "", missing},
		{s.lookups.Tie, args{asked.ID, contact.ID}, "", missing},
		{s.lookups.Again, args{asked.ID}, "consulta_desconhecida", "consulta_desconhecida"},
		{s.lookups.Recent, args{5}, "", ""},
		{s.lookups.RecentDocuments, args{5}, "", ""},
		{s.lookups.Answers, args{lookups.View{Entry: asked}, 5}, "", ""},
		{s.lookups.Choices, args{asked.Document, "", map[string]string(nil)}, "", ""},
		{s.statement.SpentToday, nil, "", ""},
		{s.statement.Selected, args{lookups.StatementQuery{}}, "", ""},
		{s.statement.Selected, args{lookups.StatementQuery{OfKey: key.ID}}, forbidden, missing},
		{s.lookups.List, args{true, "", 5}, "", ""},
		{s.lookups.Search, args{true, "ana", 5}, "", ""},
		{s.statement.Budget, nil, "", ""},
		{s.statement.SpentByAccounts, args{[]string{ze}}, forbidden, ""},

		{s.webhooks.Create, args{intakeapp.NewWebhook{
			OrgID: s.orgID, Name: "w", Options: intake.Options{Kind: intake.Generic},
		}}, forbidden, missing},
		{s.webhooks.List, args{s.orgID}, forbidden, missing},
		{s.webhooks.Show, args{hook.ID}, forbidden, missing},
		{s.webhooks.Update, args{hook.ID, intakeapp.Change{Name: at("Página")}}, forbidden, missing},
		{s.webhooks.Regenerate, args{hook.ID, time.Duration(0)}, forbidden, missing},
		{s.webhooks.Unsettled, args{s.orgID, now()}, forbidden, missing},
		{s.webhooks.UnsettledOf, args{hook.Webhook, now(), webhook.Summary{}}, forbidden, missing},
		{s.webhooks.Latest, args{
			s.orgID, []webhook.Webhook{hook.Webhook}, webhook.Refused, []time.Time{now(), now().Add(time.Hour)},
			map[string][]webhook.Summary(nil),
		}, forbidden, missing},
		{s.webhooks.Days, args{s.orgID, "", []time.Time{now(), now().Add(time.Hour)}}, forbidden, missing},
		{s.intake.Deliveries, args{hook.ID, webhook.Outcome(""), "", 5}, forbidden, missing},
		{s.intake.Delivery, args{accepted.ID}, forbidden, missing},
		{s.intake.OpenDelivery, args{accepted.ID}, forbidden, missing},
		{s.intake.Explain, args{must(s.intake.Delivery(ctx, owner, accepted.ID)), ""}, forbidden, missing},
		{s.intake.Replay, args{accepted.ID}, forbidden, missing},
		{s.intake.Complete, args{accepted.ID, intakeapp.Completion{Email: "a@x.example"}}, forbidden, missing},
		{s.intake.Alike, args{hook.ID, "para"}, forbidden, missing},
		{s.intake.ReplayAlike, args{hook.ID}, forbidden, missing},
		{s.intake.Try, args{hook.ID, []byte(`{"email":"a@x.example"}`)}, forbidden, missing},

		{s.automations.Add, args{automations.NewAutomation{
			OrgID: s.orgID, Name: "a", Event: automation.ContactCreated, Action: automation.AddNote, Text: "oi",
		}}, forbidden, missing},
		{s.automations.Edit, args{rule.ID, automations.NewAutomation{
			Name: "b", Event: automation.ContactCreated, Action: automation.AddNote, Text: "oi",
		}}, forbidden, missing},
		{s.automations.List, args{s.orgID}, forbidden, missing},
		{s.automations.Find, args{rule.ID}, forbidden, missing},
		{s.automations.View, args{rule.ID}, forbidden, missing},
		{s.automations.Views, args{s.orgID}, forbidden, missing},
		{s.automations.SetPurpose, args{looks.ID, "cobranca"}, forbidden, missing},
		{s.automations.Refill, args{sends.ID, map[string]string{"webhook": slackWebhook + "/b"}}, forbidden, missing},
		{s.automations.SetEnabled, args{rule.ID, false}, forbidden, missing},
		{s.automations.Rehearse, args{rule.ID, contact.ID}, forbidden, missing},
		{s.automations.Newest, args{5}, forbidden, ""},
		{s.automations.Try, args{automations.NewAutomation{Event: automation.ContactCreated}}, forbidden, ""},
		{s.automations.Samples, args{automation.ContactCreated, ""}, forbidden, ""},
		{s.automations.Runs, args{s.orgID, automation.JobFilter{}, "", 5}, forbidden, missing},
		{s.automations.RunViews, args{automation.JobFilter{}, false, 5}, forbidden, ""},
		{s.automations.CountFailed, nil, forbidden, ""},
		{s.automations.RunAgain, args{s.ended(enabled, contact.ID, automation.Dead).ID}, forbidden, missing},
		{s.automations.RunFailedAgain, nil, forbidden, ""},
		{s.automations.CountWaiting, nil, forbidden, ""},
		{s.automations.RunWaitingNow, nil, forbidden, ""},
		{s.sessions.SignOutEverywhere, nil, "", ""},
		{s.audit.Page, args{privacy.AuditSearch{}, 5}, forbidden, ""},
		{s.audit.All, args{s.orgID, privacy.AuditSearch{}}, forbidden, missing},
		{s.audit.Verify, args{s.orgID, audit.Hash{}}, forbidden, missing},
		{s.links.Invite, args{ze}, forbidden, missing},
	}...)
}

// by calls the method as a caller, and returns the error among its results.
func (u use) by(ctx context.Context, caller app.Caller) (err error) {
	in := []reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(caller)}
	for _, a := range u.args {
		in = append(in, reflect.ValueOf(a))
	}
	results := reflect.ValueOf(u.method).Call(in)
	switch last := results[len(results)-1].Interface().(type) {
	case nil:
	case error:
		err = last
	default: // the contacts of Contacts.All
		results[0].Seq2()(func(_, e reflect.Value) bool { err, _ = e.Interface().(error); return false })
	}
	return err
}

// name returns a name such as "Members.Add".
func (u use) name() string {
	name := runtime.FuncForPC(reflect.ValueOf(u.method).Pointer()).Name() // fichario/app/team.(*Members).Add-fm
	name = strings.Replace(name, "agents.(*", "agents.(*Agent", 1)        // team has Sessions too
	return strings.NewReplacer(")", "", "-fm", "").Replace(name[strings.Index(name, "(*")+2:])
}

// TestWhoMayDoWhat calls every method that takes a caller. The zero caller may do nothing, a plain member only what
// everybody may, a stranger nothing here; a refused call changes nothing. An owner may do all of it, which also shows
// that the refused calls were valid otherwise.
func TestWhoMayDoWhat(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	template.Copy(t, path)
	s := newSetting(t, open(t, "sqlite://"+path), now)
	owner, member, stranger := s.add("dona", crm.Owner), s.add("ana", crm.Common), s.another().add("rui", crm.Owner)
	uses := s.uses(owner)
	db := must(sql.Open("sqlite", path))
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1) // it counts what others commit
	var used []string
	first := commits(t, db)
	for _, u := range uses {
		used = append(used, u.name())
		for _, c := range []struct {
			who  string
			by   app.Caller
			want string
		}{
			{"nobody", app.Caller{}, "?"}, {"a stranger", stranger, u.stranger}, {"a member", member, u.member},
			{"an owner", owner, ""},
		} {
			refused := c.want != "" && c.want != out // a wrong password is counted
			before := commits(t, db)
			err := u.by(t.Context(), c.by)
			code, _, _ := strings.Cut(said(err), " ")
			switch {
			case code == "estado_do_lote" && c.who == "an owner" && u.member == "": // the member has done it already
			case c.want != "?":
				equal(t, u.name()+" by "+c.who, code, c.want)
			case u.name() == "Sessions.SignOutEverywhere": // nobody has no sessions
			case u.name() == "Sessions.ChangeOwnPassword":
				equal(t, u.name()+" by nobody", said(err), "no fault: members.find: not found")
			default:
				equal(t, u.name()+" by nobody", slices.Contains([]string{
					missing, forbidden, unknown, "escopo_ausente", "consulta_desconhecida",
				}, code), true)
			}
			if refused && commits(t, db) != before {
				t.Errorf("%s by %s changes something", u.name(), c.who)
			}
		}
	}
	if commits(t, db) == first {
		t.Error("what is allowed changes nothing, or is not seen")
	}
	_, err := s.orgs.List(t.Context(), owner)
	equal(t, "all organisations, to an owner", said(err), forbidden)
	equal(t, "to the operator", len(must(s.orgs.List(t.Context(), app.Operator()))), 2)
	used = append(used, "Organisations.List", "Asker.Around")
	used = append(used, "Subjects.Replay")                                         // the operator's
	used = append(used, "Contacts.Merge", "Contacts.Part", "Contacts.PartToErase") // done once: see TestTwoContactsBecomeOne
	used = append(used, "Links.Link", "Factors.Reset", "Members.Unlink")           // the operator's: see TestOnlyTheOperatorMay

	for _, of := range []any{
		s.orgs, s.members, s.sessions, s.keys, s.funnels, s.origins, s.bundles, s.purposes, s.record, s.contacts,
		s.bulks, s.rotations, s.notifications, s.preferences, s.webhooks, s.automations, s.intake, s.lookups.Asker,
		s.lookups.Sheet, s.statement, s.dashboard, s.batches, s.audit, s.subjects, s.links, s.factors, s.agents(),
	} {
		for _, m := range slices.Collect(reflect.TypeOf(of).Methods()) {
			name := reflect.TypeOf(of).Elem().Name() + "." + m.Name
			if _, ok := of.(*agents.Sessions); ok {
				name = "Agent" + name
			}
			asks := slices.Contains(slices.Collect(m.Type.Ins()), reflect.TypeFor[app.Caller]())
			if asks && !slices.Contains(used, name) {
				t.Errorf("%s asks who calls, and nobody calls it here", name)
			}
		}
	}
}

// commits returns a number that changes when another connection to the database commits a change.
func commits(t *testing.T, db *sql.DB) any {
	t.Helper()
	return rows(t, db, "PRAGMA data_version")[0][0]
}

// contents returns all rows of all tables but some.
func contents(t *testing.T, db *sql.DB, but ...string) string {
	t.Helper()
	var all strings.Builder
	for _, table := range rows(t, db, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name") {
		if slices.Contains(but, table[0].(string)) {
			continue
		}
		all.WriteString(line(table, rows(t, db, "SELECT * FROM "+table[0].(string)), "\n"))
	}
	return all.String()
}

func rows(t *testing.T, db *sql.DB, query string) (all [][]any) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), query)
	done(err)
	defer func() { _ = found.Close() }()
	for found.Next() {
		row := make([]any, len(must(found.Columns())))
		into := make([]any, len(row))
		for i := range row {
			into[i] = &row[i]
		}
		done(found.Scan(into...))
		all = append(all, row)
	}
	done(found.Err())
	return all
}
