package intake

import (
	"strings"

	"fichario/domain/text"
)

// The parts of an answer that is an object, in normal form.
var (
	nameParts = words(`first last middle prefix suffix firstname lastname middlename firstandlast full fullname givenname familyname surname
		nome sobrenome primeironome middleinitial`)
	phoneParts = words(`country countrycode ddi area areacode ddd phone number full phonenumber formatted national international iso code
		telefone numero extension raw e164 countryiso2 type tipo dialcode`)
	choiceParts = words(`label labels other id ids ref refs value`)
	dateParts   = words(`day month year hour min minute ampm timeinput dia mes ano`)
	spanParts   = words(`start end timezone`)
)

// compound reads an object whose members make one answer: a name in two parts, a phone in three, choices with "other", a date.
func (r *reader) compound(n *node, ans *answer) ([]string, bool) {
	if len(n.children) == 0 || len(n.children) > 12 {
		return nil, false
	}
	parts := make(map[string]*node, len(n.children))
	for i := range n.children {
		parts[nameOf(n.children[i].key)] = &n.children[i]
	}
	if len(parts) != len(n.children) {
		return nil, false
	}
	all := func(set map[string]bool) bool {
		for k, c := range parts {
			listed := c.kind == isArray && (k == "labels" || k == "ids" || k == "refs")
			if !set[k] || !c.scalar() && !listed {
				return false
			}
		}
		return true
	}
	text := func(keys ...string) string {
		for _, k := range keys {
			if c := parts[k]; c != nil && c.scalar() && !c.empty() {
				return scalarText(c)
			}
		}
		return ""
	}
	given := text("first", "firstname", "givenname", "primeironome", "nome")
	family := text("last", "lastname", "familyname", "surname", "sobrenome")
	var out string
	switch {
	case all(nameParts) && len(parts) == 1 && parts["nome"] != nil && !ans.wants(fieldName) && !ans.wants(fieldCompany):
		return nil, false // {"nome": …} is what something is called, and its key says what
	case all(nameParts) && (given != "" || family != "" || text("full", "fullname", "firstandlast") != "" && ans.typ != phoneType):
		if all(phoneParts) && ans.wants(fieldPhone) { // {full} alone is either
			out = text("full")
			break
		}
		if e := lookup(ans.key); (ans.typ == noType || ans.typ == otherType) && (e.field == noField || e.field == fieldName) {
			ans.typ = nameType // not {"empresa": {"nome": …}}
		}
		out = text("firstandlast", "full", "fullname")
		if out == "" {
			out = join(text("prefix"), given, text("middle", "middlename", "middleinitial"), family, text("suffix"))
		}
	case all(phoneParts) && (parts["phone"] != nil || parts["phonenumber"] != nil || parts["telefone"] != nil || ans.wants(fieldPhone)):
		if ans.typ == noType || ans.typ == otherType {
			ans.typ = phoneType
		}
		out = phoneOf(text)
	case all(dateParts) && (parts["year"] != nil || parts["ano"] != nil) && (parts["month"] != nil || parts["mes"] != nil):
		out = strings.Join(strings.FieldsFunc(text("day", "dia")+"/"+text("month", "mes")+"/"+text("year", "ano"), func(c rune) bool { return c == '/' }), "/")
		if h := text("hour"); h != "" {
			out = join(out, h+":"+text("min", "minute"), text("ampm"))
		}
	case all(spanParts) && parts["start"] != nil:
		out = text("start")
		if end := text("end"); end != "" {
			out += " – " + end
		}
	case all(choiceParts) && (parts["label"] != nil || parts["labels"] != nil):
		return r.chosen(n, parts, text)
	default:
		return nil, false
	}
	if out == "" {
		return nil, false
	}
	for _, c := range parts {
		if t := scalarText(c); t != "" && !strings.Contains(out, t) {
			r.drop("compound", c)
		}
	}
	return []string{out}, true
}

// phoneOf joins the parts of a phone. A country is part of the number only when it is digits.
func phoneOf(raw func(...string) string) string {
	if full := raw("full", "e164", "international", "formatted"); full != "" {
		return full
	}
	country := raw("dialcode", "country", "countrycode", "ddi")
	if len(text.Digits(country)) == 0 || len(country) > 5 {
		country = ""
	}
	area := raw("area", "areacode", "ddd")
	number := raw("phone", "phonenumber", "number", "telefone", "numero", "national", "raw")
	if number == "" {
		return ""
	}
	if country != "" && (strings.HasPrefix(number, "+") || area == "" && strings.HasPrefix(text.Digits(number), text.Digits(country)) && countDigits(number) > 11) {
		country = "" // it is in the number already
	}
	if area != "" && !strings.ContainsAny(area, "()") {
		area = "(" + area + ")"
	}
	return join(country, area, number)
}

// chosen reads Typeform's choices: labels and "other".
func (r *reader) chosen(n *node, parts map[string]*node, text func(...string) string) ([]string, bool) {
	var out []string
	if l := parts["labels"]; l != nil {
		for i := range l.children {
			if !l.children[i].scalar() {
				return nil, false
			}
			if t := scalarText(&l.children[i]); t != "" {
				out = append(out, t)
			}
		}
	}
	for _, k := range []string{"labels", "label", "other"} {
		if t := text(k); t != "" {
			out = append(out, t)
		}
	}
	for i := range n.children {
		switch k := &n.children[i]; nameOf(k.key) {
		case "labels", "label", "other":
		default:
			r.drop("option id", k)
		}
	}
	return out, true
}

// join joins what is not empty with spaces.
func join(parts ...string) string {
	out := ""
	for _, p := range parts {
		if p == "" {
			continue
		}
		if out != "" {
			out += " "
		}
		out += p
	}
	return out
}
