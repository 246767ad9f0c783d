package sandbox

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// LinkedIn stands in for LinkedIn's Lead Sync API: one advertising account with one form, its leads with paging and a
// span of time, a token that can die, calls that are refused, subscriptions whose address must answer the challenge,
// and signed notifications.
//
// Written from the same pages as the adapter (adapters/linkedin). What those do not say is invented: the messages of
// errors, and that leads are listed oldest first.
type LinkedIn struct {
	mu            sync.Mutex
	dead          map[string]bool
	token         string
	leads         []*LinkedInLead
	subscriptions []linkedInSubscription
	limited       int
	forbidden     bool
	last          int
}

// LinkedInLead is a lead: the answers by the names of the questions (FIRST_NAME, LAST_NAME, EMAIL, PHONE_NUMBER,
// COMPANY_NAME), and "tamanho" for a choice of two.
type LinkedInLead struct {
	ID      string            `json:"id"`
	Created time.Time         `json:"created"`
	Fields  map[string]string `json:"fields"`
	Consent bool              `json:"consent"`
	gone    bool
}

type linkedInSubscription struct {
	ID      int               `json:"id"`
	Webhook string            `json:"webhook"`
	Owner   map[string]string `json:"owner"`
	Type    string            `json:"leadType"`
}

// The defaults of a new LinkedIn, for people who try it.
const (
	LinkedInSecret  = "segredo-do-cliente"  //nolint:gosec // it opens nothing but this
	LinkedInToken   = "token-de-acesso-lid" //nolint:gosec // as above
	LinkedInAccount = "508000001"
	linkedInForm    = 7234246
	linkedInOwner   = "urn:li:sponsoredAccount:" + LinkedInAccount
)

// NewLinkedIn returns a LinkedIn. The ids of its leads count from the present millisecond, as those of Meta.
func NewLinkedIn() *LinkedIn {
	return &LinkedIn{token: LinkedInToken, dead: map[string]bool{}, last: int(time.Now().UnixMilli())}
}

// AddLeads adds leads, and announces them to every subscription whose address takes them. It returns their ids.
func (l *LinkedIn) AddLeads(ctx context.Context, all ...LinkedInLead) []string {
	l.mu.Lock()
	ids := make([]string, len(all))
	for i, lead := range all {
		l.last++
		lead.ID = fmt.Sprintf("f%d-4", l.last)
		if lead.Created.IsZero() {
			lead.Created = time.Now()
		}
		l.leads, ids[i] = append(l.leads, &lead), lead.ID
	}
	subscriptions := slices.Clone(l.subscriptions)
	l.mu.Unlock()
	for _, s := range subscriptions {
		for _, id := range ids {
			_ = l.post(ctx, s.Webhook, l.Notification(id, "CREATED")) // one that is not taken is lost
		}
	}
	return ids
}

// RemoveLead makes a lead vanish, as one does that its person has withdrawn.
func (l *LinkedIn) RemoveLead(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lead := range l.leads {
		lead.gone = lead.gone || lead.ID == id
	}
}

// RenewToken ends the token and makes another one; "" only ends it.
func (l *LinkedIn) RenewToken(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead[l.token], l.token = true, token
}

// Limit refuses so many calls with status 429; Forbid refuses all that read leads with 403, or no longer.
func (l *LinkedIn) Limit(calls int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.limited = calls
}

// Forbid takes the permission to read leads, or gives it back.
func (l *LinkedIn) Forbid(forbidden bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forbidden = forbidden
}

// Subscriptions are the addresses that leads are announced to.
func (l *LinkedIn) Subscriptions() (addresses []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.subscriptions {
		addresses = append(addresses, s.Webhook)
	}
	return addresses
}

// Notification is the body that says what happened to a lead: CREATED or DELETED.
func (*LinkedIn) Notification(id, action string) []byte {
	body, err := json.Marshal(map[string]any{
		"type": "LEAD_ACTION", "leadGenFormResponse": "urn:li:leadGenFormResponse:" + id,
		"leadGenForm": fmt.Sprintf("urn:li:versionedLeadGenForm:(urn:li:leadGenForm:%d,1)", linkedInForm),
		"owner":       map[string]string{"sponsoredAccount": linkedInOwner}, "leadType": "SPONSORED", "leadAction": action,
		"associatedEntity": map[string]string{"sponsoredCreative": "urn:li:sponsoredCreative:1"},
		"occurredAt":       time.Now().UnixMilli(),
	})
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return body
}

// Sign returns the header X-LI-Signature of a body.
func (*LinkedIn) Sign(body []byte) string { return linkedInMAC(append([]byte("hmacsha256="), body...)) }

func linkedInMAC(text []byte) string {
	mac := hmac.New(sha256.New, []byte(LinkedInSecret))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}

func (l *LinkedIn) post(ctx context.Context, address string, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-LI-Signature", l.Sign(body))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", answer.StatusCode)
	}
	return nil
}

// challenge asks an address whether it has the app's secret.
func (*LinkedIn) challenge(ctx context.Context, address string) error {
	const code = "890e4665-4dfe-4ab1-b689-ed553bceeed0"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"?challengeCode="+code, http.NoBody)
	if err != nil {
		return err
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = got.Body.Close() }()
	var said struct {
		Code     string `json:"challengeCode"`
		Response string `json:"challengeResponse"`
	}
	err = json.NewDecoder(io.LimitReader(got.Body, 4<<10)).Decode(&said)
	if err == nil && (got.StatusCode != http.StatusOK || said.Code != code || said.Response != linkedInMAC([]byte(code))) {
		err = fmt.Errorf("the webhook could not be validated: status %d", got.StatusCode)
	}
	return err
}

// LinkedInDoors serves what a person or a test does to a LinkedIn; everything else is the API. Bodies and answers are
// JSON.
//
//	POST   /_/leads   {"leads": [{"fields": {"EMAIL": …}, "consent": true}]} or {"count": 10}  → {"ids": […]}
//	DELETE /_/leads/ID
//	POST   /_/token   {"token": …}: ends the present one
//	POST   /_/limit   {"calls": 3}
func (l *LinkedIn) LinkedInDoors() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /_/leads", jsonDoor(func(ctx context.Context, in struct {
		Leads []LinkedInLead
		Count int
	}) (any, error) {
		for i := range in.Count {
			in.Leads = append(in.Leads, LinkedInLead{Consent: true, Fields: map[string]string{
				"FIRST_NAME": fmt.Sprintf("Pessoa %d", i+1), "LAST_NAME": "de Teste",
				"EMAIL": fmt.Sprintf("pessoa%d.%d@example.com", i+1, time.Now().UnixNano()),
			}})
		}
		return map[string]any{"ids": l.AddLeads(ctx, in.Leads...)}, nil
	}))
	mux.HandleFunc("DELETE /_/leads/{id}", func(w http.ResponseWriter, r *http.Request) {
		l.RemoveLead(r.PathValue("id"))
		answerJSON(w, map[string]any{})
	})
	mux.HandleFunc("POST /_/token", jsonDoor(func(_ context.Context, in struct{ Token string }) (any, error) {
		l.RenewToken(in.Token)
		return map[string]any{}, nil
	}))
	mux.HandleFunc("POST /_/limit", jsonDoor(func(_ context.Context, in struct{ Calls int }) (any, error) {
		l.Limit(in.Calls)
		return map[string]any{}, nil
	}))
	mux.Handle("/", l)
	return mux
}

// ServeHTTP serves the API.
func (l *LinkedIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/rest/")
	l.mu.Lock()
	defer l.mu.Unlock()
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	kind, id, _ := strings.Cut(path, "/")
	switch {
	case token == "" || token != l.token:
		linkedInError(w, http.StatusUnauthorized, 65602, "The token used in the request has expired")
	case r.Header.Get("LinkedIn-Version") == "" || r.Header.Get("X-Restli-Protocol-Version") != "2.0.0":
		linkedInError(w, http.StatusBadRequest, 0, "A version must be present")
	case l.limited > 0:
		l.limited--
		w.Header().Set("Retry-After", "1")
		linkedInError(w, http.StatusTooManyRequests, 101, "Resource level throttle")
	case kind == "adAccounts":
		account, _ := strconv.Atoi(LinkedInAccount)
		answerJSON(w, map[string]any{"elements": []any{map[string]any{
			"id": account, "name": "Imobiliária Aurora Anúncios", "status": "ACTIVE", "type": "BUSINESS",
		}}, "metadata": map[string]any{}})
	case l.forbidden:
		linkedInError(w, http.StatusForbidden, 100, "Not enough permissions to access: leadFormResponses")
	case kind == "leadNotifications":
		l.serveSubscriptions(w, r, id)
	case kind == "leadFormResponses" && id != "":
		for _, lead := range l.leads {
			if lead.ID == id && !lead.gone {
				answerJSON(w, lead.node())
				return
			}
		}
		linkedInError(w, http.StatusNotFound, 0, "Not Found")
	case !strings.Contains(r.URL.RawQuery, "owner=(sponsoredAccount:"+url.QueryEscape(linkedInOwner)+")"):
		linkedInError(w, http.StatusForbidden, 100, "Unpermitted owner")
	case kind == "leadFormResponses":
		l.serveLeads(w, r)
	case kind == "leadForms":
		answerJSON(w, map[string]any{"elements": linkedInPart(r, []any{linkedInFormNode()}), "paging": map[string]any{}})
	default:
		linkedInError(w, http.StatusNotFound, 0, "No virtual resource found")
	}
}

func linkedInError(w http.ResponseWriter, status, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	said := map[string]any{"status": status, "serviceErrorCode": code, "message": message}
	_ = json.NewEncoder(w).Encode(said) // the caller is gone
}

// linkedInPart is the part of a list that start and count name.
func linkedInPart(r *http.Request, all []any) []any {
	start, _ := strconv.Atoi(r.URL.Query().Get("start"))
	count, _ := strconv.Atoi(r.URL.Query().Get("count"))
	start = min(start, len(all))
	return append([]any{}, all[start:min(start+count, len(all))]...)
}

var linkedInSpan = regexp.MustCompile(`submittedAtTimeRange=\(start:(\d+),end:(\d+)\)`)

func (l *LinkedIn) serveLeads(w http.ResponseWriter, r *http.Request) {
	span := linkedInSpan.FindStringSubmatch(r.URL.RawQuery)
	if span == nil {
		linkedInError(w, http.StatusBadRequest, 0, "Invalid query parameters")
		return
	}
	start, _ := strconv.ParseInt(span[1], 10, 64)
	end, _ := strconv.ParseInt(span[2], 10, 64)
	var all []any
	for _, lead := range l.leads {
		if at := lead.Created.UnixMilli(); !lead.gone && at >= start && at <= end {
			all = append(all, lead.node())
		}
	}
	answerJSON(w, map[string]any{"elements": linkedInPart(r, all), "paging": map[string]any{"total": len(all)}})
}

func (l *LinkedIn) serveSubscriptions(w http.ResponseWriter, r *http.Request, id string) {
	switch r.Method {
	case http.MethodGet:
		answerJSON(w, map[string]any{"elements": append([]linkedInSubscription{}, l.subscriptions...)})
	case http.MethodDelete:
		l.subscriptions = slices.DeleteFunc(l.subscriptions, func(s linkedInSubscription) bool {
			return strconv.Itoa(s.ID) == id
		})
		w.WriteHeader(http.StatusNoContent)
	case http.MethodPost:
		var s linkedInSubscription
		err := json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&s)
		if err == nil && (s.Owner["sponsoredAccount"] != linkedInOwner || s.Type != "SPONSORED") {
			err = fmt.Errorf("another owner or leadType")
		}
		if err == nil {
			err = l.challenge(r.Context(), s.Webhook)
		}
		if err != nil {
			linkedInError(w, http.StatusBadRequest, 0, err.Error())
			return
		}
		l.last++
		s.ID = l.last
		l.subscriptions = append(l.subscriptions, s)
		w.Header().Set("X-Restli-Id", strconv.Itoa(s.ID))
		w.WriteHeader(http.StatusCreated)
	}
}

// linkedInQuestions are those of the form: LinkedIn's own, and one of the team's with two choices.
var linkedInQuestions = []struct {
	name, text string
	own        bool
}{
	{"FIRST_NAME", "Nome", false},
	{"LAST_NAME", "Sobrenome", false},
	{"EMAIL", "Endereço de e-mail", false},
	{"PHONE_NUMBER", "Número de telefone", false},
	{"COMPANY_NAME", "Nome da empresa", false},
	{"tamanho", "Quantas pessoas trabalham com você?", true},
}

func inPortuguese(text string) map[string]any {
	return map[string]any{"localized": map[string]string{"pt_BR": text}}
}

func linkedInFormNode() map[string]any {
	var questions []any
	for i, q := range linkedInQuestions {
		node := map[string]any{
			"questionId": i + 1, "name": q.name, "question": inPortuguese(q.text), "responseRequired": true,
			"predefinedField": q.name, "questionDetails": map[string]any{"textQuestionDetails": map[string]any{"maxResponseLength": 300}},
		}
		if q.own {
			delete(node, "predefinedField")
			node["questionDetails"] = map[string]any{"multipleChoiceQuestionDetails": map[string]any{"options": []any{
				map[string]any{"id": 1, "text": inPortuguese("Até dez")}, map[string]any{"id": 2, "text": inPortuguese("Mais de dez")},
			}}}
		}
		questions = append(questions, node)
	}
	return map[string]any{
		"id": linkedInForm, "name": "Receba a planta", "hiddenFields": []any{map[string]any{"name": "utm_campaign", "value": "planta"}},
		"creationLocale": map[string]any{"country": "BR", "language": "pt"},
		"content": map[string]any{"questions": questions, "legalInfo": map[string]any{"consents": []any{
			map[string]any{"consentId": 1, "consent": inPortuguese("Aceito receber ofertas por e-mail"), "checkRequired": false},
		}}},
	}
}

// node is a lead as the API shows it.
func (lead *LinkedInLead) node() map[string]any {
	var answers []any
	for i, q := range linkedInQuestions {
		v, answered := lead.Fields[q.name]
		if !answered {
			continue
		}
		details := map[string]any{"textQuestionAnswer": map[string]any{"answer": v}}
		if q.own {
			details = map[string]any{"multipleChoiceAnswer": map[string]any{"options": []any{v}}}
		}
		answers = append(answers, map[string]any{"questionId": i + 1, "answerId": i + 1, "answerDetails": details})
	}
	return map[string]any{
		"id": lead.ID, "submittedAt": lead.Created.UnixMilli(), "leadType": "SPONSORED", "testLead": false,
		"form": linkedInFormNode(), "leadMetadataInfo": map[string]any{"sponsoredLeadMetadataInfo": map[string]any{
			"campaign": map[string]any{"id": "urn:li:sponsoredCampaign:9", "name": "Lançamento Aurora", "type": "SPONSORED_UPDATES"},
		}},
		"formResponse": map[string]any{
			"answers": answers, "consentResponses": []any{map[string]any{"consentId": 1, "accepted": lead.Consent}},
		},
	}
}
