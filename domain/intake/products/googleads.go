package products

// Google Ads sends the answers of a lead form.
var googleAds = Product{
	Name: "googleads",
	IDs: []ID{
		{Has: "user_column_data lead_id", From: "lead_id"},
	},
}
