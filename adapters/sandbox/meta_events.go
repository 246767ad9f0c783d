package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// metaAway is the code of a failure of Meta's own, which has status 503.
const metaAway = 2

// Meta's bounds for conversions: how many come at once, how old one may be, and how far ahead a clock.
const (
	metaEventsMost = 1000
	metaEventOld   = 7 * 24 * time.Hour
	metaEventAhead = time.Minute
)

var (
	metaHash   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	metaLeadID = regexp.MustCompile(`^[0-9]{15,17}$`)
)

// metaEvent is a conversion from a CRM.
type metaEvent struct {
	EventName    string      `json:"event_name"`
	EventTime    json.Number `json:"event_time"`
	EventID      string      `json:"event_id"`
	ActionSource string      `json:"action_source"`
	UserData     struct {
		LeadID json.RawMessage `json:"lead_id"`
		Email  []string        `json:"em"`
		Phone  []string        `json:"ph"`
	} `json:"user_data"`
	CustomData struct {
		EventSource string `json:"event_source"`
		LeadSource  string `json:"lead_event_source"`
	} `json:"custom_data"`
}

// refused returns the subcode and the message with which Meta refuses a conversion; "" for a good one.
func (e metaEvent) refused(now time.Time) (int, string) {
	seconds, err := e.EventTime.Int64()
	at := time.Unix(seconds, 0)
	switch {
	case e.EventName == "" || e.EventID == "":
		return 0, "Missing event_name or event_id"
	case err != nil:
		return 0, "event_time must be a Unix timestamp in seconds"
	case now.Sub(at) > metaEventOld || at.Sub(now) > metaEventAhead:
		return 2804003, "The event_time is too far in the past or in the future"
	case e.ActionSource != "system_generated" || e.CustomData.EventSource != "crm" || e.CustomData.LeadSource == "":
		return 0, "A conversion of a CRM has action_source system_generated, event_source crm and a lead_event_source"
	case len(e.UserData.LeadID) == 0 && len(e.UserData.Email)+len(e.UserData.Phone) == 0:
		return 2804050, "This event does not have enough customer information"
	case len(e.UserData.LeadID) > 0 && !metaLeadID.Match(e.UserData.LeadID):
		return 0, "lead_id must be a number of 15 to 17 digits"
	}
	for _, hash := range append(e.UserData.Email, e.UserData.Phone...) {
		if !metaHash.MatchString(hash) {
			return 0, "em and ph must be SHA-256 in hexadecimal"
		}
	}
	return 0, ""
}

// takeEvents keeps conversions, or refuses all of them for one that is wrong.
func (m *Meta) takeEvents(w http.ResponseWriter, r *http.Request, token string) {
	if r.Method != http.MethodPost {
		metaError(w, http.StatusBadRequest, 100, 33, "Unsupported get request")
		return
	}
	for _, p := range m.pages {
		if token == "" || p.dead[token] {
			metaError(w, http.StatusUnauthorized, 190, 463, "Error validating access token: Session has expired.")
			return
		}
	}
	var body struct {
		Data []json.RawMessage `json:"data"`
	}
	err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&body)
	if err != nil || len(body.Data) == 0 || len(body.Data) > metaEventsMost {
		metaError(w, http.StatusBadRequest, 100, 0, "Invalid parameter")
		return
	}
	for _, raw := range body.Data {
		var e metaEvent
		subcode, why := 0, "Invalid parameter"
		if strings.HasPrefix(string(raw), "{") && json.Unmarshal(raw, &e) == nil {
			subcode, why = e.refused(time.Now())
		}
		if why != "" {
			metaError(w, http.StatusBadRequest, 100, subcode, why)
			return
		}
	}
	m.events = append(m.events, body.Data...)
	answerJSON(w, map[string]any{"events_received": len(body.Data), "messages": []any{}, "fbtrace_id": "A0inventado"})
}
