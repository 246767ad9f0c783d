package intake

import (
	"encoding/xml"
	"io"
	"strings"
)

// element is an XML element that is still open.
type element struct {
	node
	text strings.Builder
}

// parseXML reads elements as members. An element that only encloses the others (an envelope) is left out, because its
// name says nothing.
func parseXML(text string) (node, bool) {
	d := xml.NewDecoder(strings.NewReader(text))
	// The text is already UTF-8, whatever it declares.
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	open := []*element{{node: node{kind: isObject}}}
	leaves := 0
	for {
		token, _ := d.Token()
		top := open[len(open)-1]
		switch t := token.(type) {
		case nil: // the end, or an error before it
			if len(open) > 1 {
				return node{}, false
			}
			return withoutEnvelopes(top.node)
		case xml.StartElement:
			if leaves += 1 + len(t.Attr); leaves > maxLeaves || len(open) > maxDepth/2 {
				return node{}, false
			}
			open = append(open, startElement(t, leaves))
		case xml.EndElement:
			open = open[:len(open)-1]
			parent := open[len(open)-1]
			parent.children = append(parent.children, top.close())
		case xml.CharData:
			top.text.Write(t)
		}
	}
}

// startElement opens an element with its attributes as members, without namespace declarations. at is its place in the
// order of arrival.
func startElement(t xml.StartElement, at int) *element {
	e := &element{node: node{kind: isObject, key: t.Name.Local, at: int32(at)}}
	for _, a := range t.Attr {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			e.children = append(e.children, node{kind: isString, key: a.Name.Local, at: e.at, text: a.Value})
		}
	}
	return e
}

// close makes a node of an element: a string when it has no members, else an object with its text as "value".
func (e *element) close() node {
	text := strings.TrimSpace(e.text.String())
	if len(e.children) == 1 && e.children[0].key == "part" && e.key == "name" {
		e.key, e.children = e.children[0].text+" name", nil // the leads of car dealers (ADF)
	}
	if len(e.children) == 0 {
		e.kind, e.node.text = isString, text
	} else if text != "" {
		e.children = append(e.children, node{kind: isString, key: "value", at: e.at, text: text})
	}
	sortMembers(e.children)
	return e.node
}

// withoutEnvelopes enters elements that stand alone around the others.
func withoutEnvelopes(n node) (node, bool) {
	for len(n.children) == 1 && n.children[0].kind == isObject {
		n = n.children[0]
	}
	sortMembers(n.children)
	return n, n.kind == isObject
}
