package intake

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"fichario/domain/fault"
	"fichario/domain/text"
)

// Bounds of a body. They are far above what any form sends, and keep a hostile body cheap.
const (
	maxDepth  = 64
	maxLeaves = 20000
)

// kindOf is what a node of the tree is.
type kindOf uint8

const (
	isNull kindOf = iota
	isBool
	isNumber
	isString
	isObject
	isArray
)

// node is a part of a body, whatever it was written in. Members keep their order, and a key that comes twice is there twice: a map would
// lose an answer.
type node struct {
	kind kindOf
	key  string // in its parent, when that is an object
	text string // of a scalar; the literal of a number
	kids []node
}

// child returns the last member with a key, which is the one that counts where a key is repeated.
func (n *node) child(key string) *node {
	for i := len(n.kids) - 1; i >= 0; i-- {
		if n.kids[i].key == key {
			return &n.kids[i]
		}
	}
	return nil
}

// path follows keys and gives nil where one is missing; an array is entered at its first element.
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
		if len(n.kids) == 0 {
			return nil
		}
		return &n.kids[0]
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

// empty reports whether there is no answer in a node.
func (n *node) empty() bool {
	switch n.kind {
	case isNull:
		return true
	case isString:
		return strings.TrimSpace(n.text) == ""
	case isObject, isArray:
		return len(n.kids) == 0
	}
	return false
}

// errTooDeep and errTooMany are the refusals of a body that no form sends.
func errTooDeep() error {
	return fault.New(fault.InvalidRequest, fmt.Sprintf("O corpo tem mais de %d níveis, um dentro do outro.", maxDepth))
}

func errTooMany() error {
	return fault.New(fault.InvalidRequest, fmt.Sprintf("O corpo tem mais de %d campos.", maxLeaves))
}

// parseJSON reads a JSON text, which must be valid UTF-8.
func parseJSON(body string) (node, error) {
	if !json.Valid([]byte(body)) {
		fixed, changed := escapeBreaks(body)
		if !changed || !json.Valid([]byte(fixed)) {
			return node{}, syntaxError(body)
		}
		body = fixed
	}
	p := jsonParser{s: body}
	return p.value(0)
}

// syntaxError says where a JSON text breaks, without showing any of it.
func syntaxError(body string) error {
	var raw json.RawMessage
	err := json.Unmarshal([]byte(body), &raw)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		if strings.Contains(syntax.Error(), "max depth") {
			return errTooDeep()
		}
		return fault.New(fault.InvalidRequest, fmt.Sprintf("O corpo não é um JSON válido: há um erro na posição %d.", syntax.Offset)).Because(err)
	}
	return fault.New(fault.InvalidRequest, "O corpo não é um JSON válido.")
}

// escapeBreaks escapes the control characters inside the strings of a JSON text. Templates that paste an answer of several lines between
// quotes leave them bare, and the lead should not be lost for it.
func escapeBreaks(s string) (string, bool) {
	var b strings.Builder
	inside, changed := false, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case inside && c == '\\' && i+1 < len(s):
			b.WriteByte(c)
			i++
			c = s[i]
		case c == '"':
			inside = !inside
		case inside && c < ' ':
			changed = true
			b.WriteString(`\u00`)
			b.WriteByte("01"[c>>4])
			b.WriteByte("0123456789abcdef"[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String(), changed
}

// jsonParser walks a text that is known to be valid JSON, so it looks for no errors of syntax.
type jsonParser struct {
	s      string
	i      int
	leaves int
}

func (p *jsonParser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *jsonParser) value(depth int) (node, error) {
	p.space()
	switch c := p.s[p.i]; c {
	case '{', '[':
		if depth >= maxDepth {
			return node{}, errTooDeep()
		}
		return p.composite(c, depth)
	case '"':
		return node{kind: isString, text: p.str()}, p.leaf()
	case 't':
		p.i += 4
		return node{kind: isBool, text: "true"}, p.leaf()
	case 'f':
		p.i += 5
		return node{kind: isBool, text: "false"}, p.leaf()
	case 'n':
		p.i += 4
		return node{kind: isNull}, p.leaf()
	}
	start := p.i
	for p.i < len(p.s) && strings.IndexByte("+-.0123456789eE", p.s[p.i]) >= 0 {
		p.i++
	}
	return node{kind: isNumber, text: p.s[start:p.i]}, p.leaf()
}

func (p *jsonParser) leaf() error {
	if p.leaves++; p.leaves > maxLeaves {
		return errTooMany()
	}
	return nil
}

func (p *jsonParser) composite(open byte, depth int) (node, error) {
	n := node{kind: isArray}
	if open == '{' {
		n.kind = isObject
	}
	if err := p.leaf(); err != nil {
		return n, err
	}
	p.i++
	for {
		p.space()
		switch p.s[p.i] {
		case '}', ']':
			p.i++
			return n, nil
		case ',':
			p.i++
			p.space()
		}
		key := ""
		if open == '{' {
			key = p.str()
			p.space()
			p.i++ // the colon
		}
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		v.key = key
		if n.kids == nil {
			n.kids = make([]node, 0, 4)
		}
		n.kids = append(n.kids, v)
	}
}

// str reads a string. One without escapes is a part of the body, not a copy.
func (p *jsonParser) str() string {
	start := p.i
	for p.i++; ; p.i++ {
		switch p.s[p.i] {
		case '"':
			p.i++
			return p.s[start+1 : p.i-1]
		case '\\':
			for ; p.s[p.i] != '"'; p.i++ {
				if p.s[p.i] == '\\' {
					p.i++
				}
			}
			p.i++
			var s string
			// It was part of a valid text, so it is one itself.
			_ = json.Unmarshal([]byte(p.s[start:p.i]), &s)
			return s
		}
	}
}

// looksJSON reports whether a text starts as an object or array does.
func looksJSON(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case ' ', '\t', '\n', '\r':
			continue
		case '{', '[':
			return true
		}
		return false
	}
	return false
}

// embedded reads a JSON text that came as the value of a field. What is no JSON stays the text that it is.
func embedded(s string, depth int) (node, bool, error) {
	if !looksJSON(s) || !utf8.ValidString(s) || !json.Valid([]byte(s)) {
		return node{}, false, nil
	}
	p := jsonParser{s: s}
	n, err := p.value(depth)
	return n, err == nil, err
}
