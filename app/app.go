// Package app holds what the use cases of Fichário share: who asks, the audit's line, ids, events, chores. The use
// cases
// themselves lie in its folders, one for each subject; each is a concrete type with the ports that it needs, and the
// driving adapters (HTTP API, interface, commands) parse, call and map, and contain no rules.
package app

import (
	"time"
)

// Clock tells the time; tests supply their own.
type Clock func() time.Time
