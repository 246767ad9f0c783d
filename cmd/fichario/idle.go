package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The heap is small and mostly short-lived: collecting it less often saves a tenth of the time while there is work. At
// rest it would only let garbage of tens of megabytes lie.
const busyPercent, restPercent = 400, 50

// restsAfter is more than what lies between two collections of a busy service.
const restsAfter = 10 * time.Second

// collect sets how far the heap may grow between collections, and sets it anew after each: work is noticed by the first
// collection that comes soon after another.
func collect() {
	debug.SetGCPercent(busyPercent)
	afterCollection(time.Now(), busyPercent)
}

func afterCollection(last time.Time, percent int) {
	runtime.AddCleanup(new([16]byte), func(last time.Time) {
		now := time.Now()
		wanted := busyPercent
		if now.Sub(last) > restsAfter {
			wanted = restPercent
		}
		if wanted != percent {
			debug.SetGCPercent(wanted)
		}
		afterCollection(now, wanted)
	}, last)
}

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
