package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

// example is what a sensible person expects from a form product's body.
type example struct {
	File, Type, Outcome string
	ContentType         string `json:"content_type"`
	Expect              *struct {
		Email, Nome, Telefone string
		Digits                string `json:"telefone_digits"`
		Empresa, Origem       *string
		Valor                 json.Number
		Mensagem              []string       `json:"mensagem_contains"`
		Fallback              string         `json:"origem_fallback"`
		Note                  []string       `json:"note_contains"`
		NoteNot               []string       `json:"note_not_contains"`
		NoteAtMost            map[string]int `json:"note_max_count"`
	}
}

// testExamples posts bodies in the formats that products document, and as open-source projects send them, and checks
// the contacts made.
func testExamples(t *testing.T, o *org) {
	const dir = "../../domain/intake/testdata/payloads"
	files, err := filepath.Glob(filepath.Join(dir, "*.expect.json"))
	if err != nil || len(files) != 20 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	sent, err := filepath.Glob(filepath.Join(dir, "senders", "*.expect.json"))
	if err != nil || len(sent) < 76 {
		t.Fatalf("%d examples, %v", len(sent), err)
	}
	files = append(files, sent...)
	// INSTAGRAM and google are sent in another case; newsletter only occurs as a campaign's source.
	o.Origins("Instagram", "Google", "Facebook", "Indicação de amigo", "Indicação", "Grupo OLX", "Google Ads",
		"Formulário do site", "newsletter", "Feira", "Busca Orgânica", "Campanha", "Web Site", "Panfleto")
	registered := map[string]string{
		"INSTAGRAM": "Instagram", "google": "Google", "google ads": "Google Ads", "instagram": "Instagram",
		"ig": "Instagram", "fb": "Facebook",
	}
	hooks := map[string]hook{
		"generic": o.NewHook("Exemplos", "generic"), "formservice": o.NewHook("Formulários de exemplo", "formservice"),
	}
	made := map[string]example{} // by contact
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		e := testkit.JSON[example](t, string(text))
		body, err := os.ReadFile(filepath.Join(filepath.Dir(file), e.File))
		if err != nil {
			t.Fatal(err)
		}
		if e.Expect != nil {
			o.Hide(e.Expect.Email, e.Expect.Nome, e.Expect.Telefone)
		}
		header := map[string]string{}
		if e.ContentType != "" {
			header["Content-Type"] = e.ContentType
		}
		a := o.Do(request{Path: hooks[e.Type].Path, Header: header, Body: string(body)})
		if e.Outcome == "refused" {
			expect(t, e.File, a.String(), "400 email_invalido")
			continue
		}
		expect(t, e.File, a.String(), "200")
		if before, is := made[a.LeadID()]; is {
			t.Errorf("%s is taken for %s sent again", e.File, before.File)
		}
		made[a.LeadID()] = e
	}
	all := o.ByID()
	expect(t, "contacts", line(len(all), len(made)), line(len(files)-1, len(files)-1))
	expect(t, "received", o.Show(hooks["generic"]).Received+o.Show(hooks["formservice"]).Received, len(files)-1)
	for id, e := range made {
		c := all[id]
		origin := "null"
		switch {
		case e.Expect.Origem != nil:
			origin = *e.Expect.Origem
		case e.Expect.Fallback != "":
			origin = e.Expect.Fallback
		}
		if name := registered[origin]; name != "" {
			origin = name
		}
		if slices.Contains([]string{"bing", "Site", "Web"}, origin) {
			origin = "null" // an unregistered source
		}
		same := func(what, got, want string) {
			if got != want {
				t.Errorf("%s: %s is %q, want %q", e.File, what, got, want)
			}
		}
		same("email", c.Email, e.Expect.Email)
		same("nome", c.Nome, e.Expect.Nome)
		phone := e.Expect.Telefone
		if phone == "" {
			phone = "null"
		}
		same("telefone", intaketest.Or(c.Telefone), phone)
		same("digits of telefone", digits(intaketest.Or(c.Telefone)), e.Expect.Digits)
		if c.TelefoneE164 != nil && !strings.HasSuffix(digits(*c.TelefoneE164), strings.TrimLeft(e.Expect.Digits, "0")) {
			t.Errorf("%s: telefoneE164 is of another phone", e.File)
		}
		same("empresa", intaketest.Or(c.Empresa), intaketest.Or(e.Expect.Empresa))
		same("origem", intaketest.Or(c.Origem), origin)
		got, _ := c.Valor.Float64()
		want, _ := e.Expect.Valor.Float64()
		same("valor", fmt.Sprint(got), fmt.Sprint(want))
		for _, s := range append(e.Expect.Mensagem, e.Expect.Note...) {
			if !strings.Contains(c.Nota, s) {
				t.Errorf("%s: the note has no %q", e.File, s)
			}
		}
		for _, s := range e.Expect.NoteNot {
			if strings.Contains(c.Nota, s) {
				t.Errorf("%s: the note has %q", e.File, s)
			}
		}
		for s, n := range e.Expect.NoteAtMost {
			if strings.Count(c.Nota, s) > n {
				t.Errorf("%s: the note has %q %d times", e.File, s, strings.Count(c.Nota, s))
			}
		}
	}
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}
