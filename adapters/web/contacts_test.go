package web_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var rowInList = regexp.MustCompile(`<a href="/contatos/([0-9a-f-]+)"><bdi>([^<]*)</bdi></a>`)

// namesInList returns the names in a list, in order.
func namesInList(page string) []string {
	var out []string
	for _, m := range rowInList.FindAllStringSubmatch(page, -1) {
		out = append(out, unescaped(m[2]))
	}
	return out
}

func TestContactsSearchAndFilters(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, other := site.visitor("Ana"), site.visitor("Rui")
	if page := v.get("/contatos"); !strings.Contains(page, "Nenhum contato ainda") ||
		!strings.Contains(page, `href="/webhooks"`) {
		t.Error("the empty list does not say what to do")
	}
	v.lead(url.Values{
		"nome": {"João Conceição"}, "email": {"joao@example.com"}, "telefone": {"(11) 98765-4321"}, "empresa": {"Óptica Ipê"},
		"valor": {"10"},
	})
	v.lead(url.Values{"nome": {"Bia Rocha"}, "email": {"bia_100%@example.com"}, "valor": {"R$ 1.500,00"}})
	v.lead(url.Values{"nome": {"álvaro"}, "email": {"alvaro@example.com"}, "valor": {"7"}})
	other.lead(url.Values{"nome": {"João dos Outros"}, "email": {"joao@example.com"}})
	stages := v.funnel().Stages
	for query, want := range map[string]string{
		"":                          "álvaro|Bia Rocha|João Conceição",
		"ordem=antigos":             "João Conceição|Bia Rocha|álvaro",
		"ordem=nome":                "álvaro|Bia Rocha|João Conceição",
		"ordem=nome-z":              "João Conceição|Bia Rocha|álvaro",
		"ordem=valor":               "Bia Rocha|João Conceição|álvaro",
		"ordem=qualquer":            "álvaro|Bia Rocha|João Conceição",
		"q=joao":                    "João Conceição",
		"q=CONCEICAO+jo%C3%A3o":     "João Conceição",
		"q=otica":                   "",
		"q=optica":                  "João Conceição",
		"q=%2811%29+98765-4321":     "João Conceição",
		"q=011+98765":               "João Conceição",
		"q=4321+joao":               "João Conceição",
		"q=%25":                     "Bia Rocha",
		"q=_":                       "Bia Rocha",
		"q=%5C":                     "",
		"q=%27":                     "",
		"q=%27+OR+1%3D1--":          "",
		"quando=hoje":               "álvaro|Bia Rocha|João Conceição",
		"etapa=" + stages[0].ID:     "álvaro|Bia Rocha|João Conceição",
		"etapa=" + stages[1].ID:     "",
		"resp=" + v.member.ID:       "álvaro|Bia Rocha|João Conceição",
		"webhook=" + v.hook.ID:      "álvaro|Bia Rocha|João Conceição",
		"q=bia&ordem=nome&quando=7": "Bia Rocha",
	} {
		if got := strings.Join(namesInList(v.get("/contatos?"+query)), "|"); got != want {
			t.Errorf("%q: got %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{
		"etapa=x", "etapa=" + other.funnel().Stages[0].ID, "resp=" + other.member.ID, "webhook=" + other.hook.ID, "origem=0",
	} {
		if response, _ := v.do(http.MethodGet, "/contatos?"+query, nil); response.StatusCode != http.StatusNotFound {
			t.Errorf("%q of another organisation: %d", query, response.StatusCode)
		}
	}
	if page := v.get("/contatos?q=aracaju"); !strings.Contains(page, "aracaju") ||
		!strings.Contains(page, "Limpar filtros") {
		t.Error("the search that finds nothing does not say what to do")
	}
	if page := v.get("/contatos?ordem=valor"); !strings.Contains(page, `aria-sort="descending"`) ||
		!strings.Contains(page, "ordem=valor-crescente") {
		t.Error("the head does not say how the list is ordered")
	}
	if strings.Contains(site.log.String(), "aracaju") {
		t.Error("the search text is in the log")
	}
}

func TestContactsPagesAreStable(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for i := range 120 {
		v.lead(url.Values{
			"nome": {fmt.Sprintf("Pessoa %03d", i)}, "email": {fmt.Sprintf("p%d@example.com", i)}, "valor": {fmt.Sprint(i % 3)},
		})
	}
	next := regexp.MustCompile(`href="([^"]*)" rel="next"`)
	previous := regexp.MustCompile(`href="([^"]*)" rel="prev"`)
	for _, order := range []string{"", "antigos", "nome", "nome-z", "valor", "valor-crescente"} {
		var seen []string
		address, pages, last, first := "/contatos?ordem="+order, 0, "", ""
		for {
			page := v.get(address)
			names := namesInList(page)
			if pages == 0 {
				first = strings.Join(names, "|")
			}
			if want := fmt.Sprintf("%d a %d de", pages*50+1, pages*50+len(names)); !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", order, want)
			}
			if len(page) > 100_000 {
				t.Errorf("a page has %d bytes", len(page))
			}
			seen, last = append(seen, names...), page
			pages++
			m := next.FindStringSubmatch(page)
			if m == nil || pages > 9 {
				break
			}
			address = unescaped(m[1])
			// It arrives on the first page of the newest contacts.
			v.lead(url.Values{"nome": {"Recém " + order}, "email": {"r@example.com"}, "valor": {"9"}})
		}
		for i := range 120 {
			if name := fmt.Sprintf("Pessoa %03d", i); slices.Index(seen, name) < 0 ||
				slices.Index(seen[slices.Index(seen, name)+1:], name) >= 0 {
				t.Errorf("order %q: %s is not there once", order, name)
			}
		}
		back := 0
		for m := previous.FindStringSubmatch(last); m != nil && back < 9; m = previous.FindStringSubmatch(last) {
			last = v.get(unescaped(m[1]))
			back++
		}
		if got := namesInList(last); order == "antigos" && strings.Join(got, "|") != first {
			t.Errorf("back at the first page it is another one: %v", got)
		} else if len(got) != 50 {
			t.Errorf("the first page has %d contacts", len(got))
		}
	}
}

func TestContactsFile(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.lead(url.Values{
		"nome": {`=HYPERLINK("http://evil.example","x")`}, "email": {"+a@example.com"}, "empresa": {"@SUM(A1)"},
		"telefone": {"(11) 98765-4321"}, "valor": {"1234,56"}, "mensagem": {"-1+2\nlinha, \"com\" tudo"},
	})
	for i := range 600 {
		v.lead(url.Values{"nome": {fmt.Sprint("P", i)}, "email": {"p@example.com"}})
	}
	response, body := v.do(http.MethodGet, "/contatos.csv?ordem=antigos", nil)
	if got := response.Header.Get("Content-Type"); got != "text/csv; charset=utf-8" {
		t.Errorf("type %q", got)
	}
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || len(rows) != 602 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	want := `'=HYPERLINK("http://evil.example","x")|'+a@example.com|(11) 98765-4321|'@SUM(A1)|1234.56`
	if got := strings.Join(rows[1][1:6], "|"); got != want {
		t.Errorf("row %s", got)
	}
	for _, row := range rows[1:] {
		for _, cell := range row {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
				t.Errorf("a spreadsheet takes %q for a formula", cell)
			}
		}
	}
	if _, body := v.do(http.MethodGet, "/contatos.csv?q=P599", nil); strings.Count(body, "\n") != 2 {
		t.Errorf("the file does not follow the search: %q", body)
	}
}

// TestFiltersAreFolded on a phone, and show how many are in use; the search is separate, and precedes them.
func TestFiltersAreFolded(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	for path, want := range map[string]string{
		"/contatos": "Filtros</summary>", "/contatos?q=bia&ordem=nome": "Filtros</summary>",
		"/contatos?q=bia&retorno=sem&quando=7": "Filtros (2)</summary>",
		"/funil":                               "Filtros</summary>", "/funil?retorno=sem": "Filtros (1)</summary>",
	} {
		page := v.get(path)
		has(t, path, page, want)
		if search := strings.Index(page, `id="busca-contatos"`); search > strings.Index(page, want) {
			t.Errorf("%s: the search is not first", path)
		}
	}
}
