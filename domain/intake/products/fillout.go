package products

// Fillout sends the questions with their answers.
var fillout = Product{
	Name: "fillout",
	IDs: []ID{
		{Has: "submission.submissionId", From: "submission.submissionId"},
	},
}
