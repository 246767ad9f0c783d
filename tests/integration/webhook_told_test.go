package integration

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

// toldEvent is a conversion as the stand-in for Meta got it.
type toldEvent struct {
	EventName    string `json:"event_name"`
	EventTime    int64  `json:"event_time"`
	EventID      string `json:"event_id"`
	ActionSource string `json:"action_source"`
	UserData     struct {
		LeadID json.Number `json:"lead_id"`
		Em, Ph []string
	} `json:"user_data"`
	CustomData map[string]string `json:"custom_data"`
}

func toldTo(t *testing.T, m intaketest.Meta) []toldEvent {
	t.Helper()
	all := make([]toldEvent, len(m.Events()))
	for i, raw := range m.Events() {
		if err := json.Unmarshal(raw, &all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

const (
	toldToken   = "t0k3n-do-conjunto"
	toldConsent = "aceite_ofertas"
)

// toldOrg is an organisation that moves every contact and tells Meta of it, with what is given as its reason.
func toldOrg(t *testing.T, env map[string]string, ground ...string) (o *org, m intaketest.Meta, rule string) {
	t.Helper()
	m = intaketest.StartMeta(t)
	o = intaketest.StartService(t, env, m.Env("1h")).Org(t)
	o.Hide(toldToken)
	rule, _ = o.Automate("Etapas à Meta", "http", slices.Concat([]string{
		"--event", "contact.moved", "--destination", "meta-capi", "--set", "dataset=123456", "--set", "token=" + toldToken,
	}, ground)...)
	o.Automate("Mover", "move_stage", "--stage", "Em contato")
	return o, m, rule
}

func consentLead(name, more string) string {
	return `{"nome":"` + name + " " + intaketest.Surname + `","email":" ` + strings.ToUpper(intaketest.Email(strings.ToLower(name))) +
		`","telefone":"` + intaketest.PhoneE164 + `"` + more + `}`
}

// TestSlowStagesAreToldWithConsent: only those who consent are told of, by their newest word; each move is one event,
// with the same id and time through retries and repetitions; a person's export has what was sent, and the receipt of
// an erasure to whom.
func TestSlowStagesAreToldWithConsent(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		o, m, rule := toldOrg(t, env, "--consent", toldConsent)
		site, other := o.NewHook("Site", "generic"), o.NewHook("Outro", "generic")
		m.Limit(2, 2, 0) // answered by 503
		ana := o.Accept(site, consentLead("Ana", `,"aceite_ofertas":"Sim"`))
		o.Eventually("Ana is told of", func() bool { return len(m.Events()) == 1 })
		runs := o.Settled(1, "--automation", rule)
		expect(t, "the run", line(runs[0].State, runs[0].Attempts, runs[0].Result), "done 3 status 200")
		first := toldTo(t, m)[0]
		expect(t, "the event", line(first.EventName, first.ActionSource, first.CustomData["event_source"],
			first.CustomData["lead_event_source"]), "Em contato system_generated crm Fichário")
		expect(t, "the hashes", line(first.UserData.Em, first.UserData.Ph), line(
			[]string{hashed(intaketest.Email("ana"))}, []string{hashed(strings.TrimPrefix(intaketest.PhoneE164, "+"))}))

		for name, more := range map[string]string{
			"Bia": `,"aceite_ofertas":"não"`, "Caio": "", "Davi": `,"aceite_ofertas":"talvez"`, "Eva": `,"aceite_ofertas":false`,
			"Gil": `,"aceite_ofertas":"1"`,
		} {
			o.Accept(site, consentLead(name, more))
		}
		for _, r := range o.Settled(6, "--automation", rule) {
			if r.Contact != ana {
				expect(t, "a run without consent", line(r.State, r.Attempts, r.Result),
					"done 1 nada enviado: sem consentimento no campo aceite_ofertas")
			}
		}
		expect(t, "events", len(m.Events()), 1)

		o.Command("automation", "rerun", runs[0].ID)
		o.Settled(7, "--automation", rule)
		again := toldTo(t, m)[1]
		expect(t, "the repetition", line(again.EventID, again.EventTime), line(first.EventID, first.EventTime))
		o.Accept(other, consentLead("Ana", `,"mensagem":"Oi"`)) // a form without the field changes nothing
		o.Accept(site, consentLead("Ana", `,"aceite_ofertas":true`))
		o.Settled(9, "--automation", rule)
		if all := toldTo(t, m); len(all) != 3 || all[2].EventID == first.EventID {
			t.Errorf("another move of the same person: %d events, the last is %+v", len(all), all[len(all)-1])
		}
		o.Accept(site, consentLead("Ana", "")) // a box that is not ticked is not sent
		o.Command("automation", "rerun", runs[0].ID)
		o.Settled(11, "--automation", rule)
		expect(t, "events after she withdrew", len(m.Events()), 3)

		exportAndErase(t, o, m)
	})
}

// exportAndErase looks at what is kept of what Meta was told of Ana, and erases her.
func exportAndErase(t *testing.T, o *org, m intaketest.Meta) {
	t.Helper()
	export := intaketest.Read[struct {
		Contatos []struct {
			Consentimentos []struct {
				Campo string
				Dado  bool
			}
			EnviadoAPlataformas []struct {
				Destino, Consentimento, Corpo string
				RecebidoEm                    *string
			}
		}
	}](o, "subject", "export", "--org", o.ID, "--email", intaketest.Email("ana"))
	sent, given := 0, 0
	for _, c := range export.Contatos {
		for _, said := range c.Consentimentos {
			if said.Campo == toldConsent && said.Dado {
				given++
			}
		}
		for _, told := range c.EnviadoAPlataformas {
			sent++
			if told.Destino != "meta-capi" || told.Consentimento != toldConsent || told.RecebidoEm == nil ||
				!strings.Contains(told.Corpo, hashed(intaketest.Email("ana"))) || strings.Contains(told.Corpo, toldToken) {
				t.Errorf("the export has %+v", told)
			}
		}
	}
	expect(t, "consents and what was sent, in the export", line(given, sent), "2 3")
	type receipt struct {
		Situacao string
		EnviadoA []struct{ Destino, Em string }
	}
	done := intaketest.Read[receipt](o, "subject", "erase", "--org", o.ID, "--email", intaketest.Email("ana"))
	expect(t, "the receipt", line(done.Situacao, len(done.EnviadoA), done.EnviadoA[0].Destino), "concluida 3 meta-capi")
	listed := intaketest.Read[[]receipt](o, "subject", "erasures", "--org", o.ID)
	expect(t, "the list of erasures", len(listed[0].EnviadoA), 3)
	expect(t, "events after the erasure", len(m.Events()), 3)
}

// TestStagesAreToldOnABasis: a purpose of the organisation allows it for everybody, stands in the record of operations,
// and stops it when it is retired. Without a reason, or with two, there is no such automation.
func TestStagesAreToldOnABasis(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		m := intaketest.StartMeta(t)
		o := intaketest.StartService(t, env, m.Env("1h")).Org(t)
		o.Hide(toldToken)
		o.Command("purpose", "add", "--org", o.ID, "--code", "marketing", "--name", "Anúncios", "--basis", "legitimo_interesse")
		o.Command("purpose", "add", "--org", o.ID, "--code", "aceite", "--name", "Quem aceitou", "--basis", "consentimento")
		add := []string{"automation", "add", "--org", o.ID, "--name", "Meta", "--action", "http", "--destination", "meta-capi",
			"--set", "dataset=123456"}
		for _, c := range []struct {
			more []string
			says string
		}{
			{nil, "--consent"}, // said before a secret is asked for
			{[]string{"--consent", "x", "--basis", "marketing"}, "um só"},
			{[]string{"--basis", "aceite", "--set", "token=" + toldToken}, "--consent"},
			{[]string{"--basis", "outra", "--set", "token=" + toldToken}, "marketing"},
			{[]string{"--consent", "x", "--event", "contact.updated", "--set", "token=" + toldToken}, "contact.moved"},
		} {
			if said := o.Refused(slices.Concat(add, c.more)...); !strings.Contains(said, c.says) {
				t.Errorf("%v is refused with %q, which does not say %s", c.more, said, c.says)
			}
		}
		o.Refused("automation", "add", "--org", o.ID, "--name", "x", "--action", "http", "--url", "https://x.example",
			"--consent", "x")
		made := intaketest.Read[struct{ ID string }](o, slices.Concat(add, []string{"--basis", "marketing", "--set",
			"token=" + toldToken})...)
		o.Automate("Mover", "move_stage", "--stage", "Em contato")
		record := o.Command("subject", "record", "--org", o.ID, "--json")
		expect(t, "the record of operations", strings.Contains(record, "Anúncios (marketing): Legítimo interesse (art. 7º, IX)"),
			true)
		site := o.NewHook("Site", "generic")
		o.Accept(site, consentLead("Ana", ""))
		o.Eventually("Ana is told of", func() bool { return len(m.Events()) == 1 })
		o.Settled(1, "--automation", made.ID)
		o.Command("purpose", "set", "--org", o.ID, "--code", "marketing", "--retired=true")
		o.Accept(site, consentLead("Bia", ""))
		results := map[string]int{}
		for _, r := range o.Settled(2, "--automation", made.ID) {
			results[r.State+" "+r.Result]++
		}
		expect(t, "runs", results, map[string]int{
			"done status 200": 1, "dead nada enviado: a finalidade marketing não está em vigor": 1,
		})
		expect(t, "events", len(m.Events()), 1)
	})
}

// TestALeadOfMetaIsToldByItsID: the id of a lead of an instant form goes back, and a consent that was not ticked
// counts.
func TestALeadOfMetaIsToldByItsID(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		o, m, rule := toldOrg(t, maps.Clone(env), "--consent", "Aceito receber ofertas por e-mail")
		h := o.NewMetaHook("Instagram")
		o.Connect(h, "token-da-pagina")
		not := intaketest.MetaLead("Bia")
		not.Ticked = nil
		ids := m.AddLeads(intaketest.MetaLead("Ana"), not)
		o.Announce(m, h, ids...)
		o.Settled(2, "--automation", rule)
		all := toldTo(t, m)
		if len(all) != 1 || all[0].UserData.LeadID.String() != ids[0] {
			t.Errorf("Meta was told %+v, want the lead %s", all, ids[0])
		}

		// A lead that is read later, but is older, withdraws nothing.
		older := intaketest.MetaLead("Caio")
		older.Created, older.Ticked = time.Now().Add(-time.Hour), nil
		ids = m.AddLeads(intaketest.MetaLead("Caio"), older)
		o.Announce(m, h, ids[0])
		o.Settled(3, "--automation", rule)
		newest := o.Runs("--automation", rule)[0]
		o.Announce(m, h, ids[1])
		o.Settled(4, "--automation", rule)
		o.Command("automation", "rerun", newest.ID)
		o.Settled(5, "--automation", rule)
		if all = toldTo(t, m); len(all) != 3 || all[1].EventID != all[2].EventID {
			t.Errorf("Meta was told %+v, want the newer lead twice", all)
		}
	})
}

// TestAnErasureStopsATelling: what waits is not sent any more, and the receipt says that it was tried.
func TestAnErasureStopsATelling(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		o, m, rule := toldOrg(t, env, "--consent", toldConsent)
		site := o.NewHook("Site", "generic")
		m.Limit(1<<20, 2, 0)
		o.Accept(site, consentLead("Ana", `,"aceite_ofertas":"sim"`))
		o.Eventually("a run waits", func() bool {
			runs := o.Runs("--automation", rule)
			return len(runs) == 1 && runs[0].Result == "status 503"
		})
		done := intaketest.Read[struct {
			EnviadoA []struct{ Destino string }
		}](o, "subject", "erase", "--org", o.ID, "--email", intaketest.Email("ana"))
		expect(t, "the receipt", line(done.EnviadoA), "[{meta-capi}]")
		m.Limit(0, 0, 0)
		expect(t, "runs after the erasure", len(o.Runs("--automation", rule)), 0)
		o.Accept(site, consentLead("Bia", `,"aceite_ofertas":"sim"`))
		o.Settled(1, "--automation", rule)
		all := toldTo(t, m)
		if len(all) != 1 || all[0].UserData.Em[0] != hashed(intaketest.Email("bia")) {
			t.Errorf("Meta was told %+v", all)
		}
	})
}

// TestSlowAKilledTellingIsTheSameEvent: the service is killed while Meta takes an event; it sends it again, with the
// same id and time. It waits for the lease of the killed instance.
func TestSlowAKilledTellingIsTheSameEvent(t *testing.T) {
	t.Parallel()
	testkit.OnBothDatabases(t, func(t *testing.T, env map[string]string) {
		took, killed := make(chan struct{}, 1), make(chan struct{})
		receiver := intaketest.StartReceiver(t, func(w http.ResponseWriter, _ *http.Request, _ intaketest.Call, try int) {
			if try == 1 {
				took <- struct{}{}
				<-killed
			}
			_, _ = io.WriteString(w, `{"events_received":1}`)
		})
		o := intaketest.StartService(t, env, map[string]string{"FICHARIO_META_URL": receiver.URL}).Org(t)
		o.Hide(toldToken)
		rule, _ := o.Automate("Etapas à Meta", "http", "--event", "contact.moved", "--destination", "meta-capi",
			"--set", "dataset=123456", "--set", "token="+toldToken, "--consent", toldConsent)
		o.Automate("Mover", "move_stage", "--stage", "Em contato")
		o.Accept(o.NewHook("Site", "generic"), consentLead("Ana", `,"aceite_ofertas":"sim"`))
		<-took
		o.Kill()
		close(killed)
		o.Restart()
		o.Settled(1, "--automation", rule)
		var ids []string
		for _, c := range receiver.Calls() {
			var body struct{ Data []toldEvent }
			if err := json.Unmarshal(c.Body, &body); err != nil || len(body.Data) != 1 {
				t.Fatalf("%s, %v", c.Body, err)
			}
			ids = append(ids, line(body.Data[0].EventID, body.Data[0].EventTime))
		}
		if len(ids) != 2 || ids[0] != ids[1] {
			t.Errorf("Meta was told %v, want one event twice", ids)
		}
	})
}
