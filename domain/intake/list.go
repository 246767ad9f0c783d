package intake

import (
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
)

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
	mirrors := mirrorsIn(n)
	// An element without a name of its own takes the name of the list.
	named := answer{key: s.prefix, scope: s}
	named.prefix = ""
	if named.key == "" {
		named.key = n.Key
	}
	records := int32(0)
	for i := range n.Children {
		k := &n.Children[i]
		k.Key = "" // an index is not a name
		r.at = r.place(k, s)
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
