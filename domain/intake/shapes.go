package intake

import (
	"slices"
	"strings"

	"fichario/domain/text"
)

// scope is where in a body an answer stands.
type scope struct {
	prefix   string // the keys of the unknown objects around it
	rank     int    // how far it is from the contact; the lower is the better
	group    int    // the record that it belongs to
	embeds   int    // how many texts that hold a submission it is inside of
	closed   bool   // it feeds no field
	person   bool   // it belongs to what is called a contact, lead, customer …
	deal     bool   // it belongs to a deal or a purchase
	entry    bool   // it is a member of an "entry"
	asked    bool   // it is a part of what was answered to a question
	utm      bool   // its key is that of a UTM without "utm_"
	stated   bool   // a weak name of the origin is a strong one here
	envelope envelope
}

// envelope says whether a name that stands beside the answers is that of the form.
type envelope uint8

const (
	noEnvelope    envelope = iota
	maybeEnvelope          // a name there is the person's only when there is no other
	formEnvelope           // a name there is the form's
)

// within is the scope inside a tree.
func (s scope) within(key string, r role) scope {
	s.envelope = noEnvelope
	if s.closed {
		r = closedTree
	}
	switch r {
	case containerTree:
		return s
	case personTree:
		s.prefix, s.deal, s.person = "", false, true
		return s
	case closedTree:
		s.closed = true
	case dealTree:
		s.deal = true
	default:
		s.rank++
	}
	// The keys around an answer tell a reader what it is about; beyond a few they tell nothing.
	if len(s.prefix) < 120 {
		s.prefix = join(s.prefix, text.Cut(key, 80))
	}
	return s
}

// answer is a key or question with what was answered.
type answer struct {
	scope
	entry    entry // what the vocabulary says of the key
	key      string
	title    string
	labelled bool // the title is a question that a person wrote
	logical  bool
	typ      answerType
	values   []string
	number   string // the literal, when the answer is a JSON number

	amount   int64 // what it is as a value, when it is one and was looked at
	counted  bool  // it was looked at
	isAmount bool
	isBand   bool // a range, of which one end is the value

	attr  string // canonical key of attribution
	taken bool   // a field took the whole of it
	field field  // the field that it would feed
}

// label is what the note calls the answer.
func (a *answer) label() string {
	l := a.title
	if l == "" {
		l = a.key
		// "form form_name" says nothing that "form_name" does not.
		if n := len(a.prefix); n == 0 || len(l) <= n || !strings.EqualFold(l[:n], a.prefix) {
			l = join(a.prefix, l)
		}
	}
	return text.Cut(text.OneLine(text.Clean(l)), 300)
}

// text is the whole answer as one text.
func (a *answer) text() string {
	if len(a.values) == 1 {
		return a.values[0]
	}
	return strings.Join(a.values, ", ")
}

// wants reports whether the answer's key or title names a field outright.
func (a *answer) wants(f field) bool {
	for _, k := range [2]string{a.title, a.key} {
		if k == "" {
			continue
		}
		if e, _, ok := aliasOf(k); ok && e.field == f {
			return true
		}
	}
	return f == fieldPhone && a.typ == phoneType
}

// reader turns one tree into answers.
type reader struct {
	opt        Options
	answers    []answer
	titles     map[string]string // question titles by the id that answers refer to
	keys       []string
	pool       []string // see one
	emptyEmail string   // the e-mail field that came without a value
	groups     int
	test       bool
	labelled   bool // some answers carry question titles
	pretty     string
	err        error

	// trace is told of every part that a rule drops. Only tests set it.
	trace func(rule string, n *node)
}

func (r *reader) drop(rule string, n *node) {
	if r.trace != nil {
		r.trace(rule, n)
	}
}

// Bounds of what a refusal names.
const (
	maxKeys    = 40
	maxKeyText = 60
)

// one makes a list of one text. The lists of a body share their memory: most answers are one text.
func (r *reader) one(text string) []string {
	if len(r.pool) == cap(r.pool) {
		r.pool = make([]string, 0, 2*cap(r.pool)+16)
	}
	r.pool = append(r.pool, text)
	n := len(r.pool)
	return r.pool[n-1 : n : n]
}

// arrived remembers a cleaned name for the refusals.
func (r *reader) arrived(name string) {
	if len(r.keys) >= maxKeys {
		return
	}
	name = text.Cut(discreet(name), maxKeyText)
	if name == "" {
		return
	}
	for _, k := range r.keys {
		if k == name {
			return
		}
	}
	if r.keys == nil {
		r.keys = make([]string, 0, 12)
	}
	r.keys = append(r.keys, name)
}

// discreet hides a key that is somebody's number or address: refusals show keys, and are kept in the clear.
func discreet(key string) string {
	switch {
	case countDigits(key) >= 10:
		return "(um número)"
	case strings.IndexByte(key, '@') > 0 && slices.ContainsFunc(strings.Fields(key), wholeAddress):
		return "(um endereço)"
	}
	return key
}

// keep adds an answer, unless it is empty or noise.
func (r *reader) keep(a *answer) {
	if known := r.titles[a.key]; a.title == "" && known != "" {
		a.title, a.labelled = known, true // answers by the id of their question
	}
	r.arrived(a.label())
	// The title is the question; without one the key speaks, in the company of the objects around it.
	name := a.key
	if a.title != "" {
		name = a.title
	}
	if a.title != "" || a.entry == (entry{}) {
		a.entry = lookup(name)
	}
	if len(a.values) == 0 {
		if e, _, ok := aliasOf(name); r.emptyEmail == "" && (ok && e.field == fieldEmail && !e.weak || a.typ == emailType) && !a.closed {
			r.emptyEmail = a.label()
		}
		return
	}
	value := a.values[0]
	r.test = r.test || strings.HasPrefix(value, "<test lead:") // what Meta's testing tool answers
	if len(a.values) == 1 && (value == "null" || value == "undefined" || value == "[object Object]") {
		r.drop("no answer", &node{kind: isString, text: a.text()}) // what a script writes for none
		return
	}
	for i, v := range a.values {
		if isFile(v) {
			r.drop("file", &node{kind: isString, text: v})
			a.values[i] = "(arquivo)"
		}
	}
	if noisy(a.entry, name, value, a.labelled && !a.closed) || a.labelled && a.key != a.title && lookup(a.key).noise == hardNoise {
		r.drop("noise", &node{kind: isString, text: a.text()})
		for _, v := range a.values {
			r.drop("noise", &node{kind: isString, text: v})
		}
		return
	}
	if len(a.values) == 1 && a.utm {
		if n := nameOf(a.key); len(n) > 0 && len(n) < 24 && !strings.HasPrefix(n, "utm") {
			a.attr = "utm_" + n
			if e := lookup(a.key); e.attr == attrClick {
				a.attr = n
			}
		}
	}
	if len(a.values) == 1 && a.attr == "" {
		a.attr = attributionOf(a.entry, name, value)
		if a.attr == "" && a.title != "" {
			a.attr = attributionOf(lookup(a.key), a.key, value)
		}
	}
	r.labelled = r.labelled || a.labelled
	r.answers = append(r.answers, *a)
}

// root walks the whole tree.
func (r *reader) root(n *node) {
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
	h := r.hints(n)
	for i := range n.children {
		k := &n.children[i]
		if !r.special(h, k, s) {
			r.member(k, s)
		}
	}
}

// member walks one member of an object.
func (r *reader) member(k *node, s scope) {
	e := lookup(k.key)
	if !k.scalar() {
		if e.tree == closedTree {
			e.tree = opened(k)
		}
		if thing, ok := strings.CutSuffix(k.key, "_id"); ok && k.kind == isObject && (lookup(thing).tree != unknownTree || lookup(thing).field != noField) {
			named := *k // Pipedrive: under the id's name stands the thing itself
			named.key = thing
			r.member(&named, s)
			return
		}
	}
	switch {
	case e.noise == hardNoise:
		r.drop("noise", k)
	case k.scalar():
		r.leaf(k, e, s)
	case k.empty():
		r.arrived(text.OneLine(text.Clean(join(s.prefix, k.key))))
	case e.tree == ignoredTree && !k.scalarList():
		r.drop("ignored tree", k)
	case k.kind == isArray:
		ans := answer{key: k.key, scope: s}
		ans.closed = s.closed || e.tree == closedTree
		if !r.fill(&ans, k, nil) {
			r.list(k, r.into(k.key, e, s))
		}
	default:
		if r.item(k, k.key, s) {
			return
		}
		ans := answer{key: k.key, scope: s}
		ans.closed = s.closed || e.tree == closedTree
		if e.tree != containerTree && e.tree != personTree && r.fill(&ans, k, nil) {
			return
		}
		if numbered(k) {
			r.list(k, r.into(k.key, e, s))
			return
		}
		r.object(k, r.into(k.key, e, s))
	}
}

// opened is what a member is that most senders mean something else by than the contact: "items" may hold questions with their answers, and
// an "item" with an address in it is nothing that is sold.
func opened(k *node) role {
	switch nameOf(k.key) {
	case "variables":
		for i := range k.children {
			if v := &k.children[i]; v.child("name") == nil || v.child("value") == nil {
				return closedTree
			}
		}
		return containerTree
	case "item":
		if m := k.child("email"); m != nil && strings.IndexByte(m.text, '@') > 0 {
			return personTree
		}
	case "items", "itens":
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

// numbered reports whether an object is a list in disguise: objects under numbers, or each with a name and a value of its own.
func numbered(n *node) bool {
	for i := range n.children {
		k := &n.children[i]
		if k.scalar() || countDigits(k.key) != len(k.key) && (k.child("name") == nil || k.child("value") == nil || len(k.children) != 2) {
			return false
		}
	}
	return true
}

// into is the scope of what stands under a key. A key that no table knows is looked up without what products add to it.
func (r *reader) into(key string, e entry, s scope) scope {
	sub := s.within(key, e.tree)
	switch nameOf(key) {
	case "utm", "utms", "utmparams", "utmparameters", "utmtags", "utmjson", "utmdata":
		sub = s.within(key, unknownTree)
		sub.utm = true
	case "entry":
		sub.entry = true
	case "responsavel":
		sub.rank += 2 // the seller as often as the guardian
	case "user", "usuario":
		sub.rank += 2 // the account's user as often as the form's
		if s.entry {
			sub = s.within(key, closedTree) // Cognito: who typed the entry in
		}
	case "firstconversion":
		sub.rank += 2
	case "lastconversion":
		sub.rank++
	}
	if e.tree != containerTree {
		r.groups++
		sub.group = r.groups
	}
	return sub
}

// list walks an array of objects: answers one by one, or records, of which the first is the contact.
func (r *reader) list(n *node, s scope) {
	if paired(n) {
		for i := range n.children {
			k := n.children[i].children[1]
			k.key = n.children[i].children[0].text
			r.drop("key of a pair", &n.children[i].children[0])
			r.member(&k, s)
		}
		return
	}
	prefix := siblingsPrefix(n)
	name := s.prefix
	if name == "" {
		name = n.key
	}
	records := 0
	for i := range n.children {
		k := &n.children[i]
		k.key = "" // the place in a list is no name
		switch {
		case prefix[i]:
			r.drop("option mirror", k)
		case k.scalar():
			leaf := *k
			leaf.key = name
			sub := s
			sub.prefix = ""
			r.leaf(&leaf, entry{}, sub)
		case k.kind == isArray:
			ans := answer{key: name, scope: s}
			ans.prefix = ""
			if !r.fill(&ans, k, nil) {
				r.list(k, s)
			}
		case r.item(k, "", s), r.phoneIn(k, name, s):
		default:
			sub := s
			r.groups++
			sub.group = r.groups
			if records > 0 {
				sub.rank += 2
			}
			records++
			r.object(k, sub)
		}
	}
}

// paired reports whether a list holds pairs of a key and a value, as a script makes them of a form's entries.
func paired(n *node) bool {
	for i := range n.children {
		k := &n.children[i]
		if k.kind != isArray || len(k.children) != 2 || k.children[0].kind != isString || k.children[0].empty() || !k.children[1].scalar() {
			return false
		}
	}
	return len(n.children) > 1
}

// phoneIn reads a record of a list of phones.
func (r *reader) phoneIn(n *node, name string, s scope) bool {
	ans := answer{key: name, scope: s}
	ans.prefix = ""
	return ans.wants(fieldPhone) && r.fill(&ans, n, nil)
}

// maxEmbeds is how many texts that hold a submission may stand one inside the other.
const maxEmbeds = 3

// leaf reads a scalar member.
func (r *reader) leaf(k *node, e entry, s scope) {
	if k.kind == isString && s.embeds < maxEmbeds && looksJSON(k.text) {
		n, ok, err := embeddedJSON(k.text, 1+s.embeds)
		if err != nil && e.tree != unknownTree {
			r.err = err
			return
		}
		if ok {
			n.key = k.key
			s.embeds++
			if n.kind == isObject && e.tree == unknownTree {
				s.rank++ // a submission in a field of another, whatever the field is called
				r.object(&n, s)
				return
			}
			r.member(&n, s)
			return
		}
	}
	if k.kind == isString && e.tree == containerTree && s.embeds < maxEmbeds && strings.IndexByte(k.text, '=') > 0 && looksURLEncoded(k.text) {
		if n, err := parseURLEncoded([]byte(strings.TrimPrefix(strings.TrimSpace(k.text), "?")), ""); err == nil {
			r.drop("query", &node{kind: isString, text: k.text}) // its parts are answers
			s.embeds++
			r.object(&n, s)
			return
		}
	}
	ans := answer{key: k.key, scope: s, entry: e}
	if t := scalarText(k); t != "" {
		ans.values = r.one(t)
	}
	if k.kind == isNumber {
		ans.number = k.text
	}
	ans.logical = k.kind == isBool
	if title := r.prettyTitle(k); title != "" {
		ans.title = title
	}
	r.keep(&ans)
}
