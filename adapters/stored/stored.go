// Package stored serves prepared responses: embedded files, and pages that are rendered once.
package stored

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

// Answer is a prepared answer, plain and gzipped.
type Answer struct {
	kind, hash string
	plain      []byte
	packed     func() []byte
}

// New prepares content of a media type such as text/html. It is packed for the first client that takes it so: to pack
// everything at once was a good part of the program's start.
func New(kind string, content []byte) Answer {
	sum := sha256.Sum256(content)
	return Answer{kind, hex.EncodeToString(sum[:6]), content, sync.OnceValue(func() []byte { return Pack(content) })}
}

// Pack gzips content.
func Pack(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(content) // writing to memory cannot fail
	_ = w.Close()
	return b.Bytes()
}

// TakesGzip parses an Accept-Encoding, where gzip;q=0 is a refusal.
func TakesGzip(accepted string) bool {
	for encoding := range strings.SplitSeq(accepted, ",") {
		name, q, _ := strings.Cut(strings.ReplaceAll(encoding, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.Trim(q, "q=0.") != "" || q == ""
		}
	}
	return false
}

// Serve sends the answer, or 304 where the client has it already. keep is the value of Cache-Control.
func (a Answer) Serve(w http.ResponseWriter, r *http.Request, status int, keep string) {
	h, tag, content := w.Header(), `"`+a.hash+`"`, a.plain
	h.Set("Content-Type", a.kind)
	h.Set("Cache-Control", keep)
	h.Add("Vary", "Accept-Encoding")
	packed := TakesGzip(r.Header.Get("Accept-Encoding"))
	if packed {
		tag, content = `"`+a.hash+`-gzip"`, a.packed()
	}
	h.Set("ETag", tag)
	if status == http.StatusOK && strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if packed {
		h.Set("Content-Encoding", "gzip")
	}
	w.WriteHeader(status)
	_, _ = w.Write(content) // on error the client is gone
}

// Files serves a folder of embedded files. Each address contains a hash of the content, so that browsers may cache it
// for good.
type Files struct {
	answers   map[string]Answer // by address
	addresses map[string]string // by name
}

// ReadFiles reads the files below a folder; their addresses begin with root and the folder's name.
func ReadFiles(from fs.FS, folder, root string) Files {
	f := Files{map[string]Answer{}, map[string]string{}}
	_ = fs.WalkDir(from, folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(from, file)
		ext := path.Ext(file)
		a := New(mime.TypeByExtension(ext), content)
		address := root + strings.TrimSuffix(file, ext) + "." + a.hash + ext
		f.answers[address], f.addresses[path.Base(file)] = a, address
		return err
	}) // the files are in the binary: reading them cannot fail
	return f
}

// Address is the address of a file by name; empty where there is none.
func (f Files) Address(name string) string { return f.addresses[name] }

// Has reports whether there is a file at an address.
func (f Files) Has(address string) bool {
	_, ok := f.answers[address]
	return ok
}

// ServeHTTP serves a file.
func (f Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, ok := f.answers[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	a.Serve(w, r, http.StatusOK, "public, max-age=31536000, immutable")
}
