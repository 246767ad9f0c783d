package crm

// ContactOrder is what contacts are ordered by; those that are equal in it by their
// ids.
type ContactOrder string

// The orders.
const (
	// ByArrival is the order of their ids, which begin with their time.
	ByArrival ContactOrder = ""
	ByName    ContactOrder = "name"
	ByAmount  ContactOrder = "amount"
)
