package intake

import (
	"strings"

	"fichario/domain/intake/names"
)

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
	fieldEmail: "email", fieldName: "nome", fieldPhone: "telefone", fieldCompany: "empresa", fieldAmount: "valor",
	fieldMessage: "mensagem", fieldOrigin: "origem",
}

// entry is what the reader knows about a key, by its normal form.
type entry struct {
	field      field
	weak       bool     // only when no other key feeds the field, and the value looks right
	preference int8     // among the keys of one field, the higher the better
	tree       treeRole // its role when the value is an object or an array
	attr       attr     // attribution, see attribution.go
	noise      noise    // see noise.go
	leading    bool     // one of the leading words that a product puts before a key
	nation     bool     // the contact's country, see chooser.nation
}

// vocabulary is every key that the reader knows, in one table, so that a key costs one lookup.
var vocabulary = buildVocabulary()

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
		set(words, func(e *entry) { e.preference = int8(i + 1) })
	}
	set(`accountname`, func(e *entry) { e.preference = -1 }) // often that of whoever advertises
	for w, s := range sideWords {
		set(w, func(e *entry) { e.tree = treeOfSide[s] })
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
	set(nationKeys, func(e *entry) { e.nation = true })
	set(leadingWords, func(e *entry) { e.leading = true })
	return v
}

// lookup finds a key by its normal form.
func lookup(key string) entry {
	var buf [64]byte
	return vocabulary[string(names.Append(buf[:0], key))]
}

// aliases are the names of the fields in normal form (names.Of). A star marks a weak one.
var aliases = map[field]string{
	fieldEmail: `
		businessemail contactemail correio* correioeletronico customeremail digiteseuemail email email1* emailaddress
		emailadress emailcliente emailcomercial emailcontato emailcorporativo emaildecontato emaildocliente emailempresarial
		emaillead emailparacontato emailpessoal emailprincipal emailprofissional emailtrabalho endemail* enderecodeemail
		enderecoemail informeseuemail leademail mail* mailaddress melhoremail meuemail primaryemail qualeoseuemail
		qualeoseumelhoremail qualseuemail replyto* seuemail seumelhoremail useremail usermail workemail youremail emails
		emailaddresses emailadress1 emailwork emailpersonal personalemail emailaddress1 tuemail tucorreo sucorreo emailid
		contactemails`,
	fieldName: `
		cliente* clientname comopodemostechamar comopossotechamar comosechama comovocesechama completename contact*
		contactname contato* customername displayname firstandlast fullname interessado* lead* leadname meunome name names*
		nome nomecliente nomecompleto nomecontato nomedapessoa nomedocliente nomedocontato nomedointeressado nomedolead
		nomedoresponsavel nomeesobrenome nomelead nomepessoa nomeresponsavel nomesobrenome personname qualeoseunome
		qualeoseunomecompleto qualoseunome qualoseunomeesobrenome qualseunome responsavel*
		seunome yourname fullnames nombre
		nombrecompleto nombreyapellido nombreyapellidos tunombre sunombre nickname* realname nm*`,
	fieldPhone: `
		businessphone cel* cell cellphone cellphonenumber celular celularcomddd celularwhatsapp contactnumber contactphone
		dddcelular dddtelefone fixo* fone fone1* fonecontato homephone leadphone mobile mobilenumber mobilephone
		mobilephonenumber numerocelular numerodecelular numerodetelefone numerodewhatsapp numerodowhatsapp numerotelefone
		numerowhatsapp personalphone phone phone1 phonemobile phoneno phonenumber qualeoseutelefone qualeoseuwhatsapp
		qualoseutelefone qualoseuwhatsapp seucelular seutelefone seuwhatsapp seuwhatsappcomddd tel* telcontato telefone
		telefone1 telefonecelular telefonecomddd telefonecomercial telefonecontato telefoneddd telefonedecontato
		telefonefixo telefoneparacontato telefoneresidencial telefonewhatsapp telephone telephonenumber userphone
		userphonenumber whats* whatsapp whatsappcomddd whatsappnumber whatsapptelefone workphone wpp wsp yourphone yourtel
		zap* zapzap phones phonenumbers mobilephones checkoutphone telephone1 movil telefonomovil telefono numerodetelefono
		telefones celulares fones contactphones sms* waid telefonemovel fonemovel`,
	fieldCompany: `
		accountname business* businessname clinica* companhia company companyname emp* employer* empresa
		empresaondetrabalha emqualempresavocetrabalha escritorio* fantasia* firm firma* instituicao loja* negocio*
		nomedaempresa nomedaloja nomedasuaempresa nomedonegocio nomeempresa nomefantasia org* organisation
		organisationname organizacao organization organizationname orgname qualeonomedasuaempresa qualonomedasuaempresa
		razaosocial suaempresa yourcompany companies empresas organizacoes organizations worksforname employmentname
		employername corporatename tradename legalname salesaccountname salesaccountsname compania nombredelaempresa
		nombreempresa qualeonomefantasia qualonomefantasia comosechamasuaempresa comosechamaasuaempresa
		addresscompany addresscompanyname`,
	fieldAmount: `
		amount* budget creditodesejado dealamount dealvalue estimatedvalue investimento* investimentomensal
		investimentomensalestimado investment* leadvalue montante opportunityamount opportunityvalue orcamento
		orcamentodisponivel orcamentoestimado orcamentomensal orcamentoprevisto preco* price* qualeoorcamentoprevisto
		qualoorcamento qualoseuorcamento qualovalorquepretendeinvestir quantia* quantodesejainvestir quantopretendeinvestir
		quantoquerinvestir quantovocepretendeinvestir ticket* ticketmedio total* totalamount valor valoraproximado
		valoraproximadodacompra valordacompra valordaproposta valordavenda valordeinvestimento valordocredito valordoimovel
		valordoinvestimento valordonegocio valordoprojeto valorestimado valorinvestimento valornegocio valorprojeto
		valorproposta valorquepretendeinvestir valortotal value* opportunity* oportunidade* estimatedamount estimatedrevenue
		presupuesto investimentoprevisto investimentodisponivel investimentopretendido investimentodesejado
		investimentoestimado investimentoinicial verba amounttotal* transactionamount* vlr*`,
	fieldMessage: `
		additionalinfo additionalinformation body* comentario comentarios comment comments comopodemosajudar
		comopodemosteajudar conte* contemais conteudo* deixesuamensagem deixeumamensagem descricao description details
		detalhes duvida duvidas duvidasoucomentarios enquiry escrevasuamensagem howcanwehelp informacoesadicionais inquiry
		mensagem mensagemadicional message msg necessidade* nota* notas* note notes obs observacao observacoes pedido*
		pergunta* perguntas* question* questions* recado solicitacao suamensagem texto* textomensagem yourmessage
		leadmessage contactnotes customernote ordernote additionalcomments additionalnotes anotacao* anotacoes*
		conteumpoucomais contenosmais tuconsulta suconsulta usermsg usermessage textarea* multiline* text* mensaje plainbody*
		textbody* bodyplain* strippedtext*`,
	fieldOrigin: `
		canal* canaldeaquisicao canaldeorigem canalorigem channel* comoconheceu comoficousabendo comoficousabendodenos
		comonosconheceu comonosencontrou comovocenosconheceu deondeveio fonte* fontedolead heardfrom howdidyoufindus
		howdidyouhear howdidyouhearaboutme howdidyouhearaboutus indicadopor leadchannel leadorigin leadsource midia*
		ondenosconheceu ondenosencontrou ondevocenosencontrou origem origemdolead origemlead origin* referralsource source*
		sourcename trafficsource heardaboutus dealsource dealorigin contactsource comonosconociste`,
	fieldFirst: `
		first firstname fname mflistingfname givenname nomeprimeiro prenome primeironome`,
	fieldLast: `
		familyname last lastname lname mflistinglname sobrenome surname ultimonome apellido apellidos`,
	fieldArea: `ddd dddcel areacode codigodearea codigoarea phoneareacode phoneprefix`,
	fieldCountry: `
		ddi countrycode phonecountrycode codigodopais codigopais dialcode callingcode phonecode checkoutphonecode
		phoneextension phonelocalcode`,
}

// phoneOrder ranks the phones of one contact, mobiles last and best: RD Station's phone, for one, is usually the office
// line.
var phoneOrder = []string{
	`phone telefone businessphone homephone workphone fixo telefonecomercial telefonefixo telefoneresidencial`, // 1
	`personalphone`, // 2
	`
		whatsapp whats wpp wsp zap zapzap waid whatsappnumber numerowhatsapp numerodewhatsapp numerodowhatsapp seuwhatsapp
		whatsappcomddd seuwhatsappcomddd telefonewhatsapp whatsapptelefone qualeoseuwhatsapp qualoseuwhatsapp`, // 3
	`
		cel celular cell cellphone cellphonenumber celularcomddd celularwhatsapp numerocelular numerodecelular seucelular
		telefonecelular dddcelular`, // 4
	`mobile mobilenumber mobilephone mobilephonenumber phonemobile telefonemovel fonemovel`, // 5
}
