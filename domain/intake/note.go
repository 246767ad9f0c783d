package intake

import (
	"slices"
	"strings"

	"fichario/domain/text"
)

// longEnough is the length from which equal texts are the same answer, whatever their keys: nobody writes a sentence twice by chance.
const longEnough = 20

// leave puts into the leftover what no field took: each answer once, with the best title.
func (r *reader) leave(d *Draft) {
	var labelled map[string]bool
	if r.labelled {
		labelled = make(map[string]bool, len(r.answers))
		for i := range r.answers {
			if a := &r.answers[i]; a.labelled {
				labelled[likeness(a.text())] = true
			}
		}
	}
	var kept []*answer
	for i := range r.answers {
		if a := &r.answers[i]; !a.taken && (a.attr == "" || !d.attributeOnce(a, a.text())) {
			kept = append(kept, a)
		}
	}
	slices.SortStableFunc(kept, func(a, b *answer) int { return a.concern() - b.concern() })
	var seen, have map[string]bool
	for _, a := range kept {
		text := a.text()
		if r.inField(d, a, text) {
			continue
		}
		if len(a.values) > 2 && !a.labelled && have == nil {
			have = make(map[string]bool, len(r.answers))
			for i := range r.answers {
				have[likeness(r.answers[i].text())] = true
			}
		}
		if len(a.values) > 2 && !a.labelled && copies(a, have) {
			for _, v := range a.values {
				r.drop("mirror", &node{kind: isString, text: v})
			}
			continue
		}
		if r.labelled && !a.labelled && labelled[likeness(text)] && mirrors(a, text) {
			r.drop("mirror", nil)
			continue
		}
		label := a.label()
		if seen == nil {
			seen = make(map[string]bool, len(r.answers))
		}
		key := nameOf(label) + "\x00" + likeness(text)
		if seen[key] {
			continue
		}
		seen[key] = true
		if a.field != noField {
			// A second phone under two keys is one phone.
			if key = fieldNames[a.field] + "\x00\x00" + likeness(text); seen[key] {
				continue
			}
			seen[key] = true
		}
		d.Leftover = append(d.Leftover, Pair{label, text})
	}
}

// concern is the place of an answer in the note: what a person was asked, what came with it, how it came here, what is about something else.
func (a *answer) concern() int {
	switch {
	case a.asked:
		return 0
	case a.closed:
		return 3
	case a.attr != "":
		return 2
	case a.labelled:
		return 0
	}
	return 1
}

// copies reports whether a list holds nothing but what other answers say: the row of a sheet beside its cells.
func copies(list *answer, have map[string]bool) bool {
	for _, v := range list.values {
		if !have[likeness(v)] && (countDigits(v) < 12 || !strings.Contains(v, "/") || !strings.Contains(v, ":")) {
			return false
		}
	}
	return true
}

// mirrors reports whether an answer under a technical key that says what a titled one says is surely its copy. A short "Sim" under a key
// that means something may be the answer to another question.
func mirrors(a *answer, text string) bool {
	return len(text) >= 8 || strings.HasPrefix(a.key, "field:") || opaque(a.key)
}

// attributeOnce adds an answer to the attribution, and reports whether the note can do without it: click ids tell a person nothing.
func (d *Draft) attributeOnce(a *answer, raw string) bool {
	d.attribute(a.attr, text.OneLine(raw))
	switch a.attr {
	case "page_url", "landing_url", "referrer", "platform":
		return false
	}
	return !strings.HasPrefix(a.attr, "utm_") && d.attributionText(a.attr) == raw
}

// inField reports whether a field that the answer might have fed already says the same.
func (r *reader) inField(d *Draft, a *answer, raw string) bool {
	switch a.field {
	case fieldEmail:
		return strings.EqualFold(raw, d.Email)
	case fieldPhone:
		return samePhone(raw, d)
	case fieldCompany:
		return likeness(raw) == likeness(d.Company)
	case fieldOrigin:
		return likeness(raw) == likeness(d.Origin)
	case fieldMessage:
		return likeness(raw) == likeness(d.Message)
	case fieldName, fieldFirst, fieldLast:
		return d.Name != "" && containsWords(likeness(d.Name), likeness(raw))
	case fieldArea, fieldCountry:
		return strings.HasPrefix(text.Digits(d.Phone), text.Digits(raw)) && countDigits(raw) > 0
	case fieldAmount:
		n, ok := ParseAmount(raw)
		if a.counted {
			n, ok = a.amount, a.isAmount
		}
		return ok && n == d.Amount && r.taken(fieldAmount)
	}
	if d.Email != "" && strings.EqualFold(raw, d.Email) {
		return true
	}
	if a.closed {
		return false
	}
	// A copy under a key that says nothing: Netlify's summary, a mirror without titles.
	if len(raw) >= longEnough && likeness(raw) == likeness(d.Message) {
		return true
	}
	if r.labelled && !a.labelled && mirrors(a, raw) {
		folded := likeness(raw)
		return folded == likeness(d.Name) || folded == likeness(d.Company) || countDigits(raw) >= 8 && samePhone(raw, d)
	}
	return false
}

// taken reports whether some answer fed a field.
func (r *reader) taken(f field) bool {
	for i := range r.answers {
		if a := &r.answers[i]; a.field == f && a.taken {
			return true
		}
	}
	return false
}

// samePhone compares digits, and the international forms where the country is written on one side only.
func samePhone(raw string, d *Draft) bool {
	if d.Phone == "" {
		return false
	}
	if text.Digits(raw) == text.Digits(d.Phone) {
		return countDigits(raw) > 0 && phoneLike(raw)
	}
	return d.PhoneE164 != "" && len(raw) <= maxPhone && phoneLike(raw) && e164(raw) == d.PhoneE164
}

// likeness is the form in which answers are told apart: folded, but a long text as it is, which is told apart by far less.
func likeness(s string) string {
	if len(s) > 2000 {
		return s
	}
	return text.Fold(s)
}

// containsWords reports whether part stands in whole, as whole words.
func containsWords(whole, part string) bool {
	return part != "" && strings.Contains(" "+whole+" ", " "+part+" ")
}

// Note is the text of the contact's note: the message, a line when the submission is a test, and the leftover, one question a line. It is
// "" when there is nothing to say.
func (d Draft) Note() string {
	var b strings.Builder
	b.WriteString(d.Message)
	section := func() {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
	}
	if d.Test {
		section()
		b.WriteString("Envio de teste: quem enviou marcou este contato como teste.")
	}
	if len(d.Leftover) > 0 {
		section()
	}
	for i, p := range d.Leftover {
		if i > 0 {
			b.WriteByte('\n')
		}
		title := strings.TrimRight(p.Key, ": ")
		if title == "" {
			title = "Campo sem nome"
		}
		b.WriteString(title)
		b.WriteByte(':')
		if !strings.Contains(p.Value, "\n") {
			b.WriteByte(' ')
			b.WriteString(p.Value)
			continue
		}
		for line := range strings.SplitSeq(p.Value, "\n") {
			b.WriteString("\n  ")
			b.WriteString(line)
		}
	}
	return b.String()
}
