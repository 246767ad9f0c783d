package memory

import (
	"os"
	"runtime/debug"
	"testing"
)

// A test binary that has databases lives for a minute, and its heap is small, so that it would be collected all the
// time, which costs a tenth of its processor's time or more. Not by the environment: the programs that it starts would
// inherit that, and must collect as they do in production.
func init() {
	if testing.Testing() && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
