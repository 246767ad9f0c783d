package products

import "fichario/domain/intake/tree"

// HubSpot says with each property what it is one of.
var hubSpot = Product{
	Name:  "hubspot",
	About: typeOfObject,
}

func typeOfObject(item *tree.Node) string {
	if item.Str("objectTypeId") == "0-2" {
		return "company"
	}
	return ""
}
