package automation

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"fichario/ports"
)

// busy answers 429, and says how long to wait.
func busy() http.HandlerFunc {
	return answers(429, map[string]string{"Retry-After": "90"}, `{"error":"too many"}`)
}

// waits are the answers that mean "later" in a destination's own way, after its documentation.
var waits = map[string][]struct {
	answer http.HandlerFunc
	want   ports.SendError
}{
	"hubspot": {
		{answers(423, nil, `{"status":"error","message":"locked"}`), ports.SendError{Reason: "status 423", RetryAfter: 2 * time.Second}},
		{answers(477, map[string]string{"Retry-After": "1800"}, `{}`), ports.SendError{Reason: "status 477", RetryAfter: 30 * time.Minute}},
		{answers(477, map[string]string{"Retry-After": "86400"}, `{}`), ports.SendError{Reason: "status 477", RetryAfter: time.Hour}},
		{answers(477, nil, ``), ports.SendError{Reason: "status 477", RetryAfter: time.Hour}},
		{answers(429, nil, `{"errorType":"RATE_LIMIT"}`), ports.SendError{Reason: "status 429"}},
		{answers(521, nil, ``), ports.SendError{Reason: "status 521"}},
	},
	"rdstation": {
		{answers(429, nil, `{"errors":{"error_type":"TOO_MANY_REQUESTS","max":24,"usage":55,"remaining_time":1200}}`),
			ports.SendError{Reason: "status 429", RetryAfter: 20 * time.Minute}},
		{answers(429, nil, `{"errors":[{"error_type":"TOO_MANY_REQUESTS","remaining_time":44286}]}`),
			ports.SendError{Reason: "status 429", RetryAfter: time.Hour}},
		// What RD Station's own client for Ruby distinguishes: the limit of a lead or an account, and that of the gateway.
		{answers(429, nil, `{"error":"'lead_limiter' rate limit exceeded","max":24,"usage":25,"remaining_time":600}`),
			ports.SendError{Reason: "status 429", RetryAfter: 10 * time.Minute}},
		{answers(429, nil, `{"message":"API rate limit exceeded"}`), ports.SendError{Reason: "status 429"}},
		{answers(429, nil, `limite`), ports.SendError{Reason: "status 429"}},
	},
	"pipedrive": {
		{answers(429, map[string]string{"X-RateLimit-Reset": "2"}, `{"success":false}`),
			ports.SendError{Reason: "status 429", RetryAfter: 2 * time.Second}},
		{answers(429, nil, `{"success":false}`), ports.SendError{Reason: "status 429"}},
		{answers(402, nil, `{}`), ports.SendError{Reason: "o destino recusou (status 402)", Permanent: true}},
	},
	"kommo": {
		{answers(429, nil, ``), ports.SendError{Reason: "status 429"}},
		{answers(504, nil, ``), ports.SendError{Reason: "status 504"}},
	},
	"slack":    {{answers(410, nil, `channel_is_archived`), ports.SendError{Reason: "o destino recusou (status 410)", Permanent: true}}},
	"telegram": {{answers(502, nil, `{"ok":false}`), ports.SendError{Reason: "status 502"}}},
}

func shippedCases() map[string]shippedCase {
	return map[string]shippedCase{
		"pipedrive": {
			values: map[string]string{"token": "tok+en/1", "company": "minha-empresa", "owner": "7"},
			peer:   (*peer).pipedrive, busy: busy(), busyWait: 90 * time.Second, secrets: []string{"tok+en/1"},
			result: "status 201", again: "já existe no destino", records: 1,
			asked: "GET minha-empresa.pipedrive.com/api/v2/persons/search, POST minha-empresa.pipedrive.com/api/v2/persons",
		},
		"hubspot": {
			values: map[string]string{"token": "pat-na1-x"},
			peer:   (*peer).hubspot, busy: busy(), busyWait: 90 * time.Second, secrets: []string{"pat-na1-x"},
			result: "status 200", again: "status 200", records: 1,
			asked: "POST api.hubapi.com/crm/v3/objects/contacts/batch/upsert",
		},
		"rdstation": {
			values: map[string]string{"token": "chave & =x", "conversion": "Lead do site"},
			peer:   (*peer).rdstation, busy: busy(), busyWait: 90 * time.Second, secrets: []string{"chave"},
			result: "status 200", again: "status 200", records: 1, asked: "POST api.rd.services/platform/conversions",
		},
		"kommo": {
			values: map[string]string{"token": "longo", "account": "loja", "pipeline": "31", "status": "142"},
			peer:   (*peer).kommo, busy: busy(), busyWait: 90 * time.Second, secrets: []string{"longo"},
			result: "status 200", again: "já existe no destino", records: 1,
			asked: "GET loja.kommo.com/api/v4/contacts, POST loja.kommo.com/api/v4/leads/complex",
		},
		"google-sheets": {
			values: map[string]string{"app": "https://script.google.com/macros/s/AKfy_c-b/exec", "token": `a"b\c`},
			peer:   (*peer).googleSheets, busy: busy(), busyWait: 90 * time.Second, secrets: []string{"AKfy", `a\"b`},
			result: "status 302", again: "status 302", records: 1, asked: "POST script.google.com/macros/s/AKfy_c-b/exec",
		},
		"slack": {
			values: map[string]string{"webhook": "https://hooks.slack.com/services/T0/B0/xyz"},
			peer:   (*peer).slack, busy: busy(), busyWait: 90 * time.Second, secrets: []string{"xyz"},
			result: "status 200", again: "status 200", records: 2, asked: "POST hooks.slack.com/services/T0/B0/xyz",
		},
		"telegram": {
			values: map[string]string{"token": "123:ABC-x_y", "chat": "-100200"},
			peer:   (*peer).telegram, busyWait: 33 * time.Second, secrets: []string{"123:ABC", "ABC-x"},
			busy: answers(429, nil,
				`{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":33}}`),
			result: "status 200", again: "status 200", records: 2, asked: "POST api.telegram.org/bot123:ABC-x_y/sendMessage",
		},
	}
}

func (p *peer) pipedrive(w http.ResponseWriter, r *http.Request, body map[string]any) {
	p.expect("token", r.Header.Get("X-Api-Token"), "tok+en/1")
	if r.Method == http.MethodGet {
		q := r.URL.Query()
		p.expect("search", fmt.Sprint(q.Get("fields"), q.Get("exact_match"), q.Get("term")), "emailtruejose@example.com")
		items := ""
		if p.records["jose@example.com"] > 0 {
			items = `{"result_score":0.29,"item":{"id":1,"type":"person","emails":["jose@example.com"]}}`
		}
		answer(w, 200, `{"success":true,"data":{"items":[`+items+`]},"additional_data":{"next_cursor":null}}`)
		return
	}
	p.expect("name", body["name"], `José "Zé" <da> Silva`)
	p.expect("emails", body["emails"], "[map[label:work primary:true value:jose@example.com]]")
	p.expect("phones", body["phones"], "[map[label:work primary:true value:+5511987654321]]")
	p.expect("owner", body["owner_id"], 7)
	p.expect("no custom field", body["custom_fields"], nil)
	p.records[fmt.Sprint(at(body, "emails", 0, "value"))]++
	answer(w, 201, `{"success":true,"data":{"id":1,"name":"José"}}`)
}

func (p *peer) hubspot(w http.ResponseWriter, r *http.Request, body map[string]any) {
	p.expect("authorization", r.Header.Get("Authorization"), "Bearer pat-na1-x")
	p.expect("key", fmt.Sprint(at(body, "inputs", 0, "idProperty"), at(body, "inputs", 0, "id")), "emailjose@example.com")
	p.expect("properties", at(body, "inputs", 0, "properties"), `map[company:Padaria & Cia email:jose@example.com `+
		`firstname:José lastname:"Zé" <da> Silva phone:+5511987654321]`)
	p.records[fmt.Sprint(at(body, "inputs", 0, "id"))] = 1 // an upsert
	answer(w, 200, `{"status":"COMPLETE","results":[{"id":"512","new":true,"properties":{}}]}`)
}

func (p *peer) rdstation(w http.ResponseWriter, r *http.Request, body map[string]any) {
	p.expect("key", r.URL.Query().Get("api_key"), "chave & =x")
	p.expect("event", fmt.Sprint(body["event_type"], body["event_family"]), "CONVERSIONCDP")
	p.expect("payload", body["payload"], `map[company_name:Padaria & Cia conversion_identifier:Lead do site `+
		`email:jose@example.com name:José "Zé" <da> Silva personal_phone:+5511987654321 traffic_source:google]`)
	p.records[fmt.Sprint(at(body, "payload", "email"))] = 1 // only the contact; its conversions have no key
	answer(w, 200, `{"event_uuid":"5408c5a3-4711-4f2e-8d0b-13407a3e30f3"}`)
}

func (p *peer) kommo(w http.ResponseWriter, r *http.Request, body map[string]any) {
	p.expect("authorization", r.Header.Get("Authorization"), "Bearer longo")
	if r.Method == http.MethodGet {
		p.expect("search", r.URL.Query().Get("query"), "jose@example.com")
		if p.records["jose@example.com"] == 0 {
			// A contact whose address merely contains the searched one.
			answer(w, 200, `{"_embedded":{"contacts":[{"id":9,"custom_fields_values":[{"field_code":"EMAIL","values":[
				{"value":"maria.jose@example.com"}]}]},{"id":8,"custom_fields_values":null}]}}`)
			return
		}
		answer(w, 200, `{"_embedded":{"contacts":[{"id":1,"custom_fields_values":[{"field_code":"PHONE","values":[]},
			{"field_code":"EMAIL","values":[{"value":"Jose@Example.com","enum_code":"WORK"}]}]}]}}`)
		return
	}
	p.expect("lead", fmt.Sprint(body["name"], body["price"], body["request_id"], body["pipeline_id"], body["status_id"]),
		`José "Zé" <da> Silva – Padaria & Cia1500run-131 142`)
	p.expect("fields", at(body, "_embedded", "contacts", 0, "custom_fields_values"), "[map[field_code:EMAIL "+
		"values:[map[enum_code:WORK value:jose@example.com]]] map[field_code:PHONE "+
		"values:[map[enum_code:WORK value:+5511987654321]]]]")
	p.records["jose@example.com"]++
	answer(w, 200, `[{"id":9774766,"contact_id":12117258,"company_id":null,"request_id":["run-1"],"merged":false}]`)
}

// googleSheets is the script of docs/destinations.md.
func (p *peer) googleSheets(w http.ResponseWriter, _ *http.Request, body map[string]any) {
	p.expect("token", body["token"], `a"b\c`)
	p.expect("name", at(body, "values", "Nome"), `José "Zé" <da> Silva`)
	p.expect("amount", at(body, "values", "Valor"), 1500)
	p.records[fmt.Sprint(body["id"])] = 1
	w.Header().Set("Location", "https://script.googleusercontent.com/macros/echo?user_content_key=x")
	w.WriteHeader(http.StatusFound)
}

func (p *peer) slack(w http.ResponseWriter, _ *http.Request, body map[string]any) {
	p.expect("text", body["text"],
		"*José \"Zé\" &lt;da&gt; Silva*\nPadaria &amp; Cia · jose@example.com · (11) 98765-4321 · Novo")
	p.expect("previews of what a lead wrote", fmt.Sprint(body["unfurl_links"], body["unfurl_media"]), "false false")
	p.records[fmt.Sprint(len(p.records))]++
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte("ok"))
}

func (p *peer) telegram(w http.ResponseWriter, _ *http.Request, body map[string]any) {
	p.expect("chat", body["chat_id"], "-100200")
	if text := fmt.Sprint(body["text"]); !strings.HasPrefix(text, `José "Zé" <da> Silva`+"\nPadaria & Cia · ") {
		p.Errorf("text %q", text)
	}
	p.records[fmt.Sprint(len(p.records))]++
	answer(w, 200, `{"ok":true,"result":{"message_id":1}}`)
}
