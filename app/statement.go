package app

import (
	"context"
	"encoding/base64"
	"strconv"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Statement shows what a key has spent, and on what (specification, 4.4).
type Statement struct {
	store    ports.Store
	calendar access.Calendar
	clock    Clock
}

// NewStatement returns the use case.
func NewStatement(store ports.Store, calendar access.Calendar, clock Clock) *Statement {
	return &Statement{store: store, calendar: calendar, clock: clock}
}

// StatementQuery is a query as it was sent; every field may be empty.
type StatementQuery struct {
	Limit, Cursor, From, Until, Product, Cache string
}

const (
	pageDefault = 50
	pageMax     = 200
)

// StatementPage is one page of a key's statement.
type StatementPage struct {
	Key                access.Key
	Today, Month, Ever lookup.Spent
	Entries            []lookup.Entry
	// Next is the cursor of the next page; empty at the end.
	Next string
}

// Page returns one page, newest first. Faults: InvalidRequest with the field at
// fault, ServiceUnavailable.
func (s *Statement) Page(ctx context.Context, caller Caller, q StatementQuery) (StatementPage, error) {
	limit, after, filter, err := s.parse(q)
	if err != nil {
		return StatementPage{}, err
	}
	now := s.clock()
	repos := s.store.Repos()
	page := StatementPage{Key: *caller.Key}
	page.Today, page.Month, page.Ever, err = repos.Usage.Spent(ctx, caller.Key.ID, s.calendar.Day(now), s.calendar.Month(now))
	if err != nil {
		return page, err
	}
	page.Entries, err = repos.Statement.Page(ctx, caller.Key.ID, filter, after, limit+1)
	if err != nil {
		return page, err
	}
	if len(page.Entries) > limit {
		page.Entries = page.Entries[:limit]
		page.Next = base64.RawURLEncoding.EncodeToString([]byte(page.Entries[limit-1].ID))
	}
	return page, nil
}

// All gives every matching entry to f, newest first, whatever the query's limit
// and cursor say. An error of f ends it. Faults: those of Page.
func (s *Statement) All(ctx context.Context, caller Caller, q StatementQuery, f func([]lookup.Entry) error) error {
	const chunk = 1000
	_, _, filter, err := s.parse(q)
	if err != nil {
		return err
	}
	after := ""
	for {
		entries, err := s.store.Repos().Statement.Page(ctx, caller.Key.ID, filter, after, chunk)
		if err != nil {
			return err
		}
		if err := f(entries); err != nil || len(entries) < chunk {
			return err
		}
		after = entries[len(entries)-1].ID
	}
}

func (s *Statement) parse(q StatementQuery) (limit int, after string, f lookup.Filter, err error) {
	limit = pageDefault
	if q.Limit != "" {
		if limit, err = strconv.Atoi(q.Limit); err != nil || limit < 1 || limit > pageMax {
			return 0, "", f, invalid("limite", "O parâmetro limite vai de 1 a 200.")
		}
	}
	if q.Cursor != "" {
		raw, err := base64.RawURLEncoding.DecodeString(q.Cursor)
		if after = string(raw); err != nil || !validID(after) {
			return 0, "", f, invalid("cursor", "O cursor não é um que esta API tenha dado: use o valor de proxima da página anterior.")
		}
	}
	if q.From != "" {
		if f.From, err = s.calendar.StartOf(q.From); err != nil {
			return 0, "", f, invalid("de", "O parâmetro de é uma data, como 2026-11-01.")
		}
	}
	if q.Until != "" {
		last, err := time.Parse(time.DateOnly, q.Until)
		if err != nil {
			return 0, "", f, invalid("ate", "O parâmetro ate é uma data, como 2026-11-30.")
		}
		if f.Until, err = s.calendar.StartOf(last.AddDate(0, 0, 1).Format(time.DateOnly)); err != nil {
			return 0, "", f, invalid("ate", "O parâmetro ate está fora do calendário.")
		}
	}
	if q.From != "" && q.Until != "" && !f.From.Before(f.Until) {
		return 0, "", f, invalid("ate", "O parâmetro ate é anterior a de.")
	}
	switch q.Cache {
	case "":
	case "true", "false":
		cached := q.Cache == "true"
		f.Cache = &cached
	default:
		return 0, "", f, invalid("cache", "O parâmetro cache é true ou false.")
	}
	f.Product = q.Product
	return limit, after, f, nil
}

// Offer is a product with the document types that a key may ask about.
type Offer struct {
	Product catalog.Product
	Scopes  []document.Type
}

// Offers returns the products of which the caller has at least one document type.
func (l *Lookups) Offers(caller Caller) []Offer {
	offers := []Offer{}
	for _, p := range l.catalog {
		o := Offer{Product: p}
		for _, t := range p.Documents {
			if caller.may(t) {
				o.Scopes = append(o.Scopes, t)
			}
		}
		if len(o.Scopes) > 0 {
			offers = append(offers, o)
		}
	}
	return offers
}
