package contacts

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
)

// ContactDocument is a lookup about a contact.
type ContactDocument struct {
	lookup.Entry
	// AnsweredAt is when the bureau gave the answer; zero when there is none.
	AnsweredAt time.Time
	// By is the name of the member or key that asked; empty if it no longer exists.
	By string
	// Says is the most wanted value of the answer, such as "score 742"; empty where there is none.
	Says string
}

// Happening is one thing that happened to a contact. Exactly one of Event, Run and Document is set.
type Happening struct {
	At    time.Time
	Event *crm.Event
	// Run is a run of an automation, whose name is Automation, or an e-mail that told a member, whose name is Member, of a
	// new contact.
	Run                *automation.Job
	Automation, Member string
	Document           *ContactDocument
}

// happeningsMax is how many lookups and how many runs a history shows at most.
const happeningsMax = 200

// Documents returns the lookups that are tied to a contact, newest first. Faults: NotFound, ServiceUnavailable.
func (c *Contacts) Documents(ctx context.Context, by app.Caller, id string) ([]ContactDocument, error) {
	view, err := c.View(ctx, by, id)
	if err != nil {
		return nil, err
	}
	r := c.store.Repos()
	found, err := r.LookupContacts.OfContact(ctx, view.OrgID, id, happeningsMax)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	askers := make([]string, len(found))
	for i, f := range found {
		askers[i] = f.AskedBy()
	}
	n, err := app.NamesOf(ctx, r, view.OrgID, askers...)
	out := make([]ContactDocument, len(found))
	for i, f := range found {
		out[i] = ContactDocument{Entry: f.Entry, AnsweredAt: f.AnsweredAt, By: app.ActorIn(n, f.AskedBy())}
	}
	return out, errors.Join(err, c.saying(ctx, view.OrgID, out))
}

// saidMost is how many answers are opened to find their score.
const saidMost = 20

// saying sets Says of the newest lookups that brought a score.
func (c *Contacts) saying(ctx context.Context, orgID string, documents []ContactDocument) error {
	var ids []string
	for _, d := range documents {
		if d.Product == catalog.ScoreID && d.RecordID != "" && len(ids) < saidMost {
			ids = append(ids, d.RecordID)
		}
	}
	records, err := c.store.Repos().History.Records(ctx, orgID, ids)
	for i, d := range documents {
		var fields struct {
			Score json.Number `json:"score"`
		}
		if rec, ok := records[d.RecordID]; ok && json.Unmarshal(rec.Fields, &fields) == nil && fields.Score != "" {
			documents[i].Says = "score " + fields.Score.String()
		}
	}
	return err
}

// History returns everything that happened to a contact, newest first: the entries of its history, runs of automations
// with their outcome, and lookups. Every member of the organisation may see it. Faults: NotFound, ServiceUnavailable.
func (c *Contacts) History(ctx context.Context, by app.Caller, id string) (crm.ContactView, []Happening, error) {
	view, events, err := c.Show(ctx, by, id)
	if err != nil {
		return view, nil, err
	}
	var out []Happening
	for i, e := range events {
		out = append(out, Happening{At: e.At, Event: &events[i]})
	}
	runs, err := c.runs(ctx, view)
	if err != nil {
		return view, nil, err
	}
	documents, err := c.Documents(ctx, by, id)
	if err != nil {
		return view, nil, err
	}
	out = append(out, runs...)
	for i, d := range documents {
		out = append(out, Happening{At: d.At, Document: &documents[i]})
	}
	// Entries of the same moment keep the order in which they were made.
	slices.SortStableFunc(out, func(a, b Happening) int { return a.At.Compare(b.At) })
	slices.Reverse(out)
	return view, out, nil
}

func (c *Contacts) runs(ctx context.Context, view crm.ContactView) ([]Happening, error) {
	r := c.store.Repos()
	jobs, err := r.JobRuns.Page(ctx, view.OrgID, automation.JobFilter{ContactID: view.ID}, "", happeningsMax)
	if err != nil || len(jobs) == 0 {
		return nil, err
	}
	ids := make([]string, 0, 2*len(jobs))
	for _, job := range jobs {
		ids = append(ids, job.AutomationID, job.MemberID)
	}
	n, err := app.NamesOf(ctx, r, view.OrgID, ids...)
	var out []Happening
	for i, job := range slices.Backward(jobs) {
		if job.Skipped() {
			continue // nothing happened to the contact; the automation's page has it
		}
		at := job.EndedAt
		if at.IsZero() {
			at = job.CreatedAt
		}
		out = append(out, Happening{
			At: at, Run: &jobs[i], Automation: n.Name(crm.NamedAutomation, job.AutomationID),
			Member: n.Member(job.MemberID).Name,
		})
	}
	return out, err
}
