package contacts

import (
	"context"
	"testing"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func origins(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), kit.Org(t, s), kit.Org(t, s)
	indication, google := kit.Origin(t, s, o.ID, "Indicação"), kit.Origin(t, s, o.ID, "Google Ads")
	kit.Origin(t, s, other.ID, "INDICACAO")
	again := crm.Origin{ID: kit.ID(), OrgID: o.ID, Name: "INDICACAO"}
	kit.WantErr(t, "an origin that differs by case and accents", repos.Origins.Create(ctx, again), ports.ErrExists)
	list := func(what string, want ...crm.Origin) {
		t.Helper()
		got, err := repos.Origins.List(ctx, o.ID)
		kit.Must(t, err)
		kit.Same(t, what, got, want)
	}
	list("origins by name", google, indication)

	google.Name = "Pesquisa"
	kit.Must(t, repos.Origins.Rename(ctx, google))
	list("a renamed origin", indication, google)
	taken := crm.Origin{ID: google.ID, OrgID: o.ID, Name: "INDICACAO"}
	kit.WantErr(t, "a name that another has", repos.Origins.Rename(ctx, taken), ports.ErrExists)
	theirs := crm.Origin{ID: google.ID, OrgID: other.ID, Name: "x"}
	kit.WantErr(t, "another organisation's origin renamed", repos.Origins.Rename(ctx, theirs), ports.ErrNotFound)
	kit.WantErr(t, "another organisation's origin removed", repos.Origins.Remove(ctx, theirs), ports.ErrNotFound)

	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	bia := kit.Made(t, s, crm.Contact{OrgID: o.ID, Name: "Bia", Email: "bia@example.com", StageID: stage,
		OriginID: indication.ID})[0]
	kit.WantErr(t, "an origin that contacts have", repos.Origins.Remove(ctx, indication), ports.ErrExists)
	w, _ := kit.Hook(t, s, o.ID)
	w.OriginID = google.ID
	kit.Must(t, repos.Webhooks.Update(ctx, w, kit.At))
	kit.WantErr(t, "an origin that a webhook has", repos.Origins.Remove(ctx, google), ports.ErrExists)
	w.OriginID = ""
	kit.Must(t, repos.Webhooks.Update(ctx, w, kit.At))
	rule := automation.Automation{
		ID: kit.ID(), OrgID: o.ID, Name: "Nota", Event: automation.ContactCreated,
		Conditions: automation.Conditions{OriginID: google.ID},
		Action:     automation.Action{Kind: automation.AddNote, Text: "Oi"}, CreatedAt: kit.At,
	}
	kit.Must(t, repos.Automations.Create(ctx, rule))
	kit.WantErr(t, "an origin that an automation has", repos.Origins.Remove(ctx, google), ports.ErrExists)
	rule.Conditions.OriginID = ""
	kit.Must(t, repos.Automations.Update(ctx, rule))
	kit.Must(t, repos.Origins.Remove(ctx, google))
	list("what is left", indication)
	bia.OriginID = google.ID
	event := crm.Event{ID: kit.ID(), OrgID: o.ID, ContactID: bia.ID, Kind: crm.ContactEdited, Actor: "Ana", At: kit.At}
	kit.WantErr(t, "a contact that is given a removed origin", s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.Contacts.Edit(ctx, bia, event)
	}), ports.ErrNotFound)
	bia.ID = kit.ID()
	kit.WantErr(t, "a contact with a removed origin", s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		return r.Contacts.Create(ctx, bia, event)
	}), ports.ErrNotFound)
}
