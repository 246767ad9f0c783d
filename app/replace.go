package app

// Replace copies a value that a change gives.
func Replace[T any](into, value *T) {
	if value != nil {
		*into = *value
	}
}
