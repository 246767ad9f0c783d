package lookups

import (
	"strings"
	"testing"

	"fichario/domain/fault"
)

// TestRequestKeyOf: its length is in characters, as the contract says.
func TestRequestKeyOf(t *testing.T) {
	t.Parallel()
	for sent, ok := range map[string]bool{
		"": false, "k": true, "pergunta 1": true, strings.Repeat("k", 255): true, strings.Repeat("k", 256): false,
		strings.Repeat("é", 255): true, strings.Repeat("é", 256): false, strings.Repeat("\U0001F600", 255): true,
		"a\nb": false, "a\xff": false, "a\u200b": false,
	} {
		key, err := RequestKeyOf("Idempotency-Key", &sent)
		if ok && (err != nil || key != sent) || !ok && fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%.9q…: %q, %v", sent, key, err)
		}
	}
	if key, err := RequestKeyOf("Idempotency-Key", nil); key != "" || err != nil {
		t.Errorf("none: %q, %v", key, err)
	}
}
