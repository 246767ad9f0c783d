package intake

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fichario/domain/fault"
	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// takeEmail takes the best answer with an @, or records which field should have held one. empty is the e-mail field
// that came without a value.
func (c *chooser) takeEmail(d *Draft, empty string) {
	a := c.best[fieldEmail].answer
	if a == nil {
		if bad := c.badEmail.answer; bad != nil {
			d.take(fieldEmail, bad)
		} else if empty != "" {
			d.Fields = append(d.Fields, Source{fieldNames[fieldEmail], text.Cut(empty, tree.MaxKeyText)})
		}
		return
	}
	d.Email = fields.FindEmail(a.values)
	whole := text.OneLine(a.text())
	a.taken = strings.Trim(whole, "([.,;:!)] ") == d.Email || fields.TrimEmail(whole) == d.Email || fields.TrimEmail(fields.WithoutTags(whole)) == d.Email
	if name, rest, ok := strings.Cut(whole, "<"); ok && rest == d.Email+">" {
		c.besideEmail = strings.Trim(strings.TrimSpace(name), `"'`)
	}
	d.take(fieldEmail, a)
}

// dropAccountUser drops the address of a "user" when another person is named too: that user owns the account or the
// deal. A name that may be the form's counts as a person's where a phone stands outside the user too.
func (c *chooser) dropAccountUser() {
	if a := c.best[fieldEmail].answer; a == nil || !a.marks.has(inUser) {
		return
	}
	var users, others, forms []string
	phone := false
	for _, w := range c.waiting {
		switch a := w.answer; {
		case w.score.strength >= weakName:
		case a.field == fieldPhone:
			phone = phone || !a.marks.has(inUser)
		case a.marks.has(inUser):
			users = append(users, text.Fold(a.text()))
		case w.score.formName:
			forms = append(forms, text.Fold(a.text()))
		default:
			others = append(others, text.Fold(a.text()))
		}
	}
	for _, a := range c.partsOf(fieldFirst) {
		if name := text.Fold(a.text()); a.marks.has(inUser) {
			users = append(users, name)
		} else {
			others = append(others, name)
		}
	}
	if phone {
		others = append(others, forms...)
	}
	const most = 50 // nobody's account has more names
	users, others = users[:min(most, len(users))], others[:min(most, len(others))]
	somebodyElse := slices.ContainsFunc(others, func(name string) bool {
		return !slices.ContainsFunc(users, func(user string) bool {
			return strings.Contains(user, name) || strings.Contains(name, user)
		})
	})
	if len(users) > 0 && somebodyElse {
		c.best[fieldEmail] = claim{}
	}
}

// preferListed gives the e-mail to the one person of a list who has a name beside their address, where nobody outside
// the list has a name or a document: the address there is an account's, or that of whoever sent the list.
func (c *chooser) preferListed() {
	outside := c.best[fieldEmail].answer
	if outside == nil || outside.marks.has(listed) || c.somebodyOutside() {
		return
	}
	for i := range c.answers {
		a := &c.answers[i]
		if a.field != fieldEmail || !a.marks.has(listed) || a.another || a.aside || !c.encloses(outside.group, a.group) {
			continue
		}
		if c.named(a.group) {
			c.best[fieldEmail] = claim{answer: a}
		}
		return
	}
}

// somebodyOutside reports whether something that may be a person's name, or a document, stands outside lists of people.
func (c *chooser) somebodyOutside() bool {
	outside := func(a *answer) bool { return !a.marks.has(listed) }
	return slices.ContainsFunc(c.waiting, func(w claim) bool {
		return w.answer.field == fieldName && outside(w.answer) && !w.score.formName
	}) || slices.ContainsFunc(c.partsOf(fieldFirst), outside) ||
		slices.ContainsFunc(c.answers, func(a answer) bool { return a.taken && outside(&a) && len(a.documents()) > 0 })
}

// named reports whether a person's name stands in a record itself.
func (c *chooser) named(group int32) bool {
	return slices.ContainsFunc(c.waiting, func(w claim) bool {
		return w.answer.group == group && w.answer.field == fieldName && w.score.strength < weakName && !w.score.formName
	}) || slices.ContainsFunc(c.partsOf(fieldFirst), func(a *answer) bool { return a.group == group })
}

// encloses reports whether a record stands around another one.
func (c *chooser) encloses(around, group int32) bool {
	for group != around && group != 0 {
		group = c.parents[group-1]
	}
	return group == around
}

// besideAnotherAddress reports whether a phone outside a list of people stands beside an address that is not that of
// the contact, who is in the list.
func (c *chooser) besideAnotherAddress(phone *answer) bool {
	email := c.best[fieldEmail].answer
	if email == nil || !email.marks.has(listed) || phone.marks.has(listed) || !c.encloses(phone.group, email.group) {
		return false
	}
	if c.foreign == nil {
		c.foreign = c.foreignRecords(fields.FindEmail(email.values))
	}
	return c.foreign[phone.group]
}

// foreignRecords are the records with an address, and none that is the contact's; none where somebody may stand outside
// lists, whose phone is the family's or the firm's.
func (c *chooser) foreignRecords(address string) map[int32]bool {
	foreign, own := map[int32]bool{}, map[int32]bool{}
	if c.somebodyOutside() {
		return foreign
	}
	for i := range c.answers {
		if a := &c.answers[i]; a.field == fieldEmail {
			own[a.group] = own[a.group] || strings.EqualFold(fields.FindEmail(a.values), address)
			foreign[a.group] = !own[a.group]
		}
	}
	return foreign
}

// CheckEmail returns a fault.InvalidEmail when the draft has no usable e-mail. Its message names the keys that arrived,
// so that the person who set up the form sees what to change; it never holds what was answered.
func (d Draft) CheckEmail() error {
	if strings.IndexByte(d.Email, '@') >= 0 {
		return nil
	}
	message, remedy := "Nenhum campo foi reconhecido como o e-mail.", ` Envie o endereço em um campo chamado "email".`
	if d.kind.Fetched() {
		remedy = " Peça o e-mail no formulário " + d.kind.Platform().Of + ", ou faça o contato à mão a partir deste envio."
	}
	remedy = cmp.Or(remedyFor(d.Keys), remedy)
	if d.deepText != "" {
		message += fmt.Sprintf(` O campo "%s" é um JSON em texto dentro de texto, mais de %d vezes, e não foi lido.`,
			d.deepText, tree.MaxTexts)
		remedy = " Envie o JSON como objeto, e não como texto."
	}
	if key := d.keyOfEmail(); key != "" {
		message, remedy = `O campo "`+key+`" foi reconhecido como o e-mail, mas não tem um endereço com @, `+
			`de até 320 caracteres.`, ""
	}
	if len(d.Keys) > 0 {
		message += " Campos recebidos: " + strings.Join(d.Keys, ", ")
		if !strings.HasSuffix(message, "?") { // a question ends the sentence, too
			message += "."
		}
	} else {
		message += " O corpo não tem campos."
	}
	return fault.New(fault.InvalidEmail, message+remedy).At("email")
}

// keyOfEmail is the key that names the e-mail in a body without an address: that of the answer that was taken for it,
// or one that names it and holds what is no answer, such as "n/a" or a document. Empty where no key does.
func (d Draft) keyOfEmail() string {
	for _, f := range d.Fields {
		if f.Field == fieldNames[fieldEmail] {
			return f.Key
		}
	}
	for _, key := range d.Keys {
		if e, _, ok := aliasOf(key); ok && e.field == fieldEmail && !e.weak {
			return key
		}
	}
	return ""
}

// isMapped reports whether an answer is the first with an address under the webhook's own key of the e-mail. Keys are
// compared in their normal form, so that a colon or a capital more in a question changes nothing.
func (r *reader) isMapped(a *answer) bool {
	if r.emailKey == "" || r.mapped != 0 || len(a.values) == 0 {
		return false
	}
	return names.Of(keyName(a.label())) == r.emailKey && fitsEmail(nil, a, knownName)
}

// keyName is a key as Draft.Keys has it.
func keyName(label string) string { return text.Cut(withoutPersonalData(label), tree.MaxKeyText) }

// emailByKey gives the e-mail to the answer that stands under the webhook's own key, whatever the rules found.
func (r *reader) emailByKey(c *chooser) {
	if r.mapped == 0 {
		return
	}
	a := &c.answers[r.mapped-1]
	a.field = fieldEmail
	c.best[fieldEmail] = claim{answer: a}
}

// maxExample bounds, in characters, the text that Answers shows of a key.
const maxExample = 40

// Answers lists the keys of a body as Draft.Keys names them, each with the beginning of its first text: those with an
// address first, then in the order of arrival. It is for people who say which key is the e-mail, so it leaves out keys
// that are themselves personal data, and keys without a text. Errors: those of Read.
func Answers(o Options, contentType string, body []byte) ([]Pair, error) {
	n, err := parse(contentType, body)
	if err != nil {
		return nil, err
	}
	r := newReader(o, nil)
	r.examples = map[string]string{}
	if r.walk(&n); r.err != nil {
		return nil, r.err
	}
	var addresses, others []Pair
	for _, k := range r.keys {
		switch v := r.examples[k]; {
		case v == "" || strings.HasPrefix(k, "(um "):
		case fields.FindEmail([]string{v}) != "" && strings.Contains(v, "@"):
			addresses = append(addresses, Pair{k, v})
		default:
			others = append(others, Pair{k, text.Cut(v, maxExample)})
		}
	}
	return append(addresses, others...), nil
}

func (r *reader) rememberExample(a *answer) {
	if k := keyName(a.label()); len(a.values) > 0 {
		r.examples[k] = cmp.Or(r.examples[k], text.OneLine(text.Clean(a.text())))
	}
}

// The e-mail and the phone are found by their look where no key or title tells, see phoneByLook: keys may be numbers or
// random.

// notTheirs are words in keys whose address or number is never the contact's.
var notTheirs = names.Set(`
	owner user username receipt seller vendedor sender from remetente admin account cpf cnpj cep ip id rg documento
	document protocolo pedido order invoice transaction pis matricula placa cartao card boleto nsu codigo code site url
	page referrer landing timestamp date time data hora unix created updated submitted at assigned responsible agent
	corretor partner affiliate producer to cc bcc reply destinatario recipient recipients jid amigo amiga friend conjuge
	indicou indicado indicada`)

// saysNotTheirs reports whether an answer belongs to somebody else, or is about something else.
func (a *answer) saysNotTheirs() bool {
	return a.ofOurs() || a.ofRelation() || ofMailbox(a.name()) ||
		names.HasAny(names.Words(join(a.prefix, a.key, a.title)), notTheirs)
}

// ofMailbox reports whether a key says where the form's mail goes: hidden fields hold the site's own address.
func ofMailbox(key string) bool {
	return !isQuestion(key) && names.HasAny(names.Words(key), mailboxWords)
}

var mailboxWords = names.Set(`
	to destino destinos destinatario destinatarios recipient recipients copia copy cc bcc cco notificacao notificacoes
	notificacion notification notifications notify aviso avisos emailto emaildestino emaildestinatario emailcopia emailcc
	emailnotificacao`)

// free reports whether an answer may still be found by its look.
func (a *answer) free() bool { return !a.closed && a.attr == "" && a.field == noField }

// emailByLook finds one whole address, or one among the values of a form that came without its keys: better than no
// lead. If the form has an e-mail field with something else in it, an address elsewhere is not the contact's.
func (c *chooser) emailByLook() {
	if c.badEmail.answer != nil {
		return
	}
	for i := range c.answers {
		a := &c.answers[i]
		if c.best[fieldEmail].answer != nil {
			return
		}
		if !a.free() || !slices.ContainsFunc(a.values, fields.WholeAddress) || a.saysNotTheirs() {
			continue
		}
		b := bid{field: fieldEmail, strength: lookOnly}
		if len(a.values) > 1 {
			b.penalty = 10
		}
		c.claim(a, b)
	}
	if c.best[fieldEmail].answer == nil {
		c.emailInText()
	}
}

// emailInText finds the one address of a text that says whose it is, "meu e-mail é ana@x.com" or "E-mail: ana@x.com",
// as people write in a chat. The text stays in the note.
func (c *chooser) emailInText() {
	for i := range c.answers {
		a := &c.answers[i]
		v := a.values[0]
		mayTell := (a.free() || a.field == fieldMessage) && !a.staff && len(v) <= 4000
		if !mayTell || strings.Count(v, "@") != 1 || a.saysNotTheirs() {
			continue
		}
		address := fields.FindEmail(a.values[:1])
		before, _, found := strings.Cut(v, address)
		if address == "" || !found || !fields.WholeAddress(address) {
			continue
		}
		if isTheirs(before, a.field == fieldMessage || a.labelled) {
			c.best[fieldEmail] = claim{answer: a}
			return
		}
	}
}

// isTheirs reports whether the words before an address say that it is the writer's: "meu e-mail é", or, in what
// somebody wrote, a line's "E-mail:". "O e-mail do suporte é" is somebody else's.
func isTheirs(before string, wrote bool) bool {
	before = strings.TrimRight(before[max(0, len(before)-80):], " *_<(")
	labelled := strings.HasSuffix(before, ":")
	line := before[strings.LastIndexAny(strings.TrimRight(before, ":"), "\n.,;!?|")+1:]
	w := names.Words(line)
	named := false
	for len(w) > 0 && (emailRule.any[w[len(w)-1]] || besideAddress[w[len(w)-1]]) {
		named = named || emailRule.any[w[len(w)-1]]
		w = w[:len(w)-1]
	}
	if len(w) == 0 {
		return named && labelled && wrote
	}
	return named && ofMine[w[len(w)-1]]
}

// besideAddress may stand around the word for an address, ofMine before them.
var (
	ofMine        = names.Set(`meu my mi seu`)
	besideAddress = names.Set(`endereco address melhor best de of pessoal principal profissional e eh is es`)
)

// saysNothing reports whether a key means nothing to a reader: a number, input_3, a random id.
func saysNothing(key string) bool {
	w := names.Words(key)
	if len(w) == 0 || names.CountDigits(key) > 0 && names.CountDigits(key)*2 >= len(key) {
		return true
	}
	if len(w) <= 3 {
		switch w[0] {
		case "input", "field", "question", "q", "campo", "pergunta":
			return true
		}
	}
	return len(key) >= 18 && strings.IndexByte(key, ' ') < 0 && names.CountDigits(key) > 0
}
