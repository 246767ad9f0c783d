package privacy

import (
	"bytes"
	"slices"
	"time"
)

// Kind is a kind of data held about a person, in the words of receipts and exports.
type Kind string

// The kinds; see kinds.
const (
	Lookups    Kind = "consultas"
	Answers    Kind = "respostas"
	Items      Kind = "itensDeLote"
	Contacts   Kind = "contatos"
	Happenings Kind = "historico"
	Runs       Kind = "execucoes"
	Parts      Kind = "documentosEmOutrosContatos"
	Removed    Kind = "contatosExcluidos"
	Rows       Kind = "linhasDeImportacao"
	Deliveries Kind = "entregas"
	Batches    Kind = "nomesDeLotes"
	Imports    Kind = "nomesDeImportacoes"
	Notices    Kind = "notificacoes"
	Texts      Kind = "mencoesEmOutrosContatos"
)

// Found is how a person's rows of a kind are found.
type Found int

// How rows are found.
const (
	// WithAnother is a kind whose rows go with those of another: answers with lookups, history and runs with contacts.
	WithAnother Found = iota
	// ByIndex is by the index of persons.
	ByIndex
	// ByContact is by the contacts in which the person's identities are found.
	ByContact
	// ByOpening is by decrypting every row.
	ByOpening
	// ByOpeningAgain is likewise; but an old row may come to name the person, so that every round opens all of them.
	ByOpeningAgain
)

type declared struct {
	kind  Kind
	found Found
	name  string
}

// kinds declares the kinds, in the order in which they are erased: how a person's rows are found, and what they are
// called on pages.
var kinds = []declared{
	{Lookups, ByIndex, "Consultas"},
	{Answers, WithAnother, "Respostas do bureau guardadas"},
	{Items, ByIndex, "Linhas de lotes"},
	{Contacts, ByContact, "Contatos"},
	{Happenings, WithAnother, "Registros no histórico dos contatos"},
	{Runs, WithAnother, "Execuções de automações"},
	{Parts, ByContact, "Documento em contatos de outras pessoas"},
	{Removed, ByOpeningAgain, "Contatos excluídos ou unidos"},
	{Rows, ByOpening, "Linhas de importações"},
	{Deliveries, ByOpening, "Envios recebidos por webhooks"},
	{Batches, ByOpening, "Nomes e colunas de lotes"},
	{Imports, ByOpeningAgain, "Nomes e colunas de importações"}, // who works on one writes its settings again
	{Notices, ByOpening, "Notificações"},
	{Texts, ByOpeningAgain, "Menções em contatos de outras pessoas"},
}

// Kinds returns those that an erasure goes through, one after the other.
func Kinds() []Kind { return kindsOf(func(f Found) bool { return f != WithAnother }) }

// AllKinds returns all kinds, each after the one that its rows go with.
func AllKinds() []Kind { return kindsOf(func(Found) bool { return true }) }

func kindsOf(is func(Found) bool) (out []Kind) {
	for _, k := range kinds {
		if is(k.found) {
			out = append(out, k.kind)
		}
	}
	return out
}

// declared is what kinds says of a kind; the zero value for what is none.
func (k Kind) declared() (of declared) {
	for _, one := range kinds {
		if one.kind == k {
			of = one
		}
	}
	return of
}

// Found returns how a person's rows of the kind are found.
func (k Kind) Found() Found { return k.declared().found }

// Name is the kind in Portuguese, for people.
func (k Kind) Name() string { return k.declared().name }

// Opened reports whether a person's rows of the kind are found by decrypting every row.
func (k Kind) Opened() bool { return k.Found() == ByOpening || k.Changes() }

// Changes reports whether old rows of the kind may come to name the person, so that every round opens all of them.
func (k Kind) Changes() bool { return k.Found() == ByOpeningAgain }

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
	// Told says whom the person's data were passed on to; complete when it is done.
	Told []PassedOn
	// Person is the person to be erased; nil when it is done.
	Person *Person
	// Contacts and Parts are ids, those of the Person, once it is done.
	Contacts, Parts []string
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

// PassedOn is a platform that was told of a person, and when, UTC.
type PassedOn struct {
	To string
	At time.Time
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

// Hashes returns known hashes, and those of more that are new.
func Hashes(known, more [][]byte) [][]byte {
	known = slices.Clip(known)
	for _, one := range more {
		if !slices.ContainsFunc(known, func(other []byte) bool { return bytes.Equal(one, other) }) {
			known = append(known, one)
		}
	}
	return known
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

// Entry returns the line of an erasure in a journal.
func (e *Erasure) Entry() Entry {
	contacts, parts := e.Contacts, e.Parts
	if e.Person != nil {
		contacts, parts = e.Person.Contacts, e.Person.Parts
	}
	return Entry{
		ID: e.ID, OrgID: e.OrgID, AskedBy: e.AskedBy, At: e.At, Block: e.Block, KeyID: e.KeyID, Hashes: e.Hashes,
		Contacts: contacts, Parts: parts,
	}
}

// United returns one entry for each erasure, with what all its lines in a journal know: an erasure has another line for
// whatever it has found since, and where several journals are put together the last line need not be the newest.
func United(lines []Entry) (out []Entry) {
	type name struct{ id, key string } // hashes by different keys have nothing in common
	places := map[name]int{}
	for _, line := range lines {
		n, there := places[name{line.ID, line.KeyID}]
		if !there {
			places[name{line.ID, line.KeyID}] = len(out)
			out = append(out, line)
			continue
		}
		e := &out[n]
		e.Block = e.Block || line.Block
		e.Hashes = Hashes(e.Hashes, line.Hashes)
		e.Contacts = append(slices.Clip(e.Contacts), line.Contacts...)
		e.Parts = append(slices.Clip(e.Parts), line.Parts...)
	}
	return out
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
