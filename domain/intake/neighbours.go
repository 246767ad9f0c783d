package intake

import (
	"strconv"

	"fichario/domain/intake/names"
	"fichario/domain/intake/products"
	"fichario/domain/intake/tree"
)

// neighbours is what the members of an object say about each other, where the shape alone misleads.
type neighbours struct {
	any       bool // one of the members may say something
	products  []envelopeOfProduct
	questions bool  // questions beside answers, which refer to them
	graphQL   bool  // the variables of a query are what it sends
	mail      *mail // an e-mail, whose sender is the contact
	cents     uint8 // the rule by which integers are cents, see cents.go
	counted   bool  // the total is how many records there are
	typed     bool  // a field's type stands beside the parts of its answer
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
			continue
		}
		nb.any = true
	}
	return nb
}

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
	return false
}

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
