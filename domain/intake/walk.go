package intake

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// walk finds the answers of the whole tree.
func (r *reader) walk(n *tree.Node) {
	for n.Kind == tree.Array && len(n.Children) == 1 {
		if r.item(&n.Children[0], "", scope{}) {
			return
		}
		n = &n.Children[0]
	}
	switch n.Kind {
	case tree.Object:
		r.object(n, scope{})
	case tree.Array:
		r.list(n, scope{})
	default:
		r.leaf(n, entry{}, scope{})
	}
}

// object walks the members of an object.
func (r *reader) object(n *tree.Node, s scope) {
	if !s.person {
		s.envelope = envelopeOf(n)
	}
	if s.own = recordOfPerson(n); s.own {
		s.marks &^= inEvent
	}
	switch markOf(n) {
	case ours:
		s.staff = true
	case leads:
		s.staff, s.lead = false, true
		if s.closed && !s.shut {
			s.closed, s.reopened = false, true
		}
		if s.own && !s.closed {
			s.prefix = ""
		}
	}
	nb := r.neighbours(n)
	if nb.cents != 0 {
		s.cents = nb.cents
	}
	for i := range n.Children {
		k := primaryNamed(n, &n.Children[i])
		if !nb.any && k.Key != "data.xml" || !r.explained(&nb, k, s) {
			r.member(k, s)
		}
	}
}

// member walks one member of an object.
func (r *reader) member(k *tree.Node, s scope) {
	r.at = k.At
	e := lookup(k.Key)
	if e.tree == unknownTree && eventOf(k.Key) != nil {
		e.tree = containerTree // the event's name
	}
	if !k.Scalar() {
		if numbersDocument(k) {
			e.tree = unknownTree
		}
		e.tree = r.roleOfParent(k, r.roleOfForm(k, roleOf(k, e.tree), s), s)
		if thing, ok := thingUnder(k); ok {
			named := *k
			named.Key = thing
			r.member(&named, s)
			return
		}
	}
	switch {
	case k.Kind == tree.Object && e.tree == closedTree && !s.closed && r.payment(k, s):
	case e.noise == hardNoise:
		r.drop("noise", k)
	case k.Scalar():
		r.leaf(k, e, s)
	case k.Empty():
		r.rememberKey(text.OneLine(text.Clean(join(s.prefix, k.Key))))
	case e.tree == ignoredTree && !k.ScalarList():
		r.drop("ignored tree", k)
	case k.Kind == tree.Array:
		if !r.listOfLines(k, e, s) && !r.oneAnswer(k, e, s) {
			sub := r.under(k.Key, e, s)
			sub.staff = sub.staff || e.tree == unknownTree && ofTrade(k.Key)
			r.list(k, sub)
		}
	default:
		r.objectMember(k, e, s)
	}
}

// numbersDocument reports whether an object is a person's document, {"type": "CPF", "number": …}, and not one of the
// documents that databases wrap a record in.
func numbersDocument(k *tree.Node) bool {
	if !strings.EqualFold(k.Key, "document") {
		return false
	}
	for _, key := range [...]string{"number", "numero"} {
		if n := k.Child(key); n != nil && n.Scalar() {
			_, ok := documentIn(tree.ScalarText(n), n.Kind == tree.Number)
			return ok
		}
	}
	return false
}

// roleOfForm opens what describes a form or an entry where it holds the only address, see readTree.
func (r *reader) roleOfForm(k *tree.Node, said treeRole, s scope) treeRole {
	if said != closedTree || s.closed || !isForm[names.Of(k.Key)] || !recordOfPerson(k) ||
		slices.ContainsFunc(k.Children, func(m tree.Node) bool { return describesForm[names.Of(m.Key)] }) {
		return said
	}
	r.closedForm = true
	if r.openForm {
		return containerTree
	}
	return said
}

// isForm are the names of what describes a form or an entry, in normal form.
var isForm = names.Set(`form formulario meta`)

// describesForm are the names of members that a form has, and a person has not.
var describesForm = names.Set(`id title titulo alias slug url fields campos`)

// roleOfParent opens the record of a pupil's parent where it holds the only address but for those of our places, see
// readTree.
func (r *reader) roleOfParent(k *tree.Node, said treeRole, s scope) treeRole {
	if said != closedTree || s.closed || !parents[names.Of(k.Key)] || !recordOfPerson(k) {
		return said
	}
	r.closedParent = true
	if r.openParents {
		r.openParents = false // the first; the other one is who comes along
		return personTree
	}
	return said
}

var parents = names.Set(parentWords)

const parentWords = `
	mae pai mother father madre padre parent parents guardian guardians`

// roleOf is what stands under a key of which the vocabulary says less, by its words.
func roleOf(k *tree.Node, said treeRole) treeRole {
	switch {
	case said == closedTree:
		return roleOfClosed(k)
	case said == ignoredTree && k.Key == "auth" && (k.Child("hasPassword") != nil || len(k.Children) == 1 && recordOfPerson(k)):
		return personTree // Memberstack's members; who signs in to a hook has a secret too
	case k.Key == "resource" && slices.ContainsFunc(k.Children, isPerson):
		return containerTree // Yampi's and PayPal's; a bookable one has nobody in it
	case said == unknownTree && holdsAnswers(k.Key):
		return containerTree
	case said == unknownTree && (!k.ScalarList() || !isQuestion(k.Key)):
		return roleBySide(k.Key)
	}
	return said
}

// holdsAnswers reports whether a key of several words says that the answers of a form stand under it, and nothing of
// whose or of what they are: "answer_values", "customBookingFields".
func holdsAnswers(key string) bool {
	if len(key) > 40 || plainKey(key) {
		return false
	}
	w := names.Words(key)
	last := len(w) - 1
	if step := strings.TrimRight(strings.Join(w, ""), "0123456789"); stepsOfForms[step] && len(w) < 3 {
		return true
	}
	return last > 0 && nounsOfAnswers[w[last]] &&
		!slices.ContainsFunc(w[:last], func(word string) bool { return !nounsOfAnswers[word] && !ofForms[word] })
}

// nounsOfAnswers are what answers are called, ofForms words that say no more of them than that a form asked, and
// stepsOfForms the numbered parts that it asks in.
var (
	nounsOfAnswers = names.Set(`
		answer answers field fields value values question questions response responses resposta respostas pergunta perguntas
		campo campos`)
	ofForms = names.Set(`
		and e custom extra additional dynamic form survey quiz booking submission submitted intake adicionais personalizados
		formulario extras`)
	stepsOfForms = names.Set(`step etapa passo`)
)

// objectMember walks an object under a key: one answer, a list in disguise, or more members.
func (r *reader) objectMember(k *tree.Node, e entry, s scope) {
	if r.item(k, k.Key, s) {
		return
	}
	if e.tree != containerTree && e.tree != personTree && r.oneAnswer(k, e, s) {
		return
	}
	sub := r.under(k.Key, e, s)
	sub.staff = sub.staff || e.tree == unknownTree && ofTrade(k.Key)
	if listInDisguise(k) {
		r.list(k, sub)
		return
	}
	r.object(k, sub)
}

// oneAnswer keeps a list of choices, or an object of parts, as the answer under its key. It rejects any other tree.
func (r *reader) oneAnswer(k *tree.Node, e entry, s scope) bool {
	a := answer{key: k.Key, scope: s}
	a.closed = s.closed || e.tree == closedTree
	return r.fill(&a, k, nil)
}

// thingUnder returns what a key names by more than its name: Rails nests phones under "phones_attributes", Pipedrive
// puts the person, an object, under "person_id".
func thingUnder(k *tree.Node) (thing string, ok bool) {
	if thing, ok = strings.CutSuffix(k.Key, "_attributes"); ok {
		own := lookup(k.Key)
		return thing, own.tree == unknownTree && own.field == noField
	}
	if k.Kind != tree.Object {
		return "", false
	}
	if thing, ok = strings.CutSuffix(k.Key, "_id"); !ok {
		return "", false
	}
	e := lookup(thing)
	return thing, e.tree != unknownTree || e.field != noField
}

// roleOfClosed returns the role of a member whose key usually is not about the contact: "items" may hold questions with
// their answers, and an "item" with an e-mail address is not goods.
func roleOfClosed(k *tree.Node) treeRole {
	switch names.Of(k.Key) {
	case "variables":
		if saysWho(k) {
			return containerTree // what a bot has asked, or a list knows of a subscriber
		}
		for i := range k.Children {
			if v := &k.Children[i]; v.Child("name") == nil || v.Child("value") == nil {
				return closedTree
			}
		}
		return containerTree
	case "item":
		if recordOfPerson(k) {
			return personTree
		}
		if k.Str("type") == "conversation" {
			return containerTree // Intercom's
		}
	case "form", "meta":
		// YouCanBookMe's, and what WordPress keeps of a record; a page's head has a list like it.
		ofPage := slices.ContainsFunc(k.Children, func(m tree.Node) bool { return pageHead[m.Str("name")] })
		if k.Kind == tree.Array && len(k.Children) > 0 && !ofPage && allAnswers(k) {
			return containerTree
		}
	case "items", "itens":
		if recordOfPerson(k.Path()) {
			return containerTree // Baserow's rows
		}
		for i := range k.Children {
			a, ok := dissect(&k.Children[i])
			if !ok || a.title == nil {
				return closedTree
			}
			switch names.Of(a.value.Key) {
			case "answer", "response", "resposta":
			default:
				return closedTree
			}
		}
		return containerTree
	}
	return closedTree
}

// pageHead are the names in the head of a page.
var pageHead = names.Set(`viewport description author generator robots keywords`)

// isPerson reports whether a member is a record of the lead.
func isPerson(k tree.Node) bool {
	return k.Kind == tree.Object && (lookup(k.Key).tree == personTree || roleBySide(k.Key) == personTree)
}

// roleBySide returns the role of a tree that no table knows, by whose it is.
func roleBySide(key string) treeRole { return treeOfSide[sideOfTree(key)] }

// treeOfSide is what a tree holds by whose it is.
var treeOfSide = [...]treeRole{neutral: unknownTree, ours: closedTree, leads: personTree}

// allAnswers reports whether each element of a list is an answer under the name of its question.
func allAnswers(list *tree.Node) bool {
	return !slices.ContainsFunc(list.Children, func(k tree.Node) bool {
		a, ok := dissect(&k)
		return !ok || a.name == nil && a.title == nil || !a.value.Scalar()
	})
}

// recordOfPerson reports whether an object has an address among its members, under a name for one.
func recordOfPerson(n *tree.Node) bool { return addressIn(n) != "" }

// saysWho reports whether an object has somebody's address, or a name and a number, each under a key for one.
func saysWho(n *tree.Node) bool {
	has := func(f field, fit func(string) bool) bool {
		return slices.ContainsFunc(n.Children, func(m tree.Node) bool {
			return m.Kind == tree.String && lookup(m.Key).field == f && fit(m.Text)
		})
	}
	phone := func(v string) bool { return fields.E164(v) != "" }
	return recordOfPerson(n) || n.Kind == tree.Object && has(fieldName, hasWord) && has(fieldPhone, phone)
}

// addressIn returns the address that an object has among its members, under a name for one; empty for none.
func addressIn(n *tree.Node) string {
	if n == nil || n.Kind != tree.Object {
		return ""
	}
	for i := range n.Children {
		m := &n.Children[i]
		if m.Kind == tree.String && strings.IndexByte(m.Text, '@') > 0 && (meansOfContact(m.Key) || asksEmail(m.Key)) {
			return strings.TrimSpace(m.Text)
		}
	}
	return ""
}

// namesThing are the keys that say what an event is called.
var namesThing = names.Set(`name nome title titulo description descricao summary`)

// leaf reads a scalar member.
func (r *reader) leaf(k *tree.Node, e entry, s scope) {
	if r.textLeaf(k, e, s) {
		return
	}
	if s.marks.has(inEvent) && namesThing[names.Of(k.Key)] {
		s.closed = true
	}
	a := answer{key: k.Key, scope: s, entry: e, logical: k.Kind == tree.Bool}
	if t := tree.ScalarText(k); t != "" {
		a.values = r.single(t)
	}
	if k.Kind == tree.Number {
		a.number = k.Text
	}
	a.title = r.labelByProduct(k)
	r.keep(&a)
}

// textLeaf walks a text that is a submission in itself, and reports whether it is one.
func (r *reader) textLeaf(k *tree.Node, e entry, s scope) bool {
	holds, deep := k.HoldsJSON()
	if deep && r.deepText == "" {
		r.deepText = keyName(cmp.Or(k.Key, s.prefix))
	}
	if holds && r.jsonLeaf(k, e, s) || r.linesLeaf(k, s) {
		return true
	}
	return k.Kind == tree.String && k.Texts < tree.MaxTexts &&
		(r.base64Leaf(k, s) || e.tree == containerTree && r.queryLeaf(k, s))
}

// linesLeaf walks a text that is a submission in titled lines, see readTree.
func (r *reader) linesLeaf(k *tree.Node, s scope) bool {
	if !r.openLines {
		return false
	}
	lines, ok := k.Lines()
	if !ok {
		return false
	}
	r.dropText("lines", k.Text) // its parts are answers
	s.prefix = ""
	r.object(&lines, s)
	return true
}

// listOfLines walks a list of texts each of which has its title, the lines of a submission. One that is called after
// somebody else has that person's.
func (r *reader) listOfLines(k *tree.Node, e entry, s scope) bool {
	if len(k.Children) < 3 || s.closed || e.tree == closedTree || ofTrade(k.Key) || !k.ScalarList() {
		return false
	}
	all := tree.Node{Kind: tree.String, At: k.At, Key: k.Key, Texts: k.Texts}
	var joined strings.Builder
	for i := range k.Children {
		if _, _, ok := labelIn(tree.ScalarText(&k.Children[i])); !ok {
			return false
		}
		joined.WriteString(k.Children[i].Text + "\n")
	}
	all.Text = joined.String()
	lines, ok := all.Lines()
	if !ok {
		return false
	}
	for i := range k.Children {
		r.dropText("lines", k.Children[i].Text) // its parts are answers
	}
	r.object(&lines, s)
	return true
}

// holdsLines reports whether an answer is such a text.
func holdsLines(a answer) bool {
	if len(a.values) != 1 {
		return false
	}
	_, ok := (&tree.Node{Kind: tree.String, Text: a.values[0]}).Lines()
	return ok
}

// jsonLeaf walks a text that is a submission in JSON.
func (r *reader) jsonLeaf(k *tree.Node, e entry, s scope) bool {
	n, ok, err := k.JSON()
	if err != nil && e.tree != unknownTree {
		r.err = err
		return true
	}
	if !ok {
		return false
	}
	if n.Kind == tree.Object && e.tree == unknownTree {
		s.rank++ // a submission in a field of another, whatever the field's name
		r.object(&n, s)
	} else {
		r.member(&n, s)
	}
	return true
}

// base64Leaf walks a text that is a submission in JSON in base64, as queues wrap their messages (Google Pub/Sub).
func (r *reader) base64Leaf(k *tree.Node, s scope) bool {
	// What JSON begins with: an object or an array, maybe with white space.
	if len(k.Text) < 16 || strings.IndexByte("eW", k.Text[0]) < 0 || strings.IndexByte("ywz3", k.Text[1]) < 0 {
		return false
	}
	encoding := base64.StdEncoding
	if strings.ContainsAny(k.Text, "-_") {
		encoding = base64.URLEncoding
	}
	plain, err := encoding.WithPadding(base64.NoPadding).DecodeString(strings.TrimRight(k.Text, "="))
	if err != nil || !utf8.Valid(plain) || !tree.LooksJSON(string(plain)) {
		return false
	}
	inside := *k
	inside.Text = string(plain)
	s.prefix = ""
	if !r.jsonLeaf(&inside, entry{tree: containerTree}, s) {
		return false
	}
	r.dropText("base64", k.Text)
	return true
}

// queryLeaf walks a text that is an urlencoded submission, under a key that says so.
func (r *reader) queryLeaf(k *tree.Node, s scope) bool {
	if strings.IndexByte(k.Text, '=') <= 0 || !tree.LooksURLEncoded(k.Text) {
		return false
	}
	n, err := tree.ParseURLEncoded([]byte(strings.TrimPrefix(strings.TrimSpace(k.Text), "?")), "")
	if err != nil {
		return false
	}
	r.dropText("query", k.Text) // its parts are answers
	n.Within(k)
	r.object(&n, s)
	return true
}

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
		formsubmissions document new object rows formanswers embedded entries sobject responsejson notification after`,
	personTree: `
		contact contacts contato contatos person people pessoa participant user usuario profile perfil dadosdocliente
		dadosdocontato responsavel usermetadata rawusermetadata contactinfo personalinfo billingaddress defaultaddress
		shippingaddress member members enduser dadoslead dadosdolead novolead contactprofile userdetails userinfo
		userinformation`,
	dealTree: `
		deal deals negocio negociacao opportunity oportunidade purchase compra order pedido sale venda transaction transacao
		invoice fatura checkout subscription assinatura price fullprice total amount paid cart carrinho ticket`,
	closedTree: offerWords + parentWords + `
		form formulario definition survey page site charge quiz payments payment device meta account funnel product
		products produto produtos commissions commission comissoes assignedto createdby updatedby modifiedby items item
		lineitems orderitems orderlines lines cartitems itensdopedido itenspedido itens offer oferta plan plano campaign
		campanha adset course curso store workspace calculations scheduling tags legalbases company1 address endereco
		location geo browser partner workflow automation variables calculated outcome property propriedade conjuge
		spouse indicado indicados amigo referral inbox formstructure indicadopor quemindicou indicou referredby
		dependente dependentes acompanhante acompanhantes avalista fiador fiadora filho filha filhos esposa esposo
		marido companheiro companheira testemunha testemunhas contatoemergencia contatodeemergencia emergencycontact
		vaga vacancy jobopening`,
	ignoredTree: `ending endings schema webhook headers ttc previous old before options auth identityprofiles mergeaudits
		accountability sessionvariables deliveryinfo tracecontext integrations`,
}
