package bureau_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/adapters/bureau"
	"fichario/domain/document"
	"fichario/ports"
)

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

func TestNeverReached(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + l.Addr().String()
	l.Close()
	_, err = ask(t, client(t, fmt.Sprintf(basic, refused, "")))
	wantError(t, err, ports.NotSent, "connection refused")

	_, err = ask(t, client(t, fmt.Sprintf(basic, "http://nao-existe.invalid", "timeout: 2s")))
	wantError(t, err, ports.NotSent, "")

	// A connection that takes forever is bounded by the bureau's timeout.
	hang := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	_, err = ask(t, client(t, fmt.Sprintf(basic, "http://x.invalid", "timeout: 200ms"), bureau.WithDialContext(hang)))
	wantError(t, err, ports.NotSent, "in time")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	url, calls := serve(t, body(200, "{}"))
	c := client(t, fmt.Sprintf(basic, url, ""))
	_, err = c.Ask(ctx, ports.Question{Product: product(t, c, "cpf"), Document: doc(t, document.CPF, cpf)})
	wantError(t, err, ports.NotSent, "cancelled")
	if calls.Load() != 0 {
		t.Error("a cancelled call was made")
	}
}

func TestSentAndNoAnswer(t *testing.T) {
	t.Parallel()
	drip := func(conn net.Conn, text string) {
		for i := range len(text) {
			if _, err := io.WriteString(conn, text[i:i+1]); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond) // drips
		}
	}
	for name, h := range map[string]func(conn net.Conn){
		"accept and hang": func(conn net.Conn) { _, _ = io.ReadAll(conn) },
		"half the headers": func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX:")
			_, _ = io.ReadAll(conn)
		},
		"half the body": func(conn net.Conn) {
			_, _ = io.WriteString(conn, answer200("{}")[:70])
			_, _ = io.ReadAll(conn)
		},
		"drip in the head": func(conn net.Conn) { drip(conn, answer200("{}")) },
		"drip in the body": func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n")
			drip(conn, fmt.Sprintf("%999s", ""))
		},
		"endless 1xx": func(conn net.Conn) { drip(conn, "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n") },
		"chunks, then hang": func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n")
			_, _ = io.ReadAll(conn)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, calls := rawServe(t, func(_ int, conn net.Conn, _ string) bool { h(conn); return false })
			start := time.Now()
			_, err := ask(t, client(t, fmt.Sprintf(basic, url, "timeout: 300ms")))
			wantError(t, err, ports.NoAnswer, "no answer in time")
			if took := time.Since(start); calls.Load() != 1 || took < 250*time.Millisecond {
				t.Errorf("%d calls, given up after %s", calls.Load(), took)
			}
		})
	}
}

func TestCallerCancelsAfterSending(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	url, _ := rawServe(t, func(_ int, conn net.Conn, _ string) bool { cancel(); _, _ = io.ReadAll(conn); return false })
	c := client(t, fmt.Sprintf(basic, url, ""))
	_, err := c.Ask(ctx, ports.Question{Product: product(t, c, "cpf"), Document: doc(t, document.CPF, cpf)})
	wantError(t, err, ports.NoAnswer, "cancelled after sending")
}

func TestSentAndBroken(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"closed":              "",
		"reset after headers": "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n",
		"truncated body":      "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{\"nome\":",
		"truncated chunks":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\"",
		"bad chunk":           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
		"not http":            "SSH-2.0-OpenSSH_9.0\r\n",
		"switching":           "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
		"bad gzip":            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
		"truncated 404":       "HTTP/1.1 404 Not Found\r\nContent-Length: 20\r\n\r\n{}",
		"cut json":            "HTTP/1.0 200 OK\r\n\r\n{\"nome\":\"A",
	} {
		for _, end := range []struct {
			name string
			do   func(net.Conn)
		}{{"close", func(c net.Conn) { c.Close() }}, {"reset", reset}} {
			t.Run(name+"/"+end.name, func(t *testing.T) {
				t.Parallel()
				url, calls := rawServe(t, func(_ int, conn net.Conn, _ string) bool {
					_, _ = io.WriteString(conn, text)
					end.do(conn)
					return false
				})
				_, err := ask(t, client(t, fmt.Sprintf(basic, url, "")))
				wantError(t, err, ports.Failed, "")
				if calls.Load() != 1 {
					t.Errorf("%d calls", calls.Load())
				}
			})
		}
	}
}

// TestPooledConnectionBreaks: net/http would repeat a GET by itself when a pooled connection is reset, and each
// repetition would be charged.
func TestPooledConnectionBreaks(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(net.Conn){"reset": reset, "close": func(c net.Conn) { c.Close() }} {
		for _, method := range []string{"GET", "POST"} {
			t.Run(name+"/"+method, func(t *testing.T) {
				t.Parallel()
				url, calls := rawServe(t, func(n int, conn net.Conn, _ string) bool {
					if n > 1 {
						end(conn)
						return false
					}
					_, _ = io.WriteString(conn, answer200("{}"))
					return true
				})
				c := client(t, fmt.Sprintf(
					`{name: t, base_url: %q, products: {cpf: {price: 1, request: {method: %s, path: "/{documento}"}, fields: {nome: .nome}}}}`, url, method))
				if _, err := ask(t, c); err != nil {
					t.Fatal(err)
				}
				_, err := ask(t, c)
				wantError(t, err, ports.Failed, "")
				if calls.Load() != 2 {
					t.Errorf("the server saw %d calls, want 2", calls.Load())
				}
			})
		}
	}
}

// TestDeadPooledConnection closes the connection while it is idle: nothing of the next call was written to it, so the
// call uses a new one.
func TestDeadPooledConnection(t *testing.T) {
	t.Parallel()
	for range 20 {
		url, calls := rawServe(t, func(_ int, conn net.Conn, _ string) bool {
			_, _ = io.WriteString(conn, answer200("{}"))
			return false // closes
		})
		c := client(t, fmt.Sprintf(basic, url, ""))
		good := 0
		for range 5 {
			_, err := ask(t, c)
			if err == nil {
				good++
				continue
			}
			// The server closed just after the headers were written: one call, charged.
			wantError(t, err, ports.Failed, "")
		}
		if int(calls.Load()) > 5 || int(calls.Load()) < good {
			t.Fatalf("the server saw %d calls, %d were answered", calls.Load(), good)
		}
	}
}

func TestConnectionsAreShared(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	url, _ := serve(t, body(200, `{"nome":"ANA"}`))
	c := client(t, fmt.Sprintf(basic, url, ""),
		bureau.WithDialContext(func(ctx context.Context, network, addr string) (net.Conn, error) {
			opened.Add(1)
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		}))
	for range 50 {
		if _, err := ask(t, c); err != nil {
			t.Fatal(err)
		}
	}
	if opened.Load() != 1 {
		t.Errorf("%d connections for 50 calls in a row", opened.Load())
	}
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for range 20 {
				if _, err := ask(t, c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if opened.Load() > 64 {
		t.Errorf("%d connections for 32 callers", opened.Load())
	}
}

func TestUnauthorizedIsNotRepeated(t *testing.T) {
	t.Parallel()
	url, calls := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) })
	_, err := ask(t, client(t, fmt.Sprintf(basic, url, "")))
	wantError(t, err, ports.Failed, "status 401")
	if calls.Load() != 1 {
		t.Errorf("%d calls", calls.Load())
	}
}
