package destinations

import (
	"embed"
	"fmt"
	"slices"
	"sync"

	"fichario/domain/automation"
)

//go:embed *.yaml
var files embed.FS

// names are the destinations that come with the program, in the order in which they are offered.
var names = []string{"pipedrive", "hubspot", "rdstation", "kommo", "google-sheets", "slack", "telegram", "meta-capi", "google-ads"}

// shipped is read once; a test ensures that all are valid.
var shipped = sync.OnceValue(func() map[string]*File {
	all := map[string]*File{}
	for _, name := range names {
		src, err := files.ReadFile(name + ".yaml")
		if err == nil {
			all[name], err = Parse(src)
		}
		if err != nil {
			panic(fmt.Sprintf("%s: %v", name, err))
		}
	}
	return all
})

// Shipped returns a destination that comes with the program.
func Shipped(name string) (*File, bool) {
	f, ok := shipped()[name]
	return f, ok
}

// Names lists the destinations that come with the program.
func Names() []string { return slices.Clone(names) }

// All describes the destinations that come with the program.
func All() []automation.Destination {
	all := make([]automation.Destination, len(names))
	for i, name := range names {
		all[i] = shipped()[name].Destination
	}
	return all
}
