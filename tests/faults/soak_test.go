package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"fichario/tests/testkit/intaketest"
)

// TestSlowSoak kills the program at random under clients that post and make lookups, on both databases at once, and
// checks every row against what the clients and the bureau know. It kills each instance three times, or for as long as
// SOAK says (`make soak`).
func TestSlowSoak(t *testing.T) {
	t.Parallel()
	goOn := func(kills int, _ time.Time) bool { return kills < 3 }
	if text := os.Getenv("SOAK"); text != "" {
		length, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal("SOAK: ", err)
		}
		goOn = func(_ int, began time.Time) bool { return time.Since(began) < length }
	}
	var mu sync.Mutex
	results := map[string]*books{}
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		name, _, _ := strings.Cut(env["FICHARIO_DATABASE_URL"], ":")
		b := openBooks(t, env)
		mu.Lock()
		results[name] = b
		mu.Unlock()
		for began := time.Now(); goOn(b.shifts, began) && !t.Failed(); {
			killUnderLoad(b)
		}
		if b.unasked > b.shifts*clients/2 {
			t.Errorf("%d charges without a call, of %d kills", b.unasked, b.shifts)
		}
		// Half of the clients make lookups, and each has one call in flight when its service is killed.
		if b.inDoubt > b.shifts*clients/2 {
			t.Errorf("%d charges without an answer, of %d kills", b.inDoubt, b.shifts)
		}
		b.close()
	})
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "database\tkills\tacknowledged leads\tacknowledged lookups\tbureau's ledger\tlost\tdoubled\tuncharged\tin doubt\t")
	for name, b := range results {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, b.shifts, b.leads, b.lookups, b.bureau.Calls(), b.lost,
			b.doubled, b.uncharged, b.inDoubt)
		if b.lost+b.doubled+b.uncharged > 0 {
			t.Error("something is lost, doubled or uncharged on " + name)
		}
	}
	_ = w.Flush()
	t.Log("\n" + table.String())
}

// killUnderLoad kills the service in the middle of a shift, restarts it, and checks the data.
func killUnderLoad(b *books) {
	w := b.load()
	enough := rand.IntN(300)
	await(b.t, "requests are answered", func() bool {
		return w.count(func(w *shift) int { return len(w.posts) + len(w.lookups) }) >= enough
	})
	b.product.Lookups.Kill()
	w.stop()
	orphans(b)
	b.product.Lookups.ForgetLogs()
	b.product.Lookups.Restart()
	b.audit(w)
}

// orphans waits until PostgreSQL has noticed that the service is gone: statements already sent may still run.
func orphans(b *books) {
	if strings.HasPrefix(b.env["FICHARIO_DATABASE_URL"], "sqlite") {
		return
	}
	db := openDatabase(b.t, b.env)
	await(b.t, "PostgreSQL has ended what the service began", func() bool {
		left := 1
		const of = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'fichario'"
		return db.QueryRowContext(b.t.Context(), of).Scan(&left) == nil && left == 0
	})
	_ = db.Close()
}
