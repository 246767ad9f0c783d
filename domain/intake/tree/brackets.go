package tree

import (
	"strings"

	"fichario/domain/intake/names"
)

// bracketTree unfolds the bracketed keys of a form: a[b][c], a[], a[0][b]. A number in brackets is a name like any
// other, so a[999999999] costs what a[x] costs.
type bracketTree struct {
	root   branch
	leaves int
}

// branch is a node under construction: its members by key, in order of arrival.
type branch struct {
	key     string
	at      int // its place in the order of arrival
	leaf    *Node
	members []*branch
	index   map[string]int
}

// add puts one decoded value under a key as it was sent.
func (t *bracketTree) add(key string, value Node) error {
	if t.leaves++; t.leaves > maxLeaves {
		return ErrTooMany()
	}
	name, brackets := splitBrackets(key)
	if strings.Count(brackets, "[") >= MaxDepth-1 {
		return ErrTooDeep()
	}
	b := t.root.member(name, t.leaves)
	for brackets != "" {
		end := strings.IndexByte(brackets, ']')
		name, brackets = brackets[1:end], brackets[end+1:]
		if name == "" {
			b = b.append("", t.leaves)
			continue
		}
		b = b.member(name, t.leaves)
	}
	if b.leaf == nil && len(b.members) == 0 {
		b.leaf = &value
		return nil
	}
	b.append("", t.leaves).leaf = &value // a repeated key: its values become a list
	return nil
}

// tree returns the form as an object.
func (t *bracketTree) tree() Node { return t.root.node(true) }

// splitBrackets separates the name from well-formed brackets after it; anything else is all name.
func splitBrackets(key string) (name, brackets string) {
	i := strings.IndexByte(key, '[')
	if i <= 0 || key[len(key)-1] != ']' {
		return key, ""
	}
	for rest := key[i:]; rest != ""; {
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' || end < 0 || strings.IndexByte(rest[1:end], '[') >= 0 {
			return key, ""
		}
		rest = rest[end+1:]
	}
	return key[:i], key[i:]
}

// member returns the branch under a key, a new one when there is none. at is its place in the order of arrival.
func (b *branch) member(key string, at int) *branch {
	if i, ok := b.index[key]; ok {
		return b.members[i]
	}
	if b.index == nil {
		b.index = map[string]int{}
	}
	m := b.append(key, at)
	b.index[key] = len(b.members) - 1
	return m
}

func (b *branch) append(key string, at int) *branch {
	m := &branch{key: key, at: at}
	if b.leaf != nil {
		// A value and a group share a name: the value becomes a member without a name.
		b.members = append(b.members, &branch{leaf: b.leaf, at: b.at})
		b.leaf = nil
	}
	b.members = append(b.members, m)
	return m
}

// node builds the nodes. A group whose names are empty or count from zero is a list; other numbers are the ids of
// questions. The outermost group is never a list.
func (b *branch) node(top bool) Node {
	if b.leaf != nil {
		n := *b.leaf
		if n.Key = b.key; n.Scalar() {
			n.At = placeOf(b.at)
		} else {
			n.Within(&Node{At: placeOf(b.at)}) // a part that is JSON
		}
		return n
	}
	n := Node{Kind: Object, Key: b.key, At: placeOf(b.at), Children: make([]Node, 0, len(b.members))}
	list := !top
	for i, m := range b.members {
		list = list && names.CountDigits(m.key) == len(m.key) && (i > 0 || m.key == "" || m.key == "0" || m.leaf == nil)
		n.Children = append(n.Children, m.node(false))
	}
	if list {
		n.Kind = Array
	} else {
		SortMembers(n.Children)
	}
	return n
}
