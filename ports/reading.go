package ports

import "context"

// Reading says for whom something is read or written. It goes with the context, because it is a request's: the same
// repositories serve all of them.
type Reading int

const (
	// ForCallers is what lookups, posts, jobs and commands need, and what nobody said anything of.
	ForCallers Reading = iota
	// ForPages is what somebody looks at. It has its own share of the connections: neither waits for the other.
	ForPages
	// ForLists is ForPages where lists, files and figures may be as old as a replica of the database may lag. What is
	// found by its id, keys, what they were charged, sessions and leases are never older than the question.
	ForLists
)

type readingKey struct{}

// WithReading is a context in which everything is for that.
func WithReading(ctx context.Context, r Reading) context.Context {
	return context.WithValue(ctx, readingKey{}, r)
}

// ReadingOf is what WithReading said, or ForCallers.
func ReadingOf(ctx context.Context) Reading {
	r, _ := ctx.Value(readingKey{}).(Reading)
	return r
}
