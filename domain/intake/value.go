package intake

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// fill puts a value's texts into an answer and keeps it. holder is the object around the value, when that is a form's
// field. It returns false when the value is a tree that must be walked.
func (r *reader) fill(a *answer, value, holder *tree.Node) bool {
	if holder != nil && len(value.Children) == 1 {
		if only := value.First(); only.Kind == tree.Object && only.Child("currency") != nil {
			value = only // Podio's [{"value": "15000.0000", "currency": "BRL"}]
		}
	}
	for holder != nil && value.Kind == tree.Object {
		inner := wrappedAnswer(value)
		if inner == nil {
			break
		}
		if value.Child("options") != nil {
			holder = value
		}
		value = inner
	}
	if value.Scalar() {
		r.fillScalar(a, value, holder)
		return true
	}
	if r.listOfParts(a, value) {
		return true
	}
	texts, ok := r.texts(value, holder, a)
	if !ok {
		return false
	}
	a.values = texts
	if value.Kind == tree.Array && len(value.Children) == 1 && value.Children[0].Kind == tree.Number {
		a.number = value.Children[0].Text
	}
	r.keep(a)
	return true
}

// listOfParts reads a list that came as the answer to one question, and has an answer in each element.
func (r *reader) listOfParts(a *answer, value *tree.Node) bool {
	keys := partKeys(value)
	for i, key := range keys {
		part := answer{key: key, scope: a.scope}
		if t := tree.ScalarText(&value.Children[i]); t != "" {
			part.values = r.single(t)
		}
		part.prefix = ""
		r.keep(&part)
	}
	return keys != nil
}

func (r *reader) fillScalar(a *answer, value, holder *tree.Node) {
	a.logical = value.Kind == tree.Bool
	if value.Kind == tree.Number {
		a.number = value.Text
	}
	if t := tree.ScalarText(value); t != "" {
		a.values = r.single(t)
	}
	if o := r.optionText(holder, value); o != "" {
		a.values = r.single(o)
		a.number = ""
	}
	r.keep(a)
}

// wrappedAnswer returns the answer in an object that holds nothing else, but for what a field may have: Stripe's
// {"default_value": null, "maximum_length": 80, "value": …}. It returns nil for any other object.
func wrappedAnswer(n *tree.Node) *tree.Node {
	if len(n.Children) == 1 && wrapsAnswer(n.Children[0].Key) {
		return &n.Children[0]
	}
	if body := n.Child("body"); body != nil && n.Key == "choice" && n.Str("comment") == "" {
		return body // Survicate's
	}
	value := n.Child("value")
	if value == nil || !value.Scalar() || !slices.ContainsFunc(n.Children, limitsAnswer) {
		return nil
	}
	for i := range n.Children {
		if k := &n.Children[i]; k != value && !k.Empty() && partOf(k.Key).part != otherPart {
			return nil
		}
	}
	return value
}

// limitsAnswer reports whether a member only fields have: what they begin with, what they allow.
func limitsAnswer(k tree.Node) bool {
	switch k.Key {
	case "default_value", "maximum_length", "minimum_length", "currency":
		return true
	}
	return k.Key == "options" && k.Kind == tree.Array
}

// wrapsAnswer reports whether a key only says that it holds an answer: LinkedIn's {"textQuestionAnswer": {"answer":
// …}}.
func wrapsAnswer(key string) bool {
	var buf [64]byte
	w := names.Append(buf[:0], key)
	switch string(w) {
	case "options", "text", "choices":
		return true
	}
	return itemParts[string(w)].part == valuePart || bytes.HasSuffix(w, []byte("answer"))
}

// texts reads a list of choices or a value made of parts. ok is false when it is neither.
func (r *reader) texts(value, holder *tree.Node, a *answer) (texts []string, ok bool) {
	if value.Kind == tree.Object {
		if texts, ok = r.chosenByID(value, holder); ok {
			return texts, ok
		}
		if texts, ok = r.compound(value, a); ok {
			return texts, ok
		}
		if a.typ != choiceType && value.Child("url") == nil && value.Child("color") == nil {
			return nil, false
		}
		if a.wants(fieldCompany) {
			return nil, false // a company with its site is not a file
		}
		t, ok := r.choiceText(value, false)
		return r.single(t), ok && t != ""
	}
	for i := range value.Children {
		k := &value.Children[i]
		t := ""
		if k.Scalar() {
			if t = r.optionText(holder, k); t == "" {
				t = tree.ScalarText(k)
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

// optionsOf returns the choices that a field offers, or nil: Tally's options, HeyForm's properties.choices, ClickUp's
// type_config.options.
func optionsOf(holder *tree.Node) *tree.Node {
	if holder == nil {
		return nil
	}
	if options := holder.Child("options"); options != nil {
		return options
	}
	if p := holder.Child("properties"); p != nil && p.Kind == tree.Object {
		return p.Child("choices")
	}
	if p := holder.Child("type_config"); p != nil && p.Kind == tree.Object {
		return p.Child("options")
	}
	return nil
}

// chosenByID reads {"value": ["id of a choice"], "other": "…"}.
func (r *reader) chosenByID(value, holder *tree.Node) (texts []string, ok bool) {
	ids := value.Child("value")
	if optionsOf(holder) == nil || ids == nil || !ids.ScalarList() || len(value.Children) > 2 {
		return nil, false
	}
	for i := range ids.Children {
		id := &ids.Children[i]
		t := r.optionText(holder, id)
		if t == "" {
			t = tree.ScalarText(id)
		}
		texts = append(texts, t)
	}
	if t := value.Str("other"); t != "" {
		texts = append(texts, t)
	}
	return texts, true
}

// optionText returns the text of a choice that was sent as the id of an option of its field, or "".
func (r *reader) optionText(holder, value *tree.Node) string {
	options := optionsOf(holder)
	if options == nil {
		return ""
	}
	if options != r.options {
		r.options, r.optionTexts = options, textsByID(options)
	}
	t := r.optionTexts[value.Text]
	if t != "" {
		r.drop("option id", value)
	}
	return t
}

// textsByID returns the texts of options by their ids; of several with one id the first counts.
func textsByID(options *tree.Node) map[string]string {
	texts := make(map[string]string, len(options.Children))
	for i := range options.Children {
		o := &options.Children[i]
		if o.Kind != tree.Object {
			continue
		}
		t := ""
		for _, k := range [...]string{"text", "label", "name", "title", "value"} {
			if t = o.Str(k); t != "" {
				break
			}
		}
		for _, id := range [...]string{cmp.Or(o.Str("id"), o.Str("value")), o.Str("orderindex")} {
			if id != "" && texts[id] == "" {
				texts[id] = t
			}
		}
	}
	return texts
}

// withOptionTexts replaces the ids of a table's rows and columns by their texts, where the form sends both.
func withOptionTexts(value tree.Node, holder *tree.Node) tree.Node {
	texts := map[string]string{}
	for _, side := range [...]string{"rows", "columns"} {
		list := holder.Child(side)
		if list == nil {
			continue
		}
		for i := range list.Children {
			if o := &list.Children[i]; o.Kind == tree.Object && o.Str("id") != "" && o.Str("text") != "" {
				texts[o.Str("id")] = o.Str("text")
			}
		}
	}
	if len(texts) == 0 || value.Scalar() {
		return value
	}
	return replaceIDs(value, texts)
}

func replaceIDs(n tree.Node, texts map[string]string) tree.Node {
	if t := texts[n.Key]; t != "" {
		n.Key = t
	}
	if t := texts[n.Text]; t != "" && n.Kind == tree.String {
		n.Text = t
	}
	n.Children = slices.Clone(n.Children)
	for i := range n.Children {
		n.Children[i] = replaceIDs(n.Children[i], texts)
	}
	return n
}

// Values that say themselves what they are: "Nome: Ana Lima" under "linha1" or in a list, "Tel: (11) 98765-4321" under
// "telefone".

// labelIn returns the label before a value of one line, and what follows it.
func labelIn(value string) (label, rest string, ok bool) {
	end := tree.TitleEnd(value)
	if end == 0 || strings.IndexByte(value, '\n') >= 0 {
		return "", "", false
	}
	label, rest = strings.Trim(value[:end], " *-•"), strings.TrimLeft(value[end+1:], " *")
	return label, rest, rest != "" && hasWord(label)
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
