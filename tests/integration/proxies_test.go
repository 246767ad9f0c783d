package integration

import (
	"bytes"
	"mime/multipart"
	"net"
	"net/http"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/intaketest"
)

// TestProxies: behind nginx and HAProxy, as configured in docs/deploy, a client's address is the one that the proxy
// saw, whatever the client claims, cookies are restricted to https, and nobody can reach /metrics.
func TestProxies(t *testing.T) {
	t.Parallel()
	env := testkit.SQLite(t)
	env["FICHARIO_TRUSTED_PROXIES"] = "127.0.0.1/32"
	p := intaketest.StartProduct(t, env)
	there := p.Lookups.NewKey(60, 100, 100, "--from", "127.0.0.2/32")
	hook := p.Leads.NewHook("Site", "generic")
	var form bytes.Buffer // with a file nearly as large as a post may be
	w := multipart.NewWriter(&form)
	_ = w.WriteField("email", "ana@x.example")
	file, _ := w.CreateFormFile("contrato", "contrato.pdf")
	_, _ = file.Write(make([]byte, 31<<20))
	_ = w.Close() // none of these fails: they write to memory
	elsewhere := p.Lookups.NewKey(60, 100, 100, "--from", "203.0.113.0/24")
	// Clients use another address than the proxies.
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	client := &http.Client{Transport: contracttest.Over(transport)}
	t.Cleanup(transport.CloseIdleConnections)
	for proxy, addr := range map[string]string{
		"nginx": testkit.BehindNginx(t, p.Lookups.Program), "HAProxy": testkit.BehindHAProxy(t, p.Lookups.Program),
	} {
		t.Run(proxy, func(t *testing.T) {
			t.Parallel()
			ask := func(path, key string) (status int, cookies []*http.Cookie) {
				t.Helper()
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+path, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+key)
				req.Header.Set("X-Forwarded-For", "203.0.113.9")
				req.Header.Set("X-Forwarded-Proto", "http")
				res, err := client.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				_ = res.Body.Close()
				return res.StatusCode, res.Cookies()
			}
			status, _ := ask("/api/v1/cpf/"+ana, there.Key)
			expect(t, "a key of the client's network", status, http.StatusOK)
			status, _ = ask("/api/v1/produtos", elsewhere.Key)
			expect(t, "a key of the network that the client claims", status, http.StatusForbidden)
			status, _ = ask("/metrics", "")
			expect(t, "the metrics", status, http.StatusNotFound)
			res, err := client.Post("http://"+addr+hook.Path, w.FormDataContentType(), bytes.NewReader(form.Bytes()))
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			expect(t, "a post with a large file", res.StatusCode, http.StatusOK)
			_, cookies := ask("/entrar", "")
			for _, cookie := range cookies {
				if !cookie.Secure || !strings.HasPrefix(cookie.Name, "__Host-") {
					t.Errorf("the cookie %s goes over http too", cookie.Name)
				}
			}
		})
	}
}
