package intake

import (
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/text"
)

// Values that say themselves what they are: "Nome: Ana Lima" under "linha1" or in a list, "Tel: (11) 98765-4321" under
// "telefone".

// maxLabel bounds, in bytes, the label before a value.
const maxLabel = 60

// labelIn returns the label before a value of one line, and what follows it.
func labelIn(value string) (label, rest string, ok bool) {
	label, rest, ok = strings.Cut(value, ":")
	label, rest = strings.Trim(label, " *-•"), strings.TrimLeft(rest, " *")
	return label, rest, ok && label != "" && rest != "" && len(label) <= maxLabel && hasWord(label) &&
		strings.IndexByte(value, '\n') < 0 && strings.IndexByte(label, '@') < 0 && !strings.HasPrefix(rest, "//")
}

// withoutOwnLabel takes the label off a value that repeats what its key says.
func (r *reader) withoutOwnLabel(a *answer) {
	if len(a.values) != 1 {
		return
	}
	label, rest, ok := labelIn(a.values[0])
	if !ok {
		return
	}
	if f := namingOf(label).entry.field; f != noField && f == namingOf(a.name()).entry.field {
		r.dropText("label", a.values[0])
		a.values[0] = rest
	}
}

// readLabelled reads the answers of a post whose values have labels, that of the address among them, and whose keys say
// nothing. Where an answer is an address and nothing else, what has labels is somebody else's, or a remark.
func (r *reader) readLabelled() {
	address, named := false, false
	for i := range r.answers {
		a := &r.answers[i]
		label, rest, ok := a.labelledValue()
		address = address || ok && fields.WholeAddress(rest) && namingOf(label).entry.field == fieldEmail
		named = named || !a.closed && fields.WholeAddress(a.values[0])
	}
	if !address || named {
		return
	}
	for i := range r.answers {
		a := &r.answers[i]
		if label, rest, ok := a.labelledValue(); ok {
			r.dropText("label", a.values[0])
			a.title, a.labelled, a.values = text.OneLine(label), true, []string{rest}
			a.entry = lookup(label)
		}
	}
}

// labelledValue is labelIn for the answer under a machine's key that names no field.
func (a *answer) labelledValue() (label, rest string, ok bool) {
	if a.closed || a.title != "" || len(a.values) != 1 || a.attr != "" || namingOf(a.key).entry.field != noField {
		return "", "", false
	}
	return labelIn(a.values[0])
}
