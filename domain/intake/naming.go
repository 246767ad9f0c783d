package intake

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/products"
	"fichario/domain/intake/tree"
)

// naming is the vocabulary's result for a title or a key.
type naming struct {
	entry entry
	again bool // it is the second of its kind ("email_2")
	known bool // it was looked up
}

// againPenalty ranks "email_2" after every "email".
const againPenalty = 20

func (n naming) penalty() int8 {
	penalty := 10 - n.entry.preference
	if n.again {
		penalty += againPenalty
	}
	return penalty
}

// namedByTitle and namedByKey look the names of the answer up, once.
func (q *candidate) namedByTitle() naming {
	if q.title != "" && !q.found.byTitle.known {
		q.found.byTitle = q.named(q.title)
		q.found.byTitle.known = true
	}
	return q.found.byTitle
}

func (q *candidate) namedByKey() naming {
	if q.key != "" && q.key != q.title && !q.found.byKey.known {
		q.found.byKey = q.named(q.key)
		q.found.byKey.known = true
	}
	return q.found.byKey
}

// named looks up a name of the answer together with the unknown objects around it: "name" inside "company" is "company
// name".
func (q *candidate) named(name string) naming {
	if q.prefix == "" || name == q.title {
		return q.alias(name)
	}
	if n, ok := q.namedByAround(name); ok {
		return n
	}
	if n := namingOf(q.prefix + " " + name); n.entry.field != noField {
		return n
	}
	n := q.alias(name)
	if q.plainEnough(n.entry) || q.ownOrigin(name) {
		return n
	}
	if n.entry.field != noField && namingOf(q.prefix).entry.field == n.entry.field {
		return n // {"valor": {"amount": …}}
	}
	return naming{}
}

// namedByAround looks up a key that means nothing without the objects around it.
func (q *candidate) namedByAround(key string) (naming, bool) {
	var n naming
	switch names.Of(key) {
	case "value", "text", "answer", "raw", "":
		n = namingOf(q.prefix)
		return n, n.entry.field != noField
	case "name", "nome":
		// An object that stands for an origin or a company is named like it.
		thing := q.holder()
		n = namingOf(thing)
		return n, n.entry.field == fieldOrigin && (!n.entry.weak || names.Of(thing) == "origin") ||
			n.entry.field == fieldCompany && !n.entry.weak
	case "razao", "fantasia", "razaosocial", "nomefantasia":
		n.entry.field = fieldCompany
		return n, companyByName(q.holder())
	case "number", "numero", "address", "endereco":
		n = namingOf(q.prefix)
		return n, n.entry.field == fieldPhone || n.entry.field == fieldEmail
	}
	return n, false
}

// plainEnough reports whether a key counts inside objects that no table knows. Names of e-mails and phones do anywhere;
// the names of other fields do in a deal.
func (q *candidate) plainEnough(e entry) bool {
	switch e.field {
	case fieldEmail, fieldPhone, fieldFirst, fieldLast, fieldArea, fieldCountry:
		return true
	case fieldCompany:
		return q.deal && !e.weak
	case fieldMessage:
		return q.deal || !e.weak && ofBooking(q.holder()) || ofMessages(q.holder())
	case fieldAmount:
		return q.deal || ofBooking(q.holder())
	case fieldOrigin:
		return q.deal
	}
	return false
}

// ofMessages reports whether a key is that of a list of messages, each of which has its text under a key of its own.
func ofMessages(key string) bool {
	switch names.Of(key) {
	case "messages", "mensagens", "mensajes":
		return true
	}
	return false
}

// bookings are what people book, pay for and say something about.
var bookings = names.Set(`booking visitbooking appointment reservation agendamento reserva visita consulta`)

// ofBooking reports whether a key is that of a booking, or of a list of them.
func ofBooking(key string) bool {
	name := names.Of(key)
	return bookings[name] || bookings[strings.TrimSuffix(name, "s")]
}

// ownOrigin reports whether a key is exactly the contract's own name of the origin, and the objects around it are
// nothing that has an origin itself. The other own names are read there by the words of titles, where this one would
// also match "País de origem".
func (q *candidate) ownOrigin(name string) bool {
	return name == fieldNames[fieldOrigin] && !q.another && !q.saysNotTheirs() &&
		!names.HasAny(names.Words(q.prefix), withOrigins)
}

// beginsRoute reports whether an origin is that of a journey: a destination stands beside it.
func (q *candidate) beginsRoute() bool {
	if q.routes == nil {
		q.routes = map[int32]bool{}
		for i := range q.answers {
			a := &q.answers[i]
			if w := names.Words(a.name()); len(w) > 0 && bookedRoute[w[len(w)-1]] {
				q.routes[a.group] = true
			}
		}
	}
	return q.routes[q.group]
}

// withOrigins are things that have an origin of their own, and what a program keeps beside a record. bookedRoute is
// what stands beside the origin of a journey.
var (
	withOrigins = names.Set(`
		produto produtos product products item items itens material mercadoria cafe viagem trip travel voo flight frete
		shipping envio entrega delivery rota route trajeto percurso passagem transporte mudanca carga transfer corrida
		endereco address cidade city pais country pet cachorro gato animal mae pai filho filha familia imovel veiculo carro
		recurso recursos capital pagamento payment nota estoque metadata`)
	bookedRoute = names.Set(`destino destination`)
)

// alias is namingOf for a name whose entry was looked up when it arrived.
func (q *candidate) alias(name string) naming {
	if q.entry.field != noField && (name == q.title || q.title == "") {
		return naming{entry: q.entry}
	}
	if name == q.key && q.title == "" && plainKey(name) {
		return naming{entry: inOnePiece(name)} // a plain key has no other form
	}
	n := namingOf(name)
	if n.entry.field == noField && name == q.key {
		for _, x := range q.affixes[q.group] {
			if rest, ok := x.off(name); ok && n.entry.field == noField {
				n = namingOf(rest)
			}
		}
	}
	return n
}

// affix is a word that a form writes around each of its keys: "orc_nome" and "orc_email", "frmNome" and "frmEmail",
// "nm_cli" and "tel_cli".
type affix struct {
	word string
	last bool // it stands at the end of the keys
}

// off takes the affix off a key.
func (x affix) off(key string) (rest string, ok bool) {
	w := names.Words(key)
	switch {
	case len(w) < 2:
		return "", false
	case x.last:
		return strings.Join(w[:len(w)-1], " "), w[len(w)-1] == x.word
	}
	return strings.Join(w[1:], " "), w[0] == x.word
}

// affixes returns, for each record with an address, the words that its keys have around them, that of the address among
// them: those that mean nothing, or say that they are the lead's.
func (r *reader) affixes() map[int32][]affix {
	var found map[int32][]affix
	tried := 0
	for i := range r.answers {
		a := &r.answers[i]
		if tried == mostAffixed {
			break // of a thousand addresses, none is the contact's
		}
		if a.title != "" || a.closed || plainKey(a.key) || !fields.WholeAddress(a.values[0]) {
			continue
		}
		tried++
		w := names.Words(a.key)
		if len(w) < 2 {
			continue
		}
		for _, x := range [...]affix{{word: w[0]}, {word: w[len(w)-1], last: true}} {
			if (sideWords[x.word] == leads || !means(x.word)) && !slices.Contains(found[a.group], x) &&
				r.keysWith(x, a.group) >= 3 && r.aroundAddresses(x, a.group) {
				if found == nil {
					found = map[int32][]affix{}
				}
				found[a.group] = append(found[a.group], x)
			}
		}
	}
	return found
}

// aroundAddresses reports whether all addresses of a record but ours are under keys with an affix. It is else that of
// somebody.
func (r *reader) aroundAddresses(x affix, group int32) bool {
	return !slices.ContainsFunc(r.answers, func(a answer) bool {
		_, has := x.off(a.key)
		return !has && a.group == group && !a.closed && !a.ofOurs() && fields.WholeAddress(a.values[0])
	})
}

// mostAffixed bounds the addresses whose keys are compared with all others.
const mostAffixed = 12

// keysWith counts the keys of a record that have an affix.
func (r *reader) keysWith(x affix, group int32) int {
	keys := 0
	for i := range r.answers {
		a := &r.answers[i]
		if a.group != group || a.title != "" || plainKey(a.key) || len(a.key) > 60 {
			continue
		}
		if _, ok := x.off(a.key); ok {
			keys++
		}
	}
	return keys
}

// means reports whether a word says something of what it stands before.
func means(word string) bool {
	w := names.Of(word)
	return lookup(word) != (entry{}) || sideWords[w] != neutral || trades[w] || strangers[w] ||
		houseWords[w] || thingWords[w] || programsThings[w] || thingsWithNames[w] || nameRule.none[w] || emailRule.none[w] ||
		ownMessages[w] || notTheirs[w] || len(w) > 8
}

// namingOf looks up a name on its own; the zero value says that it names no field.
func namingOf(name string) naming {
	e, again, ok := aliasOf(name)
	if !ok {
		return naming{}
	}
	return naming{entry: e, again: again}
}

// leadingWords are the words that a product puts before its keys: Elementor's "No Label email", Contact Form 7's
// "your-email", Wix's "field:email_1a2b", RD Station's "cf_", Jotform's "q4_email", a sheet's "lead_origem", and a
// table's "nm_cliente" and "ds_email", a bot's "wa_phone".
// "form" is not among them: "formName" would become a person's name.
const leadingWords = `
	nolabel your seu sua field fields cf input txt meu minha lead contact contato client cliente customer mf nm ds nr vl
	wa`

// aliasOf finds the field that a key or title names: first as it stands, then in the forms that products give it. again
// says that the key is a second one of its kind ("email_2").
func aliasOf(key string) (e entry, again, ok bool) {
	if len(key) > 200 {
		return entry{}, false, false
	}
	if e = lookup(key); e.field != noField {
		return e, false, true
	}
	for _, v := range keyVariants(key) {
		if e = lookup(v.key); e.field != noField {
			return e, v.again, true
		}
		if e = inOnePiece(v.key); e.field != noField {
			return e, v.again, true
		}
	}
	e = inOnePiece(key)
	return e, false, e.field != noField
}

// inOnePiece finds the field that a key names after a leading word without a separator: "txtnome", "q4email". The zero
// value says that it names none.
func inOnePiece(key string) entry {
	var buf [64]byte
	name := names.Append(buf[:0], products.WithoutNumber(key))
	if len(name) > 2 && name[0] == 'q' {
		rest := name[1:]
		for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
			rest = rest[1:]
		}
		if len(rest) < len(name)-1 {
			return vocabulary[string(rest)]
		}
	}
	for i := range joinedWords {
		w := &joinedWords[i]
		rest, ok := bytes.CutPrefix(name, w.word)
		if !ok || w.furniture[string(rest)] {
			continue
		}
		if e := vocabulary[string(rest)]; e.field != noField {
			return e
		}
	}
	return columnInOnePiece(name)
}

// columnInOnePiece finds the field of a table's column whose name begins with the kind of what it holds: "NMCLIENTE",
// "NRCELULAR", "DSOBSERVACAO", but not "NRCLIENTE" and "DSCONTATO".
func columnInOnePiece(name []byte) entry {
	if len(name) <= 2 {
		return entry{}
	}
	e := vocabulary[string(name[2:])]
	switch string(name[:2]) {
	case "nm":
		return vocabulary["nome"+string(name[2:])]
	case "nr", "nu":
		if e.field == fieldPhone || e.field == fieldArea {
			return e
		}
	case "ds":
		if e.field == fieldMessage {
			return e
		}
	}
	return entry{}
}

// joinedWord is a leading word that may be joined to the key.
type joinedWord struct {
	word      []byte
	furniture map[string]bool // rests that make it a part of a field, and not an answer: "fieldname", "inputvalue"
}

var joinedWords = []joinedWord{
	{word: []byte("txt")}, {word: []byte("cf")}, {word: []byte("seu")}, {word: []byte("sua")}, {word: []byte("meu")},
	{word: []byte("minha")}, {word: []byte("your")}, {word: []byte("nolabel")},
	{word: []byte("field"), furniture: partsOfFields}, {word: []byte("input"), furniture: partsOfFields},
}

// partsOfFields are English names for the parts of a form's field that are aliases themselves.
var partsOfFields = names.Set(`
	name names displayname nickname value text textarea multiline description detail details question questions content
	body source origin message note notes comment comments total amount first last contact lead channel`)

// variant is a key without something that a product or a person added to it.
type variant struct {
	key   string
	again bool
}

// keyVariants returns the other forms under which a key is looked up, the closest first.
func keyVariants(key string) []variant {
	var out []variant
	again := false
	add := func(k string) {
		if k = strings.TrimSpace(k); k != "" && k != key {
			out = append(out, variant{k, again})
		}
	}
	base := products.WithoutNumber(key)
	add(base)
	if i := strings.IndexAny(base, ".)-"); i > 0 && i <= 3 && names.CountDigits(base[:i]) == len(strings.TrimSpace(base[:i])) {
		base = strings.TrimSpace(base[i+1:]) // the number of a question: "3. Celular"
		add(base)
	}
	if rest, ok := strings.CutPrefix(base, "User Column Data "); ok {
		base = rest // Google's lead forms, where they leave out the id of a column
		add(base)
	}
	if rest, ok := withoutScreen(base); ok {
		base = rest
		add(base)
	}
	if both := genders.ReplaceAllString(base, ""); both != base {
		base = both // "Nome do(a) aluno(a)", "E-mail do/a cliente"
		add(base)
	}
	if i := strings.IndexAny(base, "(?["); i > 0 {
		base = base[:i] // the explanation of the question
		add(base)
	}
	if i := strings.LastIndexAny(base, "_-"); i > 0 && len(base)-i == 5 && isHex(base[i+1:]) {
		base = base[:i] // Wix: "email_1a2b"
		add(base)
	}
	if i := strings.LastIndexAny(base, "_- "); i > 0 && isOrdinal(base[i+1:]) {
		again = base[i+1:] != "1"
		base = base[:i]
		add(base)
	}
	if rest, ok := withoutLeadingWord(base); ok {
		add(rest)
		if len(base) > 2 && strings.EqualFold(base[:2], "nm") {
			add("nome " + rest) // a table's "nm_completo"
		}
	}
	if i := strings.IndexByte(base, '/'); i > 0 {
		add(base[:i]) // "Empresa / CNPJ"
	}
	if rest, ok := withoutLittleWords(base); ok {
		add(rest)
	}
	return out
}

// genders matches what makes a word that of either gender, or of one or several.
var genders = regexp.MustCompile(`(?i)\((a|o|s|as|os|es)\)|/(a|o|as|os|da|do)\b`)

// withoutLittleWords takes the little words of a language out of a key: "E-mail do contato", "What is your name".
func withoutLittleWords(key string) (string, bool) {
	if len(key) > 60 || plainKey(key) {
		return "", false
	}
	w := names.Words(key)
	if len(w) > 2 && (w[0] == "qual" || w[0] == "cual") && (w[1] == "e" || w[1] == "es") {
		w = w[2:]
	}
	rest := slices.DeleteFunc(slices.Clone(w), func(word string) bool { return littleWords[word] })
	return strings.Join(rest, " "), len(rest) > 0 && len(rest) < len(names.Words(key))
}

// withoutScreen takes off what WhatsApp's Flows put around a key: "screen_0_Nome_completo_1".
func withoutScreen(key string) (string, bool) {
	rest, ok := strings.CutPrefix(key, "screen_")
	if !ok {
		return "", false
	}
	number, rest, ok := strings.Cut(rest, "_")
	end := strings.LastIndexByte(rest, '_')
	if !ok || end <= 0 || !isOrdinal(number) || !isOrdinal(rest[end+1:]) {
		return "", false
	}
	return rest[:end], true
}

func isHex(s string) bool {
	for i := range len(s) {
		if tree.Unhex(s[i]) < 0 {
			return false
		}
	}
	return true
}

// isOrdinal reports whether a text numbers a second field of its kind: one digit or two.
func isOrdinal(s string) bool { return (len(s) == 1 || len(s) == 2) && names.CountDigits(s) == len(s) }

// withoutLeadingWord takes one leading word off a key: "your-email", "field:email", "No Label email", "q4_email",
// "seuNome".
func withoutLeadingWord(key string) (string, bool) {
	if len(key) > 2 && (key[0] == 'q' || key[0] == 'Q') {
		i := 1
		for i < len(key) && key[i] >= '0' && key[i] <= '9' {
			i++
		}
		if i > 1 && i < len(key) && strings.IndexByte("_-: ", key[i]) >= 0 {
			return key[i+1:], true
		}
	}
	for end := 1; end < len(key) && end <= 9; end++ {
		// A word ends at a separator, or where camelCase begins the next.
		camel := key[end] >= 'A' && key[end] <= 'Z' && key[end-1] >= 'a' && key[end-1] <= 'z'
		if strings.IndexByte("_-: .", key[end]) < 0 && !camel {
			continue
		}
		if lookup(key[:end]).leading {
			return strings.TrimLeft(key[end:], "_-: ."), true
		}
	}
	return "", false
}
