package meta

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fichario/domain/webhook"
	"fichario/ports"
)

const (
	// leadFields are the fields of a lead that are asked for.
	leadFields = "id,created_time,form_id,ad_id,ad_name,adset_id,adset_name,campaign_id,campaign_name,is_organic,platform," +
		"field_data,custom_disclaimer_responses"
	// plainFields are those that need no permission for advertisements.
	plainFields = "id,created_time,form_id,is_organic,platform,field_data,custom_disclaimer_responses"
	formFields  = "id,name,status,questions,legal_content{custom_disclaimer}"
	// leadsPerCall and othersPerCall are how many are asked for at once.
	leadsPerCall, othersPerCall = "100", "100"
	// listsMax bounds the calls for one list.
	listsMax = 100
)

// Notices reads the body of a notification about a page.
func (*Client) Notices(body []byte) ([]webhook.Notice, error) {
	var sent struct {
		Object string `json:"object"`
		Entry  []struct {
			ID      json.RawMessage `json:"id"`
			Changes []struct {
				Field string `json:"field"`
				Value struct {
					Lead json.RawMessage `json:"leadgen_id"`
					Page json.RawMessage `json:"page_id"`
				} `json:"value"`
			} `json:"changes"`
		} `json:"entry"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, errors.New("the notification is no JSON of Meta's")
	}
	var out []webhook.Notice
	known := map[string]bool{}
	for _, entry := range sent.Entry {
		for _, change := range entry.Changes {
			lead, page := number(change.Value.Lead), cmp.Or(number(change.Value.Page), number(entry.ID))
			if change.Field == "leadgen" && lead != "" && page != "" && !known[lead] {
				out, known[lead] = append(out, webhook.Notice{Lead: lead, Page: page}), true
			}
		}
	}
	return out, nil
}

// number is an id, which Meta sends as a text or as a number; "" for anything else.
func number(raw json.RawMessage) string {
	id := strings.Trim(string(raw), `"`)
	if len(id) > 40 || strings.Trim(id, "0123456789") != "" {
		return ""
	}
	return id
}

// paging is where a list goes on.
type paging struct {
	Cursors struct {
		After string `json:"after"`
	} `json:"cursors"`
	Next string `json:"next"`
}

// next is the cursor of the next part, or "". The address that Meta gives for it holds the token, and is not followed.
func (p paging) next() string {
	if p.Next == "" {
		return ""
	}
	if p.Cursors.After != "" {
		return p.Cursors.After
	}
	at, err := url.Parse(p.Next)
	if err != nil {
		return ""
	}
	return at.Query().Get("after")
}

// list calls for every part of a list.
func list[T any](ctx context.Context, c *Client, a ports.SourceAccess, path, fields string) (all []T, err error) {
	for cursor, calls := "", 0; calls < listsMax; calls++ {
		var part struct {
			Data   []T    `json:"data"`
			Paging paging `json:"paging"`
		}
		query := url.Values{"fields": {fields}, "limit": {othersPerCall}}
		if cursor != "" {
			query.Set("after", cursor)
		}
		if err := c.call(ctx, a, http.MethodGet, path, query, &part); err != nil {
			return nil, err
		}
		all = append(all, part.Data...)
		if cursor = part.Paging.next(); cursor == "" {
			break
		}
	}
	return all, nil
}

// pageNode is a page.
type pageNode struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Token string `json:"access_token"`
}

// Pages returns the pages of a person's token, each with its own token, or the page whose token it is.
func (c *Client) Pages(ctx context.Context, a ports.SourceAccess) ([]webhook.Source, error) {
	pages, err := list[pageNode](ctx, c, a, "me/accounts", "id,name,access_token")
	var failed *ports.SourceError
	if errors.As(err, &failed) && (failed.Failure == ports.TokenDead || failed.Failure == ports.SourceLimited) {
		return nil, err
	}
	if err != nil || len(pages) == 0 { // a page has no pages
		var own pageNode
		if err := c.call(ctx, a, http.MethodGet, "me", url.Values{"fields": {"id,name"}}, &own); err != nil {
			return nil, err
		}
		pages = []pageNode{own}
	}
	var (
		out    []webhook.Source
		others []string
	)
	for _, p := range pages {
		if number(json.RawMessage(p.ID)) == "" {
			continue
		}
		if !a.Wants(p.ID, p.Name) {
			others = append(others, p.Name+" ("+p.ID+")")
			continue
		}
		of := ports.SourceAccess{Page: p.ID, Token: cmp.Or(p.Token, a.Token), AppSecret: a.AppSecret}
		forms, err := c.Forms(ctx, of)
		if err != nil {
			return nil, err
		}
		query := url.Values{"subscribed_fields": {"leadgen"}}
		var done struct {
			Success bool `json:"success"`
		}
		if err := c.call(ctx, of, http.MethodPost, p.ID+"/subscribed_apps", query, &done); err != nil {
			return nil, err
		}
		expires, err := c.Expiry(ctx, of)
		if errors.As(err, &failed) && failed.Failure == ports.TokenDead {
			return nil, err
		}
		out = append(out, webhook.Source{
			Page: p.ID, Name: cmp.Or(p.Name, p.ID), Token: of.Token, Forms: forms, ExpiresAt: expires,
		})
	}
	if len(out) == 0 && a.Page != "" {
		return nil, ports.NotOpened(others)
	}
	return out, nil
}

// Unsubscribe ends the notifications of a page to the app.
func (c *Client) Unsubscribe(ctx context.Context, a ports.SourceAccess) error {
	var done struct{}
	return c.call(ctx, a, http.MethodDelete, url.PathEscape(a.Page)+"/subscribed_apps", nil, &done)
}

// Forms lists the forms of a page, archived ones too: they may have leads of the last days.
func (c *Client) Forms(ctx context.Context, a ports.SourceAccess) ([]webhook.Form, error) {
	type node struct {
		ID        string `json:"id"`
		Name      string `json:"name"`
		Questions []struct {
			Key   string `json:"key"`
			Label string `json:"label"`
		} `json:"questions"`
		Legal struct {
			Disclaimer struct {
				Checkboxes []struct {
					Key  string `json:"key"`
					Text string `json:"text"`
				} `json:"checkboxes"`
			} `json:"custom_disclaimer"`
		} `json:"legal_content"`
	}
	nodes, err := list[node](ctx, c, a, url.PathEscape(a.Page)+"/leadgen_forms", formFields)
	forms := make([]webhook.Form, len(nodes))
	for i, n := range nodes {
		forms[i] = webhook.Form{ID: n.ID, Name: n.Name}
		for _, q := range n.Questions {
			forms[i].Questions = append(forms[i].Questions, webhook.Question{Key: q.Key, Label: q.Label})
		}
		for _, b := range n.Legal.Disclaimer.Checkboxes {
			forms[i].Questions = append(forms[i].Questions, webhook.Question{Key: b.Key, Label: b.Text})
		}
	}
	return forms, err
}

// Lead fetches a lead. Where the token may not see advertisements, the lead comes without their names.
func (c *Client) Lead(ctx context.Context, a ports.SourceAccess, id string) (webhook.Lead, error) {
	var raw json.RawMessage
	err := c.withoutAds(func(fields string) error {
		return c.call(ctx, a, http.MethodGet, url.PathEscape(id), url.Values{"fields": {fields}}, &raw)
	})
	if err != nil {
		return webhook.Lead{}, err
	}
	l, err := leadOf(raw)
	if err == nil && l.ID != id {
		err = &ports.SourceError{Reason: "a Meta respondeu com outro lead"}
	}
	return l, err
}

// Leads lists the leads of the forms, one after the other: a cursor is a form's place and Meta's own.
func (c *Client) Leads(
	ctx context.Context, a ports.SourceAccess, forms []webhook.Form, after time.Time, cursor string,
) (leads []webhook.Lead, next string, err error) {
	of, at, _ := strings.Cut(cursor, " ")
	place, _ := strconv.Atoi(of)
	if place >= len(forms) {
		return nil, "", nil
	}
	leads, at, err = c.leadsOf(ctx, a, forms[place].ID, after, at)
	if err == nil && at == "" {
		place++
	}
	if place < len(forms) {
		next = strconv.Itoa(place) + " " + at
	}
	return leads, next, err
}

func (c *Client) leadsOf(
	ctx context.Context, a ports.SourceAccess, form string, after time.Time, cursor string,
) (leads []webhook.Lead, next string, err error) {
	var part struct {
		Data   []json.RawMessage `json:"data"`
		Paging paging            `json:"paging"`
	}
	err = c.withoutAds(func(fields string) error {
		query := url.Values{"fields": {fields}, "limit": {leadsPerCall}}
		query.Set("filtering", fmt.Sprintf(`[{"field":"time_created","operator":"GREATER_THAN","value":%d}]`, after.Unix()))
		if cursor != "" {
			query.Set("after", cursor)
		}
		return c.call(ctx, a, http.MethodGet, url.PathEscape(form)+"/leads", query, &part)
	})
	for _, raw := range part.Data {
		if l, bad := leadOf(raw); bad == nil {
			l.Form = cmp.Or(l.Form, form)
			leads = append(leads, l)
		}
	}
	return leads, part.Paging.next(), err
}

// withoutAds calls for a lead, and again without the fields of advertisements where a permission is missing.
func (*Client) withoutAds(call func(fields string) error) error {
	err := call(leadFields)
	var failed *ports.SourceError
	if errors.As(err, &failed) && failed.Failure == ports.PermissionMissing {
		err = call(plainFields)
	}
	return err
}

func leadOf(raw json.RawMessage) (webhook.Lead, error) {
	var node struct {
		ID      string `json:"id"`
		Form    string `json:"form_id"`
		Created string `json:"created_time"`
	}
	if json.Unmarshal(raw, &node) != nil || number(json.RawMessage(node.ID)) == "" {
		return webhook.Lead{}, &ports.SourceError{Reason: "a Meta respondeu com outra coisa que um lead"}
	}
	at, _ := time.Parse("2006-01-02T15:04:05-0700", node.Created)
	return webhook.Lead{ID: node.ID, Form: node.Form, Body: raw, CreatedAt: at.UTC()}, nil
}

// Expiry asks about the token itself. It ends when Meta says, or when Meta no longer lets the app read with it.
func (c *Client) Expiry(ctx context.Context, a ports.SourceAccess) (time.Time, error) {
	var answer struct {
		Data struct {
			Valid   *bool `json:"is_valid"`
			Expires int64 `json:"expires_at"`
			Access  int64 `json:"data_access_expires_at"`
		} `json:"data"`
	}
	// Meta takes the token in question in the address alone.
	err := c.call(ctx, a, http.MethodGet, "debug_token", url.Values{"input_token": {a.Token}}, &answer)
	if err != nil {
		return time.Time{}, err
	}
	if answer.Data.Valid != nil && !*answer.Data.Valid {
		return time.Time{}, &ports.SourceError{Failure: ports.TokenDead, Reason: "o token não vale mais (debug_token)"}
	}
	var at time.Time
	for _, unix := range []int64{answer.Data.Expires, answer.Data.Access} {
		if end := time.Unix(unix, 0).UTC(); unix > 0 && (at.IsZero() || end.Before(at)) {
			at = end
		}
	}
	return at, nil
}

// Worded adds the labels of questions and consents, and the form's name, to the answer of Lead or Leads.
func (*Client) Worded(l webhook.Lead, f webhook.Form) []byte {
	var lead map[string]json.RawMessage
	if json.Unmarshal(l.Body, &lead) != nil {
		return l.Body
	}
	for list, key := range map[string]string{"field_data": "name", "custom_disclaimer_responses": "checkbox_key"} {
		var items []map[string]json.RawMessage
		if json.Unmarshal(lead[list], &items) != nil {
			continue
		}
		for _, item := range items {
			var name string
			_ = json.Unmarshal(item[key], &name)
			if label := f.Label(name); label != "" {
				item["label"] = encoded(label)
			}
		}
		lead[list] = encoded(items)
	}
	if f.Name != "" {
		lead["form_name"] = encoded(f.Name)
	}
	return encoded(lead)
}

func encoded(value any) []byte {
	out, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts, and what was JSON before, always marshal
	}
	return out
}
