package destinations

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// place is where in a request a value goes; it determines what would break out of it.
type place int

const (
	inHeader place = iota
	inHost
	inPath
	inQuery
	asAddress // the value is the whole address
)

// part is a piece of a template: text, or the place of a field.
type part struct {
	text, field string
	place       place
}

// template is a text with places for fields. Values are never searched for places.
type template []part

var (
	// fieldRef finds ${NAME}; whatever follows "${" counts as a name, so that a bad one is reported instead of sent.
	fieldRef  = regexp.MustCompile(`\$\{([^}]*)\}?`)
	goodField = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)
	hostLabel = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)
)

// headerTemplate splits the value of a header. It passes each fault to report.
func headerTemplate(s string, report func(string)) template {
	return split(s, func(string) place { return inHeader }, report)
}

// addressTemplate splits an address, and determines the place of each field.
func addressTemplate(s string, report func(string)) template {
	t := split(s, func(before string) place {
		_, rest, ok := strings.Cut(before, "://")
		switch {
		case !ok:
			return asAddress
		case strings.Contains(rest, "?"):
			return inQuery
		case strings.Contains(rest, "/"):
			return inPath
		}
		return inHost
	}, report)
	for _, p := range t {
		if p.field != "" && p.place == asAddress && len(t) > 1 {
			report("a field stands before the host: write https:// yourself, or nothing but the field")
			return nil
		}
	}
	if len(t) == 1 && t[0].place == asAddress && t[0].field != "" {
		return t
	}
	sample := t.expand(func(part) string { return "x" })
	if !goodAddress(sample) {
		report("must be an address that starts with http:// or https://, without user, password and #")
	}
	return t
}

// split finds the fields in a text; where returns the place after a given beginning.
func split(s string, where func(before string) place, report func(string)) template {
	var t template
	before := ""
	for s != "" {
		loc := fieldRef.FindStringSubmatchIndex(s)
		if loc == nil {
			return append(t, part{text: s})
		}
		if loc[0] > 0 {
			t = append(t, part{text: s[:loc[0]]})
		}
		name, closed := s[loc[2]:loc[3]], s[loc[1]-1] == '}'
		if !goodField.MatchString(name) || !closed {
			report("a ${ must be followed by the name of a field and }")
			return nil
		}
		before += s[:loc[0]]
		t = append(t, part{field: name, place: where(before)})
		before, s = before+"x", s[loc[1]:]
	}
	return t
}

// expand substitutes the values.
func (t template) expand(value func(part) string) string {
	var b strings.Builder
	for _, p := range t {
		if p.field == "" {
			b.WriteString(p.text)
		} else {
			b.WriteString(value(p))
		}
	}
	return b.String()
}

// escape encodes a value so that it stays within its place.
func (p part) escape(value string) string {
	switch p.place {
	case inPath:
		return url.PathEscape(value)
	case inQuery:
		return url.QueryEscape(value)
	case inHeader, inHost, asAddress: // checked in Fill
	}
	return value
}

// refuses says in Portuguese what is wrong with a value for its place; empty when nothing is.
func (p part) refuses(value string) string {
	switch {
	case !utf8.ValidString(value):
		return "não é texto UTF-8"
	case strings.ContainsFunc(value, isControl):
		return "não pode ter quebra de linha nem outro caractere de controle"
	case p.place == inHost && !hostLabel.MatchString(value):
		return "é uma parte do nome do servidor: só letras, números e hífen"
	case p.place == inPath && (value == "." || value == ".."):
		return "não pode ser só pontos"
	case p.place == asAddress && !goodAddress(value):
		return "é um http:// ou https:// completo, sem usuário e senha nele"
	}
	return ""
}

// maxAddress bounds an address, in bytes.
const maxAddress = 4000

// goodAddress reports whether a text is a callable address. Whether its host is allowed is checked at each call.
func goodAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		!strings.Contains(s, "#") && len(s) <= maxAddress
}

// hasField reports whether a template has a place for a field.
func hasField(t template) bool {
	return slices.ContainsFunc(t, func(p part) bool { return p.field != "" })
}
