package intake

// aliases are the names of the fields in normal form (nameOf). A star marks a weak one.
var aliases = map[field]string{
	fieldEmail: `
		businessemail contactemail correio* correioeletronico customeremail digiteseuemail email email1* emailaddress
		emailadress emailcliente emailcomercial emailcontato emailcorporativo emaildecontato emaildocliente emailempresarial
		emaillead emailparacontato emailpessoal emailprincipal emailprofissional emailtrabalho endemail* enderecodeemail
		enderecoemail informeseuemail leademail mail* mailaddress melhoremail meuemail primaryemail qualeoseuemail
		qualeoseumelhoremail qualseuemail replyto* seuemail seumelhoremail useremail usermail workemail youremail emails
		emailadress1 emailwork emailpersonal personalemail emailaddress1 tuemail tucorreo sucorreo emailid contactemails`,
	fieldName: `
		cliente* clientname comopodemostechamar comopossotechamar comosechama comovocesechama completename contact*
		contactname contato* customername displayname firstandlast fullname interessado* lead* leadname meunome name names*
		nome nomecliente nomecompleto nomecontato nomedapessoa nomedocliente nomedocontato nomedointeressado nomedolead
		nomedoresponsavel nomeesobrenome nomelead nomepessoa nomeresponsavel nomesobrenome personname qualeoseunome
		qualeoseunomecompleto qualoseunome qualoseunomeesobrenome qualseunome responsavel* seunome yourname fullnames nombre
		nombrecompleto nombreyapellido nombreyapellidos tunombre sunombre nickname*`,
	fieldPhone: `
		businessphone cel* cell cellphone cellphonenumber celular celularcomddd celularwhatsapp contactnumber contactphone
		dddcelular dddtelefone fixo* fone fone1* fonecontato homephone leadphone mobile mobilenumber mobilephone
		mobilephonenumber numerocelular numerodecelular numerodetelefone numerodewhatsapp numerodowhatsapp numerotelefone
		numerowhatsapp personalphone phone phone1 phonemobile phoneno phonenumber qualeoseutelefone qualeoseuwhatsapp
		qualoseutelefone qualoseuwhatsapp seucelular seutelefone seuwhatsapp seuwhatsappcomddd tel* telcontato telefone
		telefone1 telefonecelular telefonecomddd telefonecomercial telefonecontato telefoneddd telefonedecontato
		telefonefixo telefoneparacontato telefoneresidencial telefonewhatsapp telephone telephonenumber userphone
		userphonenumber whats* whatsapp whatsappcomddd whatsappnumber whatsapptelefone workphone wpp wsp yourphone yourtel
		zap* zapzap phones mobilephones checkoutphone telephone1 movil telefonomovil telefono numerodetelefono telefones
		celulares contactphones sms* waid`,
	fieldCompany: `
		accountname business* businessname clinica* companhia company companyname emp* employer* empresa empresaondetrabalha
		emqualempresavocetrabalha escritorio* fantasia* firm firma* instituicao loja* negocio* nomedaempresa nomedaloja
		nomedasuaempresa nomedonegocio nomeempresa nomefantasia org* organisation organisationname organizacao organization
		organizationname orgname qualeonomedasuaempresa qualonomedasuaempresa razaosocial suaempresa yourcompany companies
		organizations worksforname employmentname corporatename tradename legalname salesaccountname compania
		nombredelaempresa nombreempresa qualeonomefantasia qualonomefantasia comosechamasuaempresa comosechamaasuaempresa`,
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
		investimentoestimado investimentoinicial verba amounttotal*`,
	fieldMessage: `
		additionalinfo additionalinformation body* comentario comentarios comment comments comopodemosajudar
		comopodemosteajudar conte* contemais conteudo* deixesuamensagem deixeumamensagem descricao description details
		detalhes duvida duvidas duvidasoucomentarios enquiry escrevasuamensagem howcanwehelp informacoesadicionais inquiry
		mensagem mensagemadicional message msg necessidade* nota* notas* note notes obs observacao observacoes pedido*
		pergunta* perguntas* question* questions* recado solicitacao suamensagem texto* textomensagem yourmessage
		leadmessage contactnotes customernote ordernote textarea* multiline* text* mensaje plainbody* textbody* bodyplain*
		strippedtext*`,
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
	fieldArea: `ddd areacode codigodearea phoneareacode`,
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
		whatsapp whats wpp wsp zap zapzap whatsappnumber numerowhatsapp numerodewhatsapp numerodowhatsapp seuwhatsapp
		whatsappcomddd seuwhatsappcomddd telefonewhatsapp whatsapptelefone qualeoseuwhatsapp qualoseuwhatsapp`, // 3
	`
		cel celular cell cellphone cellphonenumber celularcomddd celularwhatsapp numerocelular numerodecelular seucelular
		telefonecelular dddcelular`, // 4
	`mobile mobilenumber mobilephone mobilephonenumber phonemobile`, // 5
}
