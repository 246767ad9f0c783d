package text_test

import (
	"testing"

	"fichario/domain/text"
)

func TestWhole(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{"0": 0, "60": 60, "2000": 2000, "2.000": 2000, "12.345.678": 12345678} {
		if got, ok := text.Whole(in); !ok || got != want {
			t.Errorf("%q: %d, %t, want %d", in, got, ok, want)
		}
	}
	for _, in := range []string{
		"", "1.5", "1,5", "15.0", "2.00", "2.0000", ".500", "1.234.5", "-1", "+1", "1e3", " 1", "１", "99999999999999999999",
	} {
		if got, ok := text.Whole(in); ok {
			t.Errorf("%q is read as %d", in, got)
		}
	}
}
