package sandbox

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestConversions: Meta's stand-in takes what its pages describe, and refuses all of a request for one event that is
// wrong.
func TestConversions(t *testing.T) {
	t.Parallel()
	m := NewMeta()
	good := fmt.Sprintf(`{"event_name":"Qualificado","event_time":%d,"event_id":"e1","action_source":"system_generated",`+
		`"user_data":{"lead_id":700000000000001,"em":["%064x"]},"custom_data":{"event_source":"crm","lead_event_source":"Fichário"}}`,
		time.Now().Unix(), 7)
	send := func(token, body string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v25.0/123/events", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	if status, body := send("t", `{"data":[`+good+`]}`); status != 200 || !strings.Contains(body, `"events_received":1`) {
		t.Errorf("a good event: %d %s", status, body)
	}
	for what, c := range map[string]struct{ token, old, with, says string }{
		"no token":               {"", "", "", `"code":190`},
		"a lead's id as a text":  {"t", "700000000000001", `"700000000000001"`, "lead_id"},
		"a short lead's id":      {"t", "700000000000001", "7000", "lead_id"},
		"an address in clear":    {"t", fmt.Sprintf("%064x", 7), "ana@example.com", "SHA-256"},
		"a hash in capitals":     {"t", fmt.Sprintf("%064x", 7), fmt.Sprintf("%064X", 0xabc), "SHA-256"},
		"an old event":           {"t", fmt.Sprint(time.Now().Unix())[:6], "160000", "2804003"},
		"another source":         {"t", "system_generated", "website", "system_generated"},
		"nobody":                 {"t", good[strings.Index(good, `"lead_id`) : strings.Index(good, "]}")+1], "", "2804050"},
		"no id of the event":     {"t", "e1", "", "event_id"},
		"no name of the stage":   {"t", "Qualificado", "", "event_name"},
		"a time that is a text":  {"t", `"event_time":`, `"event_time":"x","y":`, "Invalid parameter"},
		"no list":                {"t", "{", "[{", "Invalid parameter"},
		"where leads come from":  {"t", "Fichário", "", "lead_event_source"},
		"an event of a web page": {"t", `"event_source":"crm"`, `"event_source":"web"`, "event_source crm"},
	} {
		event := strings.Replace(good, c.old, c.with, 1)
		if c.old == "" {
			event = good
		}
		if status, body := send(c.token, `{"data":[`+good+`,`+event+`]}`); status < 400 || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", what, status, body)
		}
	}
	if n := len(m.Events()); n != 1 {
		t.Errorf("%d events were taken, want 1", n)
	}
	m.Limit(1, metaAway, 0)
	if status, _ := send("t", `{"data":[`+good+`]}`); status != http.StatusServiceUnavailable {
		t.Errorf("while Meta is away: %d", status)
	}
}
