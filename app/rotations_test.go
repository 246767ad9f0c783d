package app_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/contacts"
	"fichario/app/intake"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/tests/testkit/postgres"
)

// turning makes a webhook with a rotation of ana, who gets two of three, and leo.
func (s *setting) turning(owner, ana, leo app.Caller) (crm.Rotation, webhook.Hook) {
	s.t.Helper()
	made := must(s.rotations.Add(s.t.Context(), owner, s.orgID, "Vendas", []crm.RotationMember{
		{MemberID: ana.MemberID(), Weight: 2}, {MemberID: leo.MemberID(), Weight: 1},
	}))
	_, token, err := s.webhooks.Create(s.t.Context(), owner, intake.NewWebhook{
		OrgID: s.orgID, Name: "Site", Options: s.hook(webhook.Signature{}).Options, Rotation: "vendas",
	})
	done(err)
	return made, must(s.intake.Open(s.t.Context(), token.Reveal()))
}

// TestContactsAreGivenInTurn: members who are away or have left get none, and if nobody is there they go to the owner.
func TestContactsAreGivenInTurn(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, ana, leo := s.add("dona", crm.Owner), s.add("ana", crm.Common), s.add("leo", crm.Common)
	theirs := s.another().add("rui", crm.Owner)
	rotation, hook := s.turning(owner, ana, leo)
	names := map[string]string{owner.MemberID(): "dona", ana.MemberID(): "ana", leo.MemberID(): "leo"}
	given := func(n int) (all string) {
		t.Helper()
		hook = must(s.store.Repos().Webhooks.HookOf(t.Context(), ports.AnyOrg, hook.ID))
		for i := range n {
			all += names[s.contact(s.arrive(hook, fmt.Sprint("bia", i)).ID).AssigneeID] + " "
		}
		return all
	}
	equal(t, "given", given(6), "ana leo ana ana leo ana ")
	places := func(members ...crm.RotationMember) error {
		return s.rotations.Change(t.Context(), owner, rotation.ID, "Vendas", members, nil)
	}
	for what, c := range map[string]struct {
		members []crm.RotationMember
		want    string
	}{
		"no weight":   {[]crm.RotationMember{{MemberID: ana.MemberID()}}, "requisicao_invalida weight"},
		"much weight": {[]crm.RotationMember{{MemberID: ana.MemberID(), Weight: 11}}, "requisicao_invalida weight"},
		"another's":   {[]crm.RotationMember{{MemberID: theirs.MemberID(), Weight: 1}}, "nao_encontrado member"},
		"twice": {[]crm.RotationMember{
			{MemberID: ana.MemberID(), Weight: 1}, {MemberID: ana.MemberID(), Weight: 1},
		}, "requisicao_invalida members"},
	} {
		equal(t, what, said(places(c.members...)), c.want)
	}
	done(places(crm.RotationMember{MemberID: ana.MemberID(), Weight: 1, AwayUntil: s.now().Add(time.Hour)},
		crm.RotationMember{MemberID: leo.MemberID(), Weight: 1}))
	equal(t, "while ana is away", given(2), "leo leo ")
	equal(t, "what a trial says", must(s.intake.Try(t.Context(), owner, hook.ID, []byte(`{"email":"a@x.example"}`)))[0].Assignee,
		"a pessoa da vez no rodízio Vendas")
	done(places(crm.RotationMember{MemberID: ana.MemberID(), Weight: 1},
		crm.RotationMember{MemberID: leo.MemberID(), Weight: 1}))
	equal(t, "when only that has changed", strings.Contains(given(8), "ana"), true)
	done(places())
	equal(t, "with nobody there", given(1), "dona ")
	equal(t, "removed while in use", said(s.rotations.Remove(t.Context(), owner, rotation.ID)), "requisicao_invalida rotation")
	spare := must(s.rotations.Add(t.Context(), owner, s.orgID, "Reserva", nil))
	done(s.rotations.Remove(t.Context(), owner, spare.ID))
	equal(t, "removed again", said(s.rotations.Remove(t.Context(), owner, spare.ID)), "nao_encontrado rotation")
	view := must(s.rotations.Show(t.Context(), owner, rotation.ID))
	equal(t, "its webhooks", line(view.Webhooks), "[Site]")
	_, _, err := s.webhooks.Create(t.Context(), theirs, intake.NewWebhook{
		OrgID: theirs.OrgID(), Name: "Site", Options: hook.Options, Rotation: rotation.ID,
	})
	equal(t, "another's rotation", said(err), "nao_encontrado rotation")

	done(places(crm.RotationMember{MemberID: leo.MemberID(), Weight: 1}))
	rule, err := s.automations.Add(t.Context(), owner, automations.NewAutomation{
		OrgID: s.orgID, Name: "Dividir", Event: automation.ContactCreated, Action: automation.Assign,
		Member: automations.RotationPrefix + "Vendas",
	})
	done(err)
	equal(t, "whom it is given to", must(s.automations.View(t.Context(), owner, rule.ID)).Member, "o rodízio Vendas")
}

// TestTurnsAreExact over two instances, with concurrent posts, some of them repeated; each member gets the share of
// their weight, and the counts agree.
func TestTurnsAreExact(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { t.Helper(); return template.New(t) },
		"postgres": func(t *testing.T) string { t.Helper(); return postgres.New(t, migrate) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := url(t)
			s := newSetting(t, open(t, at), now)
			doors := []*intake.Intake{s.intake, intake.New(open(t, at), now).Mailing(true)}
			owner, ana, leo := s.add("dona", crm.Owner), s.add("ana", crm.Common), s.add("leo", crm.Common)
			rotation, hook := s.turning(owner, ana, leo)
			var all sync.WaitGroup
			for i := range 60 {
				body := fmt.Sprintf(`{"email":"p%d@x.example"}`, i)
				for _, door := range doors {
					all.Go(func() {
						if _, err := door.Receive(t.Context(), hook, post(body, "idempotency-key", body)); err != nil {
							t.Error(err)
						}
					})
				}
			}
			all.Wait()
			given, has := map[string]int{}, map[string]string{}
			for _, c := range must(s.contacts.List(t.Context(), owner, s.orgID, app.All)) {
				given[c.AssigneeID]++
				has[c.ID] = c.AssigneeID
			}
			done(s.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
				for _, event := range must(r.JobQueue.Lock(t.Context(), automation.FanOut, 100)) {
					var then crm.Contact
					equal(t, "the event's facts", line(event.Facts.Apply(&then), then.AssigneeID), line(true, has[event.ContactID]))
				}
				return nil
			}))
			equal(t, "given", line(given[ana.MemberID()], given[leo.MemberID()], len(given)), "40 20 2")
			counted := map[string]int{}
			for _, m := range must(s.rotations.Show(t.Context(), owner, rotation.ID)).Members {
				counted[m.MemberID] = m.Given
			}
			equal(t, "counted", line(counted), line(given))
		})
	}
}

// TestARotationInUseStays: of a removal and a choice at the same moment only one succeeds.
func TestARotationInUseStays(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		ctx, owner, hook := t.Context(), s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		rule := s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "oi"})
		dividing := automations.NewAutomation{
			OrgID: s.orgID, Name: "Dividir", Event: automation.ContactCreated, Action: automation.Assign,
		}
		for what, choose := range map[string]func(id string) error{
			"a webhook": func(id string) error {
				return s.webhooks.Update(ctx, owner, hook.ID, intake.Change{Rotation: &id})
			},
			"a new webhook": func(id string) error {
				_, _, err := s.webhooks.Create(ctx, owner, intake.NewWebhook{
					OrgID: s.orgID, Name: "Outro", Options: hook.Options, Rotation: id,
				})
				return err
			},
			"an automation": func(id string) error {
				n := dividing
				n.Member = automations.RotationPrefix + id
				return s.automations.Edit(ctx, owner, rule.ID, n)
			},
			"a new automation": func(id string) error {
				n := dividing
				n.Member = automations.RotationPrefix + id
				_, err := s.automations.Add(ctx, owner, n)
				return err
			},
		} {
			early := must(s.rotations.Add(ctx, owner, s.orgID, "Vendas", nil))
			store := meanwhile{s.store, func() { done(choose(early.ID)) }}
			equal(t, what+" just before it is removed",
				said(contacts.NewRotations(store, s.now).Remove(ctx, owner, early.ID)), "requisicao_invalida rotation")
			for range meetings {
				made := must(s.rotations.Add(ctx, owner, s.orgID, "Vendas", nil))
				var chosen, removed error
				both(func(i int) {
					if i == 0 {
						chosen = choose(made.ID)
					} else {
						removed = s.rotations.Remove(ctx, owner, made.ID)
					}
				})
				if (chosen == nil) == (removed == nil) {
					t.Errorf("%s: chosen: %v, removed: %v", what, chosen, removed)
				}
			}
		}
	})
}

// TestNoRotationGoesWhileAnAutomationIsUnreadable, because that one may use it.
func TestNoRotationGoesWhileAnAutomationIsUnreadable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	template.Copy(t, path)
	s := newSetting(t, open(t, "sqlite://"+path), now)
	owner := s.add("dona", crm.Owner)
	made := must(s.rotations.Add(t.Context(), owner, s.orgID, "Vendas", nil))
	rule := s.rule(automations.NewAutomation{Action: automation.Assign, Member: automations.RotationPrefix + "Vendas"})
	db := must(sql.Open("sqlite", path))
	defer db.Close()
	must(db.ExecContext(t.Context(), "UPDATE automations SET action = x'00'"))
	remove := func() string { return said(s.rotations.Remove(t.Context(), owner, made.ID)) }
	equal(t, "unreadable", remove(), "requisicao_invalida rotation")
	done(s.automations.Edit(t.Context(), owner, rule.ID, automations.NewAutomation{
		Name: "Anotar", Event: automation.ContactCreated, Action: automation.AddNote, Text: "oi",
	}))
	equal(t, "described anew", remove(), "")
}
