// Package products knows the form products: one file for each, in the list All. A product's file says what belongs to
// that product alone: where its ids are, which of its numbers are cents, and what the members of its envelope mean.
// Whatever several products have in common is a rule of package intake.
package products

import (
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
)

// Product is what the reader knows about one product. All fields but the name are optional.
type Product struct {
	// Name begins the id of a submission: "typeform:…".
	Name string
	// IDs are where it puts its own id of a submission.
	IDs []ID
	// Cents recognise its objects whose integers are cents.
	Cents []Cents
	// Envelopes are its objects whose members mean what their names do not say.
	Envelopes []Envelope
	// EventPrefix begins keys that name an event, under which stands what happened, or a list of it.
	EventPrefix string
	// EventID is the path of the id in what happened.
	EventID []string
	// Sent returns the body that was sent where it wraps it in one of its own, else nil.
	Sent func(body *tree.Node) *tree.Node
	// Mirrors marks the elements of a list that repeat others; nil for none.
	Mirrors func(list *tree.Node) []bool
	// Parts returns the keys of the elements of a list that is the answer to one question, else nil.
	Parts func(list *tree.Node) []string
	// About returns what an answer's object is about where that is not the person, else "".
	About func(item *tree.Node) string
	// TestAnswer begins the answers of its testing tool.
	TestAnswer string
	// IDOnly ends the keys of posts that have no answers, and Remedy says to whoever set the webhook up what to do.
	IDOnly, Remedy string
}

// ID says where a product puts its own id of a submission, the same in every retry. Keys are joined with dots.
type ID struct {
	// Has are the members that identify the product, separated by spaces.
	Has string
	// When is what else must hold; nil for nothing.
	When func(*tree.Node) bool
	// From are the members that make the id, separated by spaces.
	From string
	// Shared says that posts of several people have the same.
	Shared bool
	// Late says that the names are common ones, to be tried after the others of all products.
	Late bool
}

// Cents recognises an object of a product whose integers are cents.
type Cents struct {
	// Has are the members that identify the product, separated by spaces; the first should be a rare one.
	Has string
	// When is what else must hold; nil for nothing.
	When func(*tree.Node) bool
	// Amounts are the members that hold cents, in normal form: the total first, then less complete ones. Those after "-"
	// are never the value.
	Amounts string
}

// Envelope recognises an object of a product by the key of a member.
type Envelope struct {
	// Marks are the keys, separated by spaces, of which one is enough.
	Marks string
	// Of returns what the members of the object mean; nil when it is not the product's.
	Of func(w Walk, object, mark *tree.Node) *Members
}

// Members is what the members of an object mean. A member that no reading takes is read by its name.
type Members struct {
	// Every is asked first, about every member.
	Every Reading
	// By are readings by key.
	By map[string]Reading
	// Rest is asked last, about what nothing else explains.
	Rest Reading
}

// Reading reads a member, and reports whether it did.
type Reading func(w Walk, member *tree.Node) bool

// Walk is what the reader does with a part of a body when a product asks for it.
type Walk interface {
	// Drop accounts for a part that is no answer. rule says why.
	Drop(rule string, n *tree.Node)
	// Read walks a part.
	Read(n *tree.Node, as Role)
	// ReadInside walks a part as a member of something that says nothing about the contact.
	ReadInside(around string, n *tree.Node)
	// Learn records the titles of questions, to which answers refer by id.
	Learn(questions *tree.Node)
	// Attribute records what a part says about how the contact came here, under a key.
	Attribute(key string, n *tree.Node)
	// Refuse records a consent that was not given, under its key and title.
	Refuse(key, title string)
	// Label has find look for the label of each answer in a text. cost is how many bytes it searched, which the reader
	// limits in all.
	Label(find func(answer *tree.Node) (label string, cost int))
}

// Role is what a part is read as.
type Role uint8

// The roles.
const (
	// Answer is what the part's name says.
	Answer Role = iota
	// Bare is Answer without the names around it.
	Bare
	// NoteOnly is Answer that feeds no field.
	NoteOnly
	// Ours is about the sender of the post and not about the contact.
	Ours
	// Deal is a deal or a purchase.
	Deal
	// Stated is Answer, in which a weak name of the origin counts as a strong one.
	Stated
	// StatedMembers is Stated for the members of an object, as if they stood in its place.
	StatedMembers
)

// reads returns the reading as a role.
func reads(as Role) Reading {
	return func(w Walk, k *tree.Node) bool {
		w.Read(k, as)
		return true
	}
}

// scalars limits a reading to members that hold one value, trees to all others.
func scalars(r Reading) Reading {
	return func(w Walk, k *tree.Node) bool { return k.Scalar() && r(w, k) }
}

func trees(r Reading) Reading {
	return func(w Walk, k *tree.Node) bool { return !k.Scalar() && r(w, k) }
}

// drops returns the reading that drops a member.
func drops(rule string) Reading {
	return func(w Walk, k *tree.Node) bool {
		w.Drop(rule, k)
		return true
	}
}

// when returns an envelope's Of for members that always mean the same, if a condition holds.
func when(holds func(object, mark *tree.Node) bool, by map[string]Reading) func(Walk, *tree.Node, *tree.Node) *Members {
	m := &Members{By: by}
	return func(_ Walk, object, mark *tree.Node) *Members {
		if !holds(object, mark) {
			return nil
		}
		return m
	}
}

// always is the condition that the mark is enough.
func always(_, _ *tree.Node) bool { return true }

// beside is the condition that an object has other members too, whatever the mark is.
func beside(keys string) func(object, mark *tree.Node) bool {
	list := strings.Fields(keys)
	return func(object, _ *tree.Node) bool {
		for _, k := range list {
			if object.Child(k) == nil {
				return false
			}
		}
		return true
	}
}

// Created reports whether an event creates a record, which happens once.
func Created(event string) bool { return names.HasAny(names.Words(event), creating) }

var creating = names.Set(`create created insert inserted add added`)

func creates(n *tree.Node) bool { return Created(n.Str("event")) }
