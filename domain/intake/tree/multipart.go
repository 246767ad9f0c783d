package tree

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"fichario/domain/fault"
)

// IsMultipart reports whether a Content-Type is multipart/form-data, whatever its case.
func IsMultipart(contentType string) bool {
	typ, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(typ), "multipart/form-data")
}

// HasBoundary reports whether a Content-Type names the boundary of the parts.
func HasBoundary(contentType string) bool {
	_, err := boundaryOf(contentType)
	return err == nil
}

// parseMultipart makes a tree of the text parts.
func parseMultipart(contentType string, body []byte) (Node, error) {
	boundary, err := boundaryOf(contentType)
	if err != nil {
		// Scripts that write the header by hand forget the boundary; the body begins with it.
		if boundary = firstBoundary(body); boundary == "" {
			return Node{}, err
		}
	}
	var form bracketTree
	closed := bytes.Contains(body, closingBoundary(boundary))
	for parts := multipart.NewReader(bytes.NewReader(body), boundary); ; {
		part, err := parts.NextPart()
		if err == io.EOF && closed { // compared bare: a wrapped one is a body cut short
			break
		}
		if err != nil {
			return Node{}, errMalformed(err)
		}
		if isFilePart(part) {
			if _, err := io.Copy(io.Discard, part); err != nil {
				return Node{}, errMalformed(err)
			}
			continue
		}
		if err := addPart(&form, part); err != nil {
			return Node{}, err
		}
	}
	return form.tree(), nil
}

// addPart puts a text part into the form.
func addPart(form *bracketTree, part *multipart.Part) error {
	text, err := io.ReadAll(part)
	if err != nil {
		return errMalformed(err)
	}
	if strings.EqualFold(part.Header.Get("Content-Transfer-Encoding"), "base64") {
		if plain, err := base64.StdEncoding.DecodeString(string(bytes.Join(bytes.Fields(text), nil))); err == nil {
			text = plain
		}
	}
	typ, charset := mediaType(part.Header.Get("Content-Type"))
	value := Node{Kind: String, Text: DecodeText(string(text), charset)}
	if typ == "application/json" {
		n, ok, err := EmbeddedJSON(value.Text, 1) // its place is known with the others
		if err != nil {
			return err
		}
		if ok {
			value = n
		}
	}
	return form.add(DecodeText(part.FormName(), charset), value)
}

// boundaryOf returns the boundary that a multipart Content-Type names.
func boundaryOf(contentType string) (string, error) {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil || params["boundary"] == "" {
		return "", fault.New(fault.InvalidRequest,
			"O cabeçalho Content-Type é multipart/form-data, mas não diz o limite (boundary) das partes.").Because(err)
	}
	return params["boundary"], nil
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

// closingBoundary ends a body. It is checked because the multipart reader also returns io.EOF for a body cut short
// within a header.
func closingBoundary(boundary string) []byte { return []byte("--" + boundary + "--") }

// isFilePart tells a file from a text part. A file may have an empty name: browsers send that for an input left alone.
func isFilePart(part *multipart.Part) bool {
	if part.FileName() != "" {
		return true
	}
	disposition := part.Header.Get("Content-Disposition")
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return strings.Contains(strings.ToLower(disposition), "filename")
	}
	_, ok := params["filename"]
	return ok
}

func errMalformed(cause error) error {
	return fault.New(fault.InvalidRequest,
		"O corpo multipart/form-data não pôde ser lido: as partes estão malformadas.").Because(cause)
}
