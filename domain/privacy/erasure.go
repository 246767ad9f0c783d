package privacy

import (
	"slices"
	"time"
)

// Kind is a kind of what is held of a person, in the words of receipts and exports.
type Kind string

// The kinds, in the order in which they are erased.
const (
	Lookups    Kind = "consultas"
	Items      Kind = "itensDeLote"
	Contacts   Kind = "contatos"
	Parts      Kind = "documentosEmOutrosContatos"
	Removed    Kind = "contatosExcluidos"
	Rows       Kind = "linhasDeImportacao"
	Deliveries Kind = "entregas"
	Notices    Kind = "notificacoes"
)

// Further kinds, which go with one of the others.
const (
	// Answers go with their lookups.
	Answers Kind = "respostas"
	// Happenings and Runs go with their contact.
	Happenings Kind = "historico"
	Runs       Kind = "execucoes"
)

// Kinds are those that are gone through, one after the other.
func Kinds() []Kind {
	return []Kind{Lookups, Items, Contacts, Parts, Removed, Rows, Deliveries, Notices}
}

// Opened is whether what is held of a person is found by opening each row of the kind; the others have an index.
func (k Kind) Opened() bool { return slices.Contains([]Kind{Removed, Rows, Deliveries, Notices}, k) }

// Counts is how many there are of each kind.
type Counts map[Kind]int

// Add adds others.
func (c Counts) Add(o Counts) {
	for k, n := range o {
		c[k] += n
	}
}

// State is how far an erasure is.
type State string

// The states of an erasure.
const (
	Running State = "em_andamento"
	Done    State = "concluida"
)

// Erasure is a request that a person's data be gone, and in the end its receipt. Nothing of it says who the person is
// but Hashes, which are keyed.
type Erasure struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	State State
	// AskedBy is the name of the member who asked, or "operador".
	AskedBy    string
	At, EndsAt time.Time
	// Block is whether nobody of the organisation may look the person up again.
	Block bool
	// Hashes are those of the person's identities; KeyID names the key that made them.
	Hashes [][]byte
	KeyID  string
	// Gone is what has been erased so far.
	Gone Counts
	// Person is whom it is about; nil when it is done.
	Person *Person
	// Kind and After are what was gone through last. Round is how often all kinds have been.
	Kind  Kind
	After string
	Round int
	// Journalled is whether the journal outside of the database has it.
	Journalled bool
	// Replayed is when it was done once more, after a restore; zero without.
	Replayed time.Time
	// Lease is whoever works on it.
	Lease string
}

// Next is the kind that comes after the present one; false after the last one.
func (e *Erasure) Next() (Kind, bool) {
	kinds := Kinds()
	for n, k := range kinds {
		if k == e.Kind && n+1 < len(kinds) {
			return kinds[n+1], true
		}
	}
	if e.Kind == "" {
		return kinds[0], true
	}
	return "", false
}

// Entry is an erasure as the journal keeps it, outside of the database, for a restore.
type Entry struct {
	ID      string    `json:"id"`
	OrgID   string    `json:"organizacao"`
	AskedBy string    `json:"pedidaPor"`
	At      time.Time `json:"em"`
	Block   bool      `json:"bloqueio"`
	// KeyID names the key of the hashes.
	KeyID string `json:"chave"`
	// Hashes are keyed, so that they tell nobody's document.
	Hashes [][]byte `json:"titular"`
	// Contacts and Parts are ids.
	Contacts []string `json:"contatos"`
	Parts    []string `json:"partes,omitempty"`
}

// Block is a person whom nobody of an organisation may look up.
type Block struct {
	// ErasureID is the erasure that blocked him.
	ErasureID string
	OrgID     string
	AskedBy   string
	At        time.Time
	// Hashes are his documents'.
	Hashes [][]byte
}
