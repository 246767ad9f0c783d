package app

import (
	"context"
	"encoding/base64"
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Statement shows what was asked and what it cost: to a key its own (specification,
// 4.4), to those who manage an organisation everything, by keys and members.
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
	// By is the id of a key, or ByMembers; only where no key asks.
	By string
}

// ByMembers asks for what members looked up, without what keys did.
const ByMembers = "equipe"

const (
	pageDefault = 50
	pageMax     = 200
)

// StatementPage is one page of a statement.
type StatementPage struct {
	// Key is whose statement it is; its zero value for an organisation's.
	Key access.Key
	// Ever is known of keys only.
	Today, Month, Ever lookup.Spent
	Entries            []lookup.Entry
	// Names are the names of the organisation's keys and members by id; not for a key.
	Names map[string]string
	// Next is the cursor of the next page; empty at the end.
	Next string
}

// Page returns one page, newest first. The filter changes neither Today nor Month nor
// Ever. Faults: InvalidRequest with the field at fault, ServiceUnavailable.
func (s *Statement) Page(ctx context.Context, caller Caller, q StatementQuery) (StatementPage, error) {
	who, limit, after, filter, err := s.parse(ctx, caller, q)
	if err != nil {
		return StatementPage{}, err
	}
	now := s.clock()
	repos, day, month := s.store.Repos(), s.calendar.Day(now), s.calendar.Month(now)
	var page StatementPage
	if caller.Key != nil {
		page.Key = *caller.Key
		page.Today, page.Month, page.Ever, err = repos.Usage.Spent(ctx, who.KeyID, day, month)
	} else {
		page.Today, page.Month, err = s.spent(ctx, caller, month+"-01", day)
		if err == nil {
			page.Names, err = people(ctx, s.store, caller.OrgID)
		}
	}
	if err != nil {
		return page, err
	}
	page.Entries, err = repos.Statement.Page(ctx, who, filter, after, limit+1)
	if err != nil {
		return page, err
	}
	if len(page.Entries) > limit {
		page.Entries = page.Entries[:limit]
		page.Next = base64.RawURLEncoding.EncodeToString([]byte(page.Entries[limit-1].ID))
	}
	return page, nil
}

// asker is whose lookups a caller wants to see. Faults: InvalidRequest, ServiceUnavailable.
func (s *Statement) asker(ctx context.Context, caller Caller, by string) (lookup.Asker, error) {
	who := lookup.Asker{OrgID: caller.OrgID, KeyID: caller.keyID()}
	if who.KeyID != "" {
		return who, nil
	}
	if by == ByMembers {
		who.Members = true
	} else if who.KeyID = by; by != "" && !validID(by) {
		return who, invalid("quem", "Não há chave com este id.")
	}
	return who, mayManage(ctx, s.store, caller, caller.OrgID)
}

// spent is what an organisation was charged today, and from the first of the month on.
func (s *Statement) spent(ctx context.Context, caller Caller, first, today string) (day, month lookup.Spent, err error) {
	days, err := s.store.Repos().Statement.Spend(ctx, lookup.Asker{OrgID: caller.OrgID}, first, today)
	for _, d := range days {
		month.Count += d.Count
		month.Amount += d.Amount
		if d.Day == today {
			day.Count += d.Count
			day.Amount += d.Amount
		}
	}
	return day, month, err
}

// all gives every matching entry to f, newest first. An error of f ends it.
func (s *Statement) all(ctx context.Context, caller Caller, q StatementQuery, f func([]lookup.Entry) error) error {
	const chunk = 1000
	who, _, _, filter, err := s.parse(ctx, caller, q)
	if err != nil {
		return err
	}
	after := ""
	for {
		entries, err := s.store.Repos().Statement.Page(ctx, who, filter, after, chunk)
		if err != nil {
			return err
		}
		if err := f(entries); err != nil || len(entries) < chunk {
			return err
		}
		after = entries[len(entries)-1].ID
	}
}

// File writes every matching entry to w as CSV, newest first, whatever the query's limit
// and cursor say; an organisation's file has a column more with who asked. before is
// called ahead of each part that is written: a fault ahead of the first can be answered
// as such, and each part be given time of its own. Faults: those of Page.
func (s *Statement) File(ctx context.Context, caller Caller, q StatementQuery, w io.Writer, before func(first bool)) error {
	columns := []string{"id", "produto", "documento", "em", "cache", "cobrada", "valor", "situacao"}
	var names map[string]string
	if caller.Key == nil {
		columns = append(columns, "quem")
		var err error
		if names, err = people(ctx, s.store, caller.OrgID); err != nil {
			return err
		}
	}
	out, first := csv.NewWriter(w), true
	return s.all(ctx, caller, q, func(entries []lookup.Entry) error {
		before(first)
		if first {
			first = false
			if err := out.Write(columns); err != nil {
				return err
			}
		}
		for _, e := range entries {
			row := []string{
				e.ID, e.Product, SpreadsheetText(e.Document.Value()), e.At.Format(time.RFC3339Nano), strconv.FormatBool(e.Cache),
				strconv.FormatBool(e.Charged), e.Amount.String(), string(e.Status), SpreadsheetText(names[e.AskedBy()]),
			}
			if err := out.Write(row[:len(columns)]); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
}

func (s *Statement) parse(ctx context.Context, caller Caller, q StatementQuery) (by lookup.Asker, limit int, after string, f lookup.Filter, err error) {
	if by, err = s.asker(ctx, caller, q.By); err != nil {
		return by, 0, "", f, err
	}
	limit = pageDefault
	if q.Limit != "" {
		if limit, err = strconv.Atoi(q.Limit); err != nil || limit < 1 || limit > pageMax {
			return by, 0, "", f, invalid("limite", "O parâmetro limite vai de 1 a 200.")
		}
	}
	if q.Cursor != "" {
		raw, err := base64.RawURLEncoding.DecodeString(q.Cursor)
		if after = string(raw); err != nil || !validID(after) {
			return by, 0, "", f, invalid("cursor", "O cursor não é um que esta API tenha dado: use o valor de proxima da página anterior.")
		}
	}
	if q.From != "" {
		if f.From, err = s.calendar.StartOf(q.From); err != nil {
			return by, 0, "", f, invalid("de", "O parâmetro de é uma data, como 2026-11-01.")
		}
	}
	if q.Until != "" {
		last, err := time.Parse(time.DateOnly, q.Until)
		if err != nil {
			return by, 0, "", f, invalid("ate", "O parâmetro ate é uma data, como 2026-11-30.")
		}
		if f.Until, err = s.calendar.StartOf(last.AddDate(0, 0, 1).Format(time.DateOnly)); err != nil {
			return by, 0, "", f, invalid("ate", "O parâmetro ate está fora do calendário.")
		}
	}
	if q.From != "" && q.Until != "" && !f.From.Before(f.Until) {
		return by, 0, "", f, invalid("ate", "O parâmetro ate é anterior a de.")
	}
	switch q.Cache {
	case "":
	case "true", "false":
		cached := q.Cache == "true"
		f.Cache = &cached
	default:
		return by, 0, "", f, invalid("cache", "O parâmetro cache é true ou false.")
	}
	if f.Product = q.Product; f.Product != "" && !catalog.ValidID(f.Product) {
		return by, 0, "", f, invalid("produto", "O parâmetro produto é o id de um produto, como cpf; GET /api/v1/produtos os lista.")
	}
	return by, limit, after, f, nil
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
