package crm

// ContactOrder is the order of contacts; ties are broken by their ids.
type ContactOrder string

// The orders.
const (
	// ByArrival is the order of their ids, which begin with the time of creation.
	ByArrival ContactOrder = ""
	ByName    ContactOrder = "name"
	ByAmount  ContactOrder = "amount"
)
