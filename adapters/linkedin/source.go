package linkedin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fichario/domain/webhook"
	"fichario/ports"
)

const (
	accountURN = "urn:li:sponsoredAccount:"
	leadURN    = "urn:li:leadGenFormResponse:"
	// leadType is that of advertisements: LinkedIn no longer offers forms of company pages.
	leadType = "SPONSORED"
	// leadFields are the fields of a lead that are asked for: its form comes with it.
	leadFields = "id,submittedAt,leadType,testLead,formResponse,leadMetadataInfo,form:(hiddenFields,id,name,content)"
	perCall    = 100
	// listsMax bounds the calls for one list.
	listsMax = 100
)

// Notices reads the body of a notification about a lead. A lead that its person has withdrawn is not one.
func (*Client) Notices(body []byte) ([]webhook.Notice, error) {
	var sent struct {
		Type   string `json:"type"`
		Lead   string `json:"leadGenFormResponse"`
		Action string `json:"leadAction"`
		Owner  struct {
			Account string `json:"sponsoredAccount"`
		} `json:"owner"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, errors.New("the notification is no JSON of LinkedIn's")
	}
	n := webhook.Notice{Lead: id(sent.Lead, leadURN), Page: id(sent.Owner.Account, accountURN)}
	if sent.Type != "LEAD_ACTION" || sent.Action != "CREATED" || n.Lead == "" || n.Page == "" {
		return nil, nil
	}
	return []webhook.Notice{n}, nil
}

// id is the end of a name of LinkedIn's (URN); "" for another one.
func id(urn, prefix string) string {
	end, is := strings.CutPrefix(urn, prefix)
	if !is || !plain(end) {
		return ""
	}
	return end
}

// plain reports whether a text can be an id: nothing in it has a meaning in an address.
func plain(id string) bool {
	const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
	return id != "" && len(id) <= 100 && strings.Trim(id, letters) == ""
}

// Pages returns the advertising accounts of a token whose leads it may read.
func (c *Client) Pages(ctx context.Context, a ports.SourceAccess) ([]webhook.Source, error) {
	var (
		out    []webhook.Source
		others []string
		denied error
		wanted = a
	)
	for next, calls := "", 0; calls < listsMax; calls++ {
		var part struct {
			Elements []struct {
				ID   json.Number `json:"id"`
				Name string      `json:"name"`
			} `json:"elements"`
			Metadata struct {
				Next string `json:"nextPageToken"`
			} `json:"metadata"`
		}
		path := fmt.Sprintf("adAccounts?q=search&pageSize=%d", perCall)
		if next != "" {
			path += "&pageToken=" + url.QueryEscape(next)
		}
		if err := c.call(ctx, a.Token, http.MethodGet, path, nil, &part); err != nil {
			return nil, err
		}
		for _, account := range part.Elements {
			page := account.ID.String()
			if !plain(page) {
				continue
			}
			if !wanted.Wants(page, account.Name) {
				others = append(others, account.Name+" ("+page+")")
				continue
			}
			a.Page = page
			s, err := c.subscribed(ctx, a, cmp.Or(account.Name, page))
			var failed *ports.SourceError
			if errors.As(err, &failed) && failed.Failure == ports.PermissionMissing {
				denied = err // of an account beside those that the team wants, perhaps
				continue
			}
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
		if next = part.Metadata.Next; next == "" {
			break
		}
	}
	if len(out) == 0 && denied == nil && wanted.Page != "" {
		return nil, ports.NotOpened(others)
	}
	if len(out) == 0 {
		return nil, denied
	}
	return out, nil
}

// subscribed has the leads of an account announced to the callback, once, and returns the account with its forms.
func (c *Client) subscribed(ctx context.Context, a ports.SourceAccess, name string) (webhook.Source, error) {
	forms, err := c.Forms(ctx, a)
	if err != nil {
		return webhook.Source{}, err
	}
	known, err := c.subscriptions(ctx, a, func(address string) bool { return address == a.Callback })
	if err == nil && len(known) == 0 {
		err = c.call(ctx, a.Token, http.MethodPost, "leadNotifications", map[string]any{
			"webhook": a.Callback, "owner": map[string]string{"sponsoredAccount": accountURN + a.Page}, "leadType": leadType,
		}, nil)
		err = unreachable(err)
	}
	return webhook.Source{Page: a.Page, Name: name, Token: a.Token, Forms: forms}, err
}

// unreachable says what is wrong where LinkedIn refuses a subscription: it asks the address for the challenge at once.
func unreachable(err error) error {
	var refused notTaken
	if !errors.As(err, &refused) {
		return err
	}
	return &ports.SourceError{
		Failure: ports.PermissionMissing,
		Reason: "o endereço do webhook não passou na verificação, que exige https, um nome público e o mesmo Client secret: " +
			refused.Reason,
	}
}

// subscriptions are the ids of an account's announcements to some addresses.
func (c *Client) subscriptions(
	ctx context.Context, a ports.SourceAccess, ours func(address string) bool,
) (ids []string, err error) {
	var answer struct {
		Elements []struct {
			ID      json.Number `json:"id"`
			Webhook string      `json:"webhook"`
		} `json:"elements"`
	}
	path := "leadNotifications?q=criteria&owner=(value:" + owner(a.Page) + ")&leadType=(leadType:" + leadType + ")"
	err = c.call(ctx, a.Token, http.MethodGet, path, nil, &answer)
	for _, s := range answer.Elements {
		if ours(s.Webhook) && plain(s.ID.String()) {
			ids = append(ids, s.ID.String())
		}
	}
	return ids, err
}

// Unsubscribe ends the notifications of an account to the callback, under whatever name the server had then.
func (c *Client) Unsubscribe(ctx context.Context, a ports.SourceAccess) error {
	end := a.Callback
	if at, err := url.Parse(a.Callback); err == nil {
		end = at.Path
	}
	known, err := c.subscriptions(ctx, a, func(address string) bool { return strings.HasSuffix(address, end) })
	for _, id := range known {
		err = errors.Join(err, c.call(ctx, a.Token, http.MethodDelete, "leadNotifications/"+id, nil, nil))
	}
	return err
}

// localized is a text in the languages that it was written in; a form has one.
type localized struct {
	Localized map[string]string `json:"localized"`
}

func (l localized) text() string {
	for _, language := range slices.Sorted(maps.Keys(l.Localized)) {
		return strings.TrimSpace(l.Localized[language])
	}
	return ""
}

// formNode is a form as LinkedIn tells it, by itself and in each lead.
type formNode struct {
	ID      json.Number `json:"id"`
	Name    string      `json:"name"`
	Hidden  []hidden    `json:"hiddenFields"`
	Content struct {
		Questions []question `json:"questions"`
		Legal     struct {
			Consents []struct {
				ID   json.Number `json:"consentId"`
				Text localized   `json:"consent"`
			} `json:"consents"`
		} `json:"legalInfo"`
	} `json:"content"`
}

// hidden is a field that people do not see.
type hidden struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type question struct {
	ID         json.Number `json:"questionId"`
	Name       string      `json:"name"`
	Text       localized   `json:"question"`
	Predefined string      `json:"predefinedField"`
	Details    struct {
		Choice struct {
			Options []struct {
				ID   json.Number `json:"id"`
				Text localized   `json:"text"`
			} `json:"options"`
		} `json:"multipleChoiceQuestionDetails"`
	} `json:"questionDetails"`
}

// predefined are LinkedIn's own questions that say what a contact has, by the names that the reader knows.
var predefined = map[string]string{
	"FIRST_NAME": "nome", "LAST_NAME": "sobrenome", "EMAIL": "email", "WORK_EMAIL": "email",
	"PHONE_NUMBER": "telefone", "WORK_PHONE_NUMBER": "telefone", "COMPANY_NAME": "empresa", "JOB_TITLE": "Cargo",
	"LINKEDIN_PROFILE_LINK": "Perfil no LinkedIn",
}

// label is what a question is called.
func (q question) label() string {
	return cmp.Or(predefined[q.Predefined], q.Text.text(), q.Name, "Pergunta "+q.ID.String())
}

// Forms lists the forms of an account.
func (c *Client) Forms(ctx context.Context, a ports.SourceAccess) (forms []webhook.Form, err error) {
	for start := 0; start < perCall*listsMax; start += perCall {
		var part struct {
			Elements []formNode `json:"elements"`
		}
		path := fmt.Sprintf("leadForms?q=owner&owner=%s&count=%d&start=%d", owner(a.Page), perCall, start)
		if err := c.call(ctx, a.Token, http.MethodGet, path, nil, &part); err != nil {
			return nil, err
		}
		for _, n := range part.Elements {
			f := webhook.Form{ID: n.ID.String(), Name: cmp.Or(n.Name, n.ID.String())}
			for _, q := range n.Content.Questions {
				f.Questions = append(f.Questions, webhook.Question{Key: q.ID.String(), Label: cmp.Or(q.Text.text(), q.label())})
			}
			forms = append(forms, f)
		}
		if len(part.Elements) < perCall {
			break
		}
	}
	return forms, nil
}

// Lead fetches a lead.
func (c *Client) Lead(ctx context.Context, a ports.SourceAccess, id string) (webhook.Lead, error) {
	var raw json.RawMessage
	path := "leadFormResponses/" + url.PathEscape(id) + "?fields=" + leadFields
	if err := c.call(ctx, a.Token, http.MethodGet, path, nil, &raw); err != nil {
		return webhook.Lead{}, err
	}
	l, err := leadOf(raw)
	if err == nil && l.ID != id {
		err = &ports.SourceError{Reason: "o LinkedIn respondeu com outro lead"}
	}
	return l, err
}

// Leads lists the leads of an account, whatever their forms. A cursor is the end of the time that the first call named,
// so that leads which come meanwhile move nothing, and a place.
func (c *Client) Leads(
	ctx context.Context, a ports.SourceAccess, _ []webhook.Form, after time.Time, cursor string,
) (leads []webhook.Lead, next string, err error) {
	now := max(time.Now().UnixMilli(), after.UnixMilli()+1) // a span is not empty
	until, at, _ := strings.Cut(cmp.Or(cursor, fmt.Sprintf("%d 0", now)), " ")
	start, _ := strconv.Atoi(at)
	var part struct {
		Elements []json.RawMessage `json:"elements"`
	}
	path := fmt.Sprintf("leadFormResponses?q=owner&owner=%s&leadType=(leadType:%s)&limitedToTestLeads=false"+
		"&submittedAtTimeRange=(start:%d,end:%s)&fields=%s&count=%d&start=%d",
		owner(a.Page), leadType, after.UnixMilli(), until, leadFields, perCall, start)
	if err := c.call(ctx, a.Token, http.MethodGet, path, nil, &part); err != nil {
		return nil, "", err
	}
	for _, raw := range part.Elements {
		if l, bad := leadOf(raw); bad == nil {
			leads = append(leads, l)
		}
	}
	if len(part.Elements) == perCall {
		next = fmt.Sprintf("%s %d", until, start+perCall)
	}
	return leads, next, nil
}

func leadOf(raw json.RawMessage) (webhook.Lead, error) {
	var node struct {
		ID        string `json:"id"`
		Submitted int64  `json:"submittedAt"`
		Form      struct {
			ID json.Number `json:"id"`
		} `json:"form"`
	}
	if json.Unmarshal(raw, &node) != nil || !plain(node.ID) {
		return webhook.Lead{}, &ports.SourceError{Reason: "o LinkedIn respondeu com outra coisa que um lead"}
	}
	l := webhook.Lead{ID: node.ID, Form: node.Form.ID.String(), Body: raw}
	if node.Submitted > 0 {
		l.CreatedAt = time.UnixMilli(node.Submitted).UTC()
	}
	return l, nil
}

// Expiry asks whether the token is still taken. When it ends LinkedIn does not say.
func (c *Client) Expiry(ctx context.Context, a ports.SourceAccess) (time.Time, error) {
	path := "leadForms?q=owner&count=1&start=0&owner=" + owner(a.Page)
	return time.Time{}, c.call(ctx, a.Token, http.MethodGet, path, nil, nil)
}

// worded is a lead in words: LinkedIn's answers name questions and choices by numbers.
type worded struct {
	ID        string    `json:"id"`
	LeadType  string    `json:"leadType"`
	Submitted int64     `json:"submittedAt"`
	Test      bool      `json:"testLead"`
	Platform  string    `json:"platform"`
	FormName  string    `json:"form_name,omitempty"`
	Campaign  string    `json:"campaign_name,omitempty"`
	Answers   []answer  `json:"linkedin_answers"`
	Consents  []consent `json:"consents,omitempty"`
}

type answer struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// consent has the form of Meta's, which the reader knows.
type consent struct {
	Key    string `json:"checkbox_key"`
	Label  string `json:"label"`
	Ticked string `json:"is_checked"`
}

// leadNode is a lead as LinkedIn tells it.
type leadNode struct {
	ID        string   `json:"id"`
	LeadType  string   `json:"leadType"`
	Submitted int64    `json:"submittedAt"`
	Test      bool     `json:"testLead"`
	Form      formNode `json:"form"`
	Metadata  struct {
		Sponsored struct {
			Campaign struct {
				Name string `json:"name"`
			} `json:"campaign"`
		} `json:"sponsoredLeadMetadataInfo"`
	} `json:"leadMetadataInfo"`
	Response struct {
		Answers []struct {
			Question json.Number `json:"questionId"`
			Details  struct {
				Text struct {
					Answer string `json:"answer"`
				} `json:"textQuestionAnswer"`
				Choice struct {
					Options []json.RawMessage `json:"options"`
				} `json:"multipleChoiceAnswer"`
			} `json:"answerDetails"`
		} `json:"answers"`
		Consents []struct {
			ID       json.Number `json:"consentId"`
			Accepted bool        `json:"accepted"`
		} `json:"consentResponses"`
	} `json:"formResponse"`
}

// Worded tells a lead by the words of the form that came with it.
func (*Client) Worded(l webhook.Lead, _ webhook.Form) []byte {
	var lead leadNode
	if json.Unmarshal(l.Body, &lead) != nil {
		return l.Body
	}
	out := worded{
		ID: lead.ID, LeadType: lead.LeadType, Submitted: lead.Submitted, Test: lead.Test, Platform: "linkedin",
		FormName: lead.Form.Name, Campaign: lead.Metadata.Sponsored.Campaign.Name, Answers: []answer{},
	}
	for _, given := range lead.Response.Answers {
		q := lead.Form.question(given.Question)
		said := given.Details.Text.Answer
		for _, option := range given.Details.Choice.Options {
			said = strings.TrimPrefix(said+", "+q.option(strings.Trim(string(option), `"`)), ", ")
		}
		out.Answers = append(out.Answers, answer{q.label(), said})
	}
	for _, h := range lead.Form.Hidden {
		out.Answers = append(out.Answers, answer(h))
	}
	for _, given := range lead.Response.Consents {
		c := consent{Key: "consentimento_" + given.ID.String(), Label: "Consentimento " + given.ID.String()}
		for _, asked := range lead.Form.Content.Legal.Consents {
			if asked.ID == given.ID {
				c.Label = cmp.Or(asked.Text.text(), c.Label)
			}
		}
		if given.Accepted {
			c.Ticked = "1"
		}
		out.Consents = append(out.Consents, c)
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // texts and numbers always marshal
	}
	return text
}

// question is the one with an id, or one that has only that.
func (f formNode) question(id json.Number) question {
	for _, q := range f.Content.Questions {
		if q.ID == id {
			return q
		}
	}
	return question{ID: id}
}

// option is the text of a choice, or its id.
func (q question) option(id string) string {
	for _, o := range q.Details.Choice.Options {
		if o.ID.String() == id {
			return cmp.Or(o.Text.text(), id)
		}
	}
	return id
}
