package docsite

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed static
var staticFiles embed.FS

// stored is an answer that is kept as it is sent.
type stored struct {
	kind          string
	plain, packed []byte
	tag           string
	status        int
}

func store(kind string, content []byte) stored {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(content) // to memory: it cannot fail
	_ = w.Close()
	sum := sha256.Sum256(content)
	return stored{kind, content, packed.Bytes(), `"` + hex.EncodeToString(sum[:8]) + `"`, http.StatusOK}
}

// serve answers with it, or that the caller has it already.
func (a stored) serve(w http.ResponseWriter, r *http.Request, keep string) {
	h := w.Header()
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", keep)
	h.Add("Vary", "Accept-Encoding")
	h.Set("ETag", a.tag)
	if strings.Contains(r.Header.Get("If-None-Match"), a.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	content := a.plain
	if accepted := r.Header.Get("Accept-Encoding"); strings.Contains(accepted, "gzip") && !strings.Contains(accepted, "q=0") {
		h.Set("Content-Encoding", "gzip")
		content = a.packed
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(content)
}

// readAssets are the stylesheet and the script, each at an address that has its content's hash in it.
func readAssets() map[string]stored {
	assets := map[string]stored{}
	entries, _ := staticFiles.ReadDir("static") // in the binary: it is there
	for _, e := range entries {
		content, _ := staticFiles.ReadFile("static/" + e.Name())
		ext := path.Ext(e.Name())
		a := store(mime.TypeByExtension(ext), content)
		assets["/docs/static/"+strings.TrimSuffix(e.Name(), ext)+"."+strings.Trim(a.tag, `"`)+ext] = a
	}
	return assets
}

func addressOf(assets map[string]stored, name string) string {
	for address := range assets {
		stem, _, _ := strings.Cut(path.Base(address), ".")
		if stem+path.Ext(address) == name {
			return address
		}
	}
	return ""
}
