// Package automation has the actions that an organisation wants to run on events, such as a new contact, and the
// jobs that run them.
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
	// URL and Secret are of an HTTP action; the secret signs what is sent (`whsec_`
	// and base64).
	URL, Secret string
	// Method, Headers, Body and Done are of an HTTP action whose request has another form than the signed default: Body
	// is jq over the event's data, Done jq over status, headers and body of the answer. Empty ones are as the default.
	Method     string
	Headers    []Header
	Body, Done string
	// Destination is the name of what an HTTP action sends to in its place; DestinationFile is its text where it does not
	// come with the program.
	Destination, DestinationFile string
	// Values are what was filled in for ${…} in URL, headers and destination, by name. Secrets are among them.
	Values map[string]string
	// To is the address of an Email action, or ToContact or ToAssignee.
	To string
	// Subject is of an Email action.
	Subject string
	// Text is of an Email or AddNote action.
	Text string
	// StageID is of a MoveStage action.
	StageID string
	// MemberID is of an Assign action.
	MemberID string
	// RotationID is of an Assign action that gives contacts in turn, instead of MemberID.
	RotationID string `json:",omitempty"`
	// Product is what a Lookup action looks up. Ceiling is what it may be charged in a month, in ten-thousandths of a
	// real.
	Product string        `json:",omitempty"`
	Ceiling catalog.Money `json:",omitempty"`
	// MaxAge is how old an answer of history may be for a Lookup action, in days; nil for as old as the instance lets it.
	MaxAge *int `json:",omitempty"`
	// Purpose is the code of what a Lookup action asks for; empty for the only one there is.
	Purpose string `json:",omitempty"`
}

// HasForm tells whether the request of an HTTP action has another form than the signed default.
func (a Action) HasForm() bool {
	return a.Destination != "" || a.Method != "" || len(a.Headers) > 0 || a.Body != "" || a.Done != "" || len(a.Values) > 0
}

// What the address of an Email action may be instead of an address.
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
	// When is an expression of jq over the event's data, which the run looks at; empty for none.
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

// Fill puts a contact's values where a text has their names in braces: {nome}, {email}, {telefone}, {empresa}, and
// {valor} as R$ 1.234,50. Other braces stay.
func Fill(text string, k crm.Contact) string {
	amount := k.Amount.Reais()
	return strings.NewReplacer("{nome}", k.Name, "{email}", k.Email, "{telefone}", k.Phone, "{empresa}", k.Company,
		// Many write the sign themselves.
		"R${valor}", amount, "R$ {valor}", amount, "R$\u00a0{valor}", amount, "{valor}", amount).Replace(text)
}
