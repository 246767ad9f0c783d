package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// peer is a fake of another system, after its documentation: it checks each request, keeps records by key, and first
// answers from its script.
type peer struct {
	*testing.T
	mu      sync.Mutex
	records map[string]int // how often a record was made, by key
	script  []http.HandlerFunc
	serve   func(p *peer, w http.ResponseWriter, r *http.Request, body map[string]any)
	asked   []string // method, host and path of each request
	late    bool     // make the record, but break the connection before the answer
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, r.Method+" "+r.Host+r.URL.Path)
	raw, _ := io.ReadAll(r.Body)
	if len(p.script) > 0 {
		next := p.script[0]
		p.script = p.script[1:]
		next(w, r)
		return
	}
	if len(raw) > 0 && r.Header.Get("Content-Type") != "application/json" {
		p.Errorf("content type %q", r.Header.Get("Content-Type"))
	}
	raw = []byte(strings.TrimSuffix(strings.TrimPrefix(string(raw), "["), "]"))
	var body map[string]any
	if len(raw) > 0 && json.Unmarshal(raw, &body) != nil {
		p.Errorf("body %s", raw)
	}
	if p.late && r.Method == http.MethodPost {
		p.late = false
		p.serve(p, httptest.NewRecorder(), r, body)
		panic(http.ErrAbortHandler)
	}
	p.serve(p, w, r, body)
}

func (p *peer) expect(what string, got, want any) {
	p.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		p.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// answer writes an answer in JSON.
func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func answers(status int, headers map[string]string, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		answer(w, status, body)
	}
}

// at follows a JSON path: at(body, "inputs", 0, "id").
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

// toPeer returns a dispatcher whose calls all reach the peer, without TLS.
func toPeer(t *testing.T, p *peer) *Dispatcher {
	t.Helper()
	s := httptest.NewUnstartedServer(p)
	s.Config.ErrorLog = silent
	s.Start()
	t.Cleanup(s.Close)
	d := private(t, callTime)
	d.transport.DialTLSContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", s.Listener.Addr().String())
	}
	return d
}

func lead() crm.ContactView {
	c := contact(`José "Zé" <da> Silva`)
	c.Phone, c.PhoneE164, c.Company = "(11) 98765-4321", "+5511987654321", "Padaria & Cia"
	return c
}

func sending(id, destination string, values map[string]string) ports.Call {
	return ports.Call{
		ID: id, At: time.Unix(1767225600, 0).UTC(),
		Event:  automation.Event{Name: automation.ContactCreated, At: time.Unix(1767225500, 0).UTC(), Contact: lead()},
		Action: automation.Action{Kind: automation.HTTP, Destination: destination, Values: values},
	}
}

// shippedCase is a destination with its peer.
type shippedCase struct {
	values   map[string]string
	peer     func(p *peer, w http.ResponseWriter, r *http.Request, body map[string]any)
	result   string // of the first attempt
	again    string // of a retry after a lost answer
	records  int    // after that
	asked    string // the first attempt's requests
	busy     http.HandlerFunc
	busyWait time.Duration
	secrets  []string
}

func TestShippedDestinations(t *testing.T) {
	t.Parallel()
	for name, c := range shippedCases() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.run(t, name)
		})
	}
}

func (c shippedCase) run(t *testing.T, name string) {
	p := &peer{T: t, records: map[string]int{}, serve: c.peer}
	d := toPeer(t, p)
	send := func() (string, error) { return d.Send(t.Context(), sending("run-1", name, c.values)) }

	for status, want := range map[int]ports.SendError{
		401: {Reason: "o destino recusou (status 401)", Permanent: true},
		404: {Reason: "o destino recusou (status 404)", Permanent: true},
		500: {Reason: "status 500"},
	} {
		p.script = []http.HandlerFunc{answers(status, nil, `{"error":"segredo do outro lado"}`)}
		_, err := send()
		fails(t, err, want)
	}
	for _, wait := range waits[name] {
		// Where there is a search, it finds nothing; the request itself gets the answer.
		p.script = []http.HandlerFunc{wait.answer}
		if strings.HasPrefix(c.asked, "GET ") {
			p.script = []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) { c.peer(p, w, r, nil) }, wait.answer}
		}
		_, err := send()
		fails(t, err, wait.want)
	}
	p.script = []http.HandlerFunc{c.busy}
	_, err := send()
	fails(t, err, ports.SendError{Reason: "status 429", RetryAfter: c.busyWait})
	p.expect("records of what was refused", len(p.records), 0)

	p.asked = nil
	result, err := send()
	p.expect("result", fmt.Sprint(result, err), c.result+"<nil>")
	p.expect("requests", strings.Join(p.asked, ", "), c.asked)

	p.records, p.late = map[string]int{}, true
	var broken *ports.SendError
	if _, err = send(); !errors.As(err, &broken) || broken.Permanent {
		t.Errorf("an answer that was lost: %v", err)
	}
	result, err = send()
	p.expect("second attempt", fmt.Sprint(result, err), c.again+"<nil>")
	made := 0
	for _, n := range p.records {
		made += n
	}
	p.expect("records after two attempts", made, c.records)

	shown, err := Destinations{}.Show(t.Context(), sending("run-1", name, c.values))
	text := fmt.Sprintf("%+v %+v", shown, shown.Search)
	for _, secret := range c.secrets {
		if err != nil || strings.Contains(text, secret) {
			t.Errorf("shown: %s, %v", text, err)
		}
	}
}
