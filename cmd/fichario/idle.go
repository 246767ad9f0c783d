package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
)

// idleBelow is above what a service allocates in a minute in which nobody asks it anything but probes and metrics, some
// 13 MB, and far below what some requests a second need.
const idleBelow = 32 << 20

// releaser returns a chore that gives the memory of past load back to the system, after a minute with hardly any work:
// by itself, the runtime keeps as much as a busy service needs.
func releaser() func(context.Context) error {
	var before uint64
	return func(context.Context) error {
		sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
		metrics.Read(sample)
		if now := sample[0].Value.Uint64(); before > 0 && now-before < idleBelow {
			debug.FreeOSMemory()
			metrics.Read(sample)
		}
		before = sample[0].Value.Uint64()
		return nil
	}
}
