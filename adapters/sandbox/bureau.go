package sandbox

import (
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bureau is the bureaus of the sandbox: they answer by their cases, and invent an answer where no case matches. It is
// safe for concurrent use.
type Bureau struct {
	handler http.Handler

	mu    sync.Mutex
	cases []oneCase
	turns map[turn]int
	// remembers says that calls are recorded.
	remembers bool
	calls     []*Call
}

// turn identifies a sequence of answers of a case.
type turn struct {
	oneCase                   int
	bureau, product, document string
}

// callsKept is how many calls a bureau records; the oldest are dropped first.
const callsKept = 10_000

// Call is a call to the bureau, as its ledger shows it.
type Call struct {
	Time     time.Time         `json:"time"` // UTC
	Bureau   string            `json:"bureau"`
	Product  string            `json:"product"`
	Document string            `json:"document"`
	Headers  map[string]string `json:"headers"` // *** in place of secrets
	Answered Answered          `json:"answered"`
}

// Answered describes the answer to a call.
type Answered struct {
	// Case and Answer are the numbers, from 1, of the matching case and of its answer; 0 where none matched.
	Case   int `json:"case"`
	Answer int `json:"answer"`
	// Status is 0 where no status was sent.
	Status int `json:"status"`
	// Fault is the answer's fault; empty where it has none.
	Fault string `json:"fault"`
	// Bytes counts the body, as far as it was sent.
	Bytes int `json:"bytes"`
}

// New returns the bureaus without a script.
func New() *Bureau {
	b, mux := &Bureau{}, http.NewServeMux()
	for _, name := range Names() {
		mux.Handle(prefix(name)+"/", http.StripPrefix(prefix(name), b.routes(name)))
	}
	b.handler = mux
	return b
}

// Script replaces the bureaus' cases by those of a file. Files that it refers to are read from files, or refused where
// that is nil. The error is Problems, and then nothing changes.
func (b *Bureau) Script(src []byte, files fs.FS) error {
	cases, err := readCases(src, files)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cases, b.turns = cases, map[turn]int{}
	return nil
}

// ServeHTTP answers the requests that the bureaus' Files describe, and stops waiting when the client is gone.
func (b *Bureau) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.handler.ServeHTTP(w, r) }

// Refuses returns a function that reports whether a bureau refuses the next connection for a request, and then counts
// it as answered.
func (b *Bureau) Refuses(name string) func(product, document string) bool {
	return func(product, document string) bool {
		a, what, ok := b.next(name, product, document, func(a reply) bool { return a.fault == Refuse })
		if ok {
			what.Fault = string(a.fault)
			b.note(Call{Bureau: name, Product: product, Document: document, Headers: map[string]string{}, Answered: what})
		}
		return ok
	}
}

// next returns the next answer of a bureau, if it is a wanted one, and then advances.
func (b *Bureau) next(name, product, document string, wanted func(reply) bool) (a reply, what Answered, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.cases, func(c oneCase) bool { return c.matches(name, product, document) })
	if i < 0 {
		return a, what, false
	}
	now := turn{i, name, product, document}
	n := min(b.turns[now], len(b.cases[i].answers)-1)
	if a = b.cases[i].answers[n]; !wanted(a) {
		return a, what, false
	}
	b.turns[now] = n + 1
	return a, Answered{Case: i + 1, Answer: n + 1}, true
}

// note records a call in the ledger; its outcome is filled in later.
func (b *Bureau) note(c Call) *Call {
	c.Time = time.Now().UTC()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.remembers {
		return &c
	}
	if b.calls = append(b.calls, &c); len(b.calls) > callsKept {
		b.calls = slices.Delete(b.calls, 0, len(b.calls)-callsKept)
	}
	return &c
}

// ownAddress matches the address that a question brings for its answer, whose token is its only credential. A bureau
// file says which header has it.
var ownAddress = regexp.MustCompile(`(/api/v1/retornos/)[^/?#,\s]+`)

// named maps headers by name, with credentials masked.
func named(h http.Header) map[string]string {
	out := make(map[string]string, len(h))
	for name, values := range h {
		out[name] = ownAddress.ReplaceAllString(strings.Join(values, ", "), "$1***")
		lower := strings.ToLower(name)
		secret := func(part string) bool { return strings.Contains(lower, part) }
		if slices.ContainsFunc([]string{"auth", "cookie", "key", "token", "secret", "password", "senha"}, secret) {
			out[name] = "***"
		}
	}
	return out
}

// sending records what is about to be sent, so that a client that has an answer finds it in the ledger.
type sending struct {
	http.ResponseWriter
	bureau *Bureau
	call   *Call
}

func (s *sending) note(change func(*Answered)) {
	s.bureau.mu.Lock()
	defer s.bureau.mu.Unlock()
	change(&s.call.Answered)
}

// WriteHeader records the status.
func (s *sending) WriteHeader(status int) {
	s.note(func(a *Answered) { a.Status = status })
	s.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes.
func (s *sending) Write(p []byte) (int, error) {
	s.note(func(a *Answered) {
		if a.Bytes += len(p); a.Status == 0 {
			a.Status = http.StatusOK
		}
	})
	return s.ResponseWriter.Write(p)
}

// Unwrap lets the connection be hijacked.
func (s *sending) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// content is the body of an answer.
func (a reply) content(document string, invented func() []byte) []byte {
	if a.body == nil {
		return invented()
	}
	return []byte(strings.ReplaceAll(string(a.body), "{documento}", document))
}

// perform sends an answer of a case; invented makes the body where it has none.
func (a reply) perform(w http.ResponseWriter, r *http.Request, document string, invented func() []byte) {
	if !pause(r, a.delay) {
		return
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	switch a.fault {
	case Refuse, Broken:
		cut(w)
		return
	case Hang:
		<-r.Context().Done()
		return
	case HTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		a.body = []byte(page)
	}
	body := a.content(document, invented)
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	if a.status != http.StatusNoContent && a.status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(a.status)
	switch a.fault {
	case Truncate:
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		cut(w)
	case Dripping:
		drip(w, r, body, a.rate)
	default:
		_, _ = w.Write(body)
	}
}

// drip sends a body at a rate in bytes per second, until the client is gone.
func drip(w http.ResponseWriter, r *http.Request, body []byte, rate int) {
	const steps = 10 // a second
	for part := range slices.Chunk(body, max(rate/steps, 1)) {
		if _, err := w.Write(part); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
		if !pause(r, time.Duration(len(part))*time.Second/time.Duration(rate)) {
			return
		}
	}
}

// pause waits, and reports whether the client is still there.
func pause(r *http.Request, d time.Duration) bool {
	wait := time.NewTimer(d)
	defer wait.Stop()
	select {
	case <-r.Context().Done():
		return false
	case <-wait.C:
		return true
	}
}
