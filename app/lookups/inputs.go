package lookups

import (
	"bytes"
	"encoding/json"

	"fichario/app"
)

// inputsField is the name under which inputs are sent.
const inputsField = "entradas"

// ReadInputs reads the JSON of what a product needs beside the document: an object of texts, and of numbers as they are
// written, that has each name once; encoding/json would take the last of several. Empty values are left out; nil for
// none, and for null. What is not JSON was refused before. Fault: InvalidRequest, which repeats no name, as one may be
// personal data in the wrong place.
func ReadInputs(sent []byte) (map[string]string, error) {
	if len(sent) == 0 || string(sent) == "null" {
		return nil, nil //nolint:nilnil // none
	}
	dec := json.NewDecoder(bytes.NewReader(sent))
	if first, _ := dec.Token(); first != json.Delim('{') {
		return nil, app.Invalid(inputsField, "O campo entradas deve ser um objeto.")
	}
	var read map[string]string
	seen := map[string]bool{}
	for dec.More() {
		name, _ := dec.Token()
		key, _ := name.(string)
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil || seen[key] {
			return nil, app.Invalid(inputsField, "Há um nome em entradas que veio mais de uma vez.")
		}
		seen[key] = true
		text, ok := inputValue(raw)
		if !ok {
			return nil, app.Invalid(inputsField, "Cada valor em entradas deve ser um texto ou um número.")
		}
		if text == "" {
			continue
		}
		if read == nil {
			read = map[string]string{}
		}
		read[key] = text
	}
	return read, nil
}

func inputValue(raw json.RawMessage) (text string, ok bool) {
	var number json.Number
	switch {
	case string(raw) == "null": // which encoding/json takes for an empty text
		return "", false
	case json.Unmarshal(raw, &text) == nil:
		return text, true
	case json.Unmarshal(raw, &number) == nil:
		return number.String(), true
	}
	return "", false
}
