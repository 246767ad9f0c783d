// Package yamlfile reads hand-written YAML files strictly, reporting every fault with its line. Bureau files and
// destinations are such files.
package yamlfile

import (
	"errors"
	"fmt"
	"net/textproto"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"fichario/adapters/jq"
)

// maxFile far exceeds any real file, and keeps a wrong one out of memory.
const maxFile = 1 << 20

// Reader reads a file, and continues after a fault to find the others.
type Reader struct {
	// Problems are the faults so far.
	Problems Problems
}

// At is a value with its position in the file.
type At struct {
	Node *yaml.Node
	// Line is the line of its key.
	Line int
	// Path names its key, as "products.cpf.price".
	Path string
}

// Pair is a key of a mapping with its value.
type Pair struct {
	At
	Key string
}

// Load parses the YAML without interpreting it. mapping is the fault of a file that is not a mapping.
func (r *Reader) Load(src []byte, mapping string) (*yaml.Node, bool) {
	var doc yaml.Node
	switch {
	case len(src) > maxFile:
		r.Add(1, "", "the file is larger than 1 MiB")
		return nil, false
	case !utf8.Valid(src):
		r.Add(1+strings.Count(string(src[:invalidAt(src)]), "\n"), "", "the file is not UTF-8 text")
		return nil, false
	}
	if err := yaml.Load(src, &doc); err != nil {
		line, message := yamlFault(err)
		r.Add(line, "", "%s", message)
		return nil, false
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		r.Add(1, "", "%s", mapping)
		return nil, false
	}
	return doc.Content[0], true
}

// Add records a fault.
func (r *Reader) Add(line int, path, format string, args ...any) {
	r.Problems = append(r.Problems, Problem{Line: max(line, 1), Path: path, Message: fmt.Sprintf(format, args...)})
}

// Fault records a fault of a value.
func (r *Reader) Fault(v At, format string, args ...any) { r.Add(v.Line, v.Path, format, args...) }

// Pairs returns the keys of a mapping. Keys that are not text or are repeated are problems.
func (r *Reader) Pairs(v At) []Pair {
	if v.Node.Kind != yaml.MappingNode {
		r.Fault(v, "must be a mapping (key: value)")
		return nil
	}
	var pairs []Pair
	first := map[string]int{}
	for i := 0; i+1 < len(v.Node.Content); i += 2 {
		k, n := v.Node.Content[i], v.Node.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			r.Add(k.Line, v.Path, "a key must be text")
			continue
		}
		for n.Kind == yaml.AliasNode && n.Alias != nil {
			n = n.Alias
		}
		where := At{Node: n, Line: k.Line, Path: strings.TrimPrefix(v.Path+"."+k.Value, ".")}
		if line, twice := first[k.Value]; twice {
			r.Fault(where, "duplicate key (first on line %d)", line)
			continue
		}
		first[k.Value] = k.Line
		pairs = append(pairs, Pair{where, k.Value})
	}
	return pairs
}

// Known returns the values of a mapping by key, and reports every key that is not in allowed.
func (r *Reader) Known(v At, allowed ...string) map[string]At {
	keys := map[string]At{}
	for _, pair := range r.Pairs(v) {
		if !slices.Contains(allowed, pair.Key) {
			r.Fault(pair.At, "unknown key; allowed here: %s", strings.Join(allowed, ", "))
			continue
		}
		keys[pair.Key] = pair.At
	}
	return keys
}

// Required reports the names that are missing in a mapping.
func (r *Reader) Required(v At, keys map[string]At, names ...string) {
	if v.Node.Kind != yaml.MappingNode {
		return
	}
	for _, name := range names {
		if _, ok := keys[name]; !ok {
			r.Add(v.Line, strings.TrimPrefix(v.Path+"."+name, "."), "is missing")
		}
	}
}

// List returns the elements of a list.
func (r *Reader) List(v At) []At {
	if v.Node.Kind != yaml.SequenceNode {
		r.Fault(v, "must be a list ([a, b])")
		return nil
	}
	items := make([]At, len(v.Node.Content))
	for i, n := range v.Node.Content {
		for n.Kind == yaml.AliasNode && n.Alias != nil {
			n = n.Alias
		}
		items[i] = At{Node: n, Line: v.Node.Content[i].Line, Path: v.Path + "[" + strconv.Itoa(i) + "]"}
	}
	return items
}

// Text returns a non-blank text; anything else is a problem and "".
func (r *Reader) Text(v At) string {
	switch {
	case v.Node.Kind != yaml.ScalarNode:
		r.Fault(v, "must be text")
	case v.Node.Tag == "!!null" || v.Node.Tag == "!!str" && strings.TrimSpace(v.Node.Value) == "":
		r.Fault(v, "is empty")
	case v.Node.Tag != "!!str":
		r.Fault(v, "must be text: put it in quotes")
	default:
		return v.Node.Value
	}
	return ""
}

// JQ compiles a program of the file, which may use the variables; nil when it does not compile.
func (r *Reader) JQ(v At, variables ...string) *jq.Program {
	src := r.Text(v)
	if src == "" {
		return nil
	}
	program, err := jq.Compile(src, variables...)
	if err == nil {
		return program
	}
	// In a block text the fault has its own line.
	if offset, ok := jq.FaultAt(err); ok && v.Node.Style&yaml.LiteralStyle != 0 {
		v.Line = v.Node.Line + 1 + strings.Count(src[:min(offset, len(src))], "\n")
	}
	r.Fault(v, "the jq does not compile: %v", err)
	return nil
}

// ownHeaders control the framing of a message, or would make net/http repeat a call.
var ownHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Authorization",
	"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// HeaderName returns the canonical spelling of a header's name, or reports a fault. seen are the names before it;
// refused are further ones that cannot be set.
func (r *Reader) HeaderName(v At, name string, seen map[string]bool, refused ...string) string {
	canonical := HeaderName(name)
	switch {
	case canonical == "":
		r.Fault(v, "is not a header name")
	case seen[canonical]:
		r.Fault(v, "is repeated")
	case slices.Contains(ownHeaders, canonical) || slices.Contains(refused, canonical):
		r.Fault(v, "cannot be set: the client sets it itself")
	}
	seen[canonical] = true
	return canonical
}

// HeaderName returns the canonical spelling of a header's name, or "" for an invalid one.
func HeaderName(name string) string {
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return ""
		}
	}
	return textproto.CanonicalMIMEHeaderKey(name)
}

var yamlPosition = regexp.MustCompile(`\bL(\d+)\.C\d+`)

// yamlFault extracts the line and the message from an error of the YAML library.
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

// invalidAt returns the offset of the first byte that is not UTF-8.
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
