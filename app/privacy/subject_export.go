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
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
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

	s     *Subjects
	p     *privacy.Person
	names crm.Names
	rules map[string]automation.Automation
}

// SubjectLookup is a lookup of a person, with the answer that it brought.
type SubjectLookup struct {
	lookup.Entry
	// AskedByName is the name of the key, the member or the automation that asked.
	AskedByName string
	// Record is nil where there is no answer, or another lookup of the export brought it.
	Record *lookup.Record
}

// SubjectContact is a contact about a person or, if Partly, one about somebody else that holds a document of the person
// and nothing else about them.
type SubjectContact struct {
	crm.ContactView
	Partly bool
	Events []crm.Event
	Runs   []SubjectRun
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
	x := &SubjectExport{At: s.clock(), Identities: p.Identities, s: s, p: p, rules: map[string]automation.Automation{}}
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

// stream yields the data of one kind, a few at a time.
func stream[T any](
	ctx context.Context, x *SubjectExport, k privacy.Kind, read func(ids []string) ([]T, error),
) iter.Seq2[T, error] {
	stop := errors.New("enough")
	return func(yield func(T, error) bool) {
		err := x.s.traces(ctx, x.p, k, func(ids []string) error {
			some, err := read(ids)
			for _, one := range some {
				if !yield(one, nil) {
					return stop
				}
			}
			return err
		})
		if err != nil && !errors.Is(err, stop) {
			var none T
			yield(none, err)
		}
	}
}

// Lookups yields the lookups of the person, the oldest first, each answer with the lookup that brought it.
func (x *SubjectExport) Lookups(ctx context.Context) iter.Seq2[SubjectLookup, error] {
	repos := x.s.store.Repos()
	return stream(ctx, x, privacy.Lookups, func(ids []string) ([]SubjectLookup, error) {
		entries, err := repos.Statement.Entries(ctx, ids)
		if err != nil {
			return nil, err
		}
		var brought []string
		for _, e := range entries {
			if !e.Cache && e.RecordID != "" {
				brought = append(brought, e.RecordID)
			}
		}
		records, err := repos.History.Records(ctx, brought)
		var out []SubjectLookup
		for _, id := range ids {
			e, there := entries[id]
			if !there {
				continue
			}
			one := SubjectLookup{Entry: e, AskedByName: app.PersonIn(x.names, e.AskedBy())}
			if rec, ok := records[e.RecordID]; ok && !e.Cache {
				one.Record = &rec
			}
			out = append(out, one)
		}
		return out, err
	})
}

// Contacts yields the contacts about the person, then those about others that hold one of the person's documents.
func (x *SubjectExport) Contacts(ctx context.Context) iter.Seq2[SubjectContact, error] {
	return func(yield func(SubjectContact, error) bool) {
		for n, id := range append(x.p.Contacts[:len(x.p.Contacts):len(x.p.Contacts)], x.p.Parts...) {
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
	c, err := repos.Contacts.Find(ctx, id)
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
	out := SubjectContact{ContactView: x.names.View(c)}
	if out.Events, err = repos.ContactHistory.Events(ctx, id); err != nil {
		return out, err
	}
	jobs, err := x.s.runsOf(ctx, x.p.OrgID, id)
	for _, j := range jobs {
		out.Runs = append(out.Runs, SubjectRun{j, x.rules[j.AutomationID]})
	}
	return out, err
}

// Items yields rows of batches with the person.
func (x *SubjectExport) Items(ctx context.Context) iter.Seq2[SubjectItem, error] {
	repos, batches := x.s.store.Repos(), map[string]batch.Batch{}
	return stream(ctx, x, privacy.Items, func(ids []string) (out []SubjectItem, err error) {
		found, err := repos.SubjectTraces.Read(ctx, privacy.Items, ids)
		for _, item := range found.Items {
			of, there := batches[item.BatchID]
			if !there {
				if of, err = repos.Batches.Find(ctx, item.BatchID); err != nil {
					return nil, err
				}
				batches[item.BatchID] = of
			}
			out = append(out, SubjectItem{item, of})
		}
		return out, err
	})
}

// Deliveries yields posts that made one of the person's contacts, or name the person.
func (x *SubjectExport) Deliveries(ctx context.Context) iter.Seq2[webhook.Delivery, error] {
	return stream(ctx, x, privacy.Deliveries, func(ids []string) ([]webhook.Delivery, error) {
		found, err := x.s.store.Repos().SubjectTraces.Read(ctx, privacy.Deliveries, ids)
		return found.Deliveries, err
	})
}

// Rows yields rows of files that were imported, or are to be.
func (x *SubjectExport) Rows(ctx context.Context) iter.Seq2[crm.BulkItem, error] {
	return stream(ctx, x, privacy.Rows, func(ids []string) ([]crm.BulkItem, error) {
		found, err := x.s.store.Repos().SubjectTraces.Read(ctx, privacy.Rows, ids)
		return found.Rows, err
	})
}

// Notices yields notifications about the person's contacts.
func (x *SubjectExport) Notices(ctx context.Context) iter.Seq2[crm.Notification, error] {
	return stream(ctx, x, privacy.Notices, func(ids []string) ([]crm.Notification, error) {
		found, err := x.s.store.Repos().SubjectTraces.Read(ctx, privacy.Notices, ids)
		return found.Notices, err
	})
}

// Removed yields contacts that were deleted or merged, while that can be undone.
func (x *SubjectExport) Removed(ctx context.Context) iter.Seq2[crm.Removal, error] {
	return stream(ctx, x, privacy.Removed, func(ids []string) (out []crm.Removal, err error) {
		for _, id := range ids {
			gone, err := x.s.store.Repos().Removals.Find(ctx, id)
			if err != nil && !errors.Is(err, ports.ErrNotFound) {
				return nil, err
			}
			if err == nil {
				out = append(out, gone)
			}
		}
		return out, nil
	})
}

// SubjectText is what a contact about somebody else says of the person, in its note, its attribution and its history.
type SubjectText struct {
	ContactID string
	CreatedAt time.Time // of the contact, UTC
	// Passages are the lines that name the person.
	Passages []string
}

// Texts yields what contacts about others say of the person.
func (x *SubjectExport) Texts(ctx context.Context) iter.Seq2[SubjectText, error] {
	repos := x.s.store.Repos()
	return stream(ctx, x, privacy.Texts, func(ids []string) (out []SubjectText, err error) {
		for _, id := range ids {
			c, err := repos.Contacts.Find(ctx, id)
			if errors.Is(err, ports.ErrNotFound) {
				continue
			}
			if err != nil {
				return out, err
			}
			events, err := repos.ContactHistory.Events(ctx, id)
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
				said = append(said, x.p.Passages(e.Subject)...)
			}
			out = append(out, SubjectText{c.ID, c.CreatedAt, said})
		}
		return out, nil
	})
}

// Webhook returns the name of a webhook.
func (x *SubjectExport) Webhook(id string) string { return x.names.Name(crm.NamedWebhook, id) }
