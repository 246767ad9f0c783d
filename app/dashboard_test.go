package app_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"fichario/app/automations"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
)

// TestDaysOfTheDashboard: each appears once, even where a day has no midnight.
func TestDaysOfTheDashboard(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ana := s.add("ana", crm.Common)
	for zone, now := range map[string]time.Time{
		"America/Santiago":  time.Date(2026, 9, 10, 15, 0, 0, 0, time.UTC),
		"America/Sao_Paulo": time.Date(2018, 11, 8, 15, 0, 0, 0, time.UTC),
	} {
		calendar := access.Calendar{Location: must(time.LoadLocation(zone))}
		d := lookups.NewDashboard(s.store, catalog.Standard(), calendar, func() time.Time { return now })
		seen := map[string]bool{}
		for _, day := range must(d.Look(t.Context(), ana, 14)).Days {
			seen[day.Start.Format(time.DateOnly)] = true
		}
		equal(t, "days in "+zone, len(seen), 14)
	}
}

// TestWhatAccruesInAMonthCountsEachDayOnce, even where a day has no midnight.
func TestWhatAccruesInAMonthCountsEachDayOnce(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	by, ana := s.byKey(wide), s.add("ana", crm.Common)
	zone := access.Calendar{Location: must(time.LoadLocation("America/Santiago"))}
	begin := time.Date(2026, 9, 1, 15, 0, 0, 0, time.UTC) // and the clock goes forward at the beginning of the sixth
	for day := range 10 {
		at := begin.AddDate(0, 0, day)
		must(s.store.Repos().Calls.Begin(t.Context(), ports.Charge{Takes: timeout, Caps: wide, Entry: lookup.Entry{
			ID: lookups.NewKeyID(), OrgID: s.orgID, KeyID: by.KeyID(), Product: catalog.CPF, At: at, Status: lookup.Running,
			Charged: true, Amount: catalog.Money(1) << day, Day: zone.Day(at), Month: zone.Month(at),
			Document: must(products()[0].Parse(cpfs[0])),
		}}))
	}
	now := begin.AddDate(0, 0, 9).Add(-11 * time.Hour) // soon after midnight
	d := lookups.NewDashboard(s.store, catalog.Standard(), zone, func() time.Time { return now })
	month := must(d.Look(t.Context(), ana, 7)).Accrued[0]
	equal(t, "the month", line(month.Start.Format(time.DateOnly), month.Days), "2026-09-01 30")
	equal(t, "day by day", fmt.Sprint(month.Spent), fmt.Sprint([]catalog.Money{
		1, 3, 7, 15, 31, 63, 127, 255, 511, 1023,
	}))
}

// TestTheDashboardAddsUp: what came by webhooks and by hand, what was looked up, what history saved, and for those who
// manage what needs attention.
func TestTheDashboardAddsUp(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
	hook := s.hook(webhook.Signature{})
	s.arrive(hook, "bia")
	s.arrive(hook, "rui")
	_, _ = s.intake.Receive(t.Context(), hook, post(`{"nome":"sem e-mail"}`))
	must(s.contacts.Create(t.Context(), owner, contacts.ContactForm{Name: "Lia", Email: "l@x.example"}))
	key, secret, err := s.keys.Create(t.Context(), owner, lookups.NewKey{
		OrgID: s.orgID, Name: "k", Scopes: []document.Type{document.CPF},
		Limits: access.Limits{PerMinute: 10, PerDay: 5, PerMonth: 1},
	})
	done(err)
	by := must(s.keys.Authenticate(t.Context(), secret.Reveal(), netip.Addr{}))
	for range 3 {
		must(s.lookups.Do(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
	}

	seen := must(s.dashboard.Look(t.Context(), owner, 7))
	today := seen.Days[6]
	for _, day := range []lookups.Day{today, seen.Total} {
		equal(t, "contacts", fmt.Sprint(day.Contacts[hook.ID], day.Contacts[""], day.ContactCount()), "2 1 3")
		equal(t, "lookups", fmt.Sprint(day.Charged, day.Cached), "1 2")
		equal(t, "spent and saved", fmt.Sprint(int(day.Spent), int(day.Saved)), "4500 9000")
	}
	equal(t, "the day before", fmt.Sprint(seen.Days[5].ContactCount(), seen.Days[5].Charged), "0 0")
	_, moveErr := s.contacts.Move(t.Context(), owner, seen.Newest[0].ID, seen.Funnel[1].Stage.ID)
	done(moveErr)
	var reached []string
	for funnel := must(s.dashboard.Look(t.Context(), owner, 7)); len(reached) < 3; {
		stage := funnel.Funnel[len(reached)]
		reached = append(reached, fmt.Sprint(stage.Count, stage.Reached, funnel.Percent(stage)))
	}
	equal(t, "how far they have come", strings.Join(reached, ", "), "2 3 100, 1 1 33, 0 0 0")
	equal(t, "newest", seen.Newest[0].Name+", "+seen.Newest[2].Name, "Lia, bia")
	if last := &seen.Attention[0]; last.At.IsZero() || !strings.Contains(last.Why, "e-mail") {
		t.Errorf("the last refusal was %s: %q", last.At, last.Why)
	} else {
		last.At, last.Why = time.Time{}, ""
	}
	equal(t, "attention", fmt.Sprint(seen.Attention), fmt.Sprint([]lookups.Attention{
		{Kind: "refused", ID: hook.ID, Name: "Site", Count: 1}, {Kind: "cap", ID: key.ID, Name: "k", Count: 100},
	}))
	rule := s.rule(automations.NewAutomation{Action: automation.AddNote, Text: "oi"})
	for range 101 {
		s.ended(rule, "", automation.Dead)
	}
	equal(t, "runs that failed", must(s.dashboard.Look(t.Context(), owner, 7)).Attention[1].Count,
		must(s.automations.CountFailed(t.Context(), owner)))
	equal(t, "open contacts", seen.Open.Count, 3)
	equal(t, "what comes first", seen.Steps, lookups.Steps{Webhook: true, Team: true, Lookup: true, Key: true})
	month := seen.Accrued[0]
	equal(t, "spent up to today", month.Spent[len(month.Spent)-1], 4500)
	equal(t, "attention of who does not manage", len(must(s.dashboard.Look(t.Context(), ana, 7)).Attention), 0)
}

// TestOriginsAreCompared by how far their contacts have come; a lost one counts only where it was lost.
func TestOriginsAreCompared(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	fair := must(s.origins.Add(t.Context(), owner, s.orgID, "Feira"))
	stages := must(s.dashboard.Look(t.Context(), owner, 7)).Funnel
	for i, stage := range []int{0, 2, len(stages) - 1} {
		must(s.contacts.Create(t.Context(), owner, contacts.ContactForm{
			Name: "Lia", Email: fmt.Sprint(i, "@x.example"), OriginID: fair.ID, StageID: stages[stage].Stage.ID,
		}))
	}
	bia := s.arrive(s.hook(webhook.Signature{}), "bia")
	done(s.contacts.Called(t.Context(), owner, bia.ID))
	seen := must(s.dashboard.Look(t.Context(), owner, 7))
	equal(t, "origins", len(seen.Conversion), 1)
	c := seen.Conversion[0]
	equal(t, "of the fair", fmt.Sprint(c.Name, c.Count, c.Reached), "Feira3 [2 1 1 0 0 1]")
	equal(t, "per cent", fmt.Sprint(c.Percent(1), c.Percent(len(stages)-1)), "33 33")
	equal(t, "rounded", fmt.Sprint(lookups.Share(2, 3), lookups.Share(1, 3), lookups.Share(0, 0)), "67 33 0")
	equal(t, "answers", seen.Answers, crm.AnsweredWithin{0: 1})
}

// TestTheDashboardTellsOfAnEMailThatWasGivenUp, which belongs to no automation.
func TestTheDashboardTellsOfAnEMailThatWasGivenUp(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		s.ended(automation.Automation{}, s.arrive(s.hook(webhook.Signature{}), "bia").ID, automation.Dead)
		seen := must(s.dashboard.Look(t.Context(), owner, 7)).Attention
		equal(t, "attention", line(len(seen), seen[0].Kind, seen[0].Count, seen[0].Who, seen[0].Why), "1 dead 1  antes")
	})
}
