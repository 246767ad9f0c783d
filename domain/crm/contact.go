package crm

import (
	"cmp"
	"slices"
	"time"

	"fichario/domain/catalog"
)

// Funnel is a sequence of stages that contacts move through. Each organisation has
// one default funnel, where inbound contacts enter.
type Funnel struct {
	ID      string
	OrgID   string
	Name    string
	Default bool
	// Stages are in their order; the first one is the entry stage.
	Stages    []Stage
	CreatedAt time.Time
}

// Entry returns the stage that new contacts are placed in (specification, 3).
func (f Funnel) Entry() Stage { return f.Stages[0] }

// Stage is a step of a funnel.
type Stage struct {
	ID   string
	Name string
}

// DefaultFunnel and DefaultStages name the funnel that is made with an
// organisation.
const DefaultFunnel = "Vendas"

// DefaultStages returns the names of the default funnel's stages, in their order.
func DefaultStages() []string {
	return []string{"Novo", "Em contato", "Proposta", "Negociação", "Ganho", "Perdido"}
}

// Origin is where an organisation's contacts come from. Two origins of one
// organisation never have names that differ only by case or accents.
type Origin struct {
	ID    string
	OrgID string
	Name  string
}

// Attribute is one fact about how a contact came: a UTM parameter, a click id, a
// page.
type Attribute struct{ Key, Value string }

// Contact is a lead of an organisation.
type Contact struct {
	// ID is a UUIDv7; it is the `leadId` of the webhook's answer.
	ID    string
	OrgID string
	// WebhookID is the webhook that it came by; empty for one made by hand.
	WebhookID string
	Name      string
	// Email is as sent.
	Email string
	// Phone is as sent; PhoneE164 is the same in E.164 ("+5511987654321"), empty
	// when it is no valid number.
	Phone, PhoneE164 string
	Company          string
	// Amount is in ten-thousandths of a real.
	Amount catalog.Money
	// Note is free text, of several lines.
	Note string
	// OriginID is empty when the contact is linked to no origin.
	OriginID string
	// Attribution is what the sender told about campaign and page.
	Attribution []Attribute
	StageID     string
	// AssigneeID is empty in an organisation without active members.
	AssigneeID string
	CreatedAt  time.Time
}

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
	// Subject is what it was done with: the name of a stage or member, the text of a
	// note, or the names of the fields that were changed, never their values.
	Subject string
	At      time.Time
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
	}
	return string(e.Kind)
}

// NotificationKind says what a notification tells.
type NotificationKind string

// The kinds of notifications.
const (
	// NewContact: a contact came in.
	NewContact NotificationKind = "contato"
	// JobDead: an automation or e-mail was given up.
	JobDead NotificationKind = "falha"
)

// Notification tells the team of an organisation that something happened. It is
// shown to every active member, each of whom reads it for himself.
type Notification struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	Kind  NotificationKind
	// ContactID is the contact that it is about, ContactName its name now.
	ContactID, ContactName string
	// Subject is the name of the webhook, or of what was given up.
	Subject string
	At      time.Time
	// Read is whether the member who asks has read it.
	Read bool
}

// Title is its first line, in Portuguese.
func (n Notification) Title() string {
	if n.Kind == JobDead {
		return "Automação sem sucesso"
	}
	return "Novo contato"
}

// Text is the rest of it, in Portuguese.
func (n Notification) Text() string {
	if n.Kind == JobDead {
		return n.Subject + " falhou para " + n.ContactName + " e não será tentada de novo sozinha."
	}
	return n.ContactName + " chegou pelo webhook " + n.Subject + "."
}

// FirstAssignee returns the member that a new contact goes to: the first active
// one, preferring owner, then administrator, then the oldest (specification,
// 4.5.3). It reports false when nobody is active.
func FirstAssignee(members []Member) (Member, bool) {
	var active []Member
	for _, m := range members {
		if m.Active {
			active = append(active, m)
		}
	}
	if len(active) == 0 {
		return Member{}, false
	}
	rank := map[Role]int{Owner: 0, Admin: 1, Common: 2}
	return slices.MinFunc(active, func(a, b Member) int {
		return cmp.Or(cmp.Compare(rank[a.Role], rank[b.Role]), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	}), true
}
