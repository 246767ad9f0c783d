package bureau_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fichario/adapters/bureau"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

// refuse answers with a status and a Retry-After, where that is not empty.
func refuse(status int, after string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(status)
	}
}

func TestRefusedAndNotCharged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listed  string
		status  int
		after   string
		outcome ports.BureauOutcome
		wait    time.Duration // from the answer
		held    bool          // further calls are suspended
	}{
		{"not_charged: [429]", 429, "7", ports.NotCharged, 7 * time.Second, true},
		{"not_charged: [429]", 429, "", ports.NotCharged, time.Second, true},
		{"not_charged: [429]", 429, "0", ports.NotCharged, time.Second, true},
		{"not_charged: [429]", 503, "7", ports.Failed, 7 * time.Second, false},
		{"not_charged: [429, 503]", 503, "7", ports.NotCharged, 7 * time.Second, true},
		{"not_charged: [429, 503]", 503, "", ports.NotCharged, 0, false},
		{"not_charged: [400, 429]", 400, "", ports.NotCharged, 0, false},
		{"", 429, "7", ports.Failed, 7 * time.Second, false},
	} {
		url, calls := serve(t, refuse(c.status, c.after))
		cl := client(t, fmt.Sprintf(basic, url, c.listed))
		_, err := ask(t, cl)
		if e := failureOf(t, err, c.outcome, fmt.Sprint("status ", c.status)); e.RetryAfter != c.wait {
			t.Errorf("%s, %d: retry after %s", c.listed, c.status, e.RetryAfter)
		}
		_, err = ask(t, cl)
		if !c.held {
			wantError(t, err, c.outcome, "status")
		} else if e := failureOf(t, err, ports.NotSent, "asked to wait"); e.RetryAfter <= 0 || e.RetryAfter > c.wait {
			t.Errorf("%s, %d: held back for %s", c.listed, c.status, e.RetryAfter)
		}
		if want := map[bool]int32{true: 1, false: 2}[c.held]; calls.Load() != want {
			t.Errorf("%s, %d: %d calls, want %d", c.listed, c.status, calls.Load(), want)
		}
	}
}

// TestRefusedWithoutABody: the status is enough: nothing that follows makes it a call that was served.
func TestRefusedWithoutABody(t *testing.T) {
	t.Parallel()
	url, _ := rawServe(t, func(_ int, conn net.Conn, _ string) bool {
		_, _ = io.WriteString(conn, "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 20\r\n\r\n{")
		_, _ = io.ReadAll(conn)
		return false
	})
	_, err := ask(t, client(t, fmt.Sprintf(basic, url,
		fmt.Sprint("timeout: ", patience.Scaled(300*time.Millisecond), "\nnot_charged: [429]"))))
	wantError(t, err, ports.NotCharged, "status 429")
}

// TestHeldBackEnds: on a fake clock, calls resume when the bureau's wait is over.
func TestHeldBackEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		dial, stop := pipes(func(w http.ResponseWriter, r *http.Request) {
			if calls.Add(1) == 1 {
				refuse(429, "60")(w, r)
				return
			}
			body(200, `{}`)(w, r)
		})
		defer stop()
		c := bureau.New(parse(t, fmt.Sprintf(basic, "http://x.invalid", "not_charged: [429]")), bureau.WithDialContext(dial))
		defer c.Close()
		_, err := ask(t, c)
		wantError(t, err, ports.NotCharged, "status 429")
		time.Sleep(59500 * time.Millisecond)
		_, err = ask(t, c)
		if e := failureOf(t, err, ports.NotSent, "asked to wait"); e.RetryAfter != 500*time.Millisecond {
			t.Errorf("retry after %s", e.RetryAfter)
		}
		time.Sleep(time.Second)
		if _, err := ask(t, c); err != nil || calls.Load() != 2 {
			t.Errorf("%d calls, %v", calls.Load(), err)
		}
	})
}

// tokenBureau is a bureau with its token server; tokens expire when the test says so.
type tokenBureau struct {
	url                     string
	served, refused, tokens atomic.Int32
	good                    atomic.Value
}

// newTokenBureau starts one. After its first answer it refuses that many calls, whatever their token.
func newTokenBureau(t *testing.T, refusals int32) *tokenBureau {
	t.Helper()
	b := &tokenBureau{}
	b.url, _ = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			token := fmt.Sprint("tok-", b.tokens.Add(1))
			b.good.Store(token)
			_, _ = fmt.Fprintf(w, `{"access_token":%q,"expires_in":3600}`, token)
			return
		}
		if r.Header.Get("Authorization") != fmt.Sprint("Bearer ", b.good.Load()) ||
			b.served.Load() > 0 && b.refused.Load() < refusals {
			b.refused.Add(1)
			w.WriteHeader(401)
			return
		}
		b.served.Add(1)
		_, _ = io.WriteString(w, `{"nome":"ANA"}`)
	})
	return b
}

func (b *tokenBureau) expire() { b.good.Store("expired") }

func (b *tokenBureau) client(t *testing.T, listed string) *bureau.Client {
	t.Helper()
	c := client(t, fmt.Sprintf(listed+"\n"+withAuth, b.url, b.url))
	if _, err := ask(t, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// saw checks the numbers of requests.
func (b *tokenBureau) saw(t *testing.T, served, refused, tokens int32) {
	t.Helper()
	if b.served.Load() != served || b.refused.Load() != refused || b.tokens.Load() != tokens {
		t.Errorf("%d served, %d refused, %d tokens; want %d, %d, %d",
			b.served.Load(), b.refused.Load(), b.tokens.Load(), served, refused, tokens)
	}
}

func TestExpiredTokenIsRenewedOnce(t *testing.T) {
	t.Parallel()
	b := newTokenBureau(t, 0)
	c := b.client(t, "not_charged: [401, 429]")
	for i := range int32(3) {
		b.expire()
		if _, err := ask(t, c); err != nil {
			t.Fatal(err)
		}
		b.saw(t, i+2, i+1, i+2)
	}
}

func TestExpiredTokenIsRenewedForAllAtOnce(t *testing.T) {
	t.Parallel()
	b := newTokenBureau(t, 0)
	c := b.client(t, "not_charged: [401]")
	b.expire()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := ask(t, c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	b.saw(t, 21, b.refused.Load(), 2)
}

// TestRefusedTokenIsNotRenewedTwice: a new token is tried once, and only to replace one that may have expired.
func TestRefusedTokenIsNotRenewedTwice(t *testing.T) {
	t.Parallel()
	b := newTokenBureau(t, 1000)
	c := b.client(t, "not_charged: [401]")
	_, err := ask(t, c)
	wantError(t, err, ports.NotCharged, "status 401")
	b.saw(t, 1, 2, 2)
	_, err = ask(t, c) // with a new token, which cannot have expired
	wantError(t, err, ports.NotCharged, "status 401")
	b.saw(t, 1, 3, 3)
}

// TestRefusedTokenThatMayBeCharged: unless the file lists it, a 401 is charged, and so not repeated.
func TestRefusedTokenThatMayBeCharged(t *testing.T) {
	t.Parallel()
	for _, listed := range []string{"", "not_charged: [429]"} {
		b := newTokenBureau(t, 0)
		c := b.client(t, listed)
		b.expire()
		_, err := ask(t, c)
		wantError(t, err, ports.Failed, "status 401")
		b.saw(t, 1, 1, 1)
	}
}

// TestNoTokenAfterARefusal: a call that was refused and not repeated costs nothing.
func TestNoTokenAfterARefusal(t *testing.T) {
	t.Parallel()
	var tokens atomic.Int32
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/token" && tokens.Load() == 1:
			tokens.Store(2)
			_, _ = io.WriteString(w, `{}`)
		case r.URL.Path != "/token":
			w.WriteHeader(401)
		case tokens.Add(1) == 1:
			_, _ = io.WriteString(w, `{"access_token":"a"}`)
		default:
			w.WriteHeader(500)
		}
	})
	c := client(t, fmt.Sprintf("not_charged: [401]\n"+withAuth, url, url))
	if _, err := ask(t, c); err != nil {
		t.Fatal(err)
	}
	_, err := ask(t, c)
	wantError(t, err, ports.NotSent, "no token")
}

// TestShippedFilesSayWhatIsFree checks the shipped files against what their bureaus say they do not bill.
func TestShippedFilesSayWhatIsFree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, product, document string
		status                  int
		outcome                 ports.BureauOutcome
	}{
		{"brasilapi", "cnpj", "11222333000181", 429, ports.NotCharged},
		{"brasilapi", "cnpj", "11222333000181", 500, ports.Failed},
		{"bigdatacorp", "cpf", cpf, 429, ports.NotCharged},
		{"bigdatacorp", "cpf", cpf, 401, ports.Failed},
		{"serpro", "cpf", cpf, 401, ports.NotCharged},
		{"serpro", "cpf", cpf, 429, ports.NotCharged},
		{"serpro", "cpf", cpf, 504, ports.NotCharged},
		{"serpro", "cpf", cpf, 422, ports.Failed},
	} {
		cl := shippedBureau(t, c.file, c.status, "{}", nil)
		p := product(t, cl, c.product)
		d, err := p.Parse(c.document)
		if err != nil {
			t.Fatal(err)
		}
		_, err = cl.Ask(t.Context(), ports.Question{Product: p, Document: d})
		wantError(t, err, c.outcome, fmt.Sprint("status ", c.status))
	}
}

func TestParseAnswered(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"[]":         "must list at least one status",
		"[199]":      "status from 200 to 299",
		"[302]":      "status from 200 to 299",
		"[201, 201]": "is repeated",
		"[200, 204]": "is also in not_found",
	} {
		src := strings.Replace(good, "not_found: [404]", "not_found: [204, 404]\nanswered: "+list, 1)
		_, err := bureau.Parse("x", []byte(src), env)
		if err == nil || !strings.Contains(err.Error(), "line 8: answered") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", list, err, want)
		}
	}
}

// TestParseBodiesThatAreNotJSON: a body is always sent as JSON, so no header may call it something else.
func TestParseBodiesThatAreNotJSON(t *testing.T) {
	t.Parallel()
	const file = `name: teste
base_url: https://x.example
%s
products:
  cpf:
    price: "0.45"
    request: { method: %s, path: "/pessoas/{documento}"%s }
    fields: { nome: .nome }
`
	const text = `, body: '"doc=\(.documento)"'`
	for _, c := range []struct{ headers, method, request, want string }{
		{`headers: { content-type: application/x-www-form-urlencoded }`, "POST", text, "sent as JSON"},
		{"", "POST", text + `, headers: { Content-Type: "application/x-www-form-urlencoded; charset=utf-8" }`, "sent as JSON"},
		{"", "POST", text + `, headers: { Content-Type: text/xml }`, "must begin with <"},
		{"", "POST", text + `, headers: { Content-Type: text/plain }`, "sent as JSON"},
		{`headers: { Content-Type: text/xml }`, "POST", text + `, headers: { Content-Type: application/vnd.x+json }`, ""},
		{`headers: { Content-Type: "application/json;charset=UTF-8" }`, "POST", text, ""},
		{`headers: { Content-Type: text/xml }`, "GET", "", ""},
		{"", "POST", text, ""},
	} {
		_, err := bureau.Parse("x", fmt.Appendf(nil, file, c.headers, c.method, c.request), noEnv)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), "line 7: products.cpf.request") ||
			!strings.Contains(err.Error(), c.want)):
			t.Errorf("%+v: got %v", c, err)
		}
	}
}

func TestParseNotCharged(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		"429":        "must be a list",
		"[200]":      "status from 400 to 599",
		"[302]":      "status from 400 to 599",
		"[x]":        "status from 400 to 599",
		"[600]":      "status from 400 to 599",
		"[404]":      "is also in not_found",
		"[429, 429]": "is repeated",
	} {
		src := strings.Replace(good, "not_found: [404]", "not_found: [404]\nnot_charged: "+list, 1)
		_, err := bureau.Parse("x", []byte(src), env)
		if err == nil || !strings.Contains(err.Error(), "line 8: not_charged") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", list, err, want)
		}
	}
	for _, list := range []string{"[]", "[429]", "[400, 401, 403, 429, 500, 503, 504]"} {
		src := strings.Replace(good, "not_found: [404]", "not_charged: "+list, 1)
		if list == "[429]" {
			src = strings.Replace(good, "not_found: [404]", "not_charged: [429]\nnot_found: [404]", 1)
		}
		if _, err := bureau.Parse("x", []byte(src), env); err != nil {
			t.Error(err)
		}
	}
}
