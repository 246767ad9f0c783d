package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/automations"
	intakeapp "fichario/app/intake"
	privacyapp "fichario/app/privacy"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

// TestWhoConsents: a contact's own word counts, unless its person has said another one since.
func TestWhoConsents(t *testing.T) {
	t.Parallel()
	const yes, no = `,"aceite":"sim"`, `,"aceite":"não"`
	for what, c := range map[string]struct {
		// posts are those of the contact, which is moved, and of others, after it, by the same or another webhook.
		own  string
		then []string // S or O for the webhook, and a person; or H, and what a member is told
		want bool
	}{
		"yes":                                {own: yes, want: true},
		"true":                               {own: `,"aceite":true`, want: true},
		"the title of the field":             {own: `,"fields":[{"name":"x1","label":"Aceite?","value":"Sim"}]`, want: true},
		"no":                                 {own: no},
		"nothing":                            {own: ""},
		"one":                                {own: `,"aceite":1`},
		"yes to something else":              {own: `,"aceito_termos":"sim"`},
		"then no":                            {own: yes, then: []string{"S ana" + no}},
		"then no elsewhere":                  {own: yes, then: []string{"O ana" + no}},
		"then no in words":                   {own: yes, then: []string{`O ana,"aceite":"não quero mais"`}},
		"then a box that is not ticked":      {own: yes, then: []string{"S ana"}},
		"then a form without the field":      {own: yes, then: []string{"O ana"}, want: true},
		"then no and yes again":              {own: yes, then: []string{"S ana" + no, "S ana" + yes}, want: true},
		"no, then yes by another post":       {own: no, then: []string{"S ana" + yes}},
		"then no by somebody else":           {own: yes, then: []string{"S rui" + no}, want: true},
		"then no by somebody with the phone": {own: yes, then: []string{`S rui,"telefone":"(11) 98765-4321"` + no}, want: true},
		"then no by the phone and the name":  {own: yes, then: []string{`S ana,"email":"outra@x.example","telefone":"(11) 98765-4321"` + no}},
		"then no by another spelling":        {own: yes, then: []string{`S ana,"email":"ANA@X.example"` + no}},
		"then no, and more than are read": {
			own: yes, then: append([]string{"O ana" + no}, slices.Repeat([]string{"O ana"}, 50)...),
		},
		"then no, as a member was told":              {own: yes, then: []string{"H não"}},
		"no, then yes, as a member was told":         {own: no, then: []string{"H sim"}, want: true},
		"nothing, then yes, as a member was told":    {own: "", then: []string{"H sim"}, want: true},
		"yes to a member, then a form without a box": {own: "", then: []string{"H sim", "S ana"}, want: true},
		"yes to a member, then no by a form":         {own: "", then: []string{"H sim", "S ana" + no}},
		"no to a member, then yes by another post":   {own: yes, then: []string{"H não", "S ana" + yes}},
		"then no, by a contact that is deleted":      {own: yes, then: []string{"S ana" + no, "D"}},
		"then silence, deleted":                      {own: yes, then: []string{"S ana", "D"}},
		"then silence elsewhere, deleted":            {own: yes, then: []string{"O ana", "D"}, want: true},
		"then no by somebody else, deleted":          {own: yes, then: []string{"S rui" + no, "D"}, want: true},
		"then no, yes to a member, deleted":          {own: yes, then: []string{"S ana" + no, "h sim", "D"}, want: true},
		"then no to a member, deleted":               {own: yes, then: []string{"S ana" + yes, "h não", "D"}},
		"then silence, merged":                       {own: yes, then: []string{"S ana", "M"}},
		"then silence, merged the other way":         {own: yes, then: []string{"S ana", "m"}},
		"silence, then yes to a member, merged":      {own: "", then: []string{"S ana", "h sim", "M"}, want: true},
		"then silence elsewhere, merged":             {own: yes, then: []string{"O ana", "M"}, want: true},
		"then a field of another form, at all":       {own: yes, then: []string{`O ana,"cidade":"Campinas"`}, want: true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				owner := s.add("dona", crm.Owner)
				site, other := s.hook(webhook.Signature{}), s.hook(webhook.Signature{})
				s.tells("aceite")
				stage := s.funnel(owner).Stages[1].ID
				come := func(hook webhook.Hook, name, more string) string {
					time.Sleep(time.Second)
					body := fmt.Sprintf(`{"nome":%q%s`, name, more)
					if name == "ana" {
						body += `,"telefone":"(11) 98765-4321"`
					}
					if !strings.Contains(more, `"email"`) {
						body += fmt.Sprintf(`,"email":"%s@x.example"`, name)
					}
					return must(s.intake.Receive(t.Context(), hook, post(body+"}"))).ContactID
				}
				id := come(site, "ana", c.own)
				newest := id
				for _, then := range c.then {
					if strings.EqualFold(then, "m") { // the newest into the first, or the first into the newest
						into, from := id, newest
						if then == "m" {
							into, from, id = newest, id, newest
						}
						done(s.contacts.Merge(t.Context(), owner, into, from))
						continue
					}
					if then == "D" {
						done(s.contacts.Delete(t.Context(), owner, newest))
						continue
					}
					if said, byHand := strings.CutPrefix(then, "h "); byHand { // of the newest
						time.Sleep(time.Second)
						done(s.contacts.Consent(t.Context(), owner, newest, "Aceite", said == "sim"))
						continue
					}
					if said, byHand := strings.CutPrefix(then, "H "); byHand { // at the moment of the post: it counts after that
						if err := s.contacts.Consent(t.Context(), owner, id, "Aceite", said == "sim"); err != nil {
							t.Fatal(err)
						}
						continue
					}
					hook := map[byte]webhook.Hook{'S': site, 'O': other}[then[0]]
					newest = come(hook, then[2:5], then[5:])
				}
				must(s.contacts.Move(t.Context(), owner, id, stage))
				s.work(s.worker(), 5*time.Second)
				equal(t, "told", len(s.dispatcher.list()) == 1, c.want)
				told := must(s.store.Repos().Told.OfContact(t.Context(), s.orgID, id))
				equal(t, "kept", len(told) == 1 && !told[0].AnsweredAt.IsZero(), c.want)
			})
		})
	}
}

// tells makes an automation that tells Meta of moves with a consent.
func (s *setting) tells(field string) automation.Automation {
	s.t.Helper()
	return must(s.automations.Add(s.t.Context(), app.Operator(), automations.NewAutomation{
		OrgID: s.orgID, Name: "Meta", Action: automation.HTTP, RequestForm: automations.RequestForm{
			Destination: "meta-capi", Values: map[string]string{"dataset": "1", "token": "t"},
			Ground: automation.Ground{Consent: field},
		},
	}))
}

// TestTheFirstStageIsTold of those who consent, by an automation for new contacts.
func TestTheFirstStageIsTold(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		hook := s.hook(webhook.Signature{})
		tell := automations.NewAutomation{
			OrgID: s.orgID, Name: "Meta", Action: automation.HTTP, Event: automation.ContactCreated,
			RequestForm: automations.RequestForm{
				Destination: "meta-capi", Values: map[string]string{"dataset": "1", "token": "t"},
				Ground: automation.Ground{Consent: "aceite"},
			},
		}
		must(s.automations.Add(t.Context(), app.Operator(), tell))
		for _, body := range []string{`{"email":"ana@x.example","aceite":"sim"}`, `{"email":"bia@x.example","aceite":"não"}`} {
			must(s.intake.Receive(t.Context(), hook, post(body)))
		}
		s.work(s.worker(), 5*time.Second)
		told := s.dispatcher.list()
		equal(t, "told", len(told), 1)
		equal(t, "of", line(told[0].Event.Contact.Email, told[0].Event.Contact.Stage), "ana@x.example Novo")
		tell.Event = automation.ContactUpdated
		_, err := s.automations.Add(t.Context(), app.Operator(), tell)
		equal(t, "an event that is of no stage", said(err), "requisicao_invalida event")
	})
}

// TestConsentsOfMergedContacts: those of both are kept, and parted again.
func TestConsentsOfMergedContacts(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		hook := s.hook(webhook.Signature{})
		come := func(name, more string) string {
			time.Sleep(time.Second)
			body := fmt.Sprintf(`{"nome":%q,"email":"%s@x.example"%s}`, name, name, more)
			return must(s.intake.Receive(t.Context(), hook, post(body))).ContactID
		}
		into, from := come("ana", `,"aceite":"sim"`), come("bia", `,"aceite":"não"`)
		s.tells("aceite")
		stages := s.funnel(owner).Stages
		done(s.contacts.Merge(t.Context(), owner, into, from))
		must(s.contacts.Move(t.Context(), owner, into, stages[1].ID))
		s.work(s.worker(), 5*time.Second)
		equal(t, "told of who withdrew as another contact", len(s.dispatcher.list()), 0)
		done(s.contacts.Part(t.Context(), owner, into, from))
		must(s.contacts.Move(t.Context(), owner, into, stages[2].ID))
		s.work(s.worker(), 5*time.Second)
		equal(t, "told of who was parted", len(s.dispatcher.list()), 1)
	})
}

// TestConsentsOfContactsMergedByMistake: after they are parted, neither has a consent of the other, also where a member
// has recorded one meanwhile; what was withdrawn meanwhile, both have withdrawn.
func TestConsentsOfContactsMergedByMistake(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		field       string
		given       bool
		stays, back int // how often a platform is told of each
	}{
		"another consent":   {"ligar", true, 0, 1},
		"withdrawn":         {"aceite", false, 0, 0},
		"given by who told": {"aceite", true, 1, 1},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
				into := s.arrive(hook, "ana").ID
				time.Sleep(time.Second)
				from := must(s.intake.Receive(t.Context(), hook, post(`{"email":"bia@x.example","aceite":"sim"}`))).ContactID
				s.tells("aceite")
				stage := s.funnel(owner).Stages[1].ID
				done(s.contacts.Merge(t.Context(), owner, into, from))
				time.Sleep(time.Second)
				done(s.contacts.Consent(t.Context(), owner, into, c.field, c.given))
				done(s.contacts.Part(t.Context(), owner, into, from))
				for id, want := range map[string]int{into: c.stays, from: c.back} {
					before := len(s.dispatcher.list())
					must(s.contacts.Move(t.Context(), owner, id, stage))
					s.work(s.worker(), 5*time.Second)
					equal(t, "told of "+s.contact(id).Name, len(s.dispatcher.list())-before, want)
				}
			})
		})
	}
}

// TestAWithdrawalOutlivesItsContact: retention removes the contact by which a consent was withdrawn, and leaves the one
// that somebody wrote a note to. Where nobody did, both go, whichever is found first.
func TestAWithdrawalOutlivesItsContact(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		second  string
		touched bool
		left    int // contacts
		told    int
	}{
		"withdrawn":            {`,"aceite":"não"`, true, 1, 0},
		"withdrawn in silence": {"", true, 1, 0},
		"given again":          {`,"aceite":"sim"`, true, 1, 1},
		"touched by nobody":    {`,"aceite":"não"`, false, 0, 0},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
				come := func(more string) string {
					time.Sleep(time.Second)
					return must(s.intake.Receive(t.Context(), hook, post(`{"email":"ana@x.example"`+more+`}`))).ContactID
				}
				yes := come(`,"aceite":"sim"`)
				for range 120 { // so that the two are not examined together
					s.arrive(hook, "rui")
				}
				come(c.second)
				s.tells("aceite")
				if c.touched {
					done(s.store.InTx(t.Context(), func(ctx context.Context, r ports.Repos) error {
						return r.ContactHistory.AddNote(ctx, crm.Event{
							ID: IDAt(s.now().Add(2 * day)), OrgID: s.orgID, ContactID: yes, Kind: crm.NoteAdded, At: s.now(),
						})
					}))
				}
				later := func() time.Time { return s.now().Add(366 * day) }
				done(privacyapp.NewRetention(s.store, privacyapp.Keeping{Contacts: 365 * day}, later).ForgetContacts(t.Context()))
				equal(t, "contacts", len(must(s.contacts.List(t.Context(), owner, s.orgID, 9))), c.left)
				if c.left > 0 {
					must(s.contacts.Move(t.Context(), owner, yes, s.funnel(owner).Stages[1].ID))
				}
				s.work(s.worker(), 5*time.Second)
				equal(t, "told", len(s.dispatcher.list()), c.told)
			})
		})
	}
}

// TestAReplayedPostSaysWhatWasSaidThen: a refusal that is replayed after its person has withdrawn gives no consent
// again, however often it was replayed, and also where the post itself is kept no longer.
func TestAReplayedPostSaysWhatWasSaidThen(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		replays   int
		forgotten bool
		byMember  bool
	}{
		"once": {replays: 1}, "again": {replays: 2}, "as a member was told": {replays: 1, byMember: true},
		"after the first was forgotten": {replays: 2, forgotten: true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
				s.tells("aceite")
				stage := s.funnel(owner).Stages[1].ID
				came := s.now()
				last := s.refused(hook, "application/json", `{"nome":"Ana","receipt_to":"ana@x.example","aceite":"sim"}`)
				first := last
				time.Sleep(time.Hour)
				for range c.replays - 1 {
					equal(t, "refused again", said(second(s.intake.Replay(t.Context(), owner, last))), "email_invalido email")
					last = s.deliveries(hook)[0].ID
				}
				time.Sleep(time.Hour)
				if c.byMember {
					id := must(s.intake.Receive(t.Context(), hook, post(`{"email":"ana@x.example","cidade":"Santos"}`))).ContactID
					done(s.contacts.Consent(t.Context(), owner, id, "aceite", false))
				} else {
					must(s.intake.Receive(t.Context(), hook, post(`{"email":"ana@x.example","aceite":"não"}`)))
				}
				time.Sleep(time.Hour)
				done(s.webhooks.Update(t.Context(), owner, hook.ID, intakeapp.Change{EmailKey: at("receipt_to")}))
				if c.forgotten {
					s.forgetDelivery(first)
				}
				made := must(s.intake.Replay(t.Context(), owner, last))
				consent := s.contact(made.ContactID).Consents[0]
				equal(t, "when it was said", consent.At.Sub(came).Abs() < time.Minute, true)
				must(s.contacts.Move(t.Context(), owner, made.ContactID, stage))
				s.work(s.worker(), 5*time.Second)
				equal(t, "told", len(s.dispatcher.list()), 0)
			})
		})
	}
}

// forgetDelivery removes a line of the log, as retention does.
func (s *setting) forgetDelivery(id string) {
	s.t.Helper()
	done(s.store.(*gormstore.Store).Writer.Exec("DELETE FROM deliveries WHERE id = ?", id).Error)
}

// TestEveryMoveIsOneEvent: two automations are told of one event by the same id, and of another move by another, also
// when they are tried again.
func TestEveryMoveIsOneEvent(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		hook := s.hook(webhook.Signature{})
		s.tells("aceite")
		s.tells("aceite")
		id := must(s.intake.Receive(t.Context(), hook, post(`{"email":"a@x.example","aceite":true}`))).ContactID
		stages := s.funnel(owner).Stages
		for n := range 3 {
			time.Sleep(time.Second)
			must(s.contacts.Move(t.Context(), owner, id, stages[n%2+1].ID))
		}
		s.work(s.worker(), 5*time.Second)
		events := map[string][]string{}
		for _, c := range s.dispatcher.list() {
			events[c.Event.ID] = append(events[c.Event.ID], c.Event.Contact.Stage+c.Event.At.Format(time.TimeOnly))
		}
		equal(t, "events", len(events), 3)
		for eventID, told := range events {
			if len(told) != 2 || told[0] != told[1] || len(eventID) != 36 {
				t.Errorf("event %s: %v", eventID, told)
			}
		}
		before := len(s.dispatcher.list())
		s.dispatcher.script = func(context.Context, ports.Call) (int, error) {
			return 503, &ports.SendError{Reason: "status 503"}
		}
		must(s.contacts.Move(t.Context(), owner, id, stages[2].ID))
		s.work(s.worker(), time.Minute)
		again := s.dispatcher.list()[before:]
		equal(t, "tried again", len(again) > 3, true)
		equal(t, "retries of one event have its id", ids(again), 1)
	})
}

// ids counts the events of calls.
func ids(calls []ports.Call) int {
	seen := map[string]bool{}
	for _, c := range calls {
		seen[c.Event.ID] = true
	}
	return len(seen)
}
