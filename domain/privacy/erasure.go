package privacy

import (
	"slices"
	"time"
)

// Kind is a kind of data held about a person, in the words of receipts and exports.
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
	Texts      Kind = "mencoesEmOutrosContatos"
)

// Further kinds, which are erased along with one of the others.
const (
	// Answers go with their lookups.
	Answers Kind = "respostas"
	// Happenings and Runs go with their contact.
	Happenings Kind = "historico"
	Runs       Kind = "execucoes"
)

// Kinds returns those that an erasure goes through, one after the other.
func Kinds() []Kind {
	return []Kind{Lookups, Items, Contacts, Parts, Removed, Rows, Deliveries, Notices, Texts}
}

// Opened reports whether a person's rows of the kind are found by decrypting every row; the others have an index.
func (k Kind) Opened() bool {
	return slices.Contains([]Kind{Removed, Rows, Deliveries, Notices, Texts}, k)
}

// Changes reports whether old rows of the kind may come to name the person, so that every round opens all of them.
func (k Kind) Changes() bool { return k == Removed || k == Texts }

// Counts is the number of rows of each kind.
type Counts map[Kind]int

// Add adds o.
func (c Counts) Add(o Counts) {
	for k, n := range o {
		c[k] += n
	}
}

// State is the state of an erasure.
type State string

// The states of an erasure.
const (
	Running State = "em_andamento"
	Done    State = "concluida"
)

// Erasure is a request that a person's data be erased and, once done, its receipt, which identifies the person only by
// Hashes, which are keyed.
type Erasure struct {
	// ID is a UUIDv7.
	ID    string
	OrgID string
	State State
	// AskedBy is the name of the member who asked, or "operador".
	AskedBy    string
	At, EndsAt time.Time
	// Block is whether the organisation may no longer look the person up.
	Block bool
	// Hashes are those of the person's identities; KeyID names the key that made them.
	Hashes [][]byte
	KeyID  string
	// Gone counts what has been erased so far.
	Gone Counts
	// Person is the person to be erased; nil when it is done.
	Person *Person
	// Kind and After mark where the present round has got to. Round counts the rounds through all kinds.
	Kind  Kind
	After string
	Round int
	// Journalled is whether it is in the journal outside the database.
	Journalled bool
	// Replayed is when it was repeated after a restore; zero if it was not.
	Replayed time.Time
	// Lease identifies the worker that holds it.
	Lease string
}

// Next returns the kind after the present one; false after the last one.
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

// Entry is an erasure as the journal outside the database keeps it, to repeat it after a restore.
type Entry struct {
	ID      string
	OrgID   string
	AskedBy string
	At      time.Time
	Block   bool
	// KeyID names the key of the hashes.
	KeyID string
	// Hashes are keyed, so that they reveal no document.
	Hashes [][]byte
	// Contacts and Parts are ids.
	Contacts []string
	Parts    []string
}

// Block is a person whom an organisation may not look up.
type Block struct {
	// ErasureID is the erasure that set the block.
	ErasureID string
	OrgID     string
	AskedBy   string
	At        time.Time
	// Hashes are those of the person's documents.
	Hashes [][]byte
}
