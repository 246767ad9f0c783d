package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// pocketbaseRows is how many answers PocketBase's database has.
const pocketbaseRows = 20_000

// startModule builds and starts a baseline that is a module of its own, so that the program does not depend on it.
func startModule(ctx context.Context, dir, name string, args ...string) (*server, error) {
	binary := filepath.Join(dir, name)
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("tests", "load", name)
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", name, err, out)
	}
	started, err := start(ctx, binary, nil, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return started, nil
}

// startPocketBase starts PocketBase with a database of its own. synchronous is NORMAL, its own default, or FULL, as in
// the program.
func startPocketBase(ctx context.Context, dir, synchronous string) (*server, error) {
	return startModule(ctx, dir, "pocketbase",
		filepath.Join(dir, "pb_data_"+synchronous), strconv.Itoa(pocketbaseRows), strings.Repeat("x", 4000), synchronous)
}

// besideGlebarez compares a cached lookup with a bare SELECT through the driver that the program used before.
func besideGlebarez(seeded seeded, glebarez *server) comparison {
	return comparison{
		"lookup from history / bare SELECT, glebarez/go-sqlite",
		func(i int) string { return get("/api/v1/cpf/"+cpf(i), seeded.key) },
		func(i int) string { return get("/select/"+cpf(i), "") }, 200, glebarez,
	}
}

// besidePocketBase compares the commonest requests with PocketBase's own API. That of its default answers before its
// journal is on disk; full waits for the disk as the program does.
func besidePocketBase(seeded seeded, pocketbase, full *server) []comparison {
	create := func(i int) string { return post("/api/collections/leads/records", i) }
	lead := func(i int) string { return post("/api/webhooks/receive/"+seeded.tokens[0], i) }
	return []comparison{
		{
			"lookup from history / PocketBase reads a record",
			func(i int) string { return get("/api/v1/cpf/"+cpf(i), seeded.key) },
			func(i int) string {
				return get(fmt.Sprintf("/api/collections/answers/records/r%014d", i%pocketbaseRows), "")
			}, 200, pocketbase,
		},
		{"webhook / PocketBase creates a record", lead, create, 200, pocketbase},
		{"webhook / PocketBase creates a record, synchronous FULL", lead, create, 200, full},
	}
}
