package intake

import "fichario/domain/intake/tree"

// ReadTraced is Read that also returns every text that a rule drops, so that a test can account for each answer.
func ReadTraced(o Options, contentType string, body []byte) (d Draft, dropped []string, err error) {
	var collect func(n *tree.Node)
	collect = func(n *tree.Node) {
		if n == nil {
			return
		}
		dropped = append(dropped, tree.ScalarText(n))
		for i := range n.Children {
			collect(&n.Children[i])
		}
	}
	d, err = read(o, contentType, body, func(_ string, n *tree.Node) { collect(n) })
	return d, dropped, err
}
