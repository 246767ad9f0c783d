package products

// Fluent Forms numbers the submissions of each form.
var fluentForms = Product{
	Name: "fluentforms",
	IDs: []ID{
		{Has: "__submission.form_id __submission.id", From: "__submission.form_id __submission.id"},
	},
}
