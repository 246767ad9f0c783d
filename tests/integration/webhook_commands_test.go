package integration

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

// testCommands: with --json every command prints one JSON value of the expected shape; errors exit with code 1 and a
// message for people on standard error.
func testCommands(t *testing.T, o, empty *org) {
	member := o.Member("Dona", "owner")
	origin := intaketest.Read[map[string]string](o, "origin", "add", "--org", o.ID, "--name", "  Instagram ")
	expect(t, "origin add", origin["name"], "Instagram")
	h := o.NewHook("Comandos", "generic")
	automation, secret := o.Automate("Nota", "add_note", "--text", "x")
	_, httpSecret := o.Automate("Chamada", "http", "--url", "https://site.example/gancho")
	expect(t, "secrets", line(secret == "", strings.HasPrefix(httpSecret, "whsec_")), "true true")
	contact := o.Accept(h, intaketest.Lead("comando"))
	delivery := o.Deliveries(h)[0].ID
	run := o.Settled(1, "--automation", automation)[0].ID

	keys := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(len(m))
	}
	has := func(what string, v map[string]any, fields ...string) {
		for _, f := range fields {
			if _, ok := v[f]; !ok {
				t.Errorf("%s --json has no %s (of %s)", what, f, keys(v))
			}
		}
	}
	has("webhook show", intaketest.Read[map[string]any](o, "webhook", "show", h.ID), "id", "name", "type", "enabled",
		"origin", "received", "token", "url")
	has("contact show", intaketest.Read[map[string]any](o, "contact", "show", contact), "id", "nome", "email", "telefone",
		"empresa", "valor", "nota", "origem", "funil", "etapa", "responsavel", "historico", "criadoEm")
	has("contact list", intaketest.Read[[]map[string]any](o, "contact", "list", "--org", o.ID)[0], "id", "nome", "email")
	has("notification list", intaketest.Read[[]map[string]any](o, "notification", "list", "--org", o.ID)[0], "id",
		"titulo", "texto", "contato", "em", "lida")
	has("webhook delivery", intaketest.Read[map[string]any](o, "webhook", "delivery", delivery), "id", "at", "outcome",
		"code", "reason", "contact", "replayOf", "headers", "body")
	has("webhook regenerate",
		intaketest.Read[map[string]any](o, "webhook", "regenerate", o.NewHook("Outro", "generic").ID), "id", "token", "url")
	for _, list := range [][]string{
		{"contact", "list"}, {"notification", "list"}, {"origin", "list"}, {"automation", "list"}, {"automation", "runs"},
	} {
		if out := strings.TrimSpace(empty.Command(append(list, "--org", empty.ID, "--json")...)); out != "[]" {
			t.Errorf("%s of an organisation without any prints %q", strings.Join(list, " "), out)
		}
	}
	for _, text := range [][]string{
		{"origin", "list", "--org", o.ID}, {"webhook", "list", "--org", o.ID}, {"webhook", "show", h.ID},
		{"webhook", "deliveries", h.ID}, {"webhook", "delivery", delivery},
		{"automation", "list", "--org", o.ID}, {"automation", "runs", "--org", o.ID}, {"contact", "list", "--org", o.ID},
		{"contact", "show", contact}, {"notification", "list", "--org", o.ID},
	} {
		if out := o.Command(text...); strings.TrimSpace(out) == "" || json.Valid([]byte(out)) || strings.Contains(out, "%!") {
			t.Errorf("%s without --json prints %d bytes that are no text", strings.Join(text[:2], " "), len(out))
		}
	}

	// Read marks are per member.
	other := o.Member("Outra", "member")
	unread := func(member string) bool {
		return !intaketest.Read[[]intaketest.Note](o, "notification", "list", "--org", o.ID, "--member", member)[0].Lida
	}
	o.Command("notification", "read", "--org", o.ID, "--member", member)
	expect(t, "unread", line(unread(member), unread(other)), "false true")
	o.Accept(h, intaketest.Lead("mais um"))
	expect(t, "a new one", unread(member), true)

	const nobody = "01900000-0000-7000-8000-000000000000"
	unknown := [][]string{
		{"origin", "list", "--org", nobody}, {"origin", "add", "--org", nobody, "--name", "x"},
		{"webhook", "create", "--org", nobody, "--name", "x", "--type", "generic"},
		{"webhook", "list", "--org", nobody}, {"webhook", "show", nobody}, {"webhook", "set", nobody, "--name", "x"},
		{"webhook", "enable", nobody}, {"webhook", "disable", nobody},
		{"webhook", "regenerate", nobody}, {"webhook", "deliveries", nobody}, {"webhook", "delivery", nobody},
		{"webhook", "replay", nobody},
		{"automation", "add", "--org", nobody, "--name", "x", "--action", "add_note", "--text", "x"},
		{"automation", "list", "--org", nobody}, {"automation", "enable", nobody},
		{"automation", "disable", nobody}, {"automation", "runs", "--org", nobody}, {"automation", "rerun", nobody},
		{"contact", "list", "--org", nobody}, {"contact", "show", nobody},
		{"notification", "list", "--org", nobody}, {"notification", "read", "--org", o.ID, "--member", nobody},
	}
	for _, bad := range []string{"", "' OR 1=1 --", nobody + "x"} {
		unknown = append(unknown, []string{"webhook", "show", bad}, []string{"contact", "list", "--org", bad},
			[]string{"contact", "show", bad}, []string{"automation", "rerun", bad})
	}
	for _, c := range unknown {
		o.Refused(c...)
	}
	for _, c := range [][]string{ // ids of another kind
		{"webhook", "show", contact}, {"webhook", "delivery", h.ID}, {"webhook", "replay", contact},
		{"webhook", "deliveries", delivery}, {"contact", "show", h.ID},
		{"automation", "enable", run}, {"automation", "rerun", automation}, {"automation", "rerun", contact},
		{"contact", "list", "--org", member}, {"notification", "list", "--org", o.ID, "--member", contact},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "assign", "--member", contact},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "add_note", "--text", "x", "--webhook", contact},
	} {
		o.Refused(c...)
	}
}

// testPagesOfCommands: lists are paged, and an invalid page is refused alike on both databases.
func testPagesOfCommands(t *testing.T, o *org) {
	h := o.NewHook("Páginas", "generic")
	o.Automate("Nota", "add_note", "--text", "x")
	var made []string
	for i := range 5 {
		made = append(made, o.Accept(h, intaketest.Lead(fmt.Sprint("página ", i))))
	}
	o.Settled(5)
	list := intaketest.Read[[]intaketest.Contact](o, "contact", "list", "--org", o.ID, "--limit", "2")
	expect(t, "newest first", line(len(list), list[0].ID, list[1].ID), line(2, made[4], made[3]))
	seen, after := 0, ""
	for page := 0; page < 3; page++ {
		args := []string{"webhook", "deliveries", h.ID, "--limit", "2"}
		if after != "" {
			args = append(args, "--after", after)
		}
		for _, d := range intaketest.Read[[]intaketest.Delivery](o, args...) {
			expect(t, "contact of a delivery", intaketest.Or(d.Contact), made[4-seen])
			seen, after = seen+1, d.ID
		}
	}
	expect(t, "deliveries on all pages", seen, 5)
	first := intaketest.Read[[]intaketest.Run](o, "automation", "runs", "--org", o.ID, "--limit", "3")
	rest := intaketest.Read[[]intaketest.Run](o, "automation", "runs", "--org", o.ID, "--after", first[2].ID)
	expect(t, "runs on two pages", line(len(first), len(rest)), "3 2")
	for _, bad := range [][]string{
		{"webhook", "deliveries", h.ID, "--limit", "5", "--after", "ontem"},
		{"automation", "runs", "--org", o.ID, "--after", "ontem"},
		{"automation", "runs", "--org", o.ID, "--automation", "nenhuma"},
		{"automation", "runs", "--org", o.ID, "--contact", "ninguém"},
		{"contact", "list", "--org", o.ID, "--limit=-1"},
		{"webhook", "deliveries", h.ID, "--after", "01900000-0000-7000-8000-000000000000", "--limit=-1"},
		{"notification", "list", "--org", o.ID, "--limit=-1"},
		{"automation", "runs", "--org", o.ID, "--limit=-1"},
	} {
		t.Run(strings.Join(bad[:2], " ")+" "+strings.Join(bad[4:], " "), func(t *testing.T) { o.With(t).Refused(bad...) })
	}
}

// TestSlowWebhookInput: invalid input is refused before anything is written.
func TestSlowWebhookInput(t *testing.T) {
	t.Parallel()
	o := intaketest.StartService(t, testkit.SQLite(t)).Org(t)
	h := o.NewHook("Entradas", "generic")
	for _, c := range [][]string{
		{"origin", "add", "--org", o.ID, "--name", " "},
		{"origin", "add", "--org", o.ID, "--name", strings.Repeat("o", 121)},
		{"origin", "add", "--org", o.ID, "--name", "\u0301"},
		{"webhook", "create", "--org", o.ID, "--name", " ", "--type", "generic"},
		{"webhook", "create", "--org", o.ID, "--name", "x", "--type", "outro"},
		{"webhook", "create", "--org", o.ID, "--name", "x"},
		{"webhook", "create", "--org", o.ID, "--name", "x", "--type", "generic", "--origin", "Bing"},
		{"webhook", "create", "--org", o.ID, "--name", "x", "--type", "generic", "--secret", "12345678"},
		{"webhook", "create", "--org", o.ID, "--name", "x", "--type", "generic", "--signature", "hmac"},
		{"webhook", "create", "--org", o.ID, "--name", "x", "--type", "generic", "--thanks-url", "ontem"},
		{"webhook", "regenerate", h.ID, "--grace", "amanhã"}, {"webhook", "regenerate", h.ID, "--grace=-1s"},
		{"automation", "add", "--org", o.ID, "--name", " ", "--action", "add_note", "--text", "x"},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "add_note"},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "add_note", "--text", "x", "--event",
			"contact.deleted"}, {"automation", "add", "--org", o.ID, "--name", "x", "--action", "dançar"},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "add_note", "--text", "x", "--min-value", "mil"},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "add_note", "--text", "x", "--min-value=-1"},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "add_note", "--text", "x", "--origin", "Bing"},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "add_note", "--text", "x", "--url",
			"https://site.example"},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "move_stage", "--stage", "Nenhuma"},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "assign", "--member", "ninguem@site.example"},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "email", "--to", "ninguém", "--subject", "x",
			"--text", "x"}, {"automation", "add", "--org", o.ID, "--name", "x", "--action", "http"},
		{"automation", "add", "--org", o.ID, "--name", "x", "--action", "email", "--to", "contact", "--subject", "x",
			"--text", "x"}, // without a mail server
		{"automation", "runs", "--org", o.ID, "--state", "talvez"}, {"contact", "list", "--org", o.ID, "--limit", "muitos"},
		{"contact", "show"}, {"webhook"}, {"webhook", "dançar"},
	} {
		o.Refused(c...)
	}
	for _, bad := range [][]string{
		{"--name", " "}, {"--name", strings.Repeat("n", 121)}, {"--type", "outro"}, {"--bands", "meio"},
		{"--origin", "Bing"}, {"--signature", "rot13", "--secret", "12345678"},
		{"--signature", "hmac"}, {"--signature", "hmac", "--secret", "curto"},
		{"--signature", "standard", "--secret", "não é base64"}, {"--secret", "12345678"},
		{"--signature", "none", "--secret", "12345678"}, {"--name", "a\x01b"},
	} {
		o.Refused(append([]string{"webhook", "set", h.ID}, bad...)...)
	}
	expect(t, "after refused changes", o.Show(h).Name, "Entradas")
	expect(t, "automations", len(intaketest.Read[[]any](o, "automation", "list", "--org", o.ID)), 0)
	expect(t, "webhooks", len(intaketest.Read[[]any](o, "webhook", "list", "--org", o.ID)), 1)
	expect(t, "origins", len(intaketest.Read[[]any](o, "origin", "list", "--org", o.ID)), 0)
}

// testChangesAtOnce: concurrent changes by two people all take effect.
func testChangesAtOnce(t *testing.T, o *org) {
	h := o.NewHook("Disputado", "generic")
	for round := range 4 {
		name, thanks := fmt.Sprint("Nome ", round), fmt.Sprint("https://site.example/", round)
		bands := []string{"lower", "upper"}[round%2]
		on := []string{"disable", "enable"}[round%2]
		var wg sync.WaitGroup
		for _, change := range [][]string{
			{"webhook", "set", h.ID, "--name", name}, {"webhook", "set", h.ID, "--thanks-url", thanks},
			{"webhook", "set", h.ID, "--bands", bands}, {"webhook", on, h.ID},
		} {
			wg.Go(func() { o.Command(change...) })
		}
		wg.Wait()
		v := o.Show(h)
		expect(t, "after all four", line(v.Name, v.ThanksURL, v.Bands, v.Enabled), line(name, thanks, bands, round%2 == 1))
	}
}

// testRegeneratingAtOnce: of several new addresses made at the same moment one remains, and no address is open that
// nobody was shown. It needs PostgreSQL: SQLite has one writer.
func testRegeneratingAtOnce(t *testing.T, o *org) {
	h := o.NewHook("Trocado por muitos", "generic")
	tokens := make([]string, 3)
	release := o.Hold(t, h, len(tokens))
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() { tokens[i] = intaketest.Read[intaketest.HookView](o, "webhook", "regenerate", h.ID).Token })
	}
	release()
	wg.Wait()
	o.Hide(tokens...)
	last := o.Show(h).Token
	for _, token := range tokens {
		want := 404
		if token == last {
			want = 200
		}
		expect(t, "an address that somebody was shown", o.Do(request{Method: "GET", Path: intaketest.PathOf(token)}).Status,
			want)
	}
	expect(t, "the address that is shown", o.Do(request{Method: "GET", Path: intaketest.PathOf(last)}).Status, 200)
	expect(t, "the first address", o.Do(request{Method: "GET", Path: h.Path}).Status, 404)
	expect(t, "open addresses", o.LiveTokens(t, h), 1)
}
