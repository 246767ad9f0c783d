package crm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// ContactView is a contact with the names behind its ids.
type ContactView struct {
	Contact
	// Origin and Webhook are names; empty when there is none.
	Origin, Webhook string
	Funnel, Stage   string
	// StageOutcome is the outcome of the stage.
	StageOutcome Outcome
	// Assignee is the member that it is assigned to; the zero value for none.
	Assignee Member
}

// Version fingerprints what a form of the contact shows, so that a change in between is noticed.
func (c Contact) Version() string {
	sum := sha256.New()
	parts := []string{c.Name, c.Email, c.Phone, c.Company, c.Amount.String(), c.OriginID, c.Note}
	for _, d := range c.Documents {
		parts = append(parts, d.Value())
	}
	for _, part := range parts {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:9])
}

// AmountText is the contact's value as a form shows it: 1234,56.
func (c Contact) AmountText() string {
	whole, decimals, _ := strings.Cut(c.Amount.String(), ".")
	return whole + "," + decimals + "00"[min(len(decimals), 2):]
}
