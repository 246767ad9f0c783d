package web_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"fichario/domain/crm"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

// upload posts the form of a new batch with a file.
func (v *visitor) upload(name, content string, fields map[string]string) (status int, location, body string) {
	v.t.Helper()
	return v.uploadTo("/lotes", name, content, fields)
}

// uploadTo posts a form with a file.
func (v *visitor) uploadTo(path, name, content string, fields map[string]string) (status int, location, body string) {
	v.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for key, value := range fields {
		_ = w.WriteField(key, value)
	}
	part, err := w.CreateFormFile("arquivo", name)
	if err != nil {
		v.t.Fatal(err)
	}
	_, _ = io.WriteString(part, content)
	_ = w.Close()
	req, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.server.URL+path, &form)
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	resp, err := v.client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Get("Location"), string(text)
}

// TestABatchFromFileToResult: a quote costs nothing, the ceiling holds, and the result has every uploaded row.
func TestABatchFromFileToResult(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	site.bureau.says("52998224725", `{"nome":"Ana Souza"}`)
	site.bureau.fails("02345678992", ports.Failed)
	file := "nome;CPF do cliente\nAna;529.982.247-25\nBia;2345678992\nAna de novo;52998224725\nCaio;5,29982E+10\nDavi;111.444.777-35\n"
	status, place, page := v.upload("Clientes de maio.csv", file, map[string]string{"produto": "cpf"})
	if status != http.StatusSeeOther || !strings.HasPrefix(place, "/lotes/") {
		t.Fatalf("the quote: %d %s\n%s", status, place, text(page))
	}
	page = v.get(place)
	v.shows(page, "Clientes de maio", "Orçado", "Documentos diferentes 3 1 repetido, 1 inválido", "A consultar 3",
		"1 linha; não é consultada nem cobrada", "5 O CPF virou um número arredondado")
	if site.bureau.calls.Load() != 0 {
		t.Error("a quote asks the bureau")
	}
	status, page = v.post(place+"/confirmar", url.Values{"teto": {"muito"}})
	if status != http.StatusUnprocessableEntity {
		t.Errorf("a ceiling of words: %d", status)
	}
	v.shows(page, "Escreva o teto em reais")
	if status, page = v.post(place+"/confirmar", url.Values{"teto": {"0,90"}}); status != http.StatusSeeOther {
		t.Fatalf("confirmed: %d\n%s", status, text(page))
	}
	page = v.until(place, "Pausado")
	v.shows(page, "chegou ao teto", "Gasto R$ 0,90", "do teto de R$ 0,90")
	if !regexp.MustCompile(`id="teto"[^>]*value="[^"]*1,35"`).MatchString(page) {
		t.Error("a batch that has stopped at its ceiling proposes one at which it stops again")
	}
	if status, _ = v.post(place+"/retomar", url.Values{"teto": {"10,00"}}); status != http.StatusSeeOther {
		t.Errorf("resumed: %d", status)
	}
	page = v.until(place, "Concluído")
	v.shows(page, "respondida", "falhou", "como na linha 2", "Ana Souza", "inválido", "Gasto R$ 1,35",
		"Consultar de novo 1 até R$ 0,45")
	has(t, "a batch that is done with failures", page, `name="falhas" value="sim"`)
	if got := site.bureau.calls.Load(); got != 3 {
		t.Errorf("%d calls", got)
	}
	if file := v.get(place + "/resultado.csv"); !strings.Contains(file, "Bia,2345678992,") || strings.Count(file, "\n") != 6 {
		t.Errorf("the file:\n%s", file)
	}
	if file := v.get(place + "/resultado.xlsx"); !strings.HasPrefix(file, "PK") {
		t.Error("the workbook is none")
	}
	page = v.get("/lotes")
	v.shows(page, "Clientes de maio", "Concluído", "3 de 3", "Ana")
	if strings.Contains(text(v.get(place)), "pago por") {
		t.Error("who made it and pays is named twice")
	}
	_, place2, _ := v.upload("De junho.csv", "cpf\n11144477735\n", map[string]string{"produto": "cpf"})
	site.member(v.member.OrgID, "Bia", crm.Owner).post(place2+"/confirmar", url.Values{"teto": {"1,00"}})
	v.shows(v.get(place2), "por Ana, pago por Bia")
	_, free, _ := v.upload("De graça.csv", "cpf\n52998224725\n", map[string]string{"produto": "cpf"})
	page = v.get(free)
	v.shows(page, "A consultar 0", "o histórico responde a todos", "Abrir do histórico grátis")
	for _, about := range []string{"Teto de gasto", "cada", "se o bureau responder"} {
		if strings.Contains(text(page), about) {
			t.Errorf("a free batch says %q", about)
		}
	}
	if status, page = v.post(free+"/confirmar", url.Values{"teto": {"R$ 0,00"}}); status != http.StatusSeeOther {
		t.Errorf("a free batch: %d\n%s", status, text(page))
	}
	page = v.get("/notificacoes")
	v.shows(page, "Clientes de maio O lote chegou ao teto", "Clientes de maio O lote foi concluído: documentos consultados: 3, "+
		"sem resposta: 1, gasto: R$ 1,35.")
	if strings.Count(page, `href="`+place+`"`) != 2 {
		t.Error("the notifications do not lead to the batch")
	}
	status, page = v.post(place+"/pausar", nil)
	if status != http.StatusUnprocessableEntity {
		t.Errorf("paused when it is done: %d", status)
	}
	v.shows(page, "O lote está concluído")

	stranger := site.visitor("Rui")
	for _, path := range []string{"", "/andamento", "/resultado.csv", "/resultado.xlsx"} {
		stranger.refused(http.StatusNotFound, place+path)
	}
	for _, path := range []string{"/confirmar", "/pausar", "/retomar", "/cancelar"} {
		if status, _ := stranger.post(place+path, nil); status != http.StatusNotFound {
			t.Errorf("%s of another organisation: %d", path, status)
		}
	}
}

// TestBatchesThatAreNotQuoted say why, and keep what was typed.
func TestBatchesThatAreNotQuoted(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for what, c := range map[string]struct {
		content string
		fields  map[string]string
		says    string
	}{
		"no documents": {"nome\nAna\nBia\n", map[string]string{"produto": "cpf", "nome": "Meu lote"}, "Nenhuma coluna tem"},
		"an unknown column": {"cpf\n52998224725\n", map[string]string{"produto": "cpf", "coluna": "X", "nome": "Meu lote"},
			"não tem essa coluna"},
		"no product": {"cpf\n52998224725\n", map[string]string{"nome": "Meu lote"}, "Escolha o produto"},
		"a PDF":      {"%PDF-1.7", map[string]string{"produto": "cpf", "nome": "Meu lote"}, "PDF"},
		"nothing":    {"", map[string]string{"produto": "cpf", "nome": "Meu lote"}, "nenhuma linha"},
	} {
		status, _, page := v.upload("a.csv", c.content, c.fields)
		if status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", what, status)
		}
		v.shows(page, c.says)
		if !strings.Contains(page, `value="Meu lote"`) {
			t.Errorf("%s: what was typed is gone", what)
		}
		v.shows(page, "Escolha o arquivo de novo.")
		if field := map[string]string{"an unknown column": "coluna", "no documents": "arquivo"}[what]; field != "" {
			has(t, what, page, `id="`+field+`-p"`)
			hasNot(t, what, page, `class="alert a-bad"`)
		}
	}
	status, page := v.post("/lotes", url.Values{"produto": {"cpf"}})
	if status != http.StatusUnprocessableEntity {
		t.Errorf("nothing sent: %d", status)
	}
	v.shows(page, "Escolha um arquivo, ou cole os documentos.")
	has(t, "nothing sent", page, `id="arquivo-p"`)
	_, page = v.post("/lotes", url.Values{"produto": {"cpf"}, "documentos": {"nada"}})
	has(t, "nothing that is a document", page, `id="documentos-p"`)
	if status, _ = v.post("/lotes", url.Values{"produto": {"cpf"}, "documentos": {"529.982.247-25\n02345678992"}}); status !=
		http.StatusSeeOther {
		t.Errorf("pasted: %d", status)
	}
}

// TestDocumentsPastedInALine are as many as those pasted below each other, and none is left out unsaid; a line of other
// things too is a row of a table.
func TestDocumentsPastedInALine(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for pasted, lines := range map[string]string{
		"529.982.247-25 111.444.777-35":                      "2 linhas",
		"52998224725, 11144477735;":                          "2 linhas",
		"529.982.247-25 02345678992 ":                        "2 linhas", // though one is none
		"52998224725;11144477735\n\n90000000175;90000000256": "2 linhas", // of a table
		" 529 982 247 25 ":                                   "1 linha",
		"Bia;52998224725;bia@example.com":                    "1 linha",
	} {
		answer, _ := v.do("POST", "/lotes", url.Values{"produto": {"cpf"}, "documentos": {pasted}})
		v.shows(v.get(answer.Header.Get("Location")), "Cadastro de pessoa, "+lines)
	}
}

// TestAFileBesidePastedDocuments is what is read, so that its fault stands beside it, and it has to be chosen again.
func TestAFileBesidePastedDocuments(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	const again = "Escolha o arquivo de novo."
	_, _, page := v.upload("a.csv", "nome\nAna\n", map[string]string{"produto": "cpf", "documentos": "52998224725"})
	has(t, "no documents in the file", page, `id="arquivo-p"`, "Nenhuma coluna tem", again, "52998224725</textarea>")
	hasNot(t, "no documents in the file", page, `id="documentos-p"`)
	_, _, page = v.upload("a.csv", "cpf\n52998224725\n", map[string]string{"documentos": "52998224725"})
	has(t, "no product", page, "Escolha o produto.", again)
	_, page = v.post("/lotes", url.Values{"produto": {"cpf"}, "documentos": {"nada"}})
	hasNot(t, "no file", page, again)
	_, page = v.post("/lotes", url.Values{"produto": {"cpf"}})
	hasNot(t, "nothing", page, again)
}

// TestMembersConfirmUpToALimit; above it, somebody who manages the organisation must confirm.
func TestMembersConfirmUpToALimit(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	owner := site.visitor("Ana")
	member := site.member(owner.member.OrgID, "Caio", crm.Common)
	_, place, _ := member.upload("a.csv", "cpf\n52998224725\n", map[string]string{"produto": "cpf"})
	status, page := member.post(place+"/confirmar", url.Values{"teto": {"500,00"}})
	if status != http.StatusUnprocessableEntity {
		t.Fatalf("by a member: %d", status)
	}
	member.shows(page, "membros confirmam até")
	if status, _ = owner.post(place+"/confirmar", url.Values{"teto": {"500,00"}}); status != http.StatusSeeOther {
		t.Errorf("by an owner: %d", status)
	}
	owner.until(place, "Concluído")
}

// TestAPauseLeavesItsFormAlone: while a batch waits by itself, what is typed into its form is neither replaced nor
// reloaded; once it no longer waits, the page is updated.
func TestAPauseLeavesItsFormAlone(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	site.bureau.fails("52998224725", ports.NotSent)
	_, place, _ := v.upload("a.csv", "cpf\n52998224725\n", map[string]string{"produto": "cpf"})
	if status, _ := v.post(place+"/confirmar", nil); status != http.StatusSeeOther {
		t.Fatalf("confirmed: %d", status)
	}
	asks := regexp.MustCompile(`hx-get="(/lotes/[^"]*)"`)
	page := v.until(place, "Ele continua sozinho em")
	hasNot(t, "a page without script", page, `http-equiv="refresh"`, "se atualiza sozinha")
	again := asks.FindStringSubmatch(page)
	if again == nil {
		t.Fatal("the page does not ask again")
	}
	if r, _ := v.do(http.MethodGet, again[1], nil, "HX-Request", "true"); r.StatusCode != http.StatusNoContent {
		t.Errorf("while it waits: %d", r.StatusCode)
	}
	r, part := v.do(http.MethodGet, place+"/andamento", nil, "HX-Request", "true")
	if r.StatusCode != http.StatusOK {
		t.Errorf("from a page of before the pause: %d", r.StatusCode)
	}
	has(t, "from a page of before the pause", part, `action="`+place+`/retomar"`, again[1])
	site.bureau.says("52998224725", `{"nome":"Ana Souza"}`)
	if status, _ := v.post(place+"/retomar", nil); status != http.StatusSeeOther {
		t.Errorf("resumed: %d", status)
	}
	v.until(place, "Concluído")
	if r, _ = v.do(http.MethodGet, again[1], nil, "HX-Request", "true"); r.Header.Get("HX-Refresh") != "true" {
		t.Errorf("when it is over: %d %v", r.StatusCode, r.Header)
	}
}

// until reloads a page until it has a text.
func (v *visitor) until(path, says string) string {
	v.t.Helper()
	page := ""
	patience.Every(v.t, 50*time.Millisecond, path+" says "+says, func() bool {
		page = v.get(path)
		return strings.Contains(text(page), says)
	})
	return page
}

// shows fails unless a page has all of these texts.
func (v *visitor) shows(page string, wanted ...string) {
	v.t.Helper()
	said := text(page)
	for _, w := range wanted {
		if !strings.Contains(said, w) {
			v.t.Errorf("it does not say %q:\n%s", w, said)
		}
	}
}

var tags = regexp.MustCompile(`<[^>]*>|\s+`)

// text is the visible text of a page.
func text(page string) string {
	_, page, _ = strings.Cut(page, "<main")
	page = tags.ReplaceAllString(page, " ")
	return strings.Join(strings.Fields(strings.NewReplacer("&#34;", `"`, "\u00a0", " ").Replace(page)), " ")
}

// TestAFileWithoutATurn: an uploaded file waits while others are parsed, through whatever door, but not for ever.
func TestAFileWithoutATurn(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	site.tables.Within = time.Millisecond
	v := site.visitor("Ana")
	for range 2 {
		release, err := site.tables.Turn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer release()
	}
	for path, fields := range map[string]map[string]string{"/lotes": {"produto": "cpf"}, "/importacoes": nil} {
		status, _, page := v.uploadTo(path, "Clientes.csv", "CPF;e-mail\n52998224725;ana@example.com\n", fields)
		if status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d", path, status)
		}
		v.shows(page, "Há arquivos demais ao mesmo tempo", "nada foi guardado nem cobrado")
	}
	pasted := strings.NewReader(url.Values{"produto": {"cpf"}, "documentos": {"52998224725"}}.Encode())
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, v.server.URL+"/lotes", pasted)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := v.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable || resp.Header.Get("Retry-After") != "5" {
		t.Errorf("what was pasted: %d, again after %q", resp.StatusCode, resp.Header.Get("Retry-After"))
	}
}

// TestAFileWithoutRoom: a file that exceeds the memory for uploads is refused while it arrives.
func TestAFileWithoutRoom(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	others := site.tables.Receive(io.NopCloser(zeros{}), v.member.OrgID)
	if _, err := io.Copy(io.Discard, others); err == nil {
		t.Fatal("there is room without end")
	}
	for _, path := range []string{"/lotes", "/importacoes"} {
		status, _, page := v.uploadTo(path, "Clientes.csv", strings.Repeat("52998224725\n", 10_000), nil)
		if status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d", path, status)
		}
		v.shows(page, "Há arquivos demais ao mesmo tempo")
	}
	others.Done()
	file := "nome;CPF\nAna;52998224725\n"
	if status, place, page := v.upload("Clientes.csv", file, map[string]string{"produto": "cpf"}); place == "" {
		t.Errorf("with room again: %d\n%s", status, text(page))
	}
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestTheSheetOfAWorkbook: where several have documents, the form asks; the quote says which was read, and which were
// not.
func TestTheSheetOfAWorkbook(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v := site.visitor("Ana")
	f := excelize.NewFile()
	for name, rows := range map[string][]string{
		"Resumo": {"Total"}, "Ativos": {"cpf", "52998224725"}, "Antigos": {"cpf", "02345678992"}, "Contatos": {"e-mail", "ana@example.com"},
	} {
		_, _ = f.NewSheet(name)
		_ = f.SetSheetCol(name, "A1", &rows)
	}
	_ = f.DeleteSheet("Sheet1")
	var file bytes.Buffer
	if err := f.Write(&file); err != nil {
		t.Fatal(err)
	}
	status, _, page := v.upload("a.xlsx", file.String(), map[string]string{"produto": "cpf"})
	has(t, "which sheet", page, `name="aba"`, "<option>Ativos", "<option>Antigos", "Mais de uma aba")
	hasNot(t, "which sheet", strings.ToLower(page), "<option>resumo")
	if status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", status)
	}
	_, place, _ := v.upload("a.xlsx", file.String(), map[string]string{"produto": "cpf", "aba": "Antigos"})
	has(t, "the quote", v.get(place), `da aba <bdi class="break">Antigos</bdi>`, "Ficaram de fora:", "Resumo", "Ativos")
	_, place, _ = v.uploadTo("/importacoes", "a.xlsx", file.String(), nil)
	has(t, "the only sheet with addresses", v.get(place), "a.xlsx · Contatos")
}
