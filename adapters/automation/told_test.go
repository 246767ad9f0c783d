package automation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"fichario/adapters/automation/destinations"
	"fichario/adapters/meta"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// telling is a call to a destination that tells stages, about a contact with an address, a phone and what it came by.
func telling(destination, email, phone string, values map[string]string, from ...crm.Attribute) ports.Call {
	c := sending("run-1", destination, values)
	c.Event = automation.Event{
		ID: "9b2c2f7e-0000-8000-8000-000000000001", Name: automation.ContactMoved, At: time.Unix(1767225500, 999).UTC(),
		Contact: lead(),
	}
	c.Event.Contact.Email, c.Event.Contact.PhoneE164, c.Event.Contact.Stage = email, phone, "Qualificado"
	c.Event.Contact.Attribution = from
	return c
}

func told(t *testing.T, c ports.Call) (body map[string]any) {
	t.Helper()
	shown, err := Destinations{}.Show(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if shown.Body != "" && json.Unmarshal([]byte(shown.Body), &body) != nil {
		t.Fatal(shown.Body)
	}
	return body
}

// TestWhatMetaIsTold: hashes as on Meta's page on customer information parameters, and fields as on its page on events
// of a CRM.
func TestWhatMetaIsTold(t *testing.T) {
	t.Parallel()
	values := map[string]string{"dataset": "123", "token": "t0k3n"}
	for _, c := range []struct{ email, phone, leadID, em, ph, lead string }{
		{" John_Smith@gmail.com ", "+16505551212", "l:1234567890123456",
			"62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f",
			"e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176", "1234567890123456"},
		{"sem arroba", "", "70000000000000012", "<nil>", "<nil>", "70000000000000012"},
		{"john_smith@gmail.com", "", "123", "62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f", "<nil>", "<nil>"},
	} {
		call := telling("meta-capi", c.email, c.phone, values, crm.Attribute{Key: "lead_id", Value: c.leadID})
		shown, err := Destinations{}.Show(t.Context(), call)
		var body struct {
			Data []struct {
				EventName string `json:"event_name"`
				EventTime int64  `json:"event_time"`
				EventID   string `json:"event_id"`
				Source    string `json:"action_source"`
				UserData  struct {
					LeadID *json.Number `json:"lead_id"`
					Em, Ph []string
				} `json:"user_data"`
				CustomData map[string]string `json:"custom_data"`
			}
		}
		if err != nil || json.Unmarshal([]byte(shown.Body), &body) != nil || len(body.Data) != 1 {
			t.Fatalf("%s, %v", shown.Body, err)
		}
		e := body.Data[0]
		got := fmt.Sprint(e.EventName, " ", e.EventTime, " ", e.EventID, " ", e.Source, e.CustomData)
		if want := "Qualificado 1767225500 9b2c2f7e-0000-8000-8000-000000000001 system_generated" +
			"map[event_source:crm lead_event_source:Fichário]"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		lead := "<nil>"
		if e.UserData.LeadID != nil {
			lead = e.UserData.LeadID.String()
		}
		if lead != c.lead || first(e.UserData.Em) != c.em || first(e.UserData.Ph) != c.ph {
			t.Errorf("%s: %+v", c.email, e.UserData)
		}
		if want := "https://graph.facebook.com/" + meta.Version + "/123/events"; shown.Address != want {
			t.Errorf("the address %s, want %s", shown.Address, want)
		}
	}
	if body := told(t, telling("meta-capi", "sem arroba", "", values)); body != nil {
		t.Errorf("of nobody whom Meta can know: %v", body)
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return "<nil>"
	}
	return list[0]
}

// TestWhatGoogleIsTold: addresses as on Google's page on formatting user data, clicks, and the value.
func TestWhatGoogleIsTold(t *testing.T) {
	t.Parallel()
	values := map[string]string{
		"account": "1234567890", "conversion": "99", "manager": "1112223333", "client_id": "c", "client_secret": "s3cr3t",
		"refresh_token": "r3fr3sh",
	}
	for _, c := range []struct{ email, phone, want string }{
		// cloudysanfrancisco@gmail.com and +18005550100
		{"Cloudy.SanFrancisco+Shopping@GMAIL.com ", "+18005550100",
			"[map[emailAddress:223ebda6f6889b1494551ba902d9d381daf2f642bae055888e96343d53e9f9c4] " +
				"map[phoneNumber:fb4f73a6ec5fdb7077d564cdd22c3554b43ce49168550c3b12c547b78c517b30]]"},
		{"cloudy.sanfrancisco@googlemail.com", "",
			"[map[emailAddress:" + hash("cloudysanfrancisco@googlemail.com") + "]]"},
		// user.name+nyc@example.com
		{"user.name+NYC@Example.com", "", "[map[emailAddress:" + hash("user.name+nyc@example.com") + "]]"},
	} {
		body := told(t, telling("google-ads", c.email, c.phone, values, crm.Attribute{Key: "gbraid", Value: "0AAAA"},
			crm.Attribute{Key: "gclid", Value: "Cj0K"}))
		if got := fmt.Sprint(at(body, "events", 0, "userData", "userIdentifiers")); got != c.want {
			t.Errorf("%s: %s, want %s", c.email, got, c.want)
		}
		got := fmt.Sprint(at(body, "events", 0, "transactionId"), at(body, "events", 0, "eventTimestamp"),
			at(body, "events", 0, "adIdentifiers"), at(body, "events", 0, "conversionValue"), at(body, "encoding"),
			at(body, "destinations", 0))
		want := fmt.Sprint("9b2c2f7e-0000-8000-8000-000000000001", "2025-12-31T23:58:20Z", map[string]string{"gclid": "Cj0K"},
			1500, "HEX", "map[loginAccount:map[accountId:1112223333 accountType:GOOGLE_ADS] "+
				"operatingAccount:map[accountId:1234567890 accountType:GOOGLE_ADS] productDestinationId:99]")
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	body := told(t, telling("google-ads", "sem arroba", "", values, crm.Attribute{Key: "wbraid", Value: "CkQ"}))
	if got := fmt.Sprint(at(body, "events", 0, "adIdentifiers")); got != "map[wbraid:CkQ]" {
		t.Errorf("a click of another kind: %s", got)
	}
	if body := told(t, telling("google-ads", "sem arroba", "", values)); body != nil {
		t.Errorf("of nobody whom Google can know: %v", body)
	}
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// TestATokenIsAskedFor: before each event for Google, as a form; a refusal is told without a word of it, and what
// cannot be sent asks for none.
func TestATokenIsAskedFor(t *testing.T) {
	t.Parallel()
	p := &peer{T: t, records: map[string]int{}}
	d := toPeer(t, p)
	values := map[string]string{
		"account": "1234567890", "conversion": "99", "client_id": "c", "client_secret": "s3&cr3t", "refresh_token": "r3fr3sh",
	}
	send := func(script ...http.HandlerFunc) (string, error) {
		p.asked, p.script = nil, script
		return d.Send(t.Context(), telling("google-ads", "ana@example.com", "", values))
	}
	token := func(w http.ResponseWriter, r *http.Request) {
		answer(w, 200, `{"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"}`)
	}
	taken := func(w http.ResponseWriter, r *http.Request) {
		p.expect("the token", r.Header.Get("Authorization"), "Bearer ya29.x")
		answer(w, 200, `{"requestId":"126365e1"}`)
	}
	result, err := send(token, taken)
	p.expect("the result", fmt.Sprint(result, err), "status 200<nil>")
	p.expect("the requests", fmt.Sprint(p.asked),
		"[POST oauth2.googleapis.com/token POST datamanager.googleapis.com/v1/events:ingest]")
	for _, c := range []struct {
		script []http.HandlerFunc
		want   ports.SendError
	}{
		{[]http.HandlerFunc{answers(400, nil, `{"error":"invalid_grant"}`)},
			ports.SendError{Reason: "o destino não deu o token de acesso (status 400)", Permanent: true}},
		{[]http.HandlerFunc{answers(503, map[string]string{"Retry-After": "7"}, ``)},
			ports.SendError{Reason: "o destino não deu o token de acesso (status 503)", RetryAfter: 7 * time.Second}},
		{[]http.HandlerFunc{answers(200, nil, `{"access_token":"a\r\nX: y"}`)},
			ports.SendError{Reason: "o destino não deu o token de acesso (status 200)", Permanent: true}},
		{[]http.HandlerFunc{token, answers(429, map[string]string{"Retry-After": "90"}, `{}`)},
			ports.SendError{Reason: "status 429", RetryAfter: 90 * time.Second}},
		{[]http.HandlerFunc{token, answers(400, nil, `{"error":{"status":"INVALID_ARGUMENT"}}`)},
			ports.SendError{Reason: "o destino recusou (status 400)", Permanent: true}},
	} {
		_, err := send(c.script...)
		fails(t, err, c.want)
	}
	p.asked = nil
	result, err = d.Send(t.Context(), telling("google-ads", "sem arroba", "", values))
	p.expect("nothing to send", fmt.Sprint(result, err, p.asked), "nada a enviar<nil> []")

	file, _ := destinations.Shipped("google-ads")
	form, _ := file.Fill(values)
	request, err := form.Access(t.Context(), destinations.Event{})
	if err != nil {
		t.Fatal(err)
	}
	sent, err := url.ParseQuery(string(request.Body))
	p.expect("the form", fmt.Sprint(sent, err, request.Header.Get("Content-Type")), "map[client_id:[c] "+
		"client_secret:[s3&cr3t] grant_type:[refresh_token] refresh_token:[r3fr3sh]] <nil>application/x-www-form-urlencoded")
}

// TestMetaSaysLater: too many calls and passing failures have status 400, too.
func TestMetaSaysLater(t *testing.T) {
	t.Parallel()
	p := &peer{T: t, records: map[string]int{}}
	d := toPeer(t, p)
	for body, want := range map[string]ports.SendError{
		`{"error":{"code":4,"message":"Application request limit reached"}}`: {
			Reason: "status 400",
		},
		`{"error":{"code":190,"message":"Session has expired"}}`: {
			Reason: "o destino recusou (status 400)", Permanent: true,
		},
		`{"error":{"code":100,"is_transient":true}}`: {Reason: "status 400"},
	} {
		p.script = []http.HandlerFunc{answers(400, nil, body)}
		_, err := d.Send(t.Context(), telling("meta-capi", "ana@example.com", "", map[string]string{"dataset": "1", "token": "t"}))
		fails(t, err, want)
	}
}

// TestMetaElsewhere: the operator's address of Meta may be private, and is for the shipped destination alone.
func TestMetaElsewhere(t *testing.T) {
	t.Parallel()
	var asked string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Path
		answer(w, 200, `{"events_received":1}`)
	})
	d := New(false).WithMeta(s.URL + "/")
	t.Cleanup(d.Close)
	c := telling("meta-capi", "ana@example.com", "", map[string]string{"dataset": "1", "token": "t"})
	if result, err := d.Send(t.Context(), c); err != nil || asked != "/"+meta.Version+"/1/events" {
		t.Errorf("%s at %s, %v", result, asked, err)
	}
	shown, err := Destinations{Meta: s.URL}.Show(t.Context(), c)
	if err != nil || shown.Address != s.URL+"/"+meta.Version+"/1/events" {
		t.Errorf("shown %s, %v", shown.Address, err)
	}
	c.Action.DestinationFile = "name: meta-capi\ntitle: x\nrepeat: x\naddress: " + s.URL + "/x\nbody: '{}'\n"
	c.Action.Values = nil
	_, err = d.Send(t.Context(), c)
	fails(t, err, ports.SendError{Reason: reasonRefused, Permanent: true})
}
