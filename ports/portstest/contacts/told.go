package contacts

import (
	"context"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// toldContacts: what platforms were told is kept once for each run, with those merged into a contact, and goes with the
// contact: an erasure keeps to whom and when.
func toldContacts(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), kit.Org(t, s)
	stage := kit.FunnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	all := kit.Made(t, s, crm.Contact{OrgID: o.ID, Name: "Ana", Email: "ana@example.com", StageID: stage},
		crm.Contact{OrgID: o.ID, Name: "Ana", Email: "ana@example.com", StageID: stage})
	add := func(told automation.Told) automation.Told {
		t.Helper()
		kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error { return r.Told.Add(ctx, told) }))
		return told
	}
	first := add(automation.Told{
		RunID: kit.ID(), OrgID: o.ID, ContactID: all[0].ID, Destination: "meta-capi", At: kit.At, Body: `{"data":[]}`,
		Ground: automation.Ground{Consent: "aceite"},
	})
	again := first
	again.Body, again.At = "outro", kit.At.Add(time.Minute)
	add(again)
	add(again)
	first.Body += "\noutro"
	other := add(automation.Told{
		RunID: kit.ID(), OrgID: o.ID, ContactID: all[1].ID, Destination: "google-ads", At: kit.At.Add(time.Second),
		Body: "{}", Ground: automation.Ground{Basis: "marketing"},
	})
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		if err := r.Told.Answered(ctx, o.ID, kit.ID(), kit.At); err != nil { // erased since
			return err
		}
		return r.Told.Answered(ctx, o.ID, first.RunID, kit.At.Add(time.Hour))
	}))
	first.AnsweredAt = kit.At.Add(time.Hour)
	got, err := repos.Told.OfContact(ctx, o.ID, all[0].ID)
	kit.Must(t, err)
	kit.Same(t, "what was told of a contact", got, []automation.Told{first})
	remove(t, s, crm.Removal{Contact: all[1], IntoID: all[0].ID, Before: all[0], After: all[0], At: kit.At})
	got, err = repos.Told.OfContact(ctx, o.ID, all[0].ID)
	kit.Must(t, err)
	kit.Same(t, "and of those merged into it", got, []automation.Told{first, other})

	p := &privacy.Person{OrgID: o.ID, Identities: []privacy.Identity{{Type: privacy.Email, Value: "ana@example.com"}}}
	kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		_, err := r.SubjectTraces.Erase(ctx, p, privacy.Contacts, []string{all[0].ID})
		return err
	}))
	kit.Same(t, "to whom and when", p.Told, []privacy.PassedOn{
		{To: "meta-capi", At: kit.At}, {To: "google-ads", At: kit.At.Add(time.Second)},
	})
	got, err = repos.Told.OfContact(ctx, o.ID, all[0].ID)
	kit.Must(t, err)
	kit.Same(t, "after the erasure", len(got), 0)
}
