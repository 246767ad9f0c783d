package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// pocketbaseRows is how many answers PocketBase has to read.
const pocketbaseRows = 20_000

// startPocketBase builds the second baseline, which is a module of its own, and starts it.
func startPocketBase(ctx context.Context, dir string) (*server, error) {
	binary := filepath.Join(dir, "pocketbase")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("tests", "load", "pocketbase")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return start(ctx, binary, nil, filepath.Join(dir, "pb_data"), strconv.Itoa(pocketbaseRows), strings.Repeat("x", 4000))
}

// besidePocketBase compares what is asked most with what PocketBase does as its own API does it, with a journal that is
// not on disk when it answers (WAL, synchronous NORMAL).
func besidePocketBase(seeded seeded, pocketbase *server) []comparison {
	return []comparison{
		{
			"lookup from history / PocketBase reads a record",
			func(i int) string { return get("/api/v1/cpf/"+cpf(i), seeded.key) },
			func(i int) string {
				return get(fmt.Sprintf("/api/collections/answers/records/r%014d", i%pocketbaseRows), "")
			}, 200, pocketbase,
		},
		{
			"webhook / PocketBase creates a record",
			func(i int) string { return post("/api/webhooks/receive/"+seeded.tokens[0], i) },
			func(i int) string { return post("/api/collections/leads/records", i) }, 200, pocketbase,
		},
	}
}
