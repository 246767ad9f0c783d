package intake

import (
	"cmp"
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// collectLeftover fills the leftover with what no field took: each answer once, under its best title, in order of
// arrival.
func (r *reader) collectLeftover(d *Draft) {
	left := r.notTaken(d)
	slices.SortStableFunc(left, func(a, b *answer) int { return a.placeInNote() - b.placeInNote() })
	l := leftover{reader: r}
	left = slices.DeleteFunc(left, func(a *answer) bool {
		text := a.text()
		said := saying{text, likeness(text)}
		return r.saidByField(d, a, said) || l.isCopy(a, said) || l.isRepeated(a, said)
	})
	slices.SortStableFunc(left, func(a, b *answer) int {
		return cmp.Or(a.placeInNote()-b.placeInNote(), cmp.Compare(a.at, b.at))
	})
	if len(left) > 0 {
		d.Leftover = make([]Pair, len(left))
	}
	for i, a := range left {
		d.Leftover[i] = Pair{a.label(), a.text()}
	}
}

// saying is the text of an answer, and the form in which it is compared with others.
type saying struct{ text, likeness string }

// notTaken attributes the answers that say how the contact came here, and returns those that the note needs.
func (r *reader) notTaken(d *Draft) []*answer {
	var left []*answer
	var arrived []arrival
	for i := range r.answers {
		a := &r.answers[i]
		if a.taken {
			continue
		}
		pairs := len(d.Attribution)
		if a.attr == "" || !d.attributeOnce(a, a.text()) {
			left = append(left, a)
		}
		if len(d.Attribution) > pairs {
			arrived = append(arrived, arrival{a.attr, a.at})
		}
	}
	d.orderAttribution(arrived)
	return left
}

// placeInNote orders the note: what a person was asked, what came with it, how it came here, what is about something
// else.
func (a *answer) placeInNote() int {
	switch {
	case a.marks.has(asked):
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

// leftover finds the answers that repeat others. Its sets are made on demand.
type leftover struct {
	*reader
	titledTexts map[string]bool // the texts of answers with a question's title
	allTexts    map[string]bool // the texts of all answers
	kept        map[string]bool // the answers of the note
}

// isCopy reports whether an answer without a title repeats others: the row of a sheet beside its cells, or the answers
// again under technical keys.
func (l *leftover) isCopy(a *answer, said saying) bool {
	if a.labelled {
		return false
	}
	if len(a.values) > 2 {
		if l.allTexts == nil {
			l.allTexts = l.textsOf(func(*answer) bool { return true })
		}
		if onlySays(a, l.allTexts) {
			for _, v := range a.values {
				l.dropText("mirror", v)
			}
			return true
		}
	}
	if !l.labelled || !maybeMirror(a, said.text) {
		return false
	}
	if l.titledTexts == nil {
		l.titledTexts = l.textsOf(func(a *answer) bool { return a.labelled })
	}
	return l.titledTexts[said.likeness]
}

func (l *leftover) textsOf(which func(*answer) bool) map[string]bool {
	texts := make(map[string]bool, len(l.answers))
	for i := range l.answers {
		if a := &l.answers[i]; which(a) {
			texts[likeness(a.text())] = true
		}
	}
	return texts
}

// onlySays reports whether a list holds nothing but the texts of other answers and the time of the submission.
func onlySays(list *answer, texts map[string]bool) bool {
	for _, v := range list.values {
		stamp := names.CountDigits(v) >= 12 && strings.Contains(v, "/") && strings.Contains(v, ":")
		if !stamp && !texts[likeness(v)] {
			return false
		}
	}
	return true
}

// maybeMirror reports whether an answer under a technical key that repeats a titled one is surely its copy. A short
// "Sim" under a meaningful key may answer another question.
func maybeMirror(a *answer, said string) bool {
	return len(said) >= 8 || strings.HasPrefix(a.key, "field:") || saysNothing(a.key)
}

// isRepeated reports whether the note already has the answer, under its title or in its field: a second phone that came
// under two keys is one phone.
func (l *leftover) isRepeated(a *answer, said saying) bool {
	if a.closed && (fields.WholeAddress(said.text) || names.HasAny(names.Words(a.prefix), keeping)) {
		// The owner, the creator and the last editor of a record are usually one person.
		what := names.Of(a.key)
		if fields.WholeAddress(said.text) {
			what = ""
		}
		if l.repeats("\x00" + what + "\x00" + said.likeness) {
			return true
		}
	}
	if a.title == "" && a.prefix != "" && isQuestion(a.key) && l.kept[names.Of(a.key)+"\x00"+said.likeness] {
		return true // the questions and answers once more, in an object of their own
	}
	if l.repeats(names.Of(a.label()) + "\x00" + said.likeness) {
		return true
	}
	return a.field != noField && l.repeats(fieldNames[a.field]+"\x00\x00"+said.likeness)
}

// keeping are words for those who keep a record: createdBy, updated_by, owner.
var keeping = names.Set(`by owner organizer host calendar`)

func (l *leftover) repeats(key string) bool {
	if l.kept[key] {
		return true
	}
	if l.kept == nil {
		l.kept = make(map[string]bool, len(l.answers))
	}
	l.kept[key] = true
	return false
}

// saidByField reports whether a field that the answer might have fed already says the same.
func (r *reader) saidByField(d *Draft, a *answer, said saying) bool {
	switch a.field {
	case noField:
		return r.saidByAnyField(d, a, said)
	case fieldEmail:
		return strings.EqualFold(said.text, d.Email)
	case fieldPhone:
		return samePhone(said.text, d)
	case fieldCompany:
		return said.likeness == likeness(d.Company)
	case fieldOrigin:
		return said.likeness == likeness(d.Origin)
	case fieldMessage:
		return said.likeness == likeness(d.Message)
	case fieldName, fieldFirst, fieldLast:
		return d.Name != "" && containsWords(likeness(d.Name), said.likeness)
	case fieldArea, fieldCountry:
		return strings.HasPrefix(text.Digits(d.Phone), text.Digits(said.text)) && names.CountDigits(said.text) > 0
	}
	n, ok := fields.ParseAmount(said.text)
	if a.counted {
		n, ok = a.amount, a.isAmount
	}
	return ok && n == d.Amount && r.fed(fieldAmount)
}

// longEnough is the length from which equal texts count as the same answer, whatever their keys: nobody writes a
// sentence twice by chance.
const longEnough = 20

// saidByAnyField finds copies under keys that name no field: Netlify's summary, a mirror without titles.
func (r *reader) saidByAnyField(d *Draft, a *answer, said saying) bool {
	if d.Email != "" && strings.EqualFold(said.text, d.Email) {
		return true
	}
	if number, ok := strings.CutPrefix(said.text, "https://api.whatsapp.com/send?phone="); ok {
		number, _, _ = strings.Cut(number, "&")
		if samePhone(number, d) { // a chat with the contact
			r.dropText("noise", said.text)
			return true
		}
	}
	if a.closed {
		return false
	}
	if saidByDocument(d, a) {
		return true
	}
	if len(said.text) >= longEnough && said.likeness == likeness(d.Message) {
		return true
	}
	if !r.labelled || a.labelled || !maybeMirror(a, said.text) {
		return false
	}
	if said.likeness == likeness(d.Name) || said.likeness == likeness(d.Company) {
		return true
	}
	return names.CountDigits(said.text) >= 8 && samePhone(said.text, d)
}

// fed reports whether an answer fed a field.
func (r *reader) fed(f field) bool {
	return slices.ContainsFunc(r.answers, func(a answer) bool { return a.field == f && a.taken })
}

// samePhone compares digits, or the international forms where only one side has the country.
func samePhone(said string, d *Draft) bool {
	if d.Phone == "" {
		return false
	}
	digits := text.Digits(said)
	if digits == text.Digits(d.Phone) || len(digits) >= 10 && strings.HasSuffix(d.PhoneE164, digits) {
		return digits != "" && phoneLike(said)
	}
	return d.PhoneE164 != "" && len(said) <= fields.MaxPhone && phoneLike(said) && fields.E164(said) == d.PhoneE164
}

// likeness is the form in which answers are compared: folded, except that a long text is compared as it is, because
// chance matches are rare.
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

// Note returns the text of the contact's note: the message, a line when the submission is a test, and the leftover, one
// question per line. It is "" when there is nothing to say.
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

// NoteAnswers are the questions of a note with their answers, the last one of a question that has several: what Note
// wrote of the leftover, wherever it is in the note now. A line of the message that looks like a question with its
// answer counts; what says how the contact came here is none.
func NoteAnswers(note string) map[string]string {
	const longest = 300 // bytes of a question
	answers, lines := map[string]string{}, strings.Split(note, "\n")
	for len(lines) > 0 {
		question, answer, whole := strings.Cut(lines[0], ": ")
		begins := !whole && strings.HasSuffix(lines[0], ":")
		if lines = lines[1:]; begins {
			question = strings.TrimSuffix(question, ":")
			n := 0
			for n < len(lines) && strings.HasPrefix(lines[n], "  ") {
				lines[n] = lines[n][2:]
				n++
			}
			answer, lines = strings.Join(lines[:n], "\n"), lines[n:]
		}
		question = strings.TrimSpace(question)
		if question != "" && len(question) <= longest && strings.TrimSpace(answer) != "" &&
			attributionOf(lookup(question), question, answer) == "" {
			answers[question] = answer
		}
	}
	return answers
}
