package world_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"net"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// server is PostgreSQL as seen from a bubble: its real connections live outside, where time is real, and are used by
// one world after the other. Within the bubble, each is one end of a pipe, whose other end reads what the driver sends,
// waits for the scheduler, has it answered outside and hands the answer in.
type server struct {
	address, database string
	asks              chan func() // run outside the bubble
	monitor           *pgx.Conn

	mu   sync.Mutex
	idle []*backend

	// running are the exchanges that are not answered yet.
	running []*exchange

	// empty makes the database as it was after its migration; resets counts how often it did.
	empty  string
	resets int
}

// backend is a real connection.
type backend struct {
	conn    net.Conn
	pid     uint32
	startup []byte            // what the server said when it was opened
	status  byte              // of its transaction, by the last ReadyForQuery
	known   map[string]string // names of prepared statements, by how they are parsed
	names   int
	work    chan *exchange
}

// exchange is what a client sent, and the answer.
type exchange struct {
	on      *backend
	request []byte
	readies int // how many ReadyForQuery end the answer
	done    chan struct{}
	answer  []byte
	err     error
	known   bool // to wait for a lock
	// into is within the bubble.
	into chan struct{}
}

// openServer connects to a database that is migrated.
func openServer(url string) (*server, error) {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	monitor, err := pgx.ConnectConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	s := &server{
		address: net.JoinHostPort(config.Host, fmt.Sprint(config.Port)), database: config.Database, monitor: monitor,
		asks: make(chan func()),
	}
	// The bubble's time is a sequence: that is seen by every statement at once, whatever its snapshot. Unqualified names
	// find ours before PostgreSQL's.
	_, err = monitor.Exec(context.Background(), fmt.Sprintf(`
		CREATE SEQUENCE IF NOT EXISTS world_now;
		CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
			AS 'SELECT timestamptz ''epoch'' + last_value * interval ''1 microsecond'' FROM public.world_now';
		ALTER DATABASE %s SET search_path = public, pg_catalog;
		ALTER DATABASE %[1]s SET deadlock_timeout = '50ms'`, pgx.Identifier{config.Database}.Sanitize()))
	if err == nil {
		s.empty, err = emptying(monitor)
	}
	go func() {
		for f := range s.asks {
			f()
		}
	}()
	return s, err
}

// emptying are the statements that empty all tables, but for what the migrations put in.
func emptying(db *pgx.Conn) (string, error) {
	ctx := context.Background()
	rows, err := db.Query(ctx, `SELECT quote_ident(relname) FROM pg_class c WHERE relnamespace = 'public'::regnamespace
		AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'goose_db_version' ORDER BY 1`)
	if err != nil {
		return "", err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	statements := "BEGIN; SET LOCAL session_replication_role = replica;"
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
	return statements + "COMMIT", err
}

// reset makes the database as it was after its migration.
func (s *server) reset() error {
	_, err := s.monitor.Exec(context.Background(), s.empty)
	if s.resets++; err == nil && s.resets%20 == 0 {
		_, err = s.monitor.Exec(context.Background(), "VACUUM")
	}
	return err
}

// outside runs f outside the bubble and waits for it, in real time.
func (s *server) outside(f func()) {
	done := realTime()
	s.asks <- func() { f(); done <- struct{}{} }
	<-done
}

// tell sets the time that statements see.
func (s *server) tell(now time.Time) error {
	var err error
	s.outside(func() {
		_, err = s.monitor.Exec(context.Background(), "SELECT setval('public.world_now', $1)", now.UnixMicro())
	})
	return err
}

// acquire gives a connection that nobody uses.
func (s *server) acquire() (*backend, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		b := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		return b, nil
	}
	s.mu.Unlock()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return nil, err
	}
	b := &backend{conn: conn, work: make(chan *exchange), known: map[string]string{}}
	hello := binary.BigEndian.AppendUint32(nil, 196608)
	for _, word := range []string{"user", "postgres", "database", s.database, "application_name", "fichario"} {
		hello = append(append(hello, word...), 0)
	}
	hello = append(hello, 0)
	if _, err := conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(hello)+4)), hello...)); err != nil {
		return nil, err
	}
	if b.startup, err = b.read(1, nil); err != nil {
		return nil, err
	}
	if at := bytes.Index(b.startup, []byte{'K', 0, 0, 0, 12}); at >= 0 {
		b.pid = binary.BigEndian.Uint32(b.startup[at+5:])
	}
	go func() {
		for e := range b.work {
			request, parsed := b.prepared(e.request)
			if _, e.err = b.conn.Write(request); e.err == nil {
				e.answer, e.err = b.read(e.readies, parsed)
			}
			close(e.done)
		}
	}()
	return b, nil
}

// prepared gives the statements of a request names, and leaves out what parses them again: to plan them anew in each
// world took the server longer than to execute them. What is parsed for the first time is known if all goes well.
func (b *backend) prepared(request []byte) (out []byte, parsed map[string]string) {
	parsed = map[string]string{}
	var name string
	message := func(kind byte, parts ...[]byte) {
		body := bytes.Join(parts, nil)
		out = append(binary.BigEndian.AppendUint32(append(out, kind), uint32(len(body)+4)), body...)
	}
	for len(request) >= 5 {
		size := int(binary.BigEndian.Uint32(request[1:])) + 1
		kind, body := request[0], request[5:size]
		switch {
		case kind == 'P' && body[0] == 0:
			how, known := string(body), false
			if name, known = b.known[how]; !known {
				if name, known = parsed[how]; !known {
					b.names++
					name = fmt.Sprintf("s%d", b.names)
					parsed[how] = name
					message('P', []byte(name), body)
					break
				}
			}
			message('C', []byte("Snone\x00")) // what answers that is made the answer to parsing
		case kind == 'B' && name != "":
			portal, after, _ := bytes.Cut(body, []byte{0})
			message('B', portal, []byte{0}, []byte(name), after)
		default:
			out = append(out, request[:size]...)
		}
		request = request[size:]
	}
	return out, parsed
}

// read reads messages up to the nth ReadyForQuery.
func (b *backend) read(readies int, parsed map[string]string) (all []byte, err error) {
	failed := false
	defer func() {
		if err == nil && !failed {
			maps.Copy(b.known, parsed)
		}
	}()
	head := make([]byte, 5)
	for readies > 0 {
		if _, err := io.ReadFull(b.conn, head); err != nil {
			return all, err
		}
		size := int(binary.BigEndian.Uint32(head[1:])) - 4
		at := len(all) + 5
		all = append(append(all, head...), make([]byte, size)...)
		if _, err := io.ReadFull(b.conn, all[at:]); err != nil {
			return all, err
		}
		switch head[0] {
		case 'Z':
			b.status, readies = all[at], readies-1
		case '3':
			all[at-5] = '1'
		case 'E':
			if failed = true; b.startup == nil {
				return all, fmt.Errorf("refused: %q", all[at:])
			}
		}
	}
	return all, nil
}

// simple runs a statement on a connection whose client is gone.
func (b *backend) simple(statement string) error {
	message := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(statement)+5))
	message = append(append(message, statement...), 0)
	if _, err := b.conn.Write(message); err != nil {
		return err
	}
	_, err := b.read(1, nil)
	return err
}

// release ends what a client left open, as the server does when a connection is lost.
func (s *server) release(b *backend) {
	if b.status != 'I' && b.simple("ROLLBACK") != nil || b.simple("RESET ALL; SELECT pg_advisory_unlock_all()") != nil {
		_ = b.conn.Close()
		return
	}
	s.mu.Lock()
	s.idle = append(s.idle, b)
	s.mu.Unlock()
}

// settled waits until every exchange is answered or waits for a lock, and hands in the answers.
func (s *server) settled() bool {
	if len(s.running) == 0 {
		return false
	}
	var over []*exchange
	s.outside(func() {
		for {
			var open []*exchange
			for _, e := range s.running {
				select {
				case <-e.done:
					over = append(over, e)
				default:
					open = append(open, e)
				}
			}
			s.running = open
			if len(open) == 0 {
				return
			}
			if newest := open[len(open)-1]; !newest.known {
				select {
				case <-newest.done:
					continue
				case <-time.After(1500 * time.Microsecond): // it may wait for a lock
				}
			}
			if s.blocked(open) {
				for _, e := range open {
					e.known = true
				}
				return
			}
			select {
			case <-open[len(open)-1].done:
			case <-time.After(200 * time.Microsecond):
			}
		}
	})
	for _, e := range over {
		close(e.into)
	}
	return len(over) > 0
}

// blocked reports whether all of these exchanges wait for locks.
func (s *server) blocked(open []*exchange) bool {
	pids := make([]int32, len(open))
	for i, e := range open {
		select {
		case <-e.done:
			return false
		default:
		}
		pids[i] = int32(e.on.pid)
	}
	var n int
	err := s.monitor.QueryRow(context.Background(),
		"SELECT count(*) FROM unnest($1::int[]) p WHERE cardinality(pg_blocking_pids(p)) > 0", pids).Scan(&n)
	return err == nil && n == len(open)
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
			c.server.outside(func() { c.server.release(c.on) })
		}
	}()
	if !c.greet() {
		return
	}
	var pending []byte
	chunk := make([]byte, 64<<10)
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
		e := &exchange{on: c.on, request: whole, readies: readies, done: realTime(), into: make(chan struct{})}
		c.server.outside(func() {
			c.server.running = append(c.server.running, e)
			c.on.work <- e
		})
		<-e.into
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
		c.server.outside(func() {
			_, _ = c.server.monitor.Exec(context.Background(), "SELECT pg_cancel_backend($1)", binary.BigEndian.Uint32(rest))
		})
		return false
	}
	var err error
	c.server.outside(func() { c.on, err = c.server.acquire() })
	if err != nil {
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

// realTime makes a channel outside the bubble.
func realTime() chan struct{} { return (<-channels).done }

// channels are made outside the bubble: whoever is in it and receives from one waits in real time.
var channels = func() chan made {
	c := make(chan made)
	go func() {
		for {
			c <- made{make(chan struct{}, 1)}
		}
	}()
	return c
}()

type made struct{ done chan struct{} }

// close ends the connections.
func (s *server) close() {
	for _, b := range s.idle {
		close(b.work)
		_ = b.conn.Close()
	}
	_ = s.monitor.Close(context.Background())
	close(s.asks)
}
