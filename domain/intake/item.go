package intake

import (
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
)

// mailboxLabels say which of several mailboxes or phones a value is, and nothing about the question.
var mailboxLabels = names.Set(`
	work home mobile main other primary personal trabalho casa celular comercial pessoal principal outro business default`)

// item reads an object as one answer. key is the member's own name, "" in an array.
func (r *reader) item(n *tree.Node, key string, s scope) bool {
	if n.Kind != tree.Object {
		return false
	}
	if r.typedItem(n, key, s) {
		return true
	}
	a, ok := dissect(n)
	if !ok {
		return r.unanswered(n, a, s)
	}
	if a.value.Key == "" {
		return false
	}
	ans := answer{typ: typeOfItem(n, a), scope: s}
	ans.title, ans.key = r.labelOf(n, a)
	ans.key = join(thingOf(n), ans.key)
	if key == "" && !a.nameInList(&ans) || key != "" && !a.nameUnderKey(&ans, key) {
		return false
	}
	s = ans.scope
	if key == "" || ans.title != "" {
		ans.prefix = ""
	}
	if !r.fill(&ans, a.value, n) {
		if a.title == nil && a.typ == nil || ans.label() == "" {
			return false
		}
		// Certainly an answer, but of unknown shape: it is kept under its title, and feeds no field.
		tree := withOptionTexts(*a.value, n)
		tree.Key = ans.label()
		s.prefix, s.closed = "", s.closed || !a.ofContact(ans.label())
		s.marks |= asked
		r.member(&tree, s)
	}
	r.besides(n, a, &ans, s)
	return true
}

// ofContact reports whether a question is answered by a record of a person, and asks for the contact's.
func (a anatomy) ofContact(label string) bool {
	return a.typ != nil && lookup(a.typ.Text).tree == personTree && lookup(label).tree == personTree
}

// unanswered walks a question without an answer, or a heading: its name belongs to nobody.
func (r *reader) unanswered(n *tree.Node, a anatomy, s scope) bool {
	if s.closed || a.typ == nil || a.name == nil || a.title == nil && n.Child("text") == nil || len(a.unknown) > 1 {
		return false
	}
	s.closed = true
	r.object(n, s)
	return true
}

// nameUnderKey names the answer of an object that is the value of a key. It rejects records: a deal with a title and a
// value, and {name, value}, whereas {value} and {title, type, value} are answers.
func (a anatomy) nameUnderKey(ans *answer, key string) bool {
	switch lookup(key).tree {
	case dealTree:
		if a.title != nil {
			return false
		}
	case closedTree:
		if a.name != nil {
			return false // {"imovel": {"ref": …, "valor": …}}
		}
	case personTree:
		if e := lookup(a.value.Key); e.field != noField && !e.weak {
			return false // {"lead": {"valor": …}}
		}
	}
	if a.title == nil && a.typ == nil && a.name != nil && bareName(a.name.Key) || len(a.unknown) > 0 {
		return false
	}
	if mailboxLabels[names.Of(ans.title)] {
		ans.title = ""
	}
	ans.key, ans.labelled = key, ans.title != ""
	return true
}

// nameInList names the answer of an object in a list. It rejects records.
func (a anatomy) nameInList(ans *answer) bool {
	if ans.title == "" && ans.key == "" {
		if len(a.unknown) > 0 || a.typ == nil || a.typ.Kind != tree.String || !typeNamesField(a.typ.Text) {
			return false
		}
		ans.key = a.typ.Text // {type: email, value: …}
	}
	if a.typ == nil && a.isRecord(ans.title) {
		return false
	}
	if mailboxLabels[names.Of(ans.title)] || ans.title == "" && mailboxLabels[names.Of(ans.key)] {
		if meansOfContact(ans.prefix) {
			ans.title, ans.key, ans.prefix = "", ans.prefix, ""
		}
	}
	// A name beside a type is the form's name for its field.
	ans.labelled = ans.title != "" || a.typ != nil
	return true
}

// typeNamesField reports whether a type is the name of what it asks for: {type: FIRST_NAME, value: …}.
func typeNamesField(typ string) bool {
	e, _, ok := aliasOf(typ)
	return ok && !e.weak && personal[e.field]
}

// isRecord reports whether an object without a type says more than a question and its answer.
func (a anatomy) isRecord(title string) bool {
	return a.title == nil && len(a.unknown) > 0 || title == "" && a.name != nil && a.name.Kind != tree.String
}

// meansOfContact reports whether a name is that of an e-mail or a phone.
func meansOfContact(name string) bool {
	e, _, ok := aliasOf(name)
	return ok && (e.field == fieldEmail || e.field == fieldPhone)
}

// besides keeps what stands beside the answer in its object, unless it repeats it, and drops the object's bookkeeping.
func (r *reader) besides(n *tree.Node, a anatomy, ans *answer, s scope) {
	for i := range n.Children {
		if k := &n.Children[i]; k != a.value && !slices.Contains(a.unknown, k) && !slices.Contains(a.also, k) {
			r.drop("furniture", k)
		}
	}
	for _, k := range append(a.unknown, a.also...) {
		if repeats(k, ans.text()) || ans.title != "" && tree.ScalarText(k) == ans.title {
			r.drop("mirror", k)
			continue
		}
		sub := s.within(ans.label(), closedTree)
		if ans.labelled {
			sub.marks |= asked
		} else {
			sub.marks &^= asked
		}
		r.member(k, sub)
	}
}

// repeats reports whether a member repeats the answer beside it: WPForms repeats the parts of a name and the number of
// a price, Elementor the choices.
func repeats(n *tree.Node, text string) bool {
	if n.ScalarList() {
		for i := range n.Children {
			if !repeats(&n.Children[i], text) {
				return false
			}
		}
		return len(n.Children) > 0
	}
	t := tree.ScalarText(n)
	if t == "" || strings.Contains(text, t) {
		return t != ""
	}
	said, ok := fields.ParseAmount(t)
	answered, isAmount := fields.ParseAmount(text)
	return ok && isAmount && said == answered
}

// typedItem reads objects whose value stands under the name of its type: Typeform's answers, with the question under
// "field", and the fields of Notion and Stripe, with the question under "label" or around them.
func (r *reader) typedItem(n *tree.Node, key string, s scope) bool {
	typ, field := n.Child("type"), n.Child("field")
	if typ == nil || typ.Kind != tree.String || field != nil && field.Kind != tree.Object {
		return false
	}
	value := n.Child(typ.Text)
	if value == nil || value == typ || value == field {
		return false
	}
	ans := answer{typ: typeOf(typ.Text), scope: s}
	if field != nil {
		ans.title, ans.key = r.labelOf(n, anatomy{})
		if t := typeOf(field.Str("type")); t != noType {
			ans.typ = t
		}
	} else if !r.nameTyped(&ans, n, typ.Text, key) {
		return false
	}
	ans.labelled = ans.title != ""
	ans.prefix = ""
	if !r.fill(&ans, value, n) {
		return false
	}
	for i := range n.Children {
		if k := &n.Children[i]; k != value {
			r.drop("furniture", k)
		}
	}
	return true
}

// nameTyped names the answer of an object that holds only a type, a value under the name of the type, and maybe a
// label.
func (r *reader) nameTyped(ans *answer, n *tree.Node, typ, key string) bool {
	if noisySuffix(typ, false) {
		return false
	}
	rest := *n
	rest.Children = slices.DeleteFunc(slices.Clone(n.Children), func(k tree.Node) bool {
		return k.Key == typ || k.Empty()
	})
	a, _ := dissect(&rest)
	if a.value != nil || len(a.unknown) > 0 || a.typ == nil {
		return false
	}
	if key != "" {
		ans.key = key
		return a.title == nil && (a.name == nil || names.Of(a.name.Key) == "id")
	}
	ans.title, ans.key = r.labelOf(n, a)
	return ans.title != "" && !mailboxLabels[names.Of(ans.title)]
}

// list walks an array: answers one by one, or records, of which the first is the contact.
func (r *reader) list(n *tree.Node, s scope) {
	if holdsPairs(n) {
		for i := range n.Children {
			k := n.Children[i].Children[1]
			k.Key = n.Children[i].Children[0].Text
			r.drop("key of a pair", &n.Children[i].Children[0])
			r.member(&k, s)
		}
		return
	}
	n = primaryFirst(n)
	mirrors := mirrorsIn(n)
	// An element without a name of its own takes the name of the list.
	named := answer{key: s.prefix, scope: s}
	strangers := n.Key != "" && lookup(n.Key).tree != containerTree && !listsPeople(n.Key)
	named.prefix = ""
	if named.key == "" {
		named.key = n.Key
	}
	records, first := int32(0), ""
	for i := range n.Children {
		k := &n.Children[i]
		k.Key = "" // an index is not a name
		r.at = k.At
		s.closed = s.closed || k.Stranger // strangers come last
		switch {
		case mirrors != nil && mirrors[i]:
			r.drop("option mirror", k)
		case k.Scalar():
			leaf := *k
			leaf.Key = named.key
			r.leaf(&leaf, entry{}, named.scope)
		case k.Kind == tree.Array:
			a := named
			if !r.fill(&a, k, nil) {
				r.list(k, s)
			}
		case r.item(k, "", s), r.phoneRecord(k, named):
		default:
			sub := s
			sub.group = r.newGroup(s.group, n.Key)
			sub.aside = sub.aside || strangers
			if listsPeople(n.Key) && lookup(n.Key).tree != closedTree {
				sub.marks |= listed
			}
			if records++; records > 1 {
				sub.rank += 2
				sub.another = true
			}
			sub.closed = sub.closed || cameAlong(k, s, &first)
			r.object(k, sub)
		}
	}
}

// primaryFirst returns a list in which the one that is marked as the one to use, of several addresses or phones, comes
// before all others.
func primaryFirst(list *tree.Node) *tree.Node {
	at := slices.IndexFunc(list.Children, isPrimary)
	if at <= 0 || !holdsMailbox(list.Children[at]) {
		return list
	}
	ordered := *list
	ordered.Children = slices.Concat(list.Children[at:at+1], list.Children[:at], list.Children[at+1:])
	return &ordered
}

// primaryNamed returns a list of addresses or phones in which the one whose id a sibling names comes before all others:
// "primary_email_address_id" beside "email_addresses". It returns any other member as it is.
func primaryNamed(object, list *tree.Node) *tree.Node {
	if list.Kind != tree.Array || len(list.Children) < 2 || len(object.Children) > 200 {
		return list
	}
	key := names.Of(list.Key)
	for i := range object.Children {
		id := &object.Children[i]
		if !id.Scalar() || id.Empty() || !strings.HasPrefix(id.Key, "primary") || !namesMeans(id.Key) {
			continue
		}
		thing := strings.TrimSuffix(strings.TrimPrefix(names.Of(id.Key), "primary"), "id")
		if key != thing+"s" && key != thing+"es" {
			continue
		}
		at := slices.IndexFunc(list.Children, func(k tree.Node) bool { return k.Str("id") == id.Text && holdsMailbox(k) })
		if at > 0 {
			ordered := *list
			ordered.Children = slices.Concat(list.Children[at:at+1], list.Children[:at], list.Children[at+1:])
			return &ordered
		}
	}
	return list
}

// namesMeans reports whether a key is of a means of contact, and not of people or places that have one.
func namesMeans(key string) bool {
	return slices.ContainsFunc(names.Words(key), func(w string) bool { return w == "email" || phoneWords[w] })
}

// isPrimary reports whether a record says that it is the one to use.
func isPrimary(n tree.Node) bool {
	return n.Kind == tree.Object && slices.ContainsFunc(n.Children, func(k tree.Node) bool {
		return (k.Kind == tree.Bool || k.Kind == tree.String) && k.Text == "true" && primaryFlags[names.Of(k.Key)]
	})
}

var primaryFlags = names.Set(`primary isprimary main ismain default isdefault principal preferred ispreferred`)

// holdsMailbox reports whether a record holds an address or a phone.
func holdsMailbox(n tree.Node) bool {
	return slices.ContainsFunc(n.Children, func(k tree.Node) bool {
		return k.Kind == tree.String && (fields.WholeAddress(k.Text) || phoneLike(k.Text) && names.CountDigits(k.Text) >= 8)
	})
}

// cameAlong reports whether a record of a list is about somebody who came along, whose phone and documents are theirs:
// it has another address than the first that is no staff's.
func cameAlong(record *tree.Node, s scope, first *string) bool {
	address := addressIn(record)
	switch {
	case s.staff || markOf(record) == ours:
		return false
	case *first == "":
		*first = address
		return false
	}
	return address != "" && !strings.EqualFold(address, *first)
}

// phoneRecord reads a record of a list of phones.
func (r *reader) phoneRecord(n *tree.Node, a answer) bool {
	return a.wants(fieldPhone) && r.fill(&a, n, nil)
}

// holdsPairs reports whether a list holds pairs of a key and a value, as scripts make them from a form's entries.
func holdsPairs(n *tree.Node) bool {
	for i := range n.Children {
		k := &n.Children[i]
		if k.Kind != tree.Array || len(k.Children) != 2 {
			return false
		}
		if key, value := &k.Children[0], &k.Children[1]; key.Kind != tree.String || key.Empty() || !value.Scalar() {
			return false
		}
	}
	return len(n.Children) > 1
}

// listInDisguise reports whether an object is a list: objects under numbers, or each with a name and a value of its
// own.
func listInDisguise(n *tree.Node) bool {
	for i := range n.Children {
		k := &n.Children[i]
		if k.Scalar() {
			return false
		}
		number := names.CountDigits(k.Key) == len(k.Key)
		if !number && (k.Child("name") == nil || k.Child("value") == nil || len(k.Children) != 2) {
			return false
		}
	}
	return true
}
