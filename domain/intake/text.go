package intake

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
)

// parsePlain reads what is no JSON but holds a submission all the same: JSON values one a line, XML, and lines of "Nome: Ana". ok is false
// when it holds no address: then the refusal had better speak of JSON, which is what the sender should use.
func parsePlain(text string) (n node, ok bool) {
	text = strings.TrimSpace(text)
	if strings.IndexByte(text, '@') < 0 {
		return node{}, false
	}
	switch {
	case looksJSON(text):
		n, ok = jsonLines(text)
	case text[0] == '<':
		n, ok = xmlTree(text)
	default:
		n, ok = titledLines(text)
	}
	return n, ok && len(n.kids) > 0
}

// jsonLines reads one JSON value a line, as exports and queues send them.
func jsonLines(text string) (node, bool) {
	list := node{kind: isArray}
	leaves := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !json.Valid([]byte(line)) {
			return node{}, false
		}
		p := jsonParser{s: line, leaves: leaves}
		n, err := p.value(1)
		if err != nil {
			return node{}, false
		}
		leaves = p.leaves
		list.kids = append(list.kids, n)
	}
	return list, true
}

// titledLines reads an answer a line, "Nome: Ana" or "nome=Ana", as e-mails and forms of the type text/plain have them. A line without a
// title goes on with the answer above it.
func titledLines(text string) (node, bool) {
	n := node{kind: isObject}
	from, end := 0, 0 // where the answer begins, and where the line ends
	titled := 0
	for line := range strings.Lines(text) {
		start := end
		end += len(line)
		i := strings.IndexAny(line, ":=")
		switch {
		case i > 0 && i <= maxKeyText && strings.IndexByte(line[:i], '@') < 0 && !strings.HasPrefix(line[i:], "://"):
			if len(n.kids) == maxLeaves {
				return node{}, false
			}
			from = start + i + 1
			titled++
			n.kids = append(n.kids, node{kind: isString, key: strings.TrimSpace(line[:i])})
		case len(n.kids) == 0:
			n.kids = append(n.kids, node{kind: isString, key: "texto"}) // what a notification begins with
		}
		n.kids[len(n.kids)-1].text = strings.TrimSpace(text[from:end])
	}
	return n, titled > 1 || titled == len(n.kids)
}

// xmlTree reads elements as members. The name of an element without answers around the others (an envelope) says nothing and is left out.
func xmlTree(text string) (node, bool) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // the text is UTF-8 by now, whatever it says
	type element struct {
		node
		said strings.Builder
	}
	stack := []*element{{node: node{kind: isObject}}}
	leaves := 0
	for {
		token, _ := d.Token()
		top := stack[len(stack)-1]
		switch t := token.(type) {
		case nil: // the end, or an error before it
			if len(stack) > 1 {
				return node{}, false
			}
			for len(top.kids) == 1 && top.kids[0].kind == isObject {
				top.node = top.kids[0]
			}
			return top.node, top.kind == isObject
		case xml.StartElement:
			if len(stack) > maxDepth/2 {
				return node{}, false
			}
			n := &element{node: node{kind: isObject, key: t.Name.Local}}
			for _, a := range t.Attr {
				if leaves++; a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
					n.kids = append(n.kids, node{kind: isString, key: a.Name.Local, text: a.Value})
				}
			}
			if leaves++; leaves > maxLeaves {
				return node{}, false
			}
			stack = append(stack, n)
		case xml.EndElement:
			if said := strings.TrimSpace(top.said.String()); len(top.kids) == 0 {
				top.kind, top.text = isString, said
			} else if said != "" {
				top.kids = append(top.kids, node{kind: isString, key: "value", text: said})
			}
			stack = stack[:len(stack)-1]
			parent := stack[len(stack)-1]
			parent.kids = append(parent.kids, top.node)
		case xml.CharData:
			top.said.Write(t)
		}
	}
}
