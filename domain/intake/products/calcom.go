package products

// Cal.com has one id for all events of a booking, and for all who take a seat in it.
var calCom = Product{
	Name: "calcom",
	IDs: []ID{
		{Has: "triggerEvent payload.uid", From: "triggerEvent payload.uid", Shared: true},
	},
}
