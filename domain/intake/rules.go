package intake

import (
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/products"
)

// candidate is an answer whose field is sought, with what the rules need to know.
type candidate struct {
	*answer
	answers    []answer          // all of the submission
	onlyNumber bool              // the submission has one number question
	numbered   map[stem]uint16   // see numberParts
	emptyParts []stem            // numbered keys that came without a value
	service    bool              // the webhook is for form products
	asksOurs   bool              // see reader.asksOurs
	relation   string            // see reader.onlyRelation
	affixes    map[int32][]affix // of the records, by number; see reader.affixes
	routes     map[int32]bool    // the records with a destination, see beginsRoute; nil until it is asked for
	guarded    map[int32]bool    // the records that ask the name of who answers for a pupil, likewise
	found      findings
}

// findings caches what rules have found out about a candidate.
type findings struct {
	byTitle, byKey naming
	words          []string
	split          bool // words is filled
}

// rule is one way to tell which field an answer would feed.
type rule struct {
	name string
	bid  func(*candidate) bid
}

// rules are asked in this order, the surest first: the first bid that the answer's value can meet is its claim.
var rules = slices.Concat([]rule{
	{"type of the field", (*candidate).byFieldType},
	{"amount in cents", (*candidate).byCents},
	{"area code beside the phone", (*candidate).byAreaCode},
	{"part of a name in brackets", (*candidate).byBracketedPart},
	{"known title", (*candidate).byKnownTitle},
	{"number under a title of names", (*candidate).byNumberUnderTitle},
	{"known key", (*candidate).byKnownKey},
	{"number under a key of names", (*candidate).byNumberUnderKey},
	{"lead in the key", (*candidate).byLeadInKey},
	{"lead as the key", (*candidate).byPlainRole},
	{"address of a person", (*candidate).byAddressOfPerson},
	{"name of the user", (*candidate).byUserName},
	{"sender", (*candidate).bySender},
	{"numbered part of a name", (*candidate).byNumberedPart},
	{"number question", (*candidate).byNumberQuestion},
	{"part of a name in the title", (*candidate).byPartInTitle},
}, titleWordRules(), []rule{
	{"price with cents", (*candidate).byPriceWithCents},
	{"title of a record", (*candidate).byRecordTitle},
	{"name beside the address", (*candidate).byNameBesideAddress},
})

// titleWordRules returns the rules for the words of titles.
func titleWordRules() []rule {
	out := make([]rule, len(titleRules))
	for i := range titleRules {
		out[i] = rule{titleRules[i].name, titleRules[i].bid}
	}
	return out
}

// byFieldType believes the type that the form gives the field; on a webhook for form products it outranks the rest. A
// question for somebody else's, or for something else, counts only where nothing better was sent.
func (q *candidate) byFieldType() bid {
	b := bid{strength: typeElsewhere}
	if q.service {
		b.strength = typeOnFormService
	}
	others := strangers
	switch q.typ {
	case emailType:
		b.field = fieldEmail
	case nameType:
		b.field, others = fieldName, nameRule.none
	case phoneType:
		b.field = fieldPhone
		if !q.mobile && !names.HasAny(names.Words(join(q.key, q.title)), mobileWords) {
			b.penalty = landlinePenalty
		}
	default:
		return bid{}
	}
	if q.isNamed(b.field) {
		return b
	}
	b.penalty++
	if names.HasAny(q.words(), others) {
		b.strength = weakName
	}
	return b
}

// isNamed reports whether the title or the key is a known name of a field.
func (q *candidate) isNamed(f field) bool {
	return slices.ContainsFunc([]string{q.title, q.key}, func(name string) bool {
		e, _, ok := aliasOf(name)
		return ok && e.field == f
	})
}

// strangers are people whose address or phone a form also asks for.
var strangers = names.Set(relationWords + strangerWords)

// byAreaCode: "DDD Celular" beside "Celular".
func (q *candidate) byAreaCode() bid {
	v := q.values[0]
	if len(v) > 5 || names.CountDigits(v) < 2 || !strings.Contains(names.Of(join(q.key, q.title)), "ddd") {
		return bid{}
	}
	return bid{field: fieldArea, strength: knownName}
}

// byBracketedPart: Gravity Forms' "Name (Last)".
func (q *candidate) byBracketedPart() bid {
	if strings.IndexByte(q.title, '(') < 0 && strings.IndexByte(q.key, '(') < 0 {
		return bid{}
	}
	return bid{field: partOfName(names.Words(join(q.title, q.key))), strength: knownName}
}

// byKnownTitle and byKnownKey look the names up.
func (q *candidate) byKnownTitle() bid {
	if q.title == "" {
		return bid{}
	}
	n := q.namedByTitle()
	if n.entry.field == fieldMessage && n.entry.weak {
		return bid{} // "Pergunta 1", "Nota": without its title the answer says nothing
	}
	return q.known(n)
}

func (q *candidate) byKnownKey() bid { return q.known(q.namedByKey()) }

func (q *candidate) known(n naming) bid {
	b := bid{field: n.entry.field, strength: knownName, penalty: n.penalty()}
	if n.entry.field == fieldOrigin && q.beginsRoute() {
		return bid{}
	}
	if n.entry.field == fieldName && q.title == "" {
		switch names.Of(q.key) {
		case "name", "displayname":
			b.penalty++ // the name of a record or an account; "contact_name" says whose name it is
		}
	}
	if (b.field == fieldEmail || b.field == fieldPhone) && q.title == "" && q.prefix != "" && ofCompany(q.prefix) {
		b.penalty += housePenalty
	}
	if b.field == fieldPhone && q.mobile {
		b.penalty -= landlinePenalty
	}
	if (b.field == fieldEmail || b.field == fieldPhone) && ourLines[names.Of(q.holder())] {
		b.strength = weakName
	}
	if n.entry.weak && (!q.marks.has(statedOrigin) || n.entry.field != fieldOrigin) {
		b.strength = weakName
	}
	return b
}

// byPlainRole: "candidato: Ana Lima". A single word there is as often a state or a kind, and so is "Primeira vez".
func (q *candidate) byPlainRole() bid {
	if sideWords[names.Of(q.name())] != leads {
		return bid{}
	}
	words := strings.Fields(q.text())
	if last := words[len(words)-1]; len(words) < 2 || strings.ToLower(last) == last {
		return bid{}
	}
	return bid{field: fieldName, strength: weakName, penalty: 15}
}

// byNumberUnderTitle and byNumberUnderKey: "contato" is a name or a number.
func (q *candidate) byNumberUnderTitle() bid {
	if q.title == "" {
		return bid{}
	}
	return q.numberUnder(q.namedByTitle())
}

func (q *candidate) byNumberUnderKey() bid { return q.numberUnder(q.namedByKey()) }

func (q *candidate) numberUnder(n naming) bid {
	if !n.entry.weak || n.entry.field != fieldName || !phoneLike(q.values[0]) || fields.E164(q.values[0]) == "" {
		return bid{}
	}
	return bid{field: fieldPhone, strength: weakName, penalty: n.penalty()}
}

// byLeadInKey: "ticket_requester_name", "email_visitante". Whatever stands around it, the key says whose it is.
func (q *candidate) byLeadInKey() bid {
	if q.title != "" || plainKey(q.key) {
		return bid{}
	}
	w := names.Words(q.key)
	at := len(w) - 1
	for at >= 0 && sideWords[w[at]] == neutral {
		at--
	}
	if at < 0 || sideWords[w[at]] != leads {
		return bid{}
	}
	what := strings.Join(w[at+1:], "")
	if what == "" && at > 0 {
		what = w[0]
	}
	if v := q.values[0]; what == "number" && v[0] == '+' && fields.E164(v) != "" {
		return bid{field: fieldPhone, strength: knownName} // "customerNumber" beside the "phoneNumber" that was called
	}
	e := vocabulary[what]
	if !personal[e.field] || e.weak {
		return bid{}
	}
	b := bid{field: e.field, strength: titleWord, penalty: 10 - e.preference}
	switch b.field {
	case fieldEmail:
		b.penalty = leadsAddress // "receiver_email" beside "payer_email" says nothing of the lead
	case fieldName:
		if q.asksGuardian(w) {
			b.penalty += pupilsName
		}
	}
	return b
}

// leadsAddress ranks an address before those whose keys do not say whose they are.
const leadsAddress = -1

// byAddressOfPerson: an "address" or a "handle" of the lead may be one of e-mail, and a "number" that of a phone.
func (q *candidate) byAddressOfPerson() bid {
	if !q.lead || q.title != "" {
		return bid{}
	}
	switch v := q.values[0]; names.Of(q.key) {
	case "address", "handle", "identifier":
		if fields.WholeAddress(v) {
			return bid{field: fieldEmail, strength: knownName, penalty: 12}
		}
	case "number", "numero":
		if surelyPhone(q.answer) && names.CountDigits(v) >= 10 {
			return bid{field: fieldPhone, strength: titleWord}
		}
	}
	return bid{}
}

// byUserName: "user_name" is a login, unless the same record says "user_email" or it has a space.
func (q *candidate) byUserName() bid {
	if q.title != "" || plainKey(q.key) || len(q.key) > 30 {
		return bid{}
	}
	w := names.Words(q.key)
	if len(w) < 2 || w[0] != "user" && w[0] != "usuario" {
		return bid{}
	}
	f := vocabulary[strings.Join(w[1:], "")].field
	switch {
	case f != fieldName && f != fieldFirst && f != fieldLast:
		return bid{}
	case slices.ContainsFunc(q.answers, func(a answer) bool {
		return a.group == q.group && names.Of(a.key) == w[0]+"email"
	}):
		return bid{field: f, strength: knownName, penalty: 10}
	case w[0] == "user" && w[len(w)-1] == "name" && strings.IndexByte(q.values[0], ' ') > 0:
		return bid{field: f, strength: weakName, penalty: 10}
	}
	return bid{}
}

// bySender: "from" is who wrote or called, wherever no e-mail around it says more. In the context of an answer it is who
// was answered, and of a call that went out it is us.
func (q *candidate) bySender() bid {
	if q.title != "" || !senders[names.Of(q.key)] || strings.HasSuffix(q.prefix, "context") || q.wentOut() {
		return bid{}
	}
	switch v := strings.TrimPrefix(q.values[0], "whatsapp:"); {
	case strings.IndexByte(v, '@') > 0:
		return bid{field: fieldEmail, strength: weakName, penalty: 10}
	case phoneLike(v) && fields.E164(v) != "" && names.CountDigits(v) >= 10:
		return bid{field: fieldPhone, strength: weakName, penalty: 10}
	}
	return bid{}
}

var senders = names.Set(`from fromnumber fromphone caller callernumber callerid callerphone`)

// wentOut reports whether the record of a call or a message says that it was ours.
func (q *candidate) wentOut() bool {
	return slices.ContainsFunc(q.answers, func(a answer) bool {
		return a.group == q.group && a.key == "direction" && strings.HasPrefix(strings.ToLower(a.values[0]), "out")
	})
}

// byNumberedPart finds the parts of a name in Gravity Forms, whose keys are numbers: <n>.3 is the first name and <n>.6
// the last, unless another part shows that it is an address or a list of boxes. Where some have both, these are the
// name.
func (q *candidate) byNumberedPart() bid {
	n := len(q.key)
	if n < 3 || n > 12 || q.title != "" || q.key[n-2] != '.' && q.key[n-2] != '_' {
		return bid{}
	}
	number, last := q.key[:n-1], q.key[n-1]
	if last != '3' && last != '6' {
		return bid{}
	}
	if digits := strings.TrimPrefix(number[:n-2], "input_"); digits == "" || names.CountDigits(digits) != len(digits) {
		return bid{}
	}
	if q.numbered == nil {
		q.numberParts()
	}
	parts := q.numbered[stem{q.group, number}]
	if parts&notOfNames != 0 || parts&bothNames != bothNames && q.numbered[stem{q.group, ""}] != 0 {
		return bid{}
	}
	if last == '3' {
		return bid{field: fieldFirst, strength: knownName}
	}
	return bid{field: fieldLast, strength: knownName}
}

// stem is what the parts of a numbered field share: the record, and their keys without the last character.
type stem struct {
	group  int32
	number string
}

// The parts of numbered fields, as bits: those that names do not have, and a first and last name.
const (
	notOfNames = 1<<1 | 1<<5 | 1<<7 | 1<<9
	bothNames  = 1<<3 | 1<<6
)

// numberParts notes which parts each numbered field has, empty ones too, and under an empty number whether some field
// of the record has a first and a last name.
func (q *candidate) numberParts() {
	q.numbered = map[stem]uint16{}
	note := func(group int32, key string) {
		if n := len(key); n > 2 && key[n-1] >= '0' && key[n-1] <= '9' && (key[n-2] == '.' || key[n-2] == '_') {
			q.numbered[stem{group, key[:n-1]}] |= 1 << (key[n-1] - '0')
		}
	}
	for i := range q.answers {
		note(q.answers[i].group, q.answers[i].key)
	}
	for _, empty := range q.emptyParts {
		note(empty.group, empty.number)
	}
	for of, parts := range q.numbered {
		if parts&notOfNames == 0 && parts&bothNames == bothNames {
			q.numbered[stem{of.group, ""}] = 1
		}
	}
}

// byNumberQuestion: a number is the value when its title speaks of money, or when it is the only one of its form and
// its title does not speak of counting.
func (q *candidate) byNumberQuestion() bid {
	if q.typ != numberType || plainKey(q.fullTitle()) {
		return bid{}
	}
	title := q.words()
	switch {
	case names.HasAny(title, incomeWords):
		return bid{}
	case names.HasAny(title, moneyWords) || strings.Contains(q.title, "R$"):
		return bid{field: fieldAmount, strength: knownName, penalty: 5}
	case q.onlyNumber && !names.HasAny(title, countWords):
		return bid{field: fieldAmount, strength: onlyNumberQuestion}
	}
	return bid{}
}

// byPartInTitle: "Primeiro nome".
func (q *candidate) byPartInTitle() bid {
	if len(q.words()) < 2 {
		return bid{}
	}
	return bid{field: partOfName(q.words()), strength: titleWord}
}

// byPriceWithCents believes an English key for an amount or total. Such keys hold cents as often as not, so only a
// number with decimals counts.
func (q *candidate) byPriceWithCents() bid {
	w := q.words()
	if len(w) < 2 || q.title != "" || len(q.values) > 1 || !names.HasAny(w, priceWords) || names.HasAny(w, feeWords) {
		return bid{}
	}
	v := q.values[0]
	mark := strings.LastIndexAny(v, ".,")
	if decimals := len(v) - mark - 1; (mark <= 0 || decimals < 1 || decimals > 2) && !names.HasAny(w, centWords) {
		return bid{}
	}
	return bid{field: fieldAmount, strength: weakName, penalty: 20}
}

// byRecordTitle: the record of a contact is named after the contact, where nothing else gives the name.
func (q *candidate) byRecordTitle() bid {
	if q.typ != titleType {
		return bid{}
	}
	return bid{field: fieldName, strength: weakName, penalty: 15}
}

// byNameBesideAddress: a bare name in the record that gives the e-mail is the name of whoever has that address, where
// nothing else gives one and the record is no thing's, place's or company's. See chooser.settle.
func (q *candidate) byNameBesideAddress() bid {
	around := names.Words(q.holder())
	switch {
	case !q.own || q.title != "" || len(around) == 0 || lookup(q.key).field != fieldName || q.staff:
		return bid{}
	case q.namesThingAround() || names.HasAny(around, thingWords) || names.HasAny(around, programsThings) ||
		names.HasAny(around, places) || names.HasAny(around, houseWords) || names.HasAny(around, thingsWithAddresses):
		return bid{}
	}
	return bid{field: fieldName, strength: lookOnly}
}

// thingsWithAddresses are what has a name, and the address of whoever made it or is in it.
var thingsWithAddresses = names.Set(`
	evento eventos lista listas list lists conta contas projeto projetos project projects assinatura assinaturas
	subscription subscriptions negocio negocios oportunidade oportunidades opportunity opportunities grupo grupos group
	groups tag tags pagina page dominio domain channel escola school arquivo file bot`)

// ofOthers reports whether a machine's key says that its answer names or reaches one of ours, or somebody whom the
// contact names, and nobody of the kind is who asks.
func (q *candidate) ofOthers() bool {
	if q.ofOurs() && (!q.asksOurs || !isQuestion(q.key)) {
		return true
	}
	return q.relation == "" && q.ofRelation()
}

// fullTitle is the title, or the key together with the objects around it.
func (q *candidate) fullTitle() string {
	if q.title != "" {
		return q.title
	}
	return join(q.prefix, products.WithoutNumber(q.key))
}

// nearTitle is the key together with the object that holds it.
func (q *candidate) nearTitle() string {
	return join(q.holder(), products.WithoutNumber(q.key))
}

// words are the words of the full title; none for a plain key, which no rule about titles can match.
func (q *candidate) words() []string {
	if !q.found.split {
		q.found.split = true
		if title := q.fullTitle(); !plainKey(title) {
			q.found.words = names.Words(title)
		}
		if at := slices.Index(q.found.words, q.relation); at >= 0 {
			q.found.words[at] = "lead" // who they are to somebody who was not asked about
		}
	}
	return q.found.words
}

// plainKey reports whether a key is one lower-case word.
func plainKey(key string) bool {
	for i := range len(key) {
		if key[i] < 'a' || key[i] > 'z' {
			return false
		}
	}
	return true
}
