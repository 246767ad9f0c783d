// Package audit records who did what to an organisation's settings and to personal data: an append-only chain of lines,
// each bound by a hash to the one before, so that a changed, removed or moved line is detected (design, section 14).
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

// Line records one action.
type Line struct {
	// ID is a UUIDv7; lines that an erasure emptied refer to the erasure's line by it.
	ID, OrgID string
	// Number counts the lines of an organisation from 1, without gaps.
	Number int64
	// At is in UTC, in whole microseconds, and never earlier than the previous line's.
	At     time.Time
	Actor  Actor
	Door   Door
	Action Action
	// Object is the id of what the action was done to; empty where that has none.
	Object string
	// RequestID is the id of the request, as in its answer and in the log.
	RequestID string
	// Address is the network that the request came from, Detail whatever else there is to say. Both are encrypted at rest;
	// when the person named in a line is erased, only Detail is removed.
	Address string
	Detail  Detail
	// AddressSum and DetailSum bind the line to both without revealing them; nil where they are empty.
	AddressSum, DetailSum []byte
	// Subject is the keyed hash of the person that the line is about, used to find it; nil for none. Hash does not cover
	// it.
	Subject []byte
	// ErasedBy is the id of the line of the erasure that removed Detail; empty for none.
	ErasedBy string
	Hash     Hash
	// Unreadable is whether Address or Detail cannot be opened, or does not match its sum.
	Unreadable bool
}

// Detail maps Portuguese names, as shown to people, to values.
type Detail map[string]string

// Actor is who did it: a kind and, for most, an id.
type Actor string

// The actors without an id: somebody who failed to sign in, the operator at the command line, and the service acting by
// itself.
const (
	Nobody   Actor = "ninguem"
	Operator Actor = "operador"
	Service  Actor = "servico"
)

// The kinds of actors that have an id.
const (
	memberKind, keyKind, automationKind = "membro", "chave", "automacao"
)

// ByMember returns the actor for the id of a member.
func ByMember(id string) Actor { return Actor(memberKind + " " + id) }

// ByKey returns the actor for the id of a key.
func ByKey(id string) Actor { return Actor(keyKind + " " + id) }

// ByAutomation returns the actor for the id of an automation.
func ByAutomation(id string) Actor { return Actor(automationKind + " " + id) }

// Kind returns membro, chave, automacao, operador, servico or ninguem.
func (a Actor) Kind() string { kind, _, _ := strings.Cut(string(a), " "); return kind }

// ID returns the actor's id; empty for an actor without one.
func (a Actor) ID() string { _, id, _ := strings.Cut(string(a), " "); return id }

// Door is the entrance through which an action was requested.
type Door string

// The doors. Own is the service's own work.
const (
	API       Door = "api"
	Interface Door = "interface"
	Command   Door = "comando"
	Own       Door = "servico"
)

// Hash binds a line to the one before.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads what String wrote; false for any other text.
func ParseHash(text string) (h Hash, ok bool) {
	raw, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != len(h) {
		return h, false
	}
	return Hash(raw), true
}

// After returns the hash of the line when it follows a line with the hash before; the first line follows the zero hash.
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

// SaltSize is how many random bytes Salted puts before a text, so that an erased text cannot be found by hashing
// guesses.
const SaltSize = 32

// Salted prepends a new salt to a text.
func Salted(plain []byte) []byte {
	out := make([]byte, SaltSize, SaltSize+len(plain))
	_, _ = rand.Read(out) // never fails: crypto/rand ends the program instead
	return append(out, plain...)
}

// Sum returns the hash that binds a line to what Salted made.
func Sum(salted []byte) []byte { s := sha256.Sum256(salted); return s[:] }

// Head says where a chain ends, stored apart from its lines so that the loss of the last ones is detected, and where it
// begins after old lines were removed.
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

// Label names an action in Portuguese; an unknown action is returned as it is.
func (a Action) Label() string { return cmp.Or(labels[a], string(a)) }
