package integration

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/noon"
)

func TestStatementPagesFiltersAndFile(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key := s.NewKey(600, 500, 500).Key
		for _, d := range lookuptest.CPFs(1, 7) {
			s.CPF(key, d)
		}
		s.CPF(key, lookuptest.CPFs(1, 1)[0])
		s.Get("/api/v1/cnpj/"+acme, key)

		whole := s.Statement(key)
		expect(t, "entries", len(whole.Consultas), 9)
		expect(t, "gasto", whole.Gasto, lookuptest.Amounts{Hoje: "3.45", Mes: "3.45", Total: "3.45"})
		var pages []lookuptest.Entry
		path := "/api/v1/consultas?limite=4"
		for range 9 {
			page := s.StatementAt(path, key)
			pages = append(pages, page.Consultas...)
			s.CPF(key, lookuptest.CPFs(1, 2)[1]) // an insert while paging
			if page.Proxima == nil {
				break
			}
			path = "/api/v1/consultas?limite=4&cursor=" + *page.Proxima
		}
		expect(t, "pages", pages, whole.Consultas)

		today := time.Now().In(noon.Zone()).Format(time.DateOnly)
		tomorrow := time.Now().In(noon.Zone()).AddDate(0, 0, 1).Format(time.DateOnly)
		for query, want := range map[string]int{
			"produto=cnpj": 1, "produto=nada": 0, "cache=false&produto=cpf": 7, "de=" + today + "&produto=cnpj": 1,
			"de=" + tomorrow: 0, "ate=" + today + "&cache=false": 8, "ate=2020-01-01": 0,
		} {
			st := s.StatementAt("/api/v1/consultas?"+query, key)
			expect(t, query, len(st.Consultas), want)
			expect(t, query+": filters do not change what was spent", st.Gasto.Total, "3.45")
		}

		blank := s.StatementAt("/api/v1/consultas?limite=50&produto=&cursor=", key)
		expect(t, "what is empty filters nothing", len(blank.Consultas), len(s.StatementAt("/api/v1/consultas?limite=50", key).Consultas))
		for _, name := range []string{"limite", "de", "ate", "cache", "formato"} {
			expect(t, "empty "+name, s.Get("/api/v1/consultas?"+name+"=", key).String(), "400 requisicao_invalida")
		}
		expect(t, "a file from a page of junk", s.Get("/api/v1/consultas?formato=excel&cursor=x", key).String(), "400 requisicao_invalida")
		file, err := s.Do(t.Context(), "GET", "/api/v1/consultas?limite=1&cache=false", key,
			map[string]string{"Accept": "text/csv"}, "")
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(file.Body))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "rows", len(rows), 9)
		expect(t, "the route for files", string(s.Get("/api/v1/extrato/arquivo?cache=false", key).Body), string(file.Body))
		expect(t, "header", strings.Join(rows[0], ","), "id,produto,documento,em,cache,cobrada,valor,situacao,finalidade,bureau,seguida")
		expect(t, "first row", strings.Join(slices.Delete(slices.Clone(rows[1]), 3, 4), ",")[37:],
			"cnpj,"+acme+",false,true,0.3,concluida,,teste,")
		expect(t, "type", file.Header.Get("Content-Type"), "text/csv; charset=utf-8")
		empty, err := s.Do(t.Context(), "GET", "/api/v1/consultas?ate=2020-01-01", key,
			map[string]string{"Accept": "text/csv"}, "")
		if err != nil || !strings.HasPrefix(string(empty.Body), "id,produto") {
			t.Errorf("an empty file has its header: %q, %v", empty.Body, err)
		}
		newest := whole.Consultas[0]
		local := newest.Em.In(noon.Zone()).Format("02/01/2006 15:04:05")
		excel := s.Get("/api/v1/consultas?limite=1&cache=false&formato=excel", key)
		if want := "\ufeffid;produto;documento;em;cache;cobrada;valor;situacao;finalidade;bureau;seguida\r\n" + newest.ID +
			";cnpj;11.222.333/0001-81;" + local + ";não;sim;0,3;concluida;;teste;\r\n"; !strings.HasPrefix(string(excel.Body), want) {
			t.Errorf("for a spreadsheet: %.200q, want %q", excel.Body, want)
		}
		expect(t, "another form", s.Get("/api/v1/consultas?formato=xls", key).Status, 400)
	})
}
