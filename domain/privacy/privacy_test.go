package privacy_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/privacy"
)

var ana = privacy.Identity{Type: privacy.CPF, Value: "52998224725"}

func TestIdentitiesAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"529.982.247-25": "cpf 52998224725", "11.222.333/0001-81": "cnpj 11222333000181", "abc1d23": "placa ABC1D23",
		"529.982.247-26": "", "a@x.example": "", "": "",
	} {
		i, err := privacy.ByDocument(typed)
		if got := strings.TrimSpace(string(i.Type) + " " + i.Value); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v", typed, got, err)
		}
	}
	if i, err := privacy.ByEmail(" Ana@X.example "); err != nil || i.Value != "ana@x.example" {
		t.Error(i.Value, err)
	}
	if _, err := privacy.ByEmail("ana"); err == nil {
		t.Error("an address without @")
	}
	if i, ok := privacy.ByPhone("(21) 99773-1077"); !ok || i.Value != "+5521997731077" {
		t.Error(i.Value, ok)
	}
	if text := fmt.Sprintf("%v %+v %#v %s", ana, ana, ana, ana); strings.Contains(text, ana.Value) {
		t.Error("an identity shows itself")
	}
}

// TestBothPlatesOfAVehicle: the one from before it got its new form, and the one since.
func TestBothPlatesOfAVehicle(t *testing.T) {
	t.Parallel()
	for one, other := range map[string]string{
		"ABC1D23": "ABC1323", "ABC1323": "ABC1D23", "XYZ9J87": "XYZ9987", "XYZ9087": "XYZ9A87", "ABC1K23": "",
	} {
		twin, ok := privacy.Identity{Type: privacy.Plate, Value: one}.Twin()
		if ok != (other != "") || ok && (twin.Type != privacy.Plate || twin.Value != other) {
			t.Errorf("%s has the twin %q", one, twin.Value)
		}
	}
	if _, ok := ana.Twin(); ok {
		t.Error("a CPF has a twin")
	}
}

// TestWhatATextNames: identities in JSON, in forms, in tables and in prose.
func TestWhatATextNames(t *testing.T) {
	t.Parallel()
	p := privacy.Person{
		Identities: []privacy.Identity{ana, {Type: privacy.Email, Value: "ana@x.example"}},
		Phones:     []privacy.Identity{{Type: privacy.Phone, Value: "+5521997731077"}}, Names: []string{"ana lima"},
	}
	for text, want := range map[string]bool{
		`{"cpf":"529.982.247-25"}`: true, `cpf=52998224725&x=1`: true, `{"email":"ANA@x.example"}`: true,
		"email=ana%40x.example": true, `{"e":"ana\u0040x.example"}`: true, "Ana Lima;(21) 99773-1077": true,
		`{"email":"mariana@x.example"}`: false, "ana@x.example.br": false, "x.ana@x.example": false, "ana@x.example2": false,
		"escreva a ana@x.example.": true, "nota=fale+com+ana@x.example+hoje": true, "<ana@x.example>": true,
		"ana@x.example.br, ana@x.example": true, "pedido 1529982247250": false, "152998224725": false,
		"Ana Lima 021997731077": true, "529982247251": false, "cpf 52998224725 21997731077": true, "52998224725.0": true,
		"Ana Lima 5521997731077": true, "Ana Lima 0(21) 99773-1077": true, "Ana Lima 015 21 99773-1077": true,
		"Ana Lima 01521997731077": true, "Ana Lima, pedido 2199773107700": false, "Ana Lima, pedido 3321997731077": false,
		"amigo de Beltrano 529.982.247-25": true, "12345678 98765432 529.982.247-25 sim": true,
		"CONTRATO DO CLIENTE (529.982.247-25)": true, "529.982.247-25/SSP/SP/Brasil/outros": true,
		"CPF-529.982.247-25": true, "CPF529.982.247-25": true, "mãe (a)529.982.247-25": true,
		"529 . 982 . 247 - 25": true,
		"529.982.":             false, "529\u00a0982\u00a0247\u00a025": true,
		"Rui;(21) 99773-1077": false, "Ana Lima": false, "529.982.247-26": false, "": false,
	} {
		if got := p.Mentions(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
		named := slices.ContainsFunc(privacy.FindIn(text), p.Knows)
		if want && !named && !strings.Contains(text, "99773") {
			t.Errorf("nobody is found in %s", text)
		}
	}
	for _, text := range []string{
		"Tel(21) 99773-1077", "Cel.(21) 99773-1077", "+55 (21) 9 9773 - 1077", "WhatsApp+5521997731077",
		"55 21 9 97 73 10 77", "(21) 99773-1077x12", "Rua 9, 21 99773-1077ramal 3", "21997731077recado",
	} {
		if !slices.Contains(privacy.FindIn(text), p.Phones[0]) {
			t.Errorf("no phone is found in %s", text)
		}
	}
	got := p.Redact("Sócia: 529.982.247-25, ana@x.example; outro: 111.444.777-35.")
	if strings.Contains(got, "982") || strings.Contains(got, "ana@") || !strings.Contains(got, "111.444.777-35") {
		t.Error(got)
	}
}

// TestWhomAContactIsAbout: the person whose CPF it has; with several CPFs, none of them erases the contact.
func TestWhomAContactIsAbout(t *testing.T) {
	t.Parallel()
	doc := func(t document.Type, v string) document.Document { return document.Restore(t, v) }
	cpf, other := doc(document.CPF, ana.Value), doc(document.CPF, "11144477735")
	cnpj := doc(document.CNPJ, "11222333000181")
	email := privacy.Identity{Type: privacy.Email, Value: "ana@x.example"}
	company := privacy.Identity{Type: privacy.CNPJ, Value: cnpj.Value()}
	for _, c := range []struct {
		what      string
		documents []document.Document
		by        privacy.Identity
		want      bool
	}{
		{"his own", []document.Document{cpf}, ana, true}, {"with a company", []document.Document{cpf, cnpj}, ana, true},
		{"a partner's", []document.Document{other, cpf}, ana, false},
		{"a company of his", []document.Document{cpf, cnpj}, company, false},
		{"a company", []document.Document{cnpj}, company, true}, {"without any", nil, email, true},
		{"somebody else's with his address", []document.Document{other}, email, false},
	} {
		p := privacy.Person{Identities: []privacy.Identity{ana, c.by}}
		if got := p.Is(crm.Contact{ID: "1", Documents: c.documents}, c.by); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	p := privacy.Person{}
	found := p.Take(crm.Contact{
		ID: "1", Name: "Ana Lima", Email: "Ana@x.example", PhoneE164: "+5521997731077", Documents: []document.Document{cpf},
	})
	if len(found) != 2 || !p.Knows(ana) || !p.Knows(email) || len(p.Phones) != 1 || p.Take(crm.Contact{ID: "1"}) != nil {
		t.Error(found, p.Contacts)
	}
}

// TestNobodysNameIsNoName: a merge of two others without a name does not name a person who has none either.
func TestNobodysNameIsNoName(t *testing.T) {
	t.Parallel()
	p := privacy.Person{}
	p.Take(crm.Contact{ID: "1", Name: crm.NoName})
	p.Take(crm.Contact{ID: "2", Name: "Léo"})
	for name, want := range map[string]bool{crm.NoName: false, "Léo": true, "LEO": true, "Leonor": false} {
		if got := p.Happened(crm.Event{Kind: crm.Merged, Subject: name}); got != want {
			t.Errorf("%q names the person: %v", name, got)
		}
	}
}

// TestLinesOfAJournalAreUnited, in whatever order they come; never those whose hashes another key made.
func TestLinesOfAJournalAreUnited(t *testing.T) {
	t.Parallel()
	a, b := []byte("a"), []byte("b")
	got := privacy.United([]privacy.Entry{
		{ID: "1", KeyID: "k", Hashes: [][]byte{a, b}, Parts: []string{"p"}},
		{ID: "2", KeyID: "k", Hashes: [][]byte{a}},
		{ID: "1", KeyID: "k", Hashes: [][]byte{a}, Contacts: []string{"c"}, Block: true},
		{ID: "1", KeyID: "other", Hashes: [][]byte{a}},
	})
	want := []privacy.Entry{
		{ID: "1", KeyID: "k", Hashes: [][]byte{a, b}, Contacts: []string{"c"}, Parts: []string{"p"}, Block: true},
		{ID: "2", KeyID: "k", Hashes: [][]byte{a}},
		{ID: "1", KeyID: "other", Hashes: [][]byte{a}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
