package tree

import (
	"bytes"
	"fmt"
	"mime"
	"strings"

	"fichario/domain/fault"
)

// mediaType returns what a Content-Type says, in lower case. Of a header that cannot be parsed it returns the text
// before the first semicolon.
func mediaType(contentType string) (typ, charset string) {
	switch contentType {
	case "application/json", "application/x-www-form-urlencoded":
		return contentType, ""
	}
	typ, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		typ, _, _ = strings.Cut(contentType, ";")
		typ = strings.ToLower(strings.TrimSpace(typ))
	}
	return typ, strings.ToLower(params["charset"])
}

// Parse makes a tree of the bytes, whatever their format.
func Parse(contentType string, body []byte) (Node, error) {
	typ, charset := mediaType(contentType)
	if len(bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))) == 0 {
		return Node{}, fault.New(fault.InvalidRequest, "O corpo está vazio.")
	}
	text := decodeBody(body, charset)
	if IsMultipart(contentType) && (HasBoundary(contentType) || !LooksJSON(text)) {
		return parseMultipart(contentType, body)
	}
	if strings.HasPrefix(text, "%") { // JSON that was encoded as a whole for a form
		if whole := Unescape(strings.TrimSuffix(strings.TrimSpace(text), "=")); LooksJSON(whole) {
			text = whole
		}
	}
	switch {
	case LooksJSON(text) || text != "" && text[0] == '"':
		return parseTop(text)
	case typ == "application/x-www-form-urlencoded", LooksURLEncoded(text):
		return ParseURLEncoded(body, charset)
	}
	return parseTop(text)
}

// parseTop reads the outermost JSON value, even one inside a JSON string, because some senders encode twice. Anything
// else is tried as plain text.
func parseTop(text string) (Node, error) {
	for range MaxTexts {
		n, err := ParseJSON(text)
		if err != nil {
			if n, ok := parsePlain(text); ok {
				return n, nil
			}
			return Node{}, err
		}
		switch n.Kind {
		case Object, Array:
			return n, nil // even an empty one: what it lacks is an e-mail
		case String:
			if text = strings.TrimSpace(n.Text); LooksJSON(text) || strings.HasPrefix(text, `"`) {
				continue
			}
			if LooksURLEncoded(text) {
				return ParseURLEncoded([]byte(text), "")
			}
		}
		return Node{}, fault.New(fault.InvalidRequest,
			`O corpo não tem campos: envie um objeto JSON, como {"email": "…", "nome": "…"}.`)
	}
	return Node{}, fault.New(fault.InvalidRequest,
		fmt.Sprintf("O corpo é texto dentro de texto, mais de %d vezes: envie o JSON como objeto, e não como texto.", MaxTexts))
}
