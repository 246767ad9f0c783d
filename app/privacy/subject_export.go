package privacy

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
)

// SubjectExport is all data held about a person, read while it is written out, so that many rows need no more memory
// than few.
type SubjectExport struct {
	At      time.Time
	AskedBy string
	Org     crm.Organisation
	// Identities are what the person is known by.
	Identities []privacy.Identity
	// Alive is called at each step of reading, because many steps in a row may find nothing; nil where nobody waits.
	Alive func()

	s     *Subjects
	p     *privacy.Person
	names crm.Names
	rules map[string]automation.Automation
	// batches are those of items that have been read.
	batches map[string]batch.Batch
}

// SubjectLookup is a lookup of a person, with the answer that it brought.
type SubjectLookup struct {
	lookup.Entry
	// AskedByName is the name of the key, the member or the automation that asked.
	AskedByName string
	// Record is nil where there is no answer, or another lookup of the export brought it.
	Record *lookup.Record
	// Parts are records of other products that the same answer gave.
	Parts []lookup.Record
	// Partly is whether it is about somebody else, and the person only in its inputs: the rest is left out.
	Partly bool
}

// Sent is what was sent beside the document, by the name of the input; nil for nothing.
func (l SubjectLookup) Sent() map[string]string { return catalog.InputsOf(l.Inputs) }

// SubjectContact is a contact about a person or, if Partly, one about somebody else that holds a document of the person
// and nothing else about them.
type SubjectContact struct {
	crm.ContactView
	Partly bool
	Events []crm.Event
	Runs   []SubjectRun
	// Told is what platforms were told.
	Told []automation.Told
}

// SubjectRun is a run of an automation for a contact.
type SubjectRun struct {
	automation.Job
	Rule automation.Automation
}

// PassedTo returns the recipient that a run passes the contact to: an address, or the name of a destination; empty if
// it stays in-house.
func (c SubjectContact) PassedTo(run SubjectRun) string {
	switch a := run.Rule.Action; {
	case a.Kind == automation.Email && a.To == automation.ToContact:
		return c.Email
	case a.Kind == automation.Email && a.To != automation.ToAssignee:
		return a.To
	case a.Kind == automation.HTTP:
		return cmp.Or(a.Destination, a.URL)
	}
	return ""
}

// SubjectItem is a row of a batch.
type SubjectItem struct {
	batch.Item
	Batch batch.Batch
}

// Export returns all data held about a person. Only the owners of the organisation may. Faults: those of Count.
func (s *Subjects) Export(ctx context.Context, by app.Caller, q SubjectQuery) (*SubjectExport, error) {
	p, err := s.find(ctx, by, q)
	if err != nil {
		return nil, err
	}
	x := &SubjectExport{
		At: s.clock(), Identities: p.Identities, s: s, p: p, rules: map[string]automation.Automation{},
		batches: map[string]batch.Batch{},
	}
	if x.AskedBy, err = s.asked(ctx, by); err != nil {
		return nil, err
	}
	repos := s.store.Repos()
	if x.Org, err = repos.Orgs.Find(ctx, p.OrgID); err != nil {
		return nil, err
	}
	kinds := append(slices.Clone(app.ContactKinds), crm.NamedKey, crm.NamedAutomation)
	if x.names, err = repos.Names.All(ctx, p.OrgID, kinds...); err != nil {
		return nil, err
	}
	rules, err := repos.Automations.List(ctx, p.OrgID)
	for _, rule := range rules {
		x.rules[rule.ID] = rule
	}
	if err != nil {
		return nil, err
	}
	hashes, err := repos.Subjects.Hashes(ctx, p.OrgID, p.Identities[0])
	if err != nil {
		return nil, err
	}
	return x, app.Looked(ctx, s.store, by, audit.Line{OrgID: p.OrgID, Action: audit.SubjectExported, Subject: hashes[0]})
}

// Held yields all of one kind, a few at a time: each a SubjectLookup, SubjectContact, SubjectItem, SubjectText,
// privacy.File, crm.Removal, crm.BulkItem, webhook.Delivery or crm.Notification. The contacts about others that hold
// one of the person's documents (privacy.Parts) come after the person's own.
func (x *SubjectExport) Held(ctx context.Context, k privacy.Kind) iter.Seq2[any, error] {
	read := func(ctx context.Context, ids []string) ([]any, error) {
		return x.s.store.Repos().SubjectTraces.Read(ctx, x.p.OrgID, k, ids)
	}
	switch k {
	case privacy.Removed:
		read = x.removed
	case privacy.Contacts:
		return x.contacts(ctx)
	case privacy.Lookups:
		read = x.lookups
	case privacy.Items:
		read = x.items
	case privacy.Texts:
		read = x.texts
	case privacy.Batches, privacy.Imports:
		files := read
		read = func(ctx context.Context, ids []string) ([]any, error) {
			all, err := files(ctx, ids)
			for n, one := range all {
				file, _ := one.(privacy.File)
				file.Names = x.p.NamedBy(file.Names)
				all[n] = file
			}
			return all, err
		}
	}
	stop := errors.New("enough")
	return func(yield func(any, error) bool) {
		err := x.s.traces(ctx, x.p, k, func(ids []string) error {
			if x.Alive != nil {
				x.Alive()
			}
			if len(ids) == 0 {
				return nil
			}
			some, err := read(ctx, ids)
			for _, one := range some {
				if !yield(one, nil) {
					return stop
				}
			}
			return err
		})
		if err != nil && !errors.Is(err, stop) {
			yield(nil, err)
		}
	}
}

// lookups reads lookups, the oldest first, each answer with the lookup that brought it.
func (x *SubjectExport) lookups(ctx context.Context, ids []string) (out []any, err error) {
	repos := x.s.store.Repos()
	entries, err := repos.Statement.Entries(ctx, x.p.OrgID, ids)
	if err != nil {
		return nil, err
	}
	var brought []string
	for _, e := range entries {
		if !e.Cache && e.RecordID != "" {
			brought = append(brought, e.RecordID)
		}
	}
	records, err := repos.History.Records(ctx, x.p.OrgID, brought)
	if err != nil {
		return nil, err
	}
	parts, err := repos.History.Parts(ctx, x.p.OrgID, brought)
	for _, id := range ids {
		e, there := entries[id]
		if !there {
			continue
		}
		one := SubjectLookup{Entry: e, AskedByName: app.PersonIn(x.names, e.AskedBy())}
		if !aboutPerson(x.p, e) {
			his, _ := x.p.Share(one.Sent())
			one.Document, one.RecordID, one.Inputs, one.Partly = document.Document{}, "", catalog.InputsText(his), true
		}
		if rec, ok := records[one.RecordID]; ok && !e.Cache {
			one.Record, one.Parts = &rec, parts[rec.ID]
		}
		out = append(out, one)
	}
	return out, err
}

// aboutPerson reports whether a lookup is about a person; if not, they are in what was sent beside another document.
func aboutPerson(p *privacy.Person, e lookup.Entry) bool {
	i, ok := privacy.OfDocument(e.Document)
	return !ok || p.Knows(i)
}

// removed reads contacts that were deleted or merged, without those of somebody else that became part of the person's
// by mistake, or the person's of theirs: an erasure empties them, because both are in them.
func (x *SubjectExport) removed(ctx context.Context, ids []string) (out []any, err error) {
	all, err := x.s.store.Repos().SubjectTraces.Read(ctx, x.p.OrgID, privacy.Removed, ids)
	for _, one := range all {
		gone, _ := one.(crm.Removal)
		phone := privacy.Identity{Type: privacy.Phone, Value: gone.Contact.PhoneE164}
		byPhone := slices.Contains(x.p.Phones, phone) && x.p.Named(gone.Contact) // these are found as they are read
		if err != nil || gone.IntoID != "" && !byPhone && !x.p.Has(gone.Contact.ID) {
			continue
		}
		var people []privacy.Someone
		if people, err = x.s.people(ctx, gone.Contact); err == nil {
			gone.Contact = people[0].Contact
			out = append(out, gone)
		}
	}
	return out, err
}

// contacts yields the contacts about the person, then those about others that hold one of the person's documents.
func (x *SubjectExport) contacts(ctx context.Context) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		for n, id := range append(x.p.Contacts[:len(x.p.Contacts):len(x.p.Contacts)], x.p.Parts...) {
			if x.Alive != nil {
				x.Alive()
			}
			c, err := x.contact(ctx, id, n >= len(x.p.Contacts))
			if errors.Is(err, ports.ErrNotFound) {
				continue
			}
			if !yield(c, err) || err != nil {
				return
			}
		}
	}
}

func (x *SubjectExport) contact(ctx context.Context, id string, partly bool) (SubjectContact, error) {
	repos := x.s.store.Repos()
	c, err := repos.Contacts.Find(ctx, x.p.OrgID, id)
	if errors.Is(err, ports.ErrNotFound) { // unless it is in somebody else's by mistake, it is read with that
		var gone crm.Removal
		if gone, err = repos.Removals.Find(ctx, x.p.OrgID, id); err == nil && (gone.IntoID == "" || x.p.Has(gone.IntoID)) {
			err = ports.ErrNotFound
		}
		c = gone.Contact
	}
	if err != nil {
		return SubjectContact{}, err
	}
	if partly {
		his := crm.Contact{ID: c.ID, OrgID: c.OrgID, CreatedAt: c.CreatedAt}
		for _, d := range c.Documents {
			if i, ok := privacy.OfDocument(d); ok && x.p.Knows(i) {
				his.Documents = append(his.Documents, d)
			}
		}
		return SubjectContact{ContactView: crm.ContactView{Contact: his}, Partly: true}, nil
	}
	people, err := x.s.people(ctx, c)
	if err != nil {
		return SubjectContact{}, err
	}
	out := SubjectContact{ContactView: x.names.View(people[0].Contact)}
	if out.Events, err = x.s.events(ctx, x.p, id); err != nil {
		return out, err
	}
	jobs, err := x.s.runsOf(ctx, x.p, id)
	if err != nil {
		return out, err
	}
	for _, j := range jobs {
		out.Runs = append(out.Runs, SubjectRun{j, x.rules[j.AutomationID]})
	}
	told, err := repos.Told.OfContact(ctx, x.p.OrgID, id)
	out.Told = slices.DeleteFunc(told, func(one automation.Told) bool { return !x.p.Has(one.ContactID) })
	return out, err
}

// items reads rows of batches.
func (x *SubjectExport) items(ctx context.Context, ids []string) (out []any, err error) {
	repos := x.s.store.Repos()
	found, err := repos.SubjectTraces.Read(ctx, x.p.OrgID, privacy.Items, ids)
	for _, one := range found {
		item, _ := one.(batch.Item)
		of, there := x.batches[item.BatchID]
		if !there {
			if of, err = repos.Batches.Find(ctx, x.p.OrgID, item.BatchID); err != nil {
				return nil, err
			}
			x.batches[item.BatchID] = of
		}
		out = append(out, SubjectItem{item, of})
	}
	return out, err
}

// SubjectText is what a contact about somebody else says of the person, in its note, its attribution and its history.
type SubjectText struct {
	ContactID string
	CreatedAt time.Time // of the contact, UTC
	// Passages are the lines that name the person.
	Passages []string
}

// texts reads what contacts about others say of the person.
func (x *SubjectExport) texts(ctx context.Context, ids []string) (out []any, err error) {
	repos := x.s.store.Repos()
	for _, id := range ids {
		c, err := repos.Contacts.Find(ctx, x.p.OrgID, id)
		if errors.Is(err, ports.ErrNotFound) {
			continue
		}
		if err != nil {
			return out, err
		}
		events, err := repos.ContactHistory.Events(ctx, x.p.OrgID, id)
		if err != nil {
			return out, err
		}
		said := x.p.Passages(c.Note)
		values := make([]string, len(c.Attribution))
		for n, a := range c.Attribution {
			values[n] = a.Value
		}
		said = append(said, x.p.Passages(strings.Join(values, "\n"))...)
		for _, e := range events {
			if x.p.Happened(e) && !x.p.Mentions(e.Subject) {
				said = append(said, e.Subject) // a name alone
			}
			said = append(said, x.p.Passages(e.Subject)...)
		}
		out = append(out, SubjectText{c.ID, c.CreatedAt, said})
	}
	return out, nil
}

// Webhook returns the name of a webhook.
func (x *SubjectExport) Webhook(id string) string { return x.names.Name(crm.NamedWebhook, id) }
