package web

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"fichario/domain/catalog"
	"fichario/domain/fault"
)

type paper struct {
	Name   string        `form:"nome" app:"name"`
	Text   AsTyped       `form:"texto"`
	Count  *int          `form:"quantos" app:"count" validate:"omitempty,max=3000" says:"Escreva um número."`
	Amount catalog.Money `form:"valor"`
	Yes    bool          `form:"sim"`
	Maybe  *bool         `form:"talvez"`
	Kinds  []kind        `form:"tipo"`
	Secret string        `form:"senha" app:"password"`
	Key    string        `form:"id" app:"-"`
	Other  string
}

type kind string

type largePaper struct {
	paper
	Page int `form:"pagina"`
}

// sent is a request with a posted form, or with the same values in its address.
func sent(method string, values url.Values) *Call {
	r := httptest.NewRequest(method, "/?"+values.Encode(), nil)
	if method == http.MethodPost {
		r = httptest.NewRequest(method, "/?nome=endereco", strings.NewReader(values.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	_ = r.ParseForm()
	return &Call{Request: r}
}

func TestFormsAreDecoded(t *testing.T) {
	t.Parallel()
	values := url.Values{
		"nome": {" Ana  Lima\n", "outra"}, "texto": {" a\r\n"}, "quantos": {"2.000"}, "valor": {"R$ 1.234,56"},
		"sim": {"sim"}, "talvez": {" não "}, "tipo": {"cpf", " placa"}, "Other": {"x"}, "pagina": {"7"},
		// The decoder must ignore names that none of our forms has.
		"tipo[9999999]": {"x"}, "a]": {"x"}, "a[": {"x"}, "Name": {"x"}, "": {"x"},
	}
	want := largePaper{Page: 7, paper: paper{
		Name: "Ana  Lima", Text: " a\r\n", Count: new(2000), Amount: 1234_5600, Yes: true, Maybe: new(false),
		Kinds: []kind{"cpf", "placa"},
	}}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		var got largePaper
		if err := sent(method, values).Decode(&got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", method, got, err)
		}
	}
	var got largePaper
	empty := url.Values{"quantos": {""}, "valor": {" "}, "sim": {""}, "talvez": {""}, "tipo": {""}}
	if err := sent(http.MethodPost, empty).Decode(&got); err != nil || !reflect.DeepEqual(got, largePaper{}) {
		t.Errorf("fields left empty: %+v, %v", got, err)
	}
}

func TestUnreadableFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ value, says string }{
		"quantos": {"dois", "Escreva um número."}, "valor": {"dez", "O campo valor não tem a forma esperada."},
		"sim": {"yes", "O campo sim não tem a forma esperada."}, "talvez": {"x", "O campo talvez não tem a forma esperada."},
		"pagina": {"99999999999999999999", "O campo pagina não tem a forma esperada."},
	} {
		var f largePaper
		var wrong *fault.Error
		err := sent(http.MethodPost, url.Values{name: {c.value}, "nome": {"Ana"}}).Decode(&f)
		if !errors.As(err, &wrong) || wrong.Field != name || wrong.Message != c.says || f.Name != "Ana" {
			t.Errorf("%s: %+v, %#v", name, f, err)
		}
		var g largePaper
		err = sent(http.MethodGet, url.Values{name: {c.value}, "nome": {"Ana"}}).Decode(&g)
		if err != nil || g.Name != "Ana" {
			t.Errorf("%s in an address: %+v, %v", name, g, err)
		}
	}
	var f largePaper
	err := sent(http.MethodGet, url.Values{"quantos": {"3.001"}}).Decode(&f)
	if fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("too many in an address: %v", err)
	}
}

func TestAFormComesBackAtItsField(t *testing.T) {
	t.Parallel()
	c := sent(http.MethodPost, url.Values{"nome": {" Ana "}, "quantos": {"dois"}, "senha": {"segredo"}, "mais": {"x"}})
	at := func(field string) error { return fault.New(fault.InvalidRequest, "Assim não.").At(field) }
	for field, want := range map[string]string{
		"name": "nome", "nome": "nome", "count": "quantos", "password": "senha", "id": "", "": "", "Other": "", "mais": "",
	} {
		got, ok := c.Again(&largePaper{}, at(field))
		if ok != (want != "") || got.Field != want || got.Problem != "Assim não." || got.Values["nome"] != " Ana " ||
			got.Values["quantos"] != "dois" || got.Values["senha"] != "" || got.Values["mais"] != "" {
			t.Errorf("%s: %+v, %t", field, got, ok)
		}
	}
	for _, err := range []error{nil, errHalfForm, fault.New(fault.NotFound, "Não há.").At("name")} {
		if got, ok := c.Again(&largePaper{}, err); ok {
			t.Errorf("%v: %+v", err, got)
		}
	}
}

func TestFormsAreFilled(t *testing.T) {
	t.Parallel()
	got := Filled(largePaper{paper: paper{
		Name: "Ana", Text: "\na", Count: new(2000), Amount: 1234_5600, Kinds: []kind{"cpf"}, Maybe: new(true),
	}})
	for name, want := range map[string]string{
		"nome": "Ana", "texto": "\na", "quantos": "2000", "valor": "R$\u00a01.234,56", "tipo": "cpf", "sim": "", "talvez": "sim",
	} {
		if got.Values[name] != want {
			t.Errorf("%s is %q, want %q", name, got.Values[name], want)
		}
	}
	type filter struct {
		Text  string `form:"q"`
		Order string `form:"ordem"`
	}
	if got := WithQuery(QueryOf(filter{Text: "a b"})) + WithQuery(QueryOf(filter{})); got != "?q=a+b" {
		t.Errorf("an address %q", got)
	}
}

// TestAFigureIsShort: an amount fits into a figure, however large it is and on which side of zero.
func TestAFigureIsShort(t *testing.T) {
	t.Parallel()
	for amount, want := range map[catalog.Money]string{
		99_999_900: "R$ 9.999,99", 999_999 * catalog.Real: "R$ 999.999,00", 2_204_530 * catalog.Real: "R$ 2,20 mi",
		1_000_110_845 * catalog.Real: "R$ 1,00 bi", -2_500_000 * catalog.Real: "-R$ 2,50 mi", 0: "R$ 0,00",
	} {
		if got := strings.ReplaceAll(roughly(amount), "\u00a0", " "); got != want {
			t.Errorf("%d is %q, want %q", amount, got, want)
		}
	}
}

// TestAnOldFormIsRefusedHoweverOftenItIsChecked: its transaction may be tried again.
func TestAnOldFormIsRefusedHoweverOftenItIsChecked(t *testing.T) {
	t.Parallel()
	c := &Call{Request: &http.Request{PostForm: url.Values{versionField: {"seen"}}}}
	still := Still(c, func(row string) string { return row })
	for range 2 {
		if err := still("changed"); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("a row that somebody changed: %v", err)
		}
	}
	if err := still("seen"); err != nil {
		t.Errorf("the row that was seen: %v", err)
	}
}
