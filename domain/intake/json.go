package intake

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"fichario/domain/fault"
)

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

func (p *jsonParser) value(depth int) (node, error) {
	p.skipSpace()
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
		p.skipSpace()
		switch p.s[p.i] {
		case '}':
			p.i++
			sortMembers(n.children)
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
		v.key, v.at = key, int32(at)
		if n.children == nil {
			n.children = make([]node, 0, 4)
		}
		n.children = append(n.children, v)
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

// embeddedJSON reads a JSON text that came as the value of a field. Anything else stays text.
func embeddedJSON(s string, depth int) (node, bool, error) {
	if !looksJSON(s) || !utf8.ValidString(s) || !json.Valid([]byte(s)) {
		return node{}, false, nil
	}
	p := jsonParser{s: s}
	n, err := p.value(depth)
	return n, err == nil, err
}
