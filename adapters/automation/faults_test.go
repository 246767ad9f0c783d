package automation

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/ports"
)

// silent discards what a test server logs about our refusals.
var silent = log.New(io.Discard, "", 0)

const short = 150 * time.Millisecond

func TestAServerThatIsSlow(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice that we are gone
		<-r.Context().Done()
	})
	fails(t, post(t, private(t, short), s.URL), ports.SendError{Reason: "o destino não respondeu em 10 s"})
}

func TestMute(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	address := listen(t, func(net.Conn) { <-release })
	t.Cleanup(func() { close(release) })
	want := ports.SendError{Reason: "o destino não respondeu em 10 s"}
	fails(t, post(t, private(t, short), address), want)
	fails(t, post(t, private(t, short), strings.Replace(address, "http:", "https:", 1)), want)
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 1)
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-arrived; cancel() }()
	d := private(t, callTime)
	for range 2 { // the second time already cancelled
		_, err := d.Post(ctx, call(s.URL))
		fails(t, err, ports.SendError{Reason: "interrompido"})
	}
}

// TestAnswersWithoutEnd: the status has arrived, so the answer's end does not matter.
func TestAnswersWithoutEnd(t *testing.T) {
	t.Parallel()
	cases := map[string]http.HandlerFunc{
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 16<<10)); err != nil {
					return
				}
			}
		},
		"declared huge": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10000000000")
			w.(http.Flusher).Flush()
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"stuck": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, "meio")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
		"broken": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "meio")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		},
	}
	for name, h := range cases {
		t.Run(name, func(t *testing.T) {
			s := serve(t, h)
			status, err := private(t, short).Post(context.Background(), call(s.URL))
			if status != 200 || err != nil {
				t.Errorf("status %d, %v", status, err)
			}
		})
	}
}

// TestSwitchingProtocols: the connection after a 101 is not read, because no context would end that.
func TestSwitchingProtocols(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	address := listen(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: eco\r\n\r\n")
		<-release
	})
	t.Cleanup(func() { close(release) })
	status, err := private(t, short).Post(context.Background(), call(address))
	if status != 101 {
		t.Errorf("status %d", status)
	}
	fails(t, err, ports.SendError{Reason: "status 101"})
}

// TestClosedWithoutAnswer: a call that may have been sent is not repeated, on a new connection or a reused one.
func TestClosedWithoutAnswer(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if calls.Add(1) != 2 {
			panic(http.ErrAbortHandler)
		}
	})
	d := private(t, callTime)
	want := ports.SendError{Reason: "a conexão falhou"}
	fails(t, post(t, d, s.URL), want)
	if _, err := d.Post(context.Background(), call(s.URL)); err != nil {
		t.Fatal(err)
	}
	fails(t, post(t, d, s.URL), want)
	if n := calls.Load(); n != 3 {
		t.Errorf("3 attempts were %d requests", n)
	}
}

func TestNotHTTP(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"other protocol": "220 correio.exemplo ESMTP\r\n",
		"huge header":    "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2*maxAnswerHeader) + "\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			address := listen(t, func(c net.Conn) {
				_, _ = c.Read(make([]byte, 4096))
				_, _ = io.WriteString(c, answer)
			})
			fails(t, post(t, private(t, callTime), address), ports.SendError{Reason: "a conexão falhou"})
		})
	}
}

func TestNotConnected(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	fails(t, post(t, private(t, callTime), "http://"+l.Addr().String()), ports.SendError{Reason: "conexão recusada"})

	resolver := nameServer(t, func(string, bool) []netip.Addr { return nil })
	d := newDispatcher(&net.Dialer{Resolver: resolver}, false)
	t.Cleanup(d.Close)
	fails(t, post(t, d, "http://nao-existe.example"), ports.SendError{Reason: "nome não encontrado"})
}

func TestWeakTLS(t *testing.T) {
	t.Parallel()
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	fails(t, post(t, private(t, callTime), strings.Replace(plain.URL, "http:", "https:", 1)),
		ports.SendError{Reason: "falha de TLS"})

	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS11}
	old.Config.ErrorLog = silent
	old.StartTLS()
	t.Cleanup(old.Close)
	d := private(t, callTime)
	d.transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	d.transport.TLSClientConfig.RootCAs.AddCert(old.Certificate())
	fails(t, post(t, d, old.URL), ports.SendError{Reason: "falha de TLS"})
}
