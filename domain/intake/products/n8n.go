package products

import "fichario/domain/intake/tree"

// n8n puts what was sent under "body".
var n8n = Product{
	Name: "n8n",
	Sent: sentByN8n,
}

func sentByN8n(n *tree.Node) *tree.Node {
	sent := n.Path("body")
	if sent == nil || sent.Kind != tree.Object || n.Child("headers") == nil && n.Child("webhookUrl") == nil {
		return nil
	}
	return sent
}
