package world_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	gormengine "fichario/adapters/gormstore/engine"
	"fichario/tests/testkit/postgres"
)

var (
	only   = flag.Uint64("seed", 0, "make the world of this seed again; 0 for others")
	from   = flag.Uint64("from", 0, "the first seed of new worlds; 0 for one that depends on the time")
	whole  = flag.Bool("whole", false, "report a world as it is, without looking for what it does not need")
	engine = flag.String("database", "", "sqlite or postgres; both where it is empty")
)

// tries is how often -seed makes a world: on a busy machine, which takes the processor away in the middle of anything,
// the runtime may run what wakes at one moment in another order.
const tries = 5

// databases are where worlds can be.
var databases = map[string]func(*testing.T) *where{"sqlite": onSQLite, "postgres": onPostgres}

// migrate prepares a template.
func migrate(ctx context.Context, url string) error {
	store, err := gormstore.Open(url, [][]byte{dataKey})
	if err != nil {
		return err
	}
	return errors.Join(postgres.Migrated(ctx, store), store.Close())
}

func onSQLite(t *testing.T) *where {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "world")
	if err != nil {
		dir = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "world.db")
	if err := migrate(t.Context(), "sqlite://"+path); err != nil {
		t.Fatal(err)
	}
	f, err := openFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return &where{database: f, file: f}
}

func onPostgres(t *testing.T) *where {
	t.Helper()
	s, err := openServer(postgres.New(t, migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return &where{database: s, server: s}
}

// TestWorld makes the world of -seed again; or new ones for WORLDS, a time such as 10m; or else those of the first few
// seeds there are. At the first finding it prints the seed, the shortest list of what happened that it finds, and the
// steps in their order.
func TestWorld(t *testing.T) { look(t, []uint64{1, 2, 3, 4, 5}) }

// TestSlowSeeds makes the worlds of the file seeds again.
func TestSlowSeeds(t *testing.T) { look(t, seeds(t)) }

func look(t *testing.T, seeds []uint64) {
	t.Helper()
	lasts, err := time.ParseDuration(cmp.Or(os.Getenv("WORLDS"), "0s"))
	if err != nil {
		t.Fatal("WORLDS: ", err)
	}
	gormengine.SetTimeout(gormengine.DefaultTimeout) // of the world's time
	// One processor: what wakes at once runs in one order.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	// What was found is said last too: of a long output, the end is read.
	var found []string
	defer func() {
		for _, one := range found {
			t.Error(one)
		}
	}()
	for _, name := range slices.Sorted(maps.Keys(databases)) {
		if *engine != "" && *engine != name {
			continue
		}
		t.Run(name, func(t *testing.T) {
			at := databases[name](t)
			seen := sight{pairs: map[[2]string]int{}, kinds: map[string]int{}, begun: time.Now()}
			defer func() { found = append(found, seen.found...) }()
			defer seen.tell(t.Name())
			switch {
			case *only != 0:
				for range tries {
					if !at.look(t, *only, &seen) {
						return
					}
				}
				out := at.run(t, draw(*only))
				t.Log(draw(*only), "\n", strings.Join(out.steps, "\n"), "\nnothing was found")
			case lasts > 0:
				first := cmp.Or(*from, uint64(time.Now().UnixNano())%1_000_000_000_000)
				fmt.Printf("%s: from seed %d\n", t.Name(), first)
				for seed := first; time.Since(seen.begun) < lasts; seed++ {
					if !at.look(t, seed, &seen) {
						return
					}
				}
			default:
				for _, seed := range seeds {
					if !at.look(t, seed, &seen) {
						return
					}
				}
			}
		})
	}
}

// seeds are those of worlds in which something was found once.
func seeds(t *testing.T) (all []uint64) {
	t.Helper()
	text, err := os.ReadFile("seeds")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if word == "" || word == "#" {
			continue
		}
		seed, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			t.Fatal("seeds: ", err)
		}
		all = append(all, seed)
	}
	return all
}

// look makes the world of a seed, and reports false, after a report, when it finds something.
func (at *where) look(t *testing.T, seed uint64, seen *sight) bool {
	t.Helper()
	out := at.run(t, draw(seed))
	seen.add(out)
	if len(out.findings) > 0 {
		at.report(t, draw(seed), out)
		first := out.findings[0]
		seen.found = append(seen.found, fmt.Sprintf("%s, seed %d: %s: %s", t.Name(), seed, first.judgement, first.text))
	}
	return len(out.findings) == 0
}

// report fails the test with a finding.
func (at *where) report(t *testing.T, p plan, out outcome) {
	t.Helper()
	p, out, times := at.shrunk(t, p, out)
	var said []string
	for _, f := range out.findings {
		said = append(said, f.judgement+": "+f.text)
	}
	t.Errorf("seed %[1]d (shrunk by %[2]d tries; -seed %[1]d makes the whole world again)\n%[3]s%[4]s\njudgement\n%[5]s", p.seed, times, p,
		strings.Join(out.steps, "\n"), strings.Join(said, "\n"))
}

// shrunk leaves out of a plan what the same judgement does not need.
func (at *where) shrunk(t *testing.T, p plan, out outcome) (plan, outcome, int) {
	t.Helper()
	times := 0
	if *whole {
		return p, out, times
	}
	var changed bool
	try := func(q plan) bool {
		if times++; times > 120 {
			return false
		}
		again := at.run(t, q)
		if len(again.findings) > 0 && again.findings[0].judgement == out.findings[0].judgement {
			p, out, changed = q, again, true
			return true
		}
		return false
	}
	for changed = true; changed && times <= 120; {
		changed = false
		for c := len(p.clients) - 1; c >= 0; c-- {
			q := p
			q.clients = slices.Delete(slices.Clone(p.clients), c, c+1)
			if try(q) {
				continue
			}
			for n := len(p.clients[c]) - 1; n >= 0; n-- {
				q := p
				q.clients = slices.Clone(p.clients)
				q.clients[c] = slices.Delete(slices.Clone(p.clients[c]), n, n+1)
				try(q)
			}
		}
		for n, there := range p.rules {
			if there {
				q := p
				q.rules = slices.Clone(p.rules)
				q.rules[n] = false
				try(q)
			}
		}
		for chore := range chores {
			if p.without&(1<<chore) == 0 {
				q := p
				q.without |= 1 << chore
				try(q)
			}
		}
		for _, simpler := range []func(*plan){
			func(q *plan) { q.faults = faults{} }, func(q *plan) { q.holds = holds{} }, func(q *plan) { q.pins = pins{} },
			func(q *plan) { q.moods, q.deaf = moods{}, 0 }, func(q *plan) { q.instances = max(1, q.instances-1) },
		} {
			q := p
			simpler(&q)
			if q.faults != p.faults || q.holds != p.holds || q.pins != p.pins || q.moods != p.moods || q.deaf != p.deaf ||
				q.instances != p.instances {
				try(q)
			}
		}
	}
	return p, out, times
}

// sight is what was seen.
type sight struct {
	begun         time.Time
	worlds, steps int
	// pairs counts the steps of one party that followed another's, by what they do; kinds all steps.
	pairs map[[2]string]int
	kinds map[string]int
	// found are the seeds with a finding, and what it was.
	found []string
}

func (s *sight) add(out outcome) {
	s.worlds, s.steps = s.worlds+1, s.steps+len(out.steps)
	for pair, n := range out.pairs {
		s.pairs[pair] += n
	}
	for kind, n := range out.kinds {
		s.kinds[kind] += n
	}
}

// tell prints it.
func (s *sight) tell(name string) {
	took := time.Since(s.begun).Seconds()
	both, interleaved := 0, map[string]bool{}
	for pair := range s.pairs {
		interleaved[pair[0]], interleaved[pair[1]] = true, true
		if pair[0] < pair[1] && s.pairs[[2]string{pair[1], pair[0]}] > 0 {
			both++
		}
	}
	var never []string
	for kind := range s.kinds {
		if !interleaved[kind] {
			never = append(never, kind)
		}
	}
	slices.Sort(never)
	fmt.Printf("%s: %d worlds, %d steps; %.1f worlds and %.0f steps a second\n", name, s.worlds, s.steps, float64(s.worlds)/took,
		float64(s.steps)/took)
	if testing.Verbose() {
		fmt.Printf("%s: most were%s\n", name, s.most(25))
	}
	fmt.Printf("%s: %d kinds of steps; one followed another party's in %d ways, in both orders for %d pairs; %d kinds were never "+
		"interleaved%s\n", name, len(s.kinds), len(s.pairs), both, len(never), strings.Join(append([]string{""}, never...), "\n\t"))
}

// most lists the kinds of steps that there were most of.
func (s *sight) most(n int) string {
	all := slices.SortedFunc(maps.Keys(s.kinds), func(a, b string) int {
		return cmp.Or(s.kinds[b]-s.kinds[a], strings.Compare(a, b))
	})
	var b strings.Builder
	for _, kind := range all[:min(n, len(all))] {
		fmt.Fprintf(&b, "\n\t%d %s", s.kinds[kind], kind)
	}
	return b.String()
}
