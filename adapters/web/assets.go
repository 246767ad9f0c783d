package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

//go:embed static
var staticFiles embed.FS

// assets are the files of static, each at an address that has its content's hash in
// it, so that browsers keep it for good.
type assets struct {
	content map[string][]byte // by address
	address map[string]string // by file name
}

func readAssets() assets {
	a := assets{content: map[string][]byte{}, address: map[string]string{}}
	_ = fs.WalkDir(staticFiles, "static", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := staticFiles.ReadFile(file)
		sum := sha256.Sum256(content)
		ext := path.Ext(file)
		address := "/" + strings.TrimSuffix(file, ext) + "." + hex.EncodeToString(sum[:6]) + ext
		a.content[address], a.address[path.Base(file)] = content, address
		return err
	}) // the files are in the binary: reading them cannot fail
	return a
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
	_, _ = w.Write(content)
}
