package products

// Strapi tells of each change of an entry.
var strapi = Product{
	Name: "strapi",
	IDs: []ID{
		{Has: "event model entry.id", When: creates, From: "event model entry.id"},
	},
}
