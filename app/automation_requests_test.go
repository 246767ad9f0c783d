package app_test

import (
	"strings"
	"testing"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/lookups"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

const ownDestination = `name: meu-crm
title: Meu CRM
repeat: Não há chave.
fields: { token: { title: Token, secret: true }, account: { title: Conta } }
address: https://${account}.crm.example/leads
headers: { X-Token: "${token}" }
body: '{nome: $contact.nome}'
`

// TestFormsAreHeldToTheirShape: a fault names the field, and fields that an action does not use are refused.
func TestFormsAreHeldToTheirShape(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	type form = automations.RequestForm
	const url = "https://x.example/a"
	for _, c := range []struct {
		what, url string
		form      form
		want      string
	}{
		{"a method", url, form{Method: "PUT"}, ""},
		{"an unknown method", url, form{Method: "TRACE"}, "method"},
		{"jq that does not compile", url, form{Body: "{"}, "body"},
		{"a done that does not", url, form{Done: "env"}, "done"},
		{"a secret that is missing", url, form{Headers: []automation.Header{{Name: "X-A", Value: "${T}"}}}, "set.T"},
		{"a secret in the address", url + "/${T}", form{}, "set.T"},
		{"a destination", "", form{Destination: "slack", Values: map[string]string{
			"webhook": "https://hooks.slack.com/services/a"}}, ""},
		{"an unknown one", "", form{Destination: "nenhum"}, "destination"},
		{"one that is not filled in", "", form{Destination: "hubspot"}, "set.token"},
		{"one with an address", url, form{Destination: "hubspot"}, "url"},
		{"one with a body", "", form{Destination: "hubspot", Body: "."}, "body"},
		{"a file", "", form{Destination: "a.yaml", DestinationFile: ownDestination, Values: map[string]string{
			"token": "t0k", "account": "a"}}, ""},
		{"a bad file", "", form{Destination: "a.yaml", DestinationFile: "name: x"}, "destination"},
	} {
		_, err := s.automations.Add(t.Context(), app.Operator(), automations.NewAutomation{
			OrgID: s.orgID, Name: "Regra", Event: automation.ContactCreated, Action: automation.HTTP, URL: c.url,
			RequestForm: c.form,
		})
		got := said(err)
		equal(t, c.what, got[strings.LastIndexByte(got, ' ')+1:], c.want)
	}
	_, err := s.automations.Add(t.Context(), app.Operator(), automations.NewAutomation{
		OrgID: s.orgID, Name: "Regra", Event: automation.ContactCreated, Action: automation.AddNote, Text: "oi",
		RequestForm: form{Method: "PUT"},
	})
	equal(t, "of another action", said(err), "requisicao_invalida method")
	all := must(s.automations.List(t.Context(), app.Operator(), s.orgID))
	equal(t, "the file's name", all[len(all)-1].Action.Destination, "meu-crm")
}

// TestSecretsStayWhereTheyGo: an edit that does not repeat the secrets keeps them, unless they would go elsewhere.
func TestSecretsStayWhereTheyGo(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	rule := s.rule(automations.NewAutomation{Action: automation.HTTP, RequestForm: automations.RequestForm{
		Destination: "a.yaml", DestinationFile: ownDestination, Values: map[string]string{"token": "t0k", "account": "minha"},
	}})
	edit := func(n automations.NewAutomation) error {
		n.Name, n.Event, n.Action = "Outro nome", automation.ContactCreated, automation.HTTP
		return s.automations.Edit(t.Context(), owner, rule.ID, n)
	}
	now := func() automation.Automation { return must(s.automations.Find(t.Context(), owner, rule.ID)) }
	with := func(values map[string]string) automations.NewAutomation {
		return automations.NewAutomation{RequestForm: automations.RequestForm{Destination: "meu-crm", Values: values}}
	}
	done(edit(with(map[string]string{"account": "minha"})))
	equal(t, "kept", line(now().Name, now().Action.Values["token"]), "Outro nome t0k")
	equal(t, "to another account",
		said(edit(with(map[string]string{"account": "outra"}))), "requisicao_invalida set.token")
	done(edit(with(map[string]string{"account": "outra", "token": "novo"})))
	equal(t, "given again", now().Action.Values["token"], "novo")
	done(edit(automations.NewAutomation{KeepAction: true}))
	equal(t, "the action as it is", now().Action.Values["token"], "novo")
	_, err := s.automations.Add(t.Context(), owner, automations.NewAutomation{
		OrgID: s.orgID, Name: "Nova", Event: automation.ContactCreated, Action: automation.HTTP, KeepAction: true,
	})
	equal(t, "a new one has none to keep", said(err), "requisicao_invalida url")
}

// TestSecretsOfATenantStayThere: the account of a shipped destination is in the name of its host.
func TestSecretsOfATenantStayThere(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	for destination, tenant := range map[string]string{"pipedrive": "company", "kommo": "account"} {
		values := map[string]string{tenant: "minha", "token": "t0k"}
		rule := s.rule(automations.NewAutomation{
			Action: automation.HTTP, RequestForm: automations.RequestForm{Destination: destination, Values: values},
		})
		for given, want := range map[string]string{"minha": "", "outra": "requisicao_invalida set.token"} {
			err := s.automations.Edit(t.Context(), owner, rule.ID, automations.NewAutomation{
				Name: "Regra", Event: automation.ContactCreated, Action: automation.HTTP,
				RequestForm: automations.RequestForm{Destination: destination, Values: map[string]string{tenant: given}},
			})
			equal(t, destination+" of "+given, said(err), want)
			err = s.automations.Refill(t.Context(), owner, rule.ID, map[string]string{tenant: given})
			equal(t, destination+" refilled for "+given, said(err), want)
		}
	}
	rule := s.rule(automations.NewAutomation{
		Action: automation.HTTP, URL: "https://${CONTA}.example.com/a", RequestForm: automations.RequestForm{
			Headers: []automation.Header{{Name: "X-Token", Value: "${TOKEN}"}},
			Values:  map[string]string{"TOKEN": "t0k", "CONTA": "minha"},
		},
	})
	err := s.automations.Refill(t.Context(), owner, rule.ID, map[string]string{"CONTA": "outra"})
	equal(t, "a request of one's own", said(err), "requisicao_invalida set.TOKEN")
}

// TestAFormIsGivenUp: an edit back to the plain address needs nothing that only the form had.
func TestAFormIsGivenUp(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	rule := s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://x.example/a",
		RequestForm: automations.RequestForm{
			Headers: []automation.Header{{Name: "X-Token", Value: "${TOKEN}"}}, Values: map[string]string{"TOKEN": "t0k"},
		}})
	done(s.automations.Edit(t.Context(), owner, rule.ID, automations.NewAutomation{
		Name: "Regra", Event: automation.ContactCreated, Action: automation.HTTP, URL: "https://x.example/a",
	}))
	got := must(s.automations.Find(t.Context(), owner, rule.ID)).Action
	equal(t, "the plain action", line(got.HasForm(), got.Secret == rule.Action.Secret), "false true")
}

// TestARehearsalLooksAtTheExpression on the newest event of the contact, and says why it would not run.
func TestARehearsalLooksAtTheExpression(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	c := s.arrive(s.hook(webhook.Signature{}), "bia")
	request := automations.RequestForm{Body: "{quem: (.contato.nome // .nome), produto}"}
	try := func(event automation.EventName, when string) string {
		rule := must(s.automations.Add(t.Context(), owner, automations.NewAutomation{
			OrgID: s.orgID, Name: "Regra", Event: event, When: when, Action: automation.HTTP, URL: "https://x.example/a",
			RequestForm: request,
		}))
		got := must(s.automations.Rehearse(t.Context(), owner, rule.ID, c.ID))
		return line(got.Runs, got.Conditions, got.WhenProblem, got.Request.Body)
	}
	const lead, score = `{"produto":null,"quem":"bia"}`, `.produto == "cpf"`
	equal(t, "it holds", try(automation.ContactCreated, `.nome == "bia"`), "true [{when true}]  "+lead)
	equal(t, "it does not", try(automation.ContactCreated, `.nome == "rui"`), "false [{when false}]  "+lead)
	equal(t, "it fails", try(automation.ContactCreated, ".nome"),
		"false [{when false}] a expressão não dá verdadeiro nem falso "+lead)
	equal(t, "without an event", try(automation.LookupCompleted, score),
		"false [{when false}] ainda não há um evento destes "+
			"com este contato, e não foi possível experimentar a expressão ")
	must(s.ask(owner, lookups.Request{Document: cpfs[0], ContactID: c.ID}))
	must(s.ask(owner, lookups.Request{Document: cpfs[1]}))
	equal(t, "on a lookup", try(automation.LookupCompleted, score), `true [{when true}]  {"produto":"cpf","quem":"bia"}`)
	equal(t, "of another product", try(automation.LookupCompleted, `.produto == "cnpj"`),
		`false [{when false}]  {"produto":"cpf","quem":"bia"}`)
}

// TestARehearsalShowsTheRequest without its secrets, and without sending anything.
func TestARehearsalShowsTheRequest(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	c := s.arrive(s.hook(webhook.Signature{}), "bia")
	rule := s.rule(automations.NewAutomation{Action: automation.HTTP, RequestForm: automations.RequestForm{
		Destination: "pipedrive", Values: map[string]string{"token": "t0k3n", "company": "loja"},
	}})
	got := must(s.automations.Rehearse(t.Context(), owner, rule.ID, c.ID))
	equal(t, "request", line(got.Request.Method, got.Request.Address), "POST https://loja.pipedrive.com/api/v2/persons")
	equal(t, "body", got.Request.Body, `{"emails":[{"label":"work","primary":true,"value":"bia@x.example"}],"name":"bia"}`)
	equal(t, "search", strings.HasPrefix(got.Request.Search.Address,
		"https://loja.pipedrive.com/api/v2/persons/search?"), true)
	equal(t, "secret", strings.Contains(line(got.Request, *got.Request.Search), "t0k3n"), false)
	theirs := s.another()
	foreign := theirs.arrive(theirs.hook(webhook.Signature{}), "rui")
	_, err := s.automations.Rehearse(t.Context(), app.Operator(), rule.ID, foreign.ID)
	equal(t, "a contact of others", said(err), "nao_encontrado contact")
}

// TestARehearsalNeedsAnEvent: without a past event the request would be made up.
func TestARehearsalNeedsAnEvent(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	c := s.arrive(s.hook(webhook.Signature{}), "bia")
	for event, want := range map[automation.EventName]string{
		automation.ContactMoved:    "POST ",
		automation.LookupCompleted: " ainda não há um evento destes com este contato, e não foi possível experimentar o pedido",
		automation.BatchCompleted:  " ainda não há um evento destes, e não foi possível experimentar o pedido",
	} {
		rule := must(s.automations.Add(t.Context(), owner, automations.NewAutomation{
			OrgID: s.orgID, Name: "Regra", Event: event, Action: automation.HTTP, URL: "https://x.example/a",
		}))
		got := must(s.automations.Rehearse(t.Context(), owner, rule.ID, c.ID))
		equal(t, string(event), got.Request.Method+" "+got.Problem, want)
	}
}

// TestARequestIsFilledInAnew: an expired token is replaced without describing the request again, and no secret is sent
// elsewhere.
func TestARequestIsFilledInAnew(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	type values = map[string]string
	file := s.rule(automations.NewAutomation{Action: automation.HTTP, RequestForm: automations.RequestForm{
		Destination: "a.yaml", DestinationFile: ownDestination, Values: values{"token": "t0k", "account": "minha"},
	}})
	kommo := s.rule(automations.NewAutomation{Action: automation.HTTP, RequestForm: automations.RequestForm{
		Destination: "kommo", Values: values{"token": "t0k", "account": "minha", "pipeline": "7"},
	}})
	plain := s.rule(automations.NewAutomation{Action: automation.HTTP, URL: "https://x.example/${A}",
		RequestForm: automations.RequestForm{
			Headers: []automation.Header{{Name: "X-B", Value: "${B}"}}, Values: values{"A": "a", "B": "b"},
		}})
	for _, c := range []struct {
		what string
		rule automation.Automation
		give values
		want string // the fault, or the values filled in
	}{
		{"another token", file, values{"token": "novo"}, "map[account:minha token:novo]"},
		{"another account", file, values{"account": "outra"}, "requisicao_invalida set.token"},
		{"both", file, values{"account": "outra", "token": "dela"}, "map[account:outra token:dela]"},
		{"what it has not", file, values{"nada": "x"}, "requisicao_invalida set.nada"},
		{"another account of the same house", kommo, values{"account": "outra"}, "requisicao_invalida set.token"},
		{"another pipeline", kommo, values{"pipeline": ""}, "map[account:minha pipeline: status: token:t0k]"},
		{"a secret of an address", plain, values{"B": "c"}, "requisicao_invalida set.A"},
		{"all of them", plain, values{"A": "d", "B": "c"}, "map[A:d B:c]"},
		{"an action without a request", s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "oi"}),
			values{"A": "d"},
			"requisicao_invalida set"},
	} {
		err := s.automations.Refill(t.Context(), owner, c.rule.ID, c.give)
		got := said(err)
		if err == nil {
			now := must(s.automations.View(t.Context(), owner, c.rule.ID))
			got = line(now.Action.Values)
			equal(t, c.what+": the rest", line(now.Action.URL, now.Action.Destination, now.Action.Secret, now.Enabled),
				line(c.rule.Action.URL, c.rule.Action.Destination, c.rule.Action.Secret, true))
			equal(t, c.what+": its fields are described", len(now.Destination.Fields), len(now.Action.Values))
		}
		equal(t, c.what, got, c.want)
	}
}

// TestTheAuditSaysWhereContactsGo: to which destination, and which of its fields were filled in anew, but not the
// values.
func TestTheAuditSaysWhereContactsGo(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	n := automations.NewAutomation{
		OrgID: s.orgID, Name: "CRM", Event: automation.ContactCreated, Action: automation.HTTP,
		RequestForm: automations.RequestForm{Destination: "hubspot", Values: map[string]string{"token": "t0k-um"}},
	}
	rule := must(s.automations.Add(t.Context(), owner, n))
	n.Destination, n.Values = "kommo", map[string]string{"token": "t0k-dois", "account": "loja"}
	done(s.automations.Edit(t.Context(), owner, rule.ID, n))
	n.Values = map[string]string{"token": "t0k-três", "account": "loja"}
	done(s.automations.Edit(t.Context(), owner, rule.ID, n))
	n.Destination, n.Values, n.URL, n.Method = "", nil, "https://x.example/a", "PUT"
	done(s.automations.Edit(t.Context(), owner, rule.ID, n))
	var got []string
	for _, l := range s.lines(0) {
		if l.Object == rule.ID {
			got = append(got, strings.TrimSpace(l.Detail["destino"]+" "+l.Detail["metodo"]+" ("+l.Detail["preenchido"]+")"))
		}
		if strings.Contains(line(l.Detail), "t0k") {
			t.Error("a secret is in the audit")
		}
	}
	equal(t, "lines", strings.Join(got, "; "), "hubspot  (token); hubspot → kommo  (account, token); (token); "+
		"kommo →   → PUT (account, token)")
}

// TestAnAutomationThatCouldNeverDoAnythingIsRefused: an action that needs a contact, on an event that never has one.
func TestAnAutomationThatCouldNeverDoAnythingIsRefused(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	call := automations.NewAutomation{Action: automation.HTTP, URL: "https://x.example/a"}
	for what, c := range map[string]struct {
		change func(*automations.NewAutomation)
		want   string
	}{
		"a call":         {func(*automations.NewAutomation) {}, ""},
		"a webhook":      {func(n *automations.NewAutomation) { n.WebhookID = hook.ID }, "requisicao_invalida webhook"},
		"a least amount": {func(n *automations.NewAutomation) { n.MinAmount = catalog.Real }, "requisicao_invalida minValue"},
		"a note": {func(n *automations.NewAutomation) {
			*n = automations.NewAutomation{Action: automation.AddNote, Text: "oi"}
		}, "requisicao_invalida event"},
		"a stage": {func(n *automations.NewAutomation) {
			*n = automations.NewAutomation{Action: automation.MoveStage, Stage: "Proposta"}
		}, "requisicao_invalida event"},
		"an e-mail to the contact": {func(n *automations.NewAutomation) {
			*n = automations.NewAutomation{Action: automation.Email, To: "contact", Subject: "s", Text: "t"}
		}, "requisicao_invalida event"},
		"an e-mail to somebody": {func(n *automations.NewAutomation) {
			*n = automations.NewAutomation{Action: automation.Email, To: "ana@x.example", Subject: "s", Text: "t"}
		}, ""},
	} {
		n := call
		c.change(&n)
		n.OrgID, n.Name, n.Event = s.orgID, "Regra", automation.BatchCompleted
		_, err := s.automations.Add(t.Context(), app.Operator(), n)
		equal(t, what, said(err), c.want)
	}
}

// TestTwoChangesOfOneAutomation: a change does not undo a concurrent one.
func TestTwoChangesOfOneAutomation(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	s.purpose("credito")
	s.purpose("cobranca")
	files := automations.RequestForm{
		Destination: "a.yaml", DestinationFile: ownDestination, Values: map[string]string{"token": "t0k", "account": "a"},
	}
	post := s.rule(automations.NewAutomation{Action: automation.HTTP, RequestForm: files})
	ask := s.rule(automations.NewAutomation{
		Action: automation.Lookup, Product: catalog.CPF, Ceiling: catalog.Real, Purpose: "credito",
	})
	refill := func(a *automations.Automations) error {
		return a.Refill(t.Context(), owner, post.ID, map[string]string{"token": "outro", "account": "a"})
	}
	rename := func(id string) func(*automations.Automations) error {
		return func(a *automations.Automations) error {
			old := must(s.automations.Find(t.Context(), owner, id))
			return a.Edit(t.Context(), owner, id, automations.NewAutomation{
				Name: old.Name + "!", Event: automation.ContactCreated, KeepAction: true,
			})
		}
	}
	purpose := func(a *automations.Automations) error { return a.SetPurpose(t.Context(), owner, ask.ID, "cobranca") }
	credit := func(a *automations.Automations) error { return a.SetPurpose(t.Context(), owner, ask.ID, "credito") }
	for _, c := range []struct {
		what          string
		first, second func(*automations.Automations) error
		id, want      string
	}{
		{"filled in while it is edited", refill, rename(post.ID), post.ID, "http! outro "},
		{"edited while it is filled in", rename(post.ID), refill, post.ID, "http!! outro "},
		{"a purpose while it is edited", purpose, rename(ask.ID), ask.ID, "lookup!  cobranca"},
		{"edited while it gets a purpose", rename(ask.ID), credit, ask.ID, "lookup!!  credito"},
	} {
		store := meanwhile{s.store, func() { done(c.first(s.automations)) }}
		done(c.second(automations.New(store, s.now, means(true))))
		is := must(s.automations.Find(t.Context(), owner, c.id))
		equal(t, c.what, line(is.Name, is.Action.Values["token"], is.Action.Purpose), c.want)
	}
}
