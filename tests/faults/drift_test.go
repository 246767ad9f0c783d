package faults

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"fichario/tests/testkit/intaketest"
)

// held is the resources that an idle process holds, and the size of its counters in the database.
type held struct {
	at                          time.Duration
	requests                    int
	files, goroutines, resident int
	counters                    int64 // bytes, including dead rows; 0 on SQLite, which has none
}

// TestSlowDrift keeps one process under load, on both databases at once, and checks between the shifts that files and
// goroutines are released. For as long as DRIFT says (`make soak`) it checks every minute, and then memory and the
// tables that each request updates may not grow by a hundredth per minute either.
func TestSlowDrift(t *testing.T) {
	t.Parallel()
	// The first shift opens connections, how many depends on how busy the machine is.
	shifts, shift, begin, slope := 4, time.Duration(0), 1, false
	if text := os.Getenv("DRIFT"); text != "" {
		length, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal("DRIFT: ", err)
		}
		// Caches fill during the first minutes.
		shifts, shift, begin, slope = max(5, int(length.Minutes())), time.Minute, 2, true
	}
	var mu sync.Mutex
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "database\tminutes\trequests\tfiles\tgoroutines\tmemory MB\tcounters KB\t")
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		b := openBooks(t, env)
		name, _, _ := strings.Cut(env["FICHARIO_DATABASE_URL"], ":")
		var looks []held
		for began := time.Now(); len(looks) < shifts && !t.Failed(); {
			load, until := b.load(), time.Now().Add(shift)
			load.more(t, "requests are answered", 500)
			<-time.After(time.Until(until))
			load.stop()
			b.audit(load)
			looks = append(looks, b.holds(time.Since(began), load.acknowledged))
		}
		b.close()
		first, last := looks[begin], looks[len(looks)-1]
		for what, c := range map[string][2]int{
			"files": {first.files, last.files}, "goroutines": {first.goroutines, last.goroutines},
		} {
			if c[1] > c[0]+c[0]/10+8 {
				t.Errorf("%s: %s grew from %d to %d", name, what, c[0], c[1])
			}
		}
		if minutes := (last.at - first.at).Minutes(); slope {
			for what, c := range map[string][2]float64{
				"memory":   {float64(first.resident), float64(last.resident)},
				"counters": {float64(first.counters), float64(last.counters)},
			} {
				if c[1] > c[0]*(1+minutes/100) {
					t.Errorf("%s: %s grew from %.0f to %.0f in %.0f minutes", name, what, c[0], c[1], minutes)
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for _, l := range looks {
			_, _ = fmt.Fprintf(w, "%s\t%.1f\t%d\t%d\t%d\t%d\t%d\t\n", name, l.at.Minutes(), l.requests, l.files, l.goroutines,
				l.resident, l.counters>>10)
		}
	})
	_ = w.Flush()
	t.Log("\n" + table.String())
}

// holds waits until what clients began has ended, and measures.
func (b *books) holds(after time.Duration, requests int) held {
	s := b.product.Lookups
	l := held{at: after, requests: requests}
	same := 0
	await(b.t, "the process is at rest", func() bool {
		f, g := files(b.t, s.Pid()), running(b.t, s)
		if same++; f != l.files || g != l.goroutines {
			l.files, l.goroutines, same = f, g, 0
		}
		return same == 5
	})
	l.resident = resident(b.t, s.Pid(), "VmRSS")
	if strings.HasPrefix(b.env["FICHARIO_DATABASE_URL"], "postgres") {
		db := openDatabase(b.t, b.env)
		defer func() { _ = db.Close() }()
		err := db.QueryRowContext(b.t.Context(), `SELECT CAST(sum(pg_total_relation_size(to_regclass(name))) AS bigint)
			FROM unnest(ARRAY['key_usage', 'leases', 'webhook_counters', 'stage_totals', 'delivery_hours', 'lookup_hours',
				'contact_hours', 'spend_days']) AS name`).Scan(&l.counters)
		if err != nil {
			b.t.Fatal(err)
		}
	}
	return l
}
