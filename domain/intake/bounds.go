package intake

// Bounds of the fields, in characters. What is longer does not fit and stays in the note.
const (
	maxEmail = 320
	maxLine  = 200
	maxPhone = 60
)
