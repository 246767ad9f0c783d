package bureau_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"fichario/adapters/bureau"
	"fichario/ports"
)

func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	other, followed := serve(t, body(200, `{"nome":"ANA"}`))
	for _, status := range []int{301, 302, 303, 307, 308} {
		url, calls := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other+"/x", status) })
		_, err := ask(t, client(t, fmt.Sprintf(basic, url, "")))
		wantError(t, err, ports.Failed, fmt.Sprint("status ", status))
		if calls.Load() != 1 || followed.Load() != 0 {
			t.Errorf("%d: %d calls, %d followed", status, calls.Load(), followed.Load())
		}
	}
}

func TestHugeAnswers(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	chunk := make([]byte, 1<<20)
	for range 100 {
		_, _ = z.Write(chunk)
	}
	_ = z.Close()
	written := make(chan int64, 1)
	for name, h := range map[string]http.HandlerFunc{
		"50 MB declared": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(50<<20))
			_, _ = w.Write(chunk)
		},
		"50 MB in chunks": func(w http.ResponseWriter, _ *http.Request) {
			n := int64(0)
			for range 50 {
				k, err := w.Write(chunk)
				n += int64(k)
				if err != nil {
					break
				}
			}
			written <- n
		},
		"gzip bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		},
		"headers": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Big", strings.Repeat("x", 100<<10))
			_, _ = w.Write([]byte("{}"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			url, calls := serve(t, h)
			_, err := ask(t, client(t, fmt.Sprintf(basic, url, "")))
			if name == "headers" {
				wantError(t, err, ports.Failed, "")
			} else {
				wantError(t, err, ports.Failed, "too large")
			}
			if calls.Load() != 1 {
				t.Errorf("%d calls", calls.Load())
			}
		})
	}
	if n := <-written; n >= 50<<20 {
		t.Errorf("all %d bytes were read", n)
	}
}

func TestGzipIsRead(t *testing.T) {
	t.Parallel()
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("accepts %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, `{"nome" : "ANA"}`)
		_ = z.Close()
	})
	a, err := ask(t, client(t, fmt.Sprintf(basic, url, "")))
	if err != nil || string(a.Raw) != `{"nome" : "ANA"}` {
		t.Errorf("got %q, %v", a.Raw, err)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(body(200, "{}"))
	s.Config.ErrorLog = discardLog()
	s.StartTLS()
	t.Cleanup(s.Close)
	_, err := ask(t, client(t, fmt.Sprintf(basic, s.URL, "")))
	wantError(t, err, ports.NotSent, "TLS failure")
	plain, _ := rawServe(t, func(_ int, _ net.Conn, _ string) bool { return false })
	_, err = ask(t, client(t, fmt.Sprintf(basic, strings.Replace(plain, "http:", "https:", 1), "timeout: 500ms")))
	wantError(t, err, ports.NotSent, "")
}

// TestProxyOfTheEnvironmentIsNotUsed is not parallel: the environment belongs to the process.
func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	proxy, proxied := serve(t, body(200, `{"nome":"PROXY"}`))
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	_, err := ask(t, client(t, fmt.Sprintf(basic, "http://bureau.invalid", "timeout: 2s"), bureau.WithDialContext(
		func(ctx context.Context, _, addr string) (net.Conn, error) {
			return nil, &net.DNSError{Name: addr, IsNotFound: true}
		})))
	wantError(t, err, ports.NotSent, "host name not found")
	if proxied.Load() != 0 {
		t.Error("the proxy was used")
	}
}
