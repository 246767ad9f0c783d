package engine

import (
	"cmp"
	"database/sql"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
	"modernc.org/sqlite"

	"fichario/domain/automation"
	"fichario/ports"
)

const (
	// poolSize is measured: between 4 and 32 the throughput differs by less than a
	// fifth, and the default idle pool of 2 costs three quarters of it.
	poolSize = 16 // see LimitConnections
	// counterSlots is how many instances can count on one webhook without often waiting for each other.
	counterSlots = 64
)

// Engine is a connection to the database, with what all rooms share: transactions, keys, and what runs past GORM.
type Engine struct {
	ways           ways
	Writer, Reader *gorm.DB  // the same handle on PostgreSQL and in memory
	Pages          share     // for what people look at, so that neither waits for the other; none in memory
	Path           string    // of SQLite's file; empty in memory
	File           *os.File  // that file, for reading; see openSQLite
	Keeper         *sql.Conn // keeps a database in memory alive
	replica        *replica  // nil without one
	most           int       // connections to PostgreSQL
	Dialect        goose.Dialect
	// dialer and migrating open connections to PostgreSQL; nil on SQLite.
	dialer, Migrating *dialer
	// MigratedElsewhere says that migrating has an address of its own.
	MigratedElsewhere bool
	Vault             *Vault
	subject           subjectKey
	Edges             Edges
	// Prepare are the statements of the rooms that concurrent requests run in one transaction on SQLite: there is no
	// round trip to save, and they are prepared once.
	Prepare []string
	// prepared holds the statements of onSQLite.
	prepared  map[string]*sql.Stmt
	preparing Turn
	// onJobs is called with the kinds of jobs that have become due.
	onJobs atomic.Pointer[func(automation.JobKind)]
	// Outside are the repositories outside a transaction, once they are made; what changes Conn forgets them.
	Outside atomic.Pointer[ports.Repos]
	// Distributed says that Citus divides the tables by organisation; Migrate sets it.
	Distributed atomic.Bool
	// Slot is the slot that this instance counts in.
	Slot int64
	// probe caches whether the database accepts writes.
	probe probe
}

// Open connects to a database; see Open.
func Open(databaseURL string, dataKeys [][]byte, options ...Option) (*Engine, error) {
	v, err := newVault(dataKeys)
	if err != nil {
		return nil, err
	}
	s := &Engine{
		Vault: v, ways: ways{lite: Kept{&sqlite.Driver{}}}, preparing: NewTurn(), Slot: int64(ports.Spread(counterSlots - 1)),
	}
	for _, o := range options {
		o(&s.ways)
	}
	if path, ok := SQLitePath(databaseURL); ok {
		err = s.openSQLite(path)
	} else {
		err = s.openPostgres(databaseURL)
	}
	return s, err
}

// Close closes the database.
func (s *Engine) Close() error {
	var errs []error
	if s.Keeper != nil {
		errs = append(errs, s.Keeper.Close())
	}
	if s.replica != nil {
		errs = append(errs, closePool(s.replica.db))
	}
	for _, db := range []*gorm.DB{s.Pages.Read, s.Reader, s.Writer} { // the same pool may be closed twice
		errs = append(errs, closePool(db))
	}
	if s.File != nil {
		errs = append(errs, s.File.Close())
	}
	return errors.Join(errs...)
}

// DefaultTimeout is Timeout before SetTimeout.
const DefaultTimeout = 5 * time.Second

// timeout is what SetTimeout set.
var timeout atomic.Int64

// SetTimeout sets Timeout for every store of the process. Call it before Open.
func SetTimeout(d time.Duration) { timeout.Store(int64(d)) }

// Timeout bounds one operation or transaction, including the wait for a connection, so that a database that hangs
// causes errors instead of a pile-up.
func Timeout() time.Duration { return cmp.Or(time.Duration(timeout.Load()), DefaultTimeout) }

// connectTimeout bounds the wait for a connection to be made, and for what tells whether the database is there.
func connectTimeout() time.Duration { return Timeout() * 2 / 5 }

func config() *gorm.Config {
	return &gorm.Config{
		// GORM's own log prints values of statements.
		Logger:                 logger.Discard,
		TranslateError:         true,
		SkipDefaultTransaction: true,
		QueryFields:            true, // see columnNames
		NowFunc:                func() time.Time { return Stamp(time.Now()) },
	}
}

// LimitConnections sets the number of connections to PostgreSQL, 16 by default; a quarter of them serves what people
// look at. SQLite ignores it. Call it before anything else.
func (s *Engine) LimitConnections(n int) error {
	if !s.IsPostgres() {
		return nil
	}
	s.most = n
	defer s.Outside.Store(nil)
	of := pagesOf(n)
	if of == 0 {
		none := s.Pages.Read
		s.Pages = share{}
		return errors.Join(closePool(none), setPool(s.Writer, n))
	}
	return errors.Join(setPool(s.Writer, n-of), setPool(s.Pages.Read, of))
}

// pagesOf is how many of n connections serve what people look at; none where there is only one.
func pagesOf(n int) int {
	if n == 1 {
		return 0
	}
	return max(1, n/4)
}

func setPool(db *gorm.DB, size int) error {
	pool, err := db.DB()
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(size)
	pool.SetMaxIdleConns(size)
	return nil
}

// LetGo closes connections to PostgreSQL that nobody uses.
func (s *Engine) LetGo() error {
	for _, db := range []*gorm.DB{s.Writer, s.Pages.Read} {
		if db == nil {
			continue
		}
		pool, err := db.DB()
		if err != nil {
			return err
		}
		pool.SetMaxIdleConns(-1)
	}
	return s.LimitConnections(s.most)
}

func closePool(db *gorm.DB) error {
	if db == nil {
		return nil
	}
	pool, err := db.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

// Conn is a connection outside a transaction.
func (s *Engine) Conn() Conn {
	c := Conn{
		Reader: s.Reader, Writer: s.Writer, pages: s.Pages, Replica: s.replica, Migrating: s.Migrating, Edges: &s.Edges,
		announce: s.Announce,
	}
	if s.dialer != nil {
		c.Standby = &s.dialer.standby
	}
	return c
}

// OnJobs sets what is called, often and by many at once, when jobs of a kind have become due by a change of this
// process, so that it does them at once. It must not block.
func (s *Engine) OnJobs(f func(automation.JobKind)) { s.onJobs.Store(&f) }

// Announce tells OnJobs which kinds of jobs have become due.
func (s *Engine) Announce(kinds ...automation.JobKind) {
	f := s.onJobs.Load()
	if f == nil {
		return
	}
	for _, kind := range kinds {
		(*f)(kind)
	}
}

// Rows are those of the tables that the engine keeps itself.
func (s *Engine) Rows() []schema.Tabler { return []schema.Tabler{DataKeyRow{}, subjectKeyRow{}} }

// IsPostgres reports whether the database is PostgreSQL; otherwise it is SQLite.
func (s *Engine) IsPostgres() bool { return s.Dialect == goose.DialectPostgres }
