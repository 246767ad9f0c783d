package crm

import "time"

// BulkKind is what is done to many contacts.
type BulkKind string

// The kinds of bulk actions.
const (
	// BulkAssign gives them to a member.
	BulkAssign BulkKind = "atribuir"
	// BulkMove puts them into a stage.
	BulkMove BulkKind = "mover"
	// BulkDelete deletes them.
	BulkDelete BulkKind = "excluir"
	// BulkImport makes them from the rows of a file.
	BulkImport BulkKind = "importar"
)

// BulkStatus is the state of a bulk action.
type BulkStatus string

// The states of a bulk action.
const (
	// BulkDraft is an import that has not been started.
	BulkDraft   BulkStatus = "rascunho"
	BulkRunning BulkStatus = "fazendo"
	BulkDone    BulkStatus = "concluida"
	BulkUndoing BulkStatus = "desfazendo"
	BulkUndone  BulkStatus = "desfeita"
)

// Bulk is an action on many contacts, done in steps.
type Bulk struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	// MemberID is who asked for it.
	MemberID string
	Kind     BulkKind
	// TargetID is the member of BulkAssign and the stage of BulkMove.
	TargetID string
	// Settings are those of BulkImport: an Import in JSON; of another action that is undone, who undoes it.
	Settings []byte
	Status   BulkStatus
	// Total is how many contacts or rows it covers, Done how many of them were processed, Skipped how many of these were
	// left as they were. An undo counts Done and Skipped from zero again.
	Total, Done, Skipped int
	At                   time.Time
	// EndedAt is when it was done; zero before.
	EndedAt time.Time
	// Unreadable is true where the settings cannot be opened.
	Unreadable bool
}

// UndoBulk is how long after its end a bulk action can be undone.
const UndoBulk = 30 * time.Second

// CanUndo reports whether it can be undone at a time.
func (b Bulk) CanUndo(now time.Time) bool {
	return b.Status == BulkDone && b.Kind != BulkImport && b.Done > b.Skipped && now.Sub(b.EndedAt) <= UndoBulk
}

// Open reports whether there is work left to do.
func (b Bulk) Open() bool { return b.Status == BulkRunning || b.Status == BulkUndoing }

// BulkState is the state of one contact of a bulk action.
type BulkState string

// The states of an item.
const (
	ItemWaiting BulkState = "espera"
	ItemDone    BulkState = "feito"
	// ItemSkipped: it was that way already, or no longer exists.
	ItemSkipped BulkState = "pulado"
	ItemUndone  BulkState = "desfeito"
	// ItemFilled: an existing contact was completed from the row.
	ItemFilled BulkState = "completado"
	// ItemWrong: the row does not make a contact.
	ItemWrong BulkState = "erro"
)

// Why a contact was left as it was: the Result of an item that is ItemSkipped. LeftByUndo precedes it where the contact
// was changed, and left as it was by the undo.
const (
	LeftGone     = "o contato não existe mais"
	LeftSame     = "já estava assim"
	LeftInactive = "a pessoa não está mais ativa"
	LeftNowhere  = "a etapa não existe mais"
	LeftChanged  = "mudou depois"
	LeftByUndo   = "ao desfazer: "
)

// BulkItem is one contact of a bulk action.
type BulkItem struct {
	// ID is a UUIDv7; items are done in the order of their ids.
	ID     string
	BulkID string
	// ContactID is empty for a row that made no contact.
	ContactID string
	State     BulkState
	// BeforeID is the member or the stage that the contact had before.
	BeforeID string
	// Content is the row of BulkImport: an ImportRow in JSON.
	Content []byte
	// Result says in Portuguese what became of it; empty where State says it.
	Result string
	// Unreadable is true where the content cannot be opened.
	Unreadable bool
}
