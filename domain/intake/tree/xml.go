package tree

import (
	"encoding/xml"
	"io"
	"strings"
)

// element is an XML element that is still open.
type element struct {
	Node
	text strings.Builder
}

// parseXML reads elements as members. An element that only encloses the others (an envelope) is left out, because its
// name says nothing.
func parseXML(text string) (Node, bool) {
	d := xml.NewDecoder(strings.NewReader(text))
	// The text is already UTF-8, whatever it declares.
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	open := []*element{{Node: Node{Kind: Object}}}
	leaves := 0
	for {
		token, _ := d.Token()
		top := open[len(open)-1]
		switch t := token.(type) {
		case nil: // the end, or an error before it
			if len(open) > 1 {
				return Node{}, false
			}
			return withoutEnvelopes(top.Node)
		case xml.StartElement:
			if leaves += 1 + len(t.Attr); leaves > maxLeaves || len(open) > MaxDepth/2 {
				return Node{}, false
			}
			open = append(open, startElement(t, leaves))
		case xml.EndElement:
			open = open[:len(open)-1]
			parent := open[len(open)-1]
			parent.Children = append(parent.Children, top.close())
		case xml.CharData:
			top.text.Write(t)
		}
	}
}

// startElement opens an element with its attributes as members, without namespace declarations. at is its place in the
// order of arrival.
func startElement(t xml.StartElement, at int) *element {
	e := &element{Node: Node{Kind: Object, Key: t.Name.Local, At: placeOf(at)}}
	for _, a := range t.Attr {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			e.Children = append(e.Children, Node{Kind: String, Key: a.Name.Local, At: e.At, Text: a.Value})
		}
	}
	return e
}

// close makes a node of an element: a string when it has no members, else an object with its text as "value".
func (e *element) close() Node {
	text := strings.TrimSpace(e.text.String())
	if len(e.Children) == 1 && e.Children[0].Key == "part" && e.Key == "name" {
		e.Key, e.Children = e.Children[0].Text+" name", nil // the leads of car dealers (ADF)
	}
	if len(e.Children) == 0 {
		e.Kind, e.Text = String, text
	} else if text != "" {
		e.Children = append(e.Children, Node{Kind: String, Key: "value", At: e.At, Text: text})
	}
	SortMembers(e.Children)
	return e.Node
}

// withoutEnvelopes enters elements that stand alone around the others.
func withoutEnvelopes(n Node) (Node, bool) {
	for len(n.Children) == 1 && n.Children[0].Kind == Object {
		n = n.Children[0]
	}
	SortMembers(n.Children)
	return n, n.Kind == Object
}
