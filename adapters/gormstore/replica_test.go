package gormstore

import (
	"testing"
	"time"
)

// TestWhatIsKeptOfAReplicaThatIsAway: positions of the primary that are too old to be of use are dropped, however long
// the replica does not answer.
func TestWhatIsKeptOfAReplicaThatIsAway(t *testing.T) {
	t.Parallel()
	primary := each(t)[1]
	r := &replica{db: primary.read, primary: primary.write, maxLag: time.Nanosecond} // not a replica
	for range 5 {
		if r.measure(t.Context()) == nil {
			t.Fatal("a primary passes for a replica")
		}
	}
	if n := len(r.asked); n != 1 {
		t.Errorf("%d positions are kept", n)
	}
}
