package privacy

import (
	"path"
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

// inFile is the name of a file without its ending, which may pass for the end of an address; empty where that does not
// name the person.
func (p *Person) inFile(name string) string {
	bare := strings.TrimSuffix(name, path.Ext(name))
	if bare == name || !p.Mentions(bare) {
		return ""
	}
	return bare
}

// Rename is a name without the person.
func (p *Person) Rename(name string) string {
	if bare := p.inFile(name); bare != "" && !p.Mentions(name) {
		return p.Redact(bare) + path.Ext(name)
	}
	return p.Redact(name)
}
