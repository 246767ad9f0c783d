package noon

import (
	"testing"
	"time"
)

// TestItIsNoonAtAnyHour, and on UTC's date.
func TestItIsNoonAtAnyHour(t *testing.T) {
	t.Parallel()
	for hour := range 24 {
		at := time.Date(2026, 3, 1, hour, 59, 0, 0, time.UTC)
		zone, err := time.LoadLocation(name(hour))
		if err != nil {
			t.Fatal(err)
		}
		if there := at.In(zone); there.Hour() != 12 || there.Day() != 1 {
			t.Errorf("at %s it is %s", at, there)
		}
	}
}
