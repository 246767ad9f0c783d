package intake

import (
	"cmp"
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// strength is how sure a rule is that an answer belongs to a field: the lower wins, whatever the order of arrival.
type strength uint8

const (
	typeOnFormService  strength = iota // the form says that the field is an e-mail, a phone …
	knownName                          // the key is one of the known names
	typeElsewhere                      // the type, on a webhook that is not for form products
	titleWord                          // a word of the question
	onlyNumberQuestion                 // the only number question
	weakName                           // a name that often means something else
	lookOnly                           // only the look of the value
)

// bid is a rule's offer for an answer: the field that it would feed, and how surely. The zero value bids for nothing.
type bid struct {
	field    field
	strength strength
	penalty  int8 // breaks ties of strength and distance; the lower wins
}

// score is how good a claim is. Scores are compared field by field, in this order; the lower wins.
type score struct {
	alias    bool // its name is not the contract's own name of the field
	formName bool // it may be the form's name: any other name wins
	apart    int8 // of a name: its distance from the record that gave the e-mail
	strength strength
	distance int8 // the answer's distance from the contact
	penalty  int8
	copied   bool // it has no question's title, and may be a copy of one that has
	other    bool // no record of the lead holds it
	away     int8 // of a phone: its distance from the record that gave the e-mail
}

// maxDistance is the distance beyond which all count as equally far.
const maxDistance = 20

func scoreOf(a *answer, b bid) score {
	return score{
		alias: !a.hasOwnName(b), strength: b.strength, distance: int8(min(a.rank, maxDistance)), penalty: b.penalty,
		other: !a.lead, copied: !a.labelled,
	}
}

// hasOwnName reports whether the sender wrote exactly the contract's own name of the field, and a rule believes that it
// means it. Beside the name of somebody else it is that person's, inside a company the company's.
func (a *answer) hasOwnName(b bid) bool {
	own := fieldNames[b.field]
	return own != "" && (a.key == own || a.title == own) && b.strength <= typeElsewhere && !a.another && !a.aside &&
		(a.prefix == "" || !personal[b.field] && !a.saysNotTheirs())
}

// beats reports whether a score is better than another. Ties are left to the order of the walk: that of lists, and for
// keys one that does not depend on their arrival.
func (s score) beats(other score) bool {
	if s.alias != other.alias {
		return other.alias
	}
	if s.formName != other.formName {
		return other.formName
	}
	order := cmp.Or(
		cmp.Compare(s.apart, other.apart),
		cmp.Compare(s.strength, other.strength),
		cmp.Compare(s.distance, other.distance),
		cmp.Compare(s.penalty, other.penalty),
	)
	if order == 0 && s.copied != other.copied {
		return other.copied
	}
	if order == 0 && s.other != other.other {
		return other.other
	}
	return cmp.Or(order, cmp.Compare(s.away, other.away)) < 0
}

// claim is an answer that would feed a field. The zero value is no claim.
type claim struct {
	answer *answer
	score  score
}

// offer replaces the claim by a better one.
func (c *claim) offer(a *answer, s score) {
	if c.answer == nil || s.beats(c.score) {
		*c = claim{a, s}
	}
}

// chooser finds the best answer of each field.
type chooser struct {
	band        fields.Band
	answers     []answer
	candidate   candidate // the answer being placed
	best        [fieldFirst]claim
	firstTwo    [2]claim                           // backs waiting, unless there are more
	waiting     []claim                            // names, phones, companies: the best is known only once the e-mail is
	parents     []int32                            // of the records, by number; see reader.parents
	recordKeys  []string                           // see reader.recordKeys
	parts       [fieldCount - fieldFirst][]*answer // of a name or a phone, in order of arrival
	badEmail    claim                              // an e-mail field without an @
	besideEmail string                             // the name beside the e-mail address
	foreign     map[int32]bool                     // see foreignRecords; nil until it is asked for
	whose       *parties                           // see chooser.parties; nil until it is asked for
	addresses   int                                // one more than there are; 0 until it is asked for
}

// choose gives each field the best answer that claims it.
func (r *reader) choose(d *Draft) {
	c := &r.chooser
	c.band, c.answers, c.parents, c.waiting = r.opt.Band, r.answers, r.parents, c.firstTwo[:0]
	c.recordKeys = r.recordKeys
	numbers := 0
	for i := range c.answers {
		if a := &c.answers[i]; a.typ == numberType && !a.closed {
			numbers++
		}
	}
	c.candidate = candidate{
		answers: c.answers, onlyNumber: numbers == 1, service: r.opt.Kind == FormService, asksOurs: r.asksOurs(),
		emptyParts: r.emptyParts, relation: r.onlyRelation(), affixes: r.affixes(),
	}
	for i := range c.answers {
		if a := &c.answers[i]; !a.closed && !a.taken && a.attr == "" && i != r.mapped-1 {
			c.candidate.answer, c.candidate.found = a, findings{}
			c.place(&c.candidate)
		}
	}
	c.dropAccountUser()
	c.preferListed()
	c.emailByLook()
	r.emailByKey(c)
	c.settle()
	c.phoneByLook()
	c.takeEmail(d, r.emptyEmail)
	c.takePhone(d)
	c.takeName(d)
	c.takeLine(d, fieldCompany, &d.Company)
	c.takeFirmAround(d)
	r.dropMachineChannel(c)
	c.takeLine(d, fieldOrigin, &d.Origin)
	c.takeAmount(d)
	c.takeMessage(d)
	c.takeDocuments(d)
	c.takeFirmOfDocument(d)
	c.takeFirmByItsForm(d)
}

// settle compares the names, phones and companies; those of the record that gave the e-mail come first.
func (c *chooser) settle() {
	for _, w := range c.waiting {
		switch apart := c.apart(w.answer); {
		case c.ofAnother(w.answer),
			w.answer.field == fieldPhone && c.besideAnotherAddress(w.answer),
			w.answer.field == fieldName && w.score.strength == lookOnly && apart != 0:
			continue
		case w.answer.field == fieldCompany:
			if c.outsideLead(w.answer) && (w.score.strength >= weakName || c.leadApplies()) {
				continue
			}
		case w.answer.field == fieldPhone:
			c.scorePhone(&w, apart)
		case w.score.strength < weakName:
			w.score.apart = apart
			// The name beside the address is the lead's, though the record has a word for somebody else.
			if apart == 0 && !w.score.formName &&
				(w.answer.key == fieldNames[fieldName] || w.answer.title == fieldNames[fieldName]) {
				w.score.alias = false
			}
		case w.score.strength == lookOnly:
			w.score.apart = guessedDistance
		default:
			w.score.apart = notAround
		}
		c.best[w.answer.field].offer(w.answer, w.score)
	}
	c.waiting = c.waiting[:0]
	for i := range c.parts {
		c.parts[i] = slices.DeleteFunc(c.parts[i], c.ofAnother)
	}
}

// scorePhone ranks a phone by where it stands: beside the address it is surely the contact's, whatever a record calls
// it. One outside all records comes after it only where its key is for the house's.
func (c *chooser) scorePhone(w *claim, apart int8) {
	w.score.away = apart
	elsewhere := w.answer.prefix != "" || names.HasAny(names.Words(w.answer.key), houseWords)
	if email := c.best[fieldEmail].answer; email != nil && elsewhere {
		if its := c.recordAround(email); its != 0 && its != c.recordAround(w.answer) {
			w.score.apart = 1
		}
	}
	if apart == 0 && w.score.strength == titleWord && w.answer.title == "" && w.answer.group != 0 {
		w.score.strength, w.score.penalty = knownName, w.score.penalty+againPenalty
	}
}

// guessedDistance is how far a guess beside the address counts as being: nearer than what stands in another record.
const guessedDistance = 2

// place asks the rules in their order what an answer would feed, and makes the first claim that its value can meet.
func (c *chooser) place(q *candidate) {
	for i := range rules {
		b := rules[i].bid(q)
		if b.field == noField || personal[b.field] && q.ofOthers() {
			continue
		}
		if q.reopened {
			b.strength = max(b.strength, weakName)
		}
		if c.claim(q.answer, b) {
			return
		}
	}
}

// claim records a bid when the answer's value can meet it, and reports whether it can.
func (c *chooser) claim(a *answer, b bid) bool {
	if saysNone(a.values[0]) {
		return false
	}
	s := scoreOf(a, b)
	if !fits[b.field](c, a, b.strength) {
		if b.field == fieldEmail && b.strength < titleWord && !a.logical && !yesNo[text.Fold(a.values[0])] {
			c.badEmail.offer(a, s)
		}
		return false
	}
	if b.field == fieldName {
		var ok bool
		if s, ok = scoreOfName(a, s); !ok {
			return false
		}
	}
	a.field = b.field
	if b.field == fieldName || b.field == fieldPhone || b.field == fieldCompany {
		c.waiting = append(c.waiting, claim{a, s})
		return true
	}
	switch {
	case b.field >= fieldFirst:
		part := &c.parts[b.field-fieldFirst]
		*part = append(*part, a)
	case b.field == fieldEmail:
		c.offerEmail(a, s)
	default:
		c.best[b.field].offer(a, s)
	}
	return true
}

// partsOf returns the answers that are parts of a name or a phone.
func (c *chooser) partsOf(f field) []*answer { return c.parts[f-fieldFirst] }

// take records which answer fed a field.
func (d *Draft) take(f field, a *answer) {
	if d.Fields == nil {
		d.Fields = make([]Source, 0, 8)
	}
	d.Fields = append(d.Fields, Source{fieldNames[f], text.Cut(text.OneLine(text.Clean(a.name())), tree.MaxKeyText)})
}

// takeLine takes a one-line field.
func (c *chooser) takeLine(d *Draft, f field, to *string) {
	if a := c.best[f].answer; a != nil {
		*to = text.OneLine(a.text())
		a.taken = true
		d.take(f, a)
	}
}

func (c *chooser) takeMessage(d *Draft) {
	if a := c.best[fieldMessage].answer; a != nil {
		d.Message = strings.Join(a.values, "\n")
		a.taken = true
		d.take(fieldMessage, a)
	}
}

// fits tells, for each field, whether an answer's value can be it. The weaker the rule that bids, the more the value
// must look like it.
var fits = [fieldCount]func(c *chooser, a *answer, s strength) bool{
	fieldEmail:   fitsEmail,
	fieldPhone:   fitsPhone,
	fieldName:    fitsName,
	fieldFirst:   fitsPartOfName,
	fieldLast:    fitsPartOfName,
	fieldCompany: fitsLine,
	fieldOrigin:  fitsLine,
	fieldAmount:  func(c *chooser, a *answer, _ strength) bool { _, ok := c.amountOf(a); return ok },
	fieldMessage: fitsMessage,
	fieldArea:    fitsArea,
	fieldCountry: fitsCountry,
}

func fitsEmail(_ *chooser, a *answer, _ strength) bool {
	return strings.IndexByte(a.text(), '@') >= 0 && fields.FindEmail(a.values) != ""
}

func fitsPhone(_ *chooser, a *answer, s strength) bool {
	v := text.OneLine(a.values[0])
	n := names.CountDigits(v)
	switch {
	case a.logical || n < 3 || !text.Within(v, fields.MaxPhone) || strings.IndexByte(v, '@') >= 0:
		return false
	case s >= titleWord && (n < 8 || !phoneLike(v)):
		return false
	}
	return s < weakName || n <= 13
}

// isLine reports whether an answer is one line that names a person or thing, and not the answer to a question that only
// seems to ask for a name: "Tem empresa?".
func isLine(a *answer) bool {
	t := a.text()
	if a.logical || t == "" || !text.Within(t, fields.MaxLine) || len(t) < 6 && yesNo[text.Fold(t)] {
		return false
	}
	return !strings.HasPrefix(t, "http://") && !strings.HasPrefix(t, "https://")
}

var yesNo = names.Set(`sim nao yes no si true false on off ok`)

// fitsName: whatever stands under a key for names is a name, unless it is a phone.
func fitsName(c *chooser, a *answer, s strength) bool {
	if s < titleWord && a.title == "" {
		return isLine(a) && (!phoneLike(a.text()) || fields.E164(a.text()) == "")
	}
	return fitsPartOfName(c, a, s)
}

func fitsPartOfName(_ *chooser, a *answer, s strength) bool {
	t := a.text()
	switch {
	case !isLine(a) || strings.IndexByte(t, '@') >= 0:
		return false
	case names.CountDigits(t) > 0 && (s >= weakName || !hasWord(t)):
		return false
	}
	return s < titleWord || !strings.Contains(t, "\n")
}

// fitsLine: a company or an origin.
func fitsLine(_ *chooser, a *answer, s strength) bool {
	if !isLine(a) {
		return false
	}
	t := a.text()
	if s >= weakName && a.field == noField && machineChannels[t] {
		return false
	}
	return s < weakName ||
		hasWord(t) && !strings.Contains(t, "\n") && !looksURL(t) && !strings.HasPrefix(t, "urn:") && strings.IndexByte(t, '@') < 0
}

// machineChannels are the words by which a program names its own kind.
var machineChannels = names.Set(`
	web api app mobile server desktop browser chat email pos iphone android ios rest webhook integration checkout`)

// sourceWords are in the keys under which programs do so; whoever is asked "Como nos conheceu?" may say "web" too.
var sourceWords = names.Set(`source channel`)

// dropMachineChannel leaves the origin to the UTMs and the pages where a program names its own kind as the source.
func (r *reader) dropMachineChannel(c *chooser) {
	a := c.best[fieldOrigin].answer
	ofProgram := a != nil && a.title == "" && names.HasAny(names.Words(a.key), sourceWords)
	if !ofProgram || !machineChannels[text.Fold(a.text())] {
		return
	}
	if slices.ContainsFunc(c.answers, func(a answer) bool {
		ofPage := a.attr == "landing_url" || a.attr == "page_url"
		return a.attr == "utm_source" || ofPage && strings.Contains(a.values[0], "utm_source=")
	}) {
		a.taken, c.best[fieldOrigin] = true, claim{}
		r.dropText("noise", a.text())
	}
}

func fitsMessage(_ *chooser, a *answer, s strength) bool {
	return !a.logical && !isStamp(a.values[0]) && !machineID(a.text()) && (s < weakName || hasWord(a.text()))
}

func fitsArea(_ *chooser, a *answer, _ strength) bool {
	n := names.CountDigits(a.values[0])
	return len(a.values) == 1 && (n == 2 || n == 3) && len(a.values[0]) <= 6
}

func fitsCountry(_ *chooser, a *answer, _ strength) bool {
	v := a.values[0]
	n := names.CountDigits(v)
	return len(a.values) == 1 && n >= 1 && n <= 3 && len(v) <= 5 && phoneLike(v) && strings.Trim(v, "+0 ") != ""
}

// hasWord reports whether a text has a letter.
func hasWord(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' || s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// saysNone reports whether a text is what a sender writes where it has nothing: its language's word for that, or a
// variable that its template did not fill.
func saysNone(s string) bool {
	if s == "" || len(s) > 60 || strings.IndexByte("nNuU-{[$*%#<", s[0]) < 0 {
		return false
	}
	switch strings.ToLower(s) {
	case "null", "undefined", "nan", "none", "n/a", "-", "--", "[object object]", "undefined undefined", "null null":
		return true
	}
	return slices.ContainsFunc(unfilled, func(mark unfilledMark) bool { return mark.around(s) })
}

// unfilledMark is how a template writes a variable. The marks of a bare one also occur in what people write, so they
// must enclose a single word of the letters that keys have.
type unfilledMark struct {
	opening, closing string
	bare             bool
}

// unfilled are the marks of Mustache and its kind, JavaScript, Contact Form 7, Elementor, Mailchimp, ActiveCampaign and
// Salesforce.
var unfilled = []unfilledMark{
	{opening: "{{", closing: "}}"}, {opening: "${", closing: "}"}, {opening: "[field ", closing: "]"},
	{opening: "*|", closing: "|*"}, {opening: "%%", closing: "%%"}, {opening: "<%", closing: "%>"},
	{opening: "[", closing: "]", bare: true}, {opening: "{", closing: "}", bare: true},
	{opening: "%", closing: "%", bare: true}, {opening: "##", closing: "##", bare: true},
	{opening: "#", closing: "#", bare: true},
}

func (m unfilledMark) around(s string) bool {
	rest, opened := strings.CutPrefix(s, m.opening)
	name, closed := strings.CutSuffix(rest, m.closing)
	if !opened || !closed || name == "" {
		return false
	}
	return !m.bare || hasWord(name) && !strings.ContainsAny(name, " []{}%#,;/")
}

// machineID reports whether a text is an id rather than what somebody wrote: a long word of letters and many digits.
func machineID(s string) bool {
	const ofID = "0123456789abcdefghijklmnopqrstuvwxyz-_"
	return len(s) >= 20 && len(s) <= 64 && names.CountDigits(s) >= 6 && strings.Trim(strings.ToLower(s), ofID) == ""
}
