package intake

import (
	"encoding/json"
	"strings"
)

// parsePlain reads what is not JSON but holds a submission all the same: one JSON value per line, XML, and lines of
// "Nome: Ana". ok is false when it holds no address: then the refusal had better speak of JSON, which is what the
// sender should use.
func parsePlain(text string) (n node, ok bool) {
	text = strings.TrimSpace(text)
	if strings.IndexByte(text, '@') < 0 {
		return node{}, false
	}
	switch {
	case looksJSON(text):
		n, ok = parseJSONLines(text)
	case text[0] == '<':
		n, ok = parseXML(text)
	default:
		n, ok = parseTitledLines(text)
	}
	return n, ok && len(n.children) > 0
}

// parseJSONLines reads one JSON value per line, as exports and queues send them.
func parseJSONLines(text string) (node, bool) {
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
		list.children = append(list.children, n)
	}
	return list, true
}

// parseTitledLines reads one answer per line, "Nome: Ana" or "nome=Ana", as in e-mails and text/plain forms. A line
// without a title continues the answer above it.
func parseTitledLines(text string) (node, bool) {
	n := node{kind: isObject}
	answerStart, lineEnd := 0, 0
	titled := 0
	for line := range strings.Lines(text) {
		lineStart := lineEnd
		lineEnd += len(line)
		switch i := titleEnd(line); {
		case i > 0:
			if len(n.children) == maxLeaves {
				return node{}, false
			}
			answerStart = lineStart + i + 1
			titled++
			n.children = append(n.children,
				node{kind: isString, key: strings.TrimSpace(line[:i]), at: int32(len(n.children))})
		case len(n.children) == 0:
			n.children = append(n.children, node{kind: isString, key: "texto"}) // the opening text of a notification
		}
		n.children[len(n.children)-1].text = strings.TrimSpace(text[answerStart:lineEnd])
	}
	sortMembers(n.children)
	return n, titled > 1 || titled == len(n.children)
}

// titleEnd returns where the title of a line ends, or 0: an address before the colon is not a title, nor is a URL's
// "https".
func titleEnd(line string) int {
	i := strings.IndexAny(line, ":=")
	if i <= 0 || i > maxKeyText || strings.IndexByte(line[:i], '@') >= 0 || strings.HasPrefix(line[i:], "://") {
		return 0
	}
	return i
}
