package meter_test

import (
	"compress/gzip"
	"io"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"fichario/adapters/meter"
)

// shown is what Prometheus reads, without the runtime and the process.
func shown(t *testing.T, r *meter.Registry) (own string, all []string) {
	t.Helper()
	w, q := httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil)
	q.Header.Set("Accept-Encoding", "gzip")
	r.ServeHTTP(w, q)
	plain, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if all = append(all, line); strings.Contains(line, "test_") {
			own += line
		}
	}
	return own, all
}

// TestGzipIsForThoseWhoTakeIt: a refusal names it, too.
func TestGzipIsForThoseWhoTakeIt(t *testing.T) {
	t.Parallel()
	for accepted, want := range map[string]string{"gzip": "gzip", "br, gzip;q=0.5": "gzip", "gzip;q=0": "", "": ""} {
		w, q := httptest.NewRecorder(), httptest.NewRequest("GET", "/metrics", nil)
		q.Header.Set("Accept-Encoding", accepted)
		new(meter.Registry).ServeHTTP(w, q)
		if got := w.Header().Get("Content-Encoding"); got != want {
			t.Errorf("%q: got %q", accepted, got)
		}
	}
}

// TestTheFormat: series are in the order of names and labels, whose values are escaped; a metric without series is
// left out, and buckets count all that is below.
func TestTheFormat(t *testing.T) {
	t.Parallel()
	r := &meter.Registry{}
	r.Gauge("test_z", "Last.", func() float64 { return 1.5e9 })
	r.Counter("test_none", "Nothing.", "of")
	c := r.Counter("test_a_total", "A \\ and\nmore.", "way", "at")
	c.Add(2, "x\"\\\n", "b")
	c.Add(0, "y", "")
	c.Add(1, "", "y")
	c.Add(3, "x\"\\\n", "b")
	h := r.Histogram("test_h", "Sizes.", []float64{.5, 1, 20}, "of")
	for _, v := range []float64{.5, .25, 1.5, 21} {
		h.Observe(v, "it")
	}
	r.CounterFunc("test_f_total", "Read.", "from", map[string]func() float64{"b": func() float64 { return 2 }, "a": func() float64 { return 0 }})
	const want = `# HELP test_a_total A \\ and\nmore.
# TYPE test_a_total counter
test_a_total{at="",way="y"} 0
test_a_total{at="b",way="x\"\\\n"} 5
test_a_total{at="y",way=""} 1
# HELP test_f_total Read.
# TYPE test_f_total counter
test_f_total{from="a"} 0
test_f_total{from="b"} 2
# HELP test_h Sizes.
# TYPE test_h histogram
test_h_bucket{of="it",le="0.5"} 2
test_h_bucket{of="it",le="1"} 2
test_h_bucket{of="it",le="20"} 3
test_h_bucket{of="it",le="+Inf"} 4
test_h_sum{of="it"} 23.25
test_h_count{of="it"} 4
# HELP test_z Last.
# TYPE test_z gauge
test_z 1.5e+09
`
	got, all := shown(t, r)
	if got != want {
		t.Errorf(" got %s\nwant %s", got, want)
	}
	for _, name := range []string{
		"go_goroutines ", `go_gc_duration_seconds{quantile="0.5"} `, "go_gc_duration_seconds_count ", "go_memstats_alloc_bytes ",
		"go_memstats_next_gc_bytes ", "process_open_fds ", "process_resident_memory_bytes ", "process_start_time_seconds ",
		"process_network_receive_bytes_total ", "process_max_fds ",
	} {
		found := 0
		for _, line := range all {
			if strings.HasPrefix(line, name) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s: %d lines", name, found)
		}
	}
}

// TestNothingIsLost: counters are exact however many count at once, while they are shown.
func TestNothingIsLost(t *testing.T) {
	t.Parallel()
	r := &meter.Registry{}
	c, h := r.Counter("test_total", "", "by"), r.Histogram("test_h", "", []float64{1})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 1000 {
				c.Add(1, string(rune('a'+i%5)))
				h.Observe(2)
			}
			shown(t, r)
		})
	}
	all.Wait()
	got, _ := shown(t, r)
	for _, line := range []string{`test_total{by="a"} 1600`, `test_total{by="e"} 1600`, `test_h_bucket{le="1"} 0`, "test_h_sum 16000", "test_h_count 8000"} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %s in %s", line, got)
		}
	}
}

func BenchmarkCounter(b *testing.B) {
	c := (&meter.Registry{}).Counter("test_total", "", "method", "route", "status")
	b.ReportAllocs()
	for b.Loop() {
		c.Add(1, "GET", "/api/v1/cpf/:documento", "200")
	}
}
