package tree

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"regexp"
	"strings"

	"fichario/domain/intake/fields"
)

// parsePlain reads what is not JSON but holds a submission all the same: one JSON value per line, XML, the rows of a
// table, and lines of "Nome: Ana". ok is false when it holds no address: then the refusal had better speak of JSON, which is what the
// sender should use.
func parsePlain(text string) (n Node, ok bool) {
	text = strings.TrimSpace(text)
	if strings.IndexByte(text, '@') < 0 {
		return Node{}, false
	}
	switch {
	case LooksJSON(text):
		n, ok = parseJSONLines(text)
	case text[0] == '<':
		n, ok = parseXML(text)
	default:
		if n, ok = parseRows(text); !ok {
			n, ok = parseLines(text)
		}
	}
	return n, ok && len(n.Children) > 0
}

// parseRows reads the rows of a table, the names of its columns in the first, as spreadsheets export them.
func parseRows(text string) (Node, bool) {
	header, _, several := strings.Cut(text, "\n")
	at := strings.IndexAny(header, ";,\t")
	if !several || at <= 0 || strings.ContainsAny(header, "@:=") {
		return Node{}, false
	}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = rune(header[at])
	rows, err := r.ReadAll()
	if err != nil || len(rows) < 2 {
		return Node{}, false
	}
	list := Node{Kind: Array}
	place := 0
	for _, row := range rows {
		cells := Node{Kind: Array, At: placeOf(place)}
		for _, cell := range row {
			if place++; place > maxLeaves {
				return Node{}, false
			}
			cells.Children = append(cells.Children, Node{Kind: String, Text: cell, At: placeOf(place)})
		}
		list.Children = append(list.Children, cells)
	}
	return list, true
}

func parseLines(text string) (n Node, ok bool) {
	if n, ok = parseTitledLines(text, TitleEnd); !ok {
		n, ok = parseTitledLines(text, titleBeforeDash)
	}
	return n, ok
}

// Lines reads a text that holds a submission as lines of "Nome: Ana", an address of e-mail among them. ok is false for
// any other text.
func (n *Node) Lines() (lines Node, ok bool) {
	text := strings.TrimSpace(withLines(n.Text))
	if n.Kind != String || strings.IndexByte(text, '\n') < 0 || strings.IndexByte(text, '@') < 0 {
		return Node{}, false
	}
	if lines, ok = parseLines(text); !ok || len(lines.Children) < fewestLines {
		return Node{}, false
	}
	lines.Within(n)
	return lines, true
}

// withLines makes lines of the rows and paragraphs of a text in HTML, as mails have them; any other text it returns as
// it is.
func withLines(text string) string {
	if first, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); !lineEnd.MatchString(first) {
		return text
	}
	text = cellEnd.ReplaceAllString(strings.ReplaceAll(text, "\n", " "), ": ")
	return html.UnescapeString(fields.WithoutTags(lineEnd.ReplaceAllString(text, "\n")))
}

// cellEnd matches what stands between the two cells of a row, lineEnd what ends a line of a page.
var (
	cellEnd = regexp.MustCompile(`(?i):?\s*</t[dh]>\s*<t[dh][^>]*>`)
	lineEnd = regexp.MustCompile(`(?i)<br[^>]*>|</?(p|div|tr|li|ul|ol|h[1-6]|table)\b[^>]*>`)
)

// fewestLines is how many answers such a text has at least: a person who writes may give a name and an address, too.
const fewestLines = 3

// parseJSONLines reads one JSON value per line, as exports and queues send them.
func parseJSONLines(text string) (Node, bool) {
	list := Node{Kind: Array}
	leaves := 0
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !json.Valid([]byte(line)) {
			return Node{}, false
		}
		p := jsonParser{s: line, leaves: leaves}
		n, err := p.value(1)
		if err != nil {
			return Node{}, false
		}
		leaves = p.leaves
		list.Children = append(list.Children, n)
	}
	return list, true
}

// parseTitledLines reads one answer per line, "Nome: Ana" or "nome=Ana", as in e-mails and text/plain forms. A line
// without a title continues the answer above it. end returns where the title of a line ends, or 0.
func parseTitledLines(text string, end func(line string) int) (Node, bool) {
	n := Node{Kind: Object}
	answerStart, lineEnd := 0, 0
	titled := 0
	for line := range strings.Lines(text) {
		lineStart := lineEnd
		lineEnd += len(line)
		switch i := end(line); {
		case i > 0:
			if len(n.Children) == maxLeaves {
				return Node{}, false
			}
			title := strings.TrimSpace(line[:i])
			bare := strings.TrimLeft(title, "*")
			stars := title[:len(title)-len(bare)] // "**Nome:** Ana", as chats mark what is bold
			answerStart = lineStart + i + 1
			if strings.HasPrefix(text[answerStart:], stars) {
				answerStart += len(stars)
			}
			titled++
			n.Children = append(n.Children,
				Node{Kind: String, Key: strings.TrimSuffix(bare, stars), At: placeOf(len(n.Children))})
		case len(n.Children) == 0:
			n.Children = append(n.Children, Node{Kind: String, Key: "texto"}) // the opening text of a notification
		}
		n.Children[len(n.Children)-1].Text = strings.TrimSpace(text[answerStart:lineEnd])
	}
	SortMembers(n.Children)
	return n, titled > 1 || titled == len(n.Children)
}

// titleBeforeDash is TitleEnd for "Nome - Ana", in a text without colons.
func titleBeforeDash(line string) int {
	i := strings.Index(line, " - ")
	if i <= 0 || i > maxDashed || strings.IndexByte(line[:i], '@') >= 0 {
		return 0
	}
	return i + 1
}

// maxDashed bounds what is a title before a dash: a sentence may have one too.
const maxDashed = 40

// TitleEnd returns where the title of a line ends, or 0: an address before the colon is not a title, nor is a URL's
// "https".
func TitleEnd(line string) int {
	i := strings.IndexAny(line, ":=")
	if i <= 0 || i > MaxKeyText || strings.IndexByte(line[:i], '@') >= 0 || strings.HasPrefix(line[i:], "://") {
		return 0
	}
	return i
}
