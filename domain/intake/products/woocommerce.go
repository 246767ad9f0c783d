package products

// WooCommerce sends an order at each change of its state.
var wooCommerce = Product{
	Name: "woocommerce",
	IDs: []ID{
		{Has: "order_key id status", From: "id status", Late: true},
	},
}
