package intake

import (
	"slices"
	"strings"
	"testing"
)

// documented are bodies with documents as senders shape them, with what is taken from each and what stays.
var documented = []struct {
	name, body string
	want       []string
	note       string // what the note still has of them
}{
	{"a key", `{"email":"a@x.com","cpf":"529.982.247-25"}`, []string{"cpf 52998224725"}, ""},
	{"bare", `{"email":"a@x.com","CNPJ":"11222333000181"}`, []string{"cnpj 11222333000181"}, ""},
	{"letters in a CNPJ", `{"email":"a@x.com","cnpj":"12.abc.345/01de-35"}`, []string{"cnpj 12ABC34501DE35"}, ""},
	{"a title", `{"email":"a@x.com","answers":[{"title":"Qual o CPF do titular?","value":"529 982 247 25"}]}`,
		[]string{"cpf 52998224725"}, ""},
	{"of the company", `{"email":"a@x.com","CNPJ da empresa":"11.222.333/0001-81"}`, []string{"cnpj 11222333000181"}, ""},
	{"beside a name of the company", `{"email":"a@x.com","Empresa / CNPJ":"11.222.333/0001-81"}`,
		[]string{"cnpj 11222333000181"}, ""},
	{"both", `{"email":"a@x.com","cpf":"52998224725","cnpj":"11222333000181"}`,
		[]string{"cpf 52998224725", "cnpj 11222333000181"}, ""},
	{"one field for both", `{"email":"a@x.com","CPF/CNPJ":"11.222.333/0001-81"}`, []string{"cnpj 11222333000181"}, ""},
	{"camel case", `{"email":"a@x.com","cpfCnpj":"52998224725"}`, []string{"cpf 52998224725"}, ""},
	{"underlined", `{"email":"a@x.com","payer_cpf_cnpj":"52998224725"}`, []string{"cpf 52998224725"}, ""},
	{"of a shop", `{"email":"a@x.com","_billing_cpf":"52998224725"}`, []string{"cpf 52998224725"}, ""},
	{"tax id", `{"email":"a@x.com","customer":{"tax_id":"52998224725"}}`, []string{"cpf 52998224725"}, ""},
	{"a document with its type", `{"customer":{"email":"a@x.com","document":"52998224725","document_type":"cpf"}}`,
		[]string{"cpf 52998224725"}, ""},
	{"an identification", `{"payer":{"email":"a@x.com","identification":{"type":"CPF","number":"52998224725"}}}`,
		[]string{"cpf 52998224725"}, ""},
	{"Tally", `{"eventId":"1","data":{"fields":[{"key":"q1","label":"E-mail","type":"INPUT_EMAIL","value":"a@x.com"},
		{"key":"q2","label":"Seu CPF","type":"INPUT_TEXT","value":"529.982.247-25"}]}}`, []string{"cpf 52998224725"}, ""},
	{"a validated type", `{"data":{"fields":[{"key":"q1","label":"E-mail","type":"INPUT_EMAIL","value":"a@x.com"},
		{"key":"q2","label":"Quem assina?","type":"CPF","value":"529.982.247-25"}]}}`, []string{"cpf 52998224725"}, ""},
	{"Typeform", `{"form_response":{"definition":{"fields":[{"id":"a","title":"E-mail","type":"email"},
		{"id":"b","title":"CNPJ da sua empresa","type":"short_text"}]},"answers":[
		{"type":"email","email":"a@x.com","field":{"id":"a","type":"email"}},
		{"type":"text","text":"11.222.333/0001-81","field":{"id":"b","type":"short_text"}}]}}`,
		[]string{"cnpj 11222333000181"}, ""},
	{"Meta", `{"field_data":[{"name":"email","values":["a@x.com"]},{"name":"cpf","values":["52998224725"]}]}`,
		[]string{"cpf 52998224725"}, ""},
	{"several", `{"email":"a@x.com","cnpjs":["11222333000181","00000000000191"]}`,
		[]string{"cnpj 11222333000181", "cnpj 00000000000191"}, ""},
	{"several in one text", `{"email":"a@x.com","CNPJs":"11.222.333/0001-81; 00.000.000/0001-91"}`,
		[]string{"cnpj 11222333000181", "cnpj 00000000000191"}, ""},
	{"a number", `{"email":"a@x.com","cpf":52998224725}`, []string{"cpf 52998224725"}, ""},
	{"a number without its zeros", `{"email":"a@x.com","cnpj":191}`, nil, "191"},
	{"a number without two zeros", `{"email":"a@x.com","cpf":272727400}`, nil, "272727400"},
	{"said twice", `{"email":"a@x.com","cpf":"52998224725","CPF do titular":"529.982.247-25"}`, []string{"cpf 52998224725"}, ""},
	{"a wrong digit", `{"email":"a@x.com","cpf":"529.982.247-26"}`, nil, "529.982.247-26"},
	{"one wrong of two", `{"email":"a@x.com","cpfs":"52998224725, 52998224726"}`, nil, "52998224725, 52998224726"},
	{"with words", `{"email":"a@x.com","cpf":"529.982.247-25 (do meu pai)"}`, nil, "529.982.247-25 (do meu pai)"},
	{"somebody else's", `{"email":"a@x.com","CPF do cônjuge":"529.982.247-25"}`, nil, "529.982.247-25"},
	{"of the seller", `{"email":"a@x.com","vendedor":{"nome":"Rui","cpf":"529.982.247-25"}}`, nil, "529.982.247-25"},
	{"no name for it", `{"email":"a@x.com","código":"52998224725"}`, nil, "52998224725"},
	{"no document", `{"email":"a@x.com","Tem CNPJ?":"Sim"}`, nil, "Sim"},
	{"a phone that is a CPF", `{"email":"a@x.com","telefone":"52998224725"}`, nil, ""},
}

func TestDocumentsAreTakenFromFieldsThatSaySo(t *testing.T) {
	t.Parallel()
	for _, c := range documented {
		for _, kind := range []Kind{Generic, FormService} {
			d, err := Read(Options{Kind: kind}, "application/json", []byte(c.body))
			if err != nil || d.Email != "a@x.com" {
				t.Fatalf("%s: %q, %v", c.name, d.Email, err)
			}
			var got []string
			for _, doc := range d.Documents {
				got = append(got, string(doc.Type())+" "+doc.Value())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s (%s): %q, want %q", c.name, kind, got, c.want)
			}
			note := d.Note()
			if !strings.Contains(note, c.note) || c.note == "" && strings.ContainsAny(note, "0123456789") {
				t.Errorf("%s (%s): note %q", c.name, kind, note)
			}
		}
	}
}

func TestEachPersonHasTheirDocument(t *testing.T) {
	t.Parallel()
	drafts, err := ReadAll(Options{Kind: Generic}, "application/json", []byte(`{"cnpj":"11222333000181","leads":[
		{"email":"a@x.com","cpf":"52998224725"},{"email":"b@x.com","cpf":"11144477735"},{"email":"c@x.com"}]}`))
	if err != nil || len(drafts) != 3 {
		t.Fatalf("%d people, %v", len(drafts), err)
	}
	for i, want := range []int{2, 2, 1} { // what stands outside belongs to each
		if n := len(drafts[i].Documents); n != want {
			t.Errorf("person %d: %d documents", i, n)
		}
	}
	if drafts[0].Documents[0] == drafts[1].Documents[0] && drafts[0].Documents[1] == drafts[1].Documents[1] {
		t.Error("two people have the same documents")
	}
}

func TestMoreDocumentsThanAContactHasStayInTheNote(t *testing.T) {
	t.Parallel()
	var list []string
	for _, base := range "ABCDEFGHIJKL" {
		list = append(list, `"`+withDigits(strings.Repeat(string(base), 8)+"0001")+`"`)
	}
	d, err := Read(Options{Kind: Generic}, "application/json",
		[]byte(`{"email":"a@x.com","cnpj":"11222333000181","outros cnpj":[`+strings.Join(list, ",")+`]}`))
	if err != nil || len(d.Documents) != 1 || !strings.Contains(d.Note(), "CCCCCCCC0001") {
		t.Errorf("%d documents, %v", len(d.Documents), err)
	}
}

// withDigits appends the check digits to twelve characters of a CNPJ.
func withDigits(base string) string {
	for range 2 {
		sum := 0
		for i := range len(base) {
			sum += int(base[i]-'0') * (2 + (len(base)-1-i)%8)
		}
		digit := 0
		if r := sum % 11; r >= 2 {
			digit = 11 - r
		}
		base += string(rune('0' + digit))
	}
	return base
}

// TestWrittenAsADocument: whatever the key, unless it is somebody else's, the marks of a CPF say enough.
func TestWrittenAsADocument(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`"a1b2c3d4e5f60718293a4b5c6d7e8f9012345678":"529.982.247-25"`: 1, `"input_5":"11.222.333/0001-81"`: 1,
		`"input_5":"52998224725"`: 0, `"input_5":"529.982.247-26"`: 0, `"socio":"529.982.247-25"`: 0,
		`"citizen_number":"529.982.247-25"`: 1, `"login":"529.982.247-25"`: 1,
		`"fields":[{"label":"Quem indica?","value":"529.982.247-25"}]`: 0,
	} {
		if d := mustRead(t, "", `{"email":"ana@x.com",`+body+`}`); len(d.Documents) != want {
			t.Errorf("%s: %v", body, d.Documents)
		}
	}
}

// TestTheWordOfTheWholeForm stands around the contact's address, too, and says nothing of whose a document is.
func TestTheWordOfTheWholeForm(t *testing.T) {
	t.Parallel()
	const cnpj, ana = `"cnpj":"11.222.333/0001-81"`, `{"nome":"Ana Lima","email":"ana@x.com"}`
	for body, want := range map[string]int{
		`{"cadastro_fornecedor":{"empresa":{"razao_social":"Luz","email":"oi@x.com",` + cnpj + `},"contato_comercial":` + ana + `}}`: 1,
		`{"novoParceiro":{"dados_empresa":{` + cnpj + `},"quem":` + ana + `}}`:                                                       1,
		`{"parceiro":{` + cnpj + `},"quem":` + ana + `}`:                                                                             0,
		`{"cadastro":{"fornecedor":{` + cnpj + `},"quem":` + ana + `}}`:                                                              0,
	} {
		if d := mustRead(t, "", body); len(d.Documents) != want || d.Email != "ana@x.com" {
			t.Errorf("%s: %d documents of %q", body, len(d.Documents), d.Email)
		}
	}
}

// TestADocumentWithItsNumber: databases wrap a record in a "document", and gateways give that of a person so.
func TestADocumentWithItsNumber(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"email":"a@x.com","document":{"type":"CPF","number":"52998224725"}}`:              1,
		`{"email":"a@x.com","document":{"number":52998224725}}`:                             1,
		`{"customer":{"email":"a@x.com","document":{"type":"cpf","numero":"52998224725"}}}`: 1,
		`{"email":"a@x.com","nrcpfcnpj":"52998224725"}`:                                     1,
		// Nobody's, somebody else's, and a record that a database wraps.
		`{"email":"a@x.com","document":{"type":"RG","number":"123456789"}}`:                            0,
		`{"email":"a@x.com","document":{"type":"CPF","number":"52998224726"}}`:                         0,
		`{"email":"a@x.com","document":{"title":"Contrato","number":"7"}}`:                             0,
		`{"email":"a@x.com","seller":{"document":{"type":"CNPJ","number":"11222333000181"}}}`:          0,
		`{"buyer":{"email":"a@x.com"},"producer":{"document":{"type":"CPF","number":"52998224725"}}}`:  0,
		`{"email":"a@x.com","spouse":{"name":"Rui","document":{"type":"CPF","number":"52998224725"}}}`: 0,
		`{"document":{"nome":"Ana","email":"a@x.com","number":"500"}}`:                                 0,
		`{"email":"a@x.com","name":"Ana Lima","emitente":{"document":{"number":"11222333000181"}}}`:    0,
	} {
		d := mustRead(t, "", body)
		if d.Email != "a@x.com" || len(d.Documents) != want {
			t.Errorf("%s: %+v", body, d)
		}
	}
}
