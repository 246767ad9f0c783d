package lookups

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
)

// Sheet shows what was asked and what it brought.
type Sheet struct {
	store ports.Store
	terms *Terms
	clock app.Clock
}

// NewSheet returns the use case.
func NewSheet(store ports.Store, terms *Terms, clock app.Clock) *Sheet {
	return &Sheet{store, terms, clock}
}

// Contact returns the contact that a lookup is to be about; the zero value for an empty id. Faults: NotFound,
// ServiceUnavailable.
func (s *Sheet) Contact(ctx context.Context, by app.Caller, id string) (crm.Contact, error) {
	return contactOf(ctx, s.store, by, id)
}

func contactOf(ctx context.Context, store ports.Store, by app.Caller, id string) (crm.Contact, error) {
	if id == "" {
		return crm.Contact{}, nil
	}
	return app.ContactKind.Visible(ctx, store.Repos(), by, id)
}

// View is an entry of the statement with what it refers to.
type View struct {
	Entry lookup.Entry
	// Product is the product of the lookup; one that is no longer offered has its id as its name, and no price.
	Product catalog.Product
	Offered bool
	// Record is the answer, its fields completed; nil when there is none.
	Record *lookup.Record
	// Unreadable is whether the answer cannot be opened; Record is then nil.
	Unreadable bool
	// Fresh is whether the answer still answers lookups for free, FreeUntil until when.
	Fresh     bool
	FreeUntil time.Time
	// Member or Key is the name of whoever asked; Member is the automation's name where an automation asked in nobody's
	// name.
	Member, Key string
	// Asked is the entry whose call brought the answer: this one, unless history answered. AskedMember or AskedKey is the
	// name of whoever made that call.
	Asked                 lookup.Entry
	AskedMember, AskedKey string
	Contact               crm.Contact
	// Later is whether the bureau has taken the question and answers later; only Show sets it.
	Later bool
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

// PaidBy is what a lookup cost one of those who look at it: nothing where another one's call was the same and brought
// the answer.
func (v View) PaidBy(by app.Caller) catalog.Money {
	if v.Entry.MemberID != by.MemberID() {
		return 0
	}
	return v.Entry.Cost()
}

// Show returns one lookup of the caller's organisation, whoever made it. Faults: NotFound, ServiceUnavailable.
func (s *Sheet) Show(ctx context.Context, by app.Caller, id string) (View, error) {
	e, err := app.EntryKind.Visible(ctx, s.store.Repos(), by, id)
	if err != nil {
		return View{}, err
	}
	views, err := s.views(ctx, by, []lookup.Entry{e})
	if err != nil {
		return View{}, err
	}
	v := views[0]
	v.Later = e.Status == lookup.Running && e.SettleAt.Sub(s.clock()) > s.terms.Timeout+settleMargin
	v.Contact, err = contactOf(ctx, s.store, by, e.ContactID)
	if fault.CodeOf(err) != fault.NotFound {
		return v, err
	}
	into, err := s.store.Repos().Removals.Survivor(ctx, e.OrgID, e.ContactID)
	if err == nil {
		v.Contact, err = contactOf(ctx, s.store, by, into)
	}
	if errors.Is(err, ports.ErrNotFound) || fault.CodeOf(err) == fault.NotFound {
		err = nil // the contact is gone, the lookup stays
	}
	return v, err
}

// Opened records that the caller opened a lookup's answer; without the record they may not see it. Faults: NotFound,
// ServiceUnavailable.
func (s *Sheet) Opened(ctx context.Context, by app.Caller, v View) error {
	return shown(ctx, s.store, by, audit.SheetOpened, v.Entry)
}

// Downloaded is Opened for the bureau's own answer.
func (s *Sheet) Downloaded(ctx context.Context, by app.Caller, v View) error {
	return shown(ctx, s.store, by, audit.AnswerDownloaded, v.Entry)
}

// shown records that the caller sees an answer.
func shown(ctx context.Context, store ports.Store, by app.Caller, a audit.Action, e lookup.Entry) error {
	if !by.MaySee(e.OrgID) {
		return app.EntryKind.NotFound()
	}
	detail := audit.Detail{"documento": e.Document.Value(), "produto": e.Product}
	if e.Purpose != "" {
		detail["finalidade"] = e.Purpose
	}
	if e.Bureau != "" {
		detail["bureau"] = e.Bureau
	}
	line := audit.Line{OrgID: e.OrgID, Action: a, Object: e.ID, Detail: detail}
	if i, ok := privacy.OfDocument(e.Document); ok {
		hashes, err := store.Repos().Subjects.Hashes(ctx, e.OrgID, i)
		if err != nil {
			return err
		}
		line.Subject = hashes[0]
	}
	return app.Looked(ctx, store, by, line)
}

// Tie sets the contact that a lookup is about, in place of any other. Faults: NotFound, ServiceUnavailable.
func (s *Sheet) Tie(ctx context.Context, by app.Caller, id, contactID string) error {
	repos := s.store.Repos()
	contact, err := app.ContactKind.Visible(ctx, repos, by, contactID)
	if err != nil {
		return err
	}
	return app.Tie(ctx, repos, by, id, contact)
}

// recentPages is how many times its limit Recent looks back.
const recentPages = 5

// Recent returns the last lookups of the caller's organisation, by keys and members, newest first: only the last one
// for each document and product. Faults: InvalidRequest, NotFound, ServiceUnavailable.
func (s *Sheet) Recent(ctx context.Context, by app.Caller, limit int) ([]View, error) {
	last, err := s.lastOfEach(ctx, by, recentPages*limit)
	if err != nil {
		return nil, err
	}
	return s.views(ctx, by, last[:min(limit, len(last))])
}

// RecentDocuments returns the lookups of Recent grouped by document: the most recently asked document first, and for
// each the last lookup per product, newest first. Faults: InvalidRequest, NotFound, ServiceUnavailable.
func (s *Sheet) RecentDocuments(ctx context.Context, by app.Caller, limit int) ([][]View, error) {
	last, err := s.lastOfEach(ctx, by, 2*recentPages*limit)
	if err != nil {
		return nil, err
	}
	place, shown := map[document.Document]int{}, []lookup.Entry{}
	for _, e := range last {
		if _, has := place[e.Document]; !has && len(place) < limit {
			place[e.Document] = len(place)
		}
		if _, has := place[e.Document]; has {
			shown = append(shown, e)
		}
	}
	views, err := s.views(ctx, by, shown)
	out := make([][]View, len(place))
	for _, v := range views {
		i := place[v.Entry.Document]
		out[i] = append(out[i], v)
	}
	return out, err
}

// lastOfEach returns, from that many of the organisation's last lookups, the last one for each document and product,
// newest first. A call that another one's entry stands for, or that was only compared, is none.
func (s *Sheet) lastOfEach(ctx context.Context, by app.Caller, among int) ([]lookup.Entry, error) {
	if err := app.CheckPage("", among/recentPages); err != nil {
		return nil, err
	}
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	entries, err := s.store.Repos().Statement.Page(ctx, lookup.Asker{OrgID: orgID}, lookup.Filter{}, "", among)
	type subject struct {
		product string
		doc     document.Document
	}
	seen := map[subject]bool{}
	return slices.DeleteFunc(entries, func(e lookup.Entry) bool {
		of := subject{e.Product, e.Document}
		defer func() { seen[of] = seen[of] || e.FollowedID == "" }()
		return seen[of] || e.FollowedID != ""
	}), err
}

// Answers returns the entries whose calls brought the answers to a lookup's question, whoever asked it and for whatever
// purpose, newest first. Faults: NotFound, ServiceUnavailable.
func (s *Sheet) Answers(ctx context.Context, by app.Caller, v View, limit int) ([]View, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	repos := s.store.Repos()
	history := repos.History.Only(ports.Only{Inputs: v.Entry.Inputs})
	records, err := history.Answers(ctx, orgID, v.Entry.Product, v.Entry.Document, limit)
	if err != nil {
		return nil, err
	}
	asked, err := repos.Statement.Asked(ctx, orgID, recordIDs(records))
	if err != nil {
		return nil, err
	}
	var askers []string
	for _, e := range asked {
		askers = append(askers, e.MemberID, e.KeyID)
	}
	who, err := app.NamesOf(ctx, repos, by.OrgID(), askers...)
	out := []View{}
	for _, rec := range records {
		if e, ok := asked[rec.ID]; ok && by.MaySee(e.OrgID) {
			member, key := app.PersonIn(who, e.MemberID), app.PersonIn(who, e.KeyID)
			out = append(out, View{Entry: e, Record: &rec, Member: member, Key: key})
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

// views adds to entries of one organisation what they refer to.
func (s *Sheet) views(ctx context.Context, by app.Caller, entries []lookup.Entry) ([]View, error) {
	if len(entries) == 0 {
		return []View{}, nil
	}
	orgID, ids := entries[0].OrgID, []string{}
	for _, e := range entries {
		if e.RecordID != "" {
			ids = append(ids, e.RecordID)
		}
	}
	repos, now := s.store.Repos(), s.clock()
	records, err := repos.History.Records(ctx, orgID, ids)
	if err != nil {
		return nil, err
	}
	asked, err := repos.Statement.Asked(ctx, orgID, ids)
	if err != nil {
		return nil, err
	}
	var askers []string
	for _, e := range entries {
		call := asked[e.RecordID]
		askers = append(askers, e.MemberID, e.KeyID, e.AutomationID, call.MemberID, call.KeyID, call.AutomationID)
	}
	n, err := app.NamesOf(ctx, repos, by.OrgID(), askers...)
	who := func(id string) string { return app.PersonIn(n, id) }
	if err != nil {
		return nil, err
	}
	out := make([]View, len(entries))
	for i, e := range entries {
		v := View{Entry: e, Key: who(e.KeyID), Asked: asked[e.RecordID]}
		v.Member, v.AskedKey = who(cmp.Or(e.MemberID, e.AutomationID)), who(v.Asked.KeyID)
		v.AskedMember = who(cmp.Or(v.Asked.MemberID, v.Asked.AutomationID))
		v.Product, v.Offered = s.terms.Catalog.Known(e.Product)
		if rec, ok := records[e.RecordID]; ok && rec.Unreadable {
			v.Unreadable = true
		} else if ok && by.MaySee(rec.OrgID) {
			if rec, err = s.terms.completed(rec); err != nil {
				return nil, err
			}
			v.Record, v.Fresh, v.FreeUntil = &rec, rec.FreshAt(now, s.terms.Fresh), rec.AnsweredAt.Add(s.terms.Fresh)
		}
		out[i] = v
	}
	return out, nil
}
