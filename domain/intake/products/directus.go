package products

// Directus tells of each change of an item.
var directus = Product{
	Name: "directus",
	IDs: []ID{
		{Has: "event collection key", When: creates, From: "event collection key"},
	},
}
