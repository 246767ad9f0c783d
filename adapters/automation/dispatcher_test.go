package automation

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/ports"
)

// signature is what a receiver computes by the specification.
func signature(id, timestamp string, body []byte) string {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func TestPost(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := fmt.Sprintln(r.Method, r.RequestURI, r.Header.Get("Content-Type"), r.Header.Get("User-Agent"), r.ContentLength,
			string(body))
		want := fmt.Sprintln("POST", "/gancho?x=1", "application/json", "Fichario", len(sent), sent)
		if got != want {
			t.Errorf("got %s want %s", got, want)
		}
		id, at := r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp")
		if id != "msg_2b3c" || at != "1767225600" {
			t.Errorf("id %q, timestamp %q", id, at)
		}
		// The fixed one was computed with openssl.
		for _, want := range []string{signature(id, at, body), "v1,ZOSY7ptr4RCfJJw6opL0Yo2Qe9yJ32TDVnCZbH/txHg="} {
			if got := r.Header.Get("webhook-signature"); got != want {
				t.Errorf("signature %q, want %q", got, want)
			}
		}
		for name := range r.Header {
			switch name {
			case "Content-Type", "Content-Length", "User-Agent", "Webhook-Id", "Webhook-Timestamp", "Webhook-Signature":
			default:
				t.Errorf("header %s is sent", name)
			}
		}
		http.SetCookie(w, &http.Cookie{Name: "c", Value: "1"}) // must not be sent back
		w.WriteHeader(http.StatusAccepted)
	})
	d := private(t, callTime)
	for range 2 {
		status, err := d.Post(context.Background(), call(s.URL+"/gancho?x=1#fragmento"))
		if status != http.StatusAccepted || err != nil {
			t.Fatalf("status %d, %v", status, err)
		}
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		retry  string
		want   ports.SendError
	}{
		{500, "", ports.SendError{Reason: "status 500"}},
		{404, "60", ports.SendError{Reason: "status 404"}},
		{410, "60", ports.SendError{Reason: "o destino respondeu 410: não quer mais receber", Permanent: true}},
		{301, "", ports.SendError{Reason: "redirecionamento não seguido (status 301)"}},
		{302, "", ports.SendError{Reason: "redirecionamento não seguido (status 302)"}},
		{307, "", ports.SendError{Reason: "redirecionamento não seguido (status 307)"}},
		{304, "", ports.SendError{Reason: "redirecionamento não seguido (status 304)"}},
		{429, "90", ports.SendError{Reason: "status 429", RetryAfter: 90 * time.Second}},
		{503, "Fri, 01 Jan 2100 00:00:00 GMT", ports.SendError{Reason: "status 503", RetryAfter: time.Hour}},
		{503, "99999999999999999999999", ports.SendError{Reason: "status 503", RetryAfter: time.Hour}},
		{503, "logo", ports.SendError{Reason: "status 503"}},
		{429, "-5", ports.SendError{Reason: "status 429"}},
	} {
		t.Run(fmt.Sprint(c.status, c.retry), func(t *testing.T) {
			var calls atomic.Int32
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				w.Header().Set("Location", "/outro")
				w.Header().Set("Retry-After", c.retry)
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, "segredo do outro lado")
			})
			status, err := private(t, callTime).Post(context.Background(), call(s.URL))
			if status != c.status || calls.Load() != 1 {
				t.Errorf("status %d after %d calls", status, calls.Load())
			}
			fails(t, err, c.want)
		})
	}
}

func TestRetryAfterDate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for s, want := range map[string]time.Duration{
		"Thu, 01 Jan 2026 00:02:00 GMT": 2 * time.Minute,
		"Thu, 01 Jan 2026 05:00:00 GMT": time.Hour,
		"Wed, 31 Dec 2025 23:00:00 GMT": 0,
		"3600":                          time.Hour,
		"":                              0,
	} {
		if got := wait(s, now); got != want {
			t.Errorf("%q: %s, want %s", s, got, want)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("called without a signature") })
	for _, bad := range []string{"", "whsec_", "whsec_não é base64", "whsec_AQI"} {
		c := call(s.URL)
		c.Secret = bad
		_, err := private(t, callTime).Post(context.Background(), c)
		fails(t, err, ports.SendError{Reason: "segredo da assinatura inválido", Permanent: true})
	}
}

// TestConnectionsAreReused: answers are read to their end, so that a connection serves many calls.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, maxAnswer-1))
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	d := private(t, callTime)
	for range 5 {
		if _, err := d.Post(context.Background(), call(s.URL)); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for 5 calls", n)
	}
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	var now, most atomic.Int32
	full := make(chan struct{}) // closed when the maximum number of calls is reached
	meet := sync.OnceFunc(func() { close(full) })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == hostConns {
			meet()
		}
		<-full
		body, _ := io.ReadAll(r.Body)
		want := signature(r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), body)
		if r.Header.Get("webhook-signature") != want {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	d := private(t, callTime)
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			c := call(s.URL)
			c.ID, c.Event.Contact = "msg_"+strconv.Itoa(i), contact(strconv.Itoa(i))
			if status, err := d.Post(context.Background(), c); status != 200 || err != nil {
				t.Errorf("call %d: status %d, %v", i, status, err)
			}
		})
	}
	wg.Wait()
	if n := most.Load(); n != hostConns {
		t.Errorf("%d calls at once to one host", n)
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("protocol %s", r.Proto)
		}
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = silent
	s.StartTLS()
	t.Cleanup(s.Close)

	fails(t, post(t, private(t, callTime), s.URL), ports.SendError{Reason: "falha de TLS"})

	d := private(t, callTime)
	d.transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	d.transport.TLSClientConfig.RootCAs.AddCert(s.Certificate())
	if status, err := d.Post(context.Background(), call(s.URL)); status != 200 || err != nil {
		t.Fatalf("status %d, %v", status, err)
	}
}
