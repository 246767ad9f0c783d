package intake

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"fichario/domain/fault"
)

// ErrTooLarge says that the text parts of a multipart body are larger than the limit.
var ErrTooLarge = errors.New("intake: the text of the multipart body is too large")

// IsMultipart reports whether a Content-Type is multipart/form-data, whatever its case.
func IsMultipart(contentType string) bool {
	typ, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(typ), "multipart/form-data")
}

// boundaryOf returns the boundary that a multipart Content-Type names.
func boundaryOf(contentType string) (string, error) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return "", fault.New(fault.InvalidRequest, "O cabeçalho Content-Type é multipart/form-data, mas não diz o limite (boundary) das partes.").Because(err)
	}
	return params["boundary"], nil
}

// guard bounds how much is read while budget is not negative, and remembers the reader's own error, which is not the body's fault.
type guard struct {
	r      io.Reader
	budget int64 // what may still be read; negative: any amount
	err    error
	tail   []byte // the last of what was read
}

// tailSize holds what the multipart reader may have read ahead, and a boundary.
const tailSize = 8 << 10

// complete reports whether the body was read to its closing boundary. The multipart reader says io.EOF for that, and also for a body cut
// short within a header.
func (g *guard) complete(boundary string) bool {
	return bytes.Contains(g.tail, []byte("--"+boundary+"--"))
}

// Read reads within the budget.
func (g *guard) Read(p []byte) (int, error) {
	if g.budget == 0 {
		return 0, ErrTooLarge
	}
	if g.budget > 0 && int64(len(p)) > g.budget {
		p = p[:g.budget]
	}
	n, err := g.r.Read(p)
	if g.budget > 0 {
		g.budget -= int64(n)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		g.err = err
	}
	if g.tail = append(g.tail, p[:n]...); len(g.tail) > 2*tailSize {
		g.tail = append(g.tail[:0], g.tail[len(g.tail)-tailSize:]...)
	}
	return n, err
}

// headerSlack is what the reader may buffer beyond the parts that are kept.
const headerSlack = 64 << 10

// Reduce streams a multipart body: it copies the text parts to a new multipart body with the same boundary and keeps of the file parts
// only their headers, so that what is kept can be read, or replayed, with the same Content-Type. limit bounds the kept bytes; what is
// beyond it is ErrTooLarge. An error of the reader is wrapped; a body that ends early is a fault because of io.ErrUnexpectedEOF.
func Reduce(contentType string, body io.Reader, limit int64) ([]byte, error) {
	boundary, err := boundaryOf(contentType)
	if err != nil {
		return nil, err
	}
	g := &guard{r: body}
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	if err := w.SetBoundary(boundary); err != nil {
		return nil, malformed(err)
	}
	for mr := multipart.NewReader(g, boundary); ; {
		g.budget = limit + headerSlack // whatever stands before a part is read into memory
		part, err := mr.NextRawPart()
		if err == io.EOF && g.complete(boundary) { //nolint:errorlint // the end of the body is the bare value; a wrapped one is a body cut short
			break
		}
		if err != nil {
			return nil, multipartError(g, err)
		}
		to, err := w.CreatePart(part.Header)
		if err != nil {
			return nil, malformed(err)
		}
		if part.FileName() != "" || hasFilename(part.Header.Get("Content-Disposition")) {
			g.budget, to = -1, io.Discard
		} else {
			g.budget = limit + headerSlack
		}
		room := limit - int64(out.Len())
		if room < 0 {
			return nil, ErrTooLarge
		}
		var from io.Reader = part
		if g.budget >= 0 {
			from = io.LimitReader(part, room+1)
		}
		n, err := io.Copy(to, from)
		if err != nil {
			return nil, multipartError(g, err)
		}
		if g.budget >= 0 && n > room {
			return nil, ErrTooLarge
		}
	}
	if err := w.Close(); err != nil {
		return nil, malformed(err)
	}
	if int64(out.Len()) > limit {
		return nil, ErrTooLarge
	}
	return out.Bytes(), nil
}

// hasFilename tells a file part whose file name is empty, as a browser sends for an input that was left alone, from a text part.
func hasFilename(disposition string) bool {
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return strings.Contains(strings.ToLower(disposition), "filename")
	}
	_, ok := params["filename"]
	return ok
}

func malformed(cause error) error {
	return fault.New(fault.InvalidRequest, "O corpo multipart/form-data não pôde ser lido: as partes estão malformadas.").Because(cause)
}

// multipartError tells the three causes apart: the reader failed, the limit was reached, the body ends early or is malformed.
func multipartError(g *guard, err error) error {
	switch {
	case g.err != nil:
		return fmt.Errorf("intake: read the multipart body: %w", g.err)
	case errors.Is(err, ErrTooLarge):
		return ErrTooLarge
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		// The reader came to its end, so that sending the same again will not help.
		return fault.New(fault.InvalidRequest, "O corpo multipart/form-data termina antes do seu fim: falta a linha que o fecha, com o limite (boundary) entre dois pares de hifens.").
			Because(io.ErrUnexpectedEOF)
	}
	return malformed(err)
}

// firstBoundary returns the boundary that a body begins with, or "".
func firstBoundary(body []byte) string {
	line, _, _ := bytes.Cut(body, []byte("\n"))
	text, ok := strings.CutPrefix(strings.TrimRight(string(line[:min(len(line), 80)]), "\r"), "--")
	if !ok || text == "" || len(text) > 70 {
		return ""
	}
	return text
}

// readMultipart makes a tree of the text parts.
func readMultipart(contentType string, body []byte) (node, error) {
	boundary, err := boundaryOf(contentType)
	if err != nil {
		// Scripts that write the header by hand forget the boundary; the body begins
		// with it.
		if boundary = firstBoundary(body); boundary == "" {
			return node{}, err
		}
	}
	var t formTree
	closed := bytes.Contains(body, []byte("--"+boundary+"--"))
	for mr := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := mr.NextPart()
		if err == io.EOF && closed { //nolint:errorlint // the end of the body is the bare value; a wrapped one is a body cut short
			break
		}
		if err != nil {
			return node{}, malformed(err)
		}
		if part.FileName() != "" || hasFilename(part.Header.Get("Content-Disposition")) {
			if _, err := io.Copy(io.Discard, part); err != nil {
				return node{}, malformed(err)
			}
			continue
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return node{}, malformed(err)
		}
		typ, charset := mediaType(part.Header.Get("Content-Type"))
		v := node{kind: isString, text: decodeText(string(text), charset)}
		if typ == "application/json" {
			n, ok, err := embedded(v.text, 1)
			if err != nil {
				return node{}, err
			}
			if ok {
				v = n
			}
		}
		if err := t.add(decodeText(part.FormName(), charset), v); err != nil {
			return node{}, err
		}
	}
	n := t.root.tree(true)
	if len(n.kids) == 0 {
		return node{}, fault.New(fault.InvalidRequest, "O corpo multipart/form-data não tem campos de texto.")
	}
	return n, nil
}
