package engine

import (
	"bytes"
	"context"
	"testing"
	"time"

	"fichario/tests/testkit/postgres"
)

// TestWhatIsKeptOfAReplicaThatIsAway: positions of the primary that are too old to be of use are dropped, however long
// the replica does not answer.
func TestWhatIsKeptOfAReplicaThatIsAway(t *testing.T) {
	t.Parallel()
	url := postgres.New(t, func(context.Context, string) error { return nil })
	primary, err := Open(url, [][]byte{bytes.Repeat([]byte{7}, DataKeySize)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = primary.Close() })
	r := &replica{db: primary.Reader, primary: primary.Writer, MaxLag: time.Nanosecond} // not a replica
	for range 5 {
		if r.measure(t.Context()) == nil {
			t.Fatal("a primary passes for a replica")
		}
	}
	if n := len(r.asked); n != 1 {
		t.Errorf("%d positions are kept", n)
	}
}
