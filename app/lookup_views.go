package app

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// ErrNotInHistory ends a lookup that asked history only.
var ErrNotInHistory = errors.New("history has no fresh answer")

// onlyHistory answers a lookup that must not be charged, where History.Serve found
// nothing: it may leave out what Latest finds.
func (l *Lookups) onlyHistory(ctx context.Context, a asking) (reservation, error) {
	rec, err := l.store.Repos().History.Latest(ctx, a.caller.OrgID, a.product.ID, a.doc)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !rec.FreshAt(l.clock(), l.fresh) {
		return reservation{}, ErrNotInHistory
	}
	if err != nil {
		return reservation{}, err
	}
	answer, err := l.fromHistory(ctx, a, rec)
	return reservation{answer: &answer}, err
}

// Start begins one lookup of a member and returns the id of its entry, which is in the
// statement from now on; done ends when it has an outcome, or when somebody else's
// lookup that it waits for has one. It goes on when ctx ends. Its rules are those of
// Do; the same checks, transactions and charges.
//
// A lookup that waits for another one's call has no entry yet: then the id is the
// other's, and once that is answered there is a free entry as well.
//
// Faults: those of Do but for the limits and the bureau's, which the entry tells;
// InvalidRequest when the contact is not of the organisation; ErrNotInHistory.
func (l *Lookups) Start(ctx context.Context, by Caller, req LookupRequest) (id string, done <-chan struct{}, err error) {
	a, err := l.check(by, req)
	if err != nil {
		return "", nil, err
	}
	if _, err := l.Contact(ctx, by, req.ContactID); err != nil {
		return "", nil, err
	}
	r, err := l.begin(ctx, a)
	if err != nil {
		return "", nil, err
	}
	ended := make(chan struct{})
	switch {
	case r.answer != nil:
		close(ended)
		return r.answer.Entry.ID, ended, nil
	case r.holder != "":
		l.calls.Go(func() {
			defer close(ended)
			_, _ = l.follow(context.WithoutCancel(ctx), a, r.holder) // the holder's entry says what became of it
		})
		return r.holder, ended, nil
	}
	l.calls.Go(func() {
		defer func() { <-l.slots; close(ended) }()
		_, _ = l.call(context.WithoutCancel(ctx), a.product, r.entry) // the entry says what became of it
	})
	return r.entry.ID, ended, nil
}

// Contact returns a contact that a lookup is to be about; the zero value for no id.
// Faults: InvalidRequest, ServiceUnavailable.
func (l *Lookups) Contact(ctx context.Context, by Caller, id string) (crm.Contact, error) {
	if id == "" {
		return crm.Contact{}, nil
	}
	notFound := missing("contact", "Não há contato com este id.")
	if !validID(id) {
		return crm.Contact{}, notFound
	}
	c, err := l.store.Repos().Contacts.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !by.sees(c.OrgID) {
		return crm.Contact{}, notFound
	}
	return c, err
}

// ProductChoice is a product that fits a document, with what history has of it.
type ProductChoice struct {
	Product catalog.Product
	// Record is the newest answer; its zero value when there is none.
	Record lookup.Record
	// Fresh is whether it answers for free, FreeUntil how long.
	Fresh     bool
	FreeUntil time.Time
}

// Choices returns the products that a document can be asked about. Fault:
// ServiceUnavailable.
func (l *Lookups) Choices(ctx context.Context, by Caller, doc document.Document) ([]ProductChoice, error) {
	out, now := []ProductChoice{}, l.clock()
	for _, p := range l.catalog {
		if !p.Takes(doc.Type()) || !by.may(doc.Type()) {
			continue
		}
		c := ProductChoice{Product: p}
		rec, err := l.store.Repos().History.Latest(ctx, by.OrgID, p.ID, doc)
		switch {
		case err == nil:
			c.Record, c.Fresh, c.FreeUntil = rec, rec.FreshAt(now, l.fresh), rec.AnsweredAt.Add(l.fresh)
		case !errors.Is(err, ports.ErrNotFound):
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// LookupView is an entry of the statement with what belongs to it.
type LookupView struct {
	Entry lookup.Entry
	// Product is what was asked for; one that is no longer offered has its id for a
	// name, and no price.
	Product catalog.Product
	Offered bool
	// Record is what was answered, its fields completed; nil when there is no answer.
	Record *lookup.Record
	// Fresh is whether the answer still answers for free, FreeUntil how long.
	Fresh     bool
	FreeUntil time.Time
	// Member or Key is the name of who asked.
	Member, Key string
	// Asked is the entry whose call brought the answer, which is this one unless
	// history answered; AskedMember or AskedKey is who made it.
	Asked                 lookup.Entry
	AskedMember, AskedKey string
	Contact               crm.Contact
}

// Subject is the name that an answer gives to its person, company or vehicle; empty
// when it gives none.
func Subject(rec *lookup.Record) string {
	if rec == nil {
		return ""
	}
	var named struct{ Nome, RazaoSocial, MarcaModelo *string }
	if json.Unmarshal(rec.Fields, &named) != nil {
		return ""
	}
	for _, name := range []*string{named.Nome, named.RazaoSocial, named.MarcaModelo} {
		if name != nil && *name != "" {
			return *name
		}
	}
	return ""
}

// Show returns one lookup of the caller's organisation, by whomever it was made.
// Faults: InvalidRequest, ServiceUnavailable.
func (l *Lookups) Show(ctx context.Context, by Caller, id string) (LookupView, error) {
	notFound := missing("id", "Não há consulta com este id.")
	if !validID(id) {
		return LookupView{}, notFound
	}
	e, err := l.store.Repos().Statement.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && !by.sees(e.OrgID) {
		return LookupView{}, notFound
	}
	if err != nil {
		return LookupView{}, err
	}
	views, err := l.views(ctx, by, []lookup.Entry{e})
	if err != nil {
		return LookupView{}, err
	}
	v := views[0]
	if v.Contact, err = l.Contact(ctx, by, e.ContactID); errors.Is(err, ErrNotFound) {
		err = nil // the contact is gone, the lookup stays
	}
	return v, err
}

// recentPages is how much further back than its limit Recent looks.
const recentPages = 5

// Recent returns the last lookups of the caller's organisation, by keys and members,
// newest first: of each document in each product the last one. Faults: InvalidRequest,
// ServiceUnavailable.
func (l *Lookups) Recent(ctx context.Context, by Caller, limit int) ([]LookupView, error) {
	if err := checkPage("", limit); err != nil {
		return nil, err
	}
	entries, err := l.store.Repos().Statement.Page(ctx, lookup.Asker{OrgID: by.OrgID}, lookup.Filter{}, "", recentPages*limit)
	if err != nil {
		return nil, err
	}
	type subject struct {
		product string
		doc     document.Document
	}
	seen, last := map[subject]bool{}, []lookup.Entry{}
	for _, e := range entries {
		if s := (subject{e.Product, e.Document}); !seen[s] && len(last) < limit {
			seen[s], last = true, append(last, e)
		}
	}
	return l.views(ctx, by, last)
}

// Answers returns the entries whose calls brought the answers about a lookup's document
// in its product, newest first. Fault: ServiceUnavailable.
func (l *Lookups) Answers(ctx context.Context, by Caller, v LookupView, limit int) ([]LookupView, error) {
	repos := l.store.Repos()
	records, err := repos.History.Answers(ctx, by.OrgID, v.Entry.Product, v.Entry.Document, limit)
	if err != nil {
		return nil, err
	}
	asked, err := repos.Statement.Asked(ctx, recordIDs(records))
	if err != nil {
		return nil, err
	}
	who, err := people(ctx, l.store, by.OrgID)
	out := []LookupView{}
	for _, rec := range records {
		if e, ok := asked[rec.ID]; ok && by.sees(e.OrgID) {
			out = append(out, LookupView{Entry: e, Record: &rec, Member: who[e.MemberID], Key: who[e.KeyID]})
		}
	}
	return out, err
}

func recordIDs(records []lookup.Record) []string {
	ids := make([]string, len(records))
	for i, rec := range records {
		ids[i] = rec.ID
	}
	return ids
}

// SpentToday is what the caller's organisation was charged today, by keys and members.
// Fault: ServiceUnavailable.
func (l *Lookups) SpentToday(ctx context.Context, by Caller) (lookup.Spent, error) {
	today := l.calendar.Day(l.clock())
	days, err := l.store.Repos().Statement.Spend(ctx, lookup.Asker{OrgID: by.OrgID}, today, today)
	var sum lookup.Spent
	for _, d := range days {
		sum.Count += d.Count
		sum.Amount += d.Amount
	}
	return sum, err
}

// Timeout is the longest that the bureau may take.
func (l *Lookups) Timeout() time.Duration { return l.timeout }

// Fresh is how long history answers.
func (l *Lookups) Fresh() time.Duration { return l.fresh }

// views adds to entries of one organisation what belongs to them.
func (l *Lookups) views(ctx context.Context, by Caller, entries []lookup.Entry) ([]LookupView, error) {
	ids := []string{}
	for _, e := range entries {
		if e.RecordID != "" {
			ids = append(ids, e.RecordID)
		}
	}
	repos, now := l.store.Repos(), l.clock()
	records, err := repos.History.Records(ctx, ids)
	if err != nil {
		return nil, err
	}
	asked, err := repos.Statement.Asked(ctx, ids)
	if err != nil {
		return nil, err
	}
	who, err := people(ctx, l.store, by.OrgID)
	if err != nil {
		return nil, err
	}
	out := make([]LookupView, len(entries))
	for i, e := range entries {
		v := LookupView{Entry: e, Member: who[e.MemberID], Key: who[e.KeyID], Asked: asked[e.RecordID]}
		v.AskedMember, v.AskedKey = who[v.Asked.MemberID], who[v.Asked.KeyID]
		if v.Product, v.Offered = l.catalog.Find(e.Product); !v.Offered {
			v.Product = catalog.Product{ID: e.Product, Name: e.Product}
			if known, ok := catalog.Standard().Find(e.Product); ok {
				v.Product = known
			}
		}
		if rec, ok := records[e.RecordID]; ok && by.sees(rec.OrgID) {
			if v.Offered && rec.Schema != l.schemas[e.Product] {
				if rec.Fields, err = v.Product.Complete(rec.Fields); err != nil {
					return nil, err
				}
			}
			v.Record, v.Fresh, v.FreeUntil = &rec, rec.FreshAt(now, l.fresh), rec.AnsweredAt.Add(l.fresh)
		}
		out[i] = v
	}
	return out, nil
}

// people are the names of an organisation's members and keys, by id.
func people(ctx context.Context, store ports.Store, orgID string) (map[string]string, error) {
	repos, names := store.Repos(), map[string]string{}
	members, err := repos.Members.List(ctx, orgID)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		names[m.ID] = m.Name
	}
	keys, err := repos.Keys.List(ctx, orgID)
	for _, k := range keys {
		names[k.ID] = k.Name
	}
	return names, err
}
