// Package meter counts, and shows what it counted in Prometheus' text format.
package meter

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"fichario/adapters/stored"
)

// The kinds of metrics.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
	summary   = "summary"
)

// Registry holds metrics. It is safe for concurrent use.
type Registry struct {
	mu       sync.Mutex
	families []*family
}

// family is a metric with all its series.
type family struct {
	name, help, kind string
	// labels are the names of labels, and byName their indices in the order of the names.
	labels []string
	byName []int
	// bounds are the upper ends of a histogram's buckets, ascending.
	bounds []float64

	mu     sync.RWMutex
	series map[string]*series // by the values of the labels, each with its length
	// total writes the last lines of a summary; nil for all others.
	total func(*bufio.Writer)
}

// series are the numbers under one combination of labels.
type series struct {
	labels string // as written, without braces
	count  atomic.Uint64
	// buckets of a histogram count what is above the one before; the last has no bound.
	buckets []atomic.Uint64
	sum     atomic.Uint64  // bits of a float
	read    func() float64 // where the value is that of a function
}

func (r *Registry) add(f *family) *family {
	f.series = map[string]*series{}
	for i := range f.labels {
		f.byName = append(f.byName, i)
	}
	slices.SortFunc(f.byName, func(a, b int) int { return cmp.Compare(f.labels[a], f.labels[b]) })
	r.mu.Lock()
	defer r.mu.Unlock()
	r.families = append(r.families, f)
	return f
}

// with returns the series under values of the labels, in their order; it is made when first asked for.
func (f *family) with(values []string) *series {
	var place [128]byte
	key := place[:0]
	for _, v := range values {
		key = append(strconv.AppendInt(key, int64(len(v)), 10), ' ')
		key = append(key, v...)
	}
	f.mu.RLock()
	s := f.series[string(key)]
	f.mu.RUnlock()
	if s != nil {
		return s
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if s = f.series[string(key)]; s == nil {
		s = &series{labels: f.written(values)}
		if f.bounds != nil {
			s.buckets = make([]atomic.Uint64, len(f.bounds)+1)
		}
		f.series[string(key)] = s
	}
	return s
}

var (
	escapedValue = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
	escapedHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
)

func (f *family) written(values []string) string {
	pairs := make([]string, len(values))
	for i, at := range f.byName {
		pairs[i] = f.labels[at] + `="` + escapedValue.Replace(values[at]) + `"`
	}
	return strings.Join(pairs, ",")
}

// Counter is a metric that only grows, a number for each combination of its labels.
type Counter struct{ of *family }

// Counter adds a counter with these labels.
func (r *Registry) Counter(name, help string, labels ...string) Counter {
	return Counter{r.add(&family{name: name, help: help, kind: counter, labels: labels})}
}

// Add adds n to the number under values of the labels, which come in their order. Adding nothing makes it known: to
// Prometheus, what begins with its first failure has not grown.
func (c Counter) Add(n uint64, values ...string) { c.of.with(values).count.Add(n) }

// Histogram is a metric of how many observations are at most how large.
type Histogram struct{ of *family }

// Histogram adds a histogram with these upper ends of its buckets, ascending, and these labels.
func (r *Registry) Histogram(name, help string, bounds []float64, labels ...string) Histogram {
	return Histogram{r.add(&family{name: name, help: help, kind: histogram, labels: labels, bounds: bounds})}
}

// Observe counts an observation.
func (h Histogram) Observe(value float64, values ...string) {
	s := h.of.with(values)
	i, _ := slices.BinarySearch(h.of.bounds, value)
	s.buckets[i].Add(1)
	for {
		before := s.sum.Load()
		if s.sum.CompareAndSwap(before, math.Float64bits(math.Float64frombits(before)+value)) {
			return
		}
	}
}

// Gauge adds a metric whose value is read when it is shown.
func (r *Registry) Gauge(name, help string, read func() float64) {
	r.add(&family{name: name, help: help, kind: gauge}).with(nil).read = read
}

// CounterFunc adds a counter whose values are read when it is shown, by the value of its label.
func (r *Registry) CounterFunc(name, help, label string, read map[string]func() float64) {
	f := r.add(&family{name: name, help: help, kind: counter, labels: []string{label}})
	for value, read := range read {
		f.with([]string{value}).read = read
	}
}

// ServeHTTP shows the metrics, and what is known of the runtime and the process.
func (r *Registry) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	w.Header().Add("Vary", "Accept-Encoding")
	var out io.Writer = w
	if stored.TakesGzip(q.Header.Get("Accept-Encoding")) {
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		defer func() { _ = packed.Close() }() // nobody is left to be told
		out = packed
	}
	page := bufio.NewWriter(out)
	defer func() { _ = page.Flush() }()
	r.mu.Lock()
	families := slices.Clone(r.families)
	r.mu.Unlock()
	families = slices.Concat(families, ofRuntime(), ofProcess())
	slices.SortFunc(families, func(a, b *family) int { return cmp.Compare(a.name, b.name) })
	for _, f := range families {
		f.write(page)
	}
}

// write writes a family that has series.
func (f *family) write(w *bufio.Writer) {
	f.mu.RLock()
	all := make([]*series, 0, len(f.series))
	for _, s := range f.series {
		all = append(all, s)
	}
	f.mu.RUnlock()
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b *series) int { return cmp.Compare(a.labels, b.labels) })
	_, _ = w.WriteString("# HELP " + f.name + " " + escapedHelp.Replace(f.help) + "\n# TYPE " + f.name + " " + f.kind + "\n")
	for _, s := range all {
		switch {
		case s.read != nil:
			line(w, f.name, s.labels, "", s.read())
		case f.bounds != nil:
			f.writeBuckets(w, s)
		default:
			line(w, f.name, s.labels, "", float64(s.count.Load()))
		}
	}
	if f.total != nil {
		f.total(w)
	}
}

func (f *family) writeBuckets(w *bufio.Writer, s *series) {
	total := uint64(0)
	for i := range s.buckets {
		le := "+Inf"
		if i < len(f.bounds) {
			le = number(f.bounds[i])
		}
		total += s.buckets[i].Load()
		line(w, f.name+"_bucket", s.labels, `le="`+le+`"`, float64(total))
	}
	f.writeTotal(w, s.labels, math.Float64frombits(s.sum.Load()), float64(total))
}

func (f *family) writeTotal(w *bufio.Writer, labels string, sum, count float64) {
	line(w, f.name+"_sum", labels, "", sum)
	line(w, f.name+"_count", labels, "", count)
}

func line(w *bufio.Writer, name, labels, last string, value float64) {
	if labels != "" && last != "" {
		labels += ","
	}
	if labels += last; labels != "" {
		labels = "{" + labels + "}"
	}
	_, _ = w.WriteString(name + labels + " " + number(value) + "\n")
}

func number(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }
