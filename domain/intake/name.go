package intake

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// scoreOfName demotes a name that does not look like one, so that it counts only where nothing better was sent. A name
// that stands beside the answers is the form's, or the person's only when there is no other; under the contract's own
// name it is the person's, unless another one is and this reads like a title: "Formulário de contato".
func scoreOfName(a *answer, s score) (score, bool) {
	if s.strength < weakName && (!hasWord(a.text()) || strings.IndexByte(a.text(), '@') >= 0 || isFirm(a.text())) {
		s.strength, s.alias = weakName, true
	}
	own := !s.alias
	if a.envelope != noEnvelope && bareName(a.key) && isCode(a.text()) && names.HasAny(names.Words(a.text()), codeWords) {
		return s, false // the event: "phone.subscribe"
	}
	if a.envelope != noEnvelope && a.title == "" && a.typ != nameType && bareName(a.key) {
		s.formName = true
		s.alias = !own || strings.IndexByte(strings.TrimSpace(a.text()), ' ') > 0 && !likePerson(a.text())
	}
	return s, !s.formName || own || a.envelope != formEnvelope
}

// notAround is the distance of an answer from an e-mail whose record is not inside the answer's.
const notAround = 9

// apart returns how far an answer is from the record that gave the e-mail: 0 inside it, 1 in the record around it, and
// so on. A name there is the person's; elsewhere it may be that of a deal, a table or a page.
func (c *chooser) apart(a *answer) int8 {
	email := c.best[fieldEmail].answer
	if email == nil {
		return 0
	}
	levels := int8(0)
	for group := email.group; levels < notAround; group = c.parents[group-1] {
		if group == a.group {
			return levels
		}
		if group == 0 {
			break
		}
		levels++
	}
	return notAround
}

// bareName reports whether a key says "name" without saying whose.
func bareName(key string) bool {
	switch names.Of(key) {
	case "name", "nome", "nombre":
		return true
	}
	return false
}

// takeName takes the full name, or puts it together from its parts.
func (c *chooser) takeName(d *Draft) {
	full := c.best[fieldName].answer
	first, last := c.partsOfName(full)
	guess := full == nil || c.best[fieldName].score.strength >= weakName
	switch {
	case guess && first == nil && last == nil && c.takeNameOfOwner(d, full == nil):
	case full == nil && first == nil && last == nil:
		if c.takeNameBesideEmail(d); d.Name == "" {
			c.takeNameOfParent(d)
		}
	case full == nil || first != nil && c.prefersParts(full, first, last):
		takeParts(d, first, last)
	default:
		takeFullName(d, full, first, last)
	}
}

// takeNameBesideEmail takes the name that stands beside the address in the answer that holds the e-mail.
func (c *chooser) takeNameBesideEmail(d *Draft) {
	if c.besideEmail == "" || !text.Within(c.besideEmail, fields.MaxLine) || strings.IndexByte(c.besideEmail, '@') >= 0 {
		return
	}
	a := c.best[fieldEmail].answer
	d.Name = c.besideEmail
	a.taken = true
	d.take(fieldName, a)
}

// takeNameOfOwner takes what stands under the word for whoever has the address, and reports whether something does:
// "tutor" beside "tutor_email". Under a word that may as well be for a thing it must look like a person's name, and
// nothing else be the name of anybody.
func (c *chooser) takeNameOfOwner(d *Draft, nobodyElse bool) bool {
	email := c.best[fieldEmail].answer
	if email == nil {
		return false
	}
	owner := ownerIn(email.name())
	if owner == "" {
		return false
	}
	known := sideWords[owner] == leads || strangers[owner] || trades[owner] && !places[owner]
	if !known && (!nobodyElse || isThing(owner)) {
		return false
	}
	for i := range c.answers {
		a := &c.answers[i]
		if a.taken || a.group != email.group || !fitsPartOfName(c, a, weakName) {
			continue
		}
		named := known && names.Of(a.name()) == owner
		if !named && (a.field != noField || ownerIn(join(a.name(), "nome")) != owner || !likePerson(a.text())) {
			continue
		}
		d.Name = lineOf(a)
		a.taken = true
		d.take(fieldName, a)
		return true
	}
	return false
}

// isThing reports whether an owner is a word for what has a name and an address, and is no person.
func isThing(word string) bool {
	return places[word] || houseWords[word] || nameRule.none[word] || thingWords[word] || programsThings[word] ||
		thingsWithNames[word] || names.HasAny(names.Words(word), ofFirmNames) || companyByName(word)
}

// likePerson reports whether a text is written as the full name of a person: "Ana de Lima".
func likePerson(s string) bool {
	w := strings.Fields(s)
	if len(w) < 2 || len(w) > 7 || len(s) > 80 {
		return false
	}
	for i, word := range w {
		first, _ := utf8.DecodeRuneInString(word)
		particle := i > 0 && i < len(w)-1 && particles[word]
		if !particle && !unicode.IsUpper(first) || strings.ContainsFunc(word, notOfName) {
			return false
		}
	}
	return !isFirm(s) && !names.HasAny(names.Words(s), ofFirmNames)
}

func notOfName(c rune) bool { return !unicode.IsLetter(c) && !strings.ContainsRune("'’-.", c) }

// particles are the little words in names of people, ofFirmNames words in those of firms and places.
var (
	particles   = names.Set(`de da do das dos e di del della van von der la los y`)
	ofFirmNames = names.Set(`
		me sa mei cia loja lojas clinica escola colegio restaurante bar hotel pousada fazenda sitio empresa grupo
	 instituto associacao igreja construtora transportes comercio industria servicos condominio edificio rua
		avenida av travessa praca bairro jardim vila parque cidade estado`)
)

// takeNameOfParent takes the name of the only parent whom a post names, where the only other name is a child's.
func (c *chooser) takeNameOfParent(d *Draft) {
	var parent *answer
	child := false
	for i := range c.answers {
		a := &c.answers[i]
		w := names.Words(a.name())
		switch {
		case a.closed || a.taken || !names.HasAny(w, nameRule.any):
		case names.HasAny(w, pupils):
			child = true
		case names.HasAny(w, parents) && fitsPartOfName(c, a, weakName):
			if parent != nil {
				return
			}
			parent = a
		}
	}
	if parent != nil && child && !c.ofAnotherParent(parent) {
		d.Name = lineOf(parent)
		parent.taken = true
		d.take(fieldName, parent)
	}
}

// ofAnotherParent reports whether the key of the address has the word for a parent, and not this one's.
func (c *chooser) ofAnotherParent(a *answer) bool {
	email := c.best[fieldEmail].answer
	if email == nil {
		return false
	}
	its := relationIn(names.Words(email.name()))
	return parents[its] && its != relationIn(names.Words(a.name()))
}

// prefersParts reports whether the parts say more than what was sent as the full name, which may be a nickname or a
// word of a title.
func (c *chooser) prefersParts(full, first, last *answer) bool {
	switch {
	case !c.best[fieldName].score.alias, first.another && !full.another:
		return false
	case c.apart(first) < c.apart(full):
		return true
	}
	if strings.Contains(text.Fold(full.text()), text.Fold(first.text())) {
		return last != nil && c.guessedName()
	}
	return last != nil || c.guessedName()
}

// guessedName reports whether no key or type said outright that it is a name.
func (c *chooser) guessedName() bool {
	s := c.best[fieldName].score
	return s.formName || s.strength >= titleWord
}

func takeParts(d *Draft, first, last *answer) {
	d.Name = join(lineOf(first), lineOf(last))
	if !text.Within(d.Name, fields.MaxLine) {
		d.Name = lineOf(first)
		last = nil
	}
	for _, p := range [...]*answer{first, last} {
		if p != nil {
			p.taken = true
			d.take(fieldName, p)
		}
	}
}

// takeFullName takes the full name. "Nome" beside "Sobrenome" is the first name only.
func takeFullName(d *Draft, full, first, last *answer) {
	d.Name = text.OneLine(full.text())
	full.taken = true
	d.take(fieldName, full)
	folded := text.Fold(d.Name)
	firstOnly := true
	if first != nil {
		part := text.Fold(first.text())
		first.taken = first.taken || strings.Contains(folded, part)
		firstOnly = part == folded
	}
	if last == nil {
		return
	}
	switch {
	case strings.Contains(folded, text.Fold(last.text())):
		last.taken = true
	case last.group == full.group && firstOnly && text.Within(join(d.Name, last.text()), fields.MaxLine):
		d.Name = join(d.Name, lineOf(last))
		last.taken = true
		d.take(fieldName, last)
	}
}

// partsOfName finds the first and the last name that belong together: those of the full name's record, or of the first
// record with any.
func (c *chooser) partsOfName(full *answer) (first, last *answer) {
	group := int32(-1)
	if full != nil {
		group = full.group
	}
	first = c.nearest(fieldFirst, group)
	if first != nil && (full == nil || c.apart(first) < c.apart(full)) {
		group = first.group
	}
	last = c.nearest(fieldLast, group)
	if last != nil && first != nil && last.group != first.group {
		last = nil
	}
	return first, last
}

// nearest returns the part of a name nearest to the e-mail; among equals one of the group, then the one nearest to the
// contact.
func (c *chooser) nearest(f field, group int32) *answer {
	var best *answer
	for _, a := range c.partsOf(f) {
		if best == nil {
			best = a
			continue
		}
		order := cmp.Compare(c.apart(a), c.apart(best))
		if order == 0 && best.group != group && (a.group == group || a.rank < best.rank) {
			order = -1
		}
		if order < 0 {
			best = a
		}
	}
	return best
}

// lineOf is the text of an answer, in one line; "" for none.
func lineOf(a *answer) string {
	if a == nil {
		return ""
	}
	return text.OneLine(a.text())
}

// DisplayName returns the name that the contact gets: its own, else "Lead sem nome" or, for a form product, the part of
// its e-mail before the @ (specification, 2.5).
func (d Draft) DisplayName(k Kind) string {
	if d.Name != "" {
		return d.Name
	}
	if k == FormService {
		if local, _, ok := strings.Cut(d.Email, "@"); ok && strings.TrimSpace(local) != "" {
			return text.Cut(strings.TrimSpace(local), fields.MaxLine)
		}
	}
	return "Lead sem nome"
}

// partWords are the words for parts of a name: some suffice alone, others need a word for a name beside them.
var partWords = func() map[string]uint8 {
	m := map[string]uint8{}
	for part, list := range map[uint8]string{
		firstOf: `first primeiro primer given`, firstOf | alone: `firstname fname`,
		lastOf: `last ultimo family`, lastOf | alone: `sobrenome sobrenomes surname apellido apellidos lastname lname`,
	} {
		for w := range strings.FieldsSeq(list) {
			m[w] = part
		}
	}
	return m
}()

const (
	firstOf uint8 = 1 << iota
	lastOf
	alone
)

// partOfName tells the title of a first or last name from that of a full name: "Nome e sobrenome" asks for both.
func partOfName(title []string) field {
	part := uint8(0)
	for _, w := range title {
		part |= partWords[w]
	}
	if part == 0 || part&firstOf != 0 && part&lastOf != 0 || names.HasAny(title, nameRule.none) {
		return noField
	}
	whole := names.HasAny(title, nameRule.any)
	switch {
	case part&firstOf != 0 && (whole || part&alone != 0):
		return fieldFirst
	case part&lastOf != 0 && whole != (part&alone != 0):
		return fieldLast
	}
	return noField
}
