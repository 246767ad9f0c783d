package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
)

// ContactOrder is what a list of contacts is ordered by.
type ContactOrder = ports.ContactOrder

// The orders of a list of contacts.
const (
	ByArrival = ports.ByArrival
	ByName    = ports.ByName
	ByAmount  = ports.ByAmount
)

// ContactSearch is what somebody looks for among contacts, and in which order. Zero
// values do not filter.
type ContactSearch struct {
	// Text is what was typed: parts of a name, e-mail address, company or phone
	// number, without regard to case and accents; each word must be there.
	Text                                     string
	StageID, OriginID, AssigneeID, WebhookID string
	// Since is when the first one wanted came.
	Since time.Time
	Order ContactOrder
	// Ascending puts the oldest, first in the alphabet or smallest first.
	Ascending bool
}

// Narrow reports whether the search leaves contacts out.
func (s ContactSearch) Narrow() bool {
	return strings.TrimSpace(s.Text) != "" || s.StageID != "" || s.OriginID != "" || s.AssigneeID != "" || s.WebhookID != "" || !s.Since.IsZero()
}

// ContactPage is one page of a list of contacts.
type ContactPage struct {
	Contacts []ContactView
	// First is whether nothing comes before, More whether something comes after.
	First, More bool
}

const (
	searchTextMax  = 200
	searchWordsMax = 8
	// CountMax is up to where matching contacts are counted.
	CountMax = 10_000
)

// searchWords are the words of a search as they are looked for. One without letters
// is the digits of a phone number, however it is written.
func searchWords(raw string) []string {
	raw = text.Fold(text.Cut(raw, searchTextMax))
	if !strings.ContainsFunc(raw, unicode.IsLetter) {
		// A phone number is written with spaces, and within Brazil sometimes with a zero.
		if d := strings.TrimLeft(text.Digits(raw), "0"); d != "" {
			return []string{d}
		}
	}
	words := strings.Fields(raw)
	for i, word := range words {
		if d := text.Digits(word); d != "" && !strings.ContainsFunc(word, unicode.IsLetter) {
			words[i] = d
		}
	}
	return words[:min(len(words), searchWordsMax)]
}

// filter checks a search against what the organisation has, so that an id of another
// one is not found.
func (s ContactSearch) filter(n names) (ports.ContactFilter, error) {
	switch {
	case s.StageID != "" && n.stages[s.StageID] == "":
		return ports.ContactFilter{}, missing("stage", "Não há etapa com este id.")
	case s.OriginID != "" && n.origins[s.OriginID] == "":
		return ports.ContactFilter{}, missing("origin", "Não há origem com este id.")
	case s.AssigneeID != "" && n.members[s.AssigneeID].ID == "":
		return ports.ContactFilter{}, missing("member", "Não há membro com este id.")
	case s.WebhookID != "" && n.webhooks[s.WebhookID] == "":
		return ports.ContactFilter{}, missing("webhook", "Não há webhook com este id.")
	}
	return ports.ContactFilter{
		Words: searchWords(s.Text), StageID: s.StageID, OriginID: s.OriginID, AssigneeID: s.AssigneeID, WebhookID: s.WebhookID, Since: s.Since,
	}, nil
}

// Search returns the page of matching contacts after the one with id after, or before
// the one with id before; the first page without both. Pages are stable while contacts
// come in. Faults: InvalidRequest, ServiceUnavailable.
func (c *Contacts) Search(ctx context.Context, by Caller, s ContactSearch, after, before string, limit int) (ContactPage, error) {
	if after != "" && before != "" {
		after = ""
	}
	if err := checkPage(after+before, limit); err != nil {
		return ContactPage{}, err
	}
	n, err := loadNames(ctx, c.store.Repos(), by.OrgID)
	if err != nil {
		return ContactPage{}, err
	}
	f, err := s.filter(n)
	if err != nil {
		return ContactPage{}, err
	}
	q := ports.ContactQuery{ContactFilter: f, Order: s.Order, Ascending: s.Ascending, After: after, Limit: limit + 1}
	if before != "" {
		q.After, q.Ascending = before, !q.Ascending
	}
	found, err := c.store.Repos().Contacts.Select(ctx, by.OrgID, q)
	if err != nil {
		return ContactPage{}, err
	}
	page := ContactPage{First: after == "", More: len(found) > limit}
	if before != "" {
		if len(found) <= limit {
			return c.Search(ctx, by, s, "", "", limit) // the first page is always whole
		}
		slices.Reverse(found[:limit])
		page.First, page.More = false, true
	}
	for _, contact := range found[:min(len(found), limit)] {
		page.Contacts = append(page.Contacts, n.view(contact))
	}
	return page, nil
}

// Count counts the contacts that a search finds, up to one more than CountMax. Faults:
// InvalidRequest, ServiceUnavailable.
func (c *Contacts) Count(ctx context.Context, by Caller, s ContactSearch) (int, error) {
	n, err := loadNames(ctx, c.store.Repos(), by.OrgID)
	if err != nil {
		return 0, err
	}
	f, err := s.filter(n)
	if err != nil {
		return 0, err
	}
	return c.store.Repos().Contacts.Count(ctx, by.OrgID, f, CountMax+1)
}

// Each gives all contacts that a search finds to f, whole and in its order, some at a
// time. An error of f ends it. Faults: InvalidRequest, ServiceUnavailable.
func (c *Contacts) Each(ctx context.Context, by Caller, s ContactSearch, f func([]ContactView) error) error {
	n, err := loadNames(ctx, c.store.Repos(), by.OrgID)
	if err != nil {
		return err
	}
	filter, err := s.filter(n)
	if err != nil {
		return err
	}
	q := ports.ContactQuery{ContactFilter: filter, Order: s.Order, Ascending: s.Ascending, Limit: listMax, Whole: true}
	for {
		found, err := c.store.Repos().Contacts.Select(ctx, by.OrgID, q)
		if err != nil {
			return err
		}
		views := make([]ContactView, len(found))
		for i, contact := range found {
			views[i] = n.view(contact)
		}
		if err := f(views); err != nil || len(found) < listMax {
			return err
		}
		q.After = found[len(found)-1].ID
	}
}

// Choices are what the forms about contacts offer.
type Choices struct {
	Funnels []crm.Funnel
	Origins []crm.Origin
	// Members are active or not, Webhooks are names by id.
	Members  []crm.Member
	Webhooks []Choice
}

// Choice is one thing to choose.
type Choice struct{ ID, Name string }

// Choices returns what the forms about contacts offer to a caller. Fault:
// ServiceUnavailable.
func (c *Contacts) Choices(ctx context.Context, by Caller) (Choices, error) {
	var out Choices
	r := c.store.Repos()
	funnels, err := r.Funnels.List(ctx, by.OrgID)
	origins, err2 := r.Origins.List(ctx, by.OrgID)
	members, err3 := r.Members.List(ctx, by.OrgID)
	hooks, err4 := r.Webhooks.List(ctx, by.OrgID)
	for _, hook := range hooks {
		out.Webhooks = append(out.Webhooks, Choice{hook.ID, hook.Name})
	}
	out.Funnels, out.Origins, out.Members = funnels, origins, members
	return out, errors.Join(err, err2, err3, err4)
}

// BoardStage is a stage of a board.
type BoardStage struct {
	crm.Stage
	// Count and Amount are of all contacts in it, Contacts are the newest of them.
	Count    int
	Amount   catalog.Money
	Contacts []ContactView
}

// Board returns the stages of a funnel with their newest contacts; of the default
// funnel when funnelID is empty. Of the search only origin and assignee count. Faults:
// InvalidRequest, ServiceUnavailable.
func (c *Contacts) Board(ctx context.Context, by Caller, funnelID string, s ContactSearch, cards int) (crm.Funnel, []BoardStage, error) {
	r := c.store.Repos()
	funnels, err := r.Funnels.List(ctx, by.OrgID)
	if err != nil {
		return crm.Funnel{}, nil, err
	}
	at := slices.IndexFunc(funnels, func(f crm.Funnel) bool { return f.ID == funnelID || funnelID == "" })
	if at < 0 {
		return crm.Funnel{}, nil, missing("funnel", "Não há funil com este id.")
	}
	funnel := funnels[at]
	n, err := loadNames(ctx, r, by.OrgID)
	if err != nil {
		return funnel, nil, err
	}
	f, err := ContactSearch{OriginID: s.OriginID, AssigneeID: s.AssigneeID}.filter(n)
	if err != nil {
		return funnel, nil, err
	}
	for _, stage := range funnel.Stages {
		f.Stages = append(f.Stages, stage.ID)
	}
	totals, err := r.Contacts.Totals(ctx, by.OrgID, f)
	if err != nil {
		return funnel, nil, err
	}
	f.Stages = nil
	stages := make([]BoardStage, len(funnel.Stages))
	for i, stage := range funnel.Stages {
		total := totals[stage.ID]
		stages[i] = BoardStage{Stage: stage, Count: total.Count, Amount: total.Amount}
		if total.Count == 0 {
			continue
		}
		f.StageID = stage.ID
		found, err := r.Contacts.Select(ctx, by.OrgID, ports.ContactQuery{ContactFilter: f, Limit: cards})
		if err != nil {
			return funnel, nil, err
		}
		for _, contact := range found {
			stages[i].Contacts = append(stages[i].Contacts, n.view(contact))
		}
	}
	return funnel, stages, nil
}
