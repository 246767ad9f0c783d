package contacts

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/text"
	"fichario/ports"
)

// ContactSearch is a search among contacts, with its order. Zero values do not filter.
type ContactSearch struct {
	// Text is what was typed: parts of a name, e-mail address, company or phone number, ignoring case and accents, every
	// word of which must occur; or a whole CPF or CNPJ.
	Text                                     string
	StageID, OriginID, AssigneeID, WebhookID string
	// Waiting selects those that nobody has answered.
	Waiting bool
	// Since is the earliest arrival wanted.
	Since time.Time
	// MinAmount is the least amount wanted, in ten-thousandths of a real.
	MinAmount catalog.Money
	Order     crm.ContactOrder
	// Ascending puts the oldest, first in the alphabet or smallest first.
	Ascending bool
}

// Narrow reports whether the search excludes contacts.
func (s ContactSearch) Narrow() bool {
	return strings.TrimSpace(s.Text) != "" || s.StageID != "" || s.OriginID != "" || s.AssigneeID != "" ||
		s.WebhookID != "" || s.Waiting || !s.Since.IsZero() || s.MinAmount != 0
}

// Page is one page of a list of contacts.
type Page struct {
	Contacts []crm.ContactView
	// First is whether nothing comes before, More whether something comes after.
	First, More bool
}

const (
	searchTextMax  = 200
	searchWordsMax = 8
)

// phoneDigits is from how many digits on a word without letters is part of a phone number, however it is written.
const phoneDigits = 6

// searchWords returns the words of a search in the form in which they are matched. A text without letters may be a
// phone number, which is written with spaces, and within Brazil sometimes with a leading zero.
func searchWords(raw string) []string {
	raw = text.Fold(text.Cut(raw, searchTextMax))
	if !strings.ContainsFunc(raw, unicode.IsLetter) {
		if d := strings.TrimLeft(text.Digits(raw), "0"); len(d) >= phoneDigits {
			return []string{d}
		}
	}
	words := strings.Fields(raw)
	for i, word := range words {
		if strings.ContainsFunc(word, unicode.IsLetter) {
			continue
		}
		if d := text.Digits(word); len(d) >= phoneDigits {
			words[i] = d
		} else if d != "" { // "(11)", but also the company 24-7
			words[i] = strings.Trim(word, "()+-./")
		}
	}
	return words[:min(len(words), searchWordsMax)]
}

// filter checks the ids of a search, so that another organisation's are not found.
func (s ContactSearch) filter(n crm.Names) (ports.ContactFilter, error) {
	switch {
	case s.StageID != "" && !n.Has(crm.NamedStage, s.StageID):
		return ports.ContactFilter{}, app.Missing("stage", "Não há etapa com este id.")
	case s.OriginID != "" && !n.Has(crm.NamedOrigin, s.OriginID):
		return ports.ContactFilter{}, app.Missing("origin", "Não há origem com este id.")
	case s.AssigneeID != "" && !n.Has(crm.NamedMember, s.AssigneeID):
		return ports.ContactFilter{}, app.Missing("member", "Não há membro com este id.")
	case s.WebhookID != "" && !n.Has(crm.NamedWebhook, s.WebhookID):
		return ports.ContactFilter{}, app.Missing("webhook", "Não há webhook com este id.")
	}
	return ports.ContactFilter{
		Words: searchWords(s.Text), StageID: s.StageID, OriginID: s.OriginID, AssigneeID: s.AssigneeID,
		WebhookID: s.WebhookID, Since: s.Since, Waiting: s.Waiting, MinAmount: s.MinAmount,
	}, nil
}

// prepared is a checked search of an organisation.
type prepared struct {
	orgID  string
	filter ports.ContactFilter
}

func (c *Contacts) prepare(ctx context.Context, by app.Caller, s ContactSearch) (prepared, error) {
	orgID, err := by.ContactsOrg()
	if err != nil {
		return prepared{}, err
	}
	n, err := app.NamesOf(ctx, c.store.Repos(), orgID, s.StageID, s.OriginID, s.AssigneeID, s.WebhookID)
	if err != nil {
		return prepared{}, err
	}
	f, err := s.filter(n)
	if err != nil {
		return prepared{}, err
	}
	f.IDs, err = c.withDocument(ctx, orgID, s.Text)
	if f.IDs != nil {
		f.Words = nil
	}
	return prepared{orgID, f}, err
}

// documentsMax is how many contacts with one document are found.
const documentsMax = 500

// withDocument returns the contacts that have the document that was typed; nil where the text is not a document, or no
// contact has it, because it may be a phone number.
func (c *Contacts) withDocument(ctx context.Context, orgID, typed string) ([]string, error) {
	recognised := document.Recognise(typed)
	if recognised.Document.IsZero() || recognised.Type != document.CPF && recognised.Type != document.CNPJ {
		return nil, nil
	}
	ids, err := c.store.Repos().ContactSearch.WithDocument(ctx, orgID, recognised.Document, documentsMax)
	if len(ids) == 0 {
		ids = nil
	}
	return ids, err
}

// Search returns the page of matching contacts after the one with id after, or before
// the one with id before; the first page without both. Pages are stable while contacts
// come in. Faults: InvalidRequest, NotFound, ServiceUnavailable.
func (c *Contacts) Search(
	ctx context.Context, by app.Caller, s ContactSearch, after, before string, limit int,
) (Page, error) {
	if after != "" && before != "" {
		after = ""
	}
	if err := app.CheckPage(after+before, limit); err != nil {
		return Page{}, err
	}
	p, err := c.prepare(ctx, by, s)
	if err != nil {
		return Page{}, err
	}
	q := ports.ContactQuery{
		ContactFilter: p.filter, Order: s.Order, Ascending: s.Ascending, After: after, Limit: limit + 1,
	}
	if before != "" {
		q.After, q.Ascending = before, !q.Ascending
	}
	found, err := c.store.Repos().ContactSearch.Select(ctx, p.orgID, q)
	if errors.Is(err, ports.ErrNotFound) && q.After != "" {
		return c.Search(ctx, by, s, "", "", limit) // the page's place is no longer known
	}
	if err != nil {
		return Page{}, err
	}
	page := Page{First: after == "", More: len(found) > limit}
	if before != "" {
		if len(found) <= limit {
			return c.Search(ctx, by, s, "", "", limit) // the first page is always full
		}
		slices.Reverse(found[:limit])
		page.First, page.More = false, true
	}
	page.Contacts, err = app.ViewsOf(ctx, c.store.Repos(), p.orgID, found[:min(len(found), limit)]...)
	return page, err
}

// HandOut is Search by text for an agent with a key, newest first, and is written to the audit. Faults: those of
// Search; Forbidden for a key that was not made for it.
func (c *Contacts) HandOut(ctx context.Context, by app.Caller, text, after string, limit int) (Page, error) {
	orgID, err := by.ContactsOrg()
	if err == nil {
		err = app.CheckPage(after, limit)
	}
	if err == nil {
		err = app.Looked(ctx, c.store, by, audit.Line{
			OrgID: orgID, Action: audit.ContactsDownloaded, Detail: audit.Detail{"busca": app.YesNo(text != "")},
		})
	}
	if err != nil {
		return Page{}, err
	}
	return c.Search(ctx, by, ContactSearch{Text: text}, after, "", limit)
}

// Count counts the contacts that a search finds, up to one more than CountMax. Faults:
// NotFound, ServiceUnavailable.
func (c *Contacts) Count(ctx context.Context, by app.Caller, s ContactSearch) (int, error) {
	p, err := c.prepare(ctx, by, s)
	if err != nil {
		return 0, err
	}
	return c.store.Repos().ContactSearch.Count(ctx, p.orgID, p.filter, app.CountMax+1)
}

// Chosen yields contacts by their ids, whole, or an error at which they end; an id outside the caller's organisation is
// not found. The audit records it before the first one. Faults: NotFound, InvalidRequest, ServiceUnavailable.
func (c *Contacts) Chosen(ctx context.Context, by app.Caller, ids []string) iter.Seq2[crm.ContactView, error] {
	return func(yield func(crm.ContactView, error) bool) {
		switch {
		case len(ids) == 0:
			yield(crm.ContactView{}, NobodyChosen())
			return
		case len(ids) > app.ListMax:
			yield(crm.ContactView{}, app.Invalid("contacts", fmt.Sprintf(
				"Um arquivo pode ter até %d contatos marcados. Use os filtros e baixe todos os que eles encontram.", app.ListMax)))
			return
		}
		for i, id := range ids {
			view, err := c.View(ctx, by, id)
			if err == nil && i == 0 {
				err = app.Looked(ctx, c.store, by, audit.Line{
					OrgID: view.OrgID, Action: audit.ContactsDownloaded, Detail: audit.Detail{"marcados": strconv.Itoa(len(ids))},
				})
			}
			if !yield(view, err) || err != nil {
				return
			}
		}
	}
}

// All yields every contact that a search finds, whole and in order, or an error at which they end; they are read as
// they are consumed. The audit records it first. Faults: NotFound, ServiceUnavailable.
func (c *Contacts) All(ctx context.Context, by app.Caller, s ContactSearch) iter.Seq2[crm.ContactView, error] {
	return func(yield func(crm.ContactView, error) bool) {
		p, err := c.prepare(ctx, by, s)
		if err == nil {
			err = app.Looked(ctx, c.store, by, audit.Line{
				OrgID: p.orgID, Action: audit.ContactsDownloaded, Detail: audit.Detail{"busca": app.YesNo(s.Text != "")},
			})
		}
		if err != nil {
			yield(crm.ContactView{}, err)
			return
		}
		n, err := c.store.Repos().Names.All(ctx, p.orgID, app.ContactKinds...)
		if err != nil {
			yield(crm.ContactView{}, err)
			return
		}
		q := ports.ContactQuery{
			ContactFilter: p.filter, Order: s.Order, Ascending: s.Ascending, Limit: app.ListMax, Whole: true,
		}
		found := app.ReadAhead(ctx, app.ListMax, func(ctx context.Context, last *crm.Contact) ([]crm.Contact, error) {
			if last != nil {
				q.After, q.Last = last.ID, last
			}
			return c.store.Repos().ContactSearch.Select(ctx, p.orgID, q)
		})
		for contact, err := range found {
			if err != nil {
				yield(crm.ContactView{}, err)
				return
			}
			if !yield(n.View(contact), nil) {
				return
			}
		}
	}
}
