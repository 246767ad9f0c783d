package integration

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

func mac(key []byte, signed string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(signed))
	return m.Sum(nil)
}

func hexMAC(key, signed string) string { return hex.EncodeToString(mac([]byte(key), signed)) }

func base64MAC(key []byte, signed string) string {
	return base64.StdEncoding.EncodeToString(mac(key, signed))
}

// testOwnHeader: a plain HMAC in the sender's own header, in hex or base64, and in no other.
func testOwnHeader(t *testing.T, o *org) {
	const secret = "segredo-de-cabecalho-7731"
	o.Hide(secret)
	h := o.NewHook("Cabeçalho próprio", "generic",
		"--signature", "hmac", "--secret", secret, "--signature-header", "X-Da-Casa")
	post := func(i int, name, signature string) string {
		body := intaketest.Lead(fmt.Sprint("Cabeçalho ", i))
		if signature == "" {
			signature = base64MAC([]byte(secret), body)
		}
		header := map[string]string{"Content-Type": "application/json", name: signature}
		return o.Do(request{Path: h.Path, Header: header, Body: body}).String()
	}
	expect(t, "its header", post(1, "X-Da-Casa", ""), "200")
	expect(t, "with the hash's name", post(2, "x-da-casa", "sha256="+base64MAC([]byte(secret), intaketest.Lead("Cabeçalho 2"))), "200")
	expect(t, "a usual header", post(3, "X-Signature", ""), "401 nao_autenticado")
	expect(t, "another secret", post(4, "X-Da-Casa", base64MAC([]byte("outro"), "{}")), "401 nao_autenticado")
	o.Command("webhook", "set", h.ID, "--signature", "hmac", "--secret", secret)
	expect(t, "usual headers again", post(5, "X-Signature", ""), "200")
}

// testSignatures: with a secret, only posts signed with it are accepted; a person may replay a refused one.
func testSignatures(t *testing.T, o *org) {
	const secret = "segredo-de-assinatura-7731"
	key := []byte("chave de vinte e quatro b")
	standardSecret := "whsec_" + base64.StdEncoding.EncodeToString(key)
	o.Hide(secret, standardSecret)
	at := func(ago time.Duration) string { return strconv.FormatInt(time.Now().Add(-ago).Unix(), 10) }
	standard := func(id, stamp, signed string) map[string]string {
		return map[string]string{
			"webhook-id": id, "webhook-timestamp": stamp, "webhook-signature": "v1," + base64MAC(key, id+"."+stamp+"."+signed),
		}
	}
	for scheme, c := range map[string]struct {
		secret       string
		right, wrong []func(body string) map[string]string
	}{
		"typeform": {secret, []func(string) map[string]string{
			func(b string) map[string]string {
				return map[string]string{"Typeform-Signature": "sha256=" + base64MAC([]byte(secret), b)}
			},
		}, []func(string) map[string]string{
			func(b string) map[string]string {
				return map[string]string{"Typeform-Signature": "sha256=" + base64MAC([]byte("outro"), b)}
			},
			func(b string) map[string]string {
				return map[string]string{"Tally-Signature": base64MAC([]byte(secret), b)}
			},
		}},
		"tally": {secret, []func(string) map[string]string{
			func(b string) map[string]string {
				return map[string]string{"Tally-Signature": base64MAC([]byte(secret), b)}
			},
		}, []func(string) map[string]string{
			func(b string) map[string]string {
				return map[string]string{"Tally-Signature": base64MAC([]byte(secret), b+" ")}
			},
		}},
		"hmac": {secret, []func(string) map[string]string{
			func(b string) map[string]string {
				return map[string]string{"X-Hub-Signature-256": "sha256=" + hexMAC(secret, b)}
			},
			func(b string) map[string]string { return map[string]string{"X-Signature": hexMAC(secret, b)} },
			func(b string) map[string]string {
				return map[string]string{"X-Signature": base64MAC([]byte(secret), b)}
			},
		}, []func(string) map[string]string{
			func(string) map[string]string {
				return map[string]string{"X-Hub-Signature-256": "sha256=" + strings.Repeat("0", 64)}
			},
			func(string) map[string]string { return map[string]string{"X-Signature": "não"} },
			func(b string) map[string]string {
				return map[string]string{"X-Hub-Signature-256": "sha256=" + hexMAC(secret, b)[:62]}
			},
		}},
		"standard": {standardSecret, []func(string) map[string]string{
			func(b string) map[string]string { return standard("msg_1", at(0), b) },
			func(b string) map[string]string { return standard("msg_2", at(4*time.Minute), b) },
			func(b string) map[string]string { // while a sender rotates its secret
				h := standard("msg_3", at(0), b)
				h["webhook-signature"] = "v1," + base64MAC([]byte("outra"), b) + " " + h["webhook-signature"]
				return h
			},
		}, []func(string) map[string]string{
			func(b string) map[string]string { return standard("msg_4", at(6*time.Minute), b) },
			func(b string) map[string]string { return standard("msg_5", at(-6*time.Minute), b) },
			func(b string) map[string]string { return standard("msg_6", "ontem", b) },
			func(b string) map[string]string { return standard("msg_7", "99999999999999", b) },
			func(b string) map[string]string { return standard("msg_8", at(0), b+" ") },
			func(b string) map[string]string {
				h := standard("msg_9", at(0), b)
				h["webhook-id"] = "msg_10"
				return h
			},
			func(b string) map[string]string {
				h := standard("msg_11", at(0), b)
				delete(h, "webhook-timestamp")
				return h
			},
		}},
	} {
		h := o.NewHook("Assinado "+scheme, "generic", "--signature", scheme, "--secret", c.secret)
		expect(t, "shown", o.Show(h).Signature, scheme)
		post := func(i int, sign func(string) map[string]string) answer {
			body := intaketest.Lead(fmt.Sprint(scheme, " ", i))
			header := map[string]string{"Content-Type": "application/json"}
			for k, v := range sign(body) {
				header[k] = v
			}
			return o.Do(request{Path: h.Path, Header: header, Body: body})
		}
		for i, sign := range c.right {
			expect(t, fmt.Sprint(scheme, " right ", i), post(i, sign).String(), "200")
		}
		for i, sign := range append(c.wrong, func(string) map[string]string { return nil }) {
			expect(t, fmt.Sprint(scheme, " wrong ", i), post(100+i, sign).String(), "401 nao_autenticado")
		}
		expect(t, "a probe needs none", o.Do(request{Method: "GET", Path: h.Path}).Status, 200)
		log := o.Deliveries(h)
		expect(t, "deliveries", len(log), len(c.right)+len(c.wrong)+1)
		replayed := o.Replay(log[0].ID)
		expect(t, "a person vouches for the one without", line(replayed.Repeated, o.Contact(replayed.Contact).Nome),
			fmt.Sprintf("false %s %d %s", scheme, 100+len(c.wrong), intaketest.Surname))
		expect(t, "received", o.Show(h).Received, len(c.right)+1)
		if full := o.Delivery(log[0].ID); strings.Contains(fmt.Sprint(full), h.Token) ||
			strings.Contains(fmt.Sprint(full), c.secret) {
			t.Error("the log keeps the token or the secret")
		}
		o.Command("webhook", "set", h.ID, "--signature", "none")
		expect(t, "none is asked for any more", post(200, func(string) map[string]string { return nil }).String(), "200")
	}
}

// testIdempotency: a retry is answered with the first contact and has no other effect.
func testIdempotency(t *testing.T, o *org) {
	h, other := o.NewHook("Tentativas", "formservice"), o.NewHook("Outras tentativas", "formservice")
	respondi := func(respondent, form, email string) string {
		return `{"form":{"form_id":"` + form + `","form_name":"F"},"respondent":{"respondent_id":"` + respondent +
			`","raw_answers":[{"answer":"` + email + `","question":{"question_type":"email","question_title":"E-mail"}}]}}`
	}
	typeform := func(token, email string) string {
		return `{"event_id":"e","event_type":"form_response","form_response":{"form_id":"f","token":"` + token +
			`","definition":{"fields":[{"id":"1","type":"email","title":"E-mail"}]},"answers":[{"type":"email","email":"` +
			email + `","field":{"id":"1","type":"email"}}]}}`
	}
	tally := func(id, email string) string {
		return `{"eventId":"e-` + email + `","eventType":"FORM_RESPONSE","data":{"submissionId":"` + id +
			`","fields":[{"key":"a","label":"E-mail","type":"INPUT_EMAIL","value":"` + email + `"}]}}`
	}
	header := func(name, value string) map[string]string {
		return map[string]string{"Content-Type": "application/json", name: value}
	}
	part := func(boundary, email string) (map[string]string, string) {
		return map[string]string{"Content-Type": "multipart/form-data; boundary=" + boundary, "Idempotency-Key": "partes"},
			"--" + boundary + "\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\n" + email + "\r\n--" + boundary +
				"--\r\n"
	}
	one, two := intaketest.Email("um"), intaketest.Email("dois")
	h1, b1 := part("----primeira", one)
	h2, b2 := part("----segunda7", one)
	for name, c := range map[string]struct{ first, again request }{
		"Idempotency-Key": {request{Header: header("Idempotency-Key", "chave-1"), Body: intaketest.Lead("um")},
			request{Header: header("Idempotency-Key", "chave-1"), Body: intaketest.Lead("um")}},
		"its longest": {
			request{Header: header("Idempotency-Key", strings.Repeat("k", 255)), Body: intaketest.Lead("um")},
			request{Header: header("idempotency-key", strings.Repeat("k", 255)), Body: intaketest.Lead("um")},
		},
		"multipart with new boundary": {request{Header: h1, Body: b1}, request{Header: h2, Body: b2}},
		"webhook-id": {request{Header: header("webhook-id", "msg_1"), Body: intaketest.Lead("um")},
			request{Header: header("Webhook-Id", "msg_1"), Body: intaketest.Lead("dois")}},
		"Framer": {
			request{Header: header("Framer-Webhook-Submission-Id", "s1"), Body: intaketest.Lead("um")},
			request{Header: header("framer-webhook-submission-id", "s1"), Body: intaketest.Lead("dois")},
		},
		"Typeform": {request{Header: intaketest.JSON, Body: typeform("t1", one)},
			request{Header: intaketest.JSON, Body: typeform("t1", two)}},
		"Tally": {request{Header: intaketest.JSON, Body: tally("s1", one)},
			request{Header: intaketest.JSON, Body: tally("s1", two)}},
		"Respondi": {request{Header: intaketest.JSON, Body: respondi("r1", "f1", one)},
			request{Header: intaketest.JSON, Body: respondi("r1", "f1", two)}},
	} {
		c.first.Path, c.again.Path = h.Path, h.Path
		first, again := o.Do(c.first), o.Do(c.again)
		expect(t, name, line(first, again), "200 200")
		expect(t, name+": leadId", again.LeadID(), first.LeadID())
		c.again.Path = other.Path
		if elsewhere := o.Do(c.again); elsewhere.LeadID() == first.LeadID() || elsewhere.Status != 200 {
			t.Errorf("%s: known at another webhook, which answers %s", name, elsewhere)
		}
	}
	// Different submissions are not taken for the same one.
	for name, pair := range map[string][2]request{
		"Respondi, another form": {{Header: intaketest.JSON, Body: respondi("r2", "f1", one)},
			{Header: intaketest.JSON, Body: respondi("r2", "f2", one)}},
		"another key": {{Header: header("Idempotency-Key", "chave-2"), Body: intaketest.Lead("um")},
			{Header: header("Idempotency-Key", "Chave-2"), Body: intaketest.Lead("um")}},
		"the same text as a key and as an id": {
			{Header: header("Idempotency-Key", "webhook-id:msg_2"), Body: intaketest.Lead("um")},
			{Header: header("webhook-id", "msg_2"), Body: intaketest.Lead("um")}},
	} {
		pair[0].Path, pair[1].Path = h.Path, h.Path
		a, b := o.Do(pair[0]), o.Do(pair[1])
		if a.Status != 200 || b.Status != 200 || a.LeadID() == b.LeadID() {
			t.Errorf("%s: %s and %s, one contact: %v", name, a, b, a.LeadID() == b.LeadID())
		}
	}
	for _, body := range []string{intaketest.Lead("dois"), intaketest.Lead("um") + " ", `{"nome":"x"}`} {
		a := o.Do(request{Path: h.Path, Header: header("Idempotency-Key", "chave-1"), Body: body})
		expect(t, "the key with another body", a.String(), "422 chave_reutilizada")
	}
	expect(t, "contacts", len(o.Contacts()), 8+8+6)
	expect(t, "received", line(o.Show(h).Received, o.Show(other).Received), "14 8")
	expect(t, "notifications", len(o.Notifications()), 22)
	expect(t, "events of a contact that was sent twice", len(o.Contact(o.Contacts()[21].ID).Historico), 1)
}

// testFiftyAtOnce: fifty concurrent posts of one delivery, spread over the instances, make one contact with all that
// belongs to it.
func testFiftyAtOnce(t *testing.T, o *org, instances ...*intaketest.Service) {
	receiver := intaketest.StartReceiver(t, nil)
	automation, _ := o.Automate("Cinquenta", "http", "--url", receiver.URL)
	h := o.NewHook("Cinquenta", "formservice")
	tally := `{"eventType":"FORM_RESPONSE","data":{"submissionId":"cinquenta","fields":[{"key":"a","label":"E-mail","type":"INPUT_EMAIL","value":"` + intaketest.Email("tally") + `"}]}}`
	contacts := 0
	for name, r := range map[string]request{
		"Idempotency-Key": {
			Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": "cinquenta"},
			Body: intaketest.Lead("cinquenta"),
		},
		"submissionId": {Path: h.Path, Header: intaketest.JSON, Body: tally},
	} {
		answers := intaketest.Together(t, 50, func(i int) (answer, error) {
			return instances[i%len(instances)].Send(t.Context(), r)
		})
		for _, a := range answers {
			expect(t, name, a.String()+a.LeadID(), "200"+answers[0].LeadID())
		}
		contacts++
		expect(t, "contacts", len(o.Contacts()), contacts)
		expect(t, "received", o.Show(h).Received, contacts)
		runs := o.Settled(contacts)
		expect(t, "attempts", runs[0].Attempts, 1)
		expect(t, "calls", len(receiver.About(answers[0].LeadID())), 1)
		expect(t, "history", len(o.Contact(answers[0].LeadID()).Historico), 1)
	}
	outcomes := map[string]int{}
	for _, d := range o.Deliveries(h) {
		outcomes[d.Outcome]++
	}
	expect(t, "deliveries", outcomes, map[string]int{"accepted": 2, "repeated": 98})
	expect(t, "runs", len(o.Runs("--automation", automation)), 2)

	// Fifty at once with one key and different bodies: one wins, and the others are refused.
	mixed := map[string]int{}
	for _, a := range intaketest.Together(t, 50, func(i int) (answer, error) {
		return instances[i%len(instances)].Send(t.Context(), request{
			Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": "disputa"},
			Body: intaketest.Lead(fmt.Sprint("disputa ", i)),
		})
	}) {
		mixed[a.String()]++
	}
	expect(t, "one key, fifty bodies", mixed, map[string]int{"200": 1, "422 chave_reutilizada": 49})
	expect(t, "contacts", len(o.Contacts()), contacts+1)
}

// TestSlowWebhookOverTwoInstances: what holds on one instance holds on two with a shared database.
func TestSlowWebhookOverTwoInstances(t *testing.T) {
	t.Parallel()
	s := intaketest.StartService(t, testkit.PostgreSQL(t), map[string]string{"FICHARIO_ALLOW_PRIVATE_TARGETS": "true"})
	other := s.StartAnother()
	t.Run("fifty at once", func(t *testing.T) { testFiftyAtOnce(t, s.Org(t), s, other) })
	t.Run("automations run once", func(t *testing.T) {
		o := s.Org(t)
		receiver := intaketest.StartReceiver(t, nil)
		h := o.NewHook("Duas instâncias", "generic")
		o.Automate("Aviso", "http", "--url", receiver.URL)
		o.Automate("Nota", "add_note", "--text", "uma vez só")
		const contacts = 60
		for _, a := range intaketest.Together(t, contacts, func(i int) (answer, error) {
			return []*intaketest.Service{s, other}[i%2].Send(t.Context(), request{
				Path: h.Path, Header: intaketest.JSON, Body: intaketest.Lead(fmt.Sprint("dupla ", i)),
			})
		}) {
			expect(t, "answer", a.String(), "200")
		}
		for _, r := range o.Settled(2 * contacts) {
			expect(t, "run", line(r.State, r.Attempts), "done 1")
		}
		calls := map[string]int{}
		for _, c := range receiver.Calls() {
			calls[c.Contact]++
		}
		expect(t, "contacts that were called about", len(calls), contacts)
		expect(t, "calls", len(receiver.Calls()), contacts)
		all := o.Contacts()
		for _, c := range all {
			expect(t, "times that the note was added", strings.Count(c.Nota, "uma vez só"), 1)
		}
		expect(t, "received, counted on two instances", o.Show(h).Received, contacts)
		expect(t, "notifications", len(o.Notifications()), contacts)
	})
	t.Run("disabling", func(t *testing.T) { testDisabling(t, s.Org(t).At(other)) })
	t.Run("regenerating at once", func(t *testing.T) { testRegeneratingAtOnce(t, s.Org(t)) })
	t.Run("regenerating", func(t *testing.T) { testRegenerating(t, s.Org(t).At(other)) })
}
