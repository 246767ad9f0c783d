package docsite

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// sample is a complete call in one language: it works when pasted.
type sample struct {
	// Lang is the language's technical name, Name the one for people.
	Lang, Name, Code string
}

// variable is an environment variable that a sample reads.
type variable struct{ Name, What string }

// call is the request of a sample.
type call struct {
	method, base string
	// path has ${NAME} in place of an environment variable.
	path string
	key  bool
	body string
}

const (
	keyVariable   = "FICHARIO_KEY"
	jsonMediaType = "application/json"
)

// samples renders an operation in each language.
func (s *language) samples(op operation) ([]sample, []variable) {
	var known []variable
	if op.Key {
		known = append(known, variable{keyVariable, s.say("a sua chave de API", "your API key")})
	}
	path := op.Path
	for _, p := range op.Params {
		if p.In != "path" {
			continue
		}
		v, isVariable := s.variableOf(op.Path)
		value := url.PathEscape(p.Example)
		if isVariable {
			known, value = append(known, v), "${"+v.Name+"}"
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
	}
	c := call{method: op.Method, base: s.PublicURL, path: path, key: op.Key, body: s.bodyOf(op, "")}
	return []sample{
		{"bash", "curl", c.curl()},
		{"go", "Go", c.golang()},
		{"typescript", "TypeScript", c.typescript()},
		{"python", "Python", c.python()},
	}, known
}

// variableOf is the source of the id in a path; documents appear in it literally.
func (s *language) variableOf(path string) (variable, bool) {
	switch {
	case strings.HasPrefix(path, "/api/v1/consultas/"), strings.HasPrefix(path, "/api/v1/consultas-abertas/"):
		return variable{"FICHARIO_CONSULTA", s.say("o consultaId de uma resposta", "the consultaId of an answer")}, true
	case strings.HasPrefix(path, "/api/v1/lotes/"):
		return variable{"FICHARIO_LOTE", s.say("o id de um lote", "the id of a batch")}, true
	case strings.HasPrefix(path, "/api/webhooks/"):
		return variable{"FICHARIO_WEBHOOK", s.say("o token do webhook, no fim do endereço dele", "the webhook's token, the end of its address")}, true
	}
	return variable{}, false
}

// bodyOf is the first example of a JSON body, on several lines or, with indent "", on one.
func (s *language) bodyOf(op operation, indent string) string {
	body := ""
	s.contract.each(s.contract.at(op.node, "requestBody", "content", jsonMediaType, "examples"), func(_ string, e *yaml.Node) {
		if body == "" {
			body = s.contract.asJSON(s.contract.at(e, "value"), indent)
		}
	})
	return body
}

var inPath = regexp.MustCompile(`\$\{(\w+)\}`)

func (c call) curl() string {
	var out strings.Builder
	out.WriteString("curl")
	switch {
	case c.method == "HEAD":
		out.WriteString(" --head")
	case c.method != "GET" && c.body == "":
		out.WriteString(" -X " + c.method)
	}
	fmt.Fprintf(&out, ` "%s%s"`, c.base, inPath.ReplaceAllString(c.path, "$$$1"))
	if c.key {
		fmt.Fprintf(&out, " \\\n  -H \"Authorization: Bearer $%s\"", keyVariable)
	}
	if c.body != "" {
		fmt.Fprintf(&out, " \\\n  -H 'Content-Type: %s' \\\n  -d '%s'", jsonMediaType, strings.ReplaceAll(c.body, "'", `'\''`))
	}
	return out.String() + "\n"
}

func (c call) golang() string {
	address := inPath.ReplaceAllString(fmt.Sprintf("%q", c.base+c.path), `" + os.Getenv("$1") + "`)
	body, read := "nil", ""
	if c.body != "" {
		body, read = "strings.NewReader(`"+c.body+"`)", "\n\t\"strings\""
	}
	var headers string
	if c.key {
		headers += fmt.Sprintf("\treq.Header.Set(\"Authorization\", \"Bearer \"+os.Getenv(%q))\n", keyVariable)
	}
	if c.body != "" {
		headers += fmt.Sprintf("\treq.Header.Set(\"Content-Type\", %q)\n", jsonMediaType)
	}
	os := ""
	if strings.Contains(address+headers, "os.") {
		os = "\n\t\"os\""
	}
	return fmt.Sprintf(`package main

import (
	"fmt"
	"io"
	"log"
	"net/http"%s%s
)

func main() {
	req, err := http.NewRequest(%q, %s, %s)
	if err != nil {
		log.Fatal(err)
	}
%s	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 400 {
		log.Fatalf("%%s: %%s", resp.Status, answer)
	}
	fmt.Printf("%%s\n", answer)
}
`, os, read, c.method, strings.TrimSuffix(address, ` + ""`), body, headers)
}

func (c call) typescript() string {
	address := fmt.Sprintf("%q", c.base+c.path)
	if inPath.MatchString(c.path) {
		address = "`" + c.base + inPath.ReplaceAllString(c.path, "$${process.env.$1}") + "`"
	}
	var init, headers string
	if c.method != "GET" {
		init += fmt.Sprintf("\n  method: %q,", c.method)
	}
	if c.key {
		headers += fmt.Sprintf("\n    Authorization: `Bearer ${process.env.%s}`,", keyVariable)
	}
	if c.body != "" {
		headers += fmt.Sprintf("\n    \"Content-Type\": %q,", jsonMediaType)
	}
	if headers != "" {
		init += "\n  headers: {" + headers + "\n  },"
	}
	if c.body != "" {
		init += fmt.Sprintf("\n  body: JSON.stringify(%s),", c.body)
	}
	if init != "" {
		init = ", {" + init + "\n}"
	}
	return fmt.Sprintf(`const answer = await fetch(%s%s);
const text = await answer.text();
if (!answer.ok) throw new Error(text);
console.log(text);
`, address, init)
}

func (c call) python() string {
	address := inPath.ReplaceAllString(fmt.Sprintf("%q", c.base+c.path), `" + os.environ["$1"] + "`)
	address = strings.TrimSuffix(address, ` + ""`)
	var more, headers string
	if c.key {
		headers += fmt.Sprintf("\n        \"Authorization\": \"Bearer \" + os.environ[%q],", keyVariable)
	}
	if c.body != "" {
		headers += fmt.Sprintf("\n        \"Content-Type\": %q,", jsonMediaType)
	}
	if headers != "" {
		more += "\n    headers={" + headers + "\n    },"
	}
	if c.body != "" {
		more += fmt.Sprintf("\n    data='%s'.encode(),", strings.ReplaceAll(c.body, `'`, `\'`))
	}
	imports := "import urllib.request\n"
	if strings.Contains(address+more, "os.environ") {
		imports = "import os\n" + imports
	}
	return fmt.Sprintf(`%s
request = urllib.request.Request(
    %s,
    method=%q,%s
)
with urllib.request.urlopen(request) as answer:
    print(answer.read().decode())
`, imports, address, c.method, more)
}
