package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"fichario/domain/fault"
	"fichario/domain/intake/tree"
)

// multipartPart writes one part of a multipart body.
func multipartPart(disposition, content string) string {
	return "--B\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n"
}

const multipartType = "multipart/form-data; boundary=B"

// multipartBody has a text, a file, a file input left alone, and a text.
func multipartBody() string {
	return multipartPart(`name="nome"`, "Ana") +
		multipartPart(`name="planta"; filename="a b.pdf"`, strings.Repeat("%PDF\r\n", 300000)) +
		multipartPart(`name="vazio"; filename=""`, "") + multipartPart(`name="email"`, "ana@exemplo.com.br") + "--B--\r\n"
}

func TestReduceKeepsTheTexts(t *testing.T) {
	t.Parallel()
	kept, err := tree.Reduce(multipartType, strings.NewReader(multipartBody()), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) > 1000 || bytes.Contains(kept, []byte("%PDF")) || !bytes.Contains(kept, []byte("a b.pdf")) {
		t.Errorf("kept %d bytes: %.500s", len(kept), kept)
	}
	again, err := tree.Reduce(multipartType, bytes.NewReader(kept), 1<<20)
	if err != nil || !bytes.Equal(again, kept) {
		t.Error("the reduced body is not stable", err)
	}
	d := mustRead(t, multipartType, string(kept))
	if d.Email != "ana@exemplo.com.br" || d.Name != "Ana" {
		t.Errorf("%+v", d)
	}
}

func TestReduceRefusesWhatIsTooLarge(t *testing.T) {
	t.Parallel()
	const file = `name="f"; filename="x"`
	for name, body := range map[string]string{
		"a long part": multipartPart(`name="nome"`, strings.Repeat("a", 2000)),
		"many parts":  strings.Repeat(multipartPart(`name="nome"`, "a"), 2000),
		"many files":  strings.Repeat(multipartPart(file, "a"), 20000),
	} {
		_, err := tree.Reduce(multipartType, strings.NewReader(body+"--B--\r\n"), 1000)
		if !errors.Is(err, tree.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Endless input stops at the limit: a header, the preamble, a text.
	for _, head := range []string{"--B\r\nX: ", "", "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n"} {
		if _, err := tree.Reduce(multipartType, io.MultiReader(strings.NewReader(head), endless{}), 1000); err == nil {
			t.Errorf("%q: no error", head)
		}
	}
}

func TestReduceRefusesWhatIsBroken(t *testing.T) {
	t.Parallel()
	body := multipartBody()
	file := multipartPart(`name="f"; filename="x"`, "a")
	for i, short := range []string{"", "--B", body[:100], body[:len(body)-200], file} {
		if _, err := tree.Reduce(multipartType, strings.NewReader(short), 1<<20); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d: %v", i, err)
		}
	}
	for _, boundary := range []string{"", "; boundary=", "; boundary=" + strings.Repeat("x", 100)} {
		_, err := tree.Reduce("multipart/form-data"+boundary, strings.NewReader(body), 1<<20)
		if fault.CodeOf(err) != fault.InvalidRequest && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: %v", boundary, err)
		}
	}
	cause := errors.New("the line went dead")
	_, err := tree.Reduce(multipartType, io.MultiReader(strings.NewReader(body[:200]), broken{cause}), 1<<20)
	if !errors.Is(err, cause) {
		t.Errorf("the reader's error: %v", err)
	}
}

func TestIsMultipart(t *testing.T) {
	t.Parallel()
	for typ, want := range map[string]bool{
		"MULTIPART/form-DATA ; boundary=x": true, "multipart/mixed; boundary=x": false, "": false,
	} {
		if tree.IsMultipart(typ) != want {
			t.Errorf("%q", typ)
		}
	}
}

func TestReducedExamplesReadTheSame(t *testing.T) {
	t.Parallel()
	for _, c := range []string{"06-jotform.multipart", "37-multipart-arquivo.multipart"} {
		body, err := os.ReadFile("testdata/payloads/" + c)
		if err != nil {
			t.Fatal(err)
		}
		const typ = "multipart/form-data; boundary=----LeadBoundary7MA4YWxk"
		kept, err := tree.Reduce(typ, bytes.NewReader(body), 1<<20)
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

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }
