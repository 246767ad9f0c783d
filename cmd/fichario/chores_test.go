package main

import (
	"reflect"
	"runtime"
	"testing"

	"fichario/adapters/gormstore"
)

// TestNoChoreDoesWhatAnotherDoes: a chore that calls another one's function leaves its own work undone, silently.
func TestNoChoreDoesWhatAnotherDoes(t *testing.T) {
	t.Parallel()
	names := map[string]string{}
	for _, c := range (&service{ground: ground{store: &gormstore.Store{}}}).tasks() {
		does := runtime.FuncForPC(reflect.ValueOf(c.Do).Pointer()).Name()
		if other, taken := names[does]; taken {
			t.Errorf("%q and %q both do %s", other, c.Name, does)
		}
		names[does] = c.Name
	}
}
