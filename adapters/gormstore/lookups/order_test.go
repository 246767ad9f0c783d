package lookups

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// TestRowsAreWrittenInOneOrder on Citus too, where each is a statement of its own: in whatever order calls come, no two
// transactions wait for each other.
func TestRowsAreWrittenInOneOrder(t *testing.T) {
	t.Parallel()
	queued := func(products ...string) (rows []string) {
		batch, sum, seen := &engine.Batch{Divided: true}, newCharges(true), before{}
		sum.slot = -1
		var in []beginning
		for _, product := range products {
			row := LookupRow{OrgID: "o", Product: product, Bureau: product, Day: "2026-11-20", Amount: 1}
			in = append(in, beginning{Charge: ports.Charge{Shared: true}, entry: row, leases: [][]byte{[]byte(product)}})
			sum.begin(row)
			sum.called(row, time.Second, bureauDayRow{Calls: 1})
		}
		seen.queueLeases(batch, in)
		sum.queue(batch)
		for _, q := range batch.QueuedQueries {
			if strings.HasPrefix(q.SQL, "INSERT") {
				rows = append(rows, fmt.Sprint(q.SQL, q.Arguments))
			}
		}
		return rows
	}
	want := queued("a", "b", "c", "d")
	if len(want) != 16 {
		t.Fatalf("%d rows of 4 leases, hours, days and figures of bureaus", len(want))
	}
	for range 9 { // maps have no order
		if got := queued("d", "b", "a", "c"); !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
}
