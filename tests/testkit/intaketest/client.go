package intaketest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/patience"
)

// Request is a request to the service.
type Request struct {
	// Method is POST when empty.
	Method, Path string
	Header       map[string]string
	Body         string
	// Chunked sends the body without declaring its length.
	Chunked bool
	// Stream, if set, is called to write the body instead of Body, for as long as the service accepts it. Header declares
	// what it writes.
	Stream func(w io.Writer)
	// Begun, if set, is called when the service agrees to read the body, which it announces for a Stream with "Expect:
	// 100-continue" in Header.
	Begun func()
	// Wait is how long to wait for the answer to a Stream; as long as any test waits when zero.
	Wait time.Duration
}

// JSON is the header that declares a JSON body.
var JSON = map[string]string{"Content-Type": "application/json"}

// Answer is an answer of the service.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// JSON is the decoded body, where it is an object.
	JSON map[string]any
	Took time.Duration
}

// Text is a text field of the body, or "".
func (a Answer) Text(field string) string { text, _ := a.JSON[field].(string); return text }

// LeadID is the id of the contact, "" for other answers.
func (a Answer) LeadID() string { return a.Text("leadId") }

// LeadIDs are the ids of all contacts; none for other answers.
func (a Answer) LeadIDs() (all []string) {
	several, _ := a.JSON["leadIds"].([]any)
	for _, id := range several {
		all = append(all, fmt.Sprint(id))
	}
	if len(all) == 0 && a.LeadID() != "" {
		all = []string{a.LeadID()}
	}
	return all
}

// String is the status and the code, for comparisons.
func (a Answer) String() string { return strings.TrimSpace(fmt.Sprint(a.Status, " ", a.Text("code"))) }

var client = testkit.NewClient(&http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true})

// Send sends a request and checks the answer against the contract and the promises of every webhook answer.
func (s *Service) Send(ctx context.Context, r Request) (Answer, error) {
	if r.Method == "" {
		r.Method = http.MethodPost
	}
	began := time.Now()
	send := s.whole
	if r.Stream != nil {
		send = s.stream
	}
	a, err := send(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	a.Took = time.Since(began)
	if strings.HasSuffix(a.Header.Get("Content-Type"), "json") && r.Method != http.MethodHead {
		dec := json.NewDecoder(bytes.NewReader(a.Body))
		dec.UseNumber()
		if err := dec.Decode(&a.JSON); err != nil {
			return a, fmt.Errorf("the answer is not JSON: %w", err)
		}
	}
	_, err = contracttest.Conforms(r.Method, r.Path, a.Status, a.Header, a.Body)
	return a, errors.Join(err, s.promises(r, a))
}

func (s *Service) whole(ctx context.Context, r Request) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, s.URL+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return Answer{}, err
	}
	if r.Chunked {
		req.ContentLength = -1
	} else if r.Body == "" {
		req.Body, req.ContentLength = http.NoBody, 0
	}
	for k, v := range r.Header {
		req.Header[http.CanonicalHeaderKey(k)] = []string{v}
	}
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}, err
}

// stream writes the body while it waits for the answer: a client that first writes and then reads would miss the answer
// of a service that has read enough.
func (s *Service) stream(ctx context.Context, r Request) (Answer, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.Addr)
	if err != nil {
		return Answer{}, err
	}
	var writing sync.WaitGroup
	defer writing.Wait()
	defer func() { _ = conn.Close() }()
	wait := r.Wait
	if wait == 0 {
		wait = patience.Limit()
	}
	_ = conn.SetDeadline(time.Now().Add(wait))
	head := r.Method + " " + r.Path + " HTTP/1.1\r\nHost: " + s.Addr + "\r\n"
	for k, v := range r.Header {
		head += k + ": " + v + "\r\n"
	}
	if _, err := io.WriteString(conn, head+"\r\n"); err != nil {
		return Answer{}, err
	}
	writing.Go(func() { r.Stream(conn) })
	from, asked := bufio.NewReader(conn), &http.Request{Method: r.Method}
	if r.Begun != nil {
		line, err := from.ReadString('\n')
		if _, blank := from.ReadString('\n'); err != nil || blank != nil || !strings.Contains(line, " 100 ") {
			return Answer{}, errors.New("the body is not asked for")
		}
		r.Begun()
	}
	resp, err := http.ReadResponse(from, asked)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}, err
}

// Chunks writes an endless chunked body, repeating one text, until the service stops accepting it.
func Chunks(first, again string) func(w io.Writer) {
	return func(w io.Writer) {
		next := first + again
		for {
			if _, err := fmt.Fprintf(w, "%x\r\n%s\r\n", len(next), next); err != nil {
				return
			}
			next = again
		}
	}
}

// promises checks what holds for every answer of a webhook, whatever was sent.
func (s *Service) promises(r Request, a Answer) error {
	if !strings.HasPrefix(r.Path, "/api/webhooks/") {
		return nil
	}
	var errs []error
	must := func(ok bool, what string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s answers %d: %s", r.Method, a.Status, what))
		}
	}
	must(a.Header.Get("Access-Control-Allow-Origin") == "*", "no Access-Control-Allow-Origin")
	must(a.Header.Get("Access-Control-Allow-Credentials") == "", "it allows credentials")
	must(a.Header.Get("Cache-Control") == "no-store", "it may be stored on the way")
	must(a.Header.Get("X-Request-Id") != "", "no X-Request-Id")
	if a.Status < 400 || r.Method == http.MethodHead {
		return errors.Join(errs...)
	}
	must(s.hidden.in(string(a.Body)) == 0, "the refusal holds a name, an address, a token or a secret")
	if isPage(a) {
		must(strings.Contains(r.Header["Accept"], "text/html"), "a page for who does not ask for one")
		must(strings.Contains(string(a.Body), a.Header.Get("X-Request-Id")), "another request id")
		must(a.Header.Get("Content-Security-Policy") != "", "no policy")
	} else {
		must(a.Header.Get("Content-Type") == "application/problem+json", "it is no problem document")
		must(a.JSON["success"] == false, "success is not false")
		must(a.Text("message") != "" && a.Text("message") == a.Text("detail"), "message is not the detail")
		must(a.Text("code") != "" && a.Text("requestId") == a.Header.Get("X-Request-Id"), "no code, or another requestId")
	}
	must(a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") != "", "no Retry-After")
	must(a.Status != http.StatusMethodNotAllowed || a.Header.Get("Allow") != "", "no Allow")
	must(a.Status != http.StatusUnauthorized || a.Header.Get("WWW-Authenticate") != "", "no WWW-Authenticate")
	return errors.Join(errs...)
}

func isPage(a Answer) bool { return strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") }

// Do is Send; the test fails when there is no answer, or one that breaks the promises.
func (o *Org) Do(r Request) Answer {
	o.tb.Helper()
	a, err := o.Send(o.tb.Context(), r)
	if err != nil {
		o.tb.Error(err)
	}
	return a
}

// Post posts a JSON body to a webhook.
func (o *Org) Post(h Hook, body string) Answer {
	o.tb.Helper()
	return o.Do(Request{Path: h.Path, Header: JSON, Body: body})
}

// Accept posts a JSON body that must be accepted, and returns the id of the contact.
func (o *Org) Accept(h Hook, body string) string {
	o.tb.Helper()
	a := o.Post(h, body)
	if a.Status != http.StatusOK || a.JSON["success"] != true || a.LeadID() == "" {
		o.tb.Fatalf("a lead is answered with %s: %s", a, a.Text("detail"))
	}
	return a.LeadID()
}

// Together sends n requests at once and returns the answers.
func Together(t *testing.T, n int, send func(i int) (Answer, error)) []Answer {
	t.Helper()
	out := make([]Answer, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var err error
			if out[i], err = send(i); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return out
}
