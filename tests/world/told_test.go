package world_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"fichario/app"
	"fichario/app/automations"
	"fichario/domain/automation"
	"fichario/ports"
)

// telling is what worlds are about in which an advertising platform is told of the stages of who consents.
var telling = theme{verbs: "say 5 move 7 hear 2 erase 1 delete 1 wait 4", first: "say"}

// consentChanges are what makes something that was read before wrong there.
const consentChanges = "say 4 hear 6 erase 3 delete 1 merge 1 move 2"

// aboutConsents reports whether the world of a seed is about them: by the seed, as aboutAds.
func aboutConsents(seed uint64) bool { return seed%17 == 3 }

// toldCall is what the platform heard.
type toldCall struct {
	call ports.Call
	at   time.Time
}

// tells is the automation that tells the platform.
func tells(w *world) automations.NewAutomation {
	return automations.NewAutomation{
		OrgID: w.orgID, Name: "conta", Event: automation.ContactMoved, Action: automation.HTTP, RequestForm: automations.RequestForm{
			Destination: "meta-capi", Values: map[string]string{"dataset": "1", "token": "t"},
			Ground: automation.Ground{Consent: "aceite"},
		},
	}
}

// consent is what a person has said: yes, no, or nothing in a form that asks.
func consent(n int) (said string, yes bool) {
	said = []string{"sim", "sim", "não", ""}[n%4]
	return said, said == "sim"
}

func init() {
	// say: a person fills in the form, and consents, or does not.
	verbs["say"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		person := personOf(h.op.a)
		if said, _ := consent(h.op.b); said != "" {
			person["aceite"] = said
		}
		accepted, err := w.send(ctx, i, person, "")
		h.err, h.id = err, accepted.ContactID
		w.keep(h.op.a, accepted.ContactID, err)
	}
	// hear: a member records what a person has said.
	verbs["hear"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		w.onContact(ctx, i, h, func(by app.Caller, id string) error {
			_, yes := consent(h.op.b)
			return i.contacts.Consent(ctx, by, id, "aceite", yes)
		})
	}
}

// judgeTold: a platform is told of nobody who had withdrawn before an attempt began (who is merged with somebody says
// what that one says), nor of anybody who was erased without the receipt saying so; an event stays the same through
// its attempts, and each that was told is kept.
func (w *world) judgeTold() {
	if !aboutConsents(w.plan.seed) {
		return
	}
	person := map[string]int{} // of contacts
	for _, h := range w.happened {
		if h.op.verb == "say" && h.err == nil {
			person[h.id] = h.op.a
		}
	}
	said := func(h happening, of int) bool { return (h.op.verb == "say" || h.op.verb == "hear") && h.op.a == of }
	first := map[string]automation.Event{}
	for _, one := range w.heard.told {
		c := one.call
		if before, again := first[c.ID]; again && (before.ID != c.Event.ID || !before.At.Equal(c.Event.At)) {
			w.fail("told", "the event %s was told again as %s", before.ID, c.Event.ID)
		}
		first[c.ID] = c.Event
		of, known := person[c.Event.Contact.ID]
		if !known {
			continue // its post was answered with an error
		}
		for _, no := range w.happened {
			word, yes := consent(no.op.b)
			if yes || no.err != nil || !said(no, of) || !no.ended.Before(c.At) ||
				no.op.verb == "say" && word == "" && !w.answered(of) {
				continue
			}
			withdrawn := true
			for _, h := range w.happened {
				_, yes := consent(h.op.b)
				withdrawn = withdrawn && (!yes || !said(h, of) && !w.did("merge") || h.ended.Before(no.begun) ||
					h.err != nil && !unknown(h.err))
			}
			if withdrawn && !w.did("clock") {
				w.fail("told", "the platform was told of person %d at %s, who had withdrawn by %q at %s", of,
					c.At.Format(stamp), no.op, no.ended.Format(stamp))
			}
		}
		w.judgeReceipts(one, of)
	}
	if !w.did("erase", "delete", "merge") {
		for id := range first {
			if w.number(fmt.Sprintf("SELECT count(*) FROM told_stages WHERE id = '%s'", id)) != 1 {
				w.fail("told", "what the platform was told by the run %s is not kept", id)
			}
		}
	}
}

// answered reports whether a person has answered the form's question, and no contact of it may be gone: only then is
// silence an answer.
func (w *world) answered(of int) bool {
	return !w.did("delete", "merge", "sweep") && slices.ContainsFunc(w.happened, func(h happening) bool {
		word, _ := consent(h.op.b)
		return h.op.verb == "say" && h.op.a == of && h.err == nil && word != ""
	})
}

// judgeReceipts: the receipt of an erasure names the platform that was told of the person of before.
func (w *world) judgeReceipts(one toldCall, of int) {
	came := time.Time{}
	for _, h := range w.happened {
		if h.op.verb == "say" && h.id == one.call.Event.Contact.ID {
			came = h.ended
		}
	}
	for _, e := range w.happened {
		if e.op.verb != "erase" || e.err != nil || e.op.a != of || !came.Before(e.begun) || !one.at.After(e.ended) {
			continue
		}
		rows := w.rows(fmt.Sprintf("SELECT told FROM erasures WHERE org_id = '%s'", w.orgID))
		names := 0
		for _, row := range rows {
			var told []any
			if err := json.Unmarshal([]byte(row[0]), &told); err == nil {
				names += len(told)
			}
		}
		if names == 0 && !w.did("delete", "merge") {
			w.fail("told", "the platform was told of person %d at %s, after %q, and no receipt says so", of, one.at.Format(stamp), e.op)
		}
	}
}
