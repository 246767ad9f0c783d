package world_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sample is the bug that TestSlowPlanted plants unless it is told to plant all.
const sample = "planted/refund-not-written.patch"

// TestSlowPlanted shows that worlds find bugs: it applies a patch to a copy of the checkout, and searches there on both
// databases at once, for WORLDS or ten minutes. With WORLD_PLANTED it applies each patch of that folder of tests/world,
// one at a time; `make planted` does so with all that are there.
func TestSlowPlanted(t *testing.T) {
	patches := []string{sample}
	if dir := os.Getenv("WORLD_PLANTED"); dir != "" {
		var err error
		if patches, err = filepath.Glob(filepath.Join(dir, "*.patch")); err != nil || len(patches) == 0 {
			t.Fatalf("no patches in %s: %v", dir, err)
		}
	}
	for _, patch := range patches {
		t.Run(strings.TrimSuffix(filepath.Base(patch), ".patch"), func(t *testing.T) {
			at, err := filepath.Abs(patch)
			if err != nil {
				t.Fatal(err)
			}
			tree := t.TempDir()
			run(t, "../..", "sh", "-c", "git ls-files -z | grep -zv '^bin/' | tar c --null -T - | tar x -C "+tree)
			run(t, tree, "git", "init", "-q")
			run(t, tree, "git", "apply", at)
			run(t, tree, "go", "test", "-c", "-trimpath", "-pgo=off", "-vet=off", "-o", "world.test", "./tests/world")
			begun := time.Now()
			found := search(t, tree)
			if found.judgement == "" {
				t.Fatal("not found")
			}
			t.Logf("found after %s: %s", time.Since(begun).Round(time.Second), found)
			replay(t, tree, found)
		})
	}
}

// TestPlantedBugsApply: each can be planted in the code as it is.
func TestPlantedBugsApply(t *testing.T) {
	t.Parallel()
	patches, err := filepath.Glob("planted/*.patch")
	if err != nil || len(patches) == 0 {
		t.Fatalf("no patches: %v", err)
	}
	for _, patch := range patches {
		run(t, "../..", "git", "apply", "--check", filepath.Join("tests/world", patch))
	}
}

// run runs a command in a folder.
func run(t *testing.T, dir string, command ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), command[0], command[1:]...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, out)
	}
}

// found is what a search found.
type found struct{ database, seed, judgement string }

func (f found) String() string {
	return fmt.Sprintf("%s, seed %s, %s", f.database, f.seed, f.judgement)
}

// kind is the judgement without what it says of one world.
func (f found) kind() string {
	kind, _, _ := strings.Cut(f.judgement, ":")
	return kind
}

var seedOf = regexp.MustCompile(`seed (\d+) \(shrunk`)

// explore makes worlds in a copy until it finds something or time is over.
func explore(ctx context.Context, tree, database string, more ...string) found {
	arguments := append([]string{"-test.run", "^TestWorld$", "-test.timeout", "0", "-whole", "-database", database}, more...)
	c := exec.CommandContext(ctx, "../../world.test", arguments...)
	c.Dir = filepath.Join(tree, "tests/world")
	c.Env = append(os.Environ(), "WORLDS="+cmp.Or(os.Getenv("WORLDS"), "10m"))
	out, err := c.CombinedOutput()
	if err == nil {
		return found{database: database}
	}
	_, judgement, _ := strings.Cut(string(out), "judgement\n")
	judgement, _, _ = strings.Cut(strings.TrimSpace(judgement), "\n")
	seed := append(seedOf.FindStringSubmatch(string(out)), "", "")[1]
	return found{database, seed, cmp.Or(judgement, "it ended: "+string(out[max(0, len(out)-200):]))}
}

// search looks for a finding on both databases, and returns the first.
func search(t *testing.T, tree string) (f found) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	all := make(chan found, len(databases))
	for name := range databases {
		go func() { all <- explore(ctx, tree, name) }()
	}
	for range databases {
		if f = <-all; f.judgement != "" {
			return f
		}
	}
	return f
}

// replay makes worlds in which something was found again, and says how many come to the same judgement.
func replay(t *testing.T, tree string, f found) {
	t.Helper()
	times, err := strconv.Atoi(cmp.Or(os.Getenv("WORLD_REPLAYS"), "1"))
	if err != nil {
		t.Fatal("WORLD_REPLAYS: ", err)
	}
	same, tried := 0, 0
	for f.seed != "" && tried < times {
		again := explore(t.Context(), tree, f.database, "-seed", f.seed)
		if tried++; again.kind() == f.kind() {
			same++
		} else {
			t.Logf("seed %s, made again: %q instead of %q", f.seed, again.judgement, f.judgement)
		}
		if tried < times {
			seed, _ := strconv.ParseUint(f.seed, 10, 64)
			f = explore(t.Context(), tree, f.database, "-from", strconv.FormatUint(seed+1, 10))
		}
	}
	t.Logf("%d made again, %d to the same judgement", tried, same)
}
