package sandbox

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Meta stands in for Meta's Graph API, as far as instant forms and conversions go: pages, their forms with questions,
// leads with paging and a filter by time, tokens with permissions and an end, the proof of the app's secret, errors by
// their codes, the headers of usage, signed notifications that can get lost, come twice, late and out of order, and the
// endpoint of conversions. Any version may be named in the path.
//
// Written from the same pages of Meta's as the adapter (adapters/meta), from its Conversions API for CRM, and from the
// fields that facebook/facebook-python-business-sdk names; how open clients read it was seen in frappe/crm and in the
// trigger of n8n-io/n8n. What those do not say is invented: which message an error has, how a list is ordered among
// leads of one second.
type Meta struct {
	mu     sync.Mutex
	secret string
	pages  []*MetaPage
	leads  map[string]*MetaLead
	last   int
	// limited are the calls still to be refused, with a code and the minutes that the header names.
	limited, code, minutes int
	used                   int
	calls                  map[string]int // by token and kind of call
	events                 []json.RawMessage
	callback               string // where new leads are announced; empty for nowhere
}

// MetaPage is a page.
type MetaPage struct {
	ID    string     `json:"id"`
	Name  string     `json:"name"`
	Token string     `json:"token"`
	Forms []MetaForm `json:"forms"`
	// ExpiresAt is when the token ends, in seconds since 1970; 0 for never.
	ExpiresAt int64 `json:"expiresAt"`
	// Missing are permissions that the token lacks, such as leads_retrieval.
	Missing    []string `json:"missing"`
	Subscribed bool     `json:"subscribed"`
	dead       map[string]bool
}

// MetaForm is an instant form.
type MetaForm struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Questions []MetaQuestion `json:"questions"`
	Consents  []MetaQuestion `json:"consents"`
	order     []*MetaLead
}

// MetaQuestion is a question, or a consent that can be ticked.
type MetaQuestion struct {
	Key   string `json:"key"`
	Label string `json:"label"`
	Type  string `json:"type"`
}

// MetaLead is a lead: the answers by the keys of the questions, and the ticked consents.
type MetaLead struct {
	ID       string            `json:"id"`
	Page     string            `json:"page"`
	Form     string            `json:"form"`
	Created  time.Time         `json:"created"`
	Fields   map[string]string `json:"fields"`
	Ticked   []string          `json:"ticked"`
	Platform string            `json:"platform"`
	gone     bool
	told     bool
}

// The defaults of a new Meta, for people who try it.
const (
	MetaSecret = "segredo-do-aplicativo" //nolint:gosec // it opens nothing but this
	MetaToken  = "token-da-pagina"       //nolint:gosec // as above
	// MetaPersonToken is that of a person, who has every page.
	MetaPersonToken = "token-da-pessoa" //nolint:gosec // as above
	metaPage        = "106000000000001"
	metaForm        = "206000000000001"
)

// NewMeta returns a Meta with one page, which has one form. The ids of its leads count from the present millisecond,
// because whoever has read a lead takes another one with that id for the same.
func NewMeta() *Meta {
	m := &Meta{
		secret: MetaSecret, leads: map[string]*MetaLead{}, calls: map[string]int{}, last: int(time.Now().UnixMilli()),
	}
	m.AddPage(MetaPage{ID: metaPage, Name: "Imobiliária Aurora", Token: MetaToken, Forms: []MetaForm{{
		ID: metaForm, Name: "Agende uma visita", Questions: []MetaQuestion{
			{"full_name", "Nome completo", "FULL_NAME"}, {"email", "E-mail", "EMAIL"}, {"phone_number", "Telefone", "PHONE"},
			{"cpf", "CPF", "ID_CPF"}, {"qual_bairro_você_procura?", "Qual bairro você procura?", "CUSTOM"},
		},
		Consents: []MetaQuestion{{Key: "aceite_ofertas", Label: "Aceito receber ofertas por e-mail"}},
	}}})
	return m
}

// AddPage adds a page, or replaces the one with its id.
func (m *Meta) AddPage(p MetaPage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.dead = map[string]bool{}
	m.pages = slices.DeleteFunc(m.pages, func(o *MetaPage) bool { return o.ID == p.ID })
	m.pages = append(m.pages, &p)
}

// AddLeads adds leads of a form, whose other fields are empty ones' defaults: of the first form, now, on Instagram. It
// returns their ids. Where Callback was given an address, those of subscribed pages are announced there, once; what is
// not accepted is lost.
func (m *Meta) AddLeads(all ...MetaLead) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids, announced := make([]string, len(all)), []string{}
	for i, l := range all {
		page := m.pages[0]
		for _, p := range m.pages {
			if p.ID == l.Page {
				page = p
			}
		}
		form := &page.Forms[0]
		for j := range page.Forms {
			if page.Forms[j].ID == l.Form {
				form = &page.Forms[j]
			}
		}
		m.last++
		l.ID, l.Page, l.Form = strconv.Itoa(700000000000000+m.last), page.ID, form.ID
		if l.Created.IsZero() {
			l.Created = time.Now()
		}
		if l.Platform == "" {
			l.Platform = "ig"
		}
		m.leads[l.ID], ids[i] = &l, l.ID
		form.order = append(form.order, &l)
		if page.Subscribed {
			announced = append(announced, l.ID)
		}
	}
	if address := m.callback; address != "" && len(announced) > 0 {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			_, _ = m.Notify(ctx, MetaSending{URL: address, IDs: announced})
		}()
	}
	return ids
}

// RemoveLead makes a lead vanish, as one does that its person has withdrawn.
func (m *Meta) RemoveLead(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l := m.leads[id]; l != nil {
		l.gone = true
	}
}

// KillToken ends the token of every page; RenewToken gives all pages another one, with an end or none.
func (m *Meta) KillToken() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pages {
		p.dead[p.Token] = true
	}
}

// RenewToken gives every page another token, which ends at a time in seconds since 1970; 0 for never.
func (m *Meta) RenewToken(token string, expires int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pages {
		p.Token, p.ExpiresAt = token, expires
	}
}

// Forbid takes permissions from every token, and gives back all others.
func (m *Meta) Forbid(permissions ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pages {
		p.Missing = permissions
	}
}

// Limit refuses so many calls with a code, and names minutes to wait.
func (m *Meta) Limit(calls, code, minutes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limited, m.code, m.minutes = calls, code, minutes
}

// Use sets how much of the allowance the headers say is used, in percent.
func (m *Meta) Use(percent int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used = percent
}

// Calls returns how many calls came with a token, by kind: me, forms, leads, lead, subscribe, debug_token, events. An
// empty token counts all.
func (m *Meta) Calls(token string) map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]int{}
	for key, n := range m.calls {
		of, kind, _ := strings.Cut(key, " ")
		if token == "" || of == token {
			out[kind] += n
		}
	}
	return out
}

// Events returns the conversions that came, oldest first.
func (m *Meta) Events() []json.RawMessage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.events)
}

// Subscribed reports whether every page is subscribed.
func (m *Meta) Subscribed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !slices.ContainsFunc(m.pages, func(p *MetaPage) bool { return !p.Subscribed })
}

// Sign returns the header X-Hub-Signature-256 of a body.
func (m *Meta) Sign(body []byte) string {
	mac := hmac.New(sha256.New, []byte(m.secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Notification is the body that announces some leads, one entry for each.
func (m *Meta) Notification(ids ...string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var entries []any
	for _, id := range ids {
		l := m.leads[id]
		if l == nil {
			l = &MetaLead{ID: id, Page: m.pages[0].ID, Form: m.pages[0].Forms[0].ID, Created: time.Now()}
		}
		l.told = true
		entries = append(entries, map[string]any{
			"id": l.Page, "time": l.Created.Unix(), "changes": []any{map[string]any{
				"field": "leadgen", "value": map[string]any{
					"leadgen_id": l.ID, "page_id": l.Page, "form_id": l.Form, "ad_id": "0", "adgroup_id": "0",
					"created_time": l.Created.Unix(),
				},
			}},
		})
	}
	body, err := json.Marshal(map[string]any{"object": "page", "entry": entries})
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return body
}

// metaError answers with an error of the Graph API.
func metaError(w http.ResponseWriter, status, code, subcode int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	e := map[string]any{
		"message": fmt.Sprintf("(#%d) %s", code, message), "type": "OAuthException", "code": code, "fbtrace_id": "A0inventado",
	}
	if subcode != 0 {
		e["error_subcode"] = subcode
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"error": e}) // the caller is gone
}

func answerJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(value) // as above
}
