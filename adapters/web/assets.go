package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed static
var staticFiles embed.FS

// assets are the files of static, each at an address that has its content's hash in
// it, so that browsers keep it for good.
type assets struct {
	content map[string][]byte // by address
	packed  map[string][]byte // the same, as gzip
	address map[string]string // by file name
}

// Asset is the address of a file of the interface, such as its stylesheet, for what stands beside the interface.
func Asset(name string) string { return readAssets().address[name] }

var readAssets = sync.OnceValue(func() assets {
	a := assets{content: map[string][]byte{}, packed: map[string][]byte{}, address: map[string]string{}}
	_ = fs.WalkDir(staticFiles, "static", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := staticFiles.ReadFile(file)
		sum := sha256.Sum256(content)
		ext := path.Ext(file)
		address := "/" + strings.TrimSuffix(file, ext) + "." + hex.EncodeToString(sum[:6]) + ext
		a.content[address], a.packed[address], a.address[path.Base(file)] = content, pack(content), address
		return err
	}) // the files are in the binary: reading them cannot fail
	return a
})

func pack(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(content) // to memory: it cannot fail
	_ = w.Close()
	return b.Bytes()
}

// takesGzip reads an Accept-Encoding, where gzip;q=0 is a no.
func takesGzip(accepted string) bool {
	for encoding := range strings.SplitSeq(accepted, ",") {
		name, q, _ := strings.Cut(strings.ReplaceAll(encoding, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.Trim(q, "q=0.") != "" || q == ""
		}
	}
	return false
}

// ServeHTTP serves a file.
func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	content, ok := a.content[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(r.URL.Path)))
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	w.Header().Set("Vary", "Accept-Encoding")
	if takesGzip(r.Header.Get("Accept-Encoding")) {
		w.Header().Set("Content-Encoding", "gzip")
		content = a.packed[r.URL.Path]
	}
	_, _ = w.Write(content)
}
