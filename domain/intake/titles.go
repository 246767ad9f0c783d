package intake

import (
	"regexp"
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/products"
	"fichario/domain/intake/tree"
)

// titleRule recognises a question by its words.
type titleRule struct {
	name  string
	field field
	any   map[string]bool // one of these
	also  map[string]bool // and one of these, if there are any
	none  map[string]bool // and none of these
	// doubt are words of questions that merely mention the field; the value must then be beyond doubt.
	doubt map[string]bool
	// outright matches titles that ask for the field despite words in none.
	outright *regexp.Regexp
}

// bid offers an answer whose title the rule recognises.
func (t *titleRule) bid(q *candidate) bid {
	title := q.words()
	if t.field == fieldName && q.own && q.title == "" && q.prefix != "" {
		title = names.Words(q.nearTitle()) // whose name it is, does not depend on what stands around the record
	}
	if len(title) < 2 || !t.recognises(title) || names.HasAny(title, t.doubt) && !surelyPhone(q.answer) {
		return bid{}
	}
	if q.title == "" && t.misledBy(q, title) || t.field == fieldCompany && !q.namesCompany(t) ||
		t.field == fieldName && q.calledAsAsked(title) {
		return bid{}
	}
	b := bid{field: t.field, strength: titleWord}
	b.penalty = t.penalty(q, title)
	return b
}

// calledAsAsked reports whether a name begins with what its title asks the name of, and is thus that of a thing: "Nome
// da fazenda: Fazenda Boa Vista".
func (q *candidate) calledAsAsked(title []string) bool {
	w := names.Words(q.values[0])
	return len(w) > 1 && !nameRule.any[w[0]] && sideWords[w[0]] != leads && slices.Contains(title, w[0])
}

// penalty ranks an answer after others whose titles the rule recognises.
func (t *titleRule) penalty(q *candidate, title []string) (penalty int8) {
	switch {
	case t.field == fieldPhone && !names.HasAny(title, mobileWords):
		penalty = landlinePenalty
	case t.field == fieldName && q.title == "" && title[0] == "chat":
		penalty = 1 // the sender's own name says it better
	case t.field == fieldName && q.asksGuardian(title):
		penalty = pupilsName
	}
	if (t.field == fieldPhone || t.field == fieldEmail) && names.HasAny(title, houseWords) {
		penalty += housePenalty
	}
	return penalty
}

// pupilsName ranks the name of who cannot ask after that of who answers for them.
const pupilsName = 2

// asksGuardian reports whether words name a pupil or a child, and another question the name of who answers for them.
func (q *candidate) asksGuardian(title []string) bool {
	if !names.HasAny(title, pupils) || names.HasAny(title, guardians) {
		return false
	}
	if q.guarded == nil {
		q.guarded = map[int32]bool{}
		for i := range q.answers {
			a := &q.answers[i]
			if w := names.Words(a.name()); names.HasAny(w, guardians) && names.HasAny(w, nameRule.any) {
				q.guarded[a.group] = true
			}
		}
	}
	return q.guarded[q.group]
}

var guardians = names.Set(`responsavel responsaveis responsable guardian tutor tutora`)

// thingWords are what machines name: a key with one of them names no person. ownMessages are about messages that are
// not the contact's.
var (
	thingWords = names.Set(`
		link scope meeting webinar appointment session calendar service servico department departamento setor queue fila room
		sala category categoria label etiqueta schedule slot flow button interface menu integration instance
		instancia package pacote tier role type tipo region zone ticket coupon cupom variant vendor gateway acquirer bank
		banco marketplace`)
	ownMessages = names.Set(`
		stream headers confirmation confirmacao success sucesso thank thanks thankyou obrigado agradecimento error erro
		welcome boasvindas html auto autoresponse autoreply redirect`)
)

// programsThings are what programs name with nothing else in the key: "property_name", "nome_do_funil".
var programsThings = names.Set(`
	property attribute column segment segmento os class task trigger connection deal question option conversion etapa funil
	anuncio turma section vehicle empreendimento building interest interesse treatment tratamento procedure procedimento
	specialty especialidade agenda sheet planilha discount desconto currency moeda language idioma locale timezone`)

// thingsWithNames are what people buy, attend, sign up to or are sorted into. A record under such a key has a name of
// its own. In a longer key the same word may say where a person's name was typed: "nome_popup".
var thingsWithNames = names.Set(`
	lesson chapter module class classroom bundle challenge venue newsletter popup widget sequence broadcast magnet segment
	task level cohort track topic theme award certificate achievement exam activity program programme curriculum bootcamp
	workshop masterclass conference contest giveaway raffle poll lander website resource asset contract proposal quote
	estimate method warehouse collection outlet facility studio court seat zone goal milestone board audience rule license
	licence membership addon extra upsell bump promo promotion voucher reward gift skill connector
	aula capitulo modulo turma trilha desafio nivel materia disciplina formacao treinamento oficina palestra congresso polo
	campus programa modalidade boletim isca sequencia segmento tarefa obra contrato proposta pasta metodo
	deposito promocao convenio premio certificado`)

// namesThingAround reports whether a bare name is that of the record around it, and the record a thing.
func (q *candidate) namesThingAround() bool {
	if q.prefix == "" || !bareName(q.key) {
		return false
	}
	around := names.Words(q.holder())
	if len(around) == 0 {
		return false
	}
	last := around[len(around)-1]
	if !thingsWithNames[last] && !thingsWithNames[strings.TrimSuffix(last, "s")] &&
		!thingsWithNames[strings.TrimSuffix(last, "es")] {
		return false
	}
	return !slices.ContainsFunc(q.answers, func(a answer) bool {
		return strings.HasPrefix(a.prefix, q.prefix) && strings.IndexByte(a.values[0], '@') > 0 // what was typed into it
	})
}

// namesProgramsThing reports whether a machine's key is the name of one of these and of nobody.
func namesProgramsThing(key string) bool {
	if strings.IndexByte(key, ' ') >= 0 {
		return false
	}
	found := false
	for _, w := range names.Words(key) {
		found = found || programsThings[w]
		if !programsThings[w] && !littleWords[w] && w != "name" && w != "nome" {
			return false
		}
	}
	return found
}

// namesCompanyOutright reports whether a key is known for that of a company's name: "business_name". Whatever stands
// around it, that is nobody's own; a legal name may be a person's.
func namesCompanyOutright(key string) bool {
	e, _, ok := aliasOf(key)
	return ok && e.field == fieldCompany && names.Of(key) != "legalname"
}

// misledBy reports whether the words of a machine's key are about something else than those of a question would be.
func (t *titleRule) misledBy(q *candidate, key []string) bool {
	switch t.field {
	case fieldName:
		// The name of a deal, an order or a thing.
		return q.deal && !q.ofPersonInDeal() || names.HasAny(names.Words(q.nearTitle()), thingWords) ||
			namesProgramsThing(q.key) || q.namesThingAround() || namesCompanyOutright(q.key)
	case fieldEmail:
		return ofMailbox(q.key)
	case fieldCompany:
		return q.deal
	case fieldMessage:
		return names.HasAny(key, ownMessages) // what the site says to its visitors
	case fieldAmount:
		return q.prefix != "" && !names.HasAny(names.Words(q.key), t.any) // "valor" by a member that says so
	}
	return false
}

// houseWords mark the company's own address and phone, which serve where the person's are not given.
var houseWords = names.Set(`empresa loja company store escritorio`)

const housePenalty = 10

// recognises reports whether a title satisfies the rule.
func (t *titleRule) recognises(title []string) bool {
	if !names.HasAny(title, t.any) || t.also != nil && !names.HasAny(title, t.also) {
		return false
	}
	return !names.HasAny(title, t.none) || t.outright != nil && t.outright.MatchString(strings.Join(title, " "))
}

// surelyPhone reports whether an answer is a phone and nothing else, whatever its question.
func surelyPhone(a *answer) bool {
	return len(a.values) == 1 && phoneLike(a.values[0]) && fields.E164(a.values[0]) != ""
}

// thingsCalled are words for what has a name and is not the contact, people and things.
const thingsCalled = `
	empresa company mae pai pet filho filha filhos conjuge produto product curso course usuario user page pagina form
	formulario campanha campaign ad adset fantasia social evento event marca brand loja store unidade owner seller
	vendedor producer plan plano oferta offer item items file arquivo list lista site domain dominio funnel team workspace
	organizacao organization negocio esposa marido crianca cachorro gato animal escola school survey quiz source medium
	channel tag group grupo bairro rua cidade city state estado country pais street host partner corretor agente agent
	imovel listing projeto project step stage pipeline status field campo template flow bot account conta app device
	browser affiliate afiliado cracha webhook workflow automation utm operation inbox indicou indicado indicacao amigo
	referral table view database collection model board pipe phase card folder mailbox paywall badge community comunidade
	membership username apelido nickname alternative preferido mother father daughter child
	preferred solteiro artistico aniversariante bebe madre padre hijo hija mascota producto calle ciudad ` + placesOfTrade

// nameRule recognises a name.
var nameRule = titleRule{
	name: "title of a name", field: fieldName,
	any:      names.Set(`nome name nombre`),
	none:     names.Set(thingsCalled),
	outright: regexp.MustCompile(`\b(nome|nombre) (completo )?d(o|a|el|e la) (responsavel|responsable)\b`),
}

// companyAsked matches titles, as words, that ask for the name of a company or which one it is: "Como se chama sua
// empresa?", "Qual o nome da empresa em que você atua?". In another order the same words ask for something else: "Como
// sua empresa atua?", "Você tem empresa?".
var companyAsked = regexp.MustCompile(`^(q?\d+ )?(` +
	`como ([ao] )?(sua |seu )?` + companyWord + ` se chama|` +
	`(e )?(voce|vc) ` + companyVerb + ` ` + companyOf + ` (qual|que) ` + companyWord + `|` +
	`(como (se )?chama |como e (chamad[ao] |o nome d[aeo] )|((qual|e|o|digite|informe) )*nome d[aeo] |` +
	`(e )?(` + companyOf + ` )?(qual|que) (e )?)?([ao] )?(sua |seu )?` + companyWord +
	`(( em| na| no)? (que|qual)( voce| vc)? ` + companyVerb + `| (voce|vc) ` + companyVerb + `)?( hoje| atualmente)?)$`)

const (
	companyWord = `(empresa|company|negocio|organizacao|organization)`
	companyOf   = `(em|na|no|de|da|do|por|pela|pelo|para)`
	companyVerb = `(atua|possui|tem|trabalha|representa|fala|faz parte|pertence|e|vem|dirige|gerencia|administra)`
)

// namesCompany reports whether a title that mentions a company asks for its name. One in the language of people may ask
// for anything about it ("Qual a maior dificuldade da sua empresa?"), so its other words must be those of a request for
// a name.
func (q *candidate) namesCompany(t *titleRule) bool {
	name := q.name()
	w := names.Words(products.WithoutNumber(name))
	if nameRule.outright.MatchString(strings.Join(w, " ")) {
		return false // "Nome do responsável pela empresa"
	}
	at := slices.IndexFunc(w, func(word string) bool { return t.any[word] })
	asks := strings.IndexByte(name, '?') >= 0
	if at < 0 || !asks && !names.HasAny(w, littleWords) || companyAsked.MatchString(strings.Join(w, " ")) {
		return true
	}
	other := func(word string) bool {
		return !littleWords[word] && !requestWords[word] && !t.any[word] && !lookup(word).leading &&
			names.CountDigits(word) < max(1, len(word)-1)
	}
	switch {
	case slices.ContainsFunc(w[:at], other):
		return false
	case names.HasAny(w[:at], nameOfCompany), at == 0 && !asks && len(w) <= 4:
		return true
	}
	return !slices.ContainsFunc(w[at+1:], other)
}

// nameOfCompany are the words for the name of a company, requestWords those of a request for it.
var (
	nameOfCompany = names.Set(`nome name nombre razao fantasia chama llama`)
	requestWords  = names.Set(`
		nome name nombre razao social fantasia chama chamada llama called completo full legal digite informe insira
		escreva preencha diga coloque please por favor enter indique se em na um uma en para for with are do you vc
		onde where tu te es trabalha trabalho trabajas trabaja work works representa represent pertence hoje
		atualmente atual current currently ou or e and y instituicao institucion institution escritorio loja marca
		brand business clinica agencia fazenda escola contato contact cliente customer responsavel`)
)

// companyWords name a company.
var companyWords = names.Set(`empresa company negocio organizacao organization organisation compania`)

// phoneWords name a phone.
var phoneWords = names.Set(wordsOfMobiles + `
	telefone telefones fone fones phone tel telephone telefono telefone1 telefone2 fone1 fone2 phone1 phone2 celular1
	celular2`)

// emailRule recognises an address of e-mail.
var emailRule = titleRule{
	name: "title of an e-mail", field: fieldEmail,
	any: names.Set(`email emails mail mails correo`),
	none: names.Set(`
		receber aceita aceito autoriza newsletter optin marketing consent consentimento opt owner receipt seller vendedor
		admin type verified verificado status subscription preferencia preference sent bounced permission template subject
		confirmacao indicado indicada amigo amiga conjuge friend`),
}

// titleRules are tried in this order after the aliases, on titles and keys of two words or more. The company comes
// before the name: "Nome da empresa" names a company.
var titleRules = []titleRule{
	emailRule,
	{
		name: "title of a phone", field: fieldPhone,
		any: phoneWords,
		none: names.Set(`
			receber aceita aceito autoriza consent usa horario quantos quantas quanto tem modelo marca type tipo owner
			seller vendedor verified status operadora aparelho optin country grupo group site indicado indicada amigo amiga
			conjuge friend partner`),
		doubt: names.Set(`prefere preferem prefira preferencia dia dias turno hora periodo`),
	},
	{
		name: "title of a company", field: fieldCompany,
		any: companyWords,
		none: names.Set(`
			quantos quantas faturamento fatura investe segmento ramo setor cargo funcao site website url instagram porte
			tamanho tempo colaboradores funcionarios employees marketing onde cidade cidades estado endereco cnpj email
			telefone whatsapp phone sobre size industry city state address atua faz tipo type area quando ano anos possui tem
			id desafio principal owner revenue como vai domain logradouro bairro cep numero member descreva descricao
			description fone celular valor revenda abertura nascimento objetivo etapa titulo status fechado fechados moeda
			funil pipeline stage reclamada concorrente concorrentes anterior competitor former previous desejado desejada
			pretendido pretendida futuro futura sugerido sugerida cobradora prestadora fornecedora contratada seguradora
			administradora credora`),
		outright: companyAsked,
	},
	nameRule,
	{
		name: "title of what somebody is called", field: fieldName,
		any:  names.Set(`chamar chama chamado chamada llamas llamarte call called`),
		also: names.Set(`como how`),
		none: names.Set(`numero telefone zap whatsapp celular quando horario when ligar ` + thingsCalled),
	},
	{
		name: "title of a value", field: fieldAmount,
		any: names.Set(`valor orcamento budget investir verba presupuesto`),
		none: names.Set(`
			faturamento fatura receita renda salario atualmente atual hoje investe colaboradores quando porque motivo tempo
			prazo onde como tem percebe entrega gera moeda currency type tipo id conta fipe`),
	},
	{
		name: "title of an investment", field: fieldAmount,
		any:  names.Set(`investimento investment`),
		also: names.Set(`previsto disponivel pretendido desejado estimado planejado inicial maximo available planned`),
		none: names.Set(`atualmente atual hoje faturamento retorno`),
	},
	{
		name: "title of what one would spend", field: fieldAmount,
		any:  names.Set(`investir invest invertir gastar spend gasto`),
		also: names.Set(`pretende pretendem pretendes quer deseja pode poderia gostaria plan planning planeja want willing quieres`),
		none: names.Set(`atualmente atual hoje investe porque motivo quando onde como tempo prazo when why where currently`),
	},
	{
		name: "title of a request for help", field: fieldMessage,
		any:  names.Set(`ajudar ajudalo ajudala help ayudar ayudarte`),
		also: names.Set(`podemos posso possamos can may could podemos puedo`),
		none: names.Set(`quem who id`),
	},
	{
		name: "title of a message", field: fieldMessage,
		any:  names.Set(`mensagem message comentario comentarios observacao observacoes duvida duvidas recado mensaje`),
		none: names.Set(`id sid type status tipo template date time at count`),
	},
	{
		name: "title of an origin", field: fieldOrigin,
		any:  names.Set(`conheceu encontrou sabendo hear conociste conocio`),
		none: names.Set(`dificuldade problema desafio`),
	},
	{
		name: "title of what was heard", field: fieldOrigin,
		any:  names.Set(`soube heard conhece conoces know chegou chegaram`),
		also: names.Set(`como onde quem how where about through`),
		none: names.Set(`have has produto produtos pedido pedidos encomenda entrega mercadoria compra pacote`),
	},
}

// learnTitles records the question of each id. Typeform may put fields inside a group.
func (r *reader) learnTitles(fields *tree.Node) {
	if fields == nil || fields.Scalar() {
		return
	}
	if r.titles == nil {
		r.titles = map[string]string{}
	}
	for i := range fields.Children {
		f := &fields.Children[i]
		title := ""
		for _, k := range [...]string{"title", "label", "question", "name", "Title", "Label"} {
			if title = f.Str(k); title != "" {
				break
			}
		}
		for _, k := range [...]string{"id", "ref", "ID"} {
			if id := f.Str(k); id != "" && title != "" {
				r.titles[id] = title
			}
		}
		if group := f.Path("properties"); group != nil {
			r.learnTitles(group.Child("fields"))
		}
		r.learnTitles(f.Child("SubFields"))
	}
}

// unanswered reports whether a list holds only questions.
func unanswered(list *tree.Node) bool {
	for i := range list.Children {
		if _, ok := dissect(&list.Children[i]); ok || list.Children[i].Kind != tree.Object {
			return false
		}
	}
	return true
}

// ofPersonInDeal reports whether an answer stands in a record about a person, which only a deal or an order holds.
func (q *candidate) ofPersonInDeal() bool {
	last := q.holder()
	return q.own && last != "" && lookup(last).tree != dealTree
}
