package contacts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/ports"
)

// bulkStep changes some contacts of one action in one transaction.
type bulkStep struct {
	*Bulks
	r      ports.Repos
	action crm.Bulk
	names  crm.Names
	// by is the member who asked for the action or, while it is undone, for that; actor is the name.
	by, actor string
	now       time.Time
}

// storedUndo is how it is stored who undoes an action: not always who asked for it.
type storedUndo struct {
	By string `json:"membro"`
}

// change does an action to contacts, or undoes it where it was done, and records that in the items.
func (b *Bulks) change(
	ctx context.Context, r ports.Repos, action crm.Bulk, state crm.BulkState, items []crm.BulkItem, now time.Time,
) error {
	by := action.MemberID
	if state == crm.ItemDone {
		var undo storedUndo
		_ = json.Unmarshal(action.Settings, &undo) // none where it was begun by an earlier version
		by = cmp.Or(undo.By, by)
	}
	ids := []string{by, action.TargetID}
	for _, item := range items {
		ids = append(ids, item.BeforeID)
	}
	n, err := app.NamesOf(ctx, r, action.OrgID, ids...)
	if err != nil {
		return err
	}
	s := bulkStep{b, r, action, n, by, n.Member(by).Name, now}
	for i := range items {
		item := &items[i]
		if state == crm.ItemDone {
			err = s.undo(ctx, item)
		} else {
			err = s.do(ctx, item)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// answeredIn precedes, in an item's result, when a waiting contact was answered by the move: an undo makes it wait
// again.
const answeredIn = "primeira resposta em "

// removedIn precedes, in an item's result, when the action removed the contact: it may have been restored and removed
// again since, by somebody else. Items of before have no result.
const removedIn = "excluído em "

// do applies the action to one contact. One that no longer exists, or is that way already, is skipped; so is one that
// would go to a member who has left.
func (s bulkStep) do(ctx context.Context, item *crm.BulkItem) error {
	item.State = crm.ItemSkipped
	c, err := s.r.Contacts.Lock(ctx, s.action.OrgID, item.ContactID)
	if errors.Is(err, ports.ErrNotFound) {
		item.Result = crm.LeftGone
		return nil
	}
	if err != nil {
		return err
	}
	target, done := s.action.TargetID, false
	switch s.action.Kind {
	case crm.BulkAssign:
		item.BeforeID = c.AssigneeID
		done, err = s.assign(ctx, item, c, target)
	case crm.BulkMove:
		item.BeforeID = c.StageID
		if done, err = s.move(ctx, c, target); done && err == nil {
			err = s.r.ContactAnswers.Answer(ctx, c, s.action.MemberID, s.now)
			if c.Waiting {
				item.Result = answeredIn + s.now.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
			}
		}
	case crm.BulkDelete:
		at := s.now.UTC().Truncate(time.Microsecond)
		item.Result = removedIn + at.Format(time.RFC3339Nano)
		done, err = true, remove(ctx, s.r, crm.Removal{Contact: c, By: s.actor, At: at})
	case crm.BulkImport:
	}
	switch {
	case done:
		item.State = crm.ItemDone
	case s.action.Kind == crm.BulkMove && s.names.Stage(target).ID == "":
		item.Result = crm.LeftNowhere
	case item.Result == "":
		item.Result = crm.LeftSame
	}
	return err
}

// undo takes the action back, unless somebody has changed the same thing since.
func (s bulkStep) undo(ctx context.Context, item *crm.BulkItem) error {
	item.State = crm.ItemSkipped
	left, err := crm.LeftChanged, error(nil)
	if s.action.Kind == crm.BulkDelete {
		err = s.undelete(ctx, item)
	} else {
		left, err = s.putBack(ctx, item)
	}
	if item.State == crm.ItemSkipped {
		item.Result = crm.LeftByUndo + left
	}
	return err
}

// putBack undoes an assignment or a move, or says why it did not.
func (s bulkStep) putBack(ctx context.Context, item *crm.BulkItem) (left string, err error) {
	c, err := s.r.Contacts.Lock(ctx, s.action.OrgID, item.ContactID)
	if errors.Is(err, ports.ErrNotFound) {
		return crm.LeftGone, nil
	}
	if err != nil {
		return "", err
	}
	left, done := crm.LeftChanged, false
	switch {
	case s.action.Kind == crm.BulkAssign && c.AssigneeID == s.action.TargetID:
		done, err = s.assign(ctx, item, c, item.BeforeID)
		left = crm.LeftInactive
	case s.action.Kind == crm.BulkMove && c.StageID == s.action.TargetID:
		done, err = s.move(ctx, c, item.BeforeID)
		if at, answered := strings.CutPrefix(item.Result, answeredIn); done && answered && err == nil {
			err = s.unanswer(ctx, c, at)
		}
		left = crm.LeftNowhere
	}
	if done {
		item.State = crm.ItemUndone
	}
	return left, err
}

// unanswer takes back the first answer that a move was, at a time. If a member has called or noted something since,
// that is the first answer.
func (s bulkStep) unanswer(ctx context.Context, c crm.Contact, at string) error {
	when, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return err
	}
	if err := s.r.ContactAnswers.Unanswer(ctx, c, s.action.MemberID, when); err != nil {
		return err
	}
	events, err := s.r.ContactHistory.Events(ctx, c.OrgID, c.ID)
	if err != nil {
		return err
	}
	e, err := answerSince(ctx, s.r, s.action.OrgID, events, when, crm.Called, crm.NoteAdded)
	if err != nil || e.ID == "" {
		return err
	}
	return s.r.ContactAnswers.Answer(ctx, c, e.MemberID, e.At)
}

// undelete restores a contact, unless it was restored meanwhile, and then perhaps merged into another, which stays, or
// deleted again.
func (s bulkStep) undelete(ctx context.Context, item *crm.BulkItem) error {
	gone, err := s.r.Removals.Find(ctx, s.action.OrgID, item.ContactID)
	if errors.Is(err, ports.ErrNotFound) || err == nil && (gone.Unreadable || gone.IntoID != "") {
		return nil
	}
	if err != nil {
		return err
	}
	if at, known := strings.CutPrefix(item.Result, removedIn); known && gone.At.Format(time.RFC3339Nano) != at {
		return nil
	}
	item.State = crm.ItemUndone
	return s.contacts.restore(ctx, s.r, gone.Contact, crm.Event{Kind: crm.Restored, Actor: s.actor})
}

// event is an entry of the history of a contact, which is locked.
func (s bulkStep) event(contactID string, kind crm.EventKind, subject string) crm.Event {
	return crm.Event{
		ID: app.NewID(), OrgID: s.action.OrgID, ContactID: contactID, Kind: kind, Actor: s.actor,
		MemberID: s.by, Subject: subject, At: s.clock(),
	}
}

// assign gives a contact to a member, or to nobody, but not to one whose access has ended meanwhile.
func (s bulkStep) assign(ctx context.Context, item *crm.BulkItem, c crm.Contact, memberID string) (bool, error) {
	if c.AssigneeID == memberID {
		return false, nil
	}
	name := "ninguém"
	if memberID != "" {
		m := s.names.Member(memberID)
		if name = m.Name; !m.Active {
			item.Result = crm.LeftInactive
			return false, nil
		}
	}
	e := s.event(c.ID, crm.Assigned, name)
	return true, Assign(ctx, s.r, c, memberID, e, "")
}

func (s bulkStep) move(ctx context.Context, c crm.Contact, stageID string) (bool, error) {
	stage := s.names.Stage(stageID)
	if c.StageID == stageID || stage.ID == "" {
		return false, nil
	}
	e := s.event(c.ID, crm.StageMoved, stage.Name)
	return true, Move(ctx, s.r, c, stageID, e, "")
}
