package httpapi

import "testing"

func TestPrefersLater(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		"": false, "respond-async": true, "wait=1, Respond-Async; x=1": true, `return="x, respond-async, y"`: false,
		`return="x\", respond-async"`: false, `return="x", respond-async`: true, `return="x, respond-async`: false,
		`respond-async; note="a;b,c"`: true, "respond-asynchronously": false,
	} {
		if got := prefersLater(header); got != want {
			t.Errorf("prefersLater(%q) = %t", header, got)
		}
	}
}
