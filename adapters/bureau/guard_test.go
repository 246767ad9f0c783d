package bureau_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"fichario/adapters/bureau"
	"fichario/adapters/sandbox"
	"fichario/domain/document"
	"fichario/ports"
)

// TestCircuit runs on a fake clock: twenty failures in a row open the circuit for five seconds, and one successful call
// closes it.
func TestCircuit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var down, dials atomic.Int32
		inProcess, stop := sandbox.New().Start()
		defer stop()
		f := parse(t, string(sandbox.File(sandbox.Plain)))
		c := bureau.New(f, bureau.WithDialContext(func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials.Add(1)
			if down.Load() == 1 {
				return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
			}
			return inProcess(ctx, network, addr)
		}))
		defer c.Close()
		call := func(d string) error {
			_, err := c.Ask(t.Context(), ports.Question{Product: product(t, c, "cpf"), Document: doc(t, document.CPF, d)})
			return err
		}
		fail := func(n int) {
			for range n {
				wantError(t, call(cpf), ports.NotSent, "connection refused")
			}
		}
		down.Store(1)
		fail(19)
		down.Store(0)
		if err := call(cpf); err != nil { // a success in between restarts the count
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second) // the idle connection is closed
		down.Store(1)
		fail(20)
		before := dials.Load()
		e := failureOf(t, call(cpf), ports.NotSent, "circuit open")
		if e.RetryAfter != 5*time.Second || dials.Load() != before || c.Rests() != 5*time.Second {
			t.Errorf("open: retry after %s, %d dials, rests %s", e.RetryAfter, dials.Load()-before, c.Rests())
		}
		time.Sleep(4500 * time.Millisecond)
		if e := failureOf(t, call(cpf), ports.NotSent, "circuit open"); e.RetryAfter != time.Second {
			t.Errorf("nearly over: retry after %s", e.RetryAfter)
		}
		time.Sleep(600 * time.Millisecond)
		fail(1) // the single trial call
		wantError(t, call(cpf), ports.NotSent, "circuit open")
		down.Store(0)
		time.Sleep(5100 * time.Millisecond)
		for range 3 {
			if err := call(cpf); err != nil {
				t.Fatal(err)
			}
		}
		if c.Rests() != 0 {
			t.Errorf("closed, and rests %s", c.Rests())
		}
		// Failures that say nothing about the bureau's health do not open it.
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for range 30 {
			_, err := c.Ask(ctx, ports.Question{Product: product(t, c, "cpf"), Document: doc(t, document.CPF, cpf)})
			wantError(t, err, ports.NotSent, "cancelled")
		}
		if err := call(cpf); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCircuitByAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		opens  bool
	}{{500, "", true}, {200, "<html>", true}, {302, "", true}, {404, "", false}, {400, "{}", false}, {429, "{}", false}} {
		url, calls := serve(t, body(c.status, c.body))
		cl := client(t, fmt.Sprintf(basic, url, ""))
		for range 25 {
			_, _ = ask(t, cl)
		}
		if want := map[bool]int32{true: 20, false: 25}[c.opens]; calls.Load() != want {
			t.Errorf("status %d %q: %d calls, want %d", c.status, c.body, calls.Load(), want)
		}
	}
}

// TestNothingPersonalIsLogged runs failing calls with a marked document, token and answer, and searches the log and the
// errors for the marks.
func TestNothingPersonalIsLogged(t *testing.T) {
	t.Parallel()
	const secret, said = "MARCA-SEGREDO-7", "MARCA-RESPOSTA-9"
	var out lockedBuffer
	logger := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug, AddSource: true}))
	var errs []string
	answers := []http.HandlerFunc{
		body(200, `{"nome":["`+said+`"],"sexo":{"`+said+`":1},"erro":""}`),
		body(200, `{"erro":"`+said+` 52998224725"}`),
		body(200, said), body(404, said), body(500, said), body(302, said),
		func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Location", "/"+said); w.WriteHeader(302) },
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, said)
		},
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Bad\tHeader", said)
			_, _ = io.WriteString(w, said)
		},
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Transfer-Encoding", said)
			_, _ = io.WriteString(w, said)
		},
		func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() },
	}
	src := `{name: t, base_url: "%s/${S}", headers: {X-Chave: "${S}"}, timeout: 200ms, failed: .erro, products: {cpf: {
  price: 1, request: {method: POST, path: "/{documento}", query: {d: "{documento}"}, body: "{documento}"},
  fields: {nome: '.nome | error', sexo: .sexo, emails: '.nome + 1'}}}}`
	run := func(url string) {
		c := bureau.New(parse(t, fmt.Sprintf(src, url), "S", secret), bureau.WithLogger(logger))
		defer c.Close()
		for range 2 {
			if _, err := ask(t, c); err != nil {
				errs = append(errs, fmt.Sprintf("%v %+v %#v", err, err, err))
			}
		}
	}
	for _, h := range answers {
		url, _ := serve(t, h)
		run(url)
	}
	raw, _ := rawServe(t, func(_ int, conn net.Conn, _ string) bool {
		_, _ = io.WriteString(conn, said+"\r\n")
		return false
	})
	run(raw)
	run("http://127.0.0.1:1")
	run("http://" + strings.ToLower(said) + ".invalid")
	url, _ := serve(t, body(401, `{"access_token":"`+said+`"}`))
	c := bureau.New(parse(t, strings.Replace(fmt.Sprintf(withAuth, url, url), "s e", "${S}", 1), "S", secret),
		bureau.WithLogger(logger))
	defer c.Close()
	_, err := ask(t, c)
	errs = append(errs, err.Error())

	text := out.String() + strings.Join(errs, "\n")
	if len(errs) < 20 || !strings.Contains(text, "bureau call failed") || !strings.Contains(text, "could not read") ||
		!strings.Contains(text, "no token") {
		t.Fatalf("the test saw too little: %d errors\n%s", len(errs), text)
	}
	for _, mark := range []string{cpf, "529.982", secret, said, strings.ToLower(said), "127.0.0.1"} {
		if i := strings.Index(text, mark); i >= 0 {
			t.Errorf("%q is shown: %s", mark, text[max(0, i-200):i+len(mark)])
		}
	}
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// FuzzAnswer feeds arbitrary bytes to the client as an answer: it must not panic, and may only accept JSON.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"nome":"ANA"}`, "", "\xef\xbb\xbfnull", `{"nome":1e999,"sexo":[{}],"a":{"a":1}}`, "<html>", `"\ud800"`, "[[[[",
	} {
		f.Add(200, []byte(s))
		f.Add(404, []byte(s))
	}
	var status atomic.Int32
	var answer atomic.Pointer[[]byte]
	dial, stop := pipeServer(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write(*answer.Load())
	})
	f.Cleanup(stop)
	src := fmt.Sprintf(basic, "http://x.invalid", "failed: .erro?\nnot_found: [404]")
	src += `      emails: '[.. | strings]'
      telefones: '[.a[]? | {ddd: .b, numero: tostring}]'
      situacaoCadastral: '(.a.a? // 0) + 1 | tostring'
`
	src = strings.Replace(src, "fields: { nome: .nome, sexo: .sexo }", "fields:\n      nome: .nome\n      sexo: .sexo", 1)
	file := parse(f, src)
	c := bureau.New(file, bureau.WithDialContext(dial))
	f.Cleanup(func() { c.Close() })
	f.Fuzz(func(t *testing.T, code int, raw []byte) {
		if code != 404 {
			code = 200
		}
		status.Store(int32(code))
		answer.Store(&raw)
		a, err := ask(t, c)
		if err != nil {
			wantError(t, err, ports.Failed, "")
			// Twenty refused answers in a row would open the circuit.
			c.Close()
			c = bureau.New(file, bureau.WithDialContext(dial))
			return
		}
		if !json.Valid(a.Raw) || !json.Valid(a.Fields) || a.Found != (code == 200) {
			t.Errorf("accepted %q as %q with %s", raw, a.Raw, a.Fields)
		}
	})
}

// pipeServer serves a handler on a real listener, for the fuzzer.
func pipeServer(h http.HandlerFunc) (dial bureau.DialFunc, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	s := &http.Server{Handler: h, ErrorLog: discardLog()}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", l.Addr().String())
		}, func() {
			_ = s.Close()
			<-done
		}
}
