package sandbox

import (
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bureau is a sandbox bureau: what its cases say, and what it invents where they say nothing. It is safe for concurrent
// use.
type Bureau struct {
	handler http.Handler

	mu    sync.Mutex
	cases []oneCase
	turns map[turn]int
	// remembers is whether calls are noted.
	remembers bool
	calls     []*Call
}

// turn is what the answers of a case follow one another for.
type turn struct {
	oneCase           int
	product, document string
}

// callsKept is how many calls a bureau remembers; the oldest are forgotten first.
const callsKept = 10_000

// Call is a call that a bureau was asked, as its ledger shows it.
type Call struct {
	Time     time.Time         `json:"time"` // UTC
	Product  string            `json:"product"`
	Document string            `json:"document"`
	Headers  map[string]string `json:"headers"` // *** in place of secrets
	Answered Answered          `json:"answered"`
}

// Answered is what a call was answered with.
type Answered struct {
	// Case and Answer count from 1 the case of the script and its answer; 0 where none matched.
	Case   int `json:"case"`
	Answer int `json:"answer"`
	// Status is 0 where there was none.
	Status int `json:"status"`
	// Fault is that of the answer; empty where it has none.
	Fault string `json:"fault"`
	// Bytes are those of the body, as far as it was sent.
	Bytes int `json:"bytes"`
}

// New returns a bureau without a script.
func New() *Bureau {
	b := &Bureau{}
	b.handler = b.routes()
	return b
}

// Script gives the bureau the cases of a file, in place of those that it had; what it named as a file is read from
// files, or refused where that is nil. The error is Problems, and changes nothing.
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

// ServeHTTP answers the requests that File describes, and stops waiting when the client goes.
func (b *Bureau) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.handler.ServeHTTP(w, r) }

// Refuses reports whether the next connection for a question is not taken, and counts it as answered so.
func (b *Bureau) Refuses(product, document string) bool {
	a, what, ok := b.next(product, document, func(a reply) bool { return a.fault == Refuse })
	if ok {
		what.Fault = string(a.fault)
		b.note(Call{Product: product, Document: document, Headers: map[string]string{}, Answered: what})
	}
	return ok
}

// next is the answer whose turn it is, if it is one that is wanted; then the turn passes.
func (b *Bureau) next(product, document string, wanted func(reply) bool) (a reply, what Answered, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.cases, func(c oneCase) bool { return c.matches(product, document) })
	if i < 0 {
		return a, what, false
	}
	now := turn{i, product, document}
	n := min(b.turns[now], len(b.cases[i].answers)-1)
	if a = b.cases[i].answers[n]; !wanted(a) {
		return a, what, false
	}
	b.turns[now] = n + 1
	return a, Answered{Case: i + 1, Answer: n + 1}, true
}

// note puts a call into the ledger, where what becomes of it is added.
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

// named are headers by name, without what lets somebody in.
func named(h http.Header) map[string]string {
	out := make(map[string]string, len(h))
	for name, values := range h {
		out[name] = strings.Join(values, ", ")
		lower := strings.ToLower(name)
		secret := func(part string) bool { return strings.Contains(lower, part) }
		if slices.ContainsFunc([]string{"auth", "cookie", "key", "token", "secret", "password", "senha"}, secret) {
			out[name] = "***"
		}
	}
	return out
}

// sending notes what is sent before it is, so that who has an answer finds it in the ledger.
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

// WriteHeader notes the status.
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

// Unwrap lets the connection be taken over.
func (s *sending) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// perform sends an answer of a case; invented is the body where it has none.
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
	body := []byte(strings.ReplaceAll(string(a.body), "{documento}", document))
	if a.body == nil {
		body = invented()
	}
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

// drip sends a body at so many bytes a second, until the client goes.
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
