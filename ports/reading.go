package ports

import "context"

// Reading says for whom the store is read or written. It is part of the context because it belongs to a request: the
// same repositories serve all of them.
type Reading int

const (
	// ForCallers is for lookups, posts, jobs and commands, and the default.
	ForCallers Reading = iota
	// ForPages is for pages that somebody looks at. It has its own share of the connections: neither kind waits for the
	// other.
	ForPages
	// ForLists is ForPages where lists, files and figures may be as old as a replica of the database may lag. Reads by id,
	// keys, what they were charged, sessions and leases are always current.
	ForLists
)

type readingKey struct{}

// WithReading returns a context in which everything is read and written for that.
func WithReading(ctx context.Context, r Reading) context.Context {
	return context.WithValue(ctx, readingKey{}, r)
}

// ReadingOf returns the Reading of a context, or ForCallers.
func ReadingOf(ctx context.Context) Reading {
	r, _ := ctx.Value(readingKey{}).(Reading)
	return r
}
