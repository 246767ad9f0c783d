package intake

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fichario/domain/text"
)

// expectation is what a sensible person expects of one example.
type expectation struct {
	File        string `json:"file"`
	Type        Kind   `json:"type"`
	ContentType string `json:"content_type"`
	Outcome     string `json:"outcome"`
	Expect      *struct {
		Email       string         `json:"email"`
		Nome        string         `json:"nome"`
		Telefone    string         `json:"telefone"`
		Digits      string         `json:"telefone_digits"`
		Empresa     *string        `json:"empresa"`
		Valor       json.Number    `json:"valor"`
		Mensagem    []string       `json:"mensagem_contains"`
		Origem      *string        `json:"origem"`
		Fallback    string         `json:"origem_fallback"`
		Note        []string       `json:"note_contains"`
		NoteNot     []string       `json:"note_not_contains"`
		NoteAtMost  map[string]int `json:"note_max_count"`
		Description string         `json:"-"`
	} `json:"expect"`
}

func TestExamples(t *testing.T) {
	files, err := filepath.Glob("testdata/payloads/*.expect.json")
	if err != nil || len(files) != 20 {
		t.Fatalf("%d examples (%v), want 20", len(files), err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want expectation
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		body, err := os.ReadFile(filepath.Join("testdata/payloads", want.File))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []Kind{want.Type, Generic, FormService} {
			t.Run(want.File+"/"+string(kind), func(t *testing.T) { checkExample(t, want, kind, body) })
		}
	}
}

func checkExample(t *testing.T, want expectation, kind Kind, body []byte) {
	d, err := Read(Options{Kind: kind}, want.ContentType, body)
	if err != nil {
		t.Fatal(err)
	}
	if want.Outcome == "refused" {
		if d.CheckEmail() == nil {
			t.Errorf("accepted %q", d.Email)
		}
		return
	}
	if err := d.CheckEmail(); err != nil {
		t.Fatal(err)
	}
	e := want.Expect
	same := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s = %q, want %q", what, got, want)
		}
	}
	opt := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	same("email", d.Email, e.Email)
	if e.Nome != "Lead sem nome" || kind == Generic {
		same("nome", d.DisplayName(kind), e.Nome)
	}
	same("telefone", d.Phone, e.Telefone)
	same("digits", text.Digits(d.Phone), e.Digits)
	same("empresa", d.Company, opt(e.Empresa))
	same("origem", d.Origin, opt(e.Origem))
	if e.Fallback != "" {
		same("fallback", d.FallbackOrigin, e.Fallback)
	}
	amount, _ := parseNumber(e.Valor.String())
	if d.Amount != amount {
		t.Errorf("valor = %d, want %d", d.Amount, amount)
	}
	note := d.Note()
	for _, s := range e.Mensagem {
		if !strings.Contains(d.Message, s) {
			t.Errorf("message has no %q: %q", s, d.Message)
		}
	}
	for _, s := range e.Note {
		if !strings.Contains(note, s) {
			t.Errorf("note has no %q", s)
		}
	}
	for _, s := range e.NoteNot {
		if strings.Contains(note, s) {
			t.Errorf("note has %q", s)
		}
	}
	for s, n := range e.NoteAtMost {
		if got := strings.Count(note, s); got > n {
			t.Errorf("note has %q %d times", s, got)
		}
	}
	if testing.Verbose() || t.Failed() {
		t.Logf("%+v\nNOTE:\n%s", d, note)
	}
}
