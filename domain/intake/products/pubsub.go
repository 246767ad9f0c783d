package products

// Google Pub/Sub wraps a message in base64.
var pubSub = Product{
	Name: "pubsub",
	IDs: []ID{
		{Has: "subscription message.messageId", From: "message.messageId"},
	},
}
