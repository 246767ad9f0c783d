package bureau

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"

	"fichario/domain/intake/tree"
)

var errNotXML = errors.New("is not XML")

// maxNesting bounds the nesting of XML, which is written by programs for programs.
const maxNesting = 200

// declared finds the encoding that an XML document declares.
var declared = regexp.MustCompile(`^\s*<\?xml[^>]*\bencoding\s*=\s*["']([A-Za-z0-9_.-]+)["']`)

const (
	instance = "http://www.w3.org/2001/XMLSchema-instance"
	// textKey is the key of the text of an element that also has attributes or children.
	textKey = "#text"
)

// element is an XML element that has begun.
type element struct {
	name     string
	members  map[string]any
	text     strings.Builder
	isNil    bool
	anything bool // whether the document has had its root; of the document itself
}

// value is what an element becomes: null where xsi:nil says so, its text where it has nothing else, and otherwise an
// object of its attributes (with an @ before the name), its children and, if it has one, its #text.
func (e *element) value() any {
	said := strings.TrimSpace(e.text.String())
	switch {
	case e.isNil:
		return nil
	case len(e.members) == 0:
		return said
	case said != "":
		e.members[textKey] = said
	}
	return e.members
}

// put adds a child. Several of one name become a list.
func (e *element) put(name string, v any) {
	switch old, has := e.members[name]; {
	case !has:
		e.members[name] = v
	default:
		list, is := old.([]any)
		if !is {
			list = []any{old}
		}
		e.members[name] = append(list, v)
	}
}

// decodeXML parses an XML document as the input of a program, and returns it as text. Names lose their prefixes, and
// every value is a text. An error page in HTML is refused, as is a document with a DOCTYPE. The error quotes nothing.
func decodeXML(raw []byte) (any, string, error) {
	text := string(raw)
	if m := declared.FindSubmatch(raw); m != nil {
		text = tree.DecodeText(text, strings.ToLower(string(m[1])))
	}
	if strings.TrimSpace(text) == "" {
		return nil, "", errors.New("is empty")
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "<") {
		return nil, "", errNotXML
	}
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is converted already
	open := []*element{{members: map[string]any{}}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && len(open) == 1 && open[0].anything {
			return open[0].members, text, nil
		}
		if err != nil || !take(&open, token) {
			return nil, "", errNotXML
		}
	}
}

// take adds a token to the elements that are open, and reports whether it may stand there.
func take(open *[]*element, token xml.Token) bool {
	in := (*open)[len(*open)-1]
	switch t := token.(type) {
	case xml.StartElement:
		if len(*open) > maxNesting || len(*open) == 1 && (in.anything || strings.EqualFold(t.Name.Local, "html")) {
			return false
		}
		in.anything = true
		*open = append(*open, begin(t))
	case xml.EndElement:
		*open = (*open)[:len(*open)-1]
		(*open)[len(*open)-1].put(in.name, in.value())
	case xml.CharData:
		if len(*open) == 1 {
			return len(bytes.TrimSpace(t)) == 0
		}
		in.text.Write(t)
	case xml.Directive:
		return false
	}
	return true
}

func begin(t xml.StartElement) *element {
	e := &element{name: t.Name.Local, members: map[string]any{}}
	for _, a := range t.Attr {
		switch {
		case a.Name.Space == instance:
			e.isNil = e.isNil || a.Name.Local == "nil" && (a.Value == "true" || a.Value == "1")
		case a.Name.Space != "xmlns" && a.Name.Local != "xmlns":
			e.members["@"+a.Name.Local] = a.Value
		}
	}
	return e
}

// escapeXML writes a value as text of an XML document.
func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}
