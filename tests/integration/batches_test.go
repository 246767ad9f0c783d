package integration

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/xuri/excelize/v2"

	"fichario/adapters/spreadsheet"
	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/lookuptest"
)

const workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// TestABatch runs from a table to its results, through the API and the commands.
func TestABatch(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key, stranger := s.NewKey(600, 50, 50), s.NewKey(600, 50, 50)
		docs := lookuptest.CPFs(31, 3)
		for _, d := range docs {
			s.Hide(d)
		}
		s.CPF(key.Key, docs[0])
		table := "nome;CPF do cliente\n=Ana;" + docs[0] + "\nBia;" + mask(docs[1]) + "\n\nCaio;123\nBia de novo;" + docs[1] + "\n"
		b := s.BatchOf(s.SendTable(key.Key, "produto=cpf&nome=Carteira", "text/csv", table))
		expect(t, "the quote", []any{b.Nome, b.Situacao, b.Itens.Total, b.Itens.Validos, b.Itens.Repetidos, b.DoHistorico,
			b.AConsultar, b.CustoMaximo.String(), b.Invalidos[0].Linha}, []any{"Carteira", "orcado", 4, 2, 1, 1, 1, "0.45", 5})
		expect(t, "calls", bureau.Calls(), 1)
		place := "/api/v1/lotes/" + b.ID
		for _, path := range []string{place, place + "/resultados", "/api/v1/lotes/x"} {
			expect(t, path, s.Get(path, stranger.Key).String(), "404 lote_desconhecido")
		}
		for _, what := range []string{"confirmar", "pausar", "retomar", "cancelar"} {
			expect(t, what, s.Move(stranger.Key, b.ID, what, "").String(), "404 lote_desconhecido")
		}
		expect(t, "paused before it runs", s.Move(key.Key, b.ID, "pausar", "").String(), "409 estado_do_lote")
		expect(t, "a ceiling of words", s.Move(key.Key, b.ID, "confirmar", `{"teto":"x"}`).String(), "400 requisicao_invalida")
		expect(t, "by its id in capitals", s.Batch(key.Key, strings.ToUpper(b.ID)).ID, b.ID)
		expect(t, "confirmed without a length", chunked(t, s, key.Key, place+"/confirmar"), 202)
		done := s.AwaitBatch(key.Key, b.ID, "it is done", func(b lookuptest.Batch) bool { return b.Situacao == "concluido" })
		expect(t, "who pays, before and after", []any{b.ChavePagadora == nil, *done.ChavePagadora, done.MembroPagador == nil},
			[]any{true, key.ID, true})
		expect(t, "the end", done.String(), "concluido : 2 done, 1 charged, 1 free, 0 failed, 0.45 spent")
		expect(t, "calls", bureau.Calls(), 2)
		var lines []string
		for _, r := range s.BatchResults(key.Key, b.ID) {
			lines = append(lines, fmt.Sprint(r.Linha, r.Situacao, r.Cache, r.Valor, r.Campos != nil))
		}
		expect(t, "results", strings.Join(lines, " "),
			"2concluidatrue0true 3concluidafalse0.45true 5invalidofalse0false 6concluidatrue0true")
		checkFiles(t, s, key.Key, place)
		page := s.Get("/api/v1/lotes?limite=1", key.Key)
		expect(t, "the list", []any{page.Status, len(page.JSON["lotes"].([]any))}, []any{200, 1}) //nolint:forcetypeassert // a list
		for _, path := range []string{"/api/v1/lotes", place + "/resultados"} {
			expect(t, "an empty cursor is the first page", s.Get(path+"?cursor=", key.Key).Status, 200)
			expect(t, "an empty limit", s.Get(path+"?limite=", key.Key).String(), "400 requisicao_invalida")
		}
		expect(t, "a stranger's list", string(s.Get("/api/v1/lotes", stranger.Key).Body), `{"lotes":[],"proxima":null}`+"\n")
		expect(t, "the commands", s.Command("batch", "results", b.ID), string(fileOf(t, s, key.Key, place, "text/csv")))
		if out := s.Command("batch", "show", b.ID); !strings.Contains(out, "concluido") || !strings.Contains(out, "line 5") {
			t.Error(out)
		}
		results := testkit.JSON[struct {
			Resultados []struct{ Linha int }
			Proxima    *string
		}](t, s.Command("batch", "results", b.ID, "--json"))
		expect(t, "its results as one value", len(results.Resultados), 4)
		said := s.Command("batch", "show", b.ID, "--json")
		expect(t, "a command's JSON is the contract's", said, string(s.Get("/api/v1/lotes/"+b.ID, key.Key).Body))
		if out := s.Command("doctor"); strings.Contains(out, "BROKEN") {
			t.Error(out)
		}
	})
}

// TestTablesThatComeSlowly: uploads in progress take no parsing slot, so they delay nobody's quote.
func TestTablesThatComeSlowly(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key, docs := s.NewKey(600, 50, 50), lookuptest.CPFs(32, 3)
	for _, d := range docs {
		s.Hide(d)
	}
	slow := make([]*bufio.ReadWriter, 2)
	for i := range slow {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.Addr)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		slow[i] = bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn))
		_, _ = fmt.Fprintf(slow[i], "POST /api/v1/lotes?produto=cpf HTTP/1.1\r\nHost: f.example\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: text/csv\r\nContent-Length: 16\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n", key.Key)
		_ = slow[i].Flush()
		line, err := slow[i].ReadString('\n')
		expect(t, "it is being read", []any{line, err}, []any{"HTTP/1.1 100 Continue\r\n", nil})
		_, _ = slow[i].ReadString('\n')
	}
	expect(t, "beside two that are being sent", s.SendTable(key.Key, "produto=cpf", "text/csv", "CPF\n"+docs[2]+"\n").Status, 201)
	for i, c := range slow {
		_, _ = c.WriteString("CPF\n" + docs[i] + "\n")
		_ = c.Flush()
		line, err := c.ReadString('\n')
		expect(t, "in the end", []any{line, err}, []any{"HTTP/1.1 201 Created\r\n", nil})
	}
}

// chunked is the status of a post with an empty body of undeclared length.
func chunked(t *testing.T, s *lookuptest.Service, key, path string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, io.MultiReader())
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.ContentLength, r.TransferEncoding = -1, []string{"chunked"}
	a, err := contracttest.Transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = a.Body.Close()
	return a.StatusCode
}

func mask(cpf string) string { return cpf[:3] + "." + cpf[3:6] + "." + cpf[6:9] + "-" + cpf[9:] }

// fileOf is the file that the route for files gives, which an Accept header gets from the route for pages too.
func fileOf(t *testing.T, s *lookuptest.Service, key, place, accept string) []byte {
	t.Helper()
	a, err := s.Do(t.Context(), "GET", place+"/resultados", key, map[string]string{"Accept": accept}, "")
	if err != nil || a.Status != 200 || !strings.HasPrefix(a.Header.Get("Content-Type"), accept) {
		t.Fatalf("%s: %s %v", accept, a, err)
	}
	form := map[string]string{"text/csv": "csv", workbookType: "xlsx", "application/x-ndjson": "ndjson"}[accept]
	file := s.Get(place+"/resultados/arquivo?formato="+form, key)
	if file.Status != 200 || file.Header.Get("Content-Type") != a.Header.Get("Content-Type") ||
		form != "xlsx" && !bytes.Equal(file.Body, a.Body) {
		t.Errorf("%s: %s, and another file", form, file)
	}
	return file.Body
}

// checkFiles: the three kinds of file have the uploaded columns, in their order, and no formula.
func checkFiles(t *testing.T, s *lookuptest.Service, key, place string) {
	t.Helper()
	for kind, head := range map[string]string{"text/csv": "'=Ana", workbookType: "=Ana"} {
		sheets, err := spreadsheet.Read(t.Context(), fileOf(t, s, key, place, kind), 100)
		if err != nil {
			t.Fatal(err)
		}
		rows := sheets[0].Rows
		names := strings.Join(rows[0].Cells, " ")
		expect(t, kind, []any{len(rows), rows[1].Cells[0], strings.HasPrefix(names, "nome CPF do cliente nome nomeMae"),
			strings.HasSuffix(names, "situacao valor mensagem")}, []any{5, head, true, true})
	}
	lines := strings.Split(strings.TrimSpace(string(fileOf(t, s, key, place, "application/x-ndjson"))), "\n")
	var first struct {
		Linha   int
		Colunas map[string]string
	}
	expect(t, "lines", []any{len(lines), json.Unmarshal([]byte(lines[0]), &first), first.Linha, first.Colunas["nome"]},
		[]any{4, nil, 2, "=Ana"})
	workbook := s.Get(place+"/resultados?formato=xlsx", key).Header.Get("Content-Disposition")
	expect(t, "the name of a workbook", strings.HasSuffix(workbook, `.xlsx"`), true)
	expect(t, "a file from a page of junk", s.Get(place+"/resultados?formato=csv&cursor=x", key).String(), "400 requisicao_invalida")
	for _, query := range []string{"/resultados?cursor=%2B1", "/resultados?cursor=01", "/resultados?situacao=", "/resultados/arquivo?situacao="} {
		expect(t, query, s.Get(place+query, key).String(), "400 requisicao_invalida")
	}
	expect(t, "a file of no form", s.Get(place+"/resultados/arquivo?formato=", key).String(), "400 requisicao_invalida")
	expect(t, "a file has no pages", s.Get(place+"/resultados/arquivo?limite=1", key).String(), "400 requisicao_invalida")
	excel := s.Get(place+"/resultados?formato=excel", key)
	expect(t, "for spreadsheets", bytes.HasPrefix(excel.Body, []byte("\ufeffnome;")) && bytes.Contains(excel.Body, []byte(";0,45;")), true)
}

// workbook is a workbook with a summary, and sheets of documents under a title.
func workbook(t *testing.T, sheets map[string]string) string {
	t.Helper()
	f := excelize.NewFile()
	_ = f.SetSheetName("Sheet1", "Resumo")
	_ = f.SetSheetRow("Resumo", "A1", &[]any{"Total", 3})
	for name, doc := range sheets {
		_, _ = f.NewSheet(name)
		_ = f.SetCellValue(name, "A1", "Carteira de clientes, 2026")
		_ = f.MergeCell(name, "A1", "B1")
		_ = f.SetSheetRow(name, "A3", &[]any{"nome", "CPF"})
		_ = f.SetSheetRow(name, "A4", &[]any{"Ana", doc[:9] + "\u2013" + doc[9:]})
	}
	var out bytes.Buffer
	if err := f.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestSheetsOfAWorkbook: the quote says which sheet was read, and several with documents are asked about.
func TestSheetsOfAWorkbook(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key, docs := s.NewKey(600, 50, 50).Key, lookuptest.CPFs(33, 2)
		for _, d := range docs {
			s.Hide(d)
		}
		one := s.BatchOf(s.SendTable(key, "produto=cpf", workbookType, workbook(t, map[string]string{"Ativos": docs[0]})))
		expect(t, "the only one with documents", fmt.Sprint(*one.Aba, " ", one.OutrasAbas, one.Itens.Validos, one.Itens.Total), "Ativos [Resumo] 1 1")
		two := workbook(t, map[string]string{"Ativos": docs[0], "Antigos": docs[1]})
		asked := s.SendTable(key, "produto=cpf", workbookType, two)
		expect(t, "two with documents", asked.String(), "400 requisicao_invalida")
		expect(t, "the field and the names", []any{strings.Contains(string(asked.Body), `"campo":"aba"`), strings.Contains(string(asked.Body), "Ativos"),
			strings.Contains(string(asked.Body), "Antigos")}, []any{true, true, true})
		chosen := s.BatchOf(s.SendTable(key, "produto=cpf&aba=antigos", workbookType, two))
		expect(t, "the chosen one", fmt.Sprint(*chosen.Aba, " ", len(chosen.OutrasAbas)), "Antigos 2")
		expect(t, "read again", *s.Batch(key, chosen.ID).Aba, "Antigos")
		expect(t, "no such sheet", s.SendTable(key, "produto=cpf&aba=x", workbookType, two).String(), "400 requisicao_invalida")
		csv := s.BatchOf(s.SendTable(key, "produto=cpf", "text/csv", "cpf\n=\""+docs[0]+"\"\n"))
		expect(t, "no workbook", []any{csv.Aba == nil, len(csv.OutrasAbas), csv.Itens.Validos}, []any{true, 0, 1})
		expect(t, "calls", bureau.Calls(), 0)
	})
}

// TestAPauseSaysWhatIsStillInFlight: until then, counts and amounts are not final.
func TestAPauseSaysWhatIsStillInFlight(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key, docs := s.NewKey(600, 50, 50).Key, lookuptest.CPFs(34, 3)
		release := bureau.Hold("")
		b := s.BatchOf(s.Quote(key, `{"produto":"cpf","teto":54,"confirmar":true,"documentos":`+lookuptest.List(docs)+`}`))
		bureau.Await(t, 3)
		paused := s.BatchOf(s.Move(key, b.ID, "pausar", ""))
		expect(t, "paused", []any{paused.Situacao, paused.Progresso.Consultando, paused.Progresso.Feitos}, []any{"pausado", 3, 0})
		expect(t, "shown", s.Batch(key, b.ID).Progresso.Consultando, 3)
		release()
		final := s.AwaitBatch(key, b.ID, "all have ended", func(b lookuptest.Batch) bool {
			if b.Progresso.Consultando+b.Progresso.Feitos < 3 {
				t.Errorf("%d in flight and %d done of 3", b.Progresso.Consultando, b.Progresso.Feitos)
			}
			return b.Progresso.Consultando == 0
		})
		expect(t, "final", final.Progresso.Feitos, 3)
	})
}

// TestSlowWhatIsNoBatch: a batch is made once, whatever happens to the connection; and an invalid one is refused with
// the reason.
func TestSlowWhatIsNoBatch(t *testing.T) {
	t.Parallel()
	testkit.OnSQLiteAndPooled(t, func(t *testing.T, env map[string]string) {
		bureau := lookuptest.StartBureau(t, nil)
		s := lookuptest.StartService(t, env, lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
		key, cnpjs := s.NewKey(600, 50, 50).Key, s.ScopedKey("cnpj", 600, 50, 50).Key
		body := `{"produto":"cpf","documentos":["` + ana + `"]}`
		first := s.BatchOf(s.Quote(key, body, "Idempotency-Key", "a"))
		expect(t, "repeated", s.BatchOf(s.Quote(key, body, "Idempotency-Key", "a")).ID, first.ID)
		expect(t, "another body", s.Quote(key, body+" ", "Idempotency-Key", "a").String(), "422 chave_reutilizada")
		for what, c := range map[string]struct{ key, body, want string }{
			"no scope":          {cnpjs, body, "403 escopo_ausente"},
			"no product":        {key, `{"produto":"x","documentos":["1"]}`, "400 produto_desconhecido"},
			"no documents":      {key, `{"produto":"cpf","documentos":[]}`, "400 requisicao_invalida"},
			"not a list":        {key, `{"produto":"cpf","documentos":"1"}`, "400 requisicao_invalida"},
			"unknown field":     {key, `{"produto":"cpf","documentos":["1"],"x":1}`, "400 requisicao_invalida"},
			"a negative amount": {key, `{"produto":"cpf","documentos":["1"],"teto":-1}`, "400 requisicao_invalida"},
			"a quoted amount":   {key, `{"produto":"cpf","documentos":["1"],"teto":"1"}`, "400 requisicao_invalida"},
			"no ceiling":        {key, `{"produto":"cpf","documentos":["1"],"confirmar":true}`, "400 requisicao_invalida"},
		} {
			expect(t, what, s.Quote(c.key, c.body).String(), c.want)
		}
		java := s.BatchOf(s.Quote(key, `{"produto":"cpf","documentos":["`+ana+`"],"teto":1.0E7}`))
		expect(t, "a ceiling as Java prints it", java.Teto.String(), "10000000")
		masked := s.BatchOf(s.Quote(key, `{"produto":"cpf","documentos":["`+mask(ana)+`"]}`))
		expect(t, "masks in JSON", []any{masked.Itens.Validos, masked.Itens.Invalidos}, []any{0, 1})

		small := bomb()
		for what, c := range map[string]struct{ query, kind, table, want string }{
			"no type":              {"produto=cpf", "application/zip", "x", "415 tipo_nao_suportado"},
			"a bomb":               {"produto=cpf", workbookType, small, "413 corpo_grande_demais"},
			"50 001 rows":          {"produto=cpf", "text/csv", "cpf\n" + strings.Repeat(ana+"\n", 50001), "413 corpo_grande_demais"},
			"17 MiB":               {"produto=cpf", "text/csv", strings.Repeat(ana+"\n", 17<<20/12), "413 corpo_grande_demais"},
			"no documents":         {"produto=cpf", "text/csv", "nome\nAna\n", "400 requisicao_invalida"},
			"no such column":       {"produto=cpf&coluna=z9", "text/csv", "cpf\n" + ana, "400 requisicao_invalida"},
			"half a workbook":      {"produto=cpf", workbookType, small[:100], "400 requisicao_invalida"},
			"an unknown parameter": {"produto=cpf&x=1", "text/csv", ana, "400 requisicao_invalida"},
			"a wrong switch":       {"produto=cpf&confirmar=sim", "text/csv", ana, "400 requisicao_invalida"},
		} {
			expect(t, what, s.SendTable(key, c.query, c.kind, c.table).String(), c.want)
		}
		latin := s.BatchOf(s.SendTable(key, "produto=cpf", "text/csv", "Jo\xe3o;titular\nJos\xe9;5,29982E+10\nZ\xe9;2345678992\n"+"A;"+ana+"\n"))
		expect(t, "Latin-1 and rounded numbers", []any{latin.Itens.Validos, latin.Invalidos[0].Linha,
			strings.Contains(latin.Invalidos[0].Mensagem, "arredondado")}, []any{2, 2, true})
		sendForm := func(name string) lookuptest.Answer {
			var form bytes.Buffer
			w := multipart.NewWriter(&form)
			part, _ := w.CreateFormFile("arquivo", "a.csv")
			_, _ = part.Write([]byte("cpf\n" + ana))
			_ = w.Close()
			a, err := s.Do(t.Context(), "POST", "/api/v1/lotes?produto=cpf", key,
				map[string]string{"Content-Type": w.FormDataContentType(), "Idempotency-Key": name}, form.String())
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		expect(t, "a form, again", s.BatchOf(sendForm("f")).ID, s.BatchOf(sendForm("f")).ID)
		most := s.BatchOf(s.SendTable(key, "produto=cpf", "text/csv", "cpf\n"+strings.Repeat(ana+"\n", 50000)))
		expect(t, "50 000 rows", []any{most.Itens.Total, most.Itens.Repetidos}, []any{50000, 49999})
		expect(t, "nothing was asked", bureau.Calls(), 0)
	})
}

// bomb is a small workbook that unpacks to two hundred megabytes.
func bomb() string {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range []string{"[Content_Types].xml", "xl/worksheets/sheet1.xml"} {
		w, _ := z.Create(name)
		for range 100 {
			_, _ = w.Write(make([]byte, 1<<20))
		}
	}
	_ = z.Close()
	return out.String()
}

// TestSlowABatchWaits while paused, for its key's cap, and for a failing bureau; single lookups continue meanwhile.
func TestSlowABatchWaits(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, env map[string]string) {
		var down atomic.Bool
		bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
			if down.Load() {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			lookuptest.Ordinary(w, r, document)
		})
		file := lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient)
		appendTo(t, file, "not_charged: [429]\nrate: 200/s\n")
		s := lookuptest.StartService(t, env, file)
		key, other := s.NewKey(600, 60, 1000).Key, s.NewKey(600, 60, 1000).Key
		docs := lookuptest.CPFs(41, 120)
		down.Store(true)
		b := s.BatchOf(s.Quote(key, `{"produto":"cpf","teto":54,"confirmar":true,"documentos":`+lookuptest.List(docs)+`}`))
		is := func(state, reason string) func(lookuptest.Batch) bool {
			return func(b lookuptest.Batch) bool { return b.Situacao == state && b.Motivo == reason }
		}
		away := s.AwaitBatch(key, b.ID, "it waits for the bureau", is("pausado", "bureau_indisponivel"))
		expect(t, "spent", []any{away.Progresso.Feitos, away.RetomaEm != nil}, []any{0, true})
		down.Store(false)
		capped := s.AwaitBatch(key, b.ID, "it waits for midnight", func(b lookuptest.Batch) bool {
			return is("pausado", "limite_diario")(b) && b.Progresso.Feitos == 60
		})
		expect(t, "spent", capped.Progresso.Gasto.String(), "27")
		expect(t, "single lookups go on", s.CPF(other, ana).Status, 200)
		expect(t, "paused", s.BatchOf(s.Move(key, b.ID, "pausar", "")).Motivo, "pedido")
		expect(t, "twice", s.Move(key, b.ID, "pausar", "").String(), "409 estado_do_lote")
		expect(t, "resumed", s.BatchOf(s.Move(key, b.ID, "retomar", `{"falhas":true}`)).Situacao, "em_andamento")
		s.AwaitBatch(key, b.ID, "it waits again", is("pausado", "limite_diario"))
		expect(t, "cancelled", s.BatchOf(s.Move(key, b.ID, "cancelar", "")).Situacao, "cancelado")
		expect(t, "resumed", s.Move(key, b.ID, "retomar", "").String(), "409 estado_do_lote")
		// Calls that the key's cap refused as they began are returned to the queue a moment later.
		lookuptest.Eventually(t, "sixty are done, and sixty were not begun", func() bool {
			seen := map[string]int{}
			for _, r := range s.BatchResults(key, b.ID) {
				seen[r.Situacao]++
			}
			return fmt.Sprint(seen) == "map[concluida:60 pendente:60]"
		})
		st := s.Statement(key)
		expect(t, "charged", []any{st.Cobradas.Total, st.Gasto.Total.String()}, []any{60, "27"})
	})
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = file.WriteString(text)
		_ = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestResultsNeedTheServicesBureau: a shell configured with another bureau does not know the product's columns, and
// reports that instead of omitting them.
func TestResultsNeedTheServicesBureau(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	quoted := s.BatchOf(s.Quote(s.NewKey(60, 60, 60).Key, `{"produto":"renda_presumida","documentos":["52998224725"]}`))
	env := s.Env()
	env["FICHARIO_BUREAU"] = "sandbox"
	for _, form := range []string{"csv", "excel", "xlsx"} {
		if failed := testkit.RunErr(t, env, "batch", "results", quoted.ID, "--format", form); failed.Code != 1 ||
			!strings.Contains(failed.Stderr, "set it as for the service") {
			t.Errorf("%s: %+v", form, failed)
		}
	}
	for _, whole := range [][]string{{"--format", "ndjson"}, {"--json"}} {
		testkit.Run(t, env, append([]string{"batch", "results", quoted.ID}, whole...)...)
	}
}
