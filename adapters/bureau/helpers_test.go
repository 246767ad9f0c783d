package bureau_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"fichario/adapters/bureau"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const cpf = "52998224725"

// basic is a bureau file with one product; %s stands for the base URL and more keys.
const basic = `name: teste
base_url: %s
%s
products:
  cpf:
    price: "0.45"
    request: { method: GET, path: "/pessoas/{documento}" }
    fields: { nome: .nome, sexo: .sexo }
`

func noEnv(string) (string, bool) { return "", false }

func parse(t testing.TB, src string, env ...string) *bureau.File {
	t.Helper()
	f, err := bureau.Parse("test.yaml", []byte(src), func(name string) (string, bool) {
		for i := 0; i+1 < len(env); i += 2 {
			if env[i] == name {
				return env[i+1], true
			}
		}
		return "", false
	})
	if err != nil {
		t.Fatalf("the file has faults:\n%v", err)
	}
	return f
}

func client(t testing.TB, src string, opts ...bureau.Option) *bureau.Client {
	t.Helper()
	c := bureau.New(parse(t, src), opts...)
	t.Cleanup(c.Close)
	return c
}

func doc(t testing.TB, typ document.Type, value string) document.Document {
	t.Helper()
	d, err := document.Parse(typ, value)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func product(t testing.TB, c *bureau.Client, id string) catalog.Product {
	t.Helper()
	p, ok := c.Catalog().Find(id)
	if !ok {
		t.Fatalf("no product %s", id)
	}
	return p
}

// question asks a client's product about a document.
func question(t testing.TB, c *bureau.Client, id, value string) ports.Question {
	t.Helper()
	p := product(t, c, id)
	d, err := p.Parse(value)
	if err != nil {
		t.Fatal(err)
	}
	return ports.Question{Product: p, Document: d}
}

// ask looks up the usual CPF.
func ask(t testing.TB, c *bureau.Client) (ports.Answer, error) {
	t.Helper()
	return c.Ask(t.Context(), ports.Question{Product: product(t, c, "cpf"), Document: doc(t, document.CPF, cpf)})
}

// wantError checks the outcome, and that the reason contains a text.
func wantError(t testing.TB, err error, outcome ports.BureauOutcome, reason string) {
	t.Helper()
	_ = failureOf(t, err, outcome, reason)
}

// failureOf does the same, and returns the failure.
func failureOf(t testing.TB, err error, outcome ports.BureauOutcome, reason string) *ports.BureauError {
	t.Helper()
	var e *ports.BureauError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want a *ports.BureauError", err)
	}
	if e.Outcome != outcome || !strings.Contains(e.Reason, reason) {
		t.Fatalf("got %v, want %s: %s", e, outcome, reason)
	}
	if strings.Contains(e.Error(), cpf) || strings.Contains(e.Error(), "127.0.0.1") {
		t.Fatalf("the error shows the document or the address: %v", e)
	}
	return e
}

// serve starts an HTTP server, and counts its requests.
func serve(t testing.TB, h http.HandlerFunc) (url string, calls *atomic.Int32) {
	t.Helper()
	calls = &atomic.Int32{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		h(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, calls
}

// body answers with a status and a body.
func body(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

// rawServe starts a TCP server. handle gets the connection after each request's head was read, with the head; returning
// false closes the connection.
func rawServe(t testing.TB, handle func(n int, conn net.Conn, head string) bool) (url string, calls *atomic.Int32) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	calls = &atomic.Int32{}
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop); l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				<-stop
				conn.Close()
			}()
			go func() {
				defer conn.Close()
				r := bufio.NewReader(conn)
				for {
					head := ""
					for !strings.HasSuffix(head, "\r\n\r\n") {
						line, err := r.ReadString('\n')
						if err != nil {
							return
						}
						head += line
					}
					if !handle(int(calls.Add(1)), conn, head) {
						return
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String(), calls
}

func reset(conn net.Conn) {
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

func answer200(text string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text),
		text)
}

// pipes serves a handler over in-memory connections, which a fake clock can wait for.
func pipes(h http.HandlerFunc) (dial bureau.DialFunc, stop func()) {
	l := &pipeListener{make(chan net.Conn), make(chan struct{})}
	s := &http.Server{Handler: h, ErrorLog: discardLog()}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		here, there := net.Pipe()
		select {
		case l.conns <- there:
			return here, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}, func() { _ = s.Close(); <-done }
}

type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error { close(l.closed); return nil }

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }
