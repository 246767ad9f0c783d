package intake

import (
	"cmp"
	"strings"

	"fichario/domain/intake/fields"
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
	formName bool // it may be the form's name: any other name wins
	alias    bool // its name is not the contract's own name of the field
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
// means it. Beside the name of somebody else it is that person's.
func (a *answer) hasOwnName(b bid) bool {
	own := fieldNames[b.field]
	return own != "" && (a.key == own || a.title == own) && b.strength <= typeElsewhere && !a.another &&
		(a.prefix == "" || !a.saysNotTheirs())
}

// beats reports whether a score is better than another. Ties are left to the order of the walk: that of lists, and for
// keys one that does not depend on their arrival.
func (s score) beats(other score) bool {
	if s.formName != other.formName {
		return other.formName
	}
	if s.alias != other.alias {
		return other.alias
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
	waiting     []claim                            // names and phones: the best is known only once the e-mail is
	parents     []int32                            // of the records, by number; see reader.parents
	parts       [fieldCount - fieldFirst][]*answer // of a name or a phone, in order of arrival
	badEmail    claim                              // an e-mail field without an @
	besideEmail string                             // the name beside the e-mail address
}

// choose gives each field the best answer that claims it.
func (r *reader) choose(d *Draft) {
	c := &r.chooser
	c.band, c.answers, c.parents, c.waiting = r.opt.Band, r.answers, r.parents, c.firstTwo[:0]
	numbers := 0
	for i := range c.answers {
		if a := &c.answers[i]; a.typ == numberType && !a.closed {
			numbers++
		}
	}
	c.candidate = candidate{answers: c.answers, onlyNumber: numbers == 1, service: r.opt.Kind == FormService}
	for i := range c.answers {
		if a := &c.answers[i]; !a.closed && !a.taken && a.attr == "" {
			c.candidate.answer, c.candidate.found = a, findings{}
			c.place(&c.candidate)
		}
	}
	c.dropAccountUser()
	c.emailByLook()
	c.settle()
	c.phoneByLook()
	c.takeEmail(d, r.emptyEmail)
	c.takePhone(d)
	c.takeName(d)
	c.takeLine(d, fieldCompany, &d.Company)
	c.takeLine(d, fieldOrigin, &d.Origin)
	c.takeAmount(d)
	c.takeMessage(d)
}

// settle compares the names and phones; those of the record that gave the e-mail come first.
func (c *chooser) settle() {
	for _, w := range c.waiting {
		switch apart := c.apart(w.answer); {
		case w.answer.field == fieldPhone:
			w.score.away = apart
		case w.score.strength < weakName:
			w.score.apart = apart
		default:
			w.score.apart = notAround
		}
		c.best[w.answer.field].offer(w.answer, w.score)
	}
	c.waiting = c.waiting[:0]
}

// place asks the rules in their order what an answer would feed, and makes the first claim that its value can meet.
func (c *chooser) place(q *candidate) {
	for i := range rules {
		b := rules[i].bid(q)
		if b.field == noField || personal[b.field] && q.ofOurs() {
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
	if b.field == fieldName || b.field == fieldPhone {
		c.waiting = append(c.waiting, claim{a, s})
		return true
	}
	if b.field >= fieldFirst {
		part := &c.parts[b.field-fieldFirst]
		*part = append(*part, a)
	} else {
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
