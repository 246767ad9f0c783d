package contacts

import (
	"context"
	"errors"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/ports"
)

// removalKind finds removed contacts.
var removalKind = app.Kind[crm.Removal]{
	Field: app.ContactKind.Field, Missing: app.ContactKind.Missing,
	Find:  func(r ports.Repos) func(context.Context, string, string) (crm.Removal, error) { return r.Removals.Find },
	OrgOf: func(g crm.Removal) string { return g.Contact.OrgID },
}

// Delete deletes a contact with its fields, note, documents and history, which can be restored for crm.UndoDeletion.
// Lookups stay in the statement, the posts of its webhook in the delivery log as long as that keeps them, and a retry
// of such a post is still answered with its id. Only those who manage the organisation may. Faults: NotFound,
// Forbidden, ServiceUnavailable.
func (c *Contacts) Delete(ctx context.Context, by app.Caller, id string) error {
	actor, err := c.whoever(ctx, by)
	if err != nil {
		return err
	}
	return c.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		contact, err := lockedContactKind.Managed(ctx, r, by, id)
		if err != nil {
			return err
		}
		now, err := r.Clock.Now(ctx, c.clock())
		if err != nil {
			return err
		}
		if err := remove(ctx, r, crm.Removal{Contact: contact, By: actor, At: now}); err != nil {
			return err
		}
		return app.Record(ctx, r, by, contactLine(audit.ContactDeleted, contact))
	})
}

// remove removes a contact; one that is to be merged must be readable. What the person of a deleted one had withdrawn
// stays withdrawn.
func remove(ctx context.Context, r ports.Repos, gone crm.Removal) error {
	if gone.Contact.Unreadable && gone.IntoID != "" {
		return app.Invalid("contact",
			"A nota, os documentos ou a atribuição guardada de um dos contatos está ilegível. Ele não pode ser unido a outro.")
	}
	if gone.IntoID == "" {
		stays := func(context.Context, crm.Contact) (bool, error) { return true, nil }
		if err := app.KeepWithdrawals(ctx, r, gone, stays); err != nil {
			return err
		}
	}
	return r.Removals.Remove(ctx, gone)
}

// whoever is the name of the caller, a member or the operator, in the history.
func (c *Contacts) whoever(ctx context.Context, by app.Caller) (string, error) {
	if by.IsOperator() {
		return "operador", nil
	}
	return c.actor(ctx, by)
}

// Undelete restores a contact that was deleted within crm.UndoDeletion. Faults: NotFound, Forbidden, InvalidRequest,
// ServiceUnavailable.
func (c *Contacts) Undelete(ctx context.Context, by app.Caller, id string) error {
	actor, err := c.whoever(ctx, by)
	if err != nil {
		return err
	}
	return c.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		gone, err := removalKind.Managed(ctx, r, by, id)
		now, err2 := r.Clock.Now(ctx, c.clock())
		switch err = errors.Join(err, err2); {
		case err != nil:
			return err
		case gone.IntoID != "":
			return app.ContactKind.NotFound()
		case gone.Contact.Unreadable:
			return unreadableNow()
		case !gone.CanUndo(now):
			return tooLate()
		}
		if err := c.restore(ctx, r, gone.Contact, crm.Event{Kind: crm.Restored, Actor: actor}); err != nil {
			return err
		}
		return app.Record(ctx, r, by, contactLine(audit.ContactRestored, gone.Contact))
	})
}

// contactLine is an audit line about a contact. It says no more than the id, so that nothing remains of a person who
// was deleted.
func contactLine(a audit.Action, c crm.Contact) audit.Line {
	return audit.Line{OrgID: c.OrgID, Action: a, Object: c.ID}
}

// Opened records that the caller opened the page of a contact; without the record they may not see it. Faults:
// NotFound, ServiceUnavailable.
func (c *Contacts) Opened(ctx context.Context, by app.Caller, view crm.ContactView) error {
	if !by.MaySee(view.OrgID) {
		return app.ContactKind.NotFound()
	}
	return app.Looked(ctx, c.store, by, contactLine(audit.ContactOpened, view.Contact))
}

func tooLate() *fault.Error {
	return app.Invalid("contact", "O prazo para desfazer passou.")
}

// unreadableNow is the fault of undoing where the data key of what is stored is missing.
func unreadableNow() *fault.Error {
	return app.Invalid("contact", "O que está guardado deste contato não pode ser lido agora, e nada foi desfeito.")
}

// restore puts a contact back where it was, as far as that still exists.
func (c *Contacts) restore(ctx context.Context, r ports.Repos, contact crm.Contact, e crm.Event) error {
	n, err := app.NamesOf(ctx, r, contact.OrgID, contact.OriginID, contact.StageID)
	if err != nil {
		return err
	}
	if !n.Has(crm.NamedOrigin, contact.OriginID) {
		contact.OriginID = ""
	}
	if !n.Has(crm.NamedStage, contact.StageID) {
		if contact.StageID, err = entryStage(ctx, r, contact.OrgID); err != nil {
			return err
		}
	}
	e.ID, e.OrgID, e.ContactID, e.At = app.NewID(), contact.OrgID, contact.ID, c.clock()
	err = r.Removals.Restore(ctx, contact, e)
	if errors.Is(err, ports.ErrNotFound) {
		// It is tried again where the stage or the origin was removed meanwhile.
		return app.ContactKind.NotFound().Because(err)
	}
	return err
}

// Removed returns a removed contact of the caller's organisation, as long as it can be restored, with the id of the
// contact that it was merged into, over any number of merges; empty where it was deleted. Faults: NotFound,
// ServiceUnavailable.
func (c *Contacts) Removed(
	ctx context.Context, by app.Caller, id string) (gone crm.Removal, survivor string, err error,
) {
	r := c.store.Repos()
	if gone, err = removalKind.Visible(ctx, r, by, id); err != nil || gone.IntoID == "" {
		return gone, "", err
	}
	survivor, err = r.Removals.Survivor(ctx, gone.Contact.OrgID, id)
	if errors.Is(err, ports.ErrNotFound) {
		return gone, "", nil
	}
	return gone, survivor, err
}

// ForgetRemoved removes the content of contacts that can no longer be restored. It is a chore.
func (c *Contacts) ForgetRemoved(ctx context.Context) error {
	return app.ForgetOld(ctx, c.store, c.clock, 0, func(ctx context.Context, r ports.Repos, now time.Time) (int, error) {
		return r.Removals.Forget(ctx, now.Add(-2*crm.UndoDeletion), now.Add(-crm.UndoMerge))
	})
}
