package products

// Mautic sends one list for each kind of event, under its name.
var mautic = Product{
	Name:        "mautic",
	EventPrefix: "mautic.",
	EventID:     []string{"submission", "id"},
}
