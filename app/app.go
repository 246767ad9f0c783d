// Package app has the use cases of Fichário. Each is a concrete type with the ports that it needs; the driving
// adapters (HTTP API, interface, commands) parse, call and map, and contain no rules.
package app

import (
	"time"
)

// Clock tells the time; tests give their own.
type Clock func() time.Time
