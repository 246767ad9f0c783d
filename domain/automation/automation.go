// Package automation holds what an organisation wants done automatically when something happens, and the jobs that do
// it.
package automation

import (
	"slices"
	"strings"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/crm"
)

// ActionKind is what an automation does.
type ActionKind string

// The six actions.
const (
	// Lookup looks up each document of the contact that Product takes.
	Lookup ActionKind = "lookup"
	// HTTP posts the event, signed, to URL.
	HTTP ActionKind = "http"
	// Email sends Subject and Text to the address To.
	Email ActionKind = "email"
	// MoveStage moves the contact to StageID.
	MoveStage ActionKind = "move_stage"
	// Assign gives the contact to MemberID.
	Assign ActionKind = "assign"
	// AddNote adds Text to the contact's note.
	AddNote ActionKind = "add_note"
)

// Actions returns all kinds.
func Actions() []ActionKind { return []ActionKind{HTTP, Email, MoveStage, Assign, AddNote, Lookup} }

// Valid reports whether k is one of Actions.
func (k ActionKind) Valid() bool { return slices.Contains(Actions(), k) }

// Action is what an automation does, with what it needs.
type Action struct {
	Kind ActionKind
	// URL and Secret belong to an HTTP action; the secret signs what is sent (`whsec_` and base64).
	URL, Secret string
	// Method, Headers, Body and Done belong to an HTTP action whose request differs from the signed default: Body is jq
	// over the event's data, Done jq over status, headers and body of the answer. Empty ones mean the default.
	Method     string
	Headers    []Header
	Body, Done string
	// Destination names the destination that an HTTP action sends to instead; DestinationFile is its definition where it
	// is not shipped with the program.
	Destination, DestinationFile string
	// Values holds what was filled in for ${…} in URL, headers and destination, by name. Some are secrets.
	Values map[string]string
	// Ground belongs to an HTTP action whose destination asks for one.
	Ground Ground
	// To is the address of an Email action, or ToContact or ToAssignee.
	To string
	// Subject belongs to an Email action.
	Subject string
	// Text belongs to an Email or AddNote action.
	Text string
	// StageID belongs to a MoveStage action.
	StageID string
	// MemberID belongs to an Assign action.
	MemberID string
	// RotationID replaces MemberID in an Assign action that gives contacts in turn.
	RotationID string
	// Product is what a Lookup action looks up. Ceiling is the most that it may be charged in a month, in ten-thousandths
	// of a real.
	Product string
	Ceiling catalog.Money
	// MaxAge is how old an answer from history may be for a Lookup action, in days; nil for the instance's limit.
	MaxAge *int
	// Purpose is the code of a Lookup action's purpose; empty for the organisation's only one.
	Purpose string
}

// HasForm reports whether the request of an HTTP action differs from the signed default.
func (a Action) HasForm() bool {
	return a.Destination != "" || a.Method != "" || len(a.Headers) > 0 || a.Body != "" || a.Done != "" || len(a.Values) > 0
}

// What Action.To may hold instead of an address.
const (
	// ToContact sends to the contact itself.
	ToContact = "contact"
	// ToAssignee sends to the member that the contact is assigned to.
	ToAssignee = "assignee"
)

// Conditions are what must hold for an automation to run; zero values ask for
// nothing.
type Conditions struct {
	OriginID  string
	WebhookID string
	// MinAmount is in ten-thousandths of a real.
	MinAmount catalog.Money
	// When is a jq expression over the event's data, evaluated when the automation runs; empty for none.
	When string
}

// Hold reports whether a contact meets all conditions but When.
func (c Conditions) Hold(k crm.Contact) bool {
	return (c.OriginID == "" || c.OriginID == k.OriginID) &&
		(c.WebhookID == "" || c.WebhookID == k.WebhookID) &&
		(c.MinAmount == 0 || k.Amount >= c.MinAmount)
}

// Automation is one rule of an organisation.
type Automation struct {
	// ID is a UUIDv7.
	ID         string
	OrgID      string
	Name       string
	Event      EventName
	Enabled    bool
	Conditions Conditions
	Action     Action
	CreatedAt  time.Time
	// Unreadable is true where the action cannot be opened and is left out.
	Unreadable bool
}

// Fill replaces names in braces with a contact's values: {nome}, {email}, {telefone}, {empresa}, and {valor} as R$
// 1.234,50. Other braces stay.
func Fill(text string, k crm.Contact) string {
	amount := k.Amount.Reais()
	return strings.NewReplacer("{nome}", k.Name, "{email}", k.Email, "{telefone}", k.Phone, "{empresa}", k.Company,
		// Many templates already contain the currency sign.
		"R${valor}", amount, "R$ {valor}", amount, "R$\u00a0{valor}", amount, "{valor}", amount).Replace(text)
}
