package intake

import (
	"bytes"
	"slices"
)

// fill puts a value's texts into an answer and keeps it. holder is the object around the value, when that is a form's
// field. It returns false when the value is a tree that must be walked.
func (r *reader) fill(a *answer, value, holder *node) bool {
	for holder != nil && value.kind == isObject && len(value.children) == 1 && wrapsAnswer(value.children[0].key) {
		value = &value.children[0]
	}
	if value.scalar() {
		r.fillScalar(a, value, holder)
		return true
	}
	if r.contactInfo(a, value) {
		return true
	}
	texts, ok := r.texts(value, holder, a)
	if !ok {
		return false
	}
	a.values = texts
	if value.kind == isArray && len(value.children) == 1 && value.children[0].kind == isNumber {
		a.number = value.children[0].text
	}
	r.keep(a)
	return true
}

// contactParts are the answers to Formbricks' contact question, in order.
var contactParts = [...]string{"first_name", "last_name", "email", "phone", "company"}

// contactInfo reads a contact that came as a list of its five parts, recognised by the address in the middle.
func (r *reader) contactInfo(a *answer, value *node) bool {
	if value.kind != isArray || len(value.children) != len(contactParts) || !value.scalarList() ||
		!wholeAddress(value.children[2].text) {
		return false
	}
	for i := range value.children {
		part := answer{key: contactParts[i], scope: a.scope}
		if t := scalarText(&value.children[i]); t != "" {
			part.values = r.single(t)
		}
		part.prefix = ""
		r.keep(&part)
	}
	return true
}

func (r *reader) fillScalar(a *answer, value, holder *node) {
	a.logical = value.kind == isBool
	if value.kind == isNumber {
		a.number = value.text
	}
	if t := scalarText(value); t != "" {
		a.values = r.single(t)
	}
	if o := r.optionText(holder, value); o != "" {
		a.values = r.single(o)
		a.number = ""
	}
	r.keep(a)
}

// wrapsAnswer reports whether a key only says that it holds an answer: LinkedIn's {"textQuestionAnswer": {"answer":
// …}}.
func wrapsAnswer(key string) bool {
	var buf [64]byte
	w := appendName(buf[:0], key)
	switch string(w) {
	case "options", "text", "choices":
		return true
	}
	return itemParts[string(w)].part == valuePart || bytes.HasSuffix(w, []byte("answer"))
}

// texts reads a list of choices or a value made of parts. ok is false when it is neither.
func (r *reader) texts(value, holder *node, a *answer) (texts []string, ok bool) {
	if value.kind == isObject {
		if texts, ok = r.chosenByID(value, holder); ok {
			return texts, ok
		}
		if texts, ok = r.compound(value, a); ok {
			return texts, ok
		}
		if a.typ != choiceType && value.child("url") == nil && value.child("color") == nil {
			return nil, false
		}
		if a.wants(fieldCompany) {
			return nil, false // a company with its site is not a file
		}
		t, ok := r.choiceText(value, false)
		return r.single(t), ok && t != ""
	}
	for i := range value.children {
		k := &value.children[i]
		t := ""
		if k.scalar() {
			if t = r.optionText(holder, k); t == "" {
				t = scalarText(k)
			}
		} else if t, ok = r.choiceText(k, holder == nil); !ok {
			return nil, false
		}
		if t != "" {
			texts = append(texts, t)
		}
	}
	return texts, true
}

// optionsOf returns the choices that a field offers, or nil: Tally's options, HeyForm's properties.choices.
func optionsOf(holder *node) *node {
	if holder == nil {
		return nil
	}
	if options := holder.child("options"); options != nil {
		return options
	}
	if p := holder.child("properties"); p != nil && p.kind == isObject {
		return p.child("choices")
	}
	return nil
}

// chosenByID reads {"value": ["id of a choice"], "other": "…"}.
func (r *reader) chosenByID(value, holder *node) (texts []string, ok bool) {
	ids := value.child("value")
	if optionsOf(holder) == nil || ids == nil || !ids.scalarList() || len(value.children) > 2 {
		return nil, false
	}
	for i := range ids.children {
		id := &ids.children[i]
		t := r.optionText(holder, id)
		if t == "" {
			t = scalarText(id)
		}
		texts = append(texts, t)
	}
	if t := value.str("other"); t != "" {
		texts = append(texts, t)
	}
	return texts, true
}

// optionText returns the text of a choice that was sent as the id of an option of its field, or "".
func (r *reader) optionText(holder, value *node) string {
	options := optionsOf(holder)
	if options == nil {
		return ""
	}
	if options != r.options {
		r.options, r.optionTexts = options, textsByID(options)
	}
	t := r.optionTexts[value.text]
	if t != "" {
		r.drop("option id", value)
	}
	return t
}

// textsByID returns the texts of options by their ids; of several with one id the first counts.
func textsByID(options *node) map[string]string {
	texts := make(map[string]string, len(options.children))
	for i := range options.children {
		o := &options.children[i]
		if o.kind != isObject {
			continue
		}
		id := o.str("id")
		if id == "" || texts[id] != "" {
			continue
		}
		for _, k := range [...]string{"text", "label", "name", "title", "value"} {
			if t := o.str(k); t != "" {
				texts[id] = t
				break
			}
		}
	}
	return texts
}

// withOptionTexts replaces the ids of a table's rows and columns by their texts, where the form sends both.
func withOptionTexts(value node, holder *node) node {
	texts := map[string]string{}
	for _, side := range [...]string{"rows", "columns"} {
		list := holder.child(side)
		if list == nil {
			continue
		}
		for i := range list.children {
			if o := &list.children[i]; o.kind == isObject && o.str("id") != "" && o.str("text") != "" {
				texts[o.str("id")] = o.str("text")
			}
		}
	}
	if len(texts) == 0 || value.scalar() {
		return value
	}
	return replaceIDs(value, texts)
}

func replaceIDs(n node, texts map[string]string) node {
	if t := texts[n.key]; t != "" {
		n.key = t
	}
	if t := texts[n.text]; t != "" && n.kind == isString {
		n.text = t
	}
	n.children = slices.Clone(n.children)
	for i := range n.children {
		n.children[i] = replaceIDs(n.children[i], texts)
	}
	return n
}
