package intake

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"fichario/domain/fault"
	"fichario/domain/intake/tree"
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
	t.Parallel()
	const object = `{"nome":"João","email":"joao@exemplo.com.br"}`
	const form = "nome=Jo%C3%A3o&email=joao%40exemplo.com.br"
	parts := func(name string) string {
		return multipartPart(`name="nome"`, name) + multipartPart(`name="email"`, "joao@exemplo.com.br") + "--B--\r\n"
	}
	for _, c := range [][2]string{
		{"application/json", object}, {"APPLICATION/JSON; Charset=UTF-8", object}, {"application/vnd.api+json", object},
		{"text/plain", object}, {"", object}, {"x", object}, {"application/json;;;", object}, {"", "\ufeff" + object},
		{"", "  \n" + object}, {"", utf16Of(object, false, true)}, {"", utf16Of(object, true, true)},
		{"application/json", utf16Of(object, true, false)}, {"", utf16Of(object, false, false)},
		{"application/json; charset=iso-8859-1", "{\"nome\":\"Jo\xe3o\",\"email\":\"joao@exemplo.com.br\"}"},
		{"", "{\"nome\":\"Jo\xe3o\",\"email\":\"joao@exemplo.com.br\"}"}, {formType, form},
		{"Application/X-WWW-Form-Urlencoded; charset=utf-8", form}, {formType, "nome=Jo%E3o&email=joao%40exemplo.com.br"},
		{formType + "; charset=windows-1252", "nome=Jo%E3o&email=joao%40exemplo.com.br"},
		{formType, "nome=Jo\xe3o&email=joao@exemplo.com.br"}, {"", form}, {"application/json", form}, {"text/plain", form},
		{formType, object}, {formType, "nome=Jo%C3%A3o&&x=%zz%&email=joao%40exemplo.com.br&="},
		{"multipart/form-data; boundary=B", parts("João")},
		{"Multipart/Form-Data; Boundary=\"B\"", parts("João")},
		{"multipart/form-data; boundary=B", parts("Jo\xe3o")}, {"application/json", `[` + object + `]`},
		{"application/json", `"nome=Jo%C3%A3o&email=joao%40exemplo.com.br"`},
		{"application/x-ndjson", object + "\n\n" + object + "\n"},
		{"text/plain", "Nome: João\r\nE-mail: joao@exemplo.com.br"},
		{"text/plain", "nome=João\nemail=joao@exemplo.com.br\n"},
		{"text/xml", `<?xml version="1.0"?><lead xmlns="urn:x"><nome>João</nome><email>joao@exemplo.com.br</email></lead>`},
		{"text/xml", `<?xml version="1.0" encoding="ISO-8859-1"?><lead>` +
			"<nome>Jo\xe3o</nome><email>joao@exemplo.com.br</email></lead>"},
		{"", `<s:Envelope xmlns:s="urn:s"><s:Body><Lead nome="João"><Email>joao@exemplo.com.br</Email></Lead></s:Body>` +
			`</s:Envelope>`},
		{formType, "nome%3DJo%25C3%25A3o%26email%3Djoao%2540exemplo.com.br"},
		{formType, "nome=Jo%25C3%25A3o&email=joao%2540exemplo.com.br"},
	} {
		d := mustRead(t, c[0], c[1])
		if d.Name != "João" || d.Email != "joao@exemplo.com.br" {
			t.Errorf("%s %.40q: %+v", c[0], c[1], d)
		}
	}
}

func TestUnreadableBodies(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"application/json", ""}, {"application/json", "  \n"}, {"application/json", "null"},
		{"application/json", "42"}, {"application/json", `"oi"`},
		{"application/json", `{"email":`}, {"application/json", "true"}, {"", "olá, tudo bem?"}, {"text/html", "<p>a=b</p>"},
		{"", "olá, escreva para a@b.c"}, {"", "<lead><email>a@b.c</lead>"}, {"", strings.Repeat("<a>", 10000) + "@"},
		{"", "{\"email\":\"a@b.c\"}\n{\"email\""}, {"", strings.Repeat("a: @\n", 20001)},
		{"", "<x>" + strings.Repeat("<a>@</a>", 20001) + "</x>"}, {"", strings.Repeat("{\"a\":\"@\"}\n", 20001)},
		{"multipart/form-data", "x"}, {"multipart/form-data; boundary=B", "x"},
		{"multipart/form-data; boundary=B", ""}, {formType, ""}, {formType, " \r\n"}, {"", "\xef\xbb\xbf"},
		{formType, "\xef\xbb\xbf"},
		{"application/json", strings.Repeat("[", 10000) + strings.Repeat("]", 10000)},
		{"application/json", strings.Repeat("[", 500000)},
		{"application/json", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65)},
		{"application/json", "[" + strings.Repeat("1,", 20001) + "1]"},
		{"application/json", "[" + strings.Repeat("[],", 20001) + "1]"}, {formType, "a" + strings.Repeat("[b]", 65) + "=1"},
		{formType, strings.Repeat("a=1&", 20001)}, {formType, "a" + strings.Repeat("[b]", 160000) + "=1"},
	} {
		d, err := Read(Options{Kind: Generic}, c[0], []byte(c[1]))
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.InvalidRequest || f.Message == "" || strings.Contains(f.Message, "olá") {
			t.Errorf("%s %.40q: %+v, %v", c[0], c[1], d, err)
		}
	}
}

// TestDeepTextIsAText: nothing that a person pastes may lose the lead.
func TestDeepTextIsAText(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	if d := mustRead(t, "", `{"email":"a@b.c","colado":"`+deep+`"}`); d.Note() != "colado: "+deep {
		t.Errorf("%+v", d)
	}
}

// TestBodiesWithoutFields: a readable body without fields lacks its e-mail, and is refused for that.
func TestBodiesWithoutFields(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"application/json", "{}"}, {"", " {} "}, {"application/json", "[]"}, {"application/json", "[{}]"},
		{"application/json", "[[]]"}, {"application/json", "[{},{}]"}, {"application/json", `"{}"`}, {formType, "{}"},
		{formType, "&&&"}, {formType, "="}, {multipartType, "--B--\r\n"},
		{multipartType, multipartPart(`name="planta"; filename="a.pdf"`, "%PDF") + "--B--\r\n"},
	} {
		if c[0] == multipartType { // as the HTTP handler passes it on
			kept, err := tree.Reduce(c[0], strings.NewReader(c[1]), 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			c[1] = string(kept)
		}
		drafts, err := ReadAll(Options{Kind: Generic}, c[0], []byte(c[1]))
		if err != nil || len(drafts) != 1 {
			t.Errorf("%s %q: %+v, %v", c[0], c[1], drafts, err)
			continue
		}
		var f *fault.Error
		if err := drafts[0].CheckEmail(); !errors.As(err, &f) || f.Code != fault.InvalidEmail ||
			!strings.Contains(f.Message, "O corpo não tem campos.") {
			t.Errorf("%s %q: %+v, %v", c[0], c[1], f, err)
		}
	}
}

// TestTextsInTexts: JSON as the text of a field is read three deep, quoted twice or not; a refusal of one that is
// deeper says so.
func TestTextsInTexts(t *testing.T) {
	t.Parallel()
	quoted := func(v any) string {
		text, _ := json.Marshal(v)
		return string(text)
	}
	const who = `{"nome":"Ana","email":"ana@x.com"}`
	inside := func(depth int) string {
		body := who
		for range depth {
			body = `{"data":` + quoted(body) + `}`
		}
		return body
	}
	twice := `{"data":` + quoted(quoted(who)) + `}`
	for body, read := range map[string]bool{
		inside(1): true, inside(3): true, inside(4): false, inside(6): false,
		twice: true, `{"data":` + quoted(twice) + `}`: true, `{"payload":` + quoted(quoted("["+who+"]")) + `}`: true,
		`{"data":` + quoted(quoted(quoted(quoted(who)))) + `}`: false,
		quoted(quoted(who)): true, quoted(quoted(quoted(quoted(who)))): false,
	} {
		drafts, err := ReadAll(Options{Kind: Generic}, "", []byte(body))
		if err == nil {
			err = drafts[0].CheckEmail()
		}
		var f *fault.Error
		switch {
		case read && (err != nil || drafts[0].Name != "Ana"):
			t.Errorf("%s: %v", body, err)
		case !read && (!errors.As(err, &f) || !strings.Contains(f.Message, "texto dentro de")):
			t.Errorf("%s: %v", body, f)
		}
	}
	d := mustRead(t, "", `{"nome":"Ana","email":"ana@x.com","data":`+quoted(inside(3))+`}`)
	if note := d.Note(); !strings.Contains(note, "ana@x.com") || d.CheckEmail() != nil {
		t.Errorf("what is too deep is not in the note: %q", note)
	}
	if d := mustRead(t, "", `{"email":"ana@x.com","mensagem":"\"Quero {isso}\""}`); d.Message != `"Quero {isso}"` {
		t.Errorf("what somebody put in quotes: %q", d.Message)
	}
}
