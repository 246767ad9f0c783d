package patience_test

import (
	"testing"
	"time"

	"fichario/tests/testkit/patience"
)

// TestTheNetIsOfMinutes: no machine makes it shorter than three minutes, nor longer than an hour.
func TestTheNetIsOfMinutes(t *testing.T) {
	t.Parallel()
	if d := patience.Limit(); d < 3*time.Minute || d > time.Hour {
		t.Errorf("a test waits for %s", d)
	}
	if n := patience.Measure(); n < 1 {
		t.Errorf("this machine is %v times slower", n)
	}
	if n := patience.Abreast(); n < 2 || n > 4 {
		t.Errorf("%d programs side by side", n)
	}
	calls := 0
	patience.Until(t, "the third call", func() bool { calls++; return calls == 3 })
	grown := 0
	patience.Grows(t, "the third", 3, func() int { grown++; return grown })
	if grown != 3 {
		t.Errorf("asked %d times for 3", grown)
	}
}
