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
	// path, and the values of headers, have ${NAME} in place of an environment variable.
	path    string
	headers []headerLine
	body    string
	// name is the operation's.
	name string
}

// headerLine is a header of a request.
type headerLine struct{ Name, Value string }

// joined writes a text with environment variables as an expression: quoted text, and calls of env with the variables'
// names, joined by the operator.
func joined(value, join, env string) string {
	const quote = `"`
	out := quote + inPath.ReplaceAllString(value, quote+join+strings.ReplaceAll(env, "NAME", "$1")+join+quote) + quote
	return strings.TrimSuffix(strings.TrimPrefix(out, quote+quote+join), join+quote+quote)
}

const (
	keyVariable   = "FICHARIO_KEY"
	jsonMediaType = "application/json"
)

// samples renders an operation in each language, with an extra header of the request if there is one ("Name: value").
func (s *language) samples(op operation, extra string) ([]sample, []variable) {
	var variables []variable
	if op.Key {
		variables = append(variables, variable{keyVariable, s.say("a sua chave de API", "your API key")})
	}
	path := op.Path
	for _, p := range op.Params {
		if p.In != "path" {
			continue
		}
		v, isVariable := s.variableOf(op.Path)
		value := url.PathEscape(p.Example)
		if isVariable {
			variables, value = append(variables, v), "${"+v.Name+"}"
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
	}
	c := call{method: op.Method, base: s.PublicURL, path: path, body: s.bodyOf(op, ""), name: op.ID}
	if op.Key {
		c.headers = append(c.headers, headerLine{"Authorization", "Bearer ${" + keyVariable + "}"})
	}
	if c.body != "" {
		c.headers = append(c.headers, headerLine{"Content-Type", jsonMediaType})
	}
	if name, value, ok := strings.Cut(extra, ": "); ok {
		c.headers = append(c.headers, headerLine{name, value})
	}
	return []sample{
		{"bash", "curl", c.curl()},
		{"go", "Go", c.golang()},
		{"typescript", "TypeScript", c.typescript()},
		{"python", "Python", c.python()},
		{"php", "PHP", c.php()},
		{"csharp", "C#", c.csharp()},
	}, variables
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
	for _, h := range c.headers {
		quote := "'"
		if inPath.MatchString(h.Value) {
			quote = `"`
		}
		fmt.Fprintf(&out, " \\\n  -H %s%s: %s%[1]s", quote, h.Name, inPath.ReplaceAllString(h.Value, "$$$1"))
	}
	if c.body != "" {
		fmt.Fprintf(&out, " \\\n  -d '%s'", strings.ReplaceAll(c.body, "'", `'\''`))
	}
	return out.String() + "\n"
}

func (c call) golang() string {
	address := joined(c.base+c.path, " + ", `os.Getenv("NAME")`)
	body, read := "nil", ""
	if c.body != "" {
		body, read = "strings.NewReader(`"+c.body+"`)", "\n\t\"strings\""
	}
	var headers string
	for _, h := range c.headers {
		headers += fmt.Sprintf("\treq.Header.Set(%q, %s)\n", h.Name, joined(h.Value, "+", `os.Getenv("NAME")`))
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
`, os, read, c.method, address, body, headers)
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
	for _, h := range c.headers {
		value := fmt.Sprintf("%q", h.Value)
		if inPath.MatchString(h.Value) {
			value = "`" + inPath.ReplaceAllString(h.Value, "$${process.env.$1}") + "`"
		}
		headers += fmt.Sprintf("\n    %q: %s,", h.Name, value)
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
	return fmt.Sprintf(`// %s.mts
// npm install --save-dev typescript@5 @types/node
// npx tsc --strict --target es2023 --module nodenext --types node %[1]s.mts && node %[1]s.mjs
const answer = await fetch(%s%s);
const text = await answer.text();
if (!answer.ok) throw new Error(text);
console.log(text);
`, c.name, address, init)
}

func (c call) python() string {
	address := joined(c.base+c.path, " + ", `os.environ["NAME"]`)
	var more, headers string
	for _, h := range c.headers {
		headers += fmt.Sprintf("\n        %q: %s,", h.Name, joined(h.Value, " + ", `os.environ["NAME"]`))
	}
	if headers != "" {
		more += "\n    headers={" + headers + "\n    },"
	}
	if c.body != "" {
		more += fmt.Sprintf("\n    data='%s'.encode(),", strings.ReplaceAll(c.body, `'`, `\'`))
	}
	imports := ""
	if strings.Contains(address+more, "os.environ") {
		imports = "import os\n"
	}
	return fmt.Sprintf(`import json
%simport urllib.error
import urllib.request

request = urllib.request.Request(
    %s,
    method=%q,%s
)
try:
    with urllib.request.urlopen(request) as answer:
        print(answer.read().decode())
except urllib.error.HTTPError as error:
    problem = json.loads(error.read() or "{}")
    raise SystemExit(f"{problem.get('code', error.code)}: {problem.get('detail', error.reason)}")
`, imports, address, c.method, more)
}

// php needs no extension: Debian's php-cli has all of it.
func (c call) php() string {
	address := joined(c.base+c.path, " . ", `getenv("NAME")`)
	var more string
	for _, h := range c.headers {
		more += "\n        " + joined(h.Name+": "+h.Value, " . ", `getenv("NAME")`) + ","
	}
	if more != "" {
		more = "\n    \"header\" => [" + more + "\n    ],"
	}
	if c.body != "" {
		more += "\n    \"content\" => '" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(c.body) + "',"
	}
	return fmt.Sprintf(`<?php
$request = stream_context_create(["http" => [
    "method" => %q,%s
    "ignore_errors" => true,
]]);
$stream = fopen(%s, "r", false, $request) or exit(1);
$answer = stream_get_contents($stream);
$status = (int) explode(" ", stream_get_meta_data($stream)["wrapper_data"][0])[1];
if ($status >= 400) {
    $problem = json_decode($answer);
    fwrite(STDERR, ($problem->code ?? $status) . ": " . ($problem->detail ?? "") . "\n");
    exit(1);
}
echo $answer, "\n";
`, c.method, more, address)
}

// csharp needs no package, and no newer language than C# 7.
func (c call) csharp() string {
	address := joined(c.base+c.path, " + ", `Environment.GetEnvironmentVariable("NAME")`)
	var headers, content string
	for _, h := range c.headers {
		if h.Name != "Content-Type" {
			value := joined(h.Value, " + ", `Environment.GetEnvironmentVariable("NAME")`)
			headers += fmt.Sprintf("\n        request.Headers.TryAddWithoutValidation(%q, %s);", h.Name, value)
		}
	}
	if c.body != "" {
		content = fmt.Sprintf("\n        request.Content = new StringContent(@\"%s\", Encoding.UTF8, %q);",
			strings.ReplaceAll(c.body, `"`, `""`), jsonMediaType)
	}
	return fmt.Sprintf(`using System;
using System.Net.Http;
using System.Text;

class Program
{
    static int Main()
    {
        var request = new HttpRequestMessage(new HttpMethod(%q),
            %s);%s%s
        var answer = new HttpClient().SendAsync(request).GetAwaiter().GetResult();
        var text = answer.Content.ReadAsStringAsync().GetAwaiter().GetResult();
        if (!answer.IsSuccessStatusCode)
        {
            Console.Error.WriteLine((int)answer.StatusCode + ": " + text);
            return 1;
        }
        Console.WriteLine(text);
        return 0;
    }
}
`, c.method, address, headers, content)
}
