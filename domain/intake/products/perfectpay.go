package products

// PerfectPay sends a sale at each change of its state.
var perfectPay = Product{
	Name: "perfectpay",
	IDs: []ID{
		{Has: "code sale_status_enum", From: "code sale_status_enum", Late: true},
	},
}
