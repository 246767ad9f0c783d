// Package audit records who did what with an organisation's settings and with personal data. Lines are only ever
// appended, and each is bound to the one before by a hash, so that a changed, removed or moved line is found
// (design, section 14).
package audit

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

// Line is one thing that was done.
type Line struct {
	// ID is a UUIDv7, by which an erasure is named in the lines that it emptied.
	ID, OrgID string
	// Number counts the lines of an organisation from 1, without gaps.
	Number int64
	// At is in UTC, in whole microseconds, and never before the line before.
	At     time.Time
	Actor  Actor
	Door   Door
	Action Action
	// Object is the id of what it was done to; empty for nothing that has one.
	Object string
	// RequestID is that of the request, as in its answer and in the log.
	RequestID string
	// Address is the network that the request came from, and Detail what else there is to say. Both are sealed at rest;
	// only Detail goes when the person whom it names is erased.
	Address string
	Detail  Detail
	// AddressSum and DetailSum bind the line to them without telling them; nil where they are empty.
	AddressSum, DetailSum []byte
	// Subject is the keyed hash of whom the line is about, by which it is found again; nil for nobody. It is not bound.
	Subject []byte
	// ErasedBy is the id of the line of the erasure that took Detail away; empty for none.
	ErasedBy string
	Hash     Hash
	// Unreadable is whether Address or Detail cannot be opened, or is not what the line is bound to.
	Unreadable bool
}

// Detail are values by their names, which are in Portuguese as people see them.
type Detail map[string]string

// Actor is who did it: a kind and, for most, an id.
type Actor string

// Nobody is who tried to sign in and could not, the operator who used the command line, and the service who did
// something by itself.
const (
	Nobody   Actor = "ninguem"
	Operator Actor = "operador"
	Service  Actor = "servico"
)

// The kinds of actors that have an id.
const (
	memberKind, keyKind, automationKind = "membro", "chave", "automacao"
)

// ByMember is a member by his id.
func ByMember(id string) Actor { return Actor(memberKind + " " + id) }

// ByKey is a key by its id.
func ByKey(id string) Actor { return Actor(keyKind + " " + id) }

// ByAutomation is an automation by its id.
func ByAutomation(id string) Actor { return Actor(automationKind + " " + id) }

// Kind is membro, chave, automacao, operador, servico or ninguem.
func (a Actor) Kind() string { kind, _, _ := strings.Cut(string(a), " "); return kind }

// ID is empty for who has none.
func (a Actor) ID() string { _, id, _ := strings.Cut(string(a), " "); return id }

// Door is how somebody came in.
type Door string

// The doors. Nothing said is the service's own work.
const (
	API       Door = "api"
	Interface Door = "interface"
	Command   Door = "comando"
	Own       Door = "servico"
)

// Hash is what binds a line to the one before.
type Hash [sha256.Size]byte

// String is in hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads what String wrote; false for any other text.
func ParseHash(text string) (h Hash, ok bool) {
	raw, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != len(h) {
		return h, false
	}
	return Hash(raw), true
}

// After is the hash that a line has behind one with another hash; the first line is behind the zero hash.
func (l Line) After(before Hash) (h Hash) {
	sum := sha256.New()
	field := func(b []byte) {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(b)))
		_, _ = sum.Write(length[:]) // never fails
		_, _ = sum.Write(b)
	}
	number := func(n int64) { field(binary.BigEndian.AppendUint64(nil, uint64(n))) }
	field([]byte("fichario audit 1"))
	field(before[:])
	field([]byte(l.ID))
	field([]byte(l.OrgID))
	number(l.Number)
	number(l.At.UnixMicro())
	for _, text := range []string{string(l.Actor), string(l.Door), string(l.Action), l.Object, l.RequestID} {
		field([]byte(text))
	}
	field(l.AddressSum)
	field(l.DetailSum)
	sum.Sum(h[:0])
	return h
}

// SaltSize is how many random bytes stand before what Sum binds, so that nobody finds out by trying what was there once
// it is gone.
const SaltSize = 32

// Salted puts a new salt before a text.
func Salted(plain []byte) []byte {
	out := make([]byte, SaltSize, SaltSize+len(plain))
	_, _ = rand.Read(out) // never fails: crypto/rand ends the program instead
	return append(out, plain...)
}

// Sum binds a line to what Salted made.
func Sum(salted []byte) []byte { s := sha256.Sum256(salted); return s[:] }

// Head is where a chain ends, kept apart from its lines so that one which lost its last ones is known, and where it
// begins since what was old enough was removed.
type Head struct {
	OrgID string
	// Number and Hash are those of the last line, At its time; zero before the first.
	Number int64
	Hash   Hash
	At     time.Time
	// RemovedNumber and RemovedHash are those of the last line that was removed for its age; zero for none.
	RemovedNumber int64
	RemovedHash   Hash
}

// Action is what was done, as "thing.participle" in Portuguese.
type Action string

// Label is an action in words; one that is not known is its own.
func (a Action) Label() string { return cmp.Or(labels[a], string(a)) }
