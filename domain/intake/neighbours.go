package intake

import (
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"strconv"
	"strings"
)

// neighbours is what the members of an object say about each other: knowledge of a product's envelope, where the shape
// alone misleads.
type neighbours struct {
	any       bool  // one of the members may say something
	jotform   bool  // rawRequest holds the answers; beside it stand the form's and the owner's data
	typeform  bool  // the definition holds the questions, which the answers refer to
	questions bool  // questions beside answers, which refer to them
	netlify   bool  // number and summary are the service's own
	rdStation bool  // source is the name of the conversion
	kommo     bool  // leads beside contacts are deals
	graphQL   bool  // the variables of a query are what it sends
	mail      *mail // an e-mail, whose sender is the contact
	wufoo     bool  // the questions stand in a JSON text
	cents     uint8 // the rule by which integers are cents, see cents.go
	seller    bool  // the account of a Stripe object is the seller's
	kiwify    bool  // among the commissions is what the buyer paid
	funnel    bool  // RD Station's, whose origin is the contact's
	opnForm   bool  // the message is the product's own, for the person who sets the webhook up
	thanks    bool  // the message is what the site answered to its visitor
	woovi     bool  // the company is the account's
	network   bool  // the organisation is the one that the visitor's address belongs to
	flow      bool  // the name and the body are those of a WhatsApp Flow
	counted   bool  // the total is how many records there are
	typed     bool  // a field's type stands beside the parts of its answer
	formstack bool  // texts may hold the parts of an answer, one a line

	answeredRaw map[string]bool // Respondi: titles that raw_answers answers better
}

// neighbours examines the members of an object once, and learns the titles of questions that are sent separately.
func (r *reader) neighbours(n *tree.Node) neighbours {
	var nb neighbours
	if len(n.Children) > 200 {
		return nb
	}
	for i := range n.Children {
		k := &n.Children[i]
		switch k.Key {
		case "rawRequest":
			if nb.jotform = k.Kind == tree.String && tree.LooksJSON(k.Text); nb.jotform {
				r.jotformText = n.Str("pretty")
			}
		case "human_fields", "ordered_human_fields":
			nb.netlify = true
		case "conversion_origin":
			nb.rdStation = k.Kind == tree.Object
		case "from", "From", "sender", "headers", "FromFull", "from_email", "mail_from", "from_field":
			if nb.mail == nil {
				nb.mail = mailOf(n)
			}
		case "query":
			nb.graphQL = k.Kind == tree.String && n.Child("variables") != nil
		case "contacts":
			nb.kommo = !k.Scalar()
		case "FieldStructure":
			nb.wufoo = r.learnWufoo(k) || nb.wufoo
		case "definition", "questions", "fields", "raw_answers":
			if answers := n.Child("answers"); answers != nil {
				r.questionsBeside(answers, k, &nb)
			}
		default:
			if !nb.product(n, k) {
				continue
			}
		}
		nb.any = true
	}
	return nb
}

// product checks whether a member, together with another, marks a product.
func (nb *neighbours) product(n, k *tree.Node) bool {
	switch k.Key {
	case "charges", "closed", "livemode", "net_amount", "permalink", "webhook_event_type", "account", "authorized_amount",
		"correlationID", "total_formatted", "clientProfileData", "transaction_hash", "paid_amount", "buyer_details":
		nb.cents = max(nb.cents, centsRuleOf(n))
	}
	switch k.Key {
	case "account_name":
		nb.seller = n.Child("livemode") != nil
	case "webhook_event_type":
		nb.kiwify = n.Child("Commissions") != nil
	case "funnel":
		nb.funnel = k.Child("lifecycle_stage") != nil
	case "success":
		nb.thanks = k.Kind == tree.Bool && n.Child("message") != nil && n.Child("data") != nil
	case "charge":
		nb.woovi = k.Child("correlationID") != nil
	case "organization":
		nb.network = n.Child("ip") != nil && n.Child("countryCode") != nil
	case "response_json":
		nb.flow = true
	case "total", "count", "total_count", "totalCount":
		nb.counted = nb.counted || countsRecords(n, k)
	case "field_type":
		nb.typed = k.Kind == tree.String && len(n.Children) > 1
	case "UniqueID":
		nb.formstack = n.Child("FormID") != nil
	case "form_slug":
		nb.opnForm = n.Child("submission") != nil && n.Child("data") != nil
	default:
		return false
	}
	return true
}

// questionsBeside learns the questions from a member beside the answers.
func (r *reader) questionsBeside(answers, k *tree.Node, nb *neighbours) {
	switch k.Key {
	case "definition":
		if fields := k.Child("fields"); fields != nil {
			r.learnTitles(fields)
			nb.typeform = true
		}
	case "raw_answers":
		nb.answeredRaw = r.humanAnswers(k, answers)
	default:
		r.learnTitles(k)
		nb.questions = unanswered(k)
	}
}

// explained handles a member that its neighbours explain, and reports whether it did.
func (r *reader) explained(nb neighbours, k *tree.Node, s scope) bool {
	if nb.jotform && k.Key != "rawRequest" && k.Key != "formTitle" {
		r.drop("jotform envelope", k)
		return true
	}
	if nb.mail != nil && r.mailMember(nb.mail, k, s) {
		return true
	}
	switch k.Key {
	case "definition":
		return r.typeformDefinition(nb, k, s)
	case "answers":
		return r.respondiAnswers(nb, k, s)
	case "source", "conversion_origin":
		return r.rdStationOrigin(nb, k, s)
	case "leads", "lead":
		return r.within(nb.kommo && !k.Scalar(), dealTree, k, s)
	case "variables", "query", "operationName":
		return r.graphQL(nb, k, s)
	case "funnel":
		return r.rdFunnel(nb, k, s)
	case "Commissions":
		return r.within(nb.kiwify, dealTree, k, s)
	case "response_json":
		return nb.flow && r.flowAnswers(k, s)
	}
	return r.furniture(nb, k) || r.ofSender(nb, k, s) || nb.formstack && r.linesOfParts(k, s)
}

// furniture drops a member that is no answer beside its neighbours.
func (r *reader) furniture(nb neighbours, k *tree.Node) bool {
	switch k.Key {
	case "questions", "fields":
		return r.dropIf(nb.questions, "definition", k)
	case "FieldStructure":
		return r.dropIf(nb.wufoo, "definition", k)
	case "number":
		return r.dropIf(nb.netlify, "netlify envelope", k)
	case "data.xml":
		return r.dropIf(true, "data.xml", k) // Unbounce: data.json says the same
	case "field_type":
		return r.dropIf(nb.typed, "furniture", k)
	case "message":
		return r.dropIf(nb.opnForm, "opnform envelope", k)
	}
	return false
}

// ofSender closes a member that is about the sender of the post and not about the contact.
func (r *reader) ofSender(nb neighbours, k *tree.Node, s scope) bool {
	known := false
	switch k.Key {
	case "account_name":
		known = nb.seller
	case "company":
		known = nb.woovi
	case "organization":
		known = nb.network && k.Scalar()
	case "message":
		known = nb.thanks && k.Scalar()
	case "name", "body":
		known = nb.flow && k.Scalar()
	case "total", "count", "total_count", "totalCount":
		known = nb.counted && k.Scalar()
	}
	return r.within(known, closedTree, k, s)
}

// flowAnswers walks what a person answered in a WhatsApp Flow.
func (r *reader) flowAnswers(k *tree.Node, s scope) bool {
	s.prefix = ""
	r.member(k, s)
	return true
}

func (r *reader) dropIf(known bool, rule string, k *tree.Node) bool {
	if known {
		r.drop(rule, k)
	}
	return known
}

// typeformDefinition keeps the form's title; the questions are already learned.
func (r *reader) typeformDefinition(nb neighbours, k *tree.Node, s scope) bool {
	if !nb.typeform {
		return false
	}
	for i := range k.Children {
		if c := &k.Children[i]; c.Key == "title" {
			r.member(c, s.within("form", closedTree))
		} else {
			r.drop("definition", c)
		}
	}
	return true
}

// respondiAnswers reads the answers that raw_answers does not answer better.
func (r *reader) respondiAnswers(nb neighbours, k *tree.Node, s scope) bool {
	if nb.answeredRaw == nil || k.Kind != tree.Object {
		return false
	}
	for i := range k.Children {
		if c := &k.Children[i]; nb.answeredRaw[c.Key] {
			r.drop("mirror", c)
		} else {
			r.member(c, s)
		}
	}
	return true
}

// rdStationOrigin: the source beside conversion_origin is the conversion's name; the one inside it is the origin,
// although the word is weak elsewhere.
func (r *reader) rdStationOrigin(nb neighbours, k *tree.Node, s scope) bool {
	switch {
	case !nb.rdStation:
		return false
	case k.Key == "source":
		s.closed = true
		r.member(k, s)
		return true
	case k.Kind == tree.Object:
		s.marks |= statedOrigin
		r.object(k, s)
		return true
	}
	return false
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

// rdFunnel reads the funnel that the contact is in, whose origin is the contact's.
func (r *reader) rdFunnel(nb neighbours, k *tree.Node, s scope) bool {
	if !nb.funnel {
		return false
	}
	closed, stated := s.within(k.Key, closedTree), s
	stated.marks |= statedOrigin
	for i := range k.Children {
		if c := &k.Children[i]; c.Key == "origin" {
			r.member(c, stated)
		} else {
			r.member(c, closed)
		}
	}
	return true
}

func (r *reader) graphQL(nb neighbours, k *tree.Node, s scope) bool {
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

// linesOfParts reads an answer of Formstack that came as lines of "first = Ana".
func (r *reader) linesOfParts(k *tree.Node, s scope) bool {
	if k.Kind != tree.String || !strings.Contains(k.Text, " = ") {
		return false
	}
	parts := tree.Node{Kind: tree.Object, Key: k.Key, At: k.At}
	for line := range strings.SplitSeq(k.Text, "\n") {
		key, value, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || key == "" || len(key) > tree.MaxKeyText || len(parts.Children) > 30 {
			return false
		}
		parts.Children = append(parts.Children, tree.Node{Kind: tree.String, Key: key, At: k.At, Text: value})
	}
	tree.SortMembers(parts.Children)
	r.member(&parts, s)
	return true
}
