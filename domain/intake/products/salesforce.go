package products

// Salesforce sends outbound messages in SOAP.
var salesforce = Product{
	Name: "salesforce",
	IDs: []ID{
		{Has: "OrganizationId ActionId Notification.Id", From: "Notification.Id"},
	},
}
