package privacy

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// File is what a batch or an import, and its columns, are called.
type File struct {
	At    time.Time // UTC
	Names []string
}

// NamedBy returns those of some names that name the person.
func (p *Person) NamedBy(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !p.Mentions(name) && p.inFile(name) == ""
	})
}

// fileEndings may pass for the ends of addresses.
var fileEndings = regexp.MustCompile(`(?i)\.(?:csv|tsv|txt|xlsx?|xlsm|ods|json|xml|pdf|zip|gz)\b`)

// inFile is a name with the endings of files apart from it; empty where that does not name the person.
func (p *Person) inFile(name string) string {
	apart := fileEndings.ReplaceAllString(name, " $0")
	if apart == name || !p.Mentions(apart) {
		return ""
	}
	return apart
}

// Rename is a name without the person.
func (p *Person) Rename(name string) string {
	name = p.Redact(name)
	if apart := p.inFile(name); apart != "" {
		return strings.ReplaceAll(p.Redact(apart), " .", ".")
	}
	return name
}
