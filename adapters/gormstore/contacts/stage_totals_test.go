package contacts

import "testing"

func TestSumOfParts(t *testing.T) {
	t.Parallel()
	for _, amounts := range [][]int64{{0}, {1, 2, 3}, {-5, 3}, {1 << 40, 1<<20 - 1, -1}, {1 << 20, -1 << 30}} {
		var high, low, want int64
		for _, a := range amounts {
			high, low, want = high+a>>20, low+a&(1<<20-1), want+a
		}
		if got := int64(sum(high, low)); got != want {
			t.Errorf("sum of %v: %d, want %d", amounts, got, want)
		}
	}
}
