package contacts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/ports"
)

// alikeMax is how many similar contacts are shown.
const alikeMax = 20

// AlikeContact is a contact that may be the same person as another one.
type AlikeContact struct {
	crm.ContactView
	// By is what they have in common: "mesmo e-mail", "mesmo telefone", "mesmo documento".
	By []string
}

// Alike returns the contacts that share the e-mail address, the phone or a document with one, newest first. Faults:
// NotFound, ServiceUnavailable.
func (c *Contacts) Alike(ctx context.Context, by app.Caller, id string) ([]AlikeContact, error) {
	r := c.store.Repos()
	contact, err := app.ContactKind.Visible(ctx, r, by, id)
	if err != nil {
		return nil, err
	}
	found, err := r.ContactSearch.Alike(ctx, contact, alikeMax)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	views, err := app.ViewsOf(ctx, r, contact.OrgID, found...)
	out := make([]AlikeContact, len(found))
	for i, other := range found {
		out[i] = AlikeContact{ContactView: views[i], By: inCommon(contact, other)}
	}
	return out, err
}

// inCommon says what two contacts share. A document is inferred, because documents are encrypted and not compared.
func inCommon(a, b crm.Contact) (out []string) {
	if strings.EqualFold(a.Email, b.Email) {
		out = append(out, "mesmo e-mail")
	}
	if a.PhoneE164 != "" && a.PhoneE164 == b.PhoneE164 {
		out = append(out, "mesmo telefone")
	}
	if len(out) == 0 {
		out = append(out, "mesmo documento")
	}
	return out
}

// CameBefore says how often a person had come before.
type CameBefore struct {
	// Times is counted up to cameBeforeMax.
	Times int
	// Last is the newest of the earlier contacts.
	Last crm.ContactView
}

// Text describes it in one line of Portuguese; empty for a person who came for the first time.
func (b CameBefore) Text() string {
	if b.Times == 0 {
		return ""
	}
	with := ""
	if b.Last.Assignee.Name != "" {
		with = ", com " + b.Last.Assignee.Name
	}
	times := "uma vez"
	if b.Times > 1 {
		times = fmt.Sprintf("%d vezes", b.Times)
	}
	return "Já tinha vindo " + times + with + ".\n"
}

// cameBeforeMax is how many earlier contacts are counted for one that came.
const cameBeforeMax = 100

// CameBefore returns, by the ids of contacts, which of these people had come before. Faults: NotFound,
// ServiceUnavailable.
func (c *Contacts) CameBefore(ctx context.Context, by app.Caller, ids []string) (map[string]CameBefore, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	return BeforeThis(ctx, c.store.Repos(), orgID, ids)
}

// Doubles returns, by the ids of contacts, the newest older contact that may be the same person. Faults: NotFound,
// ServiceUnavailable.
func (c *Contacts) Doubles(ctx context.Context, by app.Caller, ids []string) (map[string]string, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	alike, err := c.store.Repos().ContactSearch.AlikeBefore(ctx, orgID, ids, 1)
	out := make(map[string]string, len(alike))
	for id, others := range alike {
		out[id] = others[0]
	}
	return out, err
}

// BeforeThis returns the contacts that a person was before.
func BeforeThis(ctx context.Context, r ports.Repos, orgID string, ids []string) (map[string]CameBefore, error) {
	alike, err := r.ContactSearch.AlikeBefore(ctx, orgID, ids, cameBeforeMax)
	if err != nil || len(alike) == 0 {
		return nil, err
	}
	var wanted []string
	for _, others := range alike {
		wanted = append(wanted, others[0])
	}
	found, err := r.Contacts.Brief(ctx, orgID, wanted)
	if err != nil {
		return nil, err
	}
	n, err := app.NamesOf(ctx, r, orgID, app.IDsIn(slices.Collect(maps.Values(found))...)...)
	out := map[string]CameBefore{}
	for id, others := range alike {
		if last, ok := found[others[0]]; ok {
			out[id] = CameBefore{Times: len(others), Last: n.View(last)}
		}
	}
	return out, err
}

// MergePreview is the result that a merge would have.
type MergePreview struct {
	// Into stays, From is merged into it, and After is Into afterwards.
	Into, From, After crm.ContactView
}

// PreviewMerge shows the result of a merge. Faults: NotFound, InvalidRequest, ServiceUnavailable.
func (c *Contacts) PreviewMerge(ctx context.Context, by app.Caller, intoID, fromID string) (MergePreview, error) {
	return c.merged(ctx, c.store.Repos(), by, app.ContactKind, intoID, fromID)
}

func (c *Contacts) merged(
	ctx context.Context, r ports.Repos, by app.Caller, find app.Kind[crm.Contact], intoID, fromID string,
) (MergePreview, error) {
	if intoID == fromID {
		return MergePreview{}, app.Invalid("contact", "Um contato não pode ser unido consigo mesmo.")
	}
	// Everybody locks two contacts in the same order, to avoid deadlocks.
	contacts := map[string]crm.Contact{}
	for _, id := range []string{min(intoID, fromID), max(intoID, fromID)} {
		contact, err := find.Visible(ctx, r, by, id)
		if err != nil {
			return MergePreview{}, err
		}
		contacts[id] = contact
	}
	into, from := contacts[intoID], contacts[fromID]
	if into.OrgID != from.OrgID {
		return MergePreview{}, app.ContactKind.NotFound()
	}
	n, err := app.NamesOf(ctx, r, into.OrgID, app.IDsIn(into, from)...)
	if err != nil {
		return MergePreview{}, err
	}
	after := crm.Merge(into, from, func(id string) string { return n.Name(crm.NamedOrigin, id) })
	if !n.Has(crm.NamedOrigin, after.OriginID) { // a post may have one that was removed while it came
		after.OriginID = ""
	}
	// One of them may have withdrawn a consent by a form without the field, which is no consent of its own.
	after.Consents = append(after.Consents, app.Withdrawn(after, []crm.Contact{into, from})...)
	after.Waiting, err = waitsAsOne(ctx, r, into, from)
	return MergePreview{Into: n.View(into), From: n.View(from), After: n.View(after)}, err
}

// waitsAsOne reports whether the contact that two become waits for a first answer: if one of them does, unless a member
// has answered the other since that one came.
func waitsAsOne(ctx context.Context, r ports.Repos, one, other crm.Contact) (bool, error) {
	if one.Waiting == other.Waiting {
		return one.Waiting, nil
	}
	if other.Waiting {
		one, other = other, one
	}
	answered, err := isAnswered(ctx, r, other, one.CreatedAt)
	return !answered, err
}

// isAnswered reports whether a member has called, noted or moved a contact since a time.
func isAnswered(ctx context.Context, r ports.Repos, c crm.Contact, since time.Time) (bool, error) {
	events, err := r.ContactHistory.Events(ctx, c.OrgID, c.ID)
	if err != nil {
		return false, err
	}
	e, err := answerSince(ctx, r, c.OrgID, events, since, crm.Called, crm.NoteAdded, crm.StageMoved)
	return e.ID != "", err
}

// answerSince returns the first of some entries of a history, not before a time, that has one of the kinds and is a
// member's. An automation may note and move, too. An entry that names no member, as those from before they were kept,
// is that of who has its name.
func answerSince(
	ctx context.Context, r ports.Repos, orgID string, events []crm.Event, since time.Time, kinds ...crm.EventKind,
) (crm.Event, error) {
	var members []crm.Member
	for _, e := range events {
		if e.At.Before(since) || !slices.Contains(kinds, e.Kind) {
			continue
		}
		if e.MemberID != "" {
			return e, nil
		}
		if members == nil {
			var err error
			if members, err = r.Members.List(ctx, orgID); err != nil {
				return crm.Event{}, err
			}
		}
		if i := slices.IndexFunc(members, func(m crm.Member) bool { return m.Name == e.Actor }); i >= 0 {
			e.MemberID = members[i].ID
			return e, nil
		}
	}
	return crm.Event{}, nil
}

// Merge merges one contact into another: nothing is lost, its history and lookups are read with the other's, and
// retries of its posts are answered with the other's id. It can be undone for crm.UndoMerge. One transaction. Faults:
// NotFound, InvalidRequest, ServiceUnavailable.
func (c *Contacts) Merge(ctx context.Context, by app.Caller, intoID, fromID string) error {
	actor, err := c.whoever(ctx, by)
	if err != nil {
		return err
	}
	return c.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		p, err := c.merged(ctx, r, by, lockedContactKind, intoID, fromID)
		if err != nil {
			return err
		}
		into := p.Into.Contact
		gone := crm.Removal{
			Contact: p.From.Contact, IntoID: intoID, Before: into, After: p.After.Contact, By: actor, At: c.clock(),
		}
		if into.Unreadable {
			gone.Contact.Unreadable = true // makes remove refuse it for the same reason
		}
		if err := remove(ctx, r, gone); err != nil {
			return err
		}
		event := crm.Event{
			ID: app.NewID(), OrgID: into.OrgID, ContactID: intoID, Kind: crm.Merged, Actor: actor, Subject: p.From.Name,
			At: gone.At,
		}
		return errors.Join(r.Contacts.Edit(ctx, p.After.Contact, event),
			app.EmitChange(ctx, r, event, app.Change{Was: into, Is: p.After.Contact}),
			app.Record(ctx, r, by, contactLine(audit.ContactsMerged, p.From.Contact)))
	})
}

// Merges returns the contacts merged into one that can still be parted from it, the newest first. Faults: NotFound,
// ServiceUnavailable.
func (c *Contacts) Merges(ctx context.Context, by app.Caller, id string) ([]crm.Removal, error) {
	r := c.store.Repos()
	view, err := app.ContactKind.Visible(ctx, r, by, id)
	if err != nil {
		return nil, err
	}
	all, err := r.Removals.Into(ctx, view.OrgID, id)
	var out []crm.Removal
	for _, gone := range all {
		if gone.CanUndo(c.clock()) {
			out = append(out, gone)
		}
	}
	return out, err
}

// Part undoes a merge: the merged contact is restored, and the other one is as before the merge, except for what was
// changed since. Faults: NotFound, InvalidRequest, ServiceUnavailable.
func (c *Contacts) Part(ctx context.Context, by app.Caller, intoID, fromID string) error {
	actor, err := c.whoever(ctx, by)
	if err != nil {
		return err
	}
	return c.part(ctx, by, intoID, fromID, parting{actor: actor, tell: true, may: func(gone crm.Removal) error {
		switch {
		case gone.IntoID != intoID:
			return app.ContactKind.NotFound()
		case !gone.CanUndo(c.clock()):
			return tooLate()
		}
		return nil
	}})
}

// PartToErase undoes a merge for an erasure for as long as the merge is kept, also of a contact that was merged into
// another one before that became part of intoID. Automations are told that the contact has changed only if tell is
// true: they should not pass on one that is about to be erased. Faults: those of Part.
func (c *Contacts) PartToErase(ctx context.Context, intoID, fromID string, tell bool) error {
	may := func(gone crm.Removal) error {
		if gone.Unreadable {
			return tooLate()
		}
		return nil
	}
	return c.part(ctx, app.Operator(), intoID, fromID, parting{
		actor: "serviço", audited: audit.Service, tell: tell, may: may,
	})
}

// parting is how a merge is undone: who does it, as the history and the audit have it, whether automations are told,
// and whether it may be.
type parting struct {
	actor   string
	audited audit.Actor // empty for the caller
	tell    bool
	may     func(crm.Removal) error
}

func (c *Contacts) part(ctx context.Context, by app.Caller, intoID, fromID string, how parting) error {
	return c.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		into, err := lockedContactKind.Visible(ctx, r, by, intoID)
		if err != nil {
			return err
		}
		gone, err := removalKind.Visible(ctx, r, by, fromID)
		if err != nil {
			return err
		}
		if err := how.may(gone); err != nil {
			return err
		}
		if into.Unreadable && how.audited == "" {
			return unreadableNow()
		}
		still, as, err := withoutParted(ctx, r, intoID, gone)
		if err != nil {
			return err
		}
		after := as.Parted(into, still...)
		if after.Waiting && !into.Waiting { // unless a member has answered since the merge
			answered, err := isAnswered(ctx, r, into, gone.At.Add(time.Microsecond))
			if after.Waiting = !answered; err != nil {
				return err
			}
		}
		n, err := app.NamesOf(ctx, r, into.OrgID, after.OriginID)
		if err != nil {
			return err
		}
		if !n.Has(crm.NamedOrigin, after.OriginID) {
			after.OriginID = ""
		}
		event := crm.Event{
			ID: app.NewID(), OrgID: into.OrgID, ContactID: intoID, Kind: crm.Parted, Actor: how.actor,
			Subject: gone.Contact.Name, At: c.clock(),
		}
		line := contactLine(audit.ContactsParted, gone.Contact)
		line.Actor = how.audited
		if into.Unreadable { // then it stays as it is
			return errors.Join(c.restore(ctx, r, gone.Contact, crm.Event{Kind: crm.Parted, Actor: how.actor}),
				app.Record(ctx, r, by, line))
		}
		if how.tell {
			err = app.EmitChange(ctx, r, event, app.Change{Was: into, Is: after})
		}
		return errors.Join(
			err, c.restore(ctx, r, gone.Back(into), crm.Event{Kind: crm.Parted, Actor: how.actor, Subject: into.Name}),
			r.Contacts.Edit(ctx, after, event),
			app.Record(ctx, r, by, line),
		)
	})
}

// withoutParted returns what stays merged into a contact, or into one that had been merged into it, while one of all
// these leaves, and that one's merge as it parts the contact. It takes what that brought out of them: it is in those
// through which it came, and in what is kept of the contact from before and after each merge since.
func withoutParted(
	ctx context.Context, r ports.Repos, intoID string, gone crm.Removal,
) (still []crm.Removal, _ crm.Removal, err error) {
	orgID, id, since := gone.Contact.OrgID, gone.IntoID, gone.At
	var way crm.Removal // the merge through which it came here; zero where it was merged itself
	for {
		stay, err := r.Removals.Into(ctx, orgID, id) // the last first
		if err != nil {
			return nil, gone, err
		}
		stay = slices.DeleteFunc(stay, func(o crm.Removal) bool { return o.Contact.ID == gone.Contact.ID || o.Unreadable })
		if way.IntoID != "" {
			n := slices.IndexFunc(stay, func(o crm.Removal) bool { return o.Contact.ID == way.Contact.ID })
			if n < 0 {
				return nil, gone, tooLate() // what became of it cannot be read
			}
			stay[n].Contact = gone.Parted(stay[n].Contact)
			gone, since = gone.Through(way.Before), way.At
			stay = append(stay, crm.Removal{Contact: way.Before}) // its own, from before
		}
		for n, other := range stay {
			if other.IntoID == "" || other.At.Before(since) {
				continue
			}
			other.Before, other.After = gone.Parted(other.Before, stay[n+1:]...), gone.Parted(other.After, stay[n:]...)
			if err := r.Removals.Save(ctx, other); err != nil {
				return nil, gone, err
			}
		}
		if still = append(still, stay...); id == intoID {
			return still, gone, nil
		}
		way, err = r.Removals.Find(ctx, orgID, id)
		if errors.Is(err, ports.ErrNotFound) || err == nil && way.IntoID == "" {
			return nil, gone, app.ContactKind.NotFound()
		}
		if err != nil {
			return nil, gone, err
		}
		id = way.IntoID
	}
}
