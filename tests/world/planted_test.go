package world_test

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
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
			run(t, tree, "go", "test", "-c", "-pgo=off", "-vet=off", "-o", "world.test", "./tests/world")
			begun := time.Now()
			found := search(t, tree)
			if found == "" {
				t.Fatal("not found")
			}
			t.Logf("found after %s: %s", time.Since(begun).Round(time.Second), found)
		})
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

// search looks for a finding on both databases, and returns the judgement of the first.
func search(t *testing.T, tree string) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	found := make(chan string, len(databases))
	for name := range databases {
		go func() {
			c := exec.CommandContext(ctx, "../../world.test", "-test.run", "^TestWorld$", "-test.timeout", "0", "-whole", "-database", name)
			c.Dir = filepath.Join(tree, "tests/world")
			c.Env = append(os.Environ(), "WORLDS="+cmp.Or(os.Getenv("WORLDS"), "10m"))
			out, err := c.CombinedOutput()
			_, judgement, _ := strings.Cut(string(out), "judgement\n")
			judgement, _, _ = strings.Cut(strings.TrimSpace(judgement), "\n")
			if err == nil {
				judgement = ""
			} else if judgement == "" {
				judgement = "it ended: " + string(out[max(0, len(out)-200):])
			}
			found <- name + ": " + judgement
		}()
	}
	for range databases {
		if f := <-found; !strings.HasSuffix(f, ": ") {
			return f
		}
	}
	return ""
}
