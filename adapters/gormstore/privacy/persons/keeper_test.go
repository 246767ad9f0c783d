package persons

import (
	"slices"
	"testing"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/privacy"
)

// TestEveryKindIsKept: each kind that an erasure goes through is declared once, with what its way of being found needs.
func TestEveryKindIsKept(t *testing.T) {
	t.Parallel()
	kinds := engine.Mapped(keepers, func(k keeper) privacy.Kind { return k.kind })
	if !slices.Equal(kinds, privacy.Kinds()) {
		t.Errorf("the store keeps %v, an erasure goes through %v", kinds, privacy.Kinds())
	}
	for _, k := range keepers {
		if k.erase == nil || k.table == "" || k.within == "" || k.kind.Name() == "" ||
			k.kind.Found() == privacy.ByIndex && k.names == nil || k.kind.Opened() && k.about == nil {
			t.Errorf("the declaration of %s lacks something", k.kind)
		}
	}
}
