package intake

import "strings"

// field is one of the contact's fields that an answer may feed.
type field uint8

const (
	noField field = iota
	fieldEmail
	fieldPhone
	fieldCompany
	fieldName
	fieldAmount
	fieldMessage
	fieldOrigin
	fieldFirst // a part of the name
	fieldLast  // a part of the name
	fieldArea  // a part of the phone
	fieldCountry
	fieldCount
)

// fieldNames are the words of the contract.
var fieldNames = [fieldCount]string{
	fieldEmail: "email", fieldName: "nome", fieldPhone: "telefone", fieldCompany: "empresa", fieldAmount: "valor", fieldMessage: "mensagem",
	fieldOrigin: "origem",
}

// role is what an object or array under a key holds.
type role uint8

const (
	unknownTree   role = iota
	containerTree      // the envelope: its members count as if they stood outside
	personTree         // the contact itself
	dealTree           // a deal or purchase: its value counts, its name is a title
	closedTree         // what is in it says nothing about the contact, and goes to the note only
	ignoredTree        // dropped, see noise.go
)

// entry is what the reader knows of a key, by its normal form.
type entry struct {
	field field
	weak  bool  // only when no other key feeds the field, and the value looks right
	prefs int8  // among the keys of one field, the higher is the better
	tree  role  // when the value is an object or an array
	attr  attr  // attribution, see attribution.go
	noise noise // see noise.go
	skip  bool  // one of the leading words that a product puts before a key
}

// vocabulary is every key that the reader knows, in one table, so that a key costs one look.
var vocabulary = buildVocabulary()

// aliases are the names of the fields in normal form (nameOf). A star marks a weak one.
var aliases = map[field]string{
	fieldEmail: `
		businessemail contactemail correio* correioeletronico customeremail digiteseuemail email email1* emailaddress emailadress
		emailcliente emailcomercial emailcontato emailcorporativo emaildecontato emaildocliente emailempresarial emaillead emailparacontato
		emailpessoal emailprincipal emailprofissional emailtrabalho endemail* enderecodeemail enderecoemail informeseuemail leademail mail*
		mailaddress melhoremail meuemail primaryemail qualeoseuemail qualeoseumelhoremail qualseuemail replyto* seuemail seumelhoremail
		useremail usermail workemail youremail emails emailadress1 emailwork emailpersonal personalemail
		emailaddress1 tuemail tucorreo sucorreo emailid contactemails`,
	fieldName: `
		cliente* clientname comopodemostechamar comopossotechamar comosechama comovocesechama completename contact* contactname contato*
		customername displayname firstandlast fullname interessado* lead* leadname meunome name names* nome nomecliente nomecompleto
		nomecontato nomedapessoa nomedocliente nomedocontato nomedointeressado nomedolead nomedoresponsavel nomeesobrenome nomelead
		nomepessoa nomeresponsavel nomesobrenome personname qualeoseunome qualeoseunomecompleto qualoseunome qualoseunomeesobrenome
		qualseunome responsavel* seunome yourname fullnames nombre nombrecompleto nombreyapellido nombreyapellidos tunombre sunombre`,
	fieldPhone: `
		businessphone cel* cell cellphone cellphonenumber celular celularcomddd celularwhatsapp contactnumber contactphone dddcelular
		dddtelefone fixo* fone fone1* fonecontato homephone leadphone mobile mobilenumber mobilephone mobilephonenumber numerocelular
		numerodecelular numerodetelefone numerodewhatsapp numerodowhatsapp numerotelefone numerowhatsapp personalphone phone phone1
		phonemobile phoneno phonenumber qualeoseutelefone qualeoseuwhatsapp qualoseutelefone qualoseuwhatsapp seucelular seutelefone
		seuwhatsapp seuwhatsappcomddd tel* telcontato telefone telefone1 telefonecelular telefonecomddd telefonecomercial telefonecontato
		telefoneddd telefonedecontato telefonefixo telefoneparacontato telefoneresidencial telefonewhatsapp telephone telephonenumber
		userphone userphonenumber whats* whatsapp whatsappcomddd whatsappnumber whatsapptelefone workphone wpp wsp yourphone yourtel zap*
		zapzap phones mobilephones checkoutphone telephone1 movil telefonomovil telefono numerodetelefono telefones celulares
		contactphones`,
	fieldCompany: `
		accountname business* businessname clinica* companhia company companyname emp* employer* empresa empresaondetrabalha
		emqualempresavocetrabalha escritorio* fantasia* firm firma* instituicao loja* negocio* nomedaempresa nomedaloja nomedasuaempresa
		nomedonegocio nomeempresa nomefantasia org* organisation organisationname organizacao organization organizationname orgname
		qualeonomedasuaempresa qualonomedasuaempresa razaosocial suaempresa yourcompany companies organizations worksforname employmentname corporatename tradename legalname salesaccountname compania
		nombredelaempresa nombreempresa`,
	fieldAmount: `
		amount* budget creditodesejado dealamount dealvalue estimatedvalue investimento* investimentomensal investimentomensalestimado
		investment* leadvalue montante opportunityamount opportunityvalue orcamento orcamentodisponivel orcamentoestimado orcamentomensal
		orcamentoprevisto preco* price* qualeoorcamentoprevisto qualoorcamento qualoseuorcamento qualovalorquepretendeinvestir quantia*
		quantodesejainvestir quantopretendeinvestir quantoquerinvestir quantovocepretendeinvestir ticket* ticketmedio total* totalamount
		valor valoraproximado valoraproximadodacompra valordacompra valordaproposta valordavenda valordeinvestimento valordocredito
		valordoimovel valordoinvestimento valordonegocio valordoprojeto valorestimado valorinvestimento valornegocio valorprojeto
		valorproposta valorquepretendeinvestir valortotal value* opportunity* oportunidade* estimatedamount estimatedrevenue presupuesto
		investimentoprevisto investimentodisponivel investimentopretendido investimentodesejado investimentoestimado investimentoinicial`,
	fieldMessage: `
		additionalinfo additionalinformation body* comentario comentarios comment comments comopodemosajudar comopodemosteajudar conte*
		contemais conteudo* deixesuamensagem deixeumamensagem descricao description details detalhes duvida duvidas duvidasoucomentarios
		enquiry escrevasuamensagem howcanwehelp informacoesadicionais inquiry mensagem mensagemadicional message msg necessidade* nota*
		notas* note notes obs observacao observacoes pedido* pergunta* perguntas* question* questions* recado solicitacao suamensagem texto*
		textomensagem yourmessage leadmessage contactnotes customernote ordernote textarea* multiline* text* mensaje`,
	fieldOrigin: `
		canal* canaldeaquisicao canaldeorigem canalorigem channel* comoconheceu comoficousabendo comoficousabendodenos comonosconheceu
		comonosencontrou comovocenosconheceu deondeveio fonte* fontedolead heardfrom howdidyoufindus howdidyouhear howdidyouhearaboutme
		howdidyouhearaboutus indicadopor leadchannel leadorigin leadsource midia* ondenosconheceu ondenosencontrou ondevocenosencontrou
		origem origemdolead origemlead origin* referralsource source* sourcename trafficsource heardaboutus dealsource dealorigin contactsource comonosconociste`,
	fieldFirst: `
		first firstname fname givenname nomeprimeiro prenome primeironome`,
	fieldLast: `
		familyname last lastname lname sobrenome surname ultimonome apellido apellidos`,
	fieldArea: `ddd areacode codigodearea phoneareacode`,
	fieldCountry: `
		ddi countrycode phonecountrycode codigodopais codigopais dialcode callingcode phonecode checkoutphonecode phoneextension`,
}

// phoneOrder ranks the phones of one contact: the one in the pocket first, the office line last (RD Station's phone is usually that).
var phoneOrder = []string{
	`phone telefone businessphone homephone workphone fixo telefonecomercial telefonefixo telefoneresidencial`, // 1
	`personalphone`, // 2
	`whatsapp whats wpp wsp zap zapzap whatsappnumber numerowhatsapp numerodewhatsapp numerodowhatsapp seuwhatsapp whatsappcomddd
		seuwhatsappcomddd telefonewhatsapp whatsapptelefone qualeoseuwhatsapp qualoseuwhatsapp`, // 3
	`cel celular cell cellphone cellphonenumber celularcomddd celularwhatsapp numerocelular numerodecelular seucelular telefonecelular
		dddcelular`, // 4
	`mobile mobilenumber mobilephone mobilephonenumber phonemobile`, // 5
}

// trees are the keys whose objects are known, in normal form.
var trees = map[role]string{
	containerTree: `
		data payload submission submissions fields answers field body entry formresponse rawanswers usercolumndata fielddata hidden hiddenfields
		respondent respondentutms responses response results result record records values customfields customfield customdata custom
		formdata formvalues formfields inputs input questions pages merges mergefields properties attributes params parameters query
		querystring urlparameters namedvalues humanfields orderedhumanfields changes value unsorted add current extradata rawrequest datajson
		event tracking trackingparameters lastconversion firstconversion content conversionorigin json root
		request contactattributes dadosadicionais dados campos perguntas respostas resposta camposadicionais camposextras contactdata
		leaddata userdata submissiondata formsubmission formsubmissions document new object`,
	personTree: `
		contact contacts contato contatos person people pessoa lead leads customer customers cliente clientes buyer comprador subscriber
		subscribers student aluno client visitor visitante attendee participant invitee guest applicant candidate candidato user usuario
		profile perfil dadosdocliente dadosdocontato interessado inscrito responsavel contactinfo personalinfo billingaddress enduser dadoslead dadosdolead novolead registrant contactprofile requester solicitante`,
	dealTree: `
		deal deals negocio negociacao opportunity oportunidade purchase compra order pedido sale venda transaction transacao invoice fatura
		checkout subscription assinatura price fullprice total amount paid cart carrinho ticket`,
	closedTree: `
		form formulario definition survey page site charge quiz payments payment device meta account funnel product products produto produtos
		producer seller vendedor affiliate affiliates afiliado afiliados commissions commission comissoes owner agent corretor agente
		assignedto assignee createdby updatedby modifiedby organizer host items item lineitems orderitems itens offer oferta plan plano campaign
		campanha ad adset listing imovel course curso store team workspace calculations scheduling tags legalbases
		company1 address endereco location geo browser partner workflow automation
		variables calculated outcome property propriedade anuncio veiculo vehicle conjuge spouse indicado indicados amigo referral inbox formstructure`,
	ignoredTree: `ending endings schema webhook headers ttc previous old options auth identityprofiles mergeaudits`,
}

// leadingWords are the words that a product puts before its keys: Elementor's "No Label email", Contact Form 7's "your-email", Wix's
// "field:email_1a2b", RD Station's "cf_", Jotform's "q4_email", and a sheet's "lead_origem". "form" is not among them: "formName" would become a person's name.
var leadingWords = []string{"nolabel", "your", "seu", "sua", "field", "fields", "cf", "input", "txt", "meu", "minha", "lead", "contact", "contato", "client", "cliente",
	"customer"}

func buildVocabulary() map[string]entry {
	v := make(map[string]entry, 1024)
	set := func(words string, change func(e *entry)) {
		for w := range strings.FieldsSeq(words) {
			e := v[strings.TrimSuffix(w, "*")]
			change(&e)
			v[strings.TrimSuffix(w, "*")] = e
		}
	}
	for f, words := range aliases {
		for w := range strings.FieldsSeq(words) {
			set(w, func(e *entry) { e.field, e.weak = f, strings.HasSuffix(w, "*") })
		}
	}
	for i, words := range phoneOrder {
		set(words, func(e *entry) { e.prefs = int8(i + 1) })
	}
	for r, words := range trees {
		set(words, func(e *entry) { e.tree = r })
	}
	for a, words := range attributionKeys {
		set(words, func(e *entry) { e.attr = a })
	}
	for n, words := range noiseKeys {
		set(words, func(e *entry) { e.noise = n })
	}
	for _, w := range leadingWords {
		set(w, func(e *entry) { e.skip = true })
	}
	return v
}

// lookup finds a key by its normal form.
func lookup(key string) entry {
	var buf [64]byte
	return vocabulary[string(appendName(buf[:0], key))]
}

// aliasOf finds the field that a key or title names: as it stands, and then in the forms that products give it. again says that the key
// is a second one of its kind ("email_2").
func aliasOf(key string) (e entry, again, ok bool) {
	if len(key) > 200 {
		return entry{}, false, false
	}
	if e = lookup(key); e.field != noField {
		return e, false, true
	}
	for _, variant := range keyVariants(key) {
		if e = lookup(variant.key); e.field != noField {
			return e, variant.again, true
		}
	}
	return entry{}, false, false
}

// variant is a key without something that a product or a person adds to it.
type variant struct {
	key   string
	again bool
}

// keyVariants returns the other forms under which a key is looked up, the nearest first.
func keyVariants(key string) []variant {
	var out []variant
	seen := func(k string, again bool) {
		if k = strings.TrimSpace(k); k != "" && k != key && len(out) < 12 {
			out = append(out, variant{k, again})
		}
	}
	base := key
	if i := strings.IndexAny(base, ".)-"); i > 0 && i <= 3 && countDigits(base[:i]) == len(strings.TrimSpace(base[:i])) {
		base = strings.TrimSpace(base[i+1:]) // the number of a question: "3. Celular"
		seen(base, false)
	}
	if i := strings.IndexAny(base, "(?["); i > 0 {
		base = base[:i]
		seen(base, false)
	}
	if i := strings.LastIndexAny(base, "_-"); i > 0 && len(base)-i == 5 && isHex(base[i+1:]) {
		base = base[:i]
		seen(base, false)
	}
	again := false
	if i := strings.LastIndexAny(base, "_- "); i > 0 && i < len(base)-1 && len(base)-i <= 3 && countDigits(base[i+1:]) == len(base)-i-1 {
		again = base[i+1:] != "1"
		base = base[:i]
		seen(base, again)
	}
	if rest, ok := withoutLead(base); ok {
		seen(rest, again)
	}
	if i := strings.IndexByte(base, '/'); i > 0 {
		seen(base[:i], again) // "Empresa / CNPJ"
	}
	return out
}

func isHex(s string) bool {
	for i := range len(s) {
		if unhex(s[i]) < 0 {
			return false
		}
	}
	return true
}

// withoutLead takes one leading word off a key: "your-email", "field:email", "No Label email", "q4_email", "seuNome".
func withoutLead(key string) (string, bool) {
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
		if e := lookup(key[:end]); e.skip {
			return strings.TrimLeft(key[end:], "_-: ."), true
		}
	}
	return "", false
}
