package intake

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"fichario/domain/document"
	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// Of several addresses, no list of words can say whose each is: "proponente" and "parceiro", "requerente_email" and
// "orgao_email". What stands beside an address tells: it is the contact's of whom the post says more as a person, and
// what stands beside another address is of whoever has that one.

// party is somebody whom a post may name: a record or, where keys say whose they are, the other words of the key in it.
type party struct {
	group int32
	owner string
}

// parties is what a post says of each party. What keys say of somebody in a record counts for the whole record, too.
type parties struct {
	traits    map[party]uint8    // the kinds of what it says, as bits
	addresses map[party][]string // in lower case
	names     map[party][]string // folded
}

// The kinds of what a post says of somebody.
const (
	hasName uint8 = 1 << iota
	hasPhone
	isPersonByTrait  // a CPF, a date of birth
	isCompanyByTrait // a CNPJ
)

// partyOf returns the party that an answer is about.
func partyOf(a *answer) party { return party{a.group, ownerIn(a.name())} }

// ownerIn returns the words of a key or question beside those of what it asks for: "requerente" of "requerente_email"
// and of "E-mail do requerente". A name of many words is a sentence, and has none.
func ownerIn(name string) string {
	if plainKey(name) || len(name) > 60 {
		return ""
	}
	owner, found := "", 0
	for _, w := range names.Words(name) {
		if asked := wordsAsked[w] || emailRule.any[w] || nameRule.any[w] || phoneWords[w] || documentWords[w] ||
			littleWords[w] || partWords[w] != 0 || names.CountDigits(w) > 0; !asked {
			owner = join(owner, w)
			found++
		}
	}
	if found > 2 {
		return ""
	}
	return owner
}

// wordsAsked are further words of what is asked for, and not of whom.
var wordsAsked = names.Set(`
	completo completa full numero number num data dt nasc nascimento birth principal contato contact fixo residencial
	comercial pessoal alternativo secundario melhor e mail ddd com confirme confirmacao trabalho corporativo empresarial
	profissional casa outro outra segundo cobranca faturamento entrega work business professional office home personal
	primary secondary alternate alternative other billing shipping main best preferred user usuario`)

// parties finds out what the post says of whom, once.
func (c *chooser) parties() *parties {
	if c.whose != nil {
		return c.whose
	}
	c.whose = &parties{map[party]uint8{}, map[party][]string{}, map[party][]string{}}
	for i := range c.answers {
		own := partyOf(&c.answers[i])
		c.whose.learn(own, &c.answers[i])
		if own.owner != "" {
			c.whose.learn(party{group: own.group}, &c.answers[i])
		}
		if around := c.recordAround(&c.answers[i]); around != own.group {
			c.whose.learn(party{group: around}, &c.answers[i])
		}
	}
	return c.whose
}

// mostOfParty bounds the addresses and names of a party.
const mostOfParty = 20

func (p *parties) learn(own party, a *answer) {
	if strings.IndexByte(a.values[0], '@') > 0 && len(p.addresses[own]) < mostOfParty {
		if email := fields.FindEmail(a.values[:1]); email != "" {
			p.addresses[own] = append(p.addresses[own], strings.ToLower(email))
		}
	}
	w, f := names.Words(a.name()), a.entry.field
	kinds := uint8(0)
	ofForm := a.envelope != noEnvelope && a.title == "" && bareName(a.key)
	if !ofForm && (f == fieldName || f == fieldFirst || names.HasAny(w, nameRule.any)) {
		kinds |= hasName
		if len(p.names[own]) < mostOfParty {
			p.names[own] = append(p.names[own], text.Fold(text.OneLine(a.values[0])))
		}
	}
	if f == fieldPhone || names.HasAny(w, phoneWords) {
		kinds |= hasPhone
	}
	if names.HasAny(w, ofPersons) {
		kinds |= isPersonByTrait
	}
	if names.HasAny(w, ofCompanies) {
		kinds |= isCompanyByTrait
	}
	p.traits[own] |= kinds
}

// ofPersons and ofCompanies name what only the one or the other has.
var (
	ofPersons   = names.Set(`cpf rg nascimento nasc birth birthday birthdate dob sexo genero gender`)
	ofCompanies = names.Set(`cnpj razao fantasia`)
)

// weight is how much a post says of a party as of a person.
func (p *parties) weight(of party) int {
	kinds := p.traits[of]
	return bits.OnesCount8(kinds&(hasName|hasPhone)) + 4*bits.OnesCount8(kinds&isPersonByTrait) -
		4*bits.OnesCount8(kinds&isCompanyByTrait)
}

// offerEmail offers an address. Of two that no rule tells apart, and of two in different records under other keys than
// "email", it is that of whom the post says more.
func (c *chooser) offerEmail(a *answer, s score) {
	best := &c.best[fieldEmail]
	if best.answer == nil {
		best.offer(a, s)
		return
	}
	other := best.answer
	surer := s.beats(best.score)
	tied := !surer && !best.score.beats(s)
	mine, theirs := partyOf(a), partyOf(other)
	apart, nested := a.group != other.group, false
	if apart {
		mine, theirs = party{group: c.recordAround(a)}, party{group: c.recordAround(other)}
		nested = c.encloses(mine.group, theirs.group) || c.encloses(theirs.group, mine.group)
	}
	alike := apart && a.another == other.another && s.alias && best.score.alias && a.reopened == other.reopened
	if !nested && (alike || tied) { // what stands around a record may be about it
		switch is, its := c.parties().weight(mine)+ofLead(a), c.parties().weight(theirs)+ofLead(other); {
		case is != its && (tied || inOneSense(a, other, is > its)):
			surer = is > its
		case apart && tied:
			surer = a.person && !other.person
		}
	}
	if surer {
		*best = claim{a, s}
	}
}

// inOneSense reports whether nothing else says of two answers that another one is the contact's than the heavier: a
// word for the lead or for people around one, or that it stands nearer.
func inOneSense(a, other *answer, heavier bool) bool {
	return (a.lead == other.lead || a.lead == heavier) && (a.person == other.person || a.person == heavier) &&
		(a.aside == other.aside || other.aside == heavier) && (a.rank == other.rank || (a.rank < other.rank) == heavier)
}

// ofLead is what the word for a lead around an answer weighs, as much as a name and a phone.
func ofLead(a *answer) int {
	if a.lead {
		return 2
	}
	return 0
}

// recordAround returns the record of whoever has an address or a phone: around "emails", that which has the list.
func (c *chooser) recordAround(a *answer) int32 {
	group := a.group
	for group != 0 && meansOfContact(c.recordKeys[group-1]) {
		group = c.parents[group-1]
	}
	return group
}

// besideForeignAddress reports whether an answer stands in a record, or under the word of a party, whose address is not
// the contact's, so that it is not the contact's either. The contact's own company may well have one.
func (c *chooser) besideForeignAddress(a *answer) bool {
	email := c.best[fieldEmail].answer
	if email == nil || a == email || !c.severalAddresses() || a.person || partyOf(a) == partyOf(email) || ofOwnCompany(a) {
		return false
	}
	of, mine := partyOf(a), partyOf(email)
	if s, _ := sideOfName(of.owner); s == leads {
		s, _ := sideOfName(mine.owner)
		if of.group != mine.group || s != leads && c.parties().addresses[of] == nil {
			return false // of two in one record that are called so, such as buyer and participant, one is the contact
		}
	}
	its := c.parties().addresses[of]
	return len(its) > 0 && (of.owner != "" || a.group == email.group || !c.encloses(a.group, email.group)) &&
		!slices.Contains(its, strings.ToLower(fields.FindEmail(email.values)))
}

// ofAnother reports whether an answer is of somebody whom the contact names, or of whoever has another address.
func (c *chooser) ofAnother(a *answer) bool {
	return c.ofSomebodyElse(a) || c.besideForeignAddress(a) || c.ofOtherParty(a)
}

// ofOtherParty reports whether the key of an answer has a word for somebody other than the key of the address beside
// it, of whom the post says the same: "condutor_nome" beside "segurado_nome" and "segurado_email".
func (c *chooser) ofOtherParty(a *answer) bool {
	email := c.best[fieldEmail].answer
	if email == nil || a.group != email.group {
		return false
	}
	mine, its := ownerIn(email.name()), ownerIn(a.name())
	if mine == "" || its == "" || sharesWord(mine, its) || isThing(mine) {
		return false
	}
	itsSide, _ := sideOfName(its)
	mySide, _ := sideOfName(mine)
	switch {
	case itsSide == leads && mySide == leads && a.isDocument:
		return false // two words for one person, such as lead and client
	case itsSide == neutral && mySide == neutral && !namesPeople(its) && !namesPeople(mine):
		return false // not of people, such as "institucional"
	}
	trait := isPersonByTrait
	switch a.field {
	case fieldName, fieldFirst, fieldLast:
		trait = hasName
	case fieldPhone, fieldArea:
		trait = hasPhone
	case fieldCompany:
		return false
	}
	return c.parties().traits[party{a.group, mine}]&trait != 0
}

// namesPeople reports whether an owner is known for a word for people.
func namesPeople(owner string) bool {
	w := names.Words(owner)
	return names.HasAny(w, trades) || names.HasAny(w, strangers) || names.HasAny(w, relations) ||
		names.HasAny(w, otherPeople)
}

// sharesWord reports whether two owners have a word in common: "lead" and "lead responsavel".
func sharesWord(a, b string) bool {
	in := strings.Fields(b)
	return slices.ContainsFunc(strings.Fields(a), func(w string) bool { return slices.Contains(in, w) })
}

// severalAddresses reports whether the post has more than one text with an address, as few have.
func (c *chooser) severalAddresses() bool {
	if c.addresses == 0 {
		c.addresses = 1
		for i := range c.answers {
			if strings.IndexByte(c.answers[i].values[0], '@') > 0 {
				c.addresses++
			}
		}
	}
	return c.addresses > 2
}

// ofOwnCompany reports whether the record around an answer, or its key, is by name the contact's company.
func ofOwnCompany(a *answer) bool {
	return companyByName(a.holder()) || companyByName(ownerIn(a.name()))
}

// companyByName reports whether a name is that of a company and of nothing else, such as a shop.
func companyByName(name string) bool {
	if len(name) > 80 {
		return false
	}
	name = strings.TrimSuffix(name, "s")
	e, _, ok := aliasOf(name)
	w := names.Words(name)
	return ok && e.field == fieldCompany && !e.weak || names.HasAny(w, companyWords) || names.HasAny(w, ownFirms)
}

// ownFirms are further words for a firm that somebody has or works for.
var ownFirms = names.Set(`juridica pj business employer empregador`)

// takeFirmAround takes the company from the record around the list of people that gave the e-mail, where it has a name
// and a CNPJ: CRMs keep the people of a firm inside it.
func (c *chooser) takeFirmAround(d *Draft) {
	email := c.best[fieldEmail].answer
	if d.Company != "" || email == nil || !email.marks.has(listed) {
		return
	}
	for i := range c.answers {
		a := &c.answers[i]
		if a.taken || a.closed || a.title != "" || !bareName(a.key) || a.group == email.group ||
			!c.encloses(a.group, email.group) || c.parties().traits[party{group: a.group}]&isCompanyByTrait == 0 {
			continue
		}
		c.takeFirm(d, a)
		return
	}
}

// takeFirm takes an answer for the company's name.
func (c *chooser) takeFirm(d *Draft, a *answer) {
	c.best[fieldCompany] = claim{answer: a}
	c.takeLine(d, fieldCompany, &d.Company)
}

// takeFirmOfDocument takes the bare name beside a CNPJ of the contact's for that of the company, whatever the record is
// called: "restaurante", "condominio".
func (c *chooser) takeFirmOfDocument(d *Draft) {
	tried := map[int32]bool{}
	for i := range c.answers {
		doc := &c.answers[i]
		if d.Company != "" || !doc.isDocument || !doc.taken || tried[doc.group] ||
			doc.documents()[0].Type() != document.CNPJ {
			continue
		}
		if tried[doc.group] = true; len(tried) > maxDocuments {
			return // in so many records, none is the contact's
		}
		for j := range c.answers {
			a := &c.answers[j]
			if !a.taken && !a.closed && a.group == doc.group && a.envelope == noEnvelope && a.title == "" &&
				bareName(a.key) && fitsLine(c, a, weakName) {
				c.takeFirm(d, a)
				break
			}
		}
	}
}

// takeFirmByItsForm takes a name that has the form of a firm, by its legal suffix, where the contact has another name:
// "Nome ou razão social" beside "Nome para contato".
func (c *chooser) takeFirmByItsForm(d *Draft) {
	for i := range c.answers {
		a := &c.answers[i]
		if d.Company == "" && d.Name != "" && !a.taken && !a.closed &&
			asksFirm(names.Words(a.name())) && isFirm(a.text()) && !c.ofAnother(a) && !a.ofOurs() &&
			!c.outsideLead(a) && fitsLine(c, a, weakName) {
			c.takeFirm(d, a)
		}
	}
}

// asksFirm reports whether the words of a key or a title ask for the name of a firm or, alone, for any name.
func asksFirm(w []string) bool {
	return len(w) == 1 && nameOfCompany[w[0]] || names.HasAny(w, firmsName)
}

// firmsName are the words for the name of a firm that people do not have.
var firmsName = names.Set(`razao fantasia firma`)

// isFirm reports whether a name ends in the legal form of a firm. "Sá" is a name of people.
func isFirm(name string) bool { return legalForm.MatchString(name) }

var legalForm = regexp.MustCompile(`(?i)\S[ ,]+(ltda|eireli|epp|inc|llc|s\.a|s/a)\.?$`)

// ofContact reports whether an answer stands beside the contact's address in one record, or under the same word.
func (c *chooser) ofContact(a *answer) bool {
	email := c.best[fieldEmail].answer
	if email == nil || a.group != email.group {
		return false
	}
	its := ownerIn(a.name())
	return its == ownerIn(email.name()) && (its != "" || a.group != 0)
}

// besideForeignName reports whether an answer stands in a record, or under the word of a party, with a name that is not
// the contact's.
func (c *chooser) besideForeignName(d *Draft, a *answer) bool {
	email := c.best[fieldEmail].answer
	if email == nil || d.Name == "" || a.group != email.group && c.encloses(a.group, email.group) {
		return false
	}
	of, mine := c.parties().names[partyOf(a)], text.Fold(d.Name)
	return len(of) > 0 && !slices.ContainsFunc(of, func(name string) bool {
		return strings.Contains(mine, name) || strings.Contains(name, mine)
	})
}

// leadApplies reports whether the contact applies for a job, which the post names: the company beside that is whose job
// it is.
func (c *chooser) leadApplies() bool {
	email := c.best[fieldEmail].answer
	if !email.marks.has(applies) && !names.HasAny(names.Words(email.key), applicants) {
		return false
	}
	return slices.ContainsFunc(c.answers, func(a answer) bool {
		return a.title == "" && names.HasAny(names.Words(join(a.prefix, a.key)), jobs)
	})
}

var (
	applicants = names.Set(`applicant applicants candidate candidates candidato candidata candidatos`)
	jobs       = names.Set(`job jobs vacancy vaga vagas requisition jobopening`)
)

// hasPlace reports whether the keys of a record name, or reach, a place that serves.
func (c *chooser) hasPlace(group int32) bool {
	for of := range c.parties().traits {
		if of.group == group && (places[of.owner] || of.owner != "" && houseWords[of.owner] && !companyByName(of.owner)) {
			return true
		}
	}
	return false
}

// outsideLead reports whether an answer stands outside of what the post says of the lead under words for one:
// "lead_nome" and "lead_email", or a record. A "loja" beside them is as often the one that was asked.
func (c *chooser) outsideLead(a *answer) bool {
	email := c.best[fieldEmail].answer
	if its, _ := sideOfName(a.key); email == nil || a.lead || its == leads {
		return false
	}
	s, _ := sideOfName(email.key)
	return email.title == "" && s == leads && a.group == email.group || email.lead && a.group != email.group
}
