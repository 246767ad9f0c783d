package products

import (
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// JotForm sends the answers as JSON in "rawRequest"; beside it stand the form's and the owner's data.
var jotform = Product{
	Name: "jotform",
	IDs: []ID{
		{Has: "submissionID rawRequest", From: "submissionID"},
		{Has: "submissionID formID", From: "submissionID"},
		{Has: "id form_id answers", From: "id", Late: true},
	},
	Envelopes: []Envelope{{Marks: "rawRequest", Of: jotformRequest}},
}

// jotformRequest keeps the answers and the form's title of a post.
func jotformRequest(w Walk, object, request *tree.Node) *Members {
	if request.Kind != tree.String || !tree.LooksJSON(request.Text) {
		return nil
	}
	pretty := object.Str("pretty")
	w.Label(func(k *tree.Node) (string, int) { return jotformLabel(pretty, k) })
	return &Members{Every: func(w Walk, k *tree.Node) bool {
		if k.Key == "rawRequest" || k.Key == "formTitle" {
			return false
		}
		w.Drop("jotform envelope", k)
		return true
	}}
}

// jotformLabel finds the label of an answer, whose key holds only its first words, in the text that repeats all labels
// and answers. cost is how much was searched.
func jotformLabel(pretty string, k *tree.Node) (label string, cost int) {
	if pretty == "" || k.Kind != tree.String || len(k.Text) < 2 || !numberedKey(k.Key) {
		return "", 0
	}
	value, _, _ := strings.Cut(text.OneLine(text.Clean(k.Text)), "\n")
	i := strings.Index(pretty, ":"+value)
	if i < 0 || strings.Count(pretty, ":"+value) > 1 {
		return "", len(pretty)
	}
	label = pretty[:i]
	label = label[strings.LastIndex(label, ", ")+1:]
	label = strings.TrimSpace(strings.TrimPrefix(label, ","))
	// Only a label that begins like the key surely belongs to this answer. A question that was renamed keeps the key of
	// the builder's own; then the whole answer must stand there.
	_, words, _ := strings.Cut(WithoutNumber(k.Key), "_")
	words = names.Of(words)
	rest := pretty[i+1+len(value):]
	renamed := defaultQuestion[words] && (rest == "" || strings.HasPrefix(rest, ", "))
	if !renamed && (len(words) < 2 || !strings.HasPrefix(names.Of(label), words)) {
		return "", len(pretty)
	}
	return label, len(pretty)
}

// defaultQuestion are the first words of "Type a question", in normal form, in languages of the builder.
var defaultQuestion = names.Set(`typea escribauna digiteuma`)

// WithoutNumber takes the number of its question off the end of a key that begins with it, too: "q4_email4".
func WithoutNumber(key string) string {
	if !numberedKey(key) {
		return key
	}
	number, name, ok := strings.Cut(key[1:], "_")
	name, ends := strings.CutSuffix(name, number)
	if !ok || !ends || name == "" || names.CountDigits(number) < len(number) || names.CountDigits(name[len(name)-1:]) > 0 {
		return key
	}
	return key[:len(key)-len(number)]
}

// numberedKey reports whether a key begins with the number of its question: "q4_email".
func numberedKey(key string) bool {
	return len(key) >= 3 && key[0] == 'q' && key[1] >= '0' && key[1] <= '9'
}
