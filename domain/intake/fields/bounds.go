// Package fields knows what the values of a contact's fields look like, one file per field, whatever the body that they
// came in: addresses, phones, amounts, origins.
package fields

// Bounds of the fields, in characters. What is longer does not fit and stays in the note.
const (
	MaxEmail = 320
	MaxLine  = 200
	MaxPhone = 60
)
