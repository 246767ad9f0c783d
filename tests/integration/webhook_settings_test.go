package integration

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/patience"
)

func testThanks(t *testing.T, o *org) {
	h := o.NewHook("HTML puro", "generic", "--thanks-url", "https://site.example/obrigado?de=formulário")
	plain := o.NewHook("Sem página", "generic")
	browser := "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	post := func(h hook, accept, email string) answer {
		return o.Do(request{
			Path: h.Path, Header: map[string]string{"Content-Type": form, "Accept": accept, "Idempotency-Key": email},
			Body: "email=" + email,
		})
	}
	for range 2 { // the second one is a repetition
		a := post(h, browser, intaketest.Email("obrigado"))
		expect(t, "a browser is sent on", line(a.Status, a.Header.Get("Location")),
			"303 https://site.example/obrigado?de=formulário")
	}
	expect(t, "a script gets JSON", post(h, "application/json", intaketest.Email("script")).String(), "200")
	expect(t, "so does who takes all", post(h, "*/*", intaketest.Email("tudo")).String(), "200")
	refused := post(h, browser, "sem-arroba")
	expect(t, "a refusal is no thanks", line(refused.Status, refused.Header.Get("Location")), "400 ")
	expect(t, "nor is there one where none is set", post(plain, browser, intaketest.Email("nenhuma")).String(), "200")
	o.Command("webhook", "set", h.ID, "--thanks-url", "")
	expect(t, "none any more", post(h, browser, intaketest.Email("fim")).String(), "200")
	for _, bad := range []string{"javascript:alert(1)", "/obrigado", "https://", "https://a:b@site.example"} {
		o.Refused("webhook", "set", h.ID, "--thanks-url", bad)
	}
	expect(t, "received", o.Show(h).Received, 4)
}

// testMassAssignment: a form field named like one of our columns is just an answer of the form, and changes nothing
// else.
func testMassAssignment(t *testing.T, o *org) {
	h := o.NewHook("Atribuição", "generic")
	member := o.Member("Alvo", "owner")
	const id = "01980000-0000-7000-8000-0000000000aa"
	lead := o.Accept(h, fmt.Sprintf(`{"email":%q,"nome":"Ana","id":%[2]q,"org_id":%[2]q,"orgId":%[2]q,"stage_id":%[2]q,
		"stageId":%[2]q,"member_id":%[3]q,"assignee_id":%[3]q,"webhook_id":%[2]q,"created_at":"2001-01-01T00:00:00Z",
		"waiting":false}`, intaketest.Email("atribuida"), id, member))
	c := o.Contact(lead)
	if lead == id || c.Etapa != "Novo" || c.CriadoEm.Year() < 2020 {
		t.Errorf("contact %s in %s, of %s", lead, c.Etapa, c.CriadoEm)
	}
	expect(t, "contacts of the organisation", len(o.Contacts()), 1)
}

func testAssignment(t *testing.T, o *org) {
	h := o.NewHook("Distribuição", "generic")
	wanted := map[string]string{o.Accept(h, intaketest.Lead("antes de todos")): "null"}
	for _, step := range []struct{ name, role, want string }{
		{"Comum", "member", "Comum"}, {"Outro", "member", "Comum"}, {"Administrador", "admin", "Administrador"},
		{"Segundo", "admin", "Administrador"},
		{"Dona", "owner", "Dona"}, {"Socia", "owner", "Dona"},
	} {
		o.Member(step.name, step.role)
		wanted[o.Accept(h, intaketest.Lead("depois de "+step.name))] = step.want
	}
	all := o.ByID()
	for id, want := range wanted {
		expect(t, "assignee", strings.TrimSuffix(intaketest.Or(all[id].Responsavel), " "+intaketest.Surname), want)
	}
}

func testOrigins(t *testing.T, o *org) {
	o.Origins("Instagram", "Indicação de Amigo", "Straße", "Google", "Facebook", "Google Ads")
	h := o.NewHook("Origens", "generic")
	fixed := o.NewHook("Origem fixa", "generic", "--origin", "gOOgle")
	expect(t, "the fixed origin is shown by its name", intaketest.Or(o.Show(fixed).Origin), "Google")
	cases := []struct {
		h          hook
		sent       string
		want, note string
	}{
		{h, `"origem":"INSTAGRAM"`, "Instagram", ""},
		{h, `"origem":" instagram "`, "Instagram", ""},
		{h, `"origem":"indicacao DE amigo"`, "Indicação de Amigo", ""},
		{h, `"Origem do Lead":"INDICAC\u0327A\u0303O DE AMIGO"`, "Indicação de Amigo", ""},
		{h, `"source":"STRASSE"`, "Straße", ""},
		{h, `"origem":"Rádio Clube"`, "null", "Rádio Clube"},
		{h, `"origem":"Insta"`, "null", "Insta"},
		{h, `"utm_source":"instagram"`, "Instagram", ""},
		{h, `"origem":"Rádio Clube","utm_source":"instagram"`, "null", "Rádio Clube"},
		{h, `"origem":"google","utm_source":"instagram"`, "Google", ""},
		{h, `"utm_source":"ig"`, "Instagram", ""},
		{h, `"origem":"fb-lead"`, "Facebook", ""},
		{h, `"utm_source":"google_ads"`, "Google Ads", ""},
		{h, `"platform":"fb"`, "Facebook", ""},
		{h, `"nome":"x"`, "null", ""},
		{fixed, `"origem":"Instagram"`, "Google", "Instagram"},
		{fixed, `"origem":"Rádio Clube"`, "Google", "Rádio Clube"},
		{fixed, `"utm_source":"instagram"`, "Google", ""},
		{fixed, `"nome":"x"`, "Google", ""},
	}
	made := make([]string, len(cases))
	for i, c := range cases {
		made[i] = o.Accept(c.h, `{"email":"`+intaketest.Email("origem")+`",`+c.sent+`}`)
	}
	all := o.ByID()
	for i, c := range cases {
		got := all[made[i]]
		expect(t, c.sent, intaketest.Or(got.Origem), c.want)
		if !strings.Contains(got.Nota, c.note) {
			t.Errorf("%s: the note has no %q", c.sent, c.note)
		}
	}
	// An origin that is registered later is found from then on.
	o.Origins("Rádio Clube")
	got := o.Contact(o.Accept(h, `{"email":"`+intaketest.Email("rádio")+`","origem":"radio clube"}`))
	expect(t, "registered later", intaketest.Or(got.Origem), "Rádio Clube")
	o.Command("webhook", "set", fixed.ID, "--origin", "")
	got = o.Contact(o.Accept(fixed, `{"email":"`+intaketest.Email("livre")+`","origem":"Instagram"}`))
	expect(t, "no fixed origin any more", intaketest.Or(got.Origem), "Instagram")
	for _, same := range []string{"instagram", "Ínstagräm", "Indicacao de amigo", "STRASSE"} {
		o.Refused("origin", "add", "--org", o.ID, "--name", same)
	}
	expect(t, "origins", len(intaketest.Read[[]map[string]string](o, "origin", "list", "--org", o.ID)), 7)
}

// testDisabling takes effect from the very next post, and senders that retry lose no contact.
func testDisabling(t *testing.T, o *org) {
	h := o.NewHook("Interruptor", "generic")
	posts := postsTo(o, h)
	defer posts.end()
	expect(t, "enabled", posts.after(t, time.Time{})["200"] > 0, true)
	for range 2 {
		view := intaketest.Read[intaketest.HookView](o, "webhook", "disable", h.ID)
		got := posts.after(t, time.Now())
		if got["423 webhook_desabilitado"] == 0 || len(got) != 1 || view.Enabled {
			t.Errorf("after it was disabled: %v", got)
		}
		o.Command("webhook", "enable", h.ID)
		if got := posts.after(t, time.Now()); got["200"] == 0 || len(got) != 1 {
			t.Errorf("after it was enabled: %v", got)
		}
	}
}

func testReplays(t *testing.T, o *org) {
	h := o.NewHook("Repetição", "generic")
	only := func(outcome string) intaketest.Delivery {
		t.Helper()
		for _, d := range o.Deliveries(h) {
			if d.Outcome == outcome {
				return d
			}
		}
		t.Fatalf("no delivery was %s", outcome)
		return intaketest.Delivery{}
	}
	o.Command("webhook", "disable", h.ID)
	expect(t, "disabled", o.Post(h, intaketest.Lead("perdida")).String(), "423 webhook_desabilitado")
	lost := only("refused")
	if said := o.Refused("webhook", "replay", lost.ID); !strings.Contains(said, "desabilitado") {
		t.Errorf("a replay to a disabled webhook says %q", said)
	}
	o.Nothing(t, h)
	o.Command("webhook", "enable", h.ID)
	// Two people press the button at once, repeatedly.
	made := make([]intaketest.Replayed, 6)
	var wg sync.WaitGroup
	for i := range made {
		wg.Go(func() { made[i] = o.Replay(lost.ID) })
	}
	wg.Wait()
	made = append(made, o.Replay(lost.ID))
	first := 0
	for _, m := range made {
		expect(t, "contact of a replay", m.Contact, made[0].Contact)
		if !m.Repeated {
			first++
		}
	}
	expect(t, "replays that made a contact", first, 1)
	expect(t, "contacts", len(o.Contacts()), 1)
	expect(t, "received", o.Show(h).Received, 1)
	expect(t, "notifications", len(o.Notifications()), 1)
	c := o.Contact(made[0].Contact)
	expect(t, "history", line(len(c.Historico), c.Historico[0].Tipo, c.Historico[0].Autor), "1 criado Repetição")
	log := only("accepted")
	expect(t, "the log says of what it is a replay", intaketest.Or(log.ReplayOf), lost.ID)
	if again := o.Replay(log.ID); again.Contact != c.ID || !again.Repeated {
		t.Error("the replay of a replay makes another contact")
	}

	// A delivery's identity is kept: the sender's own retry and the replay are one contact.
	keyed := request{
		Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": "tentativa"},
		Body: intaketest.Lead("teimosa"),
	}
	o.Command("webhook", "disable", h.ID)
	expect(t, "disabled", o.Do(keyed).Status, 423)
	o.Command("webhook", "enable", h.ID)
	replay := o.Replay(o.Deliveries(h)[0].ID)
	expect(t, "the sender tries again", o.Do(keyed).LeadID(), replay.Contact)
	expect(t, "contacts", len(o.Contacts()), 2)

	// A post refused for its content is refused again, and the log says so.
	expect(t, "no e-mail", o.Post(h, `{"nome":"x"}`).Status, 400)
	bad := o.Deliveries(h)[0]
	if said := o.Refused("webhook", "replay", bad.ID); !strings.Contains(said, "e-mail") {
		t.Errorf("the replay of one without an e-mail says %q", said)
	}
	expect(t, "log of that", intaketest.Or(o.Deliveries(h)[0].ReplayOf)+o.Deliveries(h)[0].Code, bad.ID+"email_invalido")
	// A body that was not kept whole cannot be replayed.
	o.Do(request{
		Path:   h.Path,
		Header: map[string]string{"Content-Type": "application/json", "Content-Length": fmt.Sprint(large)},
		Stream: func(w io.Writer) { _, _ = io.WriteString(w, strings.Repeat(" ", 70<<10)) },
	})
	o.Refused("webhook", "replay", o.Deliveries(h)[0].ID)
	expect(t, "contacts", len(o.Contacts()), 2)
}

func testRegenerating(t *testing.T, o *org) {
	h := o.NewHook("Vazado", "generic")
	posts := postsTo(o, h)
	expect(t, "before", posts.after(t, time.Time{})["200"] > 0, true)
	next := intaketest.Read[intaketest.HookView](o, "webhook", "regenerate", h.ID)
	ended := time.Now()
	o.Hide(next.Token)
	got := posts.after(t, ended)
	posts.end()
	if got["404 webhook_desconhecido"] == 0 || len(got) != 1 || next.Token == h.Token || len(next.Token) != 48 ||
		!strings.HasSuffix(next.URL, next.Token) {
		t.Errorf("the old token after the change: %v", got)
	}
	renewed := hook{ID: h.ID, Token: next.Token, Path: intaketest.PathOf(next.Token)}
	before := o.Show(h).Received
	o.Accept(renewed, intaketest.Lead("nova"))
	expect(t, "the counter goes on", o.Show(h).Received, before+1)

	last := intaketest.Read[intaketest.HookView](o, "webhook", "regenerate", h.ID, "--grace", "1h")
	o.Hide(last.Token)
	o.Accept(renewed, intaketest.Lead("graça"))
	o.Accept(hook{Path: intaketest.PathOf(last.Token)}, intaketest.Lead("última"))
	expect(t, "the oldest stays ended", o.Post(h, intaketest.Lead("velha")).Status, 404)
	final := intaketest.Read[intaketest.HookView](o, "webhook", "regenerate", h.ID)
	o.Hide(final.Token)
	for what, token := range map[string]string{"the one in its grace": next.Token, "the last one": last.Token} {
		expect(t, what+" ends too", o.Post(hook{Path: intaketest.PathOf(token)}, intaketest.Lead("fim")).Status, 404)
	}
	brief := intaketest.Read[intaketest.HookView](o, "webhook", "regenerate", h.ID, "--grace",
		patience.Scaled(2*time.Second).String())
	o.Hide(brief.Token)
	old := hook{Path: intaketest.PathOf(final.Token)}
	expect(t, "within the grace", o.Do(request{Method: "GET", Path: old.Path}).Status, 200)
	lookuptest.Eventually(t, "the grace ends", func() bool {
		return o.Do(request{Method: "GET", Path: old.Path}).Status == 404
	})
	o.Refused("webhook", "regenerate", h.ID, "--grace=-1h")
	expect(t, "after a refused change", o.Show(h).Token, brief.Token)
}

func testSettings(t *testing.T, o *org) {
	o.Origins("Google")
	h := o.NewHook("Antigo nome", "generic")
	before := o.Accept(h, `{"email":"`+intaketest.Email("antes")+`","valor":"De R$ 4 mil a R$ 7 mil"}`)
	v := intaketest.Read[intaketest.HookView](o, "webhook", "set", h.ID, "--name", "Novo nome", "--type", "formservice",
		"--bands", "upper", "--origin", "google", "--email-key", "receipt_to")
	expect(t, "shown", line(v.Name, v.Type, v.Bands, intaketest.Or(v.Origin), v.Enabled, v.Received, v.EmailKey),
		"Novo nome formservice upper Google true 1 receipt_to")
	expect(t, "verification", o.Do(request{Method: "GET", Path: h.Path}).Text("name"), "Novo nome")
	after := o.Contact(o.Accept(h, `{"email":"`+intaketest.Email("depois")+`","valor":"De R$ 4 mil a R$ 7 mil"}`))
	expect(t, "what the next post meets",
		line(after.Nome, after.Valor, intaketest.Or(after.Origem), after.Historico[0].Autor), "depois 7000 Google Novo nome")
	keyed := o.Contact(o.Accept(h, `{"receipt_to":"`+intaketest.Email("campo")+`"}`))
	expect(t, "where the e-mail stands", keyed.Email, intaketest.Email("campo"))
	old := o.Contact(before)
	expect(t, "the history keeps the name of then", line(old.Nome, old.Valor, old.Historico[0].Autor),
		"Lead sem nome 0 Antigo nome")
	list := intaketest.Read[[]intaketest.HookView](o, "webhook", "list", "--org", o.ID)
	expect(t, "list", line(len(list), list[0].Name, list[0].Received, list[0].Token == ""), "1 Novo nome 3 true")
}

// testOrganisations: nothing of one organisation is visible in another, nor triggered from there.
func testOrganisations(t *testing.T, a, b *org) {
	a.Origins("Instagram")
	b.Origins("Google")
	ha, hb := a.NewHook("Da A", "generic"), b.NewHook("Da B", "generic")
	ra, _ := a.Automate("Da A", "add_note", "--text", "nota da A")
	rb, _ := b.Automate("Da B", "add_note", "--text", "nota da B")
	owner := a.Member("Dona", "owner")
	keyed := func(o *org, h hook) string {
		return o.Do(request{
			Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": "a mesma"},
			Body: `{"email":"` + intaketest.Email("mesma") + `","origem":"instagram"}`,
		}).LeadID()
	}
	la, lb := keyed(a, ha), keyed(b, hb)
	if la == lb || la == "" || lb == "" {
		t.Fatal("the same key at two organisations is one contact")
	}
	for _, o := range []*org{a, b} {
		o.Settled(1, "--automation", map[string]string{a.ID: ra, b.ID: rb}[o.ID])
	}
	ca, cb := a.Contact(la), b.Contact(lb)
	expect(t, "origins", intaketest.Or(ca.Origem)+" "+intaketest.Or(cb.Origem), "Instagram null")
	expect(t, "assignees", line(ca.Responsavel != nil, cb.Responsavel != nil), "true false")
	expect(t, "notes",
		line(strings.Contains(ca.Nota, "nota da A"), strings.Contains(ca.Nota, "nota da B"),
			strings.Contains(cb.Nota, "nota da A"), strings.Contains(cb.Nota, "nota da B")), "true false false true")
	for _, o := range []*org{a, b} {
		expect(t, "contacts", len(o.Contacts()), 1)
		expect(t, "notifications", len(o.Notifications()), 1)
	}
	for _, foreign := range []string{ra, rb} {
		n := 0
		for _, o := range []*org{a, b} {
			for _, r := range o.Runs("--automation", foreign) {
				expect(t, "contact of a run", r.Contact, map[string]string{ra: la, rb: lb}[foreign])
				n++
			}
		}
		expect(t, "runs", n, 1)
	}
	for _, mixed := range [][]string{
		{"webhook", "create", "--org", b.ID, "--name", "x", "--type", "generic", "--origin", "Instagram"},
		{"webhook", "set", hb.ID, "--origin", "Instagram"},
		{"automation", "add", "--org", b.ID, "--name", "x", "--action", "assign", "--member", owner},
		{"automation", "add", "--org", b.ID, "--name", "x", "--action", "assign", "--member", a.MemberEmail("Dona")},
		{"automation", "add", "--org", b.ID, "--name", "x", "--action", "add_note", "--text", "x", "--origin", "Instagram"},
		{"automation", "add", "--org", b.ID, "--name", "x", "--action", "add_note", "--text", "x", "--webhook", ha.ID},
		{"notification", "list", "--org", b.ID, "--member", owner},
		{"notification", "read", "--org", b.ID, "--member", owner},
	} {
		b.Refused(mixed...)
	}
}
