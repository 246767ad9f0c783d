package intake

import (
	"cmp"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// isMapped reports whether an answer is the first with an address under the webhook's own key of the e-mail. Keys are
// compared in their normal form, so that a colon or a capital more in a question changes nothing.
func (r *reader) isMapped(a *answer) bool {
	if r.emailKey == "" || r.mapped != 0 || len(a.values) == 0 {
		return false
	}
	return names.Of(keyName(a.label())) == r.emailKey && fitsEmail(nil, a, knownName)
}

// keyName is a key as Draft.Keys has it.
func keyName(label string) string { return text.Cut(withoutPersonalData(label), tree.MaxKeyText) }

// emailByKey gives the e-mail to the answer that stands under the webhook's own key, whatever the rules found.
func (r *reader) emailByKey(c *chooser) {
	if r.mapped == 0 {
		return
	}
	a := &c.answers[r.mapped-1]
	a.field = fieldEmail
	c.best[fieldEmail] = claim{answer: a}
}

// maxExample bounds, in characters, the text that Answers shows of a key.
const maxExample = 40

// Answers lists the keys of a body as Draft.Keys names them, each with the beginning of its first text: those with an
// address first, then in the order of arrival. It is for people who say which key is the e-mail, so it leaves out keys
// that are themselves personal data, and keys without a text. Errors: those of Read.
func Answers(o Options, contentType string, body []byte) ([]Pair, error) {
	n, err := tree.Parse(contentType, body)
	if err != nil {
		return nil, err
	}
	r := newReader(o, nil)
	r.examples = map[string]string{}
	if r.walk(&n); r.err != nil {
		return nil, r.err
	}
	var addresses, others []Pair
	for _, k := range r.keys {
		switch v := r.examples[k]; {
		case v == "" || strings.HasPrefix(k, "(um "):
		case fields.FindEmail([]string{v}) != "" && strings.Contains(v, "@"):
			addresses = append(addresses, Pair{k, v})
		default:
			others = append(others, Pair{k, text.Cut(v, maxExample)})
		}
	}
	return append(addresses, others...), nil
}

func (r *reader) rememberExample(a *answer) {
	if k := keyName(a.label()); len(a.values) > 0 {
		r.examples[k] = cmp.Or(r.examples[k], text.OneLine(text.Clean(a.text())))
	}
}
