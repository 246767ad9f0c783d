package intake

import (
	"cmp"
	"slices"
	"strings"

	"fichario/domain/intake/products"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// What the files of products say, in the form in which the reader asks for it.

// productEnvelope is a product's, and its place among all.
type productEnvelope struct {
	of    func(w products.Walk, object, mark *tree.Node) *products.Members
	place int
}

// productEnvelopes are by the keys of their marks.
var productEnvelopes = func() map[string][]productEnvelope {
	m, place := map[string][]productEnvelope{}, 0
	for _, p := range products.All {
		for _, e := range p.Envelopes {
			place++
			for mark := range strings.FieldsSeq(e.Marks) {
				m[mark] = append(m[mark], productEnvelope{e.Of, place})
			}
		}
	}
	return m
}()

// envelopeOfProduct is what the members of an object mean by a product's envelope.
type envelopeOfProduct struct {
	*products.Members
	place int
}

// ofProducts looks whether a member is the mark of a product's envelope.
func (r *reader) ofProducts(nb *neighbours, n, k *tree.Node) bool {
	found := false
	for _, e := range productEnvelopes[k.Key] {
		if m := e.of(walker{r, scope{}}, n, k); m != nil {
			nb.products, found = append(nb.products, envelopeOfProduct{m, e.place}), true
		}
	}
	if len(nb.products) > 1 {
		slices.SortStableFunc(nb.products, func(a, b envelopeOfProduct) int { return cmp.Compare(a.place, b.place) })
	}
	return found
}

// byProduct asks the envelopes of products about a member.
func (r *reader) byProduct(nb *neighbours, k *tree.Node, s scope, which func(*products.Members) products.Reading) bool {
	for i := range nb.products {
		if read := which(nb.products[i].Members); read != nil && read(walker{r, s}, k) {
			return true
		}
	}
	return false
}

func everyMember(m *products.Members) products.Reading { return m.Every }

func otherMembers(m *products.Members) products.Reading { return m.Rest }

// walker is the reader, as products see it, at a place in the body.
type walker struct {
	r *reader
	s scope
}

// Drop accounts for a part that is no answer.
func (w walker) Drop(rule string, n *tree.Node) { w.r.drop(rule, n) }

// Read walks a part in a role.
func (w walker) Read(n *tree.Node, as products.Role) {
	s := w.s
	switch as {
	case products.Ours:
		w.r.within(true, closedTree, n, s)
		return
	case products.Deal:
		w.r.within(true, dealTree, n, s)
		return
	case products.StatedMembers:
		s.marks |= statedOrigin
		w.r.object(n, s)
		return
	case products.Stated:
		s.marks |= statedOrigin
	case products.NoteOnly:
		s.closed = true
	case products.Bare:
		s.prefix = ""
	case products.Answer:
	}
	w.r.member(n, s)
}

// ReadInside walks a part as a member of a closed tree.
func (w walker) ReadInside(around string, n *tree.Node) {
	w.r.member(n, w.s.within(around, closedTree))
}

// Learn records the titles of questions.
func (w walker) Learn(questions *tree.Node) { w.r.learnTitles(questions) }

// Attribute records a pair of the attribution.
func (w walker) Attribute(key string, n *tree.Node) {
	if said := text.OneLine(text.Clean(n.Text)); said != "" {
		w.r.attributed = append(w.r.attributed, Pair{key, said})
	}
}

// Refuse records a consent that was not given.
func (w walker) Refuse(key, title string) { w.r.addConsent(key, title, false) }

// Label has find look for the labels of answers.
func (w walker) Label(find func(answer *tree.Node) (label string, cost int)) { w.r.findLabel = find }

// maxLabelCost bounds how much text is searched for labels in all: no form has thousands.
const maxLabelCost = 16 << 20

// labelByProduct asks a product for the label of an answer.
func (r *reader) labelByProduct(k *tree.Node) string {
	if r.findLabel == nil || r.labelCost > maxLabelCost {
		return ""
	}
	label, cost := r.findLabel(k)
	r.labelCost += cost
	return label
}

// eventPrefixes begin the keys that name a product's event.
var eventPrefixes = func() (list []*products.Product) {
	for _, p := range products.All {
		if p.EventPrefix != "" {
			list = append(list, p)
		}
	}
	return list
}()

// eventOf returns the product whose event a key names, or nil.
func eventOf(key string) *products.Product {
	for _, p := range eventPrefixes {
		if strings.HasPrefix(key, p.EventPrefix) {
			return p
		}
	}
	return nil
}

// centsRules are tried in order, on every object.
var centsRules = func() (rules []centsRule) {
	for _, p := range products.All {
		for _, c := range p.Cents {
			rules = append(rules, centsRule{strings.Fields(c.Has), c.When, amountsOf(c.Amounts)})
		}
	}
	return rules
}()

// centsMarks are the rare members of which every rule has one.
var centsMarks = func() map[string]bool {
	marks := map[string]bool{}
	for _, c := range centsRules {
		marks[c.has[0]] = true
	}
	return marks
}()

// deliveryRules are tried in order, late ones last; the first whose members are all there gives the id.
var deliveryRules = func() (rules []deliveryRule) {
	for _, late := range [...]bool{false, true} {
		for _, p := range products.All {
			for _, id := range p.IDs {
				if id.Late == late {
					rules = append(rules, deliveryRule{p.Name, id.When, paths(id.Has), paths(id.From), id.Shared})
				}
			}
		}
	}
	return rules
}()

// asSent returns what was sent, without what a product wrapped around it.
func asSent(n *tree.Node) *tree.Node {
	for _, p := range products.All {
		if p.Sent == nil {
			continue
		}
		if sent := p.Sent(n); sent != nil {
			return sent
		}
	}
	return n
}

// mirrorsIn marks the elements of a list that repeat others.
func mirrorsIn(n *tree.Node) []bool {
	for _, p := range products.All {
		if p.Mirrors == nil {
			continue
		}
		if mirrors := p.Mirrors(n); mirrors != nil {
			return mirrors
		}
	}
	return nil
}

// partKeys returns the keys of the elements of a list that is one answer, or nil.
func partKeys(n *tree.Node) []string {
	for _, p := range products.All {
		if p.Parts == nil {
			continue
		}
		if keys := p.Parts(n); keys != nil {
			return keys
		}
	}
	return nil
}

// thingOf returns what an item is about, "" for the person.
func thingOf(item *tree.Node) string {
	for _, p := range products.All {
		if p.About == nil {
			continue
		}
		if thing := p.About(item); thing != "" {
			return thing
		}
	}
	return ""
}

// isTestAnswer reports whether an answer is one of a product's testing tool.
func isTestAnswer(value string) bool {
	return value != "" && value[0] == '<' && slices.ContainsFunc(products.All, func(p *products.Product) bool {
		return p.TestAnswer != "" && strings.HasPrefix(value, p.TestAnswer)
	})
}

// remedyFor returns what to do about a post without answers, or "".
func remedyFor(keys []string) string {
	for _, p := range products.All {
		if p.IDOnly != "" && slices.ContainsFunc(keys, func(k string) bool { return strings.HasSuffix(k, p.IDOnly) }) {
			return p.Remedy
		}
	}
	return ""
}
