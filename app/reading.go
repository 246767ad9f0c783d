package app

import (
	"context"

	"fichario/ports"
)

// ForPage returns a context for what somebody looks at, which shares no database connections with lookups and posts.
func ForPage(ctx context.Context) context.Context { return ports.WithReading(ctx, ports.ForPages) }

// ForList is ForPage where lists, files and figures may be read from a replica, and be as old as its lag. It is not for
// somebody who has just changed what they show.
func ForList(ctx context.Context) context.Context { return ports.WithReading(ctx, ports.ForLists) }
