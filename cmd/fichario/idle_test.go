package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestCollectionsAreRarerWhileThereIsWork: not parallel, because the percentage is the process's.
func TestCollectionsAreRarerWhileThereIsWork(t *testing.T) {
	t.Cleanup(func() { debug.SetGCPercent(100) })
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	collect := func(wanted uint64) {
		t.Helper()
		runtime.GC() // once, because the next one would change it again
		for end := time.Now().Add(time.Minute); percent() != wanted; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the heap may grow by %d %%, not by %d", percent(), wanted)
			}
		}
	}
	debug.SetGCPercent(busyPercent)
	afterCollection(time.Now().Add(-time.Hour), busyPercent)
	collect(restPercent)
	collect(busyPercent)
}
