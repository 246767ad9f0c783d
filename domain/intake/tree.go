package intake

import (
	"fmt"
	"slices"
	"strings"

	"fichario/domain/fault"
	"fichario/domain/text"
)

// Bounds of a body. They are far above what any form sends, and keep a hostile body cheap.
const (
	maxDepth  = 64
	maxLeaves = 20000
)

// maxKeyText bounds, in characters, what is shown of a key and what a line of text may have as its title.
const maxKeyText = 60

// nodeKind is the kind of a node of the tree.
type nodeKind uint8

const (
	isNull nodeKind = iota
	isBool
	isNumber
	isString
	isObject
	isArray
)

// node is a part of a body of whatever format. The members of an object stand in an order of our own (sortMembers), and
// a repeated key is kept twice: a map would lose an answer.
type node struct {
	kind     nodeKind
	at       int32  // its place in the order of arrival, for the note
	key      string // in its parent, when that is an object
	text     string // of a scalar; the literal of a number
	stranger bool   // an element beside people who each have a draft: it feeds no field
	children []node
}

// sortMembers orders the members of an object independently of their arrival, since the order of keys has no meaning:
// shorter keys first, "E-mail" before "E-mail do sócio". Members with the same key keep their order.
func sortMembers(members []node) {
	const few = 24
	if len(members) > few {
		slices.SortStableFunc(members, func(a, b node) int { return compareKeys(a.key, b.key) })
		return
	}
	for i := 1; i < len(members); i++ {
		to := i
		for to > 0 && compareKeys(members[i].key, members[to-1].key) < 0 {
			to--
		}
		if to < i {
			moved := members[i]
			copy(members[to+1:i+1], members[to:i])
			members[to] = moved
		}
	}
}

func compareKeys(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// child returns the last member with a key, which is the one that counts where a key is repeated.
func (n *node) child(key string) *node {
	for i := len(n.children) - 1; i >= 0; i-- {
		if n.children[i].key == key {
			return &n.children[i]
		}
	}
	return nil
}

// path follows keys and returns nil where one is missing; an array is entered at its first element.
func (n *node) path(keys ...string) *node {
	for _, k := range keys {
		if n = n.first(); n == nil || n.kind != isObject {
			return nil
		}
		n = n.child(k)
	}
	return n.first()
}

// first enters an array at its first element.
func (n *node) first() *node {
	if n != nil && n.kind == isArray {
		if len(n.children) == 0 {
			return nil
		}
		return &n.children[0]
	}
	return n
}

// str returns the text of a string or number at a path, cleaned, or "".
func (n *node) str(keys ...string) string {
	if c := n.path(keys...); c != nil && (c.kind == isString || c.kind == isNumber) {
		return text.OneLine(text.Clean(c.text))
	}
	return ""
}

func (n *node) scalar() bool { return n.kind <= isString }

// empty reports whether a node holds no answer.
func (n *node) empty() bool {
	switch n.kind {
	case isNull:
		return true
	case isString:
		return strings.TrimSpace(n.text) == ""
	case isObject, isArray:
		return len(n.children) == 0
	}
	return false
}

// scalarList reports whether a node is a list of scalars only.
func (n *node) scalarList() bool {
	if n.kind != isArray {
		return false
	}
	for i := range n.children {
		if !n.children[i].scalar() {
			return false
		}
	}
	return true
}

// scalarText is the text of a scalar as it goes into a note.
func scalarText(n *node) string {
	switch n.kind {
	case isBool:
		if n.text == "true" {
			return "Sim"
		}
		return "Não"
	case isNumber, isString:
		return text.Clean(n.text)
	}
	return ""
}

// errTooDeep and errTooMany are the refusals of a body that no form sends.
func errTooDeep() error {
	return fault.New(fault.InvalidRequest, fmt.Sprintf("O corpo tem mais de %d níveis, um dentro do outro.", maxDepth))
}

func errTooMany() error {
	return fault.New(fault.InvalidRequest, fmt.Sprintf("O corpo tem mais de %d campos.", maxLeaves))
}
