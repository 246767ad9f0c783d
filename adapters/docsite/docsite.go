// Package docsite serves the API reference at /docs: rendered on the server from the contract, in Portuguese and, one
// click away, in English, with guides beside it. It needs no script and loads nothing from elsewhere.
package docsite

import (
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"fichario/adapters/stored"
	"fichario/openapi"
)

// Config is what the reference needs.
type Config struct {
	// PublicURL is the address of the service, without a trailing slash.
	PublicURL string
	// Light, Dark and Icon are the addresses of the interface's stylesheets and its icon.
	Light, Dark, Icon string
	// Theme is "claro" or "escuro" where the reader has chosen one; empty to follow the device.
	Theme func(*http.Request) string
	// Problems are all errors of the API.
	Problems []Problem
	// TestKeys says that members can have a key to try calls with, because every bureau invents its answers.
	TestKeys bool
	// Sandbox is listed at /docs/sandbox.
	Sandbox []SandboxDocument
}

// Problem is a row of the API's table of errors.
type Problem struct {
	Code string
	// Title is Portuguese text.
	Title  string
	Status int
}

// SandboxDocument is a document for which the sandbox bureau has a special answer.
type SandboxDocument struct {
	// Type is the contract's name for the document's type.
	Type string
	// Document is the document without punctuation.
	Document string
	// What and WhatEnglish describe what happens.
	What, WhatEnglish string
}

//go:embed templates errors.yaml
var files embed.FS

// site is the reference in both languages, each built on first request.
type site struct {
	assets    stored.Files
	languages map[string]func() (*language, error)
}

// The languages, by the prefix of their addresses.
const (
	portugueseRoot = "/docs"
	englishRoot    = "/docs/en"
)

// New returns the handler of /docs and everything below it.
func New(c Config) http.Handler {
	s := &site{assets: stored.ReadFiles(staticFiles, "static", "/docs/")}
	s.languages = map[string]func() (*language, error){
		portugueseRoot: sync.OnceValues(func() (*language, error) {
			return newLanguage(c, s.assets, portugueseRoot, openapi.Portuguese)
		}),
		englishRoot: sync.OnceValues(func() (*language, error) {
			return newLanguage(c, s.assets, englishRoot, openapi.YAML)
		}),
	}
	return s
}

//go:embed static
var staticFiles embed.FS

// policy lets a page load only what this service serves, and no inline script or style.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP serves a page.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", policy)
	path := strings.TrimSuffix(r.URL.Path, "/")
	if s.assets.Has(path) {
		s.assets.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Vary", "Cookie") // the cookie has the theme
	root := portugueseRoot
	if path == englishRoot || strings.HasPrefix(path, englishRoot+"/") {
		root = englishRoot
	}
	l, err := s.languages[root]()
	if err != nil {
		panic(fmt.Sprintf("the reference: %v", err)) // the source is in the binary, and tests read it
	}
	path = strings.TrimPrefix(path, root)
	if path == "/busca" {
		l.search(w, r)
		return
	}
	p, ok := l.pages[path]
	if !ok {
		l.missing(w, r)
		return
	}
	p.made[l.Theme(r)]().Serve(w, r, http.StatusOK, "no-cache")
}

// language is the reference in one language.
type language struct {
	Config
	// Root is the prefix of its addresses.
	Root      string
	contract  contract
	templates *template.Template
	pages     map[string]*page
	order     []*page
	problems  []explained
	groups    int
	// making is the page that is being made.
	making *page
	// places are the search index.
	places func() []place
	// asset is the address of a static file.
	asset func(name string) string
}

// Explained returns all errors of the API.
func (s *language) Explained() []explained { return s.problems }

// English is whether the language is English.
func (s *language) English() bool { return s.Root == englishRoot }

// say chooses the text in this language.
func (s *language) say(portuguese, english string) string {
	if s.English() {
		return english
	}
	return portuguese
}

func newLanguage(c Config, assets stored.Files, root string, source []byte) (*language, error) {
	s := &language{Config: c, Root: root, pages: map[string]*page{}, asset: assets.Address}
	var err error
	if s.contract, err = readContract(source); err != nil {
		return nil, err
	}
	s.templates, err = template.New("").Funcs(template.FuncMap{
		"say":       s.say,
		"asset":     assets.Address,
		"highlight": highlight,
		"json":      func(text string) template.HTML { return highlight("json", text) },
		"lower":     strings.ToLower, "where": s.where, "group": s.nextGroup, "fold": s.fold,
	}).ParseFS(files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	if s.problems, err = s.explain(); err != nil {
		return nil, err
	}
	s.places = sync.OnceValue(s.readPlaces)
	return s, s.makePages()
}

// where words the location of a parameter.
func (s *language) where(in string) string {
	return map[string]string{
		"path": s.say("no caminho", "path"), "query": s.say("no endereço", "query"), "header": s.say("cabeçalho", "header"),
	}[in]
}

// nextGroup is a unique name for a choice among languages.
func (s *language) nextGroup() string {
	s.groups++
	return "codigo-" + strconv.Itoa(s.groups)
}
