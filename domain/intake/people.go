package intake

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fichario/domain/fault"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
)

const (
	// MaxPeople bounds the people of one body.
	MaxPeople = 200
	// maxPeopleText bounds the bytes kept for all of them together: what stands outside the list is kept for each.
	maxPeopleText = 16 << 20
	// maxPeopleFields bounds the fields read for all of them together, likewise.
	maxPeopleFields = 100_000
)

// ReadAll is Read for a body with several people: each element of a list that has an address of its own is a draft, in
// the order of the list, and what stands outside the elements belongs to each. Elements without an address go to the
// note of the first. The id of an element takes precedence over one for all; the latter is numbered from the second
// draft on, so that each is recognised in a retry. An element with the id and address of an earlier one is the same
// submission, and no draft. A body with one person, or none, is one draft. The error is a fault.InvalidRequest, as for
// Read, and also for more than MaxPeople and for too much that would be kept for each.
func ReadAll(o Options, contentType string, body []byte) ([]Draft, error) {
	sent, err := parse(contentType, body)
	if err != nil {
		return nil, err
	}
	in := crowd{Options: o}
	whole, some := withTextsRead(&sent)
	versions := in.people(&whole)
	if some && len(versions) < 2 && !hasStranger(&whole) { // texts that list no people are answers
		whole = sent
		versions = in.people(&whole)
	}
	if len(versions) > 1 {
		if drafts, err := readVersions(o, versions); drafts != nil || err != nil {
			return drafts, err
		}
		if some && len(in.people(&sent)) == len(versions) { // who comes along is not listed by a text: texts are answers
			whole = sent
		}
	}
	d, err := readTree(o, whole, nil)
	if err != nil {
		return nil, err
	}
	return []Draft{d}, nil
}

// withTextsRead returns a tree in which the texts that are JSON are what they say, where people may stand, and whether
// there are any: a list of people is the same list in a form's field or in a queue's message.
func withTextsRead(n *tree.Node) (out tree.Node, some bool) {
	if out = *n; isAnswer(n) {
		return out, false
	}
	for i := range n.Children {
		k := n.Children[i]
		isText, _ := k.HoldsJSON()
		if isText = isText && (n.Kind == tree.Array || peopleLists[names.Of(k.Key)]); isText {
			read, ok, err := k.JSON()
			if isText = ok && err == nil; isText {
				k = read
			}
		}
		inner := false
		if !k.Scalar() {
			k, inner = withTextsRead(&k)
		}
		if !isText && !inner {
			continue
		}
		if !some {
			out.Children, some = slices.Clone(n.Children), true
		}
		out.Children[i] = k
	}
	return out, some
}

// version is a body reduced to one of its people.
type version struct {
	tree  tree.Node
	email string // the address of the element, which the draft must have
	// path leads to the element: the index among the children at each level, the innermost first.
	path    []int
	element *tree.Node
}

// readVersions returns nil when the address outside the elements is the contact's: then the elements are not separate
// people.
func readVersions(o Options, versions []version) ([]Draft, error) {
	drafts, taken, size, fields := make([]Draft, 0, len(versions)), map[string]bool{}, 0, 0
	for i := range versions {
		v := &versions[i]
		if fields += fieldsOf(&v.tree); i > 0 && fields > maxPeopleFields {
			return nil, fault.New(fault.InvalidRequest, "O corpo tem campos demais fora da lista de pessoas, que seriam "+
				"lidos com cada uma. Envie-as em vários pedidos.")
		}
		d, err := readTree(o, v.tree, nil)
		size += d.size()
		switch {
		case err != nil, !strings.EqualFold(d.Email, v.email):
			return nil, nil
		case i == MaxPeople:
			return nil, fault.New(fault.InvalidRequest,
				fmt.Sprintf("O corpo tem mais de %d pessoas. Envie-as em vários pedidos.", MaxPeople))
		case i > 0 && size > maxPeopleText:
			return nil, fault.New(fault.InvalidRequest, "O corpo tem texto demais fora da lista de pessoas, que seria "+
				"guardado com cada uma. Envie-as em vários pedidos.")
		}
		if own := deliveryID(v.element); d.DeliveryID == "" && own.id != "" {
			d.DeliveryID, d.IDNeeds = own.id, own.needs
		}
		if d.DeliveryID != "" {
			d.SharedID = v.shares(d.DeliveryID)
			if own := deliveryID(v.element); d.SharedID && own.id != "" {
				d.DeliveryID, d.IDNeeds, d.SharedID = own.id, own.needs, false
			}
			known := d.DeliveryID + " " + strings.ToLower(d.Email)
			if !d.SharedID && taken[known] {
				continue
			}
			if i > 0 && (d.SharedID || taken[d.DeliveryID]) {
				d.DeliveryID += "#" + strconv.Itoa(i+1)
			}
			for taken[d.DeliveryID] {
				d.DeliveryID += "#" // somebody's own id looks like a numbered one
			}
			taken[known], taken[d.DeliveryID] = true, true
		}
		drafts = append(drafts, d)
	}
	return drafts, nil
}

// fieldsOf is how many values a tree has; a list of scalars counts as one.
func fieldsOf(n *tree.Node) int {
	if len(n.Children) == 0 || n.ScalarList() {
		return 1
	}
	sum := 0
	for i := range n.Children {
		sum += fieldsOf(&n.Children[i])
	}
	return sum
}

// size is how much text a draft keeps.
func (d *Draft) size() int {
	n := len(d.Message)
	for _, pairs := range [][]Pair{d.Leftover, d.Attribution} {
		for _, p := range pairs {
			n += len(p.Key) + len(p.Value)
		}
	}
	return n
}

// shares reports whether an id of the body stands outside the person, and is thus shared by all.
func (v *version) shares(id string) bool {
	rest := without(&v.tree, v.path)
	return deliveryID(&rest).id == id
}

// without returns the tree minus the node at the end of a path.
func without(n *tree.Node, path []int) tree.Node {
	rest, last := *n, len(path)-1
	rest.Children = slices.Clone(n.Children)
	if at := path[last]; last == 0 {
		rest.Children = slices.Delete(rest.Children, at, at+1)
	} else {
		rest.Children[at] = without(&rest.Children[at], path[:last])
	}
	return rest
}

// peopleLists are the keys of lists that hold people, and of what stands around them, in normal form. People who merely
// come along have no list here: the guests of a meeting, the recipients of an e-mail.
var peopleLists = names.Set(`
	leads lead contacts contact contatos contato people persons pessoas customers clientes subscribers members items
	itens rows records record results data payload body entry entries changes add unsorted submissions responses
	list batch events event eventos registros resultados cadastros inscricoes root object objects value prospects
	prospect registrants applicants candidates candidatos inscritos interessados alunos students solicitantes
	compradores buyers visitors visitantes notification notifications mandrillevents`)

// listsPeople reports whether a list under a key, or in it, holds people.
func listsPeople(key string) bool { return peopleLists[names.Of(key)] || listsLeads(key) }

// listsLeads reports whether a key ends in a word for leads of whom there are lists: "createdCustomers", "lista_leads".
func listsLeads(key string) bool {
	if len(key) > 40 {
		return false
	}
	w := names.Words(key)
	for len(w) > 1 && listNouns[w[len(w)-1]] {
		w = w[:len(w)-1]
	}
	if len(w) == 0 {
		return false
	}
	one := strings.TrimSuffix(w[len(w)-1], "s")
	return sideWords[one] == leads && (peopleLists[one] || peopleLists[one+"s"])
}

var listNouns = names.Set(`list lista data records rows`)

// aroundLeads reports whether an object of no known meaning, or one of ours, has such a list: then it is one more
// envelope.
func aroundLeads(n *tree.Node) bool {
	role := lookup(n.Key).tree
	return n.Kind == tree.Object && (role == unknownTree || role == containerTree || sideOfTree(n.Key) == ours) &&
		slices.ContainsFunc(n.Children, func(k tree.Node) bool { return k.Kind == tree.Array && listsLeads(k.Key) })
}

// crowd looks for people, and knows how many lists it is inside: each element of each is read as a record by itself, so
// that a body of nothing but lists would be read as often as they are deep.
type crowd struct {
	Options
	lists int
}

// listsAround is how many lists may stand in one another around people.
const listsAround = 8

// people returns a version of a part of the body for each person in it, if there are several; else nil.
func (c crowd) people(n *tree.Node) []version {
	switch n.Kind {
	case tree.Array:
		return c.peopleOfList(n)
	case tree.Object:
		if isAnswer(n) {
			return nil
		}
		if batch := c.peopleOfBatches(n); batch != nil {
			return batch
		}
		if found := c.peopleOfRepeats(n); found != nil {
			return found
		}
		return c.peopleOfMembers(n)
	}
	return nil
}

// peopleOfMembers finds the people inside the members of an object.
func (c crowd) peopleOfMembers(n *tree.Node) []version {
	for from, end := 0, 0; from < len(n.Children); from = end {
		end = endOfRun(n.Children, from)
		run := n.Children[from:end]
		// Repeated members have been looked into: again at each level would take twice as long for each.
		if repeated(run) || !listsPeople(run[0].Key) && !aroundLeads(&run[0]) {
			continue
		}
		for i := range run {
			if run[i].Scalar() || hasStranger(&run[i]) {
				continue
			}
			if found := c.people(&run[i]); len(found) > 1 {
				return around(n, from+i, found, nil)
			}
		}
	}
	return nil
}

// peopleOfBatches finds the people of batches, one list for each kind of event.
func (c crowd) peopleOfBatches(n *tree.Node) []version {
	var lists []int
	for i := range n.Children {
		if k := &n.Children[i]; k.Kind == tree.Array && eventOf(k.Key) != nil {
			lists = append(lists, i)
		}
	}
	var all []version
	for _, i := range lists {
		found := c.peopleOfList(&n.Children[i])
		if found == nil && len(lists) > 1 {
			if email := c.addressOf(n.Children[i].First()); email != "" {
				found = []version{{n.Children[i], email, []int{0}, n.Children[i].First()}}
			}
		}
		all = append(all, around(n, i, found, lists)...)
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// peopleOfRepeats finds the people of members that share a name, as the elements of XML do. Where one of them is the
// contact, they become a list, in which strangers stand apart.
func (c crowd) peopleOfRepeats(n *tree.Node) []version {
	for from, end := 0, 0; from < len(n.Children); from = end {
		end = endOfRun(n.Children, from)
		run := n.Children[from:end]
		if !repeated(run) || !peopleLists[names.Of(run[0].Key)] {
			continue
		}
		list := tree.Node{Kind: tree.Array, Key: run[0].Key, At: run[0].At, Children: slices.Clone(run)}
		if found := c.peopleOfList(&list); found != nil {
			var at []int
			for i := from; i < end; i++ {
				at = append(at, i)
			}
			return around(n, from, found, at)
		}
		if hasStranger(&list) {
			n.Children = slices.Concat(n.Children[:from], []tree.Node{list}, n.Children[end:])
			end = from + 1
		}
	}
	return nil
}

// hasStranger reports whether somebody in a tree was set apart.
func hasStranger(n *tree.Node) bool {
	return n.Stranger || slices.ContainsFunc(n.Children, func(k tree.Node) bool { return hasStranger(&k) })
}

// endOfRun returns where the members end that share the name of one, the first of them: members stand in the order of
// their names.
func endOfRun(members []tree.Node, from int) int {
	end := from + 1
	for end < len(members) && members[end].Key == members[from].Key {
		end++
	}
	return end
}

// repeated reports whether members of one name are repeated elements.
func repeated(members []tree.Node) bool {
	return len(members) > 1 && slices.ContainsFunc(members, func(k tree.Node) bool { return k.Kind == tree.Object })
}

// isAnswer reports whether an object is a question with its answer, which may itself name people.
func isAnswer(n *tree.Node) bool {
	a, ok := dissect(n)
	return ok && len(a.unknown) == 0 && (a.title != nil || a.name != nil)
}

// around puts versions of a member into copies of the object, without the other lists.
func around(n *tree.Node, member int, found []version, lists []int) []version {
	out := make([]version, len(found))
	for i, v := range found {
		whole := *n
		whole.Children = make([]tree.Node, 0, len(n.Children))
		for j := range n.Children {
			switch {
			case j == member:
				v.path = append(v.path, len(whole.Children))
				whole.Children = append(whole.Children, v.tree)
			case !slices.Contains(lists, j):
				whole.Children = append(whole.Children, n.Children[j])
			}
		}
		out[i] = version{whole, v.email, v.path, v.element}
	}
	return out
}

// peopleOfList returns, for each person in a list, the list with that element only, if there are several.
func (c crowd) peopleOfList(n *tree.Node) []version {
	if len(n.Children) == 0 || n.ScalarList() || c.lists == listsAround {
		return nil
	}
	c.lists++
	var found []version
	var others []tree.Node
	var persons []bool // which elements have a name and a phone or document of their own
	contact, named := 0, false
	for i := range n.Children {
		k := &n.Children[i]
		if inner := c.people(k); len(inner) > 1 {
			found = append(found, inner...)
		} else {
			d := c.personOf(k)
			persons = append(persons, d.Name != "" && (d.Phone != "" || len(d.Documents) > 0))
			if d.Email == "" {
				others = append(others, *k)
				others[len(others)-1].Stranger = true
			} else {
				found, contact, named = append(found, version{*k, d.Email, nil, k}), i, d.Name != ""
			}
		}
		if len(found) > MaxPeople {
			break
		}
	}
	if len(found) == 1 && named {
		setApart(n, contact, persons)
	}
	if len(found) < 2 {
		return nil
	}
	for i := range found {
		list := *n
		list.Children = []tree.Node{found[i].tree}
		if i == 0 {
			list.Children = append(list.Children, others...)
		}
		found[i].tree, found[i].path = list, append(found[i].path, 0)
	}
	return found
}

// setApart makes the one person with an address, who has a name, the contact: those others of the list who are persons
// too become strangers. If the contact had no name, they might be the rest of it.
func setApart(n *tree.Node, contact int, persons []bool) {
	var theirs, others []tree.Node
	for i, k := range n.Children {
		if i != contact && persons[i] {
			k.Stranger = true
			others = append(others, k)
			continue
		}
		theirs = append(theirs, k)
	}
	n.Children = append(theirs, others...)
}

// addressOf returns the address of a record that is a person by itself; "" for a question with its answer and for
// anything else in lists.
func (c crowd) addressOf(n *tree.Node) string { return c.personOf(n).Email }

// personOf reads a record that is a person by itself.
func (c crowd) personOf(n *tree.Node) Draft {
	if n == nil || n.Kind != tree.Object {
		return Draft{}
	}
	if a, ok := dissect(n); ok && (a.value.Scalar() || a.value.ScalarList()) {
		bare := len(a.unknown) == 0 && (a.title != nil || a.name != nil)
		if bare || !recordOfPerson(n) && newReader(c.Options, nil).item(n, "", scope{}) {
			return Draft{}
		}
	}
	if field := n.Child("field"); field != nil && field.Kind == tree.Object {
		return Draft{}
	}
	d, err := readTree(c.Options, *n, nil)
	if err != nil {
		return Draft{}
	}
	return d
}
