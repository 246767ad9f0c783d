// Package tree makes one tree of a body's bytes, whatever their format: JSON, a form, multipart, XML or lines of text.
// It knows no field and no product.
package tree

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"fichario/domain/fault"
	"fichario/domain/text"
)

// Bounds of a body. They are far above what any form sends, and keep a hostile body cheap.
const (
	MaxDepth  = 64
	maxLeaves = 20000
)

// MaxKeyText bounds, in characters, what is shown of a key and what a line of text may have as its title.
const MaxKeyText = 60

// Kind is the kind of a node of the tree.
type Kind uint8

// The kinds; those up to String are scalars.
const (
	Null Kind = iota
	Bool
	Number
	String
	Object
	Array
)

// Node is a part of a body of whatever format. The members of an object stand in an order of our own (SortMembers), and
// a repeated key is kept twice: a map would lose an answer.
type Node struct {
	Kind     Kind
	At       Place  // in the order of arrival, for the note
	Texts    int8   // how many texts stand around it, each the value of a field
	Key      string // in its parent, when that is an object
	Text     string // of a scalar; the literal of a number
	Stranger bool   // an element beside people who each have a draft: it feeds no field
	Children []Node
}

// Place is where a part of a body arrived, before or after others.
type Place int64

const (
	// MaxTexts is how many texts, each in another, may stand around a part of a body: so deep may a submission come as the
	// value of another's field.
	MaxTexts = 3
	// bitsOfPlace is the size of a place within one text, which has at most maxLeaves.
	bitsOfPlace = 15
)

// placeOf is the place of the nth part of a text.
func placeOf(n int) Place { return Place(n) << (bitsOfPlace * MaxTexts) }

// Within says of what was read of a text that it arrived where the text did.
func (n *Node) Within(text *Node) { n.within(text.At, text.Texts+1) }

func (n *Node) within(text Place, texts int8) {
	n.At, n.Texts = text+n.At>>(bitsOfPlace*texts), texts
	for i := range n.Children {
		n.Children[i].within(text, texts)
	}
}

// SortMembers orders the members of an object independently of their arrival, since the order of keys has no meaning:
// shorter keys first, "E-mail" before "E-mail do sócio". Members with the same key keep their order.
func SortMembers(members []Node) {
	const few = 24
	if len(members) > few {
		slices.SortStableFunc(members, func(a, b Node) int { return compareKeys(a.Key, b.Key) })
		return
	}
	for i := 1; i < len(members); i++ {
		to := i
		for to > 0 && compareKeys(members[i].Key, members[to-1].Key) < 0 {
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

// Child returns the last member with a key, which is the one that counts where a key is repeated.
func (n *Node) Child(key string) *Node {
	for i := len(n.Children) - 1; i >= 0; i-- {
		if n.Children[i].Key == key {
			return &n.Children[i]
		}
	}
	return nil
}

// Path follows keys and returns nil where one is missing; an array is entered at its first element.
func (n *Node) Path(keys ...string) *Node {
	for _, k := range keys {
		if n = n.First(); n == nil || n.Kind != Object {
			return nil
		}
		n = n.Child(k)
	}
	return n.First()
}

// First enters an array at its first element.
func (n *Node) First() *Node {
	if n != nil && n.Kind == Array {
		if len(n.Children) == 0 {
			return nil
		}
		return &n.Children[0]
	}
	return n
}

// Str returns the text of a string or number at a path, cleaned, or "".
func (n *Node) Str(keys ...string) string {
	if c := n.Path(keys...); c != nil && (c.Kind == String || c.Kind == Number) {
		return text.OneLine(text.Clean(c.Text))
	}
	return ""
}

// Scalar reports whether a node holds one value, or none.
func (n *Node) Scalar() bool { return n.Kind <= String }

// Empty reports whether a node holds no answer.
func (n *Node) Empty() bool {
	switch n.Kind {
	case Null:
		return true
	case String:
		return strings.TrimSpace(n.Text) == ""
	case Object, Array:
		return len(n.Children) == 0
	}
	return false
}

// ScalarList reports whether a node is a list of scalars only.
func (n *Node) ScalarList() bool {
	if n.Kind != Array {
		return false
	}
	for i := range n.Children {
		if !n.Children[i].Scalar() {
			return false
		}
	}
	return true
}

// ScalarText is the text of a scalar as it goes into a note.
func ScalarText(n *Node) string {
	switch n.Kind {
	case Bool:
		if n.Text == "true" {
			return "Sim"
		}
		return "Não"
	case Number, String:
		return text.Clean(withoutEntities(n.Text))
	}
	return ""
}

// entity matches a character as HTML writes it, which WordPress and PHP leave in what they send.
var entity = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});`)

func withoutEntities(s string) string {
	if at := strings.IndexByte(s, '&'); at < 0 || strings.IndexByte(s[at:], ';') < 0 {
		return s
	}
	return entity.ReplaceAllStringFunc(s, html.UnescapeString)
}

// ErrTooDeep refuses a body nested deeper than any form sends.
func ErrTooDeep() error {
	return fault.New(fault.InvalidRequest, fmt.Sprintf("O corpo tem mais de %d níveis, um dentro do outro.", MaxDepth))
}

// ErrTooMany refuses a body with more fields than any form sends.
func ErrTooMany() error {
	return fault.New(fault.InvalidRequest, fmt.Sprintf("O corpo tem mais de %d campos.", maxLeaves))
}
