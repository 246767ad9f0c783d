package bureau

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"
	"go.yaml.in/yaml/v4"
)

// errNoBody says that the jq of a body gave nothing.
var errNoBody = errors.New("no body")

// parser reads a file, and goes on after a fault to find the others.
type parser struct {
	env      func(string) (string, bool)
	file     File
	problems Problems
}

// at is a value of the file with its place. line is the line of its key.
type at struct {
	n    *yaml.Node
	line int
	path string
}

type pair struct {
	at
	key string
}

// entry is a key with a text in which values are put later.
type entry struct {
	header
	line int
}

func (p *parser) add(line int, path, format string, args ...any) {
	p.problems = append(p.problems, Problem{Line: max(line, 1), Path: path, Message: fmt.Sprintf(format, args...)})
}

func (p *parser) fault(v at, format string, args ...any) { p.add(v.line, v.path, format, args...) }

// pairs returns the keys of a mapping. Keys that are no text or come twice are
// problems.
func (p *parser) pairs(v at) []pair {
	if v.n.Kind != yaml.MappingNode {
		p.fault(v, "must be a mapping (key: value)")
		return nil
	}
	var pairs []pair
	first := map[string]int{}
	for i := 0; i+1 < len(v.n.Content); i += 2 {
		k, n := v.n.Content[i], v.n.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			p.add(k.Line, v.path, "a key must be a text")
			continue
		}
		for n.Kind == yaml.AliasNode && n.Alias != nil {
			n = n.Alias
		}
		where := at{n: n, line: k.Line, path: strings.TrimPrefix(v.path+"."+k.Value, ".")}
		if line, twice := first[k.Value]; twice {
			p.fault(where, "the key is here twice (first on line %d)", line)
			continue
		}
		first[k.Value] = k.Line
		pairs = append(pairs, pair{where, k.Value})
	}
	return pairs
}

// known returns the values of a mapping by key, and reports every key that is not
// one of allowed.
func (p *parser) known(v at, allowed ...string) map[string]at {
	keys := map[string]at{}
	for _, pair := range p.pairs(v) {
		if !slices.Contains(allowed, pair.key) {
			p.fault(pair.at, "unknown key; here go %s", strings.Join(allowed, ", "))
			continue
		}
		keys[pair.key] = pair.at
	}
	return keys
}

func (p *parser) required(v at, keys map[string]at, names ...string) {
	if v.n.Kind != yaml.MappingNode {
		return
	}
	for _, name := range names {
		if _, ok := keys[name]; !ok {
			p.add(v.line, strings.TrimPrefix(v.path+"."+name, "."), "is missing")
		}
	}
}

// list returns the elements of a list.
func (p *parser) list(v at) []at {
	if v.n.Kind != yaml.SequenceNode {
		p.fault(v, "must be a list ([a, b])")
		return nil
	}
	items := make([]at, len(v.n.Content))
	for i, n := range v.n.Content {
		for n.Kind == yaml.AliasNode && n.Alias != nil {
			n = n.Alias
		}
		items[i] = at{n: n, line: v.n.Content[i].Line, path: v.path + "[" + strconv.Itoa(i) + "]"}
	}
	return items
}

// text returns a text that is not blank; anything else is a problem and "".
func (p *parser) text(v at) string {
	switch {
	case v.n.Kind != yaml.ScalarNode:
		p.fault(v, "must be a text")
	case v.n.Tag == "!!null" || v.n.Tag == "!!str" && strings.TrimSpace(v.n.Value) == "":
		p.fault(v, "is empty")
	case v.n.Tag != "!!str":
		p.fault(v, "must be a text: put it in quotes")
	default:
		return v.n.Value
	}
	return ""
}

// template reads a text with places for values.
func (p *parser) template(v at, escape func(string) string) template {
	s := p.text(v)
	return compileTemplate(s, p.env, escape, func(message string) { p.fault(v, "%s", message) })
}

// texts reads a mapping of names to texts with places for values. Numbers and
// booleans are taken as they are written.
func (p *parser) texts(v at, escape func(string) string) []entry {
	var list []entry
	for _, pair := range p.pairs(v) {
		switch {
		case pair.n.Kind != yaml.ScalarNode || pair.n.Tag == "!!null":
			p.fault(pair.at, "must be a text")
			continue
		case strings.ContainsFunc(pair.n.Value, func(r rune) bool { return r < ' ' || r == 0x7f }):
			p.fault(pair.at, "must not hold a line break or another control character")
			continue
		}
		t := compileTemplate(pair.n.Value, p.env, escape, func(message string) { p.fault(pair.at, "%s", message) })
		list = append(list, entry{header{pair.key, t}, pair.line})
	}
	return list
}

func plainHeaders(list []entry) []header {
	headers := make([]header, len(list))
	for i, e := range list {
		headers[i] = e.header
	}
	return headers
}

// jq compiles a program of the file; nil when it does not compile.
func (p *parser) jq(v at) *program {
	src := p.text(v)
	if src == "" {
		return nil
	}
	prog, err := compileJQ(src)
	if err == nil {
		return prog
	}
	// In a block text the fault has a line of its own.
	var syntax *gojq.ParseError
	if errors.As(err, &syntax) && v.n.Style&yaml.LiteralStyle != 0 {
		end := min(max(syntax.Offset-len(syntax.Token), 0), len(src))
		v.line = v.n.Line + 1 + strings.Count(src[:end], "\n")
	}
	p.fault(v, "the jq does not compile: %v", err)
	return nil
}

var yamlPosition = regexp.MustCompile(`\bL(\d+)\.C\d+`)

// yamlFault takes the line and the message out of an error of the YAML library.
func yamlFault(err error) (int, string) {
	var fault *yaml.LoadError
	if errors.As(err, &fault) {
		line := fault.Mark.Line
		if m := yamlPosition.FindStringSubmatch(err.Error()); line == 0 && m != nil {
			line, _ = strconv.Atoi(m[1])
		}
		message := fault.Message
		if fault.ContextMsg != "" {
			context := fault.ContextMsg
			if from := fault.ContextMark.Line; from > 0 && from != line {
				context += " that starts on line " + strconv.Itoa(from)
			}
			message = context + ": " + message
		}
		return line, "the YAML cannot be read: " + message
	}
	return 1, "the YAML cannot be read: " + err.Error()
}

// invalidAt returns where a text stops being UTF-8.
func invalidAt(src []byte) int {
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return len(src)
}
