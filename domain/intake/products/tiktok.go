package products

// TikTok sends the answers of a lead form as changes.
var tikTok = Product{
	Name: "tiktok",
	IDs: []ID{
		{Has: "entry.lead_id entry.changes", From: "entry.lead_id", Late: true},
	},
}
