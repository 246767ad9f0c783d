package app

// Replace copies a value that a change gives.
func Replace[T any](into, value *T) {
	if value != nil {
		*into = *value
	}
}

// Still refuses a change of what is no longer as its caller saw it. It is called inside the change, with the row as it
// is and locked, again if the transaction is; nil is for callers that saw none.
type Still[T any] func(now T) error

// Check returns the fault of a change that must not be made to the row.
func (s Still[T]) Check(now T) error {
	if s == nil {
		return nil
	}
	return s(now)
}
