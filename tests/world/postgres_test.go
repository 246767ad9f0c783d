package world_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	gormengine "fichario/adapters/gormstore/engine"
)

const (
	// vacuumed is after how many worlds the tables are cleaned: what was removed is in the way of whoever reads, and
	// after a VACUUM all is planned anew.
	vacuumed = 200
	// idlest is how many connections are kept: more are seldom needed, and each remembers all statements.
	idlest = 60
)

// server is PostgreSQL as seen from a bubble. A client's connection is one end of a pipe, whose other end reads what
// the driver sends, waits for the scheduler, has it answered and hands the answer in. The real connections are used by
// one world after the other. Whoever reads from one blocks in the system, so that everything in the bubble, with its
// time, stands still while the server computes; a statement that waits for a lock is put aside, because the server says
// so (see openServer).
type server struct {
	url, network, address, database string

	mu      sync.Mutex
	monitor *backend
	idle    []*backend
	waiting []*exchange // for locks
	stirred bool        // since settled looked, locks may have been released
	told    time.Time   // what statements take for the present
	resets  int
}

// exchange is what a client sent, and the answer.
type exchange struct {
	on       *backend
	readies  int               // how many ReadyForQuery are still to come
	parsed   map[string]string // statements that the connection knows from then on
	clock    bool              // it asks what time it is
	within   bool              // it began in a transaction
	waited   bool              // for a lock
	canceled bool
	failed   bool
	answer   []byte
	err      error
	into     chan struct{} // is closed when it is answered
}

// openServer connects to a database that is migrated.
func openServer(url string) (*server, error) {
	ctx := context.Background()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	db, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close(ctx) }()
	// The bubble's time is a sequence: that is seen by every statement at once, whatever its snapshot. Unqualified names
	// find ours before PostgreSQL's. Who waits for a lock looks for a deadlock after a millisecond, so that it is always
	// the last one that fails, and then tells its client that it waits. To plan takes longer than to execute, so that each
	// connection plans a statement once.
	_, err = db.Exec(ctx, fmt.Sprintf(`
		CREATE SEQUENCE IF NOT EXISTS world_now;
		CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
			AS 'SELECT timestamptz ''epoch'' + pg_sequence_last_value(''world_now'') * interval ''1 microsecond''';
		ALTER DATABASE %s SET search_path = public, pg_catalog;
		ALTER DATABASE %[1]s SET deadlock_timeout = '1ms';
		ALTER DATABASE %[1]s SET log_lock_waits = on;
		ALTER DATABASE %[1]s SET client_min_messages = log;
		ALTER DATABASE %[1]s SET log_min_messages = panic;
		ALTER DATABASE %[1]s SET plan_cache_mode = force_generic_plan;
		ALTER DATABASE %[1]s SET jit = off`, pgx.Identifier{config.Database}.Sanitize()))
	if err == nil {
		err = emptying(ctx, db)
	}
	if err != nil {
		return nil, err
	}
	s := &server{url: url, database: config.Database}
	s.network, s.address = pgconn.NetworkAddress(config.Host, config.Port)
	if s.monitor, err = s.connect(); err != nil {
		return nil, err
	}
	for _, statement := range []string{
		"SET session_replication_role = replica", // nothing is triggered where tables are emptied
		"PREPARE tell (bigint) AS SELECT setval('public.world_now', $1)",
		"PREPARE waits (int) AS SELECT cardinality(pg_blocking_pids($1)) > 0",
		"PREPARE cancel (int) AS SELECT pg_cancel_backend($1)",
		"PREPARE empty AS SELECT world_empty()",
	} {
		if _, err := s.monitor.simple(statement); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// emptying makes the function that empties all tables, but for what the migrations put in.
func emptying(ctx context.Context, db *pgx.Conn) error {
	rows, err := db.Query(ctx, `SELECT quote_ident(relname) FROM pg_class c WHERE relnamespace = 'public'::regnamespace
		AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'goose_db_version' ORDER BY 1`)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	statements := ""
	for _, table := range tables {
		var some bool
		if err == nil {
			err = db.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM "+table+")").Scan(&some)
		}
		statements += "DELETE FROM " + table + ";"
		if some && err == nil {
			_, err = db.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS made; CREATE TABLE made."+table+" AS TABLE "+table)
			statements += "INSERT INTO " + table + " SELECT * FROM made." + table + ";"
		}
	}
	if err == nil {
		_, err = db.Exec(ctx, "CREATE FUNCTION world_empty() RETURNS void LANGUAGE plpgsql AS $$ BEGIN "+statements+" END $$")
	}
	return err
}

// reset makes the database as it was after its migration.
func (s *server) reset() error {
	_, err := s.monitor.simple("EXECUTE empty")
	if s.resets++; err == nil && s.resets%vacuumed == 0 {
		err = s.clean()
	}
	return err
}

// clean removes what worlds of the past left behind, and their partitions: a hundred worlds take days.
func (s *server) clean() error {
	db, err := sql.Open("pgx", s.url)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for _, t := range gormengine.PartitionedTables {
		err = errors.Join(err, t.DropBefore(context.Background(), db, t.Period.After(t.Period.Start(next), -2)))
	}
	_, failed := db.ExecContext(context.Background(), "VACUUM")
	return errors.Join(err, failed)
}

// tell sets the time that statements see.
func (s *server) tell() error {
	now := time.Now()
	if now.Equal(s.told) {
		return nil
	}
	s.told = now
	_, err := s.monitor.simple(fmt.Sprintf("EXECUTE tell(%d)", now.UnixMicro()))
	return err
}

// acquire gives a connection that nobody uses.
func (s *server) acquire() (*backend, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		b := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return b, nil
	}
	return s.connect()
}

// release ends what a client left open, as the server does when a connection is lost.
func (s *server) release(b *backend) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stirred = true
	if b.status != 'I' {
		if _, err := b.simple("ROLLBACK"); err != nil {
			b.close()
			return
		}
	}
	if len(s.idle) >= idlest {
		b.close()
		return
	}
	if _, err := b.simple("RESET ALL; SELECT pg_advisory_unlock_all()"); err != nil {
		b.close()
		return
	}
	s.idle = append(s.idle, b)
}

// cancel ends what a connection is doing.
func (s *server) cancel(pid uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.monitor.simple(fmt.Sprintf("EXECUTE cancel(%d)", pid))
	for _, e := range s.waiting {
		e.canceled = e.canceled || e.on.pid == pid
	}
	s.stirred = true
}

// start sends a request, and reads the answer unless it waits for a lock.
func (s *server) start(e *exchange, request []byte) {
	request, e.parsed = e.on.prepared(request)
	e.within = e.on.status != 'I'
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.clock || slices.ContainsFunc(s.waiting, func(other *exchange) bool { return other.clock }) {
		e.err = s.tell()
	}
	if e.err == nil {
		e.err = e.on.send(request)
	}
	if s.answered(e) {
		close(e.into)
	} else {
		e.waited = true
		s.waiting = append(s.waiting, e)
	}
}

// answered reads messages to the end of the answer; it reports false where the statement waits for a lock.
func (s *server) answered(e *exchange) bool {
	for e.err == nil && e.readies > 0 {
		var message []byte
		if message, e.err = e.on.next(); e.err != nil {
			break
		}
		switch message[0] {
		case 'N':
			if !bytes.Contains(message, []byte("VLOG\x00")) {
				break
			}
			// Who waits says so, and also when it is over.
			if !e.canceled && s.waits(e.on) {
				return false
			}
			continue
		case 'Z':
			e.readies--
		case '3':
			message[0] = '1'
		case 'E':
			e.failed = true
		}
		e.answer = append(e.answer, message...)
	}
	if e.err == nil && !e.failed {
		maps.Copy(e.on.known, e.parsed)
	}
	// Locks go at the end of a transaction, at a savepoint, and where somebody waited before.
	if e.waited || e.within && (e.on.status != 'T' || bytes.Contains(e.answer, []byte("ROLLBACK\x00"))) {
		s.stirred = true
	}
	return true
}

// waits reports whether a connection waits for a lock.
func (s *server) waits(b *backend) bool {
	answer, err := s.monitor.simple(fmt.Sprintf("EXECUTE waits(%d)", b.pid))
	return err == nil && answer == "t"
}

// stir has settled look, where nothing is known to have happened: a lock's time may be over, or somebody else held it.
func (s *server) stir() { s.stirred = true }

// settled hands in the answers of those that no longer wait for a lock.
func (s *server) settled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stirred {
		return false
	}
	s.stirred = false
	var still []*exchange
	for _, e := range s.waiting {
		if !e.canceled && s.waits(e.on) || !s.answered(e) {
			still = append(still, e)
			continue
		}
		s.stirred = true
		close(e.into)
	}
	s.waiting = still
	return s.stirred
}

// dial opens a connection for an instance, within the bubble.
func (s *server) dial(w *world, who string) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		if w.sched.isDead(who) {
			return nil, errLost
		}
		ours, theirs := net.Pipe()
		c := &wire{server: s, world: w, who: who, pipe: theirs, statements: map[string]string{}}
		w.opened(who, c)
		go c.serve()
		return namedConn{ours, c}, nil
	}
}

// wire is the server's end of a connection.
type wire struct {
	server     *server
	world      *world
	who        string
	pipe       net.Conn
	on         *backend
	statements map[string]string // prepared, by name

	mu     sync.Mutex
	caller string
}

func (c *wire) serve() {
	defer func() {
		_ = c.pipe.Close()
		if c.on != nil {
			c.server.release(c.on)
		}
	}()
	if !c.greet() {
		return
	}
	var pending []byte
	chunk := make([]byte, 4<<10)
	for {
		whole, rest, readies, what := c.cut(pending)
		if whole == nil {
			n, err := c.pipe.Read(chunk)
			if err != nil {
				return
			}
			pending = append(pending, chunk[:n]...)
			continue
		}
		pending = append([]byte(nil), rest...)
		if readies == 0 { // the client says goodbye
			return
		}
		v := proceed
		if what != "" && what != "-- ping" {
			kind := "sql"
			if strings.HasPrefix(what, "commit") {
				kind = "commit"
			}
			c.mu.Lock()
			by := c.caller
			c.mu.Unlock()
			v = c.world.sched.await(c.who, kind, strings.TrimSpace(what+" in "+by))
		}
		if v == refused {
			return
		}
		e := &exchange{
			on: c.on, readies: readies, clock: bytes.Contains(whole, []byte("clock_timestamp")), into: make(chan struct{}),
		}
		if what == "-- ping" {
			e.answer = fmt.Appendf(nil, "I\x00\x00\x00\x04Z\x00\x00\x00\x05%c", c.on.status)
		} else {
			c.server.start(e, whole)
			<-e.into
		}
		if v == unheard || e.err != nil {
			return
		}
		if _, err := c.pipe.Write(e.answer); err != nil {
			return
		}
	}
}

// greet answers the first message of a connection, and takes a request to cancel to the server.
func (c *wire) greet() bool {
	head := make([]byte, 8)
	if _, err := io.ReadFull(c.pipe, head); err != nil {
		return false
	}
	rest := make([]byte, binary.BigEndian.Uint32(head)-8)
	if _, err := io.ReadFull(c.pipe, rest); err != nil {
		return false
	}
	if binary.BigEndian.Uint32(head[4:]) == 80877102 {
		c.server.cancel(binary.BigEndian.Uint32(rest))
		return false
	}
	var err error
	if c.on, err = c.server.acquire(); err != nil {
		c.world.fail("connecting", "%v", err)
		return false
	}
	_, err = c.pipe.Write(c.on.startup)
	return err == nil
}

// cut takes messages up to one that the server answers with ReadyForQuery. what describes the statements that are
// executed; it is empty where none is.
func (c *wire) cut(b []byte) (whole, rest []byte, readies int, what string) {
	var said []string
	for at := 0; len(b)-at >= 5; {
		size := int(binary.BigEndian.Uint32(b[at+1:])) + 1
		if len(b)-at < size {
			return nil, b, 0, ""
		}
		body := b[at+5 : at+size]
		kind := b[at]
		at += size
		switch kind {
		case 'P':
			name, after, _ := bytes.Cut(body, []byte{0})
			text, _, _ := bytes.Cut(after, []byte{0})
			c.statements[string(name)] = string(text)
		case 'B':
			_, after, _ := bytes.Cut(body, []byte{0})
			name, _, _ := bytes.Cut(after, []byte{0})
			said = append(said, short(c.statements[string(name)]))
		case 'Q':
			said = append(said, short(strings.TrimRight(string(body), "\x00")))
			return b[:at], b[at:], 1, strings.Join(said, "; ")
		case 'S':
			return b[:at], b[at:], 1, strings.Join(said, "; ")
		case 'X':
			return b[:at], b[at:], 0, ""
		}
	}
	return nil, b, 0, ""
}

var (
	spaces = regexp.MustCompile(`\s+`)
	named  = regexp.MustCompile(`(?i)^(select|insert|update|delete|with|lock|begin|commit|rollback|savepoint|release|set)\b(?:.*?\b(?:from|into|update|table)\s+"?([a-z_]+))?`)
)

// short describes a statement by its verb and its first table.
func short(statement string) string {
	if known, ok := shortened.Load(statement); ok {
		return known.(string)
	}
	s := shorten(statement)
	shortened.Store(statement, s)
	return s
}

var shortened sync.Map // of statements

func shorten(statement string) string {
	text := strings.ToLower(spaces.ReplaceAllString(strings.TrimSpace(statement), " "))
	m := named.FindStringSubmatch(text)
	if m == nil {
		return text[:min(40, len(text))]
	}
	if m[1] == "update" {
		if words := strings.Fields(text); len(words) > 1 {
			m[2] = strings.Trim(words[1], `"`)
		}
	}
	return strings.TrimSpace(m[1] + " " + m[2])
}

// close ends the connections.
func (s *server) close() {
	for _, b := range append(s.idle, s.monitor) {
		b.close()
	}
}
