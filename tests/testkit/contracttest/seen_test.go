package contracttest

import (
	"net/http"
	"slices"
	"testing"
)

// TestWhatWasSeen: a status counts once an answer with it conformed to the contract, and no other status exists there.
func TestWhatWasSeen(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(EnvSeen, dir)
	const path, lost = "/api/webhooks/receive/x", "preflightWebhook 204"
	missing := func() []string {
		names, err := Missing(dir)
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	all := missing()
	if _, err := Conforms("OPTIONS", path, http.StatusTeapot, http.Header{}, nil); err == nil {
		t.Error("a status that is not in the contract is taken")
	}
	if now := missing(); !slices.Equal(now, all) || !slices.Contains(now, lost) {
		t.Errorf("before: %d of %d", len(now), len(all))
	}
	for range 2 {
		if operation, err := Conforms("OPTIONS", path, http.StatusNoContent, http.Header{}, nil); err != nil ||
			operation != "preflightWebhook" {
			t.Errorf("%q, %v", operation, err)
		}
	}
	if now := missing(); len(now) != len(all)-1 || slices.Contains(now, lost) {
		t.Errorf("after: %d of %d", len(now), len(all))
	}
}
