package intake

// treeRole is what an object or array under a key holds.
type treeRole uint8

const (
	unknownTree   treeRole = iota
	containerTree          // the envelope: its members count as if they stood outside
	personTree             // the contact itself
	dealTree               // a deal or purchase: its value counts, its name is a title
	closedTree             // its contents say nothing about the contact, and go to the note only
	ignoredTree            // dropped, see noise.go
)

// trees are the keys whose objects are known, in normal form.
var trees = map[treeRole]string{
	containerTree: `
		data payload submission submissions fields answers field body entry formresponse rawanswers usercolumndata fielddata
		hidden hiddenfields respondent respondentutms responses response results result record records values customfields
		customfield customdata custom formdata formvalues formfields inputs input questions pages merges mergefields
		properties attributes params parameters query querystring urlparameters namedvalues humanfields orderedhumanfields
		changes value unsorted add current extradata rawrequest datajson event tracking trackingparameters lastconversion
		firstconversion content conversionorigin json root request contactattributes dadosadicionais dados campos perguntas
		respostas resposta camposadicionais camposextras contactdata leaddata userdata submissiondata formsubmission
		formsubmissions document new object rows formanswers embedded entries sobject responsejson notification`,
	personTree: `
		contact contacts contato contatos person people pessoa lead leads customer customers cliente clientes buyer
		comprador subscriber subscribers student aluno client visitor visitante attendee participant invitee guest applicant
		candidate candidato user usuario profile perfil dadosdocliente dadosdocontato interessado inscrito responsavel
		contactinfo personalinfo billingaddress defaultaddress shippingaddress member members enduser dadoslead dadosdolead
		novolead registrant contactprofile requester
		solicitante`,
	dealTree: `
		deal deals negocio negociacao opportunity oportunidade purchase compra order pedido sale venda transaction transacao
		invoice fatura checkout subscription assinatura price fullprice total amount paid cart carrinho ticket`,
	closedTree: `
		form formulario definition survey page site charge quiz payments payment device meta account funnel product products
		produto produtos producer seller vendedor affiliate affiliates afiliado afiliados commissions commission comissoes
		owner agent corretor agente assignedto assignee createdby updatedby modifiedby organizer host items item lineitems
		orderitems orderlines lines cartitems itensdopedido itenspedido itens offer oferta plan plano campaign campanha ad
		adset listing imovel course curso store team workspace calculations scheduling tags legalbases company1 address
		endereco location geo browser partner workflow automation variables calculated outcome property propriedade anuncio
		veiculo vehicle conjuge spouse indicado indicados amigo referral inbox formstructure indicadopor quemindicou indicou
		referredby dependente dependentes acompanhante acompanhantes avalista fiador fiadora mae pai filho filha filhos
		esposa esposo marido companheiro companheira testemunha testemunhas contatoemergencia contatodeemergencia
		emergencycontact`,
	ignoredTree: `ending endings schema webhook headers ttc previous old options auth identityprofiles mergeaudits
		accountability sessionvariables deliveryinfo tracecontext integrations`,
}
