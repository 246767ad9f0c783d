package intake

import (
	"slices"
	"strings"

	"fichario/domain/intake/tree"
)

// deliveryRule says where a product puts its own id of a submission, the same in every retry.
type deliveryRule struct {
	product         string
	when            func(*tree.Node) bool // what else must hold; nil for nothing
	hasPath, idPath [][]string            // the members that identify the product, and that make the id
}

// deliveryKeys are the first members that the rules look for. Most bodies have none of them.
var deliveryKeys = func() map[string]bool {
	keys := map[string]bool{}
	for _, rule := range deliveryRules {
		keys[rule.hasPath[0][0]] = true
	}
	return keys
}()

func mayTellDelivery(n tree.Node) bool { return deliveryKeys[n.Key] }

func paths(list string) [][]string {
	var out [][]string
	for p := range strings.FieldsSeq(list) {
		out = append(out, strings.Split(p, "."))
	}
	return out
}

// deliveryID returns the sender's own id of a submission, or "". A bare "id" of an unknown sender does not count: two
// posts with it are two contacts.
func deliveryID(n *tree.Node) string {
	n = n.First()
	if n == nil || n.Kind != tree.Object {
		return ""
	}
	n = asSent(n)
	if slices.ContainsFunc(n.Children, mayTellDelivery) {
		for i := range deliveryRules {
			if rule := &deliveryRules[i]; rule.fits(n) {
				return rule.idOf(n)
			}
		}
	}
	return idByName(n)
}

func (d *deliveryRule) fits(n *tree.Node) bool {
	for _, p := range d.hasPath {
		if n.Path(p...) == nil {
			return false
		}
	}
	return d.when == nil || d.when(n)
}

func (d *deliveryRule) idOf(n *tree.Node) string {
	var id strings.Builder
	id.WriteString(d.product)
	for _, p := range d.idPath {
		s := n.Str(p...)
		if !usableID(s) {
			return ""
		}
		id.WriteString(":" + s)
	}
	return id.String()
}

// isTest reports whether the sender says that a submission is a test.
func isTest(n *tree.Node) bool {
	n = n.First()
	if n == nil || n.Kind != tree.Object {
		return false
	}
	for _, k := range [...]string{"is_test", "isTest", "test_lead", "is_test_lead"} {
		if c := n.Path(k); c != nil && (c.Text == "true" || c.Text == "1") {
			return true
		}
	}
	return false
}
