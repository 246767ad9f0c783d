package intake

import (
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	"fichario/domain/text"
)

// walk finds the answers of the whole tree.
func (r *reader) walk(n *node) {
	for n.kind == isArray && len(n.children) == 1 {
		if r.item(&n.children[0], "", scope{}) {
			return
		}
		n = &n.children[0]
	}
	switch n.kind {
	case isObject:
		r.object(n, scope{})
	case isArray:
		r.list(n, scope{})
	default:
		r.leaf(n, entry{}, scope{})
	}
}

// object walks the members of an object.
func (r *reader) object(n *node, s scope) {
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
	for i := range n.children {
		k := &n.children[i]
		if !nb.any && k.key != "data.xml" || !r.explained(nb, k, s) {
			r.member(k, s)
		}
	}
}

// member walks one member of an object.
func (r *reader) member(k *node, s scope) {
	r.at = r.place(k, s)
	e := lookup(k.key)
	if e.tree == unknownTree && strings.HasPrefix(k.key, "mautic.") {
		e.tree = containerTree // the event's name
	}
	if !k.scalar() {
		switch e.tree {
		case closedTree:
			e.tree = roleOfClosed(k)
		case unknownTree:
			e.tree = roleBySide(k.key)
		}
		if thing, ok := thingUnderID(k); ok {
			named := *k
			named.key = thing
			r.member(&named, s)
			return
		}
	}
	switch {
	case k.kind == isObject && e.tree == closedTree && !s.closed && r.payment(k, s):
	case e.noise == hardNoise:
		r.drop("noise", k)
	case k.scalar():
		r.leaf(k, e, s)
	case k.empty():
		r.rememberKey(text.OneLine(text.Clean(join(s.prefix, k.key))))
	case e.tree == ignoredTree && !k.scalarList():
		r.drop("ignored tree", k)
	case k.kind == isArray:
		if !r.oneAnswer(k, e, s) {
			sub := r.under(k.key, e, s)
			sub.staff = sub.staff || e.tree == unknownTree && ofTrade(k.key)
			r.list(k, sub)
		}
	default:
		r.objectMember(k, e, s)
	}
}

// objectMember walks an object under a key: one answer, a list in disguise, or more members.
func (r *reader) objectMember(k *node, e entry, s scope) {
	if r.item(k, k.key, s) {
		return
	}
	if e.tree != containerTree && e.tree != personTree && r.oneAnswer(k, e, s) {
		return
	}
	sub := r.under(k.key, e, s)
	sub.staff = sub.staff || e.tree == unknownTree && ofTrade(k.key)
	if listInDisguise(k) {
		r.list(k, sub)
		return
	}
	r.object(k, sub)
}

// oneAnswer keeps a list of choices, or an object of parts, as the answer under its key. It rejects any other tree.
func (r *reader) oneAnswer(k *node, e entry, s scope) bool {
	a := answer{key: k.key, scope: s}
	a.closed = s.closed || e.tree == closedTree
	return r.fill(&a, k, nil)
}

// thingUnderID returns what a key with "_id" names when an object stands under it: Pipedrive puts the person under
// "person_id".
func thingUnderID(k *node) (thing string, ok bool) {
	if k.kind != isObject {
		return "", false
	}
	if thing, ok = strings.CutSuffix(k.key, "_id"); !ok {
		return "", false
	}
	e := lookup(thing)
	return thing, e.tree != unknownTree || e.field != noField
}

// roleOfClosed returns the role of a member whose key usually is not about the contact: "items" may hold questions with
// their answers, and an "item" with an e-mail address is not goods.
func roleOfClosed(k *node) treeRole {
	switch nameOf(k.key) {
	case "variables":
		for i := range k.children {
			if v := &k.children[i]; v.child("name") == nil || v.child("value") == nil {
				return closedTree
			}
		}
		return containerTree
	case "item":
		if recordOfPerson(k) {
			return personTree
		}
		if k.str("type") == "conversation" {
			return containerTree // Intercom's
		}
	case "form":
		if k.kind == isArray && len(k.children) > 0 && allAnswers(k) {
			return containerTree // YouCanBookMe's
		}
	case "items", "itens":
		if recordOfPerson(k.path()) {
			return containerTree // Baserow's rows
		}
		for i := range k.children {
			a, ok := dissect(&k.children[i])
			if !ok || a.title == nil {
				return closedTree
			}
			switch nameOf(a.value.key) {
			case "answer", "response", "resposta":
			default:
				return closedTree
			}
		}
		return containerTree
	}
	return closedTree
}

// roleBySide returns the role of a tree that no table knows, by whose it is.
func roleBySide(key string) treeRole {
	switch sideOfTree(key) {
	case ours:
		return closedTree
	case leads:
		return personTree
	}
	return unknownTree
}

// allAnswers reports whether each element of a list is an answer under the name of its question.
func allAnswers(list *node) bool {
	return !slices.ContainsFunc(list.children, func(k node) bool {
		a, ok := dissect(&k)
		return !ok || a.name == nil && a.title == nil || !a.value.scalar()
	})
}

// recordOfPerson reports whether an object has an address among its members, under a name for one.
func recordOfPerson(n *node) bool {
	if n == nil || n.kind != isObject {
		return false
	}
	for i := range n.children {
		m := &n.children[i]
		if m.kind == isString && strings.IndexByte(m.text, '@') > 0 && meansOfContact(m.key) {
			return true
		}
	}
	return false
}

// namesThing are the keys that say what an event is called.
var namesThing = words(`name nome title titulo description descricao summary`)

// maxEmbeds is how deep submissions may be embedded as text in one another.
const maxEmbeds = 3

// leaf reads a scalar member.
func (r *reader) leaf(k *node, e entry, s scope) {
	if k.kind == isString && s.embeds < maxEmbeds {
		if looksJSON(k.text) && r.jsonLeaf(k, e, s) || r.base64Leaf(k, s) {
			return
		}
		if e.tree == containerTree && r.queryLeaf(k, s) {
			return
		}
	}
	if s.marks.has(inEvent) && namesThing[nameOf(k.key)] {
		s.closed = true
	}
	a := answer{key: k.key, scope: s, entry: e, logical: k.kind == isBool}
	if t := scalarText(k); t != "" {
		a.values = r.single(t)
	}
	if k.kind == isNumber {
		a.number = k.text
	}
	a.title = r.jotformTitle(k)
	r.keep(&a)
}

// jsonLeaf walks a text that is a submission in JSON.
func (r *reader) jsonLeaf(k *node, e entry, s scope) bool {
	n, ok, err := embeddedJSON(k.text, 1+int(s.embeds))
	if err != nil && e.tree != unknownTree {
		r.err = err
		return true
	}
	if !ok {
		return false
	}
	n.key = k.key
	defer func(base int64) { r.base = base }(r.base)
	r.base = r.at
	s.embeds++
	if n.kind == isObject && e.tree == unknownTree {
		s.rank++ // a submission in a field of another, whatever the field's name
		r.object(&n, s)
	} else {
		r.member(&n, s)
	}
	return true
}

// base64Leaf walks a text that is a submission in JSON in base64, as queues wrap their messages (Google Pub/Sub).
func (r *reader) base64Leaf(k *node, s scope) bool {
	// What JSON begins with: an object or an array, maybe with white space.
	if len(k.text) < 16 || strings.IndexByte("eW", k.text[0]) < 0 || strings.IndexByte("ywz3", k.text[1]) < 0 {
		return false
	}
	encoding := base64.StdEncoding
	if strings.ContainsAny(k.text, "-_") {
		encoding = base64.URLEncoding
	}
	plain, err := encoding.WithPadding(base64.NoPadding).DecodeString(strings.TrimRight(k.text, "="))
	if err != nil || !utf8.Valid(plain) || !looksJSON(string(plain)) {
		return false
	}
	inside := *k
	inside.text = string(plain)
	s.prefix = ""
	if !r.jsonLeaf(&inside, entry{tree: containerTree}, s) {
		return false
	}
	r.dropText("base64", k.text)
	return true
}

// queryLeaf walks a text that is an urlencoded submission, under a key that says so.
func (r *reader) queryLeaf(k *node, s scope) bool {
	if strings.IndexByte(k.text, '=') <= 0 || !looksURLEncoded(k.text) {
		return false
	}
	n, err := parseURLEncoded([]byte(strings.TrimPrefix(strings.TrimSpace(k.text), "?")), "")
	if err != nil {
		return false
	}
	r.dropText("query", k.text) // its parts are answers
	defer func(base int64) { r.base = base }(r.base)
	r.base = r.at
	s.embeds++
	r.object(&n, s)
	return true
}
