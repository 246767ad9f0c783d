package lookups

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"fichario/adapters/web"
)

// The most that a page shows of a bureau's original answer; the download has the rest.
const (
	treeNodes = 120
	treeText  = 20_000
	treeDepth = 40
	nodeText  = 300   // characters of one value
	rawText   = 8_000 // bytes, as text
)

// node is a value in the tree of the bureau's original answer.
type node struct {
	Key string
	// Kind is s for a text, n for a number or a boolean, 0 for null, empty for a value with children.
	Kind, Text string
	// Size is the number of children, as {3} or [3].
	Size     string
	Children []node
	// More says that some children are not shown.
	More, Open bool
}

// rawAnswer is the bureau's original answer for display.
type rawAnswer struct {
	Size string
	// Valid says that it is JSON; anything else is shown as text only.
	Valid, Empty bool
	Tree         []node
	Text         string
	// Cut says that only part of it is shown.
	Cut    bool
	AsText bool
}

// readRaw makes the tree or the text of a bureau's answer.
func readRaw(raw []byte, asText bool) rawAnswer {
	r := rawAnswer{Size: bytesText(len(raw)), Empty: len(bytes.TrimSpace(raw)) == 0, Valid: json.Valid(raw)}
	r.AsText = asText || !r.Valid
	if r.AsText {
		shown := raw[:min(len(raw), rawText)]
		r.Text, r.Cut = strings.ToValidUTF8(string(shown), "\uFFFD"), len(raw) > rawText
		return r
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	t := treeReader{dec: dec, nodes: treeNodes, text: treeText}
	top := t.value("", 0)
	r.Tree, r.Cut = top.Children, t.cut
	if top.Kind != "" {
		r.Tree = []node{top}
	}
	return r
}

// treeReader reads tokens, so that the order of keys, repeated keys and the text of
// numbers survive.
type treeReader struct {
	dec         *json.Decoder
	nodes, text int
	cut         bool
}

func (t *treeReader) value(key string, depth int) node {
	n := node{Key: web.Shorten(nodeText, key)}
	token, err := t.dec.Token()
	if err != nil {
		t.cut = true
		return n
	}
	switch v := token.(type) {
	case json.Delim:
		t.children(&n, v, depth)
		return n
	case string:
		n.Kind, n.Text = "s", web.Shorten(nodeText, v)
		t.cut = t.cut || n.Text != v
	case json.Number:
		n.Kind, n.Text = "n", web.Shorten(nodeText, v.String())
	case bool:
		n.Kind, n.Text = "n", strconv.FormatBool(v)
	default:
		n.Kind, n.Text = "0", "null"
	}
	t.text -= len(n.Text) + len(n.Key)
	return n
}

func (t *treeReader) children(n *node, open json.Delim, depth int) {
	total, shown := 0, 0
	for t.dec.More() {
		key := strconv.Itoa(total)
		if open == '{' {
			token, err := t.dec.Token()
			if err != nil {
				t.cut = true
				return
			}
			key, _ = token.(string)
		}
		total++
		if t.nodes <= 0 || t.text <= 0 || depth >= treeDepth {
			t.cut, n.More = true, true
			t.skip()
			continue
		}
		t.nodes--
		shown++
		n.Children = append(n.Children, t.value(key, depth+1))
	}
	_, _ = t.dec.Token() // the closing bracket: the whole is valid
	n.Size = "{" + web.Count(total) + "}"
	if open == '[' {
		n.Size = "[" + web.Count(total) + "]"
	}
	n.Open = depth < 2 && shown <= 12
}

// skip passes over one value.
func (t *treeReader) skip() {
	for depth := 0; ; {
		token, err := t.dec.Token()
		if err != nil {
			return
		}
		if d, ok := token.(json.Delim); ok {
			if d == '{' || d == '[' {
				depth++
			} else {
				depth--
			}
		}
		if depth == 0 {
			return
		}
	}
}

// bytesText is a size for people.
func bytesText(n int) string {
	switch {
	case n < 1000:
		return web.Plural(n, "byte", "bytes")
	case n < 1_000_000:
		return strings.Replace(strconv.FormatFloat(float64(n)/1000, 'f', 1, 64), ".", ",", 1) + "\u00a0kB"
	}
	return strings.Replace(strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64), ".", ",", 1) + "\u00a0MB"
}
