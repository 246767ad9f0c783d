package crm

import "time"

// EventKind says what happened to a contact.
type EventKind string

// The kinds of history entries.
const (
	// ContactCreated: it came in by the webhook that the entry names.
	ContactCreated EventKind = "criado"
	// StageMoved: it was moved to the stage that the entry names.
	StageMoved EventKind = "etapa"
	// Assigned: it was given to the member that the entry names.
	Assigned EventKind = "responsavel"
	// NoteAdded: the entry's text was added to the note.
	NoteAdded EventKind = "nota"
	// ContactAdded: a member made it by hand.
	ContactAdded EventKind = "incluido"
	// ContactEdited: the fields that the entry names were changed.
	ContactEdited EventKind = "editado"
	// Merged: the contact that the entry names became part of it.
	Merged EventKind = "unido"
	// Parted: that was undone.
	Parted EventKind = "separado"
	// Called: a member called.
	Called EventKind = "ligacao"
	// Restored: it had been deleted, and was brought back.
	Restored EventKind = "restaurado"
)

// Event is an entry of a contact's history. Entries are never changed.
type Event struct {
	// ID is a UUIDv7.
	ID        string
	OrgID     string
	ContactID string
	Kind      EventKind
	// Actor is who did it: the name of the webhook, automation or member at that
	// time.
	Actor string
	// MemberID is the member who did it, under whatever name today, where that may have answered the contact. It is empty
	// for what no member did, and in entries from before it was kept.
	MemberID string
	// Subject is what it was done with: the name of a stage or member, the text of a
	// note, or the names of the fields that were changed, never their values.
	Subject string
	At      time.Time
	// Unreadable is true where the subject cannot be opened and is left out.
	Unreadable bool
}

// Text says in Portuguese what happened.
func (e Event) Text() string {
	switch e.Kind {
	case ContactCreated:
		return "Criado pelo webhook " + e.Actor
	case StageMoved:
		return "Movido para a etapa " + e.Subject + " por " + e.Actor
	case Assigned:
		return "Atribuído a " + e.Subject + " por " + e.Actor
	case NoteAdded:
		return "Nota adicionada por " + e.Actor + ": " + e.Subject
	case ContactAdded:
		return "Criado por " + e.Actor
	case ContactEdited:
		return "Alterado por " + e.Actor + ": " + e.Subject
	case Merged:
		return "Unido com " + e.Subject + " por " + e.Actor
	case Parted:
		return "Separado de " + e.Subject + " por " + e.Actor
	case Called:
		return e.Actor + " falou com o contato"
	case Restored:
		return "Restaurado por " + e.Actor
	}
	return string(e.Kind)
}
