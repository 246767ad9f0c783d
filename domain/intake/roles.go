package intake

import (
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
)

// Whose a part of a body is. A post often names several people: who asked, and who serves them, owns the account or got
// the mail. The names of keys and what records say about themselves tell them apart (docs/leads.md, "Who is the lead").

// side is whose a part of a body is.
type side uint8

const (
	neutral side = iota // nothing says whose
	ours                // our people, accounts and machines
	leads               // the person who asked
)

// sideWords are the words that tell the side, in normal form. Of several in a name the last counts: the agent of
// "customer_agent" is ours.
var sideWords = func() map[string]side {
	m := map[string]side{}
	for s, list := range map[side]string{
		ours: `
			organizer organizers organiser organisers organizador organizadora host hosts cohost cohosts anfitriao owner owners
			agent agents agente agentes operator operators operador operadora operadores atendente atendentes assignee assignees
			assigned seller sellers vendedor vendedora vendedores corretor corretora corretores consultor consultora salesperson
			salesrep rep reps staff staffs team teams admin admins administrator administrador moderator moderators
			cc bcc merchant producer producers produtor produtora affiliate affiliates affiliations afiliado
			afiliados creator manager managers gerente support suporte
			interviewer recruiter practitioner teammate teammates geoip geolocation isp sdr bdr closer prevendedor
			author authors autor autora autores interno interna vend asesor asesora asesores watcher watchers
			approver aprovador reviewer planner`,
		leads: `
			customer customers client clients cliente clientes visitor visitors visitante visitantes invitee invitees
			attendee attendees lead leads buyer buyers comprador compradora subscriber subscribers requester requesters
			solicitante purchaser purchasers applicant applicants candidate candidato candidata prospect prospects
			registrant registrants booker scheduler payer pagador guest patient patients paciente pacientes student students
			aluno alunos hospede passenger passageiro assinante contratante inscrito inscrita participante requerente
			proponente segurado segurada policyholder interessado interessada doador doadora donor donors consumidor consumidora
			reclamante manifestante cidadao inquilino cooperado cooperada municipe consorciado consorciada cotista voluntario
			voluntaria candidatos formando formanda vestibulando`,
	} {
		for w := range strings.FieldsSeq(list) {
			m[w] = s
		}
	}
	return m
}()

// recordNouns may follow the word for a side in the key of a record: "customer_details", "ToFull".
var recordNouns = names.Set(`
	info information data details detail profile full record records list dados user users person people member members
	contact contacts account to recipient recipients response responses fields email emails address addresses s`)

// ourNumbers are keys of our own lines and mailboxes, in normal form.
var ourNumbers = names.Set(`
	displayphonenumber connectedphone businessphonenumber phonenumberid botnumber tonumber callednumber dialednumber
	originalrecipient deliveredto envelopeto toemails toname toemail toaddress tofull tophone`)

// ourLines are the records of what we are reached by, in normal form: a phone or an address there is ours as a rule.
var ourLines = names.Set(`
	channel channels canal canais instance instancia integration integracao line linha queue fila department departamento
	setor`)

// ourDeeds are what our people do to a record: "created_by". A contact may well have submitted or booked it.
var ourDeeds = names.Set(`
	created updated modified edited assigned closed handled owned changed resolved accepted hosted done moved criado criada
	atualizado atualizada modificado modificada editado editada atribuido atribuida atendido atendida`)

// trades are the people and places that serve, and may just as well be who asks: a record under such a key is set aside
// only if another person of the body has an address, see closeStaff.
var trades = names.Set(`
	broker brokers advisor adviser consultant attendant provider providers professional professionals profissional doctor
	doctors medico medica dentist dentista employee employees funcionario funcionaria colaborador colaboradora specialist
	especialista therapist terapeuta stylist barber barbeiro technician tecnico instructor instructors trainer coach tutor
	clinician realtor advertiser anunciante publisher vendor supplier sponsor mentor speaker speakers palestrante presenter
	presenters tenant dealer bookable bookables captador captadora ` + placesOfTrade)

// placesOfTrade are the places among them. Who is asked for the phone of the clinic works there.
const placesOfTrade = `
	imobiliaria agency agencia shop clinic clinica salon salao branch filial dealership concessionaria unidade unit`

var places = names.Set(placesOfTrade)

// ofTrade reports whether a key ends in the name of a trade, but for a noun for a record or what is asked of it.
func ofTrade(key string) bool {
	if len(key) > 80 {
		return false
	}
	w := names.Words(key)
	for i := len(w) - 1; i >= 0; i-- {
		if w[i] == "profissional" && i > 0 && (phoneWords[w[i-1]] || emailRule.any[w[i-1]]) {
			return false // it is the phone at work
		}
		if trades[w[i]] {
			return !places[w[i]] || !isQuestion(key)
		}
		if sideWords[w[i]] != neutral {
			return false
		}
	}
	return false
}

// sideOfName returns the side that a machine's key names. rest is what follows the word that decides.
func sideOfName(key string) (s side, rest []string) {
	switch {
	case len(key) > 80:
		return neutral, nil
	case plainKey(key) && key != "to" && !ourNumbers[key]:
		return sideWords[key], nil
	}
	w := names.Words(key)
	for i := len(w) - 1; i >= 0; i-- {
		found := sideWords[w[i]]
		if i > 0 && ((w[i] == "by" || w[i] == "por") && ourDeeds[w[i-1]] || w[i] == "lead" && w[i-1] == "team") {
			found = ours
		}
		if found != neutral {
			return found, w[i+1:]
		}
	}
	if len(w) > 0 && w[0] == "to" && (len(w) == 1 || ourNumbers[strings.Join(w, "")] || recordNouns[w[1]]) {
		return ours, w[1:]
	}
	if ourNumbers[strings.Join(w, "")] {
		return ours, nil
	}
	return neutral, nil
}

// sideOfTree returns the side of the record under a key that no table knows: the key ends in the word for the side, or
// a noun for a record follows it.
func sideOfTree(key string) side {
	s, rest := sideOfName(key)
	for _, w := range rest {
		if !recordNouns[w] {
			return neutral
		}
	}
	return s
}

// ofOurs reports whether a machine's key says that its answer names, or reaches, one of ours. A question that a person
// wrote may well ask for the owner's name.
func (a *answer) ofOurs() bool {
	if a.title != "" {
		return false
	}
	s, _ := sideOfName(a.key)
	return s == ours
}

// relations are words for people whom a contact names: their friends, who sent them, whom to call. In a machine's key
// they say that it names or reaches one of these, never the contact.
var relations = names.Set(relationWords)

const (
	relationWords = `
		friend friends amigo amiga amigos amigas referrer referer referred indicador indicadora indicante indicado
		indicada indicados indicou emergency emergencia spouse conjuge husband wife esposa esposo marido companheiro
		companheira avalista fiador fiadora testemunha witness acompanhante acompanhantes dependente dependentes
		dependent dependents beneficiario beneficiaria beneficiarios beneficiary filho filha filhos indicacao indicacoes
		referral referrals`
	// strangerWords are further ones for whose address or phone a form also asks.
	strangerWords = `
		mae pai irmao irma parente socio socia vendedor madre padre hijo hija hermano hermana pareja mother
		father son daughter brother sister partner seller owner`
)

// ofRelation reports whether a machine's key says that its answer names, or reaches, somebody whom the contact names.
func (a *answer) ofRelation() bool { return a.title == "" && namesRelation(a.key) }

// namesRelation reports whether a name has a word for such a person. "Seu telefone (ou do cônjuge)" asks for the
// contact's own first.
func namesRelation(name string) bool {
	if len(name) > 120 || plainKey(name) {
		return false
	}
	w := names.Words(name)
	at := slices.IndexFunc(w, func(word string) bool { return relations[word] })
	if at < 0 {
		return false
	}
	or := slices.IndexFunc(w[:at], func(word string) bool { return word == "ou" || word == "or" })
	return or < 1 || !phoneWords[w[or-1]] && !nameRule.any[w[or-1]] && !emailRule.any[w[or-1]]
}

// ofSomebodyElse reports whether a phone or a name is, by its question or by the record around it, of somebody whom the
// contact names, and the address the contact's own: whoever calls should not reach the emergency contact.
func (c *chooser) ofSomebodyElse(a *answer) bool {
	email := c.best[fieldEmail].answer
	switch {
	case email == nil:
		return false
	case relations[names.Of(a.holder())]:
		return a.prefix != email.prefix
	}
	return relations[a.key] || a.title != "" && namesRelation(a.title) && !namesRelation(email.name())
}

// onlyRelation returns the word for a relation that the keys of all addresses, names and phones of a post have: then
// that person is the contact, who is the only one asked about. A form for friends has "nome_amigo" and "email_amigo".
func (r *reader) onlyRelation() string {
	word := ""
	for i := range r.answers {
		if a := &r.answers[i]; !a.closed && !a.ofOurs() && fields.WholeAddress(a.values[0]) {
			its := relationIn(names.Words(a.name()))
			if its == "" || word != "" && its != word {
				return ""
			}
			word = its
		}
	}
	if word == "" || r.emptyEmail != "" {
		return ""
	}
	named := false
	for i := range r.answers {
		a := &r.answers[i]
		if w := names.Words(a.name()); !a.closed && (names.HasAny(w, nameRule.any) || names.HasAny(w, phoneWords)) {
			its := relationIn(w)
			if its != word && a.ofNobodyElse(w, its, word) {
				return ""
			}
			named = named || its == word
		}
	}
	if !named {
		return ""
	}
	return word
}

// oneself are words of keys for whoever fills in a form, and for the own company.
var oneself = names.Set(`usuario usuaria user empresa company`)

// ofNobodyElse reports whether the name or phone with these words is that of no relation, of none of ours and of no
// thing: somebody is named who asks for the relation. Beside a parent's address the pupil may be named.
func (a *answer) ofNobodyElse(w []string, its, relation string) bool {
	if its == "" && (a.ofOurs() || names.HasAny(w, nameRule.none) && !names.HasAny(w, oneself)) {
		return false
	}
	return !parents[relation] || names.HasAny(w, nameRule.any) && !parents[its] && !names.HasAny(w, pupils)
}

// pupils are for whom parents ask: theirs may be the name beside a parent's address.
var pupils = names.Set(`
	aluno aluna student estudante crianca child filho filha son daughter paciente patient atleta aniversariante bebe menino
	menina kid baby pupil`)

// relationIn returns the first of the words that is one for a relation.
func relationIn(words []string) string {
	for _, w := range words {
		if strangers[w] && sideWords[w] == neutral {
			return w
		}
	}
	return ""
}

// isQuestion reports whether a key is a question that a person wrote, as the sheets and forms send it that use labels
// as keys: it has the little words of a language.
func isQuestion(key string) bool {
	if strings.IndexByte(key, ' ') < 0 {
		return false
	}
	return strings.IndexByte(key, '?') > 0 || names.HasAny(names.Words(key), littleWords)
}

var littleWords = names.Set(`
	o a do da dos das de no na para pelo pela seu sua seus suas meu minha qual quem que como voce el la del su sus tu cual
	quien the of you your my what which who is`)

// asksOurs reports whether the only people whom a post asks about are those who elsewhere are ours, in questions: then
// they are who asks. A form for producers says "E-mail do produtor".
func (r *reader) asksOurs() bool {
	asked := false
	for i := range r.answers {
		a := &r.answers[i]
		asked = asked || !a.closed && isQuestion(a.key) && a.ofOurs()
	}
	if !asked || r.emptyEmail != "" {
		return false
	}
	return !slices.ContainsFunc(r.answers, func(a answer) bool {
		return !a.ofOurs() && (a.typ == emailType || asksEmail(a.name()) || fields.WholeAddress(a.values[0]))
	})
}

// personal are the fields that tell who somebody is: our own people never feed them.
var personal = [fieldCount]bool{
	fieldEmail: true, fieldPhone: true, fieldCompany: true, fieldName: true, fieldFirst: true, fieldLast: true,
	fieldArea: true, fieldCountry: true,
}

// sideWordsOfMarks are what records say that they are, beside the words for sides.
var sideWordsOfMarks = map[string]side{
	"bot": ours, "system": ours, "internal": ours, "employee": ours, "host": ours, "support": ours, "to": ours,
	"messagetovisitor": ours, "outgoing": ours, "outbound": ours, "assistant": ours, "teammate": ours, "coach": ours, "provider": ours,
	"from": leads, "contact": leads, "enduser": leads, "messagetooperator": leads, "offlinemessage": leads,
	"incoming": leads, "inbound": leads,
}

// markOf returns the side that a record of a person claims for itself: {"type": "agent"}, {"is_organizer": true}.
func markOf(n *tree.Node) side {
	person, found := false, neutral
	for i := range n.Children {
		k := &n.Children[i]
		s := neutral
		switch {
		case k.Kind == tree.String && len(k.Text) <= 30 && marksByText(k.Key):
			word := names.Of(k.Text)
			if s = sideWordsOfMarks[word]; s == neutral {
				s = sideWords[word]
			}
			person = person || word == "outgoing" || word == "outbound"
		case k.Kind == tree.Bool && k.Text == "true":
			s = sideOfFlag(k.Key)
		}
		if found == neutral {
			found = s
		}
		person = person || s == neutral && meansOfPerson(k)
	}
	if !person {
		return neutral // the kind of an event, or of a commission
	}
	return found
}

// meansOfPerson reports whether a member names or reaches a person, or is what one wrote.
func meansOfPerson(k *tree.Node) bool {
	switch e := lookup(k.Key); e.field {
	case fieldEmail, fieldFirst, fieldName, fieldPhone:
		return true
	case fieldMessage:
		return k.Kind == tree.String
	}
	switch k.Key {
	case "handle":
		return true
	case "attributes", "profile":
		return k.Kind == tree.Object
	}
	return false
}

// marksByText reports whether the text under a key says what a record is: "type", "userType", "participant_role".
func marksByText(key string) bool {
	switch key {
	case "tipo", "papel", "direction":
		return true
	}
	n := len(key) - len("type")
	if n < 0 || n > 20 {
		return false
	}
	switch end := key[n:]; {
	case strings.EqualFold(end, "type"), strings.EqualFold(end, "role"), strings.EqualFold(end, "kind"):
	default:
		return false
	}
	return n == 0 || whoseMarks[names.Of(key[:n])]
}

// whoseMarks may stand before "type" where a record says what it is.
var whoseMarks = names.Set(`user author sender participant member person actor attendee party contact message sub`)

// sideOfFlag returns the side of a record with a true "is_organizer", "host" or "fromMe".
func sideOfFlag(key string) side {
	if len(key) > 20 {
		return neutral
	}
	w := names.Words(key)
	if len(w) == 2 && w[0] == "is" {
		w = w[1:]
	}
	switch {
	case len(w) == 1 && (w[0] == "self" || w[0] == "bot" || w[0] == "internal"), len(w) == 2 && w[0] == "from" && w[1] == "me":
		return ours
	case len(w) == 1 && !ourDeeds[w[0]]: // who is "assigned" is a ticket's holder, or a lead that somebody was given
		return sideWords[w[0]]
	}
	return neutral
}

// closeStaff closes the answers of records that call themselves ours, if another person of the body has an address:
// who signs up alone may well be an "admin".
func (r *reader) closeStaff() {
	staff, other := false, false
	for i := range r.answers {
		a := &r.answers[i]
		a.staff = a.staff || a.title == "" && !plainKey(a.key) && ofTrade(a.key)
		staff = staff || a.staff
		other = other || !a.staff && !a.closed && !a.ofOurs() && strings.IndexByte(a.values[0], '@') > 0 &&
			fields.FindEmail(a.values[:1]) != "" && (meansOfContact(a.name()) || a.typ == emailType || a.lead || !a.saysNotTheirs())
	}
	if !staff || !other {
		return
	}
	for i := range r.answers {
		if a := &r.answers[i]; a.staff {
			a.closed = true
		}
	}
}
