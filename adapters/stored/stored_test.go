package stored

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("a{} ", 100)
	files := ReadFiles(fstest.MapFS{"static/x/app.css": {Data: []byte(content)}}, "static", "/docs/")
	address := files.Address("app.css")
	if !strings.HasPrefix(address, "/docs/static/x/app.") || !files.Has(address) || files.Has("/docs/static/x/app.css") ||
		files.Address("other.css") != "" {
		t.Fatalf("the address is %q", address)
	}
	get := func(path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		files.ServeHTTP(w, r)
		return w
	}
	tags := map[string]bool{}
	for accepted, packed := range map[string]bool{
		"": false, "gzip": true, "br, GZIP; q=0.8": true, "gzip;q=0": false, "gzip;q=0.0, br": false, "br;q=0, gzip": true, "x-gzip": false,
	} {
		response := get(address, "Accept-Encoding", accepted)
		h, body := response.Header(), io.Reader(response.Body)
		if packed {
			unpacked, err := gzip.NewReader(body)
			if err != nil {
				t.Fatalf("%q: %v", accepted, err)
			}
			body = unpacked
		}
		if text, err := io.ReadAll(body); err != nil || string(text) != content ||
			(h.Get("Content-Encoding") == "gzip") != packed || h.Get("Vary") != "Accept-Encoding" ||
			!strings.HasPrefix(h.Get("Content-Type"), "text/css") {
			t.Errorf("%q: %v, %v", accepted, h, err)
		}
		tags[h.Get("ETag")] = true
		again := get(address, "Accept-Encoding", accepted, "If-None-Match", `W/"x", `+h.Get("ETag"))
		if again.Code != http.StatusNotModified || again.Header().Get("Content-Encoding") != "" {
			t.Errorf("%q: again %d", accepted, again.Code)
		}
	}
	if len(tags) != 2 {
		t.Errorf("what is packed has its own tag: %v", tags)
	}
	if status := get("/docs/static/../x").Code; status != http.StatusNotFound {
		t.Errorf("no file: %d", status)
	}
}

// TestMissing: a missing page is never 304, whatever its tag.
func TestMissing(t *testing.T) {
	t.Parallel()
	a := New("text/html", []byte("nothing"))
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("If-None-Match", `"`+a.hash+`"`)
	w := httptest.NewRecorder()
	a.Serve(w, r, http.StatusNotFound, "no-store")
	if w.Code != http.StatusNotFound || w.Body.String() != "nothing" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
