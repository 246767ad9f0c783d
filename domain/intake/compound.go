package intake

import (
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// members are the members of an object, by the normal form of their keys.
type members map[string]*tree.Node

// membersOf returns the members; false when two share a name or there are too many for one answer.
func membersOf(n *tree.Node) (members, bool) {
	if len(n.Children) == 0 || len(n.Children) > 12 {
		return nil, false
	}
	m := make(members, len(n.Children))
	for i := range n.Children {
		m[names.Of(n.Children[i].Key)] = &n.Children[i]
	}
	return m, len(m) == len(n.Children)
}

// only reports whether all members are in a set, and scalar except for the lists of a choice.
func (m members) only(set map[string]bool) bool {
	for k, c := range m {
		list := c.Kind == tree.Array && (k == "labels" || k == "ids" || k == "refs")
		if !set[k] || !c.Scalar() && !list {
			return false
		}
	}
	return true
}

// have reports whether one of the members exists.
func (m members) have(keys ...string) bool {
	for _, k := range keys {
		if m[k] != nil {
			return true
		}
	}
	return false
}

// text returns the text of the first non-empty member.
func (m members) text(keys ...string) string {
	for _, k := range keys {
		if c := m[k]; c != nil && c.Scalar() && !c.Empty() {
			return tree.ScalarText(c)
		}
	}
	return ""
}

// compoundKind is a kind of answer that is sent in parts.
type compoundKind struct {
	name string
	// is reports whether the members are parts of an answer of the kind.
	is func(m members, a answer) bool
	// text joins the parts; "" says that the object must be walked instead.
	text func(m members) string
	// typ is the type of the answer, where the form has given it none.
	typ func(a answer) answerType
}

// compoundKinds are tried in order; the first that fits reads the answer.
var compoundKinds = []compoundKind{
	{name: "what something is called", is: isCalled, text: func(members) string { return "" }},
	{name: "phone in full", is: isFullPhone, text: func(m members) string { return m.text("full") }},
	{name: "name", is: isNameInParts, text: nameFromParts, typ: typeOfName},
	{name: "phone", is: isPhoneInParts, text: phoneFromParts, typ: func(answer) answerType { return phoneType }},
	{name: "date", is: isDateInParts, text: dateFromParts},
	{name: "span of time", is: isSpan, text: spanFromParts},
}

// compound reads an object whose members make one answer: a name in two parts, a phone in three, a date, choices with
// "other".
func (r *reader) compound(n *tree.Node, a *answer) ([]string, bool) {
	m, ok := membersOf(n)
	if !ok {
		return nil, false
	}
	for _, kind := range compoundKinds {
		if !kind.is(m, *a) {
			continue
		}
		if kind.typ != nil && (a.typ == noType || a.typ == otherType) {
			a.typ = kind.typ(*a)
		}
		out := kind.text(m)
		if out == "" {
			return nil, false
		}
		a.mobile = mobileWords[names.Of(m.text("type", "tipo"))]
		for _, c := range m {
			if t := tree.ScalarText(c); t != "" && !strings.Contains(out, t) {
				r.drop("compound", c)
			}
		}
		return []string{out}, true
	}
	if m.only(choiceParts) && m.have("label", "labels") {
		return r.chosen(n, m)
	}
	return nil, false
}

// The parts of a name, in normal form.
var nameParts = names.Set(`
	first last middle prefix suffix firstname lastname middlename firstandlast full fullname givenname familyname surname
	nome sobrenome primeironome middleinitial`)

// isCalled: {"nome": …} is the name of something, and its key says of what.
func isCalled(m members, a answer) bool {
	return len(m) == 1 && m.have("nome") && m.only(nameParts) && !a.wants(fieldName) && !a.wants(fieldCompany)
}

// isFullPhone: {"full": …} alone is a name or a phone, and its key says which.
func isFullPhone(m members, a answer) bool {
	return m.only(phoneParts) && isNameInParts(m, a) && a.wants(fieldPhone)
}

func isNameInParts(m members, a answer) bool {
	return m.only(nameParts) && (givenName(m) != "" || familyName(m) != "" || wholeName(m) != "" && a.typ != phoneType)
}

func wholeName(m members) string { return m.text("firstandlast", "full", "fullname") }

func givenName(m members) string {
	return m.text("first", "firstname", "givenname", "primeironome", "nome")
}

func familyName(m members) string {
	return m.text("last", "lastname", "familyname", "surname", "sobrenome")
}

func nameFromParts(m members) string {
	if whole := wholeName(m); whole != "" {
		return whole
	}
	middle := m.text("middle", "middlename", "middleinitial")
	return join(m.text("prefix"), givenName(m), middle, familyName(m), m.text("suffix"))
}

// typeOfName: {"empresa": {"nome": …}} is not a person's name.
func typeOfName(a answer) answerType {
	if e := lookup(a.key); e.field == noField || e.field == fieldName {
		return nameType
	}
	return a.typ
}

// The parts of a phone, in normal form.
var phoneParts = names.Set(`
	country countrycode ddi area areacode ddd phone number full phonenumber formatted national international iso code
	telefone numero extension raw e164 countryiso2 type tipo dialcode codigoarea codigodearea codigopais codigodopais pais
	num nro`)

func isPhoneInParts(m members, a answer) bool {
	return m.only(phoneParts) && (m.have("phone", "phonenumber", "telefone") || a.wants(fieldPhone))
}

// phoneFromParts joins the parts of a phone. A country is part of the number only when it is written in digits.
func phoneFromParts(m members) string {
	if full := m.text("full", "e164", "international", "formatted"); full != "" {
		return full
	}
	number := m.text("phone", "phonenumber", "number", "telefone", "numero", "num", "nro", "national", "raw")
	if number == "" {
		return ""
	}
	area := m.text("area", "areacode", "ddd", "codigoarea", "codigodearea")
	country := m.text("dialcode", "country", "countrycode", "ddi", "countryiso2", "iso", "codigopais", "codigodopais", "pais")
	digits := text.Digits(country)
	if nation := fields.Country(country); digits == "" && nation != "" && nation != brazil {
		if n := fields.E164In(area+number, nation); n != fields.E164(area+number) {
			return n
		}
	}
	inNumber := area == "" && strings.HasPrefix(text.Digits(number), digits) && names.CountDigits(number) > 11
	if digits == "" || len(country) > 5 || strings.HasPrefix(number, "+") || inNumber {
		country = ""
	}
	if area != "" && !strings.ContainsAny(area, "()") {
		area = "(" + area + ")"
	}
	return join(country, area, number)
}

var (
	dateParts = names.Set(`day month year hour min minute ampm timeinput dia mes ano`)
	spanParts = names.Set(`start end timezone`)
)

func isDateInParts(m members, _ answer) bool {
	return m.only(dateParts) && m.have("year", "ano") && m.have("month", "mes")
}

func dateFromParts(m members) string {
	date := m.text("day", "dia") + "/" + m.text("month", "mes") + "/" + m.text("year", "ano")
	date = strings.Join(strings.FieldsFunc(date, func(c rune) bool { return c == '/' }), "/")
	if hour := m.text("hour"); hour != "" {
		date = join(date, hour+":"+m.text("min", "minute"), m.text("ampm"))
	}
	return date
}

func isSpan(m members, _ answer) bool { return m.have("start") && m.only(spanParts) }

func spanFromParts(m members) string {
	span := m.text("start")
	if end := m.text("end"); end != "" {
		span += " – " + end
	}
	return span
}

// The parts of a choice, in normal form.
var choiceParts = names.Set(`label labels other id ids ref refs value`)

// chosen reads Typeform's choices: labels and "other".
func (r *reader) chosen(n *tree.Node, m members) ([]string, bool) {
	var out []string
	if l := m["labels"]; l != nil {
		for i := range l.Children {
			if !l.Children[i].Scalar() {
				return nil, false
			}
			if t := tree.ScalarText(&l.Children[i]); t != "" {
				out = append(out, t)
			}
		}
	}
	for _, k := range [...]string{"labels", "label", "other"} {
		if t := m.text(k); t != "" {
			out = append(out, t)
		}
	}
	for i := range n.Children {
		switch k := &n.Children[i]; names.Of(k.Key) {
		case "labels", "label", "other":
		default:
			r.drop("option id", k)
		}
	}
	return out, true
}

// choiceMember describes a member of an object that may be a choice.
type choiceMember struct {
	textRank int8 // 1: the words of the choice; 2: its words where there are no others; 0: no words
	names    bool // it says which choice it is
	answers  bool // it is also a name of an answer's value
}

// choiceMembers are the members that a choice may have, in normal form. "type" is one of them, see choiceOf.
var choiceMembers = map[string]choiceMember{
	"value": {textRank: 1, answers: true}, "answer": {textRank: 1, answers: true},
	"text": {textRank: 1}, "simpletext": {textRank: 1}, "label": {textRank: 1, names: true},
	"name": {textRank: 2, names: true}, "title": {textRank: 2, names: true},
	"id": {names: true}, "ref": {names: true}, "enum": {}, "enumid": {}, "choiceid": {}, "rowid": {}, "selected": {}, "order": {},
	"weight": {}, "color": {}, "type": {}, "enumcode": {},
}

// choiceText reads a choice that is an object: {label}, {id, text}, {value, enum}. In a list that is not an answer's
// value (bare), an object with both a name and a value is an answer instead of a choice.
func (r *reader) choiceText(n *tree.Node, bare bool) (string, bool) {
	if n.Kind != tree.Object {
		return "", false
	}
	text, from := fileText(n), (*tree.Node)(nil)
	if text == "" {
		if from = choiceOf(n, bare); from == nil {
			return "", false
		}
		text = tree.ScalarText(from)
	}
	for i := range n.Children {
		if k := &n.Children[i]; k != from {
			r.drop("furniture", k)
		}
	}
	return text, true
}

// fileText returns the note's text for a file, or for a piece of Notion's formatted text; "" for any other object.
func fileText(n *tree.Node) string {
	url := n.Str("url")
	if url != "" && (n.Child("name") != nil || n.Child("mimeType") != nil || n.Child("filename") != nil) {
		return join(n.Str("name"), n.Str("filename"), url)
	}
	if n.Child("annotations") != nil || n.Str("type") == "text" {
		return n.Str("plain_text")
	}
	return ""
}

// choiceOf returns the member that holds the words of a choice, or nil when the object is not one.
func choiceOf(n *tree.Node, bare bool) *tree.Node {
	if len(n.Children) > 8 {
		return nil
	}
	var best *tree.Node
	bestRank := int8(0)
	named, answered := false, false
	for i := range n.Children {
		k := &n.Children[i]
		if k.Empty() {
			continue
		}
		var buf [64]byte
		key := names.Append(buf[:0], k.Key)
		m, known := choiceMembers[string(key)]
		if !known || !k.Scalar() {
			return nil
		}
		if string(key) == "type" {
			t := typeOf(k.Text)
			m.names = t == emailType || t == phoneType
		}
		named = named || m.names
		answered = answered || m.answers
		if m.textRank > 0 && (best == nil || m.textRank < bestRank) {
			best, bestRank = k, m.textRank
		}
	}
	if bare && named && answered && n.Child("color") == nil {
		return nil
	}
	return best
}
