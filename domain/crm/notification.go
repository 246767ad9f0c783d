package crm

import (
	"cmp"
	"time"
)

// NotificationKind says what a notification tells.
type NotificationKind string

// The kinds of notifications.
const (
	// NewContact: a contact came in.
	NewContact NotificationKind = "contato"
	// JobDead: an automation or e-mail was given up.
	JobDead NotificationKind = "falha"
	// CapReached: a key has used 80 or 100 % of a limit, once each.
	CapReached NotificationKind = "limite"
	// CeilingReached: an automation has reached its ceiling for the month.
	CeilingReached NotificationKind = "teto"
	// BatchEnded: a batch is done or was cancelled.
	BatchEnded NotificationKind = "lote"
	// BatchPaused: a batch has paused by itself.
	BatchPaused NotificationKind = "lote_pausado"
	// ImportEnded: an import of contacts is done.
	ImportEnded NotificationKind = "importacao"
	// ChainCut: automations answered each other so often that they were stopped for a contact.
	ChainCut NotificationKind = "cadeia"
	// BureauExhausted: a bureau has no credit left.
	BureauExhausted NotificationKind = "bureau_sem_credito"
	// SourceToken: the token of a page whose leads are fetched ends soon, or has ended.
	SourceToken NotificationKind = "fonte_sem_acesso" //nolint:gosec // no credential
)

// Notification tells the team of an organisation that something happened. It is shown to every active member, and
// marked as read by each separately.
type Notification struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	Kind  NotificationKind
	// ContactID is the contact that it is about, ContactName its name now; empty where there is none.
	ContactID, ContactName string
	// BatchID is the batch that it is about, BatchName its name; empty where there is none.
	BatchID, BatchName string
	// Subject is the name of the webhook, or of what was given up; for all other kinds it is the message itself.
	Subject string
	At      time.Time
	// Read is whether the member who asks has read it.
	Read bool
}

// Title is its first line, in Portuguese.
func (n Notification) Title() string {
	switch n.Kind {
	case JobDead:
		return "Automação sem sucesso"
	case CapReached:
		return "Limite de uma chave"
	case CeilingReached:
		return "Teto de uma automação"
	case BatchEnded:
		return "Lote encerrado"
	case BatchPaused:
		return "Lote pausado"
	case ImportEnded:
		return "Importação concluída"
	case ChainCut:
		return "Automações que se respondem"
	case BureauExhausted:
		return "Bureau sem crédito"
	case SourceToken:
		return "Leads de anúncios"
	case NewContact:
	}
	return "Novo contato"
}

// Text is the rest of it, in Portuguese.
func (n Notification) Text() string {
	switch n.Kind {
	case JobDead:
		if n.ContactID == "" {
			return n.Subject + " falhou e não será tentada de novo sozinha."
		}
		return n.Subject + " falhou para " + n.contact() + " e não será tentada de novo sozinha."
	case CapReached, CeilingReached, ImportEnded, ChainCut, BureauExhausted, SourceToken:
		return n.Subject
	case BatchEnded, BatchPaused:
		return n.BatchName + ": " + n.Subject
	case NewContact:
	}
	return n.contact() + " chegou pelo webhook " + n.Subject + "."
}

// contact returns the name of the contact, or a phrase for one that was deleted or merged.
func (n Notification) contact() string { return cmp.Or(n.ContactName, "Um contato que saiu da lista") }
