package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestPagesAreCompressed: except those with secrets, and those requested from another site, because their length would
// leak their content.
func TestPagesAreCompressed(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.client.Transport = &http.Transport{DisableCompression: true}
	plain := v.get("/contatos")
	for _, c := range []struct {
		path, accepts, from string
		want                bool
	}{
		{"/contatos", "gzip, br", "same-origin", true}, {"/contatos", "gzip", "none", true},
		{"/contatos", "gzip", "", true}, {"/nada", "gzip", "", true}, {"/contatos", "gzip;q=0", "same-origin", false},
		{"/contatos", "", "", false}, {"/contatos", "gzip", "cross-site", false},
		{"/contatos", "gzip", "same-site", false}, {"/webhooks/" + v.hook.ID, "gzip", "same-origin", false},
		{"/automacoes/nova", "gzip", "same-origin", false},
	} {
		r, body := v.do(http.MethodGet, c.path, nil, "Accept-Encoding", c.accepts, "Sec-Fetch-Site", c.from)
		if got := r.Header.Get("Content-Encoding") == "gzip"; got != c.want {
			t.Errorf("%s to %q from %q: %q", c.path, c.accepts, c.from, r.Header.Get("Content-Encoding"))
		}
		if !strings.Contains(strings.Join(r.Header.Values("Vary"), ","), "Accept-Encoding") {
			t.Errorf("%s: it does not say what it varies by", c.path)
		}
		if c.want && c.path == "/contatos" {
			z, err := gzip.NewReader(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if whole, err := io.ReadAll(z); err != nil || len(whole) != len(plain) || len(body)*2 > len(plain) {
				t.Errorf("%d bytes packed, %d unpacked, of %d: %v", len(body), len(whole), len(plain), err)
			}
		}
	}
}
