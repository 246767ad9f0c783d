package intake

import (
	"strings"

	"fichario/domain/text"
)

// Strengths of a claim: the lower wins, whatever the order of arrival.
const (
	byType     = 0  // the form says that the field is an e-mail, a phone …
	byAlias    = 10 // the key is one of the known names
	byTypeToo  = 12 // the type, on a webhook that is not for form products
	byTitle    = 20 // a word of the question
	byOnly     = 25 // the only number question
	byWeak     = 30 // a name that often means something else
	byEnvelope = 35 // a name that may be the form's
	byValue    = 40 // nothing but the look of the value
)

// Bounds of the fields, in characters. What is longer is no such thing and stays in the note.
const (
	maxEmail = 320
	maxLine  = 200
	maxPhone = 60
)

// claim is an answer that would feed a field.
type claim struct {
	index int // of the answer, -1 when there is none
	score int
}

// better reports whether a score beats the claim.
func (c claim) better(score int) bool { return c.index < 0 || score < c.score }

// chooser finds the best answer of each field.
type chooser struct {
	r       *reader
	best    [fieldCount]claim
	firsts  [fieldCount][]int // answers by part of a name or phone
	badMail claim             // an e-mail field without an @
	caller  string            // the name that the e-mail's answer gives beside the address
	numbers int               // how many number questions there are
}

// choose gives each field the best answer that claims it.
func (r *reader) choose(d *Draft) {
	c := chooser{r: r, badMail: claim{index: -1}}
	for f := range c.best {
		c.best[f].index = -1
	}
	for i := range r.answers {
		if a := &r.answers[i]; a.typ == numberType && !a.closed {
			c.numbers++
		}
	}
	for i := range r.answers {
		if a := &r.answers[i]; !a.closed && a.attr == "" {
			c.offer(i, a)
		}
	}
	c.byLook()
	c.email(d)
	c.phone(d)
	c.name(d)
	c.line(d, fieldCompany, &d.Company)
	c.line(d, fieldOrigin, &d.Origin)
	c.amount(d)
	c.message(d)
}

// offer finds what an answer claims, the surest first, and enters the first claim that its value can meet.
func (c *chooser) offer(i int, a *answer) {
	typed := byTypeToo
	if c.r.opt.Kind == FormService {
		typed = byType
	}
	if f := fieldOfType(a.typ); f != noField {
		penalty := 0
		if f == fieldPhone && !pocket(join(a.key, a.title)) {
			penalty = 5
		}
		if c.enter(i, a, f, typed, penalty) {
			return
		}
	}
	if v := a.values[0]; len(v) <= 5 && countDigits(v) > 1 && strings.Contains(nameOf(join(a.key, a.title)), "ddd") && c.enter(i, a, fieldArea, byAlias, 0) {
		return // "DDD Celular" beside "Celular"
	}
	if strings.IndexByte(a.title, '(') >= 0 || strings.IndexByte(a.key, '(') >= 0 {
		if f := partOfName(wordsOf(join(a.title, a.key))); f != noField && c.enter(i, a, f, byAlias, 0) {
			return // Gravity Forms: "Name (Last)"
		}
	}
	for n, name := range [2]string{a.title, a.key} {
		if name == "" || n == 1 && a.key == a.title {
			continue
		}
		entry, again, ok := c.named(a, name)
		if !ok {
			continue
		}
		strength, penalty := byAlias, int(10-entry.prefs)
		if again {
			penalty += 20
		}
		if entry.weak && (!a.stated || entry.field != fieldOrigin) {
			strength = byWeak
		}
		if c.enter(i, a, entry.field, strength, penalty) {
			return
		}
		if entry.weak && entry.field == fieldName && phoneLike(a.values[0]) && e164(a.values[0]) != "" && c.enter(i, a, fieldPhone, byWeak, penalty) {
			return // "contato" is a name or a number
		}
	}
	if f := c.numberedName(a); f != noField && c.enter(i, a, f, byAlias, 0) {
		return
	}
	title := a.title
	if title == "" {
		title = join(a.prefix, a.key)
	}
	if len(a.values) == 0 || plainKey(title) {
		return
	}
	w := wordsOf(title)
	if a.typ == numberType && c.number(i, a, w) {
		return
	}
	if len(w) < 2 {
		return
	}
	if f := partOfName(w); f != noField && c.enter(i, a, f, byTitle, 0) {
		return
	}
	for _, rule := range titleRules {
		if a.deal && (rule.field == fieldName || rule.field == fieldCompany) && a.title == "" {
			continue // what a deal or an order is called
		}
		if rule.field == fieldAmount && a.title == "" && a.prefix != "" && !speaksOf(wordsOf(a.key), rule.any) {
			continue // an object called "valor" is a value only by a member that says so
		}
		if !rule.hits(w) {
			continue
		}
		penalty := 0
		if rule.field == fieldPhone && !speaksOf(w, mobileWords) {
			penalty = 5
		}
		if (rule.field == fieldPhone || rule.field == fieldEmail) && speaksOf(w, houseWords) {
			penalty += 10
		}
		if c.enter(i, a, rule.field, byTitle, penalty) {
			return
		}
	}
	c.pricey(i, a, w)
}

// pricey offers a number under a key that speaks of an amount in English or of a total. Such keys hold cents as often as not, so only a number
// that shows its cents counts.
func (c *chooser) pricey(i int, a *answer, w []string) {
	if a.title != "" || len(a.values) > 1 || !speaksOf(w, priceWords) || speaksOf(w, feeWords) {
		return
	}
	v := a.values[0]
	if mark := strings.LastIndexAny(v, ".,"); mark > 0 && len(v)-mark > 1 && len(v)-mark <= 3 || speaksOf(w, centWords) {
		c.enter(i, a, fieldAmount, byWeak, 20)
	}
}

// pocket reports whether a title or key speaks of the phone that its owner carries.
func pocket(title string) bool { return speaksOf(wordsOf(title), mobileWords) }

// plainKey reports whether a key is one lower-case word, which no rule about titles can match.
func plainKey(key string) bool {
	for i := range len(key) {
		if key[i] < 'a' || key[i] > 'z' {
			return false
		}
	}
	return true
}

// named looks an answer's name up, in the company of the unknown objects around it: "name" inside "company" is "company name". What an
// e-mail or a phone is called is plain enough to count wherever it stands.
func (c *chooser) named(a *answer, name string) (entry, bool, bool) {
	if a.prefix == "" || name == a.title {
		return aliasOfEntry(a, name)
	}
	switch nameOf(name) {
	case "value", "text", "answer", "raw", "":
		if e, again, ok := aliasOf(a.prefix); ok {
			return e, again, ok
		}
	case "name", "nome":
		// An object that stands for an origin is called what the origin is called.
		thing := a.prefix[strings.LastIndexByte(a.prefix, ' ')+1:]
		if e, again, ok := aliasOf(thing); ok && e.field == fieldOrigin && (!e.weak || nameOf(thing) == "origin") {
			return e, again, ok
		}
	case "number", "numero", "address", "endereco":
		if e, again, ok := aliasOf(a.prefix); ok && (e.field == fieldPhone || e.field == fieldEmail) {
			return e, again, ok
		}
	}
	if e, again, ok := aliasOf(a.prefix + " " + name); ok {
		return e, again, ok
	}
	e, again, ok := aliasOfEntry(a, name)
	if !ok {
		return e, again, ok
	}
	switch e.field {
	case fieldEmail, fieldPhone, fieldFirst, fieldLast, fieldArea, fieldCountry:
		return e, again, true
	case fieldCompany:
		if a.deal && !e.weak {
			return e, again, true
		}
	case fieldAmount, fieldMessage, fieldOrigin:
		if a.deal {
			return e, again, true
		}
	}
	if outer, _, known := aliasOf(a.prefix); known && outer.field == e.field {
		return e, again, true // {"valor": {"amount": …}}
	}
	return entry{}, false, false
}

// aliasOfEntry is aliasOf for a name whose entry was looked up when it arrived.
func aliasOfEntry(a *answer, name string) (entry, bool, bool) {
	if a.entry.field != noField && (name == a.title || a.title == "") {
		return a.entry, false, true
	}
	if name == a.key && a.title == "" && plainKey(name) {
		return entry{}, false, false
	}
	return aliasOf(name)
}

func fieldOfType(t answerType) field {
	switch t {
	case emailType:
		return fieldEmail
	case phoneType:
		return fieldPhone
	case nameType:
		return fieldName
	}
	return noField
}

// number offers a number question for the value: its title speaks of money, or it is the only one and does not count anything.
func (c *chooser) number(i int, a *answer, title []string) bool {
	if speaksOf(title, incomeWords) {
		return false
	}
	if speaksOf(title, moneyWords) || strings.Contains(a.title, "R$") {
		return c.enter(i, a, fieldAmount, byAlias, 5)
	}
	return c.numbers == 1 && !speaksOf(title, countWords) && c.enter(i, a, fieldAmount, byOnly, 0)
}

// enter records a claim when the value can meet it.
func (c *chooser) enter(i int, a *answer, f field, strength, penalty int) bool {
	score := strength*1000 + min(a.rank, 20)*40 + penalty
	if hollow(a.values[0]) {
		return false
	}
	switch f {
	case fieldEmail:
		if strings.IndexByte(a.text(), '@') < 0 || findEmail(a.values) == "" {
			if strength < byTitle && c.badMail.better(score) {
				c.badMail = claim{i, score}
			}
			return false
		}
	case fieldPhone:
		v := text.OneLine(a.values[0])
		n := countDigits(v)
		if a.logical || n < 3 || !text.Within(v, maxPhone) || strings.IndexByte(v, '@') >= 0 || strength > byAlias && strength != byTypeToo && n < 8 ||
			strength >= byWeak && n > 13 {
			return false
		}
	case fieldName, fieldCompany, fieldOrigin, fieldFirst, fieldLast:
		if !c.line1(a, f, strength) {
			return false
		}
		if f == fieldName && strength < byWeak && (!hasLetterRune(a.text()) || strings.IndexByte(a.text(), '@') >= 0) {
			score += (byWeak - strength) * 1000 // it was sent as the name, and is it where nothing looks more like one
		}
		if f == fieldName && a.envelope != noEnvelope && a.title == "" && a.typ != nameType && bareName(a.key) {
			if a.envelope == formEnvelope {
				return false
			}
			score += (byEnvelope - byAlias) * 1000
		}
	case fieldAmount:
		if _, ok := c.amountOf(a); !ok {
			return false
		}
	case fieldArea:
		if n := countDigits(a.values[0]); len(a.values) > 1 || n < 2 || n > 3 || len(a.values[0]) > 6 {
			return false
		}
	case fieldCountry:
		if n := countDigits(a.values[0]); n < 1 || n > 3 || len(a.values[0]) > 5 || !phoneLike(a.values[0]) || strings.Trim(a.values[0], "+0 ") == "" {
			return false
		}
	case fieldMessage:
		if a.logical || isStamp(a.values[0]) || strength >= byWeak && !hasLetterRune(a.text()) {
			return false
		}
	}
	a.field = f
	if f >= fieldFirst {
		c.firsts[f] = append(c.firsts[f], i)
		return true
	}
	if c.best[f].better(score) {
		c.best[f] = claim{i, score}
	}
	return true
}

// bareName reports whether a key says "name" and nothing of whose.
func bareName(key string) bool {
	switch nameOf(key) {
	case "name", "nome", "nombre":
		return true
	}
	return false
}

// hollow reports whether a text is what a sender writes where it has nothing: the word of its language for that, or a variable that its
// template did not fill.
func hollow(s string) bool {
	if len(s) > 60 || strings.IndexByte("nNuU-{[$", s[0]) < 0 {
		return false
	}
	switch strings.ToLower(s) {
	case "null", "undefined", "nan", "none", "n/a", "-", "--", "[object object]":
		return true
	}
	return strings.HasPrefix(s, "{{") && strings.HasSuffix(s, "}}") || strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}") ||
		strings.HasPrefix(s, "[field ") && strings.HasSuffix(s, "]")
}

// line1 reports whether an answer can be a name, a company or an origin.
func (c *chooser) line1(a *answer, f field, strength int) bool {
	t := a.text()
	if a.logical || !text.Within(t, maxLine) || t == "" || len(t) < 6 && yesNo[text.Fold(t)] {
		return false
	}
	if strings.HasPrefix(t, "http://") || strings.HasPrefix(t, "https://") {
		return false
	}
	switch {
	case f == fieldName && strength < byTitle && a.title == "":
		return e164(t) == ""
	case f == fieldName || f == fieldFirst || f == fieldLast:
		return strings.IndexByte(t, '@') < 0 && (countDigits(t) == 0 || strength < byWeak && hasLetterRune(t)) &&
			(strength < byTitle || !strings.Contains(t, "\n"))
	case strength >= byWeak:
		return hasLetterRune(t) && !strings.Contains(t, "\n") && !looksURL(t) && strings.IndexByte(t, '@') < 0
	}
	return true
}

// yesNo are the answers to questions that only seem to ask for a name: "Tem empresa?".
var yesNo = words(`sim nao yes no si true false on off ok`)

func hasLetterRune(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' || s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// amountOf reads an answer as a value, once.
func (c *chooser) amountOf(a *answer) (int64, bool) {
	if !a.counted {
		a.counted = true
		a.amount, a.isAmount = c.readAmount(a)
	}
	return a.amount, a.isAmount
}

func (c *chooser) readAmount(a *answer) (int64, bool) {
	if a.logical || len(a.values) != 1 {
		return 0, false
	}
	if strings.Contains(strings.ToLower(a.key), "cent") && speaksOf(wordsOf(a.key), centWords) {
		n, ok := ParseAmount(a.values[0])
		return n / 100, ok && n%10000 == 0
	}
	if a.number != "" {
		return parseNumber(a.number)
	}
	if n, ok := ParseAmount(a.values[0]); ok {
		return n, true
	}
	a.isBand = true
	return bandAmount(a.values[0], c.r.opt.Band)
}

// source records where a field was read from.
func (c *chooser) source(d *Draft, f field, a *answer) {
	key := a.key
	if a.title != "" {
		key = a.title
	}
	if d.Fields == nil {
		d.Fields = make([]Source, 0, 8)
	}
	d.Fields = append(d.Fields, Source{fieldNames[f], text.Cut(text.OneLine(text.Clean(key)), maxKeyText)})
}

// winner returns the answer that a field takes, or nil.
func (c *chooser) winner(f field) *answer {
	if i := c.best[f].index; i >= 0 {
		return &c.r.answers[i]
	}
	return nil
}

func (c *chooser) phone(d *Draft) {
	a := c.winner(fieldPhone)
	if a == nil {
		a = c.bareNumber()
	}
	if a == nil {
		return
	}
	d.Phone = text.OneLine(a.values[0])
	if a.number != "" {
		d.Phone = plainNumber(a.number)
	}
	a.taken = len(a.values) == 1
	c.source(d, fieldPhone, a)
	if countDigits(d.Phone) <= 9 {
		for _, i := range c.firsts[fieldArea] {
			if area := &c.r.answers[i]; area.group == a.group {
				d.Phone = text.Digits(area.values[0]) + d.Phone
				area.taken = true
				break
			}
		}
	}
	for _, i := range c.firsts[fieldCountry] {
		if country := &c.r.answers[i]; country.group == a.group && countDigits(d.Phone) <= 11 && d.Phone[0] != '+' {
			d.Phone = "+" + strings.TrimLeft(text.Digits(country.values[0]), "0") + " " + d.Phone
			country.taken = true
		}
	}
	d.PhoneE164 = e164(d.Phone)
}

// bareNumber finds the number that only the area code beside it makes a phone.
func (c *chooser) bareNumber() *answer {
	areas := c.firsts[fieldArea]
	for _, i := range areas[:min(len(areas), 4)] { // of a thousand, none is the contact's
		for j := range c.r.answers {
			a := &c.r.answers[j]
			if a.group != c.r.answers[i].group || a.closed || a.field != noField || len(a.values) > 1 {
				continue
			}
			if n := countDigits(a.values[0]); n != 8 && n != 9 || !phoneLike(a.values[0]) {
				continue
			}
			switch nameOf(a.key) {
			case "numero", "number", "num":
				return a
			}
		}
	}
	return nil
}

func (c *chooser) line(d *Draft, f field, to *string) {
	if a := c.winner(f); a != nil {
		*to = text.OneLine(a.text())
		a.taken = true
		c.source(d, f, a)
	}
}

func (c *chooser) amount(d *Draft) {
	a := c.winner(fieldAmount)
	if a == nil {
		return
	}
	d.Amount, _ = c.amountOf(a)
	// A band's text says more than the number that was made of it.
	a.taken = !a.isBand
	c.source(d, fieldAmount, a)
}

func (c *chooser) message(d *Draft) {
	if a := c.winner(fieldMessage); a != nil {
		d.Message = strings.Join(a.values, "\n")
		a.taken = true
		c.source(d, fieldMessage, a)
	}
}
