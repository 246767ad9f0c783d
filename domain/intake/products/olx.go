package products

import (
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
)

// Grupo OLX sends the leads of its portals for real estate.
var olx = Product{
	Name: "olx",
	IDs: []ID{
		{Has: "originLeadId", When: fromOLX, From: "originLeadId"},
	},
}

// fromOLX recognises the portals of one group, whose lead id names a lead; other portals' ids name a person and repeat.
func fromOLX(n *tree.Node) bool {
	switch names.Of(n.Str("leadOrigin")) {
	case "grupoolx", "olx", "vivareal", "zap", "zapimoveis", "grupozap":
		return true
	}
	return false
}
