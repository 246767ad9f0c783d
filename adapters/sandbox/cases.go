package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// Fault is a failure of a case's answer.
type Fault string

// The faults.
const (
	// Refuse is a refused connection: in process nothing is sent, and nothing is charged. Over HTTP the connection is
	// accepted before the document is known, so it breaks like Broken.
	Refuse Fault = "refuse"
	// Broken resets the connection after reading the request.
	Broken Fault = "reset"
	// Hang never answers.
	Hang Fault = "hang"
	// Truncate breaks the connection in the middle of the body.
	Truncate Fault = "truncate"
	// Dripping sends the body at a limited rate.
	Dripping Fault = "slow"
	// HTML is the page of a proxy, with status 200.
	HTML Fault = "html"
)

var faults = []Fault{Refuse, Broken, Hang, Truncate, HTML}

// oneCase is the sequence of answers to some requests; the last one repeats.
type oneCase struct {
	bureaus, products, documents []string
	answers                      []reply
}

// reply is one answer of a case. Without a body it is the invented answer, with merge applied to its result.
type reply struct {
	status int
	header http.Header
	delay  time.Duration
	later  time.Duration // after which the answer is there; zero for at once
	body   []byte        // {documento} stands for the requested document
	merge  any
	fault  Fault
	rate   int // bytes per second, for Dripping
}

// matches reports whether a case covers a product and a document at a bureau.
func (c oneCase) matches(bureau, product, document string) bool {
	named := func(names []string, name string) bool {
		return slices.Contains(names, everything) || slices.Contains(names, name)
	}
	return named(c.bureaus, bureau) && named(c.products, product) &&
		slices.ContainsFunc(c.documents, func(pattern string) bool { return like(pattern, document) })
}

// everything matches every bureau, product and document, and any part of a document.
const everything = "*"

// like matches a text against a pattern, in which * stands for any characters.
func like(pattern, text string) bool {
	first, rest, wild := strings.Cut(pattern, everything)
	if !wild {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, first)
	for ok {
		var part string
		if part, rest, wild = strings.Cut(rest, everything); !wild {
			return strings.HasSuffix(text, part)
		}
		_, text, ok = strings.Cut(text, part)
	}
	return false
}

// merged applies a JSON merge patch (RFC 7396): null removes, objects are merged, anything else replaces.
func merged(target, patch any) any {
	change, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	into, ok := target.(map[string]any)
	if !ok {
		into = map[string]any{}
	}
	for name, value := range change {
		if value == nil {
			delete(into, name)
			continue
		}
		into[name] = merged(into[name], value)
	}
	return into
}
