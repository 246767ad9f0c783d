// Package gormstore keeps all data in SQLite (the embedded default) or PostgreSQL, through GORM, with the same
// behaviour on both.
package gormstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	"modernc.org/sqlite"

	"fichario/domain/audit"
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

// Store is the database.
type Store struct {
	ways        ways
	write, read *gorm.DB  // the same handle on PostgreSQL and in memory
	pages       share     // for what people look at, so that they and callers do not wait for each other; none in memory
	path        string    // of SQLite's file; empty in memory
	file        *os.File  // that file, for reading; see openSQLite
	keeper      *sql.Conn // keeps a database in memory alive
	replica     *replica  // nil without one
	most        int       // connections to PostgreSQL
	dialect     goose.Dialect
	// dialer and migrating open connections to PostgreSQL; nil on SQLite.
	dialer, migrating *dialer
	// migratedElsewhere says that migrating has an address of its own.
	migratedElsewhere bool
	vault             *vault
	subject           subjectKey
	edges             edges
	// tracedAgain belongs to IndexSubjects.
	tracedAgain time.Time
	// serve answers lookups from the history: on PostgreSQL in batches, on SQLite singly, batching only their entries.
	serve   func(context.Context, served) (kept, error)
	served  *together[served, kept]
	entries *together[entered, bool]
	hooks   *together[opening, opened]
	inbox   *together[taken, bool]
	// known caches webhooks by id.
	known sync.Map // of uid to knownHook
	begin *together[beginning, begun]
	end   *together[ended, bool]
	// prepared holds the statements of onSQLite.
	prepared  map[string]*sql.Stmt
	preparing turn
	// newest belongs to newestOnSQLite.
	newest  *sql.Stmt
	reading turn
	// onJobs is called with the kinds of jobs that have become due.
	onJobs atomic.Pointer[func(automation.JobKind)]
	// slot is the slot that this instance counts in.
	slot int64
	// trigrams says whether the search has an index, noTrigrams why not. indexedAgain belongs to IndexContacts.
	trigrams     atomic.Bool
	noTrigrams   error
	indexedAgain time.Time
	// probe caches whether the database accepts writes.
	probe probe
}

var _ ports.Store = (*Store)(nil)

// Open connects to a database: sqlite://PATH, postgres://…, or sqlite://:memory: for an empty one that ends with the
// store. The first data key encrypts, all of them decrypt; each has DataKeySize bytes. It does not wait for PostgreSQL:
// until that is up, operations fail with fault.ServiceUnavailable.
func Open(databaseURL string, dataKeys [][]byte, options ...Option) (*Store, error) {
	v, err := newVault(dataKeys)
	if err != nil {
		return nil, err
	}
	s := &Store{vault: v, ways: ways{lite: &sqlite.Driver{}}, preparing: newTurn(), reading: newTurn()}
	for _, o := range options {
		o(&s.ways)
	}
	if path, ok := SQLitePath(databaseURL); ok {
		err = s.openSQLite(path)
	} else {
		err = s.openPostgres(databaseURL)
	}
	if err != nil {
		return nil, err
	}
	s.hooks = newTogether(s.openHooks)
	if s.dialect == goose.DialectPostgres {
		s.served, s.inbox = newTogether(s.serveOnPostgres), newTogether(s.takeOnPostgres)
		s.begin, s.end = newTogether(s.beginOnPostgres), newTogether(s.endOnPostgres)
		s.serve = s.served.call
	} else {
		s.entries, s.inbox = newTogether(s.enterOnSQLite), newTogether(s.takeOnSQLite)
		s.begin, s.end = newTogether(s.beginOnSQLite), newTogether(s.endOnSQLite)
		s.serve = s.serveOnSQLite
	}
	s.slot = int64(ports.Spread(counterSlots - 1))
	return s, nil
}

func config() *gorm.Config {
	return &gorm.Config{
		// GORM's own log prints values of statements.
		Logger:                 logger.Discard,
		TranslateError:         true,
		SkipDefaultTransaction: true,
		QueryFields:            true, // see columnNames
		NowFunc:                func() time.Time { return stamp(time.Now()) },
	}
}

// LimitConnections sets the number of connections to PostgreSQL, 16 by default; a quarter of them serves what people
// look at. SQLite ignores it. Call it before anything else.
func (s *Store) LimitConnections(n int) error {
	if s.dialect != goose.DialectPostgres {
		return nil
	}
	s.most = n
	of := pagesOf(n)
	if of == 0 {
		none := s.pages.read
		s.pages = share{}
		return errors.Join(closePool(none), setPool(s.write, n))
	}
	return errors.Join(setPool(s.write, n-of), setPool(s.pages.read, of))
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

// Close waits for entries being written and closes the database.
func (s *Store) Close() error {
	if s.served != nil {
		s.served.close()
	} else {
		s.entries.close()
	}
	s.hooks.close()
	s.inbox.close()
	s.begin.close()
	s.end.close()
	var errs []error
	if s.keeper != nil {
		errs = append(errs, s.keeper.Close())
	}
	if s.replica != nil {
		errs = append(errs, closePool(s.replica.db))
	}
	for _, db := range []*gorm.DB{s.pages.read, s.read, s.write} { // the same pool may be closed twice
		errs = append(errs, closePool(db))
	}
	if s.file != nil {
		errs = append(errs, s.file.Close())
	}
	return errors.Join(errs...)
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

// Repos gives repositories outside a transaction.
func (s *Store) Repos() ports.Repos {
	return s.repos(s.conn())
}

func (s *Store) conn() conn {
	c := conn{
		read: s.read, write: s.write, pages: s.pages, replica: s.replica, migrating: s.migrating, edges: &s.edges,
		announce: s.announce,
	}
	if s.dialer != nil {
		c.standby = &s.dialer.standby
	}
	return c
}

// InTx runs f in one transaction; see ports.Store.
func (s *Store) InTx(ctx context.Context, f func(ports.Repos) error) (err error) {
	if nested() {
		return named("store.inTx", ports.ErrInsideTx)
	}
	ctx, span := spanned(ctx, "store.inTx")
	defer func() { ports.EndSpan(span, err) }()
	const tries = 3
	for try := 1; ; try++ {
		err := s.inTx(ctx, f)
		if try < tries && collided(err) && ctx.Err() == nil {
			continue
		}
		return err
	}
}

func (s *Store) inTx(ctx context.Context, f func(ports.Repos) error) error {
	ctx, cancel := context.WithTimeout(ctx, Timeout())
	defer cancel()
	var own error // the error of f, returned unchanged
	var queued []automation.JobKind
	c := s.conn()
	err := c.standby.holds(func() error {
		return c.of(ctx).write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			var lines []audit.Line
			queued = nil
			inside := conn{read: tx, write: tx, edges: &s.edges, tx: true, lines: &lines, queued: &queued}
			if own = f(s.repos(inside)); own != nil {
				return own
			}
			return s.vault.appendLines(tx, lines)
		}, &sql.TxOptions{})
	})
	if own != nil {
		return own
	}
	s.announce(queued...) // if the commit is uncertain, they may be due
	return named("store.inTx", told(ctx, err))
}

// OnJobs sets what is called, often and by many at once, when jobs of a kind have become due by a change of this
// process, so that it does them at once. It must not block.
func (s *Store) OnJobs(f func(automation.JobKind)) { s.onJobs.Store(&f) }

func (s *Store) announce(kinds ...automation.JobKind) {
	f := s.onJobs.Load()
	if f == nil {
		return
	}
	for _, kind := range kinds {
		(*f)(kind)
	}
}

// nested reports whether InTx, its caller, is on the stack twice. Neither its context nor f's repositories would tell,
// because a nested call can use those from outside. Unnoticed, the inner transaction would wait for the outer one on
// SQLite, and on PostgreSQL outlive its rollback.
func nested() bool {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	inTx, more := frames.Next()
	for more {
		var frame runtime.Frame
		if frame, more = frames.Next(); frame.Function == inTx.Function {
			return true
		}
	}
	return false
}

func (s *Store) repos(c conn) ports.Repos {
	// A repository with many methods is cut into several interfaces.
	entries := statement{c, s.vault, s.subjectSecret}
	lots := batches{c, s.vault, s.subjectSecret}
	people := contacts{c, s.vault}
	queue := jobs{c}
	visits := sessions{c, s.vault}
	factor := factors{c, s.vault}
	chain := auditLines{c, s.vault, s}
	persons := subjects{c, s}
	return ports.Repos{
		Clock:          clock{c},
		Orgs:           orgs{c, s.vault},
		Members:        members{c},
		Keys:           keys{c},
		Usage:          usage{c},
		Statement:      entries,
		LookupEnds:     entries,
		LookupContacts: entries,
		History:        history{c, s.vault, s.serve, nil, s.subjectSecret},
		Calls:          calls{c, s.vault, s.begin, s.end, s.subjectSecret},
		LookupRequests: lookupRequests{c, s.subjectSecret},
		Batches:        lots,
		BatchItems:     lots,
		BatchRuns:      lots,
		BatchRemovals:  lots,
		Bundles:        bundles{c},
		Purposes:       purposes{c},
		Funnels:        funnels{c},
		Origins:        origins{c},
		Names:          names{c},
		Contacts:       people,
		ContactHistory: people,
		ContactAnswers: people,
		ContactSearch:  people,
		Removals:       removals{c, s.vault, s.subjectSecret},
		Bulks:          bulks{c, s.vault},
		Rotations:      rotations{c},
		Notifications:  notifications{c},
		Webhooks:       webhooks{c, s.vault, s.hooks},
		Inbox:          inbox{c, s.vault, s.inbox, s.slot},
		Deliveries:     deliveries{c, s.vault},
		Automations:    automations{c, s.vault},
		Jobs:           queue,
		JobQueue:       queue,
		JobRuns:        queue,
		Sessions:       visits,
		SessionEnds:    visits,
		Attempts:       visits,
		Tickets:        tickets{c},
		Factors:        factor,
		Recovery:       factor,
		MemberPasskeys: factor,
		Audit:          chain,
		AuditRemovals:  chain,
		Figures:        figures{c},
		Subjects:       persons,
		SubjectTraces:  persons,
		SubjectBlocks:  persons,
		Erasures:       persons,
		Retention:      retention{c},
		Identities:     identities{c},
	}
}
