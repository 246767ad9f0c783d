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
