package web

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
)

// FuzzLocal: no redirect after signing in leaves this site, as browsers interpret the address.
func FuzzLocal(f *testing.F) {
	for _, s := range []string{
		"/contatos?q=1#x", "//evil.example", "/\\evil.example", "https://evil.example", "/%09/evil.example", "/\t/evil.example",
		"javascript:alert(1)", "/..//evil.example", "/%2f%2fevil.example", "/\r\nSet-Cookie: a=b", "", "?a", "/%5cevil.example", "%2f", "%2f/evil.example", "/%2fevil.example/x y",
	} {
		f.Add(s)
	}
	base, _ := url.Parse("https://fichario.example/entrar")
	f.Fuzz(func(t *testing.T, after string) {
		to := Local(after)
		// Browsers ignore tabs and line breaks, and take a backslash for a slash.
		read := strings.NewReplacer("\t", "", "\n", "", "\r", "", "\\", "/").Replace(to)
		if !strings.HasPrefix(read, "/") || strings.HasPrefix(read, "//") {
			t.Fatalf("%q leads to %q", after, to)
		}
		u, err := base.Parse(to)
		if err != nil || u.Host != base.Host || u.Scheme != "https" {
			t.Errorf("%q leads to %q", after, to)
		}
		if again := Local(to); again != to {
			t.Errorf("%q, and then %q", to, again)
		}
	})
}

// FuzzForms: whatever a form contains, its struct is filled or a field is marked.
func FuzzForms(f *testing.F) {
	for _, s := range []string{
		"nome=Ana&minuto=60&dia=1&mes=1&pode=cpf&pode=cnpj&vence=2030-01-01", "minuto=1.000&minuto=x", "pode[0]=cpf&pode[99999999]=x",
		"nome.x=1&org_id=1&ID=2", "nome=%zz", "vence=2030-02-30&mes=99999999999999999999", "pode[-1]=a&a[b][c]=d",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		r := httptest.NewRequest("POST", "/chaves", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		c := &Call{Request: r, Writer: httptest.NewRecorder()}
		if c.read(formMax) != nil {
			return
		}
		_ = c.Decode(&everyKind{}) // a fault, or nothing
	})
}

// everyKind has a field of every kind that the forms of the interface have.
type everyKind struct {
	ID        string          `form:"id" app:"-"`
	Name      string          `form:"nome" app:"name"`
	Scopes    []document.Type `form:"pode" app:"scopes"`
	Columns   []string        `form:"coluna"`
	Contacts  bool            `form:"contatos" app:"-"`
	PerMonth  *int            `form:"mes" app:"perMonth" validate:"required,min=0,max=1000000000" says:"Escreva um número."`
	LastDay   string          `form:"vence" app:"expires" validate:"omitempty,day" says:"Escreva uma data."`
	Note      AsTyped         `form:"nota" app:"note"`
	Duplicate crm.Duplicates  `form:"duplicados"`
	Amount    *catalog.Money  `form:"teto"`
}
