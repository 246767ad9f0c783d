// Package kit is what the suites of repositories share: rows to begin with, and checks.
package kit

import (
	"testing"

	"fichario/ports"
)

// Suite are tests of a store, by name.
type Suite map[string]func(*testing.T, ports.Store)

// Run runs each test on a store of its own.
func (s Suite) Run(t *testing.T, newStore func(t *testing.T) ports.Store) {
	t.Helper()
	for name, test := range s {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newStore(t))
		})
	}
}
