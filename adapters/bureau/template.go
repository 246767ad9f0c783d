package bureau

import (
	"regexp"
	"slices"
	"strings"
)

// part is a piece of a template: text, or a slot for a value.
type part struct {
	text string
	slot string // "documento", "produto", "finalidade", "id", "retorno", "entradas.NAME", or "" for text
}

// template is a text of a bureau file with slots for the document, the product, the purpose and the inputs. Environment
// values are substituted when the file is read, and never searched for slots: a token may contain braces, and so may an
// e-mail address.
type template []part

const (
	slotDocument = "documento"
	slotProduct  = "produto"
	slotPurpose  = "finalidade"
	// slotID is what the bureau called a question whose answer comes later; only its poll has one.
	slotID = "id"
	// slotCallback is the address to which the bureau may post the answer; only the request of a product has one.
	slotCallback = "retorno"
	// inputPrefix begins the slot of an input.
	inputPrefix = "entradas."
)

var (
	// envName finds ${NAME}; whatever is between "${" and "}" counts as a name, so that a bad one is reported instead of
	// sent.
	envName = regexp.MustCompile(`\$\{([^}]*)\}?`)
	goodEnv = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	braces  = regexp.MustCompile(`\{([\pL_][\pL\pN_.-]*)\}`)
)

// uses reports whether the template has a slot.
func (t template) uses(slot string) bool {
	for _, p := range t {
		if p.slot == slot {
			return true
		}
	}
	return false
}

// filled are the values for the slots.
type filled struct {
	document, product, purpose string
	inputs                     map[string]string
	id, callback               string
}

// missing reports whether a template refers to a purpose, an input or an address that there is not.
func (t template) missing(values filled) bool {
	return slices.ContainsFunc(t, func(p part) bool {
		name, is := strings.CutPrefix(p.slot, inputPrefix)
		return is && values.inputs[name] == "" || p.slot == slotPurpose && values.purpose == "" ||
			p.slot == slotCallback && values.callback == ""
	})
}

// expand substitutes the values, each passed through escape when that is not nil.
func (t template) expand(values filled, escape func(string) string) string {
	if len(t) == 1 && t[0].slot == "" {
		return t[0].text
	}
	var b strings.Builder
	for _, p := range t {
		v := p.text
		switch p.slot {
		case slotDocument:
			v = values.document
		case slotProduct:
			v = values.product
		case slotPurpose:
			v = values.purpose
		case slotID:
			v = values.id
		case slotCallback:
			v = values.callback
		case "":
		default:
			v = values.inputs[strings.TrimPrefix(p.slot, inputPrefix)]
		}
		if p.slot != "" && escape != nil {
			v = escape(v)
		}
		b.WriteString(v)
	}
	return b.String()
}

// compileTemplate splits a text into its parts. escape is applied to environment values. Each fault is passed to
// report.
func compileTemplate(
	s string, env func(string) (string, bool), escape func(string) string, report func(string),
) template {
	var t template
	for s != "" {
		loc := envName.FindStringSubmatchIndex(s)
		if loc == nil {
			return append(t, splitSlots(s, report)...)
		}
		t = append(t, splitSlots(s[:loc[0]], report)...)
		name, closed := s[loc[2]:loc[3]], s[loc[1]-1] == '}'
		s = s[loc[1]:]
		if !goodEnv.MatchString(name) || !closed {
			report("a ${ must be followed by the name of an environment variable and }")
			continue
		}
		v, ok := env(name)
		switch {
		case !ok || v == "":
			report("the environment variable " + name + " is not set or is empty")
		case strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f }):
			report("the environment variable " + name + " contains a line break or another control character")
		default:
			if escape != nil {
				v = escape(v)
			}
			t = append(t, part{text: v})
		}
	}
	return t
}

// splitSlots splits a text that has no references to the environment.
func splitSlots(s string, report func(string)) template {
	var t template
	for s != "" {
		loc := braces.FindStringSubmatchIndex(s)
		if loc == nil {
			return append(t, part{text: s})
		}
		if loc[0] > 0 {
			t = append(t, part{text: s[:loc[0]]})
		}
		switch name := s[loc[2]:loc[3]]; name {
		case slotDocument, slotProduct, slotPurpose, slotID, slotCallback:
			t = append(t, part{slot: name})
		default:
			if input, is := strings.CutPrefix(name, inputPrefix); is && goodField.MatchString(input) {
				t = append(t, part{slot: name})
			} else {
				report("{" + name + "} is not known: use {documento}, {produto}, {finalidade} or {entradas.NAME}")
			}
		}
		s = s[loc[1]:]
	}
	return t
}
