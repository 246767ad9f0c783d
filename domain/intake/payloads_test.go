package intake

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fichario/domain/intake/fields"
	"fichario/domain/text"
)

// expectation is what a sensible person expects of one example.
type expectation struct {
	File        string `json:"file"`
	Type        Kind   `json:"type"`
	ContentType string `json:"content_type"`
	Outcome     string `json:"outcome"`
	// Delivery is the id by which a retry is recognised; nil where the example does not say.
	Delivery *string `json:"delivery"`
	Expect   *struct {
		Email       string         `json:"email"`
		Nome        string         `json:"nome"`
		Telefone    string         `json:"telefone"`
		Digits      string         `json:"telefone_digits"`
		Empresa     string         `json:"empresa"`
		Valor       json.Number    `json:"valor"`
		Mensagem    []string       `json:"mensagem_contains"`
		Origem      string         `json:"origem"`
		Fallback    string         `json:"origem_fallback"`
		Note        []string       `json:"note_contains"`
		NoteNot     []string       `json:"note_not_contains"`
		NoteAtMost  map[string]int `json:"note_max_count"`
		Documents   []string       `json:"documentos"`
		Description string         `json:"-"`
	} `json:"expect"`
}

func TestExamples(t *testing.T) {
	t.Parallel()
	files := exampleFiles(t)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var want expectation
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		body, err := os.ReadFile(filepath.Join(filepath.Dir(file), want.File))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range []Kind{want.Type, Generic, FormService} {
			t.Run(want.File+"/"+string(kind), func(t *testing.T) { checkExample(t, want, kind, body) })
		}
	}
}

// exampleFiles returns the expectations: for formats that products document, and for bodies as open-source projects
// send them.
func exampleFiles(t testing.TB) []string {
	t.Helper()
	documented, err := filepath.Glob("testdata/payloads/*.expect.json")
	if err != nil || len(documented) != 20 {
		t.Fatalf("%d examples (%v), want 20", len(documented), err)
	}
	sent, err := filepath.Glob("testdata/payloads/senders/*.expect.json")
	if err != nil || len(sent) < 76 {
		t.Fatalf("%d examples (%v), want 76 or more", len(sent), err)
	}
	return append(documented, sent...)
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
	name, fallback := d.DisplayName(kind), d.FallbackOrigin
	if e.Nome == "Lead sem nome" && kind != Generic {
		name = e.Nome // then the name is what precedes the @
	}
	if e.Fallback == "" {
		fallback = ""
	}
	for _, c := range [][3]string{
		{"email", d.Email, e.Email}, {"nome", name, e.Nome}, {"telefone", d.Phone, e.Telefone},
		{"digits", text.Digits(d.Phone), e.Digits}, {"empresa", d.Company, e.Empresa}, {"origem", d.Origin, e.Origem},
		{"fallback", fallback, e.Fallback},
	} {
		if c[1] != c[2] {
			t.Errorf("%s = %q, want %q", c[0], c[1], c[2])
		}
	}
	if amount, _ := fields.ParseNumber(e.Valor.String()); d.Amount != amount {
		t.Errorf("valor = %d, want %d", d.Amount, amount)
	}
	if want.Delivery != nil && d.DeliveryID != *want.Delivery {
		t.Errorf("delivery = %q, want %q", d.DeliveryID, *want.Delivery)
	}
	checkDocuments(t, d, e.Documents)
	note := d.Note()
	checkHolds(t, "message", d.Message, e.Mensagem, nil)
	checkHolds(t, "note", note, e.Note, e.NoteNot)
	for s, n := range e.NoteAtMost {
		if got := strings.Count(note, s); got > n {
			t.Errorf("note has %q %d times", s, got)
		}
	}
	if testing.Verbose() || t.Failed() {
		t.Logf("%+v\nNOTE:\n%s", d, note)
	}
}

// checkHolds checks what a text must and must not contain.
func checkHolds(t *testing.T, what, text string, must, mustNot []string) {
	t.Helper()
	for _, s := range must {
		if !strings.Contains(text, s) {
			t.Errorf("%s has no %q: %q", what, s, text)
		}
	}
	for _, s := range mustNot {
		if strings.Contains(text, s) {
			t.Errorf("%s has %q", what, s)
		}
	}
}

// checkDocuments checks the documents of a draft, by their bare characters, where the example lists them.
func checkDocuments(t *testing.T, d Draft, want []string) {
	t.Helper()
	var got []string
	for _, doc := range d.Documents {
		got = append(got, doc.Value())
	}
	if want != nil && !slices.Equal(got, want) {
		t.Errorf("documents %q, want %q", got, want)
	}
}
