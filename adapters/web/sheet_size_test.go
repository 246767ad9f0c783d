package web_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestTheSheetOfALargeCompanyIsSmall: one of eighty partners, telephones and addresses is at most 60 kB a page,
// whatever the bureau says of the partners' documents; its other pages have the rest, each with the ways to ask about
// its own.
func TestTheSheetOfALargeCompanyIsSmall(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for company, doc := range map[string]string{aCompany: `"` + aPerson + `"`, "12ABC34501DE35": `"***982247**"`} {
		var partners, phones, places []string
		for i := range 85 {
			partners = append(partners, fmt.Sprintf(`{"nome":"Maria Aparecida dos Santos Albuquerque %d.","documento":%s,
				"qualificacao":"Sócio-Administrador","entrada":"2019-08-%02d"}`, i, doc, i%28+1))
			phones = append(phones, fmt.Sprintf(`{"ddd":"11","numero":"9876543%02d","tipo":"Celular","whatsapp":true}`, i))
			places = append(places, fmt.Sprintf(`{"logradouro":"Avenida Brigadeiro","numero":"%d","bairro":"Bela Vista",
				"cidade":"São Paulo","uf":"SP","cep":"01310100"}`, i))
		}
		v.bureau.says(company, `{"razaoSocial":"Cipó Ltda","socios":[`+strings.Join(partners, ",")+`],"telefones":[`+
			strings.Join(phones, ",")+`],"enderecos":[`+strings.Join(places, ",")+`]}`)
		address := v.ask("documento", company, "produto", "cnpj")
		if page := v.get(address + "?bruto=texto"); len(page) > 60_000 {
			t.Errorf("with the answer as text the sheet has %d bytes", len(page))
		}
		next := regexp.MustCompile(`<a class="btn btn-s" href="([^"#]+)#lista-socios" rel="next">`)
		const rows = 12
		for first := 0; first < 80; first += rows {
			page := v.get(address)
			if t.Logf("%d bytes", len(page)); len(page) > 60_000 {
				t.Errorf("from partner %d on the sheet has %d bytes", first, len(page))
			}
			for i := range 80 {
				want := 0
				if i >= first && i < first+rows {
					want = 2 // the list and the graph
				}
				if n := strings.Count(page, fmt.Sprintf(`>Maria Aparecida dos Santos Albuquerque %d.</bdi>`, i)); n != want {
					t.Errorf("from partner %d on, partner %d is there %d times", first, i, n)
				}
			}
			has(t, "the rest", page, fmt.Sprintf("%d a %d de 80", first+1, min(80, first+rows)),
				"E mais 5 na resposta original", fmt.Sprintf("E mais %d: o desenho segue", 85-min(rows, 80-first)))
			way := next.FindStringSubmatch(unescaped(page))
			if (way != nil) != (first+rows < 80) {
				t.Fatalf("from partner %d on: more is offered by %q", first, way)
			}
			if way != nil {
				address = way[1]
			}
		}
		form := regexp.MustCompile(`name="de" value="([^"]+)"><input type="hidden" name="pessoa" value="(\d+)">`).
			FindStringSubmatch(v.get(address))
		if company == aCompany && (form == nil || form[2] != "73") {
			t.Errorf("the last page asks about %q", form)
		} else if form != nil {
			response, _ := v.send("/consultar", "de", form[1], "pessoa", form[2], "produto", "cpf")
			if response.StatusCode != http.StatusOK {
				t.Errorf("a partner of the last page: %d", response.StatusCode)
			}
		}
	}
}
