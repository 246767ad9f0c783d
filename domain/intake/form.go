package intake

import (
	"strings"
)

// eachPair yields each key=value of an urlencoded text, in order, still encoded.
func eachPair(s string, yield func(key, value string) error) error {
	for s != "" {
		var pair string
		pair, s, _ = strings.Cut(s, "&")
		if pair == "" {
			continue
		}
		key, value, _ := strings.Cut(pair, "=")
		if err := yield(key, value); err != nil {
			return err
		}
	}
	return nil
}

// unescape decodes %XX and +. A broken escape stays as it is: refusing the form would lose the lead.
func unescape(s string) string {
	if !strings.ContainsAny(s, "%+") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b = append(b, ' ')
		case s[i] == '%' && i+2 < len(s) && unhex(s[i+1]) >= 0 && unhex(s[i+2]) >= 0:
			b = append(b, byte(unhex(s[i+1])<<4|unhex(s[i+2])))
			i += 2
		default:
			b = append(b, s[i])
		}
	}
	return string(b)
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// formTree unfolds the bracketed keys of a form: a[b][c], a[], a[0][b]. A number in brackets is a name like any other, so a[999999999]
// costs what a[x] costs.
type formTree struct {
	root   branch
	leaves int
}

// branch is a node under construction: its members by key, in order of arrival.
type branch struct {
	key   string
	leaf  *node
	kids  []*branch
	index map[string]int
}

// add puts one value under a key as it was sent, decoded.
func (t *formTree) add(key string, value node) error {
	if t.leaves++; t.leaves > maxLeaves {
		return errTooMany()
	}
	b := &t.root
	head, rest := splitBracket(key)
	if strings.Count(rest, "[") >= maxDepth-1 {
		return errTooDeep()
	}
	b = b.enter(head)
	for rest != "" {
		var part string
		end := strings.IndexByte(rest, ']')
		part, rest = rest[1:end], rest[end+1:]
		if part == "" {
			b = b.append("")
			continue
		}
		b = b.enter(part)
	}
	if b.leaf == nil && len(b.kids) == 0 {
		b.leaf = &value
		return nil
	}
	b.append("").leaf = &value // the key again: the values become a list
	return nil
}

// splitBracket separates the name from well-formed brackets after it; anything else is all name.
func splitBracket(key string) (head, brackets string) {
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

func (b *branch) enter(key string) *branch {
	if i, ok := b.index[key]; ok {
		return b.kids[i]
	}
	if b.index == nil {
		b.index = map[string]int{}
	}
	kid := b.append(key)
	b.index[key] = len(b.kids) - 1
	return kid
}

func (b *branch) append(key string) *branch {
	kid := &branch{key: key}
	if b.leaf != nil {
		// A value and a group under one name: the value becomes a member without a name.
		b.kids = append(b.kids, &branch{leaf: b.leaf})
		b.leaf = nil
	}
	b.kids = append(b.kids, kid)
	return kid
}

// tree builds the nodes. A group whose names are nothing or count from zero is a list; other numbers are the ids of questions.
func (b *branch) tree(top bool) node {
	if b.leaf != nil {
		n := *b.leaf
		n.key = b.key
		return n
	}
	n := node{kind: isObject, key: b.key, kids: make([]node, 0, len(b.kids))}
	list := !top
	for _, k := range b.kids {
		list = list && countDigits(k.key) == len(k.key) && (len(n.kids) > 0 || k.key == "" || k.key == "0" || k.leaf == nil)
		n.kids = append(n.kids, k.tree(false))
	}
	if list {
		n.kind = isArray
	}
	return n
}
