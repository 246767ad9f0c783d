package intake

// ReadTraced is Read that also returns every text that a rule drops, so that a test can account for each answer.
func ReadTraced(o Options, contentType string, body []byte) (d Draft, dropped []string, err error) {
	var collect func(n *node)
	collect = func(n *node) {
		if n == nil {
			return
		}
		dropped = append(dropped, scalarText(n))
		for i := range n.children {
			collect(&n.children[i])
		}
	}
	d, err = read(o, contentType, body, func(_ string, n *node) { collect(n) })
	return d, dropped, err
}
