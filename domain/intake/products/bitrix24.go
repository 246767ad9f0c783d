package products

// Bitrix24 tells of each change of a record.
var bitrix24 = Product{
	Name: "bitrix24",
	IDs: []ID{
		{Has: "event data.FIELDS.ID ts", From: "event data.FIELDS.ID ts", Late: true},
	},
}
