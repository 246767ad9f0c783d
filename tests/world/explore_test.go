package world_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/tests/testkit/postgres"
)

var (
	only   = flag.Uint64("seed", 0, "the seed of one world, to be run again; 0 for new ones")
	engine = flag.String("database", "", "sqlite or postgres; both where it is empty")
)

// migrate prepares a template.
func migrate(ctx context.Context, url string) error {
	store, err := gormstore.Open(url, [][]byte{dataKey})
	if err != nil {
		return err
	}
	return errors.Join(store.Migrate(ctx), store.Close())
}

func onSQLite(t *testing.T) *where {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "world")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	at := &where{template: filepath.Join(dir, "template.db"), dir: dir}
	if err := migrate(t.Context(), "sqlite://"+at.template); err != nil {
		t.Fatal(err)
	}
	return at
}

func onPostgres(t *testing.T) *where {
	t.Helper()
	gormstore.SetTimeout(gormstore.DefaultTimeout)
	s, err := openServer(postgres.New(t, migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return &where{server: s}
}

// TestWorld makes worlds from seeds: one with -seed, or new ones for WORLDS (a time or a number).
func TestWorld(t *testing.T) {
	for name, open := range map[string]func(*testing.T) *where{"sqlite": onSQLite, "postgres": onPostgres} {
		if *engine != "" && *engine != name {
			continue
		}
		t.Run(name, func(t *testing.T) {
			// One processor: goroutines that wake at once run in one order.
			t.Cleanup(func(n int) func() { return func() { runtime.GOMAXPROCS(n) } }(runtime.GOMAXPROCS(1)))
			at := open(t)
			if *only != 0 {
				out := at.run(t, draw(*only))
				t.Logf("%s%s", draw(*only), strings.Join(out.steps, "\n"))
				for _, f := range out.findings {
					t.Errorf("%s: %s", f.judgement, f.text)
				}
				return
			}
			explore(t, at)
		})
	}
}

func explore(t *testing.T, at *where) {
	t.Helper()
	lasts, err := time.ParseDuration(os.Getenv("WORLDS"))
	if err != nil {
		lasts = 5 * time.Second
	}
	begin := time.Now()
	seed := uint64(begin.UnixNano()) % 1_000_000_000
	first, worlds, steps := seed, 0, 0
	pairs, kinds := map[[2]string]int{}, map[string]int{}
	for time.Since(begin) < lasts {
		seed++
		out := at.run(t, draw(seed))
		if os.Getenv("WORLD_TWICE") != "" {
			again := at.run(t, draw(seed))
			n := 0
			for n < min(len(out.steps), len(again.steps)) && out.steps[n] == again.steps[n] {
				n++
			}
			for k := max(0, n-2); k < min(n+3, len(out.steps), len(again.steps)); k++ {
				fmt.Println("   ", out.steps[k], " | ", again.steps[k])
			}
			fmt.Println(seed, "steps", len(out.steps), len(again.steps), "the same", n, len(out.findings), len(again.findings))
		}
		for _, line := range out.steps {
			if _, what, ok := strings.Cut(line[13:], ": "); ok && os.Getenv("WORLD_KINDS") != "" {
				kinds[what]++
			}
		}
		worlds, steps = worlds+1, steps+len(out.steps)
		for p, n := range out.pairs {
			pairs[p] += n
		}
		if len(out.findings) > 0 {
			t.Errorf("seed %d: %v", seed, out.findings)
			if os.Getenv("WORLD_GO_ON") == "" {
				break
			}
		}
	}
	took := time.Since(begin).Seconds()
	fmt.Printf("%s: %d worlds from seed %d, %d steps, %.1f worlds and %.0f steps a second, %d orders of kinds\n", t.Name(), worlds,
		first+1, steps, float64(worlds)/took, float64(steps)/took, len(pairs))
	for _, k := range slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return kinds[b] - kinds[a] })[:min(len(kinds), 40)] {
		fmt.Println(kinds[k], k)
	}
}
