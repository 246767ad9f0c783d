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
	// BulkImport makes them of the rows of a file.
	BulkImport BulkKind = "importar"
)

// BulkStatus is where a bulk action is.
type BulkStatus string

// The states of a bulk action.
const (
	// BulkDraft is an import that nobody has begun.
	BulkDraft   BulkStatus = "rascunho"
	BulkRunning BulkStatus = "fazendo"
	BulkDone    BulkStatus = "concluida"
	BulkUndoing BulkStatus = "desfazendo"
	BulkUndone  BulkStatus = "desfeita"
)

// Bulk is something that is done to many contacts, some at a time.
type Bulk struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	// MemberID is who asked for it.
	MemberID string
	Kind     BulkKind
	// TargetID is the member of BulkAssign and the stage of BulkMove.
	TargetID string
	// Settings are those of BulkImport: an Import in JSON.
	Settings []byte
	Status   BulkStatus
	// Total is how many contacts or rows it is about, Done how many of them were looked at, Skipped how many of these were
	// left as they were. While it is undone they count anew.
	Total, Done, Skipped int
	At                   time.Time
	// EndedAt is when it was done; zero before.
	EndedAt time.Time
	// Unreadable is true where the settings cannot be opened.
	Unreadable bool
}

// UndoBulk is for how long after its end a bulk action can be undone.
const UndoBulk = 30 * time.Second

// CanUndo reports whether it can be undone at a time.
func (b Bulk) CanUndo(now time.Time) bool {
	return b.Status == BulkDone && b.Kind != BulkImport && b.Done > b.Skipped && now.Sub(b.EndedAt) <= UndoBulk
}

// Open reports whether there is something to do.
func (b Bulk) Open() bool { return b.Status == BulkRunning || b.Status == BulkUndoing }

// BulkState is where one contact of a bulk action is.
type BulkState string

// The states of an item.
const (
	ItemWaiting BulkState = "espera"
	ItemDone    BulkState = "feito"
	// ItemSkipped: it was that way already, or is there no more.
	ItemSkipped BulkState = "pulado"
	ItemUndone  BulkState = "desfeito"
	// ItemFilled: a contact was filled from the row.
	ItemFilled BulkState = "completado"
	// ItemWrong: the row is no contact.
	ItemWrong BulkState = "erro"
)

// BulkItem is one contact of a bulk action.
type BulkItem struct {
	// ID is a UUIDv7; items are done in the order of their ids.
	ID     string
	BulkID string
	// ContactID is empty for a row that is no contact.
	ContactID string
	State     BulkState
	// BeforeID is the member or the stage that it had.
	BeforeID string
	// Content is the row of BulkImport: an ImportRow in JSON.
	Content []byte
	// Result says in Portuguese what became of it; empty where State says it.
	Result string
	// Unreadable is true where the content cannot be opened.
	Unreadable bool
}
