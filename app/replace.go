package app

// replace copies a value that a change gives.
func replace[T any](into, value *T) {
	if value != nil {
		*into = *value
	}
}
