package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// tick is the unit in which the kernel reports a process's CPU time.
const tick = 10 * time.Millisecond

// timeOf is the CPU time of a process, and that of its children that have ended.
func timeOf(pid int) (own, ended time.Duration, parent int) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(fields[11+i])
	}
	parent, _ = strconv.Atoi(fields[1])
	return time.Duration(n[0]+n[1]) * tick, time.Duration(n[2]+n[3]) * tick, parent
}

// timeOfAll is the CPU time of a process and all its children, including ended ones.
func timeOfAll(postmaster int) time.Duration {
	own, ended, _ := timeOf(postmaster)
	all := own + ended
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		pid, _ := strconv.Atoi(filepath.Base(p))
		if took, _, parent := timeOf(pid); parent == postmaster {
			all += took
		}
	}
	return all
}

// instances compares one instance with two on the same PostgreSQL, in turns: requests per second, and CPU time per
// million of them; then the disk space of a million rows of each table.
func instances(ctx context.Context, s settings) error {
	url, stop, err := database(ctx, "postgres", "")
	if err != nil {
		return err
	}
	defer stop()
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	seeded, err := seed(ctx, url, key, s.rows)
	if err != nil {
		return err
	}
	db, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close(ctx) }()
	_, _, postmaster := timeOf(int(db.PgConn().PID()))
	var servers []*server
	for range 2 {
		program, err := start(ctx, s.binary, []string{
			"FICHARIO_DATABASE_URL=" + url, "FICHARIO_DATA_KEY=" + base64.StdEncoding.EncodeToString(key),
			"FICHARIO_LISTEN=127.0.0.1:0", "FICHARIO_LOG_FORMAT=json",
		}, "serve")
		if err != nil {
			return err
		}
		defer program.end()
		servers = append(servers, program)
	}
	fmt.Println("| case | instances | req/s | p50 ms | p99 ms | CPU s of the service per million | CPU s of PostgreSQL |")
	fmt.Println("|---|---|---|---|---|---|---|")
	for _, c := range cases("postgres", seeded) {
		if strings.HasPrefix(c.name, "invalid") || !strings.Contains(c.name, s.only) {
			continue
		}
		found := map[int][]costs{}
		for range s.rounds {
			for n := 1; n <= 2; n++ {
				one, err := together(ctx, s, servers[:n], postmaster, c)
				if err != nil {
					return err
				}
				found[n] = append(found[n], one)
			}
		}
		for n := 1; n <= 2; n++ {
			slices.SortFunc(found[n], func(a, b costs) int { return int(a.perSecond - b.perSecond) })
			m := found[n][len(found[n])/2]
			name, _, _ := strings.Cut(c.name, " / ")
			fmt.Printf("| %s | %d | %.0f | %.1f | %.1f | %.0f | %.0f |\n", name, n, m.perSecond, ms(m.p50), ms(m.p99), m.service,
				m.database)
		}
	}
	return space(ctx, db)
}

// costs are a result with the CPU seconds per million requests.
type costs struct {
	result
	service, database float64
}

// together loads several servers at once, sharing the connections out among them.
func together(ctx context.Context, s settings, servers []*server, postmaster int, c comparison) (costs, error) {
	used := func() (service, database time.Duration) {
		for _, one := range servers {
			own, _, _ := timeOf(one.cmd.Process.Pid)
			service += own
		}
		return service, timeOfAll(postmaster)
	}
	s.connections /= len(servers)
	results, errs := make([]result, len(servers)), make([]error, len(servers))
	service, database := used()
	var wg sync.WaitGroup
	for i, one := range servers {
		wg.Go(func() { results[i], errs[i] = load(ctx, one.addr, s, c.ours, c.status) })
	}
	wg.Wait()
	serviceAfter, databaseAfter := used()
	out := costs{}
	for i, r := range results {
		if errs[i] != nil {
			return out, errs[i]
		}
		out.perSecond += r.perSecond
		out.p50, out.p99 = max(out.p50, r.p50), max(out.p99, r.p99)
	}
	millions := out.perSecond * s.each.Seconds() / 1e6
	out.service = (serviceAfter - service).Seconds() / millions
	out.database = (databaseAfter - database).Seconds() / millions
	return out, nil
}

// space prints the size of a million rows of each table that grows with use.
func space(ctx context.Context, db *pgx.Conn) error {
	fmt.Println("\n| table | rows | MB per million, table | indexes |")
	fmt.Println("|---|---|---|---|")
	// Partitions are counted with their table.
	rows, err := db.Query(ctx, `SELECT t::regclass::text, (xpath('/row/n/text()', query_to_xml(
			'SELECT COUNT(*) AS n FROM ' || t, false, true, '')))[1]::text::bigint,
		pg_table_size(t::regclass) + COALESCE(parts.data, 0), pg_indexes_size(t::regclass) + COALESCE(parts.indexes, 0)
		FROM unnest(ARRAY['lookups', 'records', 'contacts', 'contact_events', 'notifications', 'deliveries']) AS t
		CROSS JOIN LATERAL (SELECT SUM(pg_table_size(relid))::bigint AS data, SUM(pg_indexes_size(relid))::bigint AS indexes
			FROM pg_partition_tree(t::regclass) WHERE relid <> t::regclass) AS parts`)
	if err != nil {
		return err
	}
	var table string
	var n, data, indexes int64
	_, err = pgx.ForEachRow(rows, []any{&table, &n, &data, &indexes}, func() error {
		per := func(bytes int64) float64 { return float64(bytes) / float64(max(n, 1)) }
		fmt.Printf("| %s | %d | %.0f | %.0f |\n", table, n, per(data), per(indexes))
		return nil
	})
	return err
}
