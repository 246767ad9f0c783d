package ports_test

import (
	"testing"

	"fichario/ports"
)

// TestChance: what is certain is certain, and a share of the draws is about that share: it fails once in a million
// million runs.
func TestChance(t *testing.T) {
	t.Parallel()
	drawn := map[float64]int{}
	for range 10_000 {
		for _, p := range []float64{0, 0.02, 1} {
			if ports.Chance(p) {
				drawn[p]++
			}
		}
	}
	if drawn[0] != 0 || drawn[1] != 10_000 || drawn[0.02] < 100 || drawn[0.02] > 310 {
		t.Errorf("of 10000: %v", drawn)
	}
}
