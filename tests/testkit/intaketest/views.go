package intaketest

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/patience"
)

// most is the maximum length of a list.
const most = 500

// Contact is a contact as `contact show` prints it.
type Contact struct {
	ID, Nome, Email, Nota, Funil, Etapa   string
	Telefone, TelefoneE164, Empresa       *string
	Origem, Responsavel, ResponsavelEmail *string
	Webhook                               *string
	Valor                                 json.Number
	Atribuicao                            map[string]string
	CriadoEm                              time.Time
	Historico                             []struct{ Tipo, Autor, Texto string }
}

// Or is a nullable text, for printing.
func Or(text *string) string {
	if text == nil {
		return "null"
	}
	return *text
}

// Contact shows a contact.
func (o *Org) Contact(id string) Contact {
	o.tb.Helper()
	return Read[Contact](o, "contact", "show", id)
}

// Contacts lists the newest contacts of the organisation, without their history.
func (o *Org) Contacts() []Contact {
	o.tb.Helper()
	return Read[[]Contact](o, "contact", "list", "--org", o.ID, "--limit", strconv.Itoa(most))
}

// ByID is Contacts by id: one command instead of one per contact.
func (o *Org) ByID() map[string]Contact {
	o.tb.Helper()
	all := map[string]Contact{}
	for _, c := range o.Contacts() {
		all[c.ID] = c
	}
	return all
}

// HookView is a webhook as `webhook show` prints it.
type HookView struct {
	ID, Name, Type, Token, URL, Bands, Signature, ThanksURL, EmailKey string
	Enabled                                                           bool
	Origin                                                            *string
	Received                                                          int
}

// Show returns a webhook.
func (o *Org) Show(h Hook) HookView {
	o.tb.Helper()
	return Read[HookView](o, "webhook", "show", h.ID)
}

// Delivery is a line of the delivery log.
type Delivery struct {
	ID, Outcome, Code, Reason string
	Contact, ReplayOf         *string
	Contacts                  []string
	Bytes                     int
	Truncated                 bool
	// Headers and Body are only set for a single delivery.
	Headers map[string]string
	Body    string
}

// Deliveries is the delivery log of a webhook, newest first.
func (o *Org) Deliveries(h Hook) []Delivery {
	o.tb.Helper()
	return pages(o, func(d Delivery) string { return d.ID }, "webhook", "deliveries", h.ID)
}

// pages reads all pages of a list.
func pages[T any](o *Org, id func(T) string, args ...string) (all []T) {
	o.tb.Helper()
	args = append(args, "--limit", strconv.Itoa(most))
	for {
		page := args
		if len(all) > 0 {
			page = append(slices.Clone(args), "--after", id(all[len(all)-1]))
		}
		next := Read[[]T](o, page...)
		if all = append(all, next...); len(next) < most {
			return all
		}
	}
}

// Delivery returns one delivery with its body.
func (o *Org) Delivery(id string) Delivery {
	o.tb.Helper()
	return Read[Delivery](o, "webhook", "delivery", id)
}

// Replayed is the outcome of a replay.
type Replayed struct {
	Contact  string
	Contacts []string
	Repeated bool
}

// Replay replays a delivery.
func (o *Org) Replay(id string) Replayed {
	o.tb.Helper()
	return Read[Replayed](o, "webhook", "replay", id)
}

// Note is a notification.
type Note struct {
	ID, Titulo, Texto, Contato, Lote string
	Lida                             bool
}

// Notifications returns the newest of the organisation.
func (o *Org) Notifications() []Note {
	o.tb.Helper()
	return Read[[]Note](o, "notification", "list", "--org", o.ID, "--limit", strconv.Itoa(most))
}

// Run is a run of an automation, or an e-mail to a member.
type Run struct {
	ID, Kind, Contact, State, Result string
	Automation, Member               *string
	Attempts                         int
	NextAt, EndedAt                  *time.Time
}

// Runs returns the organisation's runs, newest first; more flags of `automation runs` may be added.
func (o *Org) Runs(more ...string) []Run {
	o.tb.Helper()
	return pages(o, func(r Run) string { return r.ID }, append([]string{"automation", "runs", "--org", o.ID}, more...)...)
}

// Eventually waits until f holds, where f runs commands: it polls more slowly than lookuptest's, because each command
// is a process.
func (o *Org) Eventually(what string, f func() bool) {
	o.tb.Helper()
	patience.Every(o.tb, 300*time.Millisecond, what, f)
}

// Settled waits until there are n runs and all have ended, and returns them.
func (o *Org) Settled(n int, more ...string) []Run {
	o.tb.Helper()
	var runs []Run
	o.Eventually(strconv.Itoa(n)+" runs have ended", func() bool {
		runs = o.Runs(more...)
		for _, r := range runs {
			if r.State == "ready" {
				return false
			}
		}
		return len(runs) >= n
	})
	if len(runs) != n {
		o.tb.Errorf("%d runs have ended, want %d", len(runs), n)
	}
	return runs
}

// Nothing fails the test when the organisation has a contact or a notification, or the webhook has counted a post.
func (o *Org) Nothing(t *testing.T, h Hook) {
	t.Helper()
	lookuptest.Expect(t, "contacts", len(o.Contacts()), 0)
	lookuptest.Expect(t, "notifications", len(o.Notifications()), 0)
	lookuptest.Expect(t, "received", o.Show(h).Received, 0)
}
