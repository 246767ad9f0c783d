package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// growth measures how the cost of pages and calls grows with the database: it fills it step by step, requests every
// page as a single user at each size, and prints the cost at the largest size relative to the smallest.
func growth(ctx context.Context, s settings, sizes string) error {
	var steps []int
	for text := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		steps = append(steps, n)
	}
	fmt.Printf("%d cores, %s, one user at a time; lookups of 24 months, a tenth as many contacts and 15 %% as many posts\n",
		runtime.NumCPU(), runtime.Version())
	if s.keep != "" {
		return onKept(ctx, s.keep, func(f *filling) error { return grow(ctx, s, f, "sqlite", steps) })
	}
	for kind := range strings.SplitSeq(s.databases, ",") {
		if err := onFilling(ctx, kind, func(f *filling) error { return grow(ctx, s, f, kind, steps) }); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

// grow measures one database at every size.
func grow(ctx context.Context, s settings, f *filling, kind string, sizes []int) error {
	if err := f.divide(ctx); err != nil {
		return err
	}
	var table []row
	for step, size := range sizes {
		began := time.Now()
		if err := f.fill(ctx, size); err != nil {
			return fmt.Errorf("filling: %w", err)
		}
		fmt.Fprintf(os.Stderr, "%s: %d lookups in %s\n", kind, size, time.Since(began).Round(time.Second))
		pages, err := measurePages(ctx, s, f)
		if err != nil {
			return err
		}
		if table == nil {
			table = make([]row, len(pages))
		}
		for i, c := range pages {
			table[i].name = c.name
			table[i].cells = append(table[i].cells, c)
		}
		show(kind, sizes[:step+1], table) // so that a long run shows its results even if it is aborted
	}
	return nil
}

// row is one page at every size.
type row struct {
	name  string
	cells []figures
}

func show(kind string, sizes []int, table []row) {
	fmt.Printf("\n### %s\n\n| page or call |", kind)
	for _, size := range sizes {
		fmt.Printf(" %d: p50 · p99 ms | CPU ms of program · database |", size)
	}
	fmt.Print(" ratio of p50 · CPU |\n|---|" + strings.Repeat("---|---|", len(sizes)) + "---|\n")
	for _, r := range table {
		fmt.Printf("| %s |", r.name)
		for _, c := range r.cells {
			if c.bytes > 0 {
				fmt.Printf(" %.1f s, %.1f MB/s | %.0f · %.0f |", c.p50.Seconds(), float64(c.bytes)/1e6/c.p50.Seconds(),
					c.program, c.database)
				continue
			}
			fmt.Printf(" %.1f · %.1f | %.1f · %.1f |", ms(c.p50), ms(c.p99), c.program, c.database)
		}
		first, last := r.cells[0], r.cells[len(r.cells)-1]
		ratio := last.p50.Seconds() / first.p50.Seconds()
		cpu := (last.program + last.database) / max(first.program+first.database, 0.1)
		if last.bytes > 0 && first.bytes > 0 { // per megabyte
			ratio *= float64(first.bytes) / float64(last.bytes)
			cpu *= float64(first.bytes) / float64(last.bytes)
		}
		fmt.Printf(" **%.2f** · %.2f |\n", ratio, cpu)
	}
}
