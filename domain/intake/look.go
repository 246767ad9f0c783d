package intake

import (
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
)

// The e-mail and the phone are found by their look where no key or title tells: keys may be numbers or random.

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

// phoneByLook finds a number of ten to thirteen digits: first one under a meaningless key or written as only phones
// are, then a bare Brazilian one under a key that names no other number.
func (c *chooser) phoneByLook() {
	for _, looks := range [...]func(a *answer, v string) bool{surePhone, barePhone} {
		for i := range c.answers {
			a := &c.answers[i]
			if c.best[fieldPhone].answer != nil {
				return
			}
			v := a.values[0]
			if !a.free() || len(a.values) > 1 || len(v) > fields.MaxPhone || !phoneLike(v) {
				continue
			}
			if n := names.CountDigits(v); n < 10 || n > 13 || a.saysNotTheirs() {
				continue
			}
			if looks(a, v) {
				c.claim(a, bid{field: fieldPhone, strength: lookOnly})
				c.settle()
			}
		}
	}
}

// surePhone reports whether a number is surely a phone: its key means nothing, or it is written as only phones are.
func surePhone(a *answer, v string) bool {
	return (a.title == "" && saysNothing(a.key) || strings.ContainsAny(v, "(+")) && fields.E164(v) != ""
}

// barePhone reports whether a number can be a Brazilian phone, and its key names nothing else.
func barePhone(a *answer, v string) bool {
	if strings.IndexByte(a.name(), ' ') >= 0 || isRecentMoment(v) || !strings.HasPrefix(fields.E164(v), "+55") {
		return false // a question's title says what it asks for
	}
	if _, grouped := fields.Ungroup(v); grouped && strings.IndexByte(v, '.') > 0 {
		return false // an amount
	}
	name := names.Of(join(a.prefix, a.key, a.title))
	return !strings.HasSuffix(name, "id") && !names.HasAny(names.Words(join(a.prefix, a.key, a.title)), otherNumbers) &&
		!slices.ContainsFunc(partsOfOtherNumbers, func(part string) bool { return strings.Contains(name, part) })
}

// isRecentMoment reports whether a number is a Unix time of 2017 to 2033, which looks like a phone of the area codes 15
// to 19.
func isRecentMoment(v string) bool {
	return len(v) == 10 && names.CountDigits(v) == 10 && v > "15" && v < "20"
}

// otherNumbers are words in keys whose number is not a phone; partsOfOtherNumbers count even inside a word, as in
// "numeropedido".
var (
	otherNumbers = names.Set(`
		ts conta contas nf nfe ref sku ean gtin cnh cns nis sus ie im crm oab creci lote quadra serie token hash key chave
		data		nit pasep siape uc vin km dia mes ano peso area total count qtd score lat lng renda divida idade
		value`)
	partsOfOtherNumbers = strings.Fields(`
		cpf cnpj pedido order protocol codig code contrat invoice transa fatura boleto nota account agencia banco bank card
		cartao placa matric process apolice registr inscri cadastr ticket chamado rastre track refer serial session sessao
		barra imei renavam chassi titulo document ident postal date time stamp created updated valor amount price
		preco salario income revenue receita custo cost saldo balance quant version visit pixel device build instala
		benefic carteir consumidor medidor
		prontuar passap passport licen`)
)

// phoneLike reports whether a text holds only characters that phones are written with.
func phoneLike(s string) bool {
	for i := range len(s) {
		if strings.IndexByte("0123456789 ()+-.", s[i]) < 0 {
			return false
		}
	}
	return true
}

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
