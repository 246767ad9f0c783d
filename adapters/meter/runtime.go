package meter

import (
	"bufio"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"
)

// runtimeMetrics are what is shown of Go's runtime: a name, its kind, and the sum of the runtime's own metrics, of
// classes of memory where they begin with a dot.
var runtimeMetrics = [][3]string{
	{"go_gc_gogc_percent", gauge, "/gc/gogc:percent"},
	{"go_gc_gomemlimit_bytes", gauge, "/gc/gomemlimit:bytes"},
	{"go_goroutines", gauge, "/sched/goroutines:goroutines"},
	{"go_memstats_alloc_bytes", gauge, ".heap/objects"},
	{"go_memstats_alloc_bytes_total", counter, "/gc/heap/allocs:bytes"},
	{"go_memstats_buck_hash_sys_bytes", gauge, ".profiling/buckets"},
	{"go_memstats_frees_total", counter, "/gc/heap/frees:objects /gc/heap/tiny/allocs:objects"},
	{"go_memstats_gc_sys_bytes", gauge, ".metadata/other"},
	{"go_memstats_heap_alloc_bytes", gauge, ".heap/objects"},
	{"go_memstats_heap_idle_bytes", gauge, ".heap/released .heap/free"},
	{"go_memstats_heap_inuse_bytes", gauge, ".heap/objects .heap/unused"},
	{"go_memstats_heap_objects", gauge, "/gc/heap/objects:objects"},
	{"go_memstats_heap_released_bytes", gauge, ".heap/released"},
	{"go_memstats_heap_sys_bytes", gauge, ".heap/objects .heap/unused .heap/released .heap/free"},
	{"go_memstats_mallocs_total", counter, "/gc/heap/allocs:objects /gc/heap/tiny/allocs:objects"},
	{"go_memstats_mcache_inuse_bytes", gauge, ".metadata/mcache/inuse"},
	{"go_memstats_mcache_sys_bytes", gauge, ".metadata/mcache/inuse .metadata/mcache/free"},
	{"go_memstats_mspan_inuse_bytes", gauge, ".metadata/mspan/inuse"},
	{"go_memstats_mspan_sys_bytes", gauge, ".metadata/mspan/inuse .metadata/mspan/free"},
	{"go_memstats_next_gc_bytes", gauge, "/gc/heap/goal:bytes"},
	{"go_memstats_other_sys_bytes", gauge, ".other"},
	{"go_memstats_stack_inuse_bytes", gauge, ".heap/stacks"},
	{"go_memstats_stack_sys_bytes", gauge, ".heap/stacks .os-stacks"},
	{"go_memstats_sys_bytes", gauge, ".total"},
	{"go_sched_gomaxprocs_threads", gauge, "/sched/gomaxprocs:threads"},
}

func ofRuntime() (families []*family) {
	for _, m := range runtimeMetrics {
		value, help := 0.0, "The runtime's"
		for name := range strings.FieldsSeq(m[2]) {
			if class, found := strings.CutPrefix(name, "."); found {
				name = "/memory/classes/" + class + ":bytes"
			}
			read := []metrics.Sample{{Name: name}}
			metrics.Read(read)
			value, help = value+float64(read[0].Value.Uint64()), help+" "+name
		}
		families = append(families, single(m[0], m[1], help, "", value))
	}
	threads, _ := runtime.ThreadCreateProfile(nil)
	collected := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&collected)
	last := float64(0)
	if !collected.LastGC.IsZero() && collected.LastGC.UnixNano() > 0 {
		last = float64(collected.LastGC.UnixNano()) / 1e9
	}
	return append(families, pauses(&collected),
		single("go_info", gauge, "The version of Go.", `version="`+runtime.Version()+`"`, 1),
		single("go_memstats_last_gc_time_seconds", gauge, "Time of the last garbage collection, in seconds since 1970.", "", last),
		single("go_threads", gauge, "Threads of the operating system that were created.", "", float64(threads)))
}

// single is a family with one value.
func single(name, kind, help, labels string, value float64) *family {
	read := func() float64 { return value }
	return &family{name: name, kind: kind, help: help, series: map[string]*series{"": {labels: labels, read: read}}}
}

// pauses are those of the garbage collector, as a summary.
func pauses(of *debug.GCStats) *family {
	f := single("go_gc_duration_seconds", summary, "Pauses of garbage collections.", `quantile="0"`, of.PauseQuantiles[0].Seconds())
	for i, quantile := range []string{"0.25", "0.5", "0.75", "1"} {
		read := of.PauseQuantiles[i+1].Seconds
		f.series[quantile] = &series{labels: `quantile="` + quantile + `"`, read: read}
	}
	f.total = func(w *bufio.Writer) { f.writeTotal(w, "", of.PauseTotal.Seconds(), float64(of.NumGC)) }
	return f
}
