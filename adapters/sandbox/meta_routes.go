package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var metaVersion = regexp.MustCompile(`^/v[0-9]+\.[0-9]+/`)

// ServeHTTP serves the Graph API. The doors of the tests are Doors.
func (m *Meta) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.Trim(metaVersion.ReplaceAllString(r.URL.Path, "/"), "/")
	parts := strings.Split(path, "/")
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if sent := r.URL.Query().Get("access_token"); token == "" {
		token = sent
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls[token+" "+metaKind(parts)]++
	m.tellUsage(w)
	if m.refuses(w) {
		return
	}
	if len(parts) == 2 && parts[1] == "events" {
		m.takeEvents(w, r, token)
		return
	}
	p := m.pageOf(w, r, token)
	if p == nil {
		return
	}
	switch {
	case path == "debug_token":
		m.debugToken(w, r)
	case path == "me":
		answerJSON(w, map[string]any{"id": p.ID, "name": p.Name})
	case path == "me/accounts":
		metaError(w, http.StatusBadRequest, 100, 0, "Tried accessing nonexisting field (accounts) on node type (Page)")
	case len(parts) == 1 && parts[0] == p.ID:
		answerJSON(w, map[string]any{"id": p.ID, "name": p.Name})
	case len(parts) == 2 && parts[0] == p.ID && parts[1] == "subscribed_apps":
		m.subscribe(w, r, p)
	case len(parts) == 2 && parts[0] == p.ID && parts[1] == "leadgen_forms":
		p.serveForms(w)
	case len(parts) == 2 && parts[1] == "leads":
		p.serveLeads(w, r, parts[0])
	case len(parts) == 1:
		m.serveLead(w, r, p, parts[0])
	default:
		metaError(w, http.StatusBadRequest, 2500, 0, "Unknown path components")
	}
}

// refuses answers a call that Limit refuses.
func (m *Meta) refuses(w http.ResponseWriter) bool {
	if m.limited == 0 {
		return false
	}
	m.limited--
	status := http.StatusBadRequest
	if m.code == metaAway {
		status = http.StatusServiceUnavailable
	}
	metaError(w, status, m.code, 0, "There have been too many calls.")
	return true
}

// metaKind is the kind of a call, by its path.
func metaKind(parts []string) string {
	last := parts[len(parts)-1]
	switch last {
	case "me", "accounts", "debug_token", "leads", "events":
		return last
	case "leadgen_forms":
		return "forms"
	case "subscribed_apps":
		return "subscribe"
	}
	return "lead"
}

// tellUsage sets the headers of usage.
func (m *Meta) tellUsage(w http.ResponseWriter) {
	wait := 0
	if m.limited > 0 {
		wait = m.minutes
	}
	w.Header().Set("X-App-Usage", fmt.Sprintf(`{"call_count":%d,"total_time":0,"total_cputime":0}`, m.used))
	w.Header().Set("X-Business-Use-Case-Usage", fmt.Sprintf(`{"1":[{"type":"leadgen","call_count":%d,"total_cputime":0,`+
		`"total_time":0,"estimated_time_to_regain_access":%d}]}`, m.used, wait))
}

// proves reports whether a call shows that it has the app's secret, beside the token.
func (m *Meta) proves(r *http.Request, token string) bool {
	mac := hmac.New(sha256.New, []byte(m.secret))
	mac.Write([]byte(token))
	return r.URL.Query().Get("appsecret_proof") == hex.EncodeToString(mac.Sum(nil))
}

// servePerson lists the pages of a person, each with its own token.
func (m *Meta) servePerson(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/me/accounts") || !m.proves(r, MetaPersonToken) {
		metaError(w, http.StatusBadRequest, 100, 0, "Invalid parameter")
		return
	}
	data := []any{}
	for _, p := range m.pages {
		data = append(data, map[string]any{"id": p.ID, "name": p.Name, "access_token": p.Token})
	}
	answerJSON(w, map[string]any{"data": data, "paging": map[string]any{}})
}

// pageOf returns the page that a token opens, or answers why there is none, or with the pages of a person.
func (m *Meta) pageOf(w http.ResponseWriter, r *http.Request, token string) *MetaPage {
	if token == MetaPersonToken {
		m.servePerson(w, r)
		return nil
	}
	for _, p := range m.pages {
		switch {
		case token == "" || p.Token != token && !p.dead[token]:
			continue
		case p.dead[token], p.ExpiresAt > 0 && time.Now().Unix() >= p.ExpiresAt:
			metaError(w, http.StatusUnauthorized, 190, 463, "Error validating access token: Session has expired.")
			return nil
		case !m.proves(r, token):
			metaError(w, http.StatusBadRequest, 100, 0, "Invalid appsecret_proof provided in the API argument")
			return nil
		}
		return p
	}
	metaError(w, http.StatusUnauthorized, 190, 0, "Invalid OAuth access token - Cannot parse access token")
	return nil
}

// debugToken tells about the token in the address.
func (m *Meta) debugToken(w http.ResponseWriter, r *http.Request) {
	for _, p := range m.pages {
		if token := r.URL.Query().Get("input_token"); p.Token == token {
			answerJSON(w, map[string]any{"data": map[string]any{
				"app_id": "1", "type": "PAGE", "is_valid": !p.dead[token], "expires_at": p.ExpiresAt,
				"data_access_expires_at": 0, "profile_id": p.ID, "scopes": []string{"leads_retrieval", "pages_manage_metadata"},
			}})
			return
		}
	}
	answerJSON(w, map[string]any{"data": map[string]any{"is_valid": false}})
}

func (*Meta) subscribe(w http.ResponseWriter, r *http.Request, p *MetaPage) {
	if slices.Contains(p.Missing, "pages_manage_metadata") {
		metaError(w, http.StatusForbidden, 200, 0, "Requires pages_manage_metadata permission to manage the object")
		return
	}
	switch r.Method {
	case http.MethodPost:
		if !slices.Contains(strings.Split(r.FormValue("subscribed_fields"), ","), "leadgen") {
			metaError(w, http.StatusBadRequest, 100, 0, "Param subscribed_fields must be non-empty")
			return
		}
		p.Subscribed = true
	case http.MethodDelete:
		p.Subscribed = false
	default:
		apps := []any{}
		if p.Subscribed {
			apps = append(apps, map[string]any{"id": "1", "subscribed_fields": []string{"leadgen"}})
		}
		answerJSON(w, map[string]any{"data": apps})
		return
	}
	answerJSON(w, map[string]any{"success": true})
}

// mayReadLeads answers a token that may not.
func (p *MetaPage) mayReadLeads(w http.ResponseWriter) bool {
	if !slices.Contains(p.Missing, "leads_retrieval") {
		return true
	}
	metaError(w, http.StatusForbidden, 200, 0, "Requires leads_retrieval permission to manage the object")
	return false
}

func (p *MetaPage) serveForms(w http.ResponseWriter) {
	if !p.mayReadLeads(w) {
		return
	}
	data := []any{}
	for _, f := range p.Forms {
		boxes := []any{}
		for _, c := range f.Consents {
			boxes = append(boxes, map[string]any{"key": c.Key, "text": c.Label, "is_required": false})
		}
		data = append(data, map[string]any{
			"id": f.ID, "name": f.Name, "status": "ACTIVE", "questions": f.Questions,
			"legal_content": map[string]any{"custom_disclaimer": map[string]any{"checkboxes": boxes}},
		})
	}
	answerJSON(w, map[string]any{"data": data, "paging": map[string]any{"cursors": map[string]any{"after": "fim"}}})
}

// serveLeads lists the leads of a form, newest first.
func (p *MetaPage) serveLeads(w http.ResponseWriter, r *http.Request, form string) {
	at := slices.IndexFunc(p.Forms, func(f MetaForm) bool { return f.ID == form })
	if at < 0 {
		metaGone(w, form)
		return
	}
	if !p.mayReadLeads(w) {
		return
	}
	var filters []struct {
		Field, Operator string
		Value           json.Number
	}
	_ = json.Unmarshal([]byte(r.URL.Query().Get("filtering")), &filters)
	after := int64(0)
	for _, f := range filters {
		if f.Field == "time_created" && f.Operator == "GREATER_THAN" {
			after, _ = f.Value.Int64()
		}
	}
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	if limit <= 0 || limit > 500 {
		limit = 25
	}
	skip, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Query().Get("after"), "c"))
	all, data := p.Forms[at].order, []any{}
	from := len(all) - 1
	if skip > 0 {
		from = skip - 1 // the cursor is a place from the beginning, so that new leads move nothing
	}
	for ; from >= 0 && len(data) < limit; from-- {
		if l := all[from]; !l.gone && l.Created.Unix() > after {
			data = append(data, l.node(p))
		}
	}
	paging := map[string]any{}
	if from >= 0 && len(data) == limit {
		cursor := "c" + strconv.Itoa(from+1)
		paging = map[string]any{
			"cursors": map[string]any{"after": cursor},
			"next":    "https://graph.facebook.com/" + form + "/leads?access_token=" + p.Token + "&after=" + cursor,
		}
	}
	answerJSON(w, map[string]any{"data": data, "paging": paging})
}

func (m *Meta) serveLead(w http.ResponseWriter, r *http.Request, p *MetaPage, id string) {
	l := m.leads[id]
	if !p.mayReadLeads(w) {
		return
	}
	switch {
	case l == nil || l.gone || l.Page != p.ID:
		metaGone(w, id)
	case slices.Contains(p.Missing, "ads_management") && strings.Contains(r.URL.Query().Get("fields"), "campaign_name"):
		metaError(w, http.StatusForbidden, 10, 0, "This endpoint requires the 'ads_management' permission")
	default:
		answerJSON(w, l.node(p))
	}
}

func metaGone(w http.ResponseWriter, id string) {
	metaError(w, http.StatusBadRequest, 100, 33, "Unsupported get request. Object with ID '"+id+"' does not exist, "+
		"cannot be loaded due to missing permissions, or does not support this operation")
}

// node is a lead as the API shows it.
func (l *MetaLead) node(p *MetaPage) map[string]any {
	form := p.Forms[slices.IndexFunc(p.Forms, func(f MetaForm) bool { return f.ID == l.Form })]
	data, consents := []any{}, []any{}
	for _, q := range form.Questions {
		if v, answered := l.Fields[q.Key]; answered {
			data = append(data, map[string]any{"name": q.Key, "values": []string{v}})
		}
	}
	for _, c := range form.Consents {
		ticked := ""
		if slices.Contains(l.Ticked, c.Key) {
			ticked = "1"
		}
		consents = append(consents, map[string]any{"checkbox_key": c.Key, "is_checked": ticked})
	}
	return map[string]any{
		"id": l.ID, "created_time": l.Created.UTC().Format("2006-01-02T15:04:05+0000"), "form_id": l.Form, "is_organic": false,
		"platform": l.Platform, "ad_id": "406000000000001", "ad_name": "Vídeo da varanda", "adset_id": "405000000000001",
		"adset_name": "Zona Sul", "campaign_id": "404000000000001", "campaign_name": "Lançamento Aurora", "field_data": data,
		"custom_disclaimer_responses": consents,
	}
}
