package intake

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

// product is a body in the shape of a product, and what a sensible person expects of it.
type product struct {
	name     string
	kind     Kind
	typ      string // content type; JSON when empty
	body     string
	email    string
	nome     string
	fone     string
	empresa  string
	valor    int64 // whole reais
	mensagem string
	origem   string
	fallback string
	delivery string
	note     []string
	not      []string
	test     bool
	// documents are all documents of the contact; nil where they are not checked.
	documents []string
}

const formType = "application/x-www-form-urlencoded"

// pairs makes an urlencoded body of alternating keys and values.
func pairs(kv ...string) string {
	var b strings.Builder
	for i := 0; i < len(kv); i += 2 {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(kv[i]) + "=" + url.QueryEscape(kv[i+1]))
	}
	return b.String()
}

var productBodies = slices.Concat(formProducts, recordProducts, shopProducts, laterProducts, scripts)

func TestProducts(t *testing.T) {
	t.Parallel()
	for _, p := range productBodies {
		kind, typ := p.kind, p.typ
		if kind == "" {
			kind = Generic
		}
		if typ == "" {
			typ = "application/json"
		}
		t.Run(p.name, func(t *testing.T) {
			d, err := Read(Options{Kind: kind}, typ, []byte(p.body))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range [][3]string{
				{"email", d.Email, p.email}, {"nome", d.DisplayName(kind), p.nome}, {"telefone", d.Phone, p.fone},
				{"empresa", d.Company, p.empresa}, {"mensagem", d.Message, p.mensagem}, {"origem", d.Origin, p.origem},
				{"fallback", d.FallbackOrigin, p.fallback}, {"delivery", d.DeliveryID, p.delivery},
			} {
				if c[1] != c[2] {
					t.Errorf("%s = %q, want %q", c[0], c[1], c[2])
				}
			}
			if d.Amount%100 != 0 || (d.Amount+5000)/10000 != p.valor {
				t.Errorf("valor = %d, want %d", d.Amount, p.valor)
			}
			if d.Test != p.test {
				t.Errorf("test = %v", d.Test)
			}
			checkDocuments(t, d, p.documents)
			note := d.Note()
			checkHolds(t, "note", note, p.note, p.not)
			for _, l := range d.Leftover {
				if strings.Count("\n"+note+"\n", "\n"+l.Key+": "+l.Value+"\n") > 1 {
					t.Errorf("note repeats %q", l)
				}
			}
			if t.Failed() || testing.Verbose() {
				t.Logf("%+v\nNOTE:\n%s", d, note)
			}
		})
	}
}
