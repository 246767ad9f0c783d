package tree

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"fichario/domain/fault"
)

// ParseJSON reads a JSON text, which must be valid UTF-8.
func ParseJSON(body string) (Node, error) {
	if !json.Valid([]byte(body)) {
		fixed, changed := escapeBreaks(body)
		if !changed || !json.Valid([]byte(fixed)) {
			return Node{}, syntaxError(body)
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
			return ErrTooDeep()
		}
		message := fmt.Sprintf("O corpo não é um JSON válido: há um erro na posição %d.", syntax.Offset)
		return fault.New(fault.InvalidRequest, message).Because(err)
	}
	return fault.New(fault.InvalidRequest, "O corpo não é um JSON válido.")
}

// escapeBreaks escapes the control characters inside the strings of a JSON text, and reports whether there were any.
// Templates that paste an answer of several lines between quotes leave them bare, and that must not lose the lead.
func escapeBreaks(s string) (escaped string, changed bool) {
	var b strings.Builder
	inside := false
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

// jsonParser walks a text that is known to be valid JSON, so it checks no syntax.
type jsonParser struct {
	s      string
	i      int
	leaves int
}

func (p *jsonParser) skipSpace() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

func (p *jsonParser) value(depth int) (Node, error) {
	p.skipSpace()
	switch c := p.s[p.i]; c {
	case '{', '[':
		if depth >= MaxDepth {
			return Node{}, ErrTooDeep()
		}
		return p.composite(c, depth)
	case '"':
		return Node{Kind: String, Text: p.str()}, p.leaf()
	case 't':
		p.i += 4
		return Node{Kind: Bool, Text: "true"}, p.leaf()
	case 'f':
		p.i += 5
		return Node{Kind: Bool, Text: "false"}, p.leaf()
	case 'n':
		p.i += 4
		return Node{Kind: Null}, p.leaf()
	}
	start := p.i
	for p.i < len(p.s) && strings.IndexByte("+-.0123456789eE", p.s[p.i]) >= 0 {
		p.i++
	}
	return Node{Kind: Number, Text: p.s[start:p.i]}, p.leaf()
}

func (p *jsonParser) leaf() error {
	if p.leaves++; p.leaves > maxLeaves {
		return ErrTooMany()
	}
	return nil
}

func (p *jsonParser) composite(open byte, depth int) (Node, error) {
	n := Node{Kind: Array}
	if open == '{' {
		n.Kind = Object
	}
	if err := p.leaf(); err != nil {
		return n, err
	}
	p.i++
	for {
		p.skipSpace()
		switch p.s[p.i] {
		case '}':
			p.i++
			SortMembers(n.Children)
			return n, nil
		case ']':
			p.i++
			return n, nil
		case ',':
			p.i++
			p.skipSpace()
		}
		key := ""
		if open == '{' {
			key = p.str()
			p.skipSpace()
			p.i++ // the colon
		}
		at := p.leaves
		v, err := p.value(depth + 1)
		if err != nil {
			return n, err
		}
		v.Key, v.At = key, placeOf(at)
		if n.Children == nil {
			n.Children = make([]Node, 0, 4)
		}
		n.Children = append(n.Children, v)
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
			// Part of a valid text, so it is valid itself.
			_ = json.Unmarshal([]byte(p.s[start:p.i]), &s)
			return s
		}
	}
}

// LooksJSON reports whether a text starts as an object or array does.
func LooksJSON(s string) bool {
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

// HoldsJSON reports whether a text is that of an object or a list, also in quotes once more, as senders leave it that
// encode twice. deep says that more texts stand around it than are read.
func (n *Node) HoldsJSON() (holds, deep bool) {
	text, quotes := unquoted(n.Text)
	if n.Kind != String || !LooksJSON(text) {
		return false, false
	}
	deep = int(n.Texts)+quotes >= MaxTexts
	return !deep, deep && json.Valid([]byte(text))
}

// unquoted takes a text out of the quotes of JSON around it.
func unquoted(s string) (text string, quotes int) {
	for ; strings.HasPrefix(s, `"`); quotes++ {
		var inner string
		if json.Unmarshal([]byte(s), &inner) != nil {
			break
		}
		s = inner
	}
	return s, quotes
}

// EmbeddedJSON reads a JSON text that came as the value of a field. Anything else stays text.
func EmbeddedJSON(s string, depth int) (Node, bool, error) {
	if !LooksJSON(s) || !utf8.ValidString(s) || !json.Valid([]byte(s)) {
		return Node{}, false, nil
	}
	p := jsonParser{s: s}
	n, err := p.value(depth)
	return n, err == nil, err
}

// JSON reads the text of a scalar under its key, if that is JSON; false for any other. The error is that of a text with
// too much in it.
func (n *Node) JSON() (Node, bool, error) {
	text, _ := unquoted(n.Text)
	read, ok, err := EmbeddedJSON(text, int(n.Texts)+1)
	if ok {
		read.Key = n.Key
		read.Within(n)
	}
	return read, ok, err
}
