package integration

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"testing"

	"fichario/tests/testkit/intaketest"
)

// testRefusals: refused posts create nothing, count nothing, are in the log with their content and the reason, and are
// answered in Portuguese with what is wrong and which keys arrived.
func testRefusals(t *testing.T, o *org) {
	h := o.NewHook("Recusas", "generic")
	automation, _ := o.Automate("Nunca", "add_note", "--text", "Não deveria")
	type refusal struct {
		header map[string]string
		body   string
		want   string
		says   []string
	}
	formed := map[string]string{"Content-Type": form}
	long := strings.Repeat("k", 256)
	cases := map[string]refusal{
		"no e-mail": {
			intaketest.JSON, `{"nome":"x","fone":"y","idade":1}`, "400 email_invalido",
			[]string{"e-mail", "nome", "fone", "idade"},
		},
		"e-mail without @": {
			intaketest.JSON, `{"email":"sem-arroba-7731","nome":"x"}`, "400 email_invalido", []string{"@", `"email"`},
		},
		"keys that are somebody's": {
			intaketest.JSON, `{"52998224725":"x","` + intaketest.Email("chave") + `":"y","Seu @ no Instagram":"z"}`,
			"400 email_invalido", []string{"(um número), (um endereço), Seu @ no Instagram"},
		},
		"e-mail null": {
			intaketest.JSON, `{"email":null,"apelido":"x"}`, "400 email_invalido", []string{"e-mail", "email"},
		},
		"e-mail number": {intaketest.JSON, `{"email":12,"apelido":"x"}`, "400 email_invalido", []string{"e-mail"}},
		"e-mail blank": {
			intaketest.JSON, `{"email":"  ","apelido":"x"}`, "400 email_invalido", []string{"e-mail"},
		},
		"form without e-mail": {formed, "nome=x&Telefone+celular=y", "400 email_invalido",
			[]string{"nome", "Telefone celular"}},
		"nested without e-mail": {
			intaketest.JSON, `{"data":{"fields":[{"label":"Qual é a cor?","value":"azul"}]}}`, "400 email_invalido",
			[]string{"Qual é a cor?"},
		},
		"empty": {intaketest.JSON, "", "400 requisicao_invalida", []string{"vazio"}},
		"blank": {intaketest.JSON, " \n", "400 requisicao_invalida", []string{"vazio"}},
		"not JSON": {
			intaketest.JSON, `{"email":"` + intaketest.Email("quebrado"), "400 requisicao_invalida", []string{"JSON", "posição"},
		},
		"empty object": {intaketest.JSON, "{}", "400 email_invalido", []string{"corpo"}},
		"empty array":  {intaketest.JSON, "[]", "400 email_invalido", []string{"corpo"}},
		"empty form":   {formed, "&", "400 email_invalido", []string{"corpo"}},
		"compressed": {map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"},
			"comprimido", "400 requisicao_invalida", []string{"Content-Encoding"}},
		"number":      {intaketest.JSON, "42", "400 requisicao_invalida", []string{"corpo"}},
		"null":        {intaketest.JSON, "null", "400 requisicao_invalida", []string{"corpo"}},
		"two objects": {intaketest.JSON, `{"a":1}{"b":2}`, "400 requisicao_invalida", []string{"JSON"}},
		"multipart without parts": {map[string]string{"Content-Type": "multipart/form-data; boundary=b"}, "--b--\r\n",
			"400 email_invalido", []string{"corpo"}},
		// The file is empty, because the log keeps only the headers of others.
		"multipart of a file": {map[string]string{"Content-Type": "multipart/form-data; boundary=b"},
			"--b\r\nContent-Disposition: form-data; name=\"cv\"; filename=\"cv.pdf\"\r\n\r\n\r\n--b--\r\n",
			"400 email_invalido", []string{"corpo"}},
		"a key that is too long": {map[string]string{"Content-Type": "application/json", "Idempotency-Key": long},
			intaketest.Lead("chave"), "400 requisicao_invalida", []string{"Idempotency-Key"}},
		"a key that is far longer": {
			map[string]string{"Content-Type": "application/json", "Idempotency-Key": strings.Repeat(long, 8)},
			intaketest.Lead("chave"), "400 requisicao_invalida", []string{"Idempotency-Key"},
		},
	}
	told := map[string]string{} // by body
	for name, c := range cases {
		a := o.Do(request{Path: h.Path, Header: c.header, Body: c.body})
		if !strings.HasPrefix(a.String(), c.want) {
			t.Errorf("%s: got %s, want %s", name, a, c.want)
		}
		for _, word := range c.says {
			if !strings.Contains(a.Text("detail"), word) {
				t.Errorf("%s: %q does not say %q", name, a.Text("detail"), word)
			}
		}
		if strings.Contains(string(a.Body), "sem-arroba-7731") {
			t.Errorf("%s: it quotes the answer", name)
		}
		told[strings.TrimSpace(c.body)] = a.Text("code") + " " + a.Text("detail")
	}
	// Parameters in the address are not part of the contact, and in no log.
	a := o.Do(request{
		Path: h.Path + "?email=" + intaketest.Email("endereço"), Header: intaketest.JSON, Body: `{"apelido":"x"}`,
	})
	expect(t, "an e-mail in the address", a.String(), "400 email_invalido")
	many := `{"x0":1`
	for i := range 500 {
		many += fmt.Sprintf(`,"campo%d":"v"`, i)
	}
	if a := o.Post(h, many+"}"); len(a.Text("detail")) > 4000 || !strings.Contains(a.Text("detail"), "campo5") {
		t.Errorf("the refusal of 501 keys has %d characters", len(a.Text("detail")))
	}
	o.Nothing(t, h)
	log := o.Deliveries(h)
	expect(t, "deliveries", len(log), len(cases)+2)
	for i, d := range log {
		if d.Outcome != "refused" || d.Contact != nil || d.Reason == "" || d.Code == "" {
			t.Errorf("a refusal is logged as %s %s", d.Outcome, d.Code)
		}
		if i%4 != 0 {
			continue // one in four suffices to see that bodies are kept
		}
		if full := o.Delivery(d.ID); full.Body != many+"}" && full.Body != `{"apelido":"x"}` &&
			told[strings.TrimSpace(full.Body)] != d.Code+" "+d.Reason {
			t.Errorf("the log has %s for a body of %d bytes that was told otherwise", d.Code, len(full.Body))
		}
	}
	expect(t, "runs", len(o.Runs("--automation", automation)), 0)

	// The key of a refused post is still unused.
	keyed := map[string]string{"Content-Type": "application/json", "Idempotency-Key": "corrigida"}
	expect(t, "refused", o.Do(request{Path: h.Path, Header: keyed, Body: `{"nome":"x"}`}).String(), "400 email_invalido")
	expect(t, "mended", o.Do(request{Path: h.Path, Header: keyed, Body: intaketest.Lead("corrigida")}).String(), "200")
}

func testContentTypes(t *testing.T, o *org) {
	h := o.NewHook("Tipos", "generic")
	const name = "José Conceição"
	latin := func(s string) string {
		var out []byte
		for _, r := range s {
			out = append(out, byte(r))
		}
		return string(out)
	}
	utf16 := func(s string) string {
		out := []byte{0xff, 0xfe}
		for _, r := range s {
			out = append(out, byte(r), byte(r>>8))
		}
		return string(out)
	}
	js := func(id string) string { return `{"nome":"` + name + `","email":"` + intaketest.Email(id) + `"}` }
	fm := func(id string) string { return url.Values{"nome": {name}, "email": {intaketest.Email(id)}}.Encode() }
	mp := func(id string) string {
		return "--Bb\r\nContent-Disposition: form-data; name=\"nome\"\r\n\r\n" + name +
			"\r\n--Bb\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\n" +
			intaketest.Email(id) + "\r\n--Bb--\r\n"
	}
	for id, c := range map[string]struct{ contentType, body string }{
		"json":         {"application/json", js("json")},
		"json-upper":   {"APPLICATION/JSON; CHARSET=UTF-8", js("json-upper")},
		"json-vendor":  {"application/vnd.api+json", js("json-vendor")},
		"json-missing": {"", js("json-missing")},
		"json-plain":   {"text/plain;charset=UTF-8", js("json-plain")},
		"json-html":    {"text/html", js("json-html")},
		"json-octets":  {"application/octet-stream", js("json-octets")},
		"json-garbage": {"/;;;=", js("json-garbage")},
		"json-as-form": {form, js("json-as-form")},
		"json-bom":     {"application/json", "\xef\xbb\xbf" + js("json-bom")},
		"json-latin1":  {"application/json; charset=ISO-8859-1", latin(js("json-latin1"))},
		"json-undecl":  {"application/json", latin(js("json-undecl"))},
		"json-utf16":   {"application/json; charset=utf-16", utf16(js("json-utf16"))},
		"json-array":   {"application/json", "[" + js("json-array") + "]"},
		"json-twice":   {"application/json", `"` + strings.ReplaceAll(js("json-twice"), `"`, `\"`) + `"`},
		"form":         {form, fm("form")},
		"form-upper":   {"APPLICATION/X-WWW-FORM-URLENCODED; CHARSET=UTF-8", fm("form-upper")},
		"form-latin1": {form + "; charset=ISO-8859-1",
			"nome=Jos%E9+Concei%E7%E3o&email=" + intaketest.Email("form-latin1")},
		"form-windows": {form + "; charset=windows-1252",
			"nome=Jos%E9+Concei%E7%E3o&email=" + intaketest.Email("form-windows")},
		"form-raw": {form + "; charset=ISO-8859-1",
			latin("nome=" + strings.ReplaceAll(name, " ", "+") + "&email=" + intaketest.Email("form-raw"))},
		"form-bom":      {form, "\xef\xbb\xbf" + fm("form-bom")},
		"form-missing":  {"", fm("form-missing")},
		"multi":         {"multipart/form-data; boundary=Bb", mp("multi")},
		"multi-upper":   {"MULTIPART/FORM-DATA; BOUNDARY=Bb", mp("multi-upper")},
		"multi-quoted":  {`multipart/form-data; charset=utf-8; boundary="Bb"`, mp("multi-quoted")},
		"multi-chunked": {"multipart/form-data; boundary=Bb", mp("multi-chunked")},
	} {
		header := map[string]string{}
		if c.contentType != "" {
			header["Content-Type"] = c.contentType
		}
		a := o.Do(request{Path: h.Path, Header: header, Body: c.body, Chunked: strings.HasSuffix(id, "-chunked")})
		expect(t, id, strings.TrimSpace(a.String()+" "+a.Text("detail")), "200")
	}
	all := o.Contacts()
	for _, c := range all {
		if c.Nome != name {
			t.Errorf("%s: the name is read as %q", strings.TrimSuffix(c.Email, "@"+intaketest.Domain), c.Nome)
		}
	}
	expect(t, "contacts", len(all), 26)
}

// testFiles: files in a multipart body are skipped, whatever their size up to a bound; text after them is read.
func testFiles(t *testing.T, o *org) {
	h := o.NewHook("Currículos", "generic")
	const mark = "CONTEUDO-DO-ARQUIVO"
	body := func(email string, fileSize, textSize int) (contentType, text string) {
		var b strings.Builder
		w := multipart.NewWriter(&b)
		must := func(to io.Writer, err error) io.Writer {
			if err != nil {
				t.Fatal(err)
			}
			return to
		}
		_, _ = io.WriteString(must(w.CreateFormField("nome")), "Antes "+intaketest.Surname)
		_, _ = io.WriteString(must(w.CreateFormFile("curriculo", "ana.pdf")),
			strings.Repeat(mark+"\r\n--", fileSize/len(mark)))
		_ = must(w.CreateFormFile("foto", "")) // as browsers send an empty file input
		_, _ = io.WriteString(must(w.CreateFormField("email")), email)
		_, _ = io.WriteString(must(w.CreateFormField("mensagem")), "Depois "+intaketest.Message+strings.Repeat("m", textSize))
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return w.FormDataContentType(), b.String()
	}
	for _, chunked := range []bool{false, true} {
		contentType, text := body(intaketest.Email(fmt.Sprint("arquivo ", chunked)), 3<<20, 0)
		a := o.Do(request{Path: h.Path, Header: map[string]string{"Content-Type": contentType}, Body: text, Chunked: chunked})
		expect(t, "a file of 3 MB", a.String()+a.Text("detail"), "200")
		c := o.Contact(a.LeadID())
		expect(t, "text before and after it",
			strings.HasPrefix(c.Nome, "Antes") && strings.Contains(c.Nota, "Depois "+intaketest.Message), true)
		d := o.Delivery(o.Deliveries(h)[0].ID)
		if d.Bytes > 2000 || strings.Contains(d.Body, mark) || strings.Contains(c.Nota, mark) || d.Truncated ||
			!strings.Contains(d.Body, intaketest.Message) {
			t.Errorf("the log keeps %d bytes, of the file among them: %v", d.Bytes, strings.Contains(d.Body, mark))
		}
	}
	contentType, text := body(intaketest.Email("grande"), 0, 1<<20)
	large := request{Path: h.Path, Header: map[string]string{"Content-Type": contentType}, Body: text}
	expect(t, "text of more than 1 MiB", o.Do(large).String(), "413 corpo_grande_demais")
	expect(t, "a declared body of 33 MiB", o.Do(request{
		Path: h.Path, Header: map[string]string{"Content-Type": contentType, "Content-Length": fmt.Sprint(33 << 20)},
		Stream: func(w io.Writer) { _, _ = io.WriteString(w, text[:100<<10]) },
	}).String(), "413 corpo_grande_demais")
	signed := o.NewHook("Currículos assinados", "generic", "--signature", "hmac", "--secret", "um-segredo-7731")
	contentType, text = body(intaketest.Email("assinado"), 100<<10, 0)
	a := o.Do(request{
		Path:   signed.Path,
		Header: map[string]string{"Content-Type": contentType, "X-Signature": hexMAC("um-segredo-7731", text)}, Body: text,
	})
	expect(t, "a signed body with a file", a.String()+a.Text("detail"), "200")
	if d := o.Deliveries(signed)[0]; d.Bytes > 2000 {
		t.Errorf("the log keeps %d bytes of a signed body with a file", d.Bytes)
	}
	expect(t, "received", o.Show(h).Received, 2)
}

// testNoBoundary: scripts that set the multipart type by hand omit the boundary. The body begins with it; where it does
// not, the log has the body for whoever looks for the reason.
func testNoBoundary(t *testing.T, o *org) {
	header := map[string]string{"Content-Type": "multipart/form-data"}
	h := o.NewHook("Sem fronteira nenhuma", "generic")
	body := "email=" + intaketest.Email("fronteira")
	a := o.Do(request{Path: h.Path, Header: header, Body: body})
	expect(t, "answer", a.String(), "400 requisicao_invalida")
	if !strings.Contains(a.Text("detail"), "multipart") {
		t.Errorf("it says %q", a.Text("detail"))
	}
	o.Nothing(t, h)
	d := o.Delivery(o.Deliveries(h)[0].ID)
	expect(t, "the log keeps the body", line(d.Code, d.Body == body, d.Truncated), "requisicao_invalida true false")

	h = o.NewHook("Sem fronteira no cabeçalho", "generic")
	body = "--B\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\n" + intaketest.Email("fronteira") +
		"\r\n--B--\r\n"
	expect(t, "a body that begins with its boundary", o.Do(request{Path: h.Path, Header: header, Body: body}).String(),
		"200")
}

// testOddBytes: bytes that no database stores as text must neither lose a lead nor cause a failure.
func testOddBytes(t *testing.T, o *org) {
	h := o.NewHook("Bytes estranhos", "generic")
	at := func(id string) string { return intaketest.Email(id) }
	part := func(name, value string) string {
		return "--B\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n"
	}
	multi := map[string]string{"Content-Type": "multipart/form-data; boundary=B"}
	formed := map[string]string{"Content-Type": form}
	for name, r := range map[string]struct {
		header map[string]string
		body   string
		want   []string
	}{
		"NUL in values": {
			intaketest.JSON, `{"email":"` + at("nul") + `","nome":"A\u0000B","mensagem":"\u0000","x\u0000y":"z\u0000"}`,
			[]string{"200"},
		},
		"NUL in the e-mail": {
			intaketest.JSON, `{"email":"nul\u0000` + at("email") + `"}`, []string{"200", "400 email_invalido"},
		},
		"bare NUL": {intaketest.JSON, "{\"email\":\"" + at("bare") + "\",\"nome\":\"A\x00B\"}",
			[]string{"200", "400 requisicao_invalida"}},
		"NUL in a form":      {formed, "email=" + at("form") + "&nome=A%00B&x%00y=z%00", []string{"200"}},
		"NUL in a multipart": {multi, part("email", at("multi")) + part("nome", "A\x00B") + "--B--", []string{"200"}},
		"not UTF-8": {intaketest.JSON, "{\"email\":\"" + at("utf8") + "\",\"nome\":\"A\xff\xfeB\"}",
			[]string{"200", "400 requisicao_invalida"}},
		"lone surrogate": {
			intaketest.JSON, `{"email":"` + at("surrogate") + `","nome":"A\ud800B","\udc00":"x"}`, []string{"200"},
		},
		"not UTF-8 in a form":     {formed, "email=" + at("utf8form") + "&nome=A%ff%feB&%ff=x", []string{"200"}},
		"NUL in a refusal's key":  {intaketest.JSON, `{"a\u0000b":"x","\ud800":"y"}`, []string{"400 email_invalido"}},
		"bad bytes in its key":    {formed, "a%00b=x&%ff%fe=y&%ed%a0%80=z", []string{"400 email_invalido"}},
		"NUL in the e-mail's key": {formed, "e-mail%00=x", []string{"400 email_invalido"}},
		"bad bytes in a part's": {multi, part("a\x00b\xff", "x") + "--B--",
			[]string{"400 email_invalido", "400 requisicao_invalida"}},
		"bad bytes in the headers": {
			map[string]string{"Content-Type": "application/json", "User-Agent": "A\xff\xfeB", "Idempotency-Key": "k\xff\xfe"},
			`{"email":"` + at("header") + `"}`, []string{"200"},
		},
		"controls": {
			intaketest.JSON, "{\"email\":\"" + at("controls") + "\",\"nome\":\"A\tB\x1bC\",\"mensagem\":\"um\ndois\"}",
			[]string{"200", "400 requisicao_invalida"},
		},
		"bidirectional marks": {intaketest.JSON, `{"email":"` + at("bidi") + `","nome":"A\u202eB"}`, []string{"200"}},
	} {
		a := o.Do(request{Path: h.Path, Header: r.header, Body: r.body})
		if !slices.Contains(r.want, a.String()) {
			t.Errorf("%s: got %s, want one of %q", name, a, r.want)
		}
	}
	for _, c := range o.Contacts() {
		if strings.ContainsAny(c.Nome+c.Nota+c.Email, "\x00\x1b") {
			t.Error("a contact has control characters")
		}
	}
	o.Deliveries(h) // they are readable
}
