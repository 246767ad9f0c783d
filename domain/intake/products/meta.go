package products

import (
	"strings"

	"fichario/domain/intake/tree"
)

// Meta (Facebook and Instagram) sends only ids; its answers arrive by Zapier, Make, n8n or a sheet.
var meta = Product{
	Name: "meta",
	IDs: []ID{
		{Has: "leadgen_id", From: "leadgen_id"},
		{Has: "id form_id", When: fromMetaSheet, From: "id"},
	},
	TestAnswer: "<test lead:",
	IDOnly:     "leadgen_id",
	Remedy: " O aviso da Meta só tem ids: o que a pessoa respondeu precisa ser buscado por uma integração (Zapier, " +
		"Make, n8n), que o envia para cá.",
}

// fromMetaSheet recognises a lead of Meta as it stands in a sheet and in Zapier: its ids have a letter before them.
func fromMetaSheet(n *tree.Node) bool {
	return strings.HasPrefix(n.Str("id"), "l:") && len(n.Str("id")) > len("l:") && n.Path("leadgenId") == nil
}
