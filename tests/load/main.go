// Command load measures the program under load, always as a ratio to a baseline measured beside it in the same minute,
// so that the machine's own speed cancels out. `make bench` runs it; docs/speed.md has the results.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/tests/testkit/postgres"
)

// settings are the size of a run.
type settings struct {
	rows, connections, rounds int
	each                      time.Duration
	databases                 string
	profile                   bool
	binary, only, profiles    string
	keep                      string
}

func main() {
	var s settings
	flag.IntVar(&s.rows, "rows", 200_000, "rows of history")
	flag.IntVar(&s.connections, "connections", 32, "connections")
	flag.IntVar(&s.rounds, "rounds", 5, "interleaved rounds; the median counts")
	flag.DurationVar(&s.each, "each", 4*time.Second, "time of a round")
	flag.StringVar(&s.databases, "databases", "postgres,sqlite", "what to measure on")
	flag.BoolVar(&s.profile, "profile", true, "show what dominates the program's time")
	flag.StringVar(&s.profiles, "profiles", "", "keep the profiles of the program in this folder")
	flag.StringVar(&s.only, "only", "", "only cases whose name has this in it")
	flag.StringVar(&s.binary, "binary", "bin/fichario", "the program")
	baseline := flag.String("baseline", "", "run a baseline server on this database (used by the command itself)")
	sizes := flag.String("growth", "", "measure pages instead, at these numbers of lookups, such as 10000,1000000")
	flag.StringVar(&s.keep, "keep", "", "with -growth: fill the SQLite database of this folder, which is kept for the next measurement")
	several := flag.Bool("instances", false, "measure one instance and two on one PostgreSQL, and what rows take")
	background := flag.Bool("background", false, "measure posts beside what is done in the background")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	switch {
	case *baseline != "":
		err = serveBaseline(ctx, *baseline)
	case *several:
		err = instances(ctx, s)
	case *background:
		err = beside(ctx, s)
	case *sizes != "":
		err = growth(ctx, s, *sizes)
	default:
		err = run(ctx, s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1) //nolint:gocritic // no deferred call matters
	}
}

func run(ctx context.Context, s settings) error {
	dir, err := os.MkdirTemp("", "fichario-load-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fmt.Printf("%d cores, %s, %d rows of history of 4 KB, %d connections, median of %d rounds of %s\n\n",
		runtime.NumCPU(), runtime.Version(), s.rows, s.connections, s.rounds, s.each)
	fmt.Println("| database | case | req/s | p50 ms | p99 ms | CPU µs | baseline req/s | p50 | p99 | CPU µs | ratio | memory MB |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|")
	profiles := map[string]string{}
	for db := range strings.SplitSeq(s.databases, ",") {
		url, stop, err := database(ctx, db, dir)
		if err != nil {
			return err
		}
		profile, err := measure(ctx, s, db, url, dir)
		stop()
		if err != nil {
			return fmt.Errorf("%s: %w", db, err)
		}
		profiles[db] = profile
	}
	for db, text := range profiles {
		if text != "" {
			fmt.Printf("\nWhat dominates the program's time on %s:\n%s", db, text)
		}
	}
	return nil
}

func database(ctx context.Context, kind, dir string) (url string, stop func(), err error) {
	if kind == "sqlite" {
		return "sqlite://" + filepath.Join(dir, "load.db"), func() {}, nil
	}
	if err := os.Setenv(postgres.EnvDisk, "1"); err != nil { // what is measured waits for the disk
		return "", nil, err
	}
	server, err := postgres.Choose(ctx)
	if err != nil {
		return "", nil, err
	}
	fmt.Fprintln(os.Stderr, "PostgreSQL:", server.About)
	return server.URL, func() { _ = server.Close() }, nil
}

// measure seeds a database and runs the cases on it.
func measure(ctx context.Context, s settings, db, url, dir string) (profile string, err error) {
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	began := time.Now()
	seeded, err := seed(ctx, url, key, s.rows)
	if err != nil {
		return "", fmt.Errorf("seed: %w", err)
	}
	fmt.Fprintf(os.Stderr, "%s: seeded in %s\n", db, time.Since(began).Round(time.Second))

	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	profilePath := filepath.Join(cmp.Or(s.profiles, dir), db+".pprof")
	env := []string{
		"FICHARIO_DATABASE_URL=" + url, "FICHARIO_DATA_KEY=" + base64.StdEncoding.EncodeToString(key),
		"FICHARIO_LISTEN=127.0.0.1:0", "FICHARIO_LOG_FORMAT=json",
	}
	base, err := start(ctx, self, nil, "-baseline", url)
	if err != nil {
		return "", err
	}
	defer base.end()
	all := cases(db, seeded)
	if db == "sqlite" {
		path, _ := engine.SQLitePath(url)
		glebarez, err := startModule(ctx, dir, "glebarez", path)
		if err != nil {
			return "", err
		}
		defer glebarez.end()
		pocketbase, err := startPocketBase(ctx, dir, "NORMAL")
		if err != nil {
			return "", err
		}
		defer pocketbase.end()
		full, err := startPocketBase(ctx, dir, "FULL")
		if err != nil {
			return "", err
		}
		defer full.end()
		all = append(all, besideGlebarez(seeded, glebarez))
		all = append(all, besidePocketBase(seeded, pocketbase, full)...)
	}
	if err := compare(ctx, s, db, base, all, env, "--cpu-profile", profilePath); err != nil {
		return "", err
	}
	overHTTP, stop, err := bureauOverHTTP(ctx, s, dir)
	if err != nil {
		return "", err
	}
	defer stop()
	charged := []comparison{chargedLookup("a bureau over HTTP", seeded)}
	if err := compare(ctx, s, db, base, charged, append(env, overHTTP)); err != nil {
		return "", err
	}
	if strings.Contains("batch", s.only) {
		if err := batches(ctx, s, db, seeded, env); err != nil {
			return "", err
		}
	}
	if !s.profile {
		return "", nil
	}
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=90", s.binary,
		profilePath).Output()
	if err != nil {
		return "", fmt.Errorf("profile: %w", err)
	}
	return string(out), nil
}

// compare runs cases on the program, started with env, and on the baseline, in turns.
func compare(
	ctx context.Context, s settings, db string, base *server, cases []comparison, env []string, args ...string,
) error {
	program, err := start(ctx, s.binary, env, append([]string{"serve"}, args...)...)
	if err != nil {
		return err
	}
	defer program.end()
	for _, c := range cases {
		if !strings.Contains(c.name, s.only) {
			continue
		}
		var ours, theirs []result
		for range s.rounds {
			r, err := cmp.Or(c.beside, base).under(ctx, s, c.baseline, 200)
			if err != nil {
				return fmt.Errorf("baseline: %w", err)
			}
			theirs = append(theirs, r)
			if r, err = program.under(ctx, s, c.ours, c.status); err != nil {
				return err
			}
			ours = append(ours, r)
		}
		report(db, c.name, ours, theirs, program.memoryMB())
	}
	return nil
}

// report prints a line of the table.
func report(db, name string, ours, theirs []result, memoryMB int) {
	ratio := medianRatio(ours, theirs)
	o, t := median(ours), median(theirs)
	fmt.Printf("| %s | %s | %.0f | %.2f | %.1f | %.0f | %.0f | %.2f | %.1f | %.0f | **%.2f** | %d |\n",
		db, name, o.perSecond, ms(o.p50), ms(o.p99), o.cpu, t.perSecond, ms(t.p50), ms(t.p99), t.cpu, ratio, memoryMB)
}

// a comparison is a pair of requests, to the program and to the baseline.
type comparison struct {
	name           string
	ours, baseline func(i int) string // the text of a request
	status         int
	beside         *server // the server to compare with, where it is not the baseline's
}

func cases(db string, seeded seeded) []comparison {
	hook := func(n int) string { return "/api/webhooks/receive/" + seeded.tokens[n] }
	all := []comparison{
		{
			"lookup from history / bare SELECT",
			func(i int) string { return get("/api/v1/cpf/"+cpf(i), seeded.key) },
			func(i int) string { return get("/select/"+cpf(i), "") }, 200, nil,
		},
		{
			"lookup from history / SELECT and a line of the statement",
			func(i int) string { return get("/api/v1/cpf/"+cpf(i), seeded.key) },
			func(i int) string { return get("/told/"+cpf(i), "") }, 200, nil,
		},
		{
			"invalid document / bare echo",
			func(int) string { return get("/api/v1/cpf/52998224726", seeded.key) },
			func(int) string { return get("/echo", "") }, 400, nil,
		},
		{
			"invalid document / a refusal that nothing decides",
			func(int) string { return get("/api/v1/cpf/52998224726", seeded.key) },
			func(int) string { return get("/refuse", seeded.key) }, 400, nil,
		},
		chargedLookup("the sandbox in process", seeded),
	}
	if db == "sqlite" {
		return append(all, comparison{
			"webhook / one writer, five statements",
			func(i int) string { return post(hook(0), i) },
			func(i int) string { return post("/lead/0", i) }, 200, nil,
		})
	}
	return append(all, comparison{
		"one busy webhook / five statements, one counter",
		func(i int) string { return post(hook(0), i) },
		func(i int) string { return post("/lead/0", i) }, 200, nil,
	}, comparison{
		"64 webhooks / five statements, 64 counters",
		func(i int) string { return post(hook(i%webhooks), i) },
		func(i int) string { return post("/lead/"+strconv.Itoa(i%webhooks), i) }, 200, nil,
	})
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// medianRatio compares the two halves of each round, because a shared machine's speed varies from minute to minute.
func medianRatio(ours, theirs []result) float64 {
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = ours[i].perSecond / theirs[i].perSecond
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

func median(rs []result) result {
	slices.SortFunc(rs, func(a, b result) int { return int(a.perSecond - b.perSecond) })
	return rs[len(rs)/2]
}

var errNotListening = errors.New("the server did not say where it listens")
