package persons

import (
	"bytes"
	"testing"
)

// TestMarksAreFoundAnywhere: at both ends of a file, and across the boundary of two reads.
func TestMarksAreFoundAnywhere(t *testing.T) {
	t.Parallel()
	mark := []byte("um-endereço@apagado.example")
	other := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	for _, at := range []int{-1, 0, 1<<20 - 5, 1<<20 - 1, 1 << 20, 2<<20 - markMost - 3, 3<<20 - len(mark)} {
		text := bytes.Repeat([]byte{0xAA}, 3<<20)
		if at >= 0 {
			copy(text[at:], mark)
		}
		if found, err := marked(bytes.NewReader(text), [][]byte{other, mark}); err != nil || found != (at >= 0) {
			t.Errorf("at %d: %v, %v", at, found, err)
		}
	}
}
