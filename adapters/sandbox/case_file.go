package sandbox

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"fichario/adapters/yamlfile"
	"fichario/domain/catalog"
	"fichario/domain/document"
)

// maxDelay exceeds every client's timeout.
const maxDelay = 10 * time.Minute

// Problems are all faults of a case file, in the order of its lines.
type Problems = yamlfile.Problems

// caseReader reads a case file. Files that it refers to are opened in files.
type caseReader struct {
	yamlfile.Reader
	files fs.FS
}

// readCases reads and checks a case file. The error is always Problems.
func readCases(src []byte, files fs.FS) ([]oneCase, error) {
	r := caseReader{files: files}
	var list []oneCase
	if root, ok := r.Load(src, "the file must be a mapping with cases"); ok {
		top := yamlfile.At{Node: root, Line: root.Line}
		keys := r.Known(top, "cases")
		r.Required(top, keys, "cases")
		if v, ok := keys["cases"]; ok {
			for _, item := range r.List(v) {
				list = append(list, r.oneCase(item))
			}
		}
	}
	if len(r.Problems) > 0 {
		return nil, r.Problems.Sorted()
	}
	return list, nil
}

var answerKeys = []string{"status", "headers", "delay", "later", "body", "file", "merge", "fault"}

func (r *caseReader) oneCase(v yamlfile.At) oneCase {
	keys := r.Known(v, append([]string{"bureau", "product", "document", "sequence"}, answerKeys...)...)
	c := oneCase{bureaus: []string{everything}, products: []string{everything}, documents: []string{everything}}
	if of, ok := keys["bureau"]; ok {
		c.bureaus = r.names(of)
		r.among(of, "bureau", c.bureaus, Names())
	}
	if of, ok := keys["product"]; ok {
		var ids []string
		for _, p := range catalog.Standard() {
			ids = append(ids, p.ID)
		}
		c.products = r.names(of)
		r.among(of, "product", c.products, ids)
	}
	if of, ok := keys["document"]; ok {
		c.documents = r.names(of)
		r.documents(of, c)
	}
	sequence, several := keys["sequence"]
	if !several {
		c.answers = []reply{r.reply(keys)}
		return c
	}
	for _, name := range answerKeys {
		if beside, ok := keys[name]; ok {
			r.Fault(beside, "belongs in the answers of the sequence")
		}
	}
	items := r.List(sequence)
	if len(items) == 0 && sequence.Node.Kind == yaml.SequenceNode {
		r.Fault(sequence, "is empty")
	}
	for _, item := range items {
		c.answers = append(c.answers, r.reply(r.Known(item, answerKeys...)))
	}
	return c
}

// names reads one name or a list of names. Documents need no quotes.
func (r *caseReader) names(v yamlfile.At) []string {
	items := []yamlfile.At{v}
	if v.Node.Kind == yaml.SequenceNode {
		items = r.List(v)
	}
	var out []string
	for _, item := range items {
		if item.Node.Kind != yaml.ScalarNode || item.Node.Tag == "!!null" || item.Node.Value == "" {
			r.Fault(item, "must be text or a list of texts")
			continue
		}
		out = append(out, item.Node.Value)
	}
	if len(items) == 0 {
		r.Fault(v, "is empty")
	}
	return out
}

// among reports names of something that does not exist.
func (r *caseReader) among(v yamlfile.At, what string, named, names []string) {
	for _, name := range named {
		if name != everything && !slices.Contains(names, name) {
			r.Fault(v, "there is no %s %q; use * or one of %s", what, name, strings.Join(names, ", "))
		}
	}
}

// documents reports documents that the bureau is never asked about, because the service refuses them.
func (r *caseReader) documents(v yamlfile.At, c oneCase) {
	var types []document.Type
	for _, p := range catalog.Standard() {
		if slices.Contains(c.products, everything) || slices.Contains(c.products, p.ID) {
			types = append(types, p.Documents...)
		}
	}
	for i, d := range c.documents {
		var bare string
		for _, t := range types {
			if parsed, err := document.Parse(t, d); err == nil {
				bare = parsed.Value()
			}
		}
		switch {
		case strings.Contains(d, everything) || len(types) == 0:
		case bare == "":
			r.Fault(v, "%q never matches: it is not a valid document of the product, without punctuation; a pattern has a *", d)
		default:
			c.documents[i] = bare
		}
	}
}

func (r *caseReader) reply(keys map[string]yamlfile.At) (a reply) {
	a.status = http.StatusOK
	if v, ok := keys["status"]; ok {
		var err error
		if a.status, err = strconv.Atoi(v.Node.Value); err != nil || a.status < 200 || a.status > 599 {
			r.Fault(v, "must be a status from 200 to 599")
		}
	}
	if v, ok := keys["headers"]; ok {
		a.header = r.headers(v)
	}
	for name, into := range map[string]*time.Duration{"delay": &a.delay, "later": &a.later} {
		if v, ok := keys[name]; ok {
			var err error
			if *into, err = time.ParseDuration(v.Node.Value); err != nil || *into < 0 || *into > maxDelay {
				r.Fault(v, `must be a duration like "250ms" or "2s", of ten minutes at most`)
			}
		}
	}
	if v, ok := keys["fault"]; ok {
		if a.fault, a.rate = r.fault(v); a.fault == Refuse && a.later > 0 {
			r.Fault(v, "cannot be used with later: what is refused is not answered")
		}
	}
	r.content(keys, &a)
	return a
}

func (r *caseReader) headers(v yamlfile.At) http.Header {
	header, seen := http.Header{}, map[string]bool{}
	for _, pair := range r.Pairs(v) {
		name := r.HeaderName(pair.At, pair.Key, seen)
		switch {
		case pair.Node.Kind != yaml.ScalarNode || strings.ContainsAny(pair.Node.Value, "\r\n\x00"):
			r.Fault(pair.At, "must be text on one line")
		case name != "":
			header.Set(name, pair.Node.Value)
		}
	}
	return header
}

// content reads the body of an answer, which is given in one of several ways.
func (r *caseReader) content(keys map[string]yamlfile.At, a *reply) {
	var said []string
	for _, name := range []string{"body", "file", "merge"} {
		if v, ok := keys[name]; ok {
			if said = append(said, name); len(said) > 1 {
				r.Fault(v, "cannot be used with %s", said[0])
			}
		}
	}
	if v, ok := keys["body"]; ok {
		a.body = r.body(v)
	}
	if v, ok := keys["file"]; ok {
		a.body = r.file(v)
	}
	if v, ok := keys["merge"]; ok {
		if v.Node.Kind != yaml.MappingNode {
			r.Fault(v, "must be a mapping, which is merged into the invented result")
		}
		a.merge = r.value(v)
	}
	if without := a.fault == Refuse || a.fault == Broken || a.fault == Hang || a.fault == HTML; without && len(said) > 0 {
		r.Fault(keys[said[0]], "is never sent with the fault %s", a.fault)
	}
}

// body is a string as it is, anything else as JSON.
func (r *caseReader) body(v yamlfile.At) []byte {
	if v.Node.Kind == yaml.ScalarNode && v.Node.Tag == "!!str" {
		return []byte(v.Node.Value)
	}
	text, err := json.Marshal(r.value(v))
	if err != nil {
		r.Fault(v, "cannot be written as JSON")
	}
	return text
}

func (r *caseReader) value(v yamlfile.At) (value any) {
	if err := v.Node.Decode(&value); err != nil {
		r.Fault(v, "cannot be read")
		return nil
	}
	if _, err := json.Marshal(value); err != nil {
		r.Fault(v, "cannot be written as JSON: its keys must be text")
		return nil
	}
	return value
}

func (r *caseReader) file(v yamlfile.At) []byte {
	name := r.Text(v)
	if name == "" {
		return nil
	}
	if r.files == nil {
		r.Fault(v, "there is no folder to read files from: put the body here")
		return nil
	}
	text, err := fs.ReadFile(r.files, name)
	if err != nil {
		r.Fault(v, "the file %q cannot be read; it must be in the folder of the script, or below it", name)
	}
	return text
}

var rate = regexp.MustCompile(`^([1-9]\d{0,5})(B|KB|MB)/s$`)

// fault reads the name of a fault, or slow with its rate.
func (r *caseReader) fault(v yamlfile.At) (Fault, int) {
	names := make([]string, len(faults))
	for i, f := range faults {
		names[i] = string(f)
	}
	expected := fmt.Sprintf("must be one of %s, or {slow: 1KB/s}", strings.Join(names, ", "))
	if v.Node.Kind == yaml.ScalarNode {
		if !slices.Contains(names, v.Node.Value) {
			r.Fault(v, "%s", expected)
		}
		return Fault(v.Node.Value), 0
	}
	if v.Node.Kind != yaml.MappingNode {
		r.Fault(v, "%s", expected)
		return "", 0
	}
	keys := r.Known(v, string(Dripping))
	at, ok := keys[string(Dripping)]
	if !ok {
		r.Fault(v, "%s", expected)
		return "", 0
	}
	m := rate.FindStringSubmatch(at.Node.Value)
	if m == nil {
		r.Fault(at, "must be a rate such as 1KB/s; the units are B, KB and MB")
		return "", 0
	}
	n, _ := strconv.Atoi(m[1])
	return Dripping, n * map[string]int{"B": 1, "KB": 1000, "MB": 1_000_000}[m[2]]
}
