package integration

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// door is the answer at an address, without following redirects.
type door struct {
	status int
	header http.Header
	body   string
}

func knock(t *testing.T, method, url, key string) door {
	t.Helper()
	return knockBy(t, contracttest.Transport, method, url, key)
}

// knockBy is knock with another transport, for addresses outside the API.
func knockBy(t *testing.T, by http.RoundTripper, method, url, key string) door {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := by.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return door{resp.StatusCode, resp.Header, string(body)}
}

// TestUnusualRequests: undocumented addresses and methods get answers that their clients can use.
func TestUnusualRequests(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key := s.NewKey(600, 50, 50)
	t.Run("a path with two slashes is a problem of the API", func(t *testing.T) {
		for _, path := range []string{"//api/v1/produtos", "//api/webhooks/receive/x", "/x/../api/v1/produtos"} {
			a := knock(t, "GET", s.URL+path, key.Key)
			if a.status != 404 || !strings.Contains(a.body, `"requestId"`) || a.header.Get("X-Request-Id") == "" {
				t.Errorf("%s: %d %.200s", path, a.status, a.body)
			}
			if webhook := strings.Contains(path, "webhooks"); webhook != (a.header.Get("Access-Control-Allow-Origin") == "*") {
				t.Errorf("%s: CORS is %q", path, a.header.Get("Access-Control-Allow-Origin"))
			}
		}
	})
	t.Run("HEAD is GET without its body, and charges nothing", func(t *testing.T) {
		for _, path := range []string{
			"/api/v1/produtos", "/api/v1/consultas", "/docs", "/openapi.yaml", "/healthz", "/readyz", "/metrics", "/entrar",
		} {
			get, head := knock(t, "GET", s.URL+path, key.Key), knock(t, "HEAD", s.URL+path, key.Key)
			if head.status != get.status || head.body != "" ||
				head.header.Get("Content-Type") != get.header.Get("Content-Type") {
				t.Errorf("%s: GET %d, HEAD %d with %d bytes", path, get.status, head.status, len(head.body))
			}
		}
		if a := knock(t, "HEAD", s.URL+"/api/v1/cpf/52998224725", key.Key); a.status != 405 || bureau.Calls() != 0 {
			t.Errorf("HEAD of a lookup: %d, and %d calls", a.status, bureau.Calls())
		}
	})
	t.Run("TRACE shows nobody what was sent, and a session opens nothing of the API", func(t *testing.T) {
		for _, path := range []string{"/api/v1/produtos", "/entrar", "/", "/healthz", "/metrics", "/docs", "/openapi.yaml"} {
			if a := knock(t, "TRACE", s.URL+path, key.Key); a.status != 405 || strings.Contains(a.body, key.Key) {
				t.Errorf("TRACE %s: %d", path, a.status)
			}
		}
		testkit.RunInput(t, "uma-senha-longa\n", s.Env(), "member", "add", "--org", s.Org, "--name", "Ana", "--email",
			"ana@outra.example", "--role", "owner", "--password-stdin")
		inside := signIn(t, s.URL, "ana@outra.example", "uma-senha-longa")
		for _, path := range []string{"/api/v1/produtos", "/api/v1/cpf/52998224725"} {
			if status, header := inside.do(t, "GET", path, nil, nil); status != 401 ||
				header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s with a session: %d", path, status)
			}
		}
	})
	t.Run("what is answered is what its type says", func(t *testing.T) {
		for _, path := range []string{"/api/v1/produtos", "/api/v1/nada", "/docs", "/entrar"} {
			if got := knock(t, "GET", s.URL+path, key.Key).header.Get("X-Content-Type-Options"); got != "nosniff" {
				t.Errorf("%s: X-Content-Type-Options is %q", path, got)
			}
		}
	})
	t.Run("no page of another site reads an answer to a key", func(t *testing.T) {
		operations, err := contracttest.Operations()
		if err != nil {
			t.Fatal(err)
		}
		tried := 0
		for _, o := range operations {
			if !o.Keyed {
				continue
			}
			tried++
			for _, method := range []string{o.Method, http.MethodOptions} { // the contract has no OPTIONS
				req, err := http.NewRequestWithContext(t.Context(), method, s.URL+o.Path, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header = http.Header{
					"Authorization": {"Bearer " + key.Key}, "Origin": {"https://evil.example"},
					"Access-Control-Request-Method":  {o.Method},
					"Access-Control-Request-Headers": {"authorization"}, "Content-Type": {"application/json"},
				}
				a, err := http.DefaultTransport.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				_ = a.Body.Close()
				for name := range a.Header {
					if strings.HasPrefix(name, "Access-Control-") {
						t.Errorf("%s of %s is answered with %s", method, o.ID, name)
					}
				}
			}
		}
		if tried < 10 {
			t.Errorf("%d operations ask for a key", tried)
		}
	})
	t.Run("a page that has another method says which", func(t *testing.T) {
		for path, want := range map[string]string{
			"/entrar": "GET, HEAD, POST", "/sair": "POST", "/contatos/x/nota": "POST",
		} {
			if a := knock(t, "DELETE", s.URL+path, ""); a.status != 405 || a.header.Get("Allow") != want {
				t.Errorf("DELETE %s: %d, Allow %q", path, a.status, a.header.Get("Allow"))
			}
		}
		for path, want := range map[string]string{
			"/api/v1/consultas": "OPTIONS, GET, HEAD, POST", "/api/v1/produtos": "OPTIONS, GET, HEAD",
			"/api/v1/cpf/" + ana: "OPTIONS, GET", "/healthz": "OPTIONS, GET, HEAD",
		} {
			for method, status := range map[string]int{"OPTIONS": 204, "DELETE": 405} {
				req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, nil) // the contract has no OPTIONS
				if err != nil {
					t.Fatal(err)
				}
				a, err := http.DefaultTransport.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				if _ = a.Body.Close(); a.StatusCode != status || a.Header.Get("Allow") != want {
					t.Errorf("%s %s: %d, Allow %q, want %q", method, path, a.StatusCode, a.Header.Get("Allow"), want)
				}
			}
		}
		if a := knock(t, "DELETE", s.URL+"/nada", ""); a.status != 404 {
			t.Errorf("DELETE of nothing: %d", a.status)
		}
	})
}

// TestAChallengeThatComesTwice is answered with the first one.
func TestAChallengeThatComesTwice(t *testing.T) {
	t.Parallel()
	o := intaketest.StartService(t, testkit.SQLite(t)).Org(t)
	hook := o.NewHook("Site", "generic")
	at := o.URL + intaketest.PathOf(hook.Token) + "?hub.challenge=um&hub.challenge=dois&hub.verify_token=" + hook.Token
	if a := knock(t, "GET", at, ""); a.status != 200 || a.body != "um" {
		t.Errorf("%d %q", a.status, a.body)
	}
	if a := knock(t, "HEAD", at, ""); a.status != 200 || !slices.Contains(a.header["Access-Control-Allow-Origin"], "*") {
		t.Errorf("HEAD: %d %v", a.status, a.header)
	}
}

// TestBehindHTTPS: browsers are told to use only https, and /metrics is at its own address.
func TestBehindHTTPS(t *testing.T) {
	t.Parallel()
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	metrics := free.Addr().String()
	_ = free.Close()
	p := testkit.StartProgram(t, testkit.Options{Env: testkit.SQLite(t), Args: []string{
		"--public-url", "https://fichario.example", "--metrics-listen", metrics,
	}})
	for _, path := range []string{"/entrar", "/api/v1/produtos", "/docs"} {
		if got := knock(t, "GET", p.URL+path, "").header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("%s: Strict-Transport-Security is %q", path, got)
		}
	}
	if a := knock(t, "GET", p.URL+"/metrics", ""); a.status != 404 {
		t.Errorf("/metrics beside everything else: %d", a.status)
	}
	if a := knock(t, "GET", "http://"+metrics+"/metrics", ""); a.status != 200 || !strings.Contains(a.body, "fichario_") {
		t.Errorf("/metrics at its own address: %d", a.status)
	}
	if a := knockBy(t, http.DefaultTransport, "GET", "http://"+metrics+"/api/v1/produtos", ""); a.status != 404 {
		t.Errorf("something else there: %d", a.status)
	}
	for _, path := range []string{"/docs", "/docs/erros", "/docs/sandbox"} {
		if policy := knock(t, "GET", p.URL+path, "").header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
}
