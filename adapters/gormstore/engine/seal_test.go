package engine

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"fichario/ports"
)

// TestSealedValuesComeBack: byte for byte, compressed where that saves, and only for their own place, version and key.
func TestSealedValuesComeBack(t *testing.T) {
	t.Parallel()
	v, err := newVault([][]byte{bytes.Repeat([]byte{7}, DataKeySize)})
	if err != nil {
		t.Fatal(err)
	}
	noise := make([]byte, 4000)
	_, _ = rand.Read(noise)
	answer := []byte(strings.Repeat(`{"nome":"Ana Souza","cidade":"Recife"},`, 100))
	for name, c := range map[string]struct {
		plain   []byte
		version byte
	}{
		"nothing": {[]byte{}, sealPlain}, "short": {[]byte("52998224725"), sealPlain}, "noise": {noise, sealPlain},
		"just too short": {answer[:packFrom-1], sealPlain}, "just long enough": {answer[:packFrom], sealPacked},
		"an answer":          {answer, sealPacked},
		"bytes of all kinds": {append(bytes.Repeat([]byte{0, 0xff, 'a'}, 400), noise[:9]...), sealPacked},
	} {
		sealed := v.Seal(c.plain, "records|answer|1")
		if sealed[0] != c.version || c.version == sealPacked && len(sealed) > len(c.plain)*7/8+33 {
			t.Errorf("%s: %d bytes became %d, version %d", name, len(c.plain), len(sealed), sealed[0])
		}
		if got, err := v.Open(sealed, "records|answer|1"); err != nil || !bytes.Equal(got, c.plain) {
			t.Errorf("%s: comes back as other bytes, %v", name, err)
		}
		for what, changed := range map[string][]byte{
			"its version":                 append([]byte{sealPlain + sealPacked - sealed[0]}, sealed[1:]...),
			"a version that there is not": append([]byte{9}, sealed[1:]...),
			"its last byte":               append(bytes.Clone(sealed[:len(sealed)-1]), sealed[len(sealed)-1]^1),
		} {
			if _, err := v.Open(changed, "records|answer|1"); !errors.Is(err, ports.ErrUnreadable) {
				t.Errorf("%s: with another %s: %v", name, what, err)
			}
		}
		if _, err := v.Open(sealed, "records|answer|2"); !errors.Is(err, ports.ErrUnreadable) {
			t.Errorf("%s at another place: %v", name, err)
		}
	}
}
