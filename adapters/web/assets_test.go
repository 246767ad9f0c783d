package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestPagesAreLight weighs pages with their styles and scripts, compressed as browsers receive them.
func TestPagesAreLight(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	for _, path := range []string{"/contatos", "/funil", "/webhooks/" + v.hook.ID, "/equipe"} {
		page := v.get(path)
		weight := len(page)
		for _, asset := range regexp.MustCompile(`/static/[^"]+\.(?:css|js)`).FindAllString(page, -1) {
			plain, content := v.do(http.MethodGet, asset, nil, "Accept-Encoding", "br, gzip;q=0")
			packed, small := v.do(http.MethodGet, asset, nil, "Accept-Encoding", "br, gzip")
			reader, err := gzip.NewReader(strings.NewReader(small))
			if err != nil {
				t.Fatalf("%s: %v", asset, err)
			}
			if whole, err := io.ReadAll(reader); err != nil || string(whole) != content ||
				plain.Header.Get("Content-Encoding") != "" {
				t.Errorf("%s: packed and plain differ, %v", asset, err)
			}
			for _, h := range []http.Header{plain.Header, packed.Header} {
				if h.Get("Vary") != "Accept-Encoding" || !strings.Contains(h.Get("Cache-Control"), "immutable") {
					t.Errorf("%s: %v", asset, h)
				}
			}
			weight += len(small)
		}
		if t.Logf("%s: %d bytes", path, weight); weight > 60_000 {
			t.Errorf("%s weighs %d bytes", path, weight)
		}
	}
}
