package app_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"mime"
	"strings"
	"sync"
	"testing"

	"fichario/app"
	intakeapp "fichario/app/intake"
	privacyapp "fichario/app/privacy"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
)

// refused posts a body that is refused, and returns the id of its delivery.
func (s *setting) refused(hook webhook.Hook, contentType, body string) string {
	s.t.Helper()
	_, err := s.intake.Receive(s.t.Context(), hook, intakeapp.Post{
		Body: []byte(body), Headers: []intake.Pair{{Key: "content-type", Value: contentType}},
	})
	if app.FaultOf(err) == nil {
		s.t.Fatalf("%q is not refused: %v", body, err)
	}
	return s.deliveries(hook)[0].ID
}

// TestRefusedPostsOfAPersonInWhateverEncoding: the export lists, and the erasure empties, the deliveries whose page
// shows the person, and no others.
func TestRefusedPostsOfAPersonInWhateverEncoding(t *testing.T) {
	t.Parallel()
	const (
		json, form = "application/json", "application/x-www-form-urlencoded"
		email      = "ana.b@x.example"
	)
	wide := func(s string) string { return strings.Map(func(r rune) rune { return r + 0xfee0 }, s) }
	utf16 := func(s string) string { return strings.Join(strings.Split(s, ""), "\x00") + "\x00" }
	based := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	bodies := map[string]struct{ contentType, body string }{
		"UTF-16":           {json, "\xff\xfe" + utf16(`{"x":"`+email+`"}`)},
		"UTF-16, broken":   {json, utf16(`{"x":"` + email + `"`)},
		"quoted-printable": {"text/plain", "contato =\r\nana=2Eb=40X=2Eexample"},
		"encoded twice":    {form, "x=ana.b%2540x.example"},
		"base64":           {json, `{"x":"` + based("de "+email) + `"}`},
		"full width":       {json, `{"x":"` + wide(email) + `"}`},
		"decimal":          {json, `{"x":"ana&#46;b&#64;x.example"}`},
		"hexadecimal":      {"text/xml", `<a><b>ana&#x2e;b&#x40;x.example</b></a>`},
		"named":            {json, `{"x":"ana.b&commat;x&period;example"}`},
		"JSON escapes":     {json, `{"x":"\u0061na.b\u0040x.example",`},
		"an encoded word":  {json, `{"x":"` + mime.BEncoding.Encode("utf-8", "Aná <"+email+">") + `"}`},
		"another case":     {json, `{"x":["ANA.B@X.EXAMPLE"]`},
		"a file": {
			"multipart/form-data; boundary=b",
			"--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a.txt\"\r\n\r\n" + email + "\r\n--b--\r\n",
		},
		"a document":       {json, `{"x":"５２９．９８２．２４７−２５"}`},
		"a name and phone": {json, `{"first_name":"Ana","last_name":"Lima","phone":{"ddd":"21","numero":"99773-1077"}}`},
	}
	strangers := map[string]struct{ contentType, body string }{
		"another address":   {json, `{"x":"mari&#97;na.b&#64;x.example"`},
		"a longer address":  {json, `{"x":"` + email + `&#46;br"`},
		"a longer number":   {json, `{"pedido":"１529.982.247-25"`},
		"the phone only":    {json, `{"first_name":"Rui","phone":"(21) 99773-1077"}`},
		"the name only":     {json, `{"first_name":"Ana","last_name":"Lima"}`},
		"within a longer":   {form, "x=2199773107712&nome=Ana+Lima"},
		"its own in base64": {json, `{"x":"` + based("de m"+email) + `"`},
	}
	atOnce(t, func(t *testing.T, s *setting) {
		owner, hook, what := s.add("dona", crm.Owner), s.hook(webhook.Signature{}), map[string]string{}
		hook.Enabled = false // so that all are refused
		f := bia()
		f.Name, f.Email, f.Phone, f.Documents = "Ana Lima", email, "(21) 99773-1077", "529.982.247-25"
		must(s.contacts.Create(t.Context(), owner, f))
		post := func(of map[string]struct{ contentType, body string }, his bool) {
			for name, p := range of {
				id := s.refused(hook, p.contentType, p.body)
				if what[id] = ""; his {
					what[id] = name
				}
			}
		}
		post(bodies, true)
		post(strangers, false)
		who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: "529.982.247-25"}
		listed := map[string]bool{}
		for d, err := range must(s.subjects.Export(t.Context(), owner, who)).Held(t.Context(), privacy.Deliveries) {
			done(err)
			listed[d.(webhook.Delivery).ID] = true
		}
		s.erase(owner, who)
		for _, d := range s.deliveries(hook) {
			d = must(s.intake.OpenDelivery(t.Context(), owner, d.ID))
			name := what[d.ID]
			equal(t, "listed: "+name, listed[d.ID], name != "")
			equal(t, "emptied: "+name+string(d.Body), len(d.Body) == 0, name != "")
			if name != "" {
				_, err := s.intake.Replay(t.Context(), owner, d.ID)
				equal(t, "replayed: "+name, said(err), "requisicao_invalida delivery")
			}
		}
	})
}

// lateInbox holds arrivals at a gate, as on an instance that is slow.
type lateInbox struct {
	ports.Store
	hold func()
}

func (l *lateInbox) Repos() ports.Repos {
	r := l.Store.Repos()
	r.Inbox = heldInbox{r.Inbox, l}
	return r
}

type heldInbox struct {
	ports.Inbox
	*lateInbox
}

func (l heldInbox) Take(ctx context.Context, a ports.Arrival) ([]ports.Receipt, error) {
	held(l.hold)
	return l.Inbox.Take(ctx, a)
}

// TestAReplayMeetsAnErasure: what a replay read before an erasure makes nothing after it, neither a contact nor another
// refused delivery.
func TestAReplayMeetsAnErasure(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		who := privacyapp.SubjectQuery{OrgID: s.orgID, Email: "ana.b@x.example"}
		off := hook
		off.Enabled = false
		late := &lateInbox{Store: s.store}
		slow := intakeapp.New(late, now).Mailing(true)
		for what, body := range map[string]string{
			"accepted now":  `{"nome":"Ana","email":"ana.b@x.example"}`,
			"refused again": `{"nome":"Ana","x":"ana.b&#64;x.example"}`,
			"several":       `[{"nome":"Ana","email":"ana.b@x.example"},{"nome":"Rui","email":"rui@x.example"}]`,
		} {
			id := s.refused(off, "application/json", body)
			g := newGate()
			late.hold = g.wait
			replayed := make(chan error, 1)
			go func() { replayed <- second(slow.Replay(t.Context(), owner, id)) }()
			<-g.came
			s.erase(owner, who)
			close(g.open)
			equal(t, what, said(<-replayed), "requisicao_invalida delivery")
			equal(t, what+": left", s.left(owner, who), "map[]")
			late.hold = nil
		}
	})
}

// TestSlowErasuresAmongPosts: refused posts and replays on two instances while their person is erased. Whatever was
// stored before the receipt is gone with it.
func TestSlowErasuresAmongPosts(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		other := intakeapp.New(s.store, now).Mailing(true)
		for n := range 4 {
			email := fmt.Sprintf("ana%d@x.example", n)
			body := `{"x":"` + base64.StdEncoding.EncodeToString([]byte("de "+email)) + `"}`
			id := s.refused(hook, "application/json", body)
			who := privacyapp.SubjectQuery{OrgID: s.orgID, Email: email}
			ctx, stop := context.WithCancel(t.Context())
			var all sync.WaitGroup
			for _, in := range []*intakeapp.Intake{s.intake, other} {
				all.Go(func() {
					for range 20 {
						_, _ = in.Replay(ctx, owner, id)
					}
				})
				all.Go(func() {
					for range 10 {
						_, _ = in.Receive(ctx, hook, post(body))
					}
				})
			}
			e := must(s.subjects.Erase(t.Context(), owner, who, false))
			all.Wait() // the erasure has begun, and its last look has not
			e = must(s.subjects.Await(t.Context(), e.ID))
			stop()
			equal(t, "the receipt", e.State, privacy.Done)
			equal(t, "what is left", s.left(owner, who), "map[]")
			for range 5 {
				_, err := other.Replay(t.Context(), owner, id)
				equal(t, "after it", said(err), "requisicao_invalida delivery")
			}
		}
	})
}
