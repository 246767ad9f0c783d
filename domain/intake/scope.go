package intake

import (
	"slices"
	"strconv"
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/intake/products"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// scope is where in a body an answer stands.
type scope struct {
	prefix   string // the keys of the unknown objects around it
	group    int32  // the record that it belongs to
	rank     int16  // its distance from the contact; the lower the better
	closed   bool   // it feeds no field
	person   bool   // it is inside a contact, lead, customer …
	deal     bool   // it is inside a deal or a purchase
	another  bool   // it may be somebody else's, or out of date
	aside    bool   // it is in a company, or in a list of people who may be strangers: own names have no precedence
	staff    bool   // it is in a record that calls itself ours, see closeStaff
	own      bool   // an address of e-mail stands in the same record
	lead     bool   // it is in a record of the lead, by its key or by what it says
	reopened bool   // it is in a record of the lead inside a closed tree: second to what stands outside
	shut     bool   // it is closed for all that it holds: people of ours, people whom the contact names
	cents    uint8  // the rule by which its integers are cents, see amount.go
	marks    marks
	envelope envelope
}

// marks are rare properties of parts of a body.
type marks uint8

const (
	inEntry      marks = 1 << iota // a member of an "entry"
	asked                          // a part of the answer to a question
	inUTM                          // its key is a UTM's without "utm_"
	statedOrigin                   // a weak name of the origin counts as a strong one here
	inUser                         // a member of a "user"
	inEvent                        // a member of an "event" that people attend
	listed                         // an element of a list of people
	applies                        // a record of who applies for something
)

func (m marks) has(mark marks) bool { return m&mark != 0 }

// envelope says whether a name that stands beside the answers belongs to the form.
type envelope uint8

const (
	noEnvelope    envelope = iota
	maybeEnvelope          // a name there is the person's only if there is no other
	formEnvelope           // a name there is the form's
)

// formMarks are neighbours that show a name to be that of a form or of the hook itself.
var formMarks = names.Set(`formid formname formtitle siteid site sitename surveyid triggertype filterid formelementid d`)

// envelopeOf tells whether the answers stand in a container of an object rather than in the object itself.
func envelopeOf(n *tree.Node) envelope {
	container, mark, name, email := false, false, false, false
	for i := range n.Children {
		k := &n.Children[i]
		var buf [64]byte
		w := names.Append(buf[:0], k.Key)
		e := vocabulary[string(w)]
		switch {
		case e.field == fieldEmail && k.ScalarList() && len(k.Children) > 0:
			return noEnvelope
		case k.Scalar():
			if strings.IndexByte(k.Text, '@') >= 0 {
				if e.field == fieldEmail {
					return noEnvelope
				}
				email = email || asksEmail(k.Key)
			}
			name = name || e.field == fieldName
			mark = mark || formMarks[string(w)]
		case e.tree == containerTree || e.tree == personTree:
			container = true
		}
	}
	switch {
	case !name, email && !container:
		return noEnvelope
	case mark:
		return formEnvelope
	case container:
		return maybeEnvelope
	}
	return noEnvelope
}

// asksEmail reports whether a key or question is that of the contact's e-mail.
func asksEmail(key string) bool {
	e, _, ok := aliasOf(key)
	if ok && e.field == fieldEmail {
		return true
	}
	w := names.Words(key)
	s, _ := sideOfName(key)
	return s != ours && len(w) > 1 && emailRule.recognises(w) && !ofMailbox(key)
}

// within is the scope inside a tree with a key and role.
func (s scope) within(key string, t treeRole) scope {
	s.envelope = noEnvelope
	s.marks &^= inEvent
	lead := t == personTree && sideOfTree(key) == leads
	switch {
	case s.closed && lead && !s.shut:
		s.closed, s.reopened = false, true // the customer of a charge
	case s.closed:
		t = closedTree
	}
	switch t {
	case containerTree:
		return s
	case personTree:
		s.prefix, s.deal, s.person, s.lead = "", false, true, s.lead || lead
		s.staff = s.staff && !lead
		if s.reopened {
			s.prefix = text.Cut(key, 80)
		}
		return s
	case closedTree:
		s.shut = s.shut || !s.closed && !openToLeads[names.Of(key)] && sideOfTree(key) != ours
		s.closed = true
	case dealTree:
		s.deal = true
	default:
		s.rank++
	}
	// The keys around an answer tell a reader what it is about; more than a few of them add nothing.
	if len(s.prefix) < 120 {
		s.prefix = join(s.prefix, text.Cut(key, 80))
	}
	return s
}

// openToLeads are the closed trees in which a record of the lead is the lead's all the same, as in those of our people:
// the charge is not about the contact, but its customer is.
var openToLeads = names.Set(`
	charge payment payments pagamento meta inbox account store workspace site page funnel scheduling device referral`)

// under is the scope of what stands under a key. A key that no table knows is looked up without what products add to
// it.
func (r *reader) under(key string, e entry, s scope) scope {
	sub := s.within(key, e.tree)
	sub.aside = sub.aside || e.tree == unknownTree && ofCompany(key)
	switch names.Of(key) {
	case "utm", "utms", "utmparams", "utmparameters", "utmtags", "utmjson", "utmdata":
		sub = s.within(key, unknownTree)
		sub.marks |= inUTM
	case "entry":
		sub.marks |= inEntry
	case "event", "evento":
		sub.marks |= inEvent
	case "guests":
		sub.rank++ // as often who comes along as who asks
	case "shippingaddress":
		sub.rank++ // as often who takes the parcel as who ordered
		sub.another = true
	case "responsavel":
		if !s.lead { // as often the seller as the guardian
			sub.rank += 2
			sub.another = true
		}
	case "user", "usuario", "userdetails", "userinfo", "userinformation", "auth":
		sub.rank += 2 // as often the account's user as the form's
		sub.another = true
		sub.marks |= inUser
		if s.marks.has(inEntry) {
			sub = s.within(key, closedTree) // Cognito: who typed the entry in
		}
	case "firstconversion": // what the contact said then; the record around it has the present state
		sub.rank += 2
		sub.another = true
	case "lastconversion":
		sub.rank++
		sub.another = true
	}
	if e.tree != containerTree {
		sub.group = r.newGroup(s.group, key)
	}
	if applicants[names.Of(key)] {
		sub.marks |= applies
	}
	return sub
}

// ofCompany reports whether a key stands for the contact's company.
func ofCompany(key string) bool {
	if len(key) > 80 {
		return false
	}
	e, _, _ := aliasOf(key)
	return e.field == fieldCompany || names.HasAny(names.Words(key), houseWords)
}

// newGroup numbers a record under a key inside another; 0 is the body itself.
func (r *reader) newGroup(around int32, key string) int32 {
	r.parents = append(r.parents, around)
	r.recordKeys = append(r.recordKeys, key)
	return int32(len(r.parents))
}

// neighbours is what the members of an object say about each other, where the shape alone misleads.
type neighbours struct {
	any       bool // one of the members may say something
	products  []envelopeOfProduct
	questions bool  // questions beside answers, which refer to them
	graphQL   bool  // the variables of a query are what it sends
	mail      *mail // an e-mail, whose sender is the contact
	cents     uint8 // the rule by which integers are cents, see amount.go
	counted   bool  // the total is how many records there are
	typed     bool  // a field's type stands beside the parts of its answer
	machine   bool  // the company beside them is the one that was asked, see ourMachines
	booked    bool  // and so is one that is an object beside what was booked, which is nobody's record
	offered   bool  // a firm beside them has put up what is offered, see firmOfOffer
	served    bool  // a firm with an address, or a shop, is whose customer stands beside it, see consumers
}

// neighbours examines the members of an object once, and learns the titles of questions that are sent separately.
func (r *reader) neighbours(n *tree.Node) neighbours {
	var nb neighbours
	if len(n.Children) > 200 {
		return nb
	}
	for i := range n.Children {
		k := &n.Children[i]
		if centsMarks[k.Key] {
			nb.cents = max(nb.cents, centsRuleOf(n))
		}
		nb.any = r.ofProducts(&nb, n, k) || nb.any
		switch k.Key {
		case "from", "From", "sender", "headers", "FromFull", "from_email", "mail_from", "from_field":
			if nb.mail == nil {
				nb.mail = mailOf(n)
			}
		case "query":
			nb.graphQL = k.Kind == tree.String && n.Child("variables") != nil
		case "questions", "fields":
			if n.Child("answers") != nil {
				r.learnTitles(k)
				nb.questions = unanswered(k)
			}
		case "total", "count", "total_count", "totalCount":
			nb.counted = nb.counted || countsRecords(n, k)
		case "field_type":
			nb.typed = k.Kind == tree.String && len(n.Children) > 1
		default:
			if !nb.atOurs(n, k) {
				continue
			}
		}
		nb.any = true
	}
	return nb
}

// atOurs notes a member that shows whose the company beside it is.
func (nb *neighbours) atOurs(n, k *tree.Node) bool {
	var buf [64]byte
	name := names.Append(buf[:0], k.Key)
	line := k.Kind == tree.Object && ourLines[string(name)] && holdsMailbox(*k)
	machine := line || string(name) == "trackingphonenumber" || ourMachines[string(name)] && !recordOfPerson(n)
	booked := k.Kind == tree.Object && bookings[string(name)] && !recordOfPerson(n)
	offered := k.Kind == tree.Object && offers[string(name)]
	served := consumers[string(name)] && recordOfPerson(k)
	nb.machine, nb.booked, nb.offered = nb.machine || machine, nb.booked || booked, nb.offered || offered
	nb.served = nb.served || served
	return machine || booked || offered || served
}

// consumers are what a company calls those whom it serves.
var consumers = names.Set(`
	customer client buyer purchaser comprador cliente consumer consumidor patient paciente guest hospede passenger
	passageiro donor doador student aluno`)

// offers are the records of what firms put up for somebody to ask about.
var offers = names.Set(offerWords)

const offerWords = `
	ad anuncio listing posting publicacao publicacion imovel inmueble propiedad veiculo vehicle vehiculo`

// firmOfOffer reports whether a record is that of the firm beside what it has put up, whatever its key: the client of a
// portal is who advertises. The contact's own company is called one.
func firmOfOffer(k *tree.Node) bool {
	if k.Kind != tree.Object || recordOfPerson(k) || companyByName(k.Key) {
		return false
	}
	return slices.ContainsFunc(k.Children, func(m tree.Node) bool { return ofFirms[names.Of(m.Key)] })
}

// ofFirms are members that the record of a firm has.
var ofFirms = names.Set(`cnpj tradename razaosocial nomefantasia`)

// explained handles a member that its neighbours explain, and reports whether it did.
func (r *reader) explained(nb *neighbours, k *tree.Node, s scope) bool {
	if r.byProduct(nb, k, s, everyMember) || nb.mail != nil && r.mailMember(nb.mail, k, s) {
		return true
	}
	byKey := func(m *products.Members) products.Reading { return m.By[k.Key] }
	return r.byProduct(nb, k, s, byKey) || r.byNeighbours(nb, k, s) || r.byProduct(nb, k, s, otherMembers)
}

// byNeighbours handles what the members of an object say about each other whatever the product.
func (r *reader) byNeighbours(nb *neighbours, k *tree.Node, s scope) bool {
	switch k.Key {
	case "variables", "query", "operationName":
		return r.graphQL(nb, k, s)
	case "questions", "fields":
		return r.dropIf(nb.questions, "definition", k)
	case "data.xml":
		return r.dropIf(true, "data.xml", k) // Unbounce: data.json says the same
	case "field_type":
		return r.dropIf(nb.typed, "furniture", k)
	case "total", "count", "total_count", "totalCount":
		return r.within(nb.counted && k.Scalar(), closedTree, k, s)
	}
	if nb.offered && firmOfOffer(k) {
		return r.within(true, closedTree, k, s)
	}
	e, record, reached := lookup(k.Key), k.Kind == tree.Object, recordOfPerson(k)
	ours := (nb.machine || nb.booked && record) && !reached || nb.served && record && (reached || e.weak)
	return r.within(ours && e.field == fieldCompany && k.Key != fieldNames[fieldCompany], closedTree, k, s)
}

// ourMachines are the numbers and bots by which a company is reached: a company that a record names beside one is that
// company, and not the contact's. Beside the contact's address, only the number that was called (CallRail's) says so: a
// bot writes its name, and WhatsApp's id, into what the contact answered. So does the record of a line with its number.
var ourMachines = names.Set(`chatbotname chatbotid botname botid whatsappid`)

func (r *reader) dropIf(known bool, rule string, k *tree.Node) bool {
	if known {
		r.drop(rule, k)
	}
	return known
}

// within walks a member as a tree of the given role.
func (r *reader) within(known bool, t treeRole, k *tree.Node, s scope) bool {
	if !known {
		return false
	}
	if k.Scalar() {
		s.closed = s.closed || t == closedTree
		r.leaf(k, entry{}, s)
		return true
	}
	sub := r.under(k.Key, entry{tree: t}, s)
	if k.Kind == tree.Array {
		r.list(k, sub)
	} else {
		r.object(k, sub)
	}
	return true
}

func (r *reader) graphQL(nb *neighbours, k *tree.Node, s scope) bool {
	if !nb.graphQL {
		return false
	}
	if k.Key != "variables" {
		return r.dropIf(true, "graphql", k)
	}
	if k.Kind == tree.Object {
		r.object(k, s)
	}
	return k.Kind == tree.Object
}

// countsRecords reports whether a number says how many records the list beside it has.
func countsRecords(n, total *tree.Node) bool {
	if total.Kind != tree.Number {
		return false
	}
	for i := range n.Children {
		k := &n.Children[i]
		if k.Kind != tree.Array || k.ScalarList() || lineLists[names.Of(k.Key)] && names.Of(k.Key) != "items" {
			continue
		}
		if strconv.Itoa(len(k.Children)) == total.Text || peopleLists[names.Of(k.Key)] && !linesOfOrder(k) {
			return true
		}
	}
	return false
}
