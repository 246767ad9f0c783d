package products

// Hasura tells of the rows of a table.
var hasura = Product{
	Name: "hasura",
	IDs: []ID{
		{Has: "id delivery_info trigger.name event.data", From: "id"},
	},
}
