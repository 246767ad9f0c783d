package automation

import (
	"testing"
	"time"

	"fichario/domain/crm"
)

func TestConditions(t *testing.T) {
	t.Parallel()
	contact := crm.Contact{OriginID: "google", WebhookID: "site", Amount: 1500_0000}
	for name, c := range map[string]struct {
		conditions Conditions
		hold       bool
	}{
		"none":             {Conditions{}, true},
		"all":              {Conditions{OriginID: "google", WebhookID: "site", MinAmount: 1500_0000}, true},
		"another origin":   {Conditions{OriginID: "facebook"}, false},
		"another webhook":  {Conditions{WebhookID: "other"}, false},
		"one cent too low": {Conditions{MinAmount: 1500_0100}, false},
		"one of two":       {Conditions{OriginID: "google", WebhookID: "other"}, false},
	} {
		if got := c.conditions.Hold(contact); got != c.hold {
			t.Errorf("%s: got %v", name, got)
		}
	}
	if (Conditions{OriginID: "google"}).Hold(crm.Contact{}) {
		t.Error("a contact without an origin is of no origin")
	}
}

func TestFill(t *testing.T) {
	t.Parallel()
	c := crm.Contact{Name: "Bia {email}", Email: "b@example.com", Phone: "11", Company: "Rocha", Amount: 1234_5600}
	got := Fill("{nome}|{email}|{telefone}|{empresa}|{valor}|R$ {valor}|{outro}|{{nome}", c)
	if want := "Bia {email}|b@example.com|11|Rocha|R$\u00a01.234,56|R$\u00a01.234,56|{outro}|{Bia {email}"; got != want {
		t.Errorf("got %q, want %q: what a contact holds is not filled in again", got, want)
	}
}

func TestNextTriesForADayAndGivesUp(t *testing.T) {
	t.Parallel()
	var sum, before time.Duration
	attempts := 0
	for {
		attempts++
		d, spread, more := Next(attempts)
		if !more {
			break
		}
		if spread <= 0 || spread > d/5 {
			t.Errorf("after attempt %d the wait varies by %s", attempts, spread)
		}
		if d < before/2 {
			t.Errorf("after attempt %d the wait is %s, after %s", attempts, d, before)
		}
		sum, before = sum+d, d
	}
	if sum < 20*time.Hour || sum > 32*time.Hour {
		t.Errorf("given up after %s", sum)
	}
	if _, _, more := Next(0); more {
		t.Error("a job that was never tried has no next attempt")
	}
}

// TestTheIDOfAnEvent: a contact is created once, however often that is told; what happens to it later is told apart by
// its time and its place.
func TestTheIDOfAnEvent(t *testing.T) {
	t.Parallel()
	at := time.Unix(1_800_000_000, 0)
	of := func(change func(*Job)) string {
		j := Job{ID: "a", OrgID: "o", ContactID: "c", AutomationID: "r", Facts: "s", CreatedAt: at}
		change(&j)
		return EventID(j)
	}
	created, moved := of(func(*Job) {}), of(func(j *Job) { j.Event = ContactMoved })
	for name, c := range map[string]struct {
		change func(*Job)
		want   string
	}{
		"run again":         {func(j *Job) { j.ID, j.CreatedAt, j.Facts = "b", at.Add(time.Hour), "t" }, created},
		"by its name":       {func(j *Job) { j.Event = ContactCreated }, created},
		"moved, to another": {func(j *Job) { j.Event, j.ID, j.AutomationID = ContactMoved, "b", "s" }, moved},
	} {
		if got := of(c.change); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
	for name, change := range map[string]func(*Job){
		"another contact": func(j *Job) { j.ContactID = "d" },
		"moved later":     func(j *Job) { j.Event, j.CreatedAt = ContactMoved, at.Add(time.Microsecond) },
		"moved next":      func(j *Job) { j.Event, j.Place = ContactMoved, 1 },
	} {
		if got := of(change); got == created || got == moved {
			t.Errorf("%s has the id of another event", name)
		}
	}
}

// TestARunThatDidNothingIsSkipped: it is no run that did something, and a failed one is neither.
func TestARunThatDidNothingIsSkipped(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state  JobState
		result string
		want   bool
	}{
		{Done, NotHeld, true},
		{Done, "cadeia interrompida: ela já tem 5 passos", true},
		{Done, "nada enviado: sem consentimento no campo aceito", true},
		{Dead, "nada enviado: o que a pessoa consentiu está ilegível", false},
		{Done, "nota adicionada", false},
		{Ready, NotHeld, false},
	} {
		if got := (Job{State: c.state, Result: c.result}).Skipped(); got != c.want {
			t.Errorf("%s with %q: %v", c.state, c.result, got)
		}
	}
}
