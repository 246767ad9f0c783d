package intake

import "strings"

// list walks an array: answers one by one, or records, of which the first is the contact.
func (r *reader) list(n *node, s scope) {
	if holdsPairs(n) {
		for i := range n.children {
			k := n.children[i].children[1]
			k.key = n.children[i].children[0].text
			r.drop("key of a pair", &n.children[i].children[0])
			r.member(&k, s)
		}
		return
	}
	mirrors := optionMirrors(n)
	// An element without a name of its own takes the name of the list.
	named := answer{key: s.prefix, scope: s}
	named.prefix = ""
	if named.key == "" {
		named.key = n.key
	}
	records := int32(0)
	for i := range n.children {
		k := &n.children[i]
		k.key = "" // an index is not a name
		r.at = r.place(k, s)
		s.closed = s.closed || k.stranger // strangers come last
		switch {
		case mirrors[i]:
			r.drop("option mirror", k)
		case k.scalar():
			leaf := *k
			leaf.key = named.key
			r.leaf(&leaf, entry{}, named.scope)
		case k.kind == isArray:
			a := named
			if !r.fill(&a, k, nil) {
				r.list(k, s)
			}
		case r.item(k, "", s), r.phoneRecord(k, named):
		default:
			sub := s
			sub.group = r.newGroup(s.group)
			if records++; records > 1 {
				sub.rank += 2
				sub.another = true
			}
			r.object(k, sub)
		}
	}
}

// phoneRecord reads a record of a list of phones.
func (r *reader) phoneRecord(n *node, a answer) bool {
	return a.wants(fieldPhone) && r.fill(&a, n, nil)
}

// holdsPairs reports whether a list holds pairs of a key and a value, as scripts make them from a form's entries.
func holdsPairs(n *node) bool {
	for i := range n.children {
		k := &n.children[i]
		if k.kind != isArray || len(k.children) != 2 {
			return false
		}
		if key, value := &k.children[0], &k.children[1]; key.kind != isString || key.empty() || !value.scalar() {
			return false
		}
	}
	return len(n.children) > 1
}

// listInDisguise reports whether an object is a list: objects under numbers, or each with a name and a value of its
// own.
func listInDisguise(n *node) bool {
	for i := range n.children {
		k := &n.children[i]
		if k.scalar() {
			return false
		}
		number := countDigits(k.key) == len(k.key)
		if !number && (k.child("name") == nil || k.child("value") == nil || len(k.children) != 2) {
			return false
		}
	}
	return true
}

// optionMirrors marks the answers that repeat one option of a sibling as a boolean: question_x_<option> beside
// question_x (Tally).
func optionMirrors(n *node) []bool {
	marks := make([]bool, len(n.children))
	var choices map[string]bool
	for i := range n.children {
		k := &n.children[i]
		v := k.child("value")
		if v == nil || v.kind != isBool && v.kind != isNull {
			continue
		}
		if choices == nil {
			choices = choiceKeys(n)
		}
		key := k.str("key")
		for end, tries := len(key), 0; end > 0 && tries < 6; tries++ {
			if end = strings.LastIndexByte(key[:end], '_'); end > 0 && choices[key[:end]] {
				marks[i] = true
				break
			}
		}
	}
	return marks
}

// choiceKeys are the keys of the answers that are choices.
func choiceKeys(n *node) map[string]bool {
	keys := make(map[string]bool, len(n.children))
	for i := range n.children {
		k := &n.children[i]
		if v := k.child("value"); v != nil && v.kind == isArray || k.child("options") != nil {
			keys[k.str("key")] = true
		}
	}
	return keys
}
