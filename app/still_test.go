package app_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/webhook"
)

// unless is the check of a change by somebody who saw a version of the row.
func unless[T any](saw func(T) bool) app.Still[T] {
	return func(now T) error {
		if saw(now) {
			return nil
		}
		return app.Invalid("versao", "mudou")
	}
}

// TestOneOfTheChangesOfWhatWasSeenIsMade: of several at once by people who saw the same, the others are refused,
// because the check holds the row that the change writes.
func TestOneOfTheChangesOfWhatWasSeenIsMade(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		ana := s.add("ana", crm.Common).MemberID()
		key, _ := s.key(wide)
		s.purpose("credito")
		hook := s.hook(webhook.Signature{}).ID
		rule := s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "oi"}).ID
		ctx, funnel := t.Context(), s.funnel(owner)
		bundle := must(s.bundles.Add(ctx, owner, s.orgID, "Pacote", []string{"cpf", "score"}))
		rotation := must(s.rotations.Add(ctx, owner, s.orgID, "Vendas", nil)).ID
		for what, change := range map[string]func(ctx context.Context, name string, i int) error{
			"member": func(ctx context.Context, name string, _ int) error {
				return s.members.Update(ctx, owner, ana, team.MemberChange{
					Name: &name, Still: unless(func(m crm.Member) bool { return m.Name == "ana" }),
				})
			},
			"key": func(ctx context.Context, _ string, i int) error {
				_, err := s.keys.Change(ctx, owner, key.ID, lookups.KeyChange{
					PerDay: &i, Still: unless(func(k access.Key) bool { return k.Limits == wide }),
				})
				return err
			},
			"purpose": func(ctx context.Context, name string, _ int) error {
				_, err := s.purposes.Set(ctx, owner, s.orgID, "credito", privacy.PurposeChange{
					Name: &name, Still: unless(func(p crm.Purpose) bool { return p.Name == "Para credito" }),
				})
				return err
			},
			"webhook": func(ctx context.Context, name string, _ int) error {
				return s.webhooks.Update(ctx, owner, hook, intake.Change{
					Name: &name, Still: unless(func(w webhook.Webhook) bool { return w.Name == "Site" }),
				})
			},
			"automation": func(ctx context.Context, name string, _ int) error {
				return s.automations.Edit(ctx, owner, rule, automations.NewAutomation{
					Name: name, Event: automation.ContactCreated, Action: automation.AddNote, Text: "olá",
					Still: unless(func(a automation.Automation) bool { return a.Name == "add_note" }),
				})
			},
			"bundle": func(ctx context.Context, name string, _ int) error {
				changed := catalog.Bundle{ID: bundle.ID, OrgID: s.orgID, Name: name, Products: bundle.Products}
				return s.bundles.Change(ctx, owner, changed,
					unless(func(b catalog.Bundle) bool { return b.Name == "Pacote" }))
			},
			"rotation": func(ctx context.Context, name string, _ int) error {
				return s.rotations.Change(ctx, owner, rotation, name, nil,
					unless(func(r crm.Rotation) bool { return r.Name == "Vendas" }))
			},
			"stage": func(ctx context.Context, name string, _ int) error {
				return s.funnels.EditStage(ctx, owner, funnel.ID, funnel.Stages[1].ID, name, crm.Open,
					unless(func(g crm.Stage) bool { return g.Name == funnel.Stages[1].Name }))
			},
		} {
			var all sync.WaitGroup
			ended := make([]error, 6)
			for i := range ended {
				all.Go(func() { ended[i] = change(ctx, fmt.Sprint("Outro nome ", i), 10+i) })
			}
			all.Wait()
			made := 0
			for _, err := range ended {
				switch {
				case err == nil:
					made++
				case fault.CodeOf(err) != fault.InvalidRequest || app.FaultOf(err).Field != "versao":
					t.Errorf("%s: %v", what, err)
				}
			}
			equal(t, what, made, 1)
		}
	})
}
