package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"fichario/domain/fault"
)

func mustRead(t *testing.T, typ, body string) Draft {
	t.Helper()
	d, err := Read(Options{Kind: Generic}, typ, []byte(body))
	if err != nil {
		t.Fatalf("%.80q: %v", body, err)
	}
	return d
}

func utf16Of(s string, big, mark bool) string {
	var b []byte
	units := utf16.Encode([]rune(s))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	for _, u := range units {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

func TestContentTypesAndCharsets(t *testing.T) {
	const object = `{"nome":"João","email":"joao@exemplo.com.br"}`
	const form = "nome=Jo%C3%A3o&email=joao%40exemplo.com.br"
	const mp = "--B\r\nContent-Disposition: form-data; name=\"nome\"\r\n\r\n%s\r\n--B\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\njoao@exemplo.com.br\r\n--B--\r\n"
	for _, c := range [][2]string{
		{"application/json", object}, {"APPLICATION/JSON; Charset=UTF-8", object}, {"application/vnd.api+json", object}, {"text/plain", object}, {"", object},
		{"x", object}, {"application/json;;;", object}, {"", "\ufeff" + object}, {"", "  \n" + object}, {"", utf16Of(object, false, true)}, {"", utf16Of(object, true, true)},
		{"application/json", utf16Of(object, true, false)}, {"", utf16Of(object, false, false)},
		{"application/json; charset=iso-8859-1", "{\"nome\":\"Jo\xe3o\",\"email\":\"joao@exemplo.com.br\"}"}, {"", "{\"nome\":\"Jo\xe3o\",\"email\":\"joao@exemplo.com.br\"}"},
		{formType, form}, {"Application/X-WWW-Form-Urlencoded; charset=utf-8", form}, {formType, "nome=Jo%E3o&email=joao%40exemplo.com.br"},
		{formType + "; charset=windows-1252", "nome=Jo%E3o&email=joao%40exemplo.com.br"}, {formType, "nome=Jo\xe3o&email=joao@exemplo.com.br"}, {"", form}, {"application/json", form},
		{"text/plain", form}, {formType, object}, {formType, "nome=Jo%C3%A3o&&x=%zz%&email=joao%40exemplo.com.br&="},
		{"multipart/form-data; boundary=B", fmt.Sprintf(mp, "João")}, {"Multipart/Form-Data; Boundary=\"B\"", fmt.Sprintf(mp, "João")},
		{"multipart/form-data; boundary=B", fmt.Sprintf(mp, "Jo\xe3o")}, {"application/json", `[` + object + `]`}, {"application/json", `"nome=Jo%C3%A3o&email=joao%40exemplo.com.br"`},
		{"application/x-ndjson", object + "\n\n" + object + "\n"}, {"text/plain", "Nome: João\r\nE-mail: joao@exemplo.com.br"}, {"text/plain", "nome=João\nemail=joao@exemplo.com.br\n"},
		{"text/xml", `<?xml version="1.0"?><lead xmlns="urn:x"><nome>João</nome><email>joao@exemplo.com.br</email></lead>`},
		{"text/xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><lead><nome>Jo\xe3o</nome><email>joao@exemplo.com.br</email></lead>"},
		{"", `<s:Envelope xmlns:s="urn:s"><s:Body><Lead nome="João"><Email>joao@exemplo.com.br</Email></Lead></s:Body></s:Envelope>`},
		{formType, "nome%3DJo%25C3%25A3o%26email%3Djoao%2540exemplo.com.br"}, {formType, "nome=Jo%25C3%25A3o&email=joao%2540exemplo.com.br"},
	} {
		d := mustRead(t, c[0], c[1])
		if d.Name != "João" || d.Email != "joao@exemplo.com.br" {
			t.Errorf("%s %.40q: %+v", c[0], c[1], d)
		}
	}
}

func TestUnreadableBodies(t *testing.T) {
	for _, c := range [][2]string{
		{"application/json", ""}, {"application/json", "  \n"}, {"application/json", "{}"}, {"application/json", "[]"}, {"application/json", "null"}, {"application/json", "42"},
		{"application/json", `"oi"`}, {"application/json", `{"email":`}, {"application/json", "true"}, {"", "olá, tudo bem?"}, {"text/html", "<p>a=b</p>"},
		{"", "olá, escreva para a@b.c"}, {"", "<lead><email>a@b.c</lead>"}, {"", strings.Repeat("<a>", 10000) + "@"}, {"", "{\"email\":\"a@b.c\"}\n{\"email\""},
		{"", strings.Repeat("a: @\n", 20001)}, {"", "<x>" + strings.Repeat("<a>@</a>", 20001) + "</x>"}, {"", strings.Repeat("{\"a\":\"@\"}\n", 20001)}, {"multipart/form-data", "x"},
		{"multipart/form-data; boundary=B", "x"}, {"multipart/form-data; boundary=B", "--B--\r\n"}, {formType, "&&&"}, {"", "\xef\xbb\xbf"},
		{"application/json", strings.Repeat("[", 10000) + strings.Repeat("]", 10000)}, {"application/json", strings.Repeat("[", 500000)},
		{"application/json", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65)}, {"application/json", "[" + strings.Repeat("1,", 20001) + "1]"},
		{"application/json", "[" + strings.Repeat("[],", 20001) + "1]"}, {formType, "a" + strings.Repeat("[b]", 65) + "=1"}, {formType, strings.Repeat("a=1&", 20001)},
		{formType, "a" + strings.Repeat("[b]", 160000) + "=1"},
	} {
		d, err := Read(Options{Kind: Generic}, c[0], []byte(c[1]))
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.InvalidRequest || f.Message == "" || strings.Contains(f.Message, "olá") {
			t.Errorf("%s %.40q: %+v, %v", c[0], c[1], d, err)
		}
	}
}

// TestHostileBodies bounds the time of a megabyte of anything.
func TestHostileBodies(t *testing.T) {
	fill := func(s string) string { return strings.Repeat(s, 1<<20/len(s)) }
	wrap := `{"email":"a@b.c","payload":`
	nested := `{"email":"a@b.c"}`
	for range 12 {
		nested = fmt.Sprintf(`{"payload":%q}`, nested)
	}
	keys := make([]string, 100000)
	for i := range keys {
		keys[i] = fmt.Sprintf("k%d=v", i)
	}
	items := make([]string, 9000)
	for i := range items {
		items[i] = fmt.Sprintf(`{"key":"question_%d_%s","value":true}`, i, strings.Repeat("_", 60))
	}
	for name, c := range map[string][2]string{
		"brackets in a key": {formType, fill("a[b]") + "=1"}, "open brackets": {formType, fill("[") + "=1"}, "huge index": {formType, "a[999999999]=x&a[1]=y&email=a@b.c"},
		"many keys": {formType, strings.Join(keys, "&")}, "json in json": {"", nested}, "spaces": {"", fill(" ")}, "equals": {formType, fill("=&")},
		"one long value": {"", wrap + `"` + fill("a@b ") + `"}`}, "long value of digits": {"", `{"email":"a@b.c","valor":"` + fill("9") + `","telefone":"` + fill("1")[:500000] + `"}`},
		"long number": {"", `{"email":"a@b.c","valor":` + fill("9") + `}`}, "long key": {"", `{"email":"a@b.c","` + fill("Qual ") + `":"x"}`},
		"accents": {"", `{"email":"a@b.c","nome":"` + fill("é́") + `"}`}, "many items": {"", `{"email":"a@b.c","fields":[` + strings.Join(items, ",") + `]}`},
		"many objects": {"", `{"email":"a@b.c","x":[` + strings.TrimSuffix(strings.Repeat(`{"a":{"b":1}},`, 6000), ",") + `]}`},
		"escapes":      {"", `{"email":"` + fill(`\u0041`) + `"}`}, "quotes": {"", fill(`"`)}, "percent": {formType, "email=" + fill("%40")},
		"same key": {formType, strings.Repeat("email=a&", 19000)}, "broken json": {"", `{"a":"` + fill("\n")},
		"lines": {"", "a: @" + fill("\nx")}, "elements": {"", "<a>@" + fill("x<!---->") + "</a>"}, "open elements": {"", fill("<a>@")},
		"form in form": {formType, "email=a@b.c&query=" + strings.ReplaceAll(fill("query="), "=", "%3D")}, "forms": {"", `{"email":"a@b.c","query":"` + fill("query=") + `"}`},
		"lists":      {"", `{"email":"a@b.c","x":[` + strings.TrimSuffix(strings.Repeat(`{"a":["b","c","d"]},`, 3900), ",") + `]}`},
		"area codes": {"", `{"email":"a@b.c","x":[` + strings.TrimSuffix(strings.Repeat(`{"ddd":"11","n":"988887777"},`, 6000), ",") + `]}`},
		"mailto":     {"", `{"email":"` + fill("<@") + `"}`}, "url": {"", `{"email":"a@b.c","page_url":"http://x/?` + fill("utm_a=b&") + `"}`},
		"deep prefixes": {"", `{"email":"a@b.c","a":` + strings.Repeat(`{"`+strings.Repeat("k ", 2000)+`":`, 60) + "1" + strings.Repeat("}", 61)},
	} {
		start := time.Now()
		d, err := Read(Options{Kind: FormService, Band: BandLower}, c[0], []byte(c[1]))
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%s took %s", name, took)
		}
		if err == nil {
			checkStorable(t, d)
		}
	}
}

// TestNumbersInBrackets: numbers that count from zero make a list; others are the ids of questions.
func TestNumbersInBrackets(t *testing.T) {
	d := mustRead(t, formType, pairs("item_meta[6]", "Ana Lima", "item_meta[7]", "ana@exemplo.com.br", "item_meta[8]", "(11) 98888-7777", "cor[0]", "Azul", "cor[1]", "Verde", "dia[]", "seg", "dia[]", "ter"))
	if d.Email != "ana@exemplo.com.br" || d.Phone != "(11) 98888-7777" || d.Note() != "item_meta 6: Ana Lima\ncor: Azul, Verde\ndia: seg, ter" {
		t.Errorf("%+v %q", d, d.Note())
	}
	d = mustRead(t, "", `{"headers":["Nome","E-mail"],"row":["Ana","ana@exemplo.com.br"],"recipients":["x@y.z","w@y.z"]}`)
	if d.Email != "ana@exemplo.com.br" || !strings.Contains(d.Note(), "row: Ana, ana@exemplo.com.br") {
		t.Errorf("%+v", d)
	}
}

func TestLinesOfText(t *testing.T) {
	d := mustRead(t, "text/plain", "Nome: Ana\nE-mail: ana@exemplo.com.br\nSite: https://ana.com\nMensagem: Olá,\n  quero um orçamento\nhttps://ana.com/obra\n\nVisita: terça: 14:00")
	if d.Message != "Olá,\n  quero um orçamento\nhttps://ana.com/obra" || !strings.Contains(d.Note(), "Visita: terça: 14:00") || !strings.Contains(d.Note(), "Site: https://ana.com") {
		t.Errorf("%+v", d)
	}
	d = mustRead(t, "text/plain", "Novo lead recebido!\n\nNome: Ana\nE-mail: ana@exemplo.com.br")
	if d.Name != "Ana" || d.Email != "ana@exemplo.com.br" || !strings.Contains(d.Note(), "Novo lead recebido!") {
		t.Errorf("%+v", d)
	}
	d = mustRead(t, "text/xml", `<leads><lead><nome>Ana</nome><email>ana@exemplo.com.br</email><imovel codigo="7">Casa &amp; quintal</imovel></lead><lead><nome>Bia</nome></lead></leads>`)
	if d.Name != "Ana" || d.Email != "ana@exemplo.com.br" {
		t.Errorf("%+v", d)
	}
	for _, s := range []string{"Casa & quintal", "codigo: 7", "Bia"} {
		if !strings.Contains(d.Note(), s) {
			t.Errorf("no %q: %s", s, d.Note())
		}
	}
}

// TestDeepTextIsAText: what a person pastes is no reason to lose the lead.
func TestDeepTextIsAText(t *testing.T) {
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	if d := mustRead(t, "", `{"email":"a@b.c","colado":"`+deep+`"}`); d.Note() != "colado: "+deep {
		t.Errorf("%+v", d)
	}
}

func TestRepeatedKeysLoseNothing(t *testing.T) {
	d := mustRead(t, "", `{"email":"a@exemplo.com","interesse":"um","interesse":"dois","nome":"Ana","nome":"Bia"}`)
	note := d.Note()
	for _, s := range []string{"um", "dois", "Bia"} {
		if !strings.Contains(note, s) {
			t.Errorf("%q vanished: %s", s, note)
		}
	}
	d = mustRead(t, formType, "email=a%40exemplo.com&nome=Ana&nome=Bia&x=1&x%5Bk%5D=2&y%5B%5D=3&y=4")
	for _, s := range []string{"1", "2", "3, 4"} {
		if !strings.Contains(d.Note(), s) {
			t.Errorf("%q vanished: %s", s, d.Note())
		}
	}
}

// part writes one part of a multipart body.
func multipartPart(disposition, content string) string {
	return "--B\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
}

func TestReduce(t *testing.T) {
	const typ = "multipart/form-data; boundary=B"
	file := strings.Repeat("%PDF\r\n", 300000)
	body := multipartPart(`name="nome"`, "Ana") + multipartPart(`name="planta"; filename="a b.pdf"`, file) + multipartPart(`name="vazio"; filename=""`, "") +
		multipartPart(`name="email"`, "ana@exemplo.com.br") + "--B--\r\n"
	kept, err := Reduce(typ, strings.NewReader(body), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) > 1000 || bytes.Contains(kept, []byte("%PDF")) || !bytes.Contains(kept, []byte("a b.pdf")) {
		t.Errorf("kept %d bytes: %.500s", len(kept), kept)
	}
	again, err := Reduce(typ, bytes.NewReader(kept), 1<<20)
	if err != nil || !bytes.Equal(again, kept) {
		t.Error("the reduced body is not stable", err)
	}
	d, err := Read(Options{Kind: Generic}, typ, kept)
	if err != nil || d.Email != "ana@exemplo.com.br" || d.Name != "Ana" {
		t.Error(d, err)
	}
	if _, err := Reduce(typ, strings.NewReader(multipartPart(`name="nome"`, strings.Repeat("a", 2000))+"--B--\r\n"), 1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a long part: %v", err)
	}
	if _, err := Reduce(typ, strings.NewReader(strings.Repeat(multipartPart(`name="nome"`, "a"), 2000)+"--B--\r\n"), 1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("many parts: %v", err)
	}
	if _, err := Reduce(typ, strings.NewReader(strings.Repeat(multipartPart(`name="f"; filename="x"`, "a"), 20000)+"--B--\r\n"), 1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("many files: %v", err)
	}
	for i, short := range []string{"", "--B", body[:100], body[:len(body)-200], multipartPart(`name="f"; filename="x"`, "a")} {
		if _, err := Reduce(typ, strings.NewReader(short), 1<<20); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d: %v", i, err)
		}
	}
	for _, typ := range []string{"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + strings.Repeat("x", 100)} {
		if _, err := Reduce(typ, strings.NewReader(body), 1<<20); fault.CodeOf(err) != fault.InvalidRequest && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %v", typ, err)
		}
	}
	// What never ends stops at the limit: a header, what stands before the first part, a text.
	for _, head := range []string{"--B\r\nX: ", "", "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n"} {
		if _, err := Reduce(typ, io.MultiReader(strings.NewReader(head), endless{}), 1000); err == nil {
			t.Errorf("%q: no error", head)
		}
	}
	cause := errors.New("the line went dead")
	if _, err := Reduce(typ, io.MultiReader(strings.NewReader(body[:200]), broken{cause}), 1<<20); !errors.Is(err, cause) {
		t.Errorf("the reader's error: %v", err)
	}
	if !IsMultipart("MULTIPART/form-DATA ; boundary=x") || IsMultipart("multipart/mixed; boundary=x") || IsMultipart("") {
		t.Error("IsMultipart")
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

func TestReducedExamplesReadTheSame(t *testing.T) {
	for _, c := range []string{"06-jotform.multipart", "37-multipart-arquivo.multipart"} {
		body, err := os.ReadFile("testdata/payloads/" + c)
		if err != nil {
			t.Fatal(err)
		}
		const typ = "multipart/form-data; boundary=----LeadBoundary7MA4YWxk"
		kept, err := Reduce(typ, bytes.NewReader(body), 1<<20)
		if err != nil {
			t.Fatal(c, err)
		}
		whole, _ := Read(Options{}, typ, body)
		part, err := Read(Options{}, typ, kept)
		if err != nil || fmt.Sprintf("%+v", whole) != fmt.Sprintf("%+v", part) || part.Email == "" {
			t.Errorf("%s: %v\n%+v\n%+v", c, err, whole, part)
		}
	}
}
