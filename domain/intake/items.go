package intake

import (
	"bytes"
	"slices"
	"strings"

	"fichario/domain/text"
)

// part says what a member is in an object that holds one answer.
type part uint8

const (
	unknownPart part = iota
	titlePart        // the question as a person reads it
	namePart         // the question's technical name
	valuePart        // the answer
	typePart         // the type of the field
	otherPart        // the furniture of a field: whether it is required, where it stands
)

// itemPart is what a member is, and its order among those of one kind.
type itemPart struct {
	part part
	rank int
}

// itemParts are the members of an answer's object, in normal form.
var itemParts = func() map[string]itemPart {
	m := map[string]itemPart{}
	for p, list := range itemWords {
		for i, w := range strings.Fields(list) {
			m[w] = itemPart{p, i}
		}
	}
	return m
}()

// itemWords are the members of each kind; the earlier counts before the later. "text" is in none: beside a question it is a part of the answer.
var itemWords = map[part]string{
	titlePart: `title label question questiontitle questiontext questionname columnname fieldlabel fieldtitle displayname humanlabel heading
		pergunta titulo rotulo q`,
	namePart: `name fieldname customkey key code columnid slug field id fieldid ref questionid property attribute param parameter variable
		campo chave nome fieldcode fieldidentifier alias`,
	valuePart: `value answer stringvalue values answers fieldvalue uservalue response resposta valor selectedoptions rawvalue textvalue answerdetails
		a normalizedvalue`,
	typePart: `type fieldtype questiontype inputtype element controltype family subtype tipo`,
	otherPart: `required options order position index visible properties description hidden group sublabel placeholder itemid enum enumid
		primary tag settings multiple uuid currency currencyvalue currencycode validations choices rows columns questionref questionindex
		versions ishidden optional short inline object`,
}

// places are the labels that say which of several mailboxes or phones a value is, and nothing of the question.
var places = words(`work home mobile main other primary personal trabalho casa celular comercial pessoal principal outro business default`)

// anatomy is an object taken apart as one answer.
type anatomy struct {
	title, name, value, typ *node
	extra                   []*node // members of no known kind
	also                    []*node // further values
}

// dissect takes an object apart. ok is false when it holds no value.
func dissect(n *node) (a anatomy, ok bool) {
	if n.kind != isObject || len(n.children) > 40 {
		return a, false
	}
	var ranks [otherPart + 1]int
	var found [otherPart + 1]*node
	for i := range n.children {
		k := &n.children[i]
		var buf [64]byte
		w := appendName(buf[:0], k.key)
		known := itemParts[string(w)]
		p, at := known.part, known.rank
		if p == otherPart || p == unknownPart || (p == titlePart || p == namePart || p == typePart) && k.empty() {
			if p == unknownPart && !k.empty() && (!k.scalar() || !noisySuffix(k.key, false)) {
				a.extra = append(a.extra, k)
			}
			continue
		}
		if p == valuePart && found[p] != nil && !k.empty() && !found[p].empty() {
			// Two answers to one question: the code and the words for it.
			lesser := k
			if at < ranks[p] {
				lesser = found[p]
			}
			a.also = append(a.also, lesser)
		}
		if found[p] == nil || at < ranks[p] && (p != valuePart || !k.empty()) || p == valuePart && found[p].empty() {
			found[p], ranks[p] = k, at
		}
	}
	a.title, a.name, a.value, a.typ = found[titlePart], found[namePart], found[valuePart], found[typePart]
	return a, a.value != nil
}

// labelOf returns the title and the technical name that an object gives, wherever the product puts them.
func (r *reader) labelOf(n *node, a anatomy) (title, name string) {
	text := func(c *node) string {
		if c != nil && c.kind == isObject {
			c = c.child("custom") // Stripe's label
		}
		if c != nil && (c.kind == isString || c.kind == isNumber) {
			return text.OneLine(text.Clean(c.text))
		}
		return ""
	}
	title, name = text(a.title), text(a.name)
	for _, holder := range []string{"question", "field", "settings"} {
		h := n.child(holder)
		if h == nil || h.kind != isObject {
			continue
		}
		for _, k := range []string{"title", "question_title", "label", "text", "name"} {
			if title == "" {
				title = h.str(k)
			}
		}
		for _, k := range []string{"id", "ref", "key", "question_id"} {
			if known := r.titles[h.str(k)]; title == "" && known != "" {
				title = known
			}
			if name == "" {
				name = h.str(k)
			}
		}
	}
	if title == "" {
		title = r.titles[name]
	}
	if title == "" && a.value != nil && a.value.key != "text" {
		title = n.str("text") // Jotform's API calls the label so
	}
	return title, name
}

// typeOfItem returns the type that an object gives its answer.
func typeOfItem(n *node, a anatomy) answerType {
	word := ""
	if a.typ != nil && a.typ.kind == isString {
		word = a.typ.text
	}
	for _, p := range [][2]string{{"field", "type"}, {"question", "question_type"}, {"question", "type"}} {
		if t := n.path(p[0]); t != nil && t.kind == isObject && t.str(p[1]) != "" {
			word = t.str(p[1])
		}
	}
	return typeOf(word)
}

// item reads an object as one answer. key is the member's own name, "" in an array.
func (r *reader) item(n *node, key string, s scope) bool {
	if n.kind != isObject {
		return false
	}
	if r.typedItem(n, key, s) {
		return true
	}
	a, ok := dissect(n)
	if !ok {
		if !s.closed && a.typ != nil && a.name != nil && (a.title != nil || n.child("text") != nil) && len(a.extra) <= 1 {
			// A question without an answer, or a heading: its name is nobody's.
			s.closed = true
			r.object(n, s)
			return true
		}
		return false
	}
	if a.value.key == "" {
		return false
	}
	title, name := r.labelOf(n, a)
	if n.str("objectTypeId") == "0-2" {
		name = join("company", name) // HubSpot: a property of the company, not of the person
	}
	if key != "" {
		if a.title != nil && lookup(key).tree == dealTree {
			return false // a deal with a title and a value
		}
		// Under a name of its own, {name, value} is a record, and {value} or {title, type, value} is an answer.
		if a.title == nil && a.typ == nil && a.name != nil && bareName(a.name.key) || len(a.extra) > 0 {
			return false
		}
		if title == "" || places[nameOf(title)] {
			title = ""
		}
		name = key
	} else {
		if title == "" && name == "" && len(a.extra) == 0 && a.typ != nil && a.typ.kind == isString {
			// A list of means of contact: {type: email, value: …}.
			if e, _, ok := aliasOf(a.typ.text); ok && (e.field == fieldEmail || e.field == fieldPhone) {
				name = a.typ.text
			}
		}
		if title == "" && name == "" || len(a.extra) > 0 && a.typ == nil && a.title == nil {
			return false
		}
		if title == "" && a.name != nil && a.name.kind != isString && a.typ == nil {
			return false
		}
		if places[nameOf(title)] || title == "" && places[nameOf(name)] {
			if e, _, ok := aliasOf(s.prefix); ok && (e.field == fieldEmail || e.field == fieldPhone) {
				title, name, s.prefix = "", s.prefix, ""
			}
		}
	}
	ans := answer{key: name, title: title, labelled: title != "", typ: typeOfItem(n, a), scope: s}
	if ans.title == "" && key == "" {
		ans.labelled = a.typ != nil // a name beside a type is what a form calls its field
	}
	if key == "" || title != "" {
		ans.prefix = ""
	}
	if !r.fill(&ans, a.value, n) {
		if a.title == nil && a.typ == nil || ans.label() == "" {
			return false
		}
		// An answer for certain, of a shape that is not: it is kept under its title, and feeds no field.
		ans.values = nil
		whole := spelled(*a.value, n)
		whole.key = ans.label()
		s.prefix = ""
		s.closed, s.asked = true, true
		r.member(&whole, s)
	}
	for i := range n.children {
		if k := &n.children[i]; k != a.value && !slices.Contains(a.extra, k) && !slices.Contains(a.also, k) {
			r.drop("furniture", k)
		}
	}
	for _, e := range append(a.extra, a.also...) {
		if r.repeats(e, ans.text()) || scalarText(e) == title && title != "" {
			r.drop("mirror", e)
			continue
		}
		sub := s.within(ans.label(), closedTree)
		sub.asked = ans.labelled
		r.member(e, sub)
	}
	return true
}

// repeats reports whether a member says again what the answer beside it says: WPForms repeats the parts of a name and the number of a price,
// Elementor the choices.
func (r *reader) repeats(n *node, text string) bool {
	if n.scalarList() {
		for i := range n.children {
			if !r.repeats(&n.children[i], text) {
				return false
			}
		}
		return len(n.children) > 0
	}
	t := scalarText(n)
	if t == "" || strings.Contains(text, t) {
		return t != ""
	}
	one, isOne := ParseAmount(t)
	two, isTwo := ParseAmount(text)
	return isOne && isTwo && one == two
}

// spelled puts the texts of a table's rows and columns in place of their ids, where the form sends both.
func spelled(value node, holder *node) node {
	texts := map[string]string{}
	for _, side := range []string{"rows", "columns"} {
		if list := holder.child(side); list != nil {
			for i := range list.children {
				if o := &list.children[i]; o.kind == isObject && o.str("id") != "" && o.str("text") != "" {
					texts[o.str("id")] = o.str("text")
				}
			}
		}
	}
	if len(texts) == 0 || value.scalar() {
		return value
	}
	var spell func(n node) node
	spell = func(n node) node {
		if t := texts[n.key]; t != "" {
			n.key = t
		}
		if t := texts[n.text]; t != "" && n.kind == isString {
			n.text = t
		}
		n.children = slices.Clone(n.children)
		for i := range n.children {
			n.children[i] = spell(n.children[i])
		}
		return n
	}
	return spell(value)
}

// typedItem reads the shape in which the value stands under the name of its type: Typeform's answers, with the question under "field", and
// the fields of Notion and Stripe, with the question under "label" or around them.
func (r *reader) typedItem(n *node, key string, s scope) bool {
	typ, field := n.child("type"), n.child("field")
	if typ == nil || typ.kind != isString || field != nil && field.kind != isObject {
		return false
	}
	value := n.child(typ.text)
	if value == nil || value == typ || value == field {
		return false
	}
	var a anatomy
	if field == nil {
		if noisySuffix(typ.text, false) {
			return false
		}
		bare := *n
		bare.children = slices.DeleteFunc(slices.Clone(n.children), func(k node) bool { return k.key == typ.text || k.empty() })
		a, _ = dissect(&bare)
		if a.value != nil || len(a.extra) > 0 || a.typ == nil || key != "" && (a.title != nil || a.name != nil && nameOf(a.name.key) != "id") {
			return false
		}
	}
	title, name := r.labelOf(n, a)
	if field == nil && key != "" {
		title, name = "", key
	} else if field == nil && (title == "" || places[nameOf(title)]) {
		return false
	}
	ans := answer{key: name, title: title, labelled: title != "", typ: typeOf(typ.text), scope: s}
	if t := typeOf(field.str("type")); t != noType {
		ans.typ = t
	}
	ans.prefix = ""
	if !r.fill(&ans, value, n) {
		return false
	}
	for i := range n.children {
		if k := &n.children[i]; k != value {
			r.drop("furniture", k)
		}
	}
	return true
}

// fill puts a value's texts into an answer and keeps it. It says no when the value is a tree that must be walked.
func (r *reader) fill(ans *answer, value, holder *node) bool {
	for holder != nil && value.kind == isObject && len(value.children) == 1 && wraps(value.children[0].key) {
		value = &value.children[0]
	}
	if value.scalar() {
		if value.kind == isNumber {
			ans.number = value.text
		}
		if t := scalarText(value); t != "" {
			ans.values = r.one(t)
		}
		if o := r.option(holder, value); o != "" {
			ans.values = r.one(o)
			ans.number = ""
		}
		ans.logical = value.kind == isBool
		r.keep(ans)
		return true
	}
	texts, ok := r.texts(value, holder, ans)
	if !ok {
		return false
	}
	ans.values = texts
	if value.kind == isArray && len(value.children) == 1 && value.children[0].kind == isNumber {
		ans.number = value.children[0].text
	}
	r.keep(ans)
	return true
}

// wraps reports whether a name says no more than that an answer is in it: LinkedIn's {"textQuestionAnswer": {"answer": …}}.
func wraps(key string) bool {
	var buf [64]byte
	w := appendName(buf[:0], key)
	return itemParts[string(w)].part == valuePart || string(w) == "options" || string(w) == "text" || string(w) == "choices" || bytes.HasSuffix(w, []byte("answer"))
}

// option returns the text of a choice that came as the id of an option.
func (r *reader) option(holder, value *node) string {
	if holder == nil {
		return ""
	}
	options := holder.child("options")
	if options == nil {
		return ""
	}
	for i := range options.children {
		o := &options.children[i]
		if o.kind != isObject || o.str("id") == "" || o.str("id") != value.text {
			continue
		}
		for _, k := range []string{"text", "label", "name", "title", "value"} {
			if t := o.str(k); t != "" {
				r.drop("option id", value)
				return t
			}
		}
	}
	return ""
}

// texts reads a list of choices or a value that is made of parts. ok is false when it is neither.
func (r *reader) texts(value, holder *node, ans *answer) ([]string, bool) {
	if value.kind == isObject {
		if out, ok := r.compound(value, ans); ok || ans.typ != choiceType && value.child("url") == nil {
			return out, ok
		}
		t, ok := r.choiceText(value, false)
		return r.one(t), ok && t != ""
	}
	var out []string
	for i := range value.children {
		k := &value.children[i]
		if k.scalar() {
			t := scalarText(k)
			if o := r.option(holder, k); o != "" {
				t = o
			}
			if t != "" {
				out = append(out, t)
			}
			continue
		}
		t, ok := r.choiceText(k, holder == nil)
		if !ok {
			return nil, false
		}
		if t != "" {
			out = append(out, t)
		}
	}
	return out, true
}

// choiceText reads a choice that is an object: {label}, {id, text}, {value, enum}. In a list that is no answer's value (bare), one with both a
// name and a value is not a choice but an answer.
func (r *reader) choiceText(n *node, bare bool) (string, bool) {
	if n.kind != isObject {
		return "", false
	}
	whole := ""
	if url := n.str("url"); url != "" && (n.child("name") != nil || n.child("mimeType") != nil || n.child("filename") != nil) {
		whole = join(n.str("name"), n.str("filename"), url) // a file
	} else if n.child("annotations") != nil {
		whole = n.str("plain_text") // a piece of Notion's formatted text
	}
	if whole != "" {
		for i := range n.children {
			r.drop("furniture", &n.children[i])
		}
		return whole, true
	}
	if len(n.children) > 8 {
		return "", false
	}
	best, rank := (*node)(nil), 99
	named, valued := false, false
	for i := range n.children {
		k := &n.children[i]
		if k.empty() {
			continue
		}
		if !k.scalar() {
			return "", false
		}
		w := nameOf(k.key)
		named = named || w == "label" || w == "name" || w == "title" || w == "id"
		valued = valued || w == "value" || w == "answer"
		switch w {
		case "value", "answer", "text", "label", "simpletext":
			if rank > 0 && !k.empty() {
				best, rank = k, 0
			}
		case "name", "title":
			if rank > 1 && !k.empty() {
				best, rank = k, 1
			}
		case "type":
			t := typeOf(k.text)
			named = named || t == emailType || t == phoneType
		case "id", "ref", "enum", "enumid", "choiceid", "rowid", "selected", "order", "weight", "color":
		default:
			return "", false
		}
	}
	if best == nil || bare && named && valued {
		return "", false
	}
	for i := range n.children {
		if k := &n.children[i]; k != best {
			r.drop("furniture", k)
		}
	}
	return scalarText(best), true
}
