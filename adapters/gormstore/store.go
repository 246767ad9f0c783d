// Package gormstore keeps everything in SQLite (the embedded default) or
// PostgreSQL, through GORM, with one behaviour on both.
package gormstore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/glebarez/sqlite"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"fichario/ports"
)

//go:embed migrations
var migrations embed.FS

const (
	// opTimeout bounds one operation or transaction, the wait for a connection
	// included, so that a database that hangs is an answer and not a pile-up.
	opTimeout = 5 * time.Second
	// poolSize is measured: between 4 and 32 the throughput differs by less than a
	// fifth, and the default idle pool of 2 costs three quarters of it.
	poolSize = 16
	// counterSlots is how many instances may count on one webhook without often
	// waiting for each other.
	counterSlots = 64
)

// Store is the database. It implements ports.Store.
type Store struct {
	write, read *gorm.DB // the same handle on PostgreSQL
	dialect     goose.Dialect
	patient     *pgx.ConnConfig // without a time limit for statements; PostgreSQL only
	vault       *vault
	serve       *together[served, kept]
	hooks       *together[opening, opened]
	inbox       *together[taken, ports.Receipt]
	// known are webhooks that were read, by id.
	known sync.Map // of uid to knownHook
	// taking are prepared statements, of takeOnSQLite alone.
	taking map[string]*sql.Stmt
	// slot is where this instance counts what webhooks receive.
	slot int64
}

var _ ports.Store = (*Store)(nil)

// Open connects to a database: sqlite://PATH or postgres://…. The first data key
// encrypts, all of them decrypt; each has DataKeySize bytes. It does not wait for
// PostgreSQL to be there: operations fail with fault.ServiceUnavailable until it is.
func Open(databaseURL string, dataKeys [][]byte) (*Store, error) {
	v, err := newVault(dataKeys)
	if err != nil {
		return nil, err
	}
	s := &Store{vault: v}
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
		s.serve, s.inbox = newTogether(s.serveOnPostgres), newTogether(s.takeOnPostgres)
	} else {
		s.serve, s.inbox = newTogether(s.serveOnSQLite), newTogether(s.takeOnSQLite)
	}
	s.slot = rand.Int64N(counterSlots) //nolint:gosec // it spreads load, it hides nothing
	return s, nil
}

// SQLitePath returns the path of the file that a database URL of the form
// sqlite://PATH names, and whether it has that form.
func SQLitePath(databaseURL string) (string, bool) {
	return strings.CutPrefix(databaseURL, "sqlite://")
}

func config() *gorm.Config {
	return &gorm.Config{
		// GORM's own log prints values of statements.
		Logger:                 logger.Discard,
		TranslateError:         true,
		SkipDefaultTransaction: true,
		NowFunc:                func() time.Time { return stamp(time.Now()) },
	}
}

func (s *Store) openSQLite(path string) error {
	if path == "" || strings.ContainsAny(path, "?#") {
		return errors.New("FICHARIO_DATABASE_URL: sqlite:// needs the path of a file, without ? or #")
	}
	dsn := "file:" + (&url.URL{Path: path}).EscapedPath() +
		"?_pragma=busy_timeout(2500)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)"
	// It holds names and phones: a new file is for its owner alone, and SQLite makes the
	// files beside it alike.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	// One connection writes, and takes the write lock when its transaction begins:
	// a transaction that reads first and then writes would fail at once when
	// another process wrote in between.
	if s.write, err = gorm.Open(sqlite.Open(dsn+"&_txlock=immediate"), config()); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	reading := config()
	reading.PrepareStmt = true
	if s.read, err = gorm.Open(sqlite.Open(dsn+"&_pragma=query_only(1)"), reading); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if err := setPool(s.write, 1); err != nil {
		return err
	}
	s.dialect = goose.DialectSQLite3
	return setPool(s.read, 4)
}

func (s *Store) openPostgres(databaseURL string) error {
	cfg, err := pgx.ParseConfig(databaseURL)
	if err != nil || !strings.HasPrefix(databaseURL, "postgres://") && !strings.HasPrefix(databaseURL, "postgresql://") {
		// The parser's error may repeat the password, and it takes an empty text for
		// a database that the environment names.
		return errors.New("FICHARIO_DATABASE_URL is neither sqlite://PATH nor a valid postgres:// URL")
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 2 * time.Second
	}
	for name, value := range map[string]string{
		"application_name":                    "fichario",
		"statement_timeout":                   "5s",
		"idle_in_transaction_session_timeout": "10s",
	} {
		if _, set := cfg.RuntimeParams[name]; !set {
			cfg.RuntimeParams[name] = value
		}
	}
	db := stdlib.OpenDB(*cfg)
	s.patient = cfg.Copy()
	s.patient.RuntimeParams["statement_timeout"] = "0"
	gormConfig := config()
	// Otherwise opening would need the database to be there.
	gormConfig.DisableAutomaticPing = true
	// PrepareStmt stays off: pgx caches statements by itself, and GORM's cache
	// prepares again in every transaction.
	if s.write, err = gorm.Open(postgres.New(postgres.Config{Conn: db}), gormConfig); err != nil {
		return err
	}
	s.read = s.write
	s.dialect = goose.DialectPostgres
	return setPool(s.write, poolSize)
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

// Migrate brings the database to the newest schema. Several instances may call it
// at once. It then checks that the data keys are the ones that the database was
// written with.
func (s *Store) Migrate(ctx context.Context) error {
	pool, err := s.write.DB()
	if err != nil {
		return err
	}
	folder, err := fs.Sub(migrations, "migrations/"+s.write.Name())
	if err != nil {
		return err
	}
	options := []goose.ProviderOption{}
	if s.dialect == goose.DialectPostgres {
		// An index over millions of rows takes its time.
		pool = stdlib.OpenDB(*s.patient)
		defer func() { _ = pool.Close() }()
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(s.dialect, pool, folder, options...)
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		applied, err := provider.Up(ctx)
		if err == nil && len(applied) > 0 {
			err = s.foldSearch(ctx)
		}
		if err == nil {
			break
		}
		// SQLite has no lock for the whole of a migration. Of several processes that
		// begin at once, one makes the tables and the others see them the next time.
		if s.dialect == goose.DialectPostgres || try == 5 || ctx.Err() != nil {
			return fmt.Errorf("migrate: %w", classify(err))
		}
		time.Sleep(100 * time.Millisecond)
	}
	return s.vault.prove(ctx, s.write, stamp(time.Now()))
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	pool, err := s.write.DB()
	if err != nil {
		return err
	}
	var one int
	return classify(pool.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Close waits for entries that are being written and closes the database.
func (s *Store) Close() error {
	s.serve.close()
	s.hooks.close()
	s.inbox.close()
	var errs []error
	for _, db := range []*gorm.DB{s.read, s.write} {
		pool, err := db.DB()
		if err != nil {
			return err
		}
		errs = append(errs, pool.Close())
		if s.read == s.write {
			break
		}
	}
	return errors.Join(errs...)
}

// Repos gives repositories outside a transaction.
func (s *Store) Repos() ports.Repos {
	return s.repos(conn{read: s.read, write: s.write})
}

// InTx runs f in one transaction; see ports.Store.
func (s *Store) InTx(ctx context.Context, f func(ports.Repos) error) error {
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
	ctx, cancel := context.WithTimeout(ctx, opTimeout)
	defer cancel()
	var own error // of f: returned as it is
	err := s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		own = f(s.repos(conn{read: tx, write: tx, tx: true}))
		return own
	}, &sql.TxOptions{})
	if own != nil {
		return own
	}
	return classify(err)
}

func (s *Store) repos(c conn) ports.Repos {
	return ports.Repos{
		Orgs:      orgs{c},
		Members:   members{c},
		Keys:      keys{c},
		Usage:     usage{c},
		Statement: statement{c, s.vault},
		History:   history{c, s.vault, s.serve},
		Leases:    leases{c, s.vault},

		Funnels:       funnels{c},
		Origins:       origins{c},
		Contacts:      contacts{c, s.vault},
		Notifications: notifications{c},
		Webhooks:      webhooks{c, s.vault, s.hooks},
		Inbox:         inbox{c, s.vault, s.inbox},
		Deliveries:    deliveries{c, s.vault},
		Automations:   automations{c, s.vault},
		Jobs:          jobs{c},

		Sessions: sessions{c, s.vault},
		Figures:  figures{c},
	}
}

// conn is where a repository's statements go: the pools, or one transaction.
type conn struct {
	read, write *gorm.DB
	tx          bool
}

// query runs a reading operation, bounded in time, and translates its error.
func (c conn) query(ctx context.Context, f func(*gorm.DB) error) error { return c.run(ctx, c.read, f) }

// exec runs a writing operation, bounded in time, and translates its error.
func (c conn) exec(ctx context.Context, f func(*gorm.DB) error) error { return c.run(ctx, c.write, f) }

// changing is exec for a change that posts to the organisation's webhooks must see.
func (c conn) changing(ctx context.Context, orgID string, f func(*gorm.DB) error) error {
	return c.exec(ctx, func(db *gorm.DB) error {
		return db.Transaction(func(tx *gorm.DB) error {
			if err := f(tx); err != nil {
				return err
			}
			return tx.Exec("UPDATE organisations SET epoch = epoch + 1 WHERE id = ?", orgID).Error
		})
	})
}

func (c conn) run(ctx context.Context, db *gorm.DB, f func(*gorm.DB) error) error {
	if c.tx {
		return classify(f(db)) // InTx bounds the whole transaction
	}
	ctx, cancel := context.WithTimeout(ctx, opTimeout)
	defer cancel()
	return classify(f(db.WithContext(ctx)))
}

// affected runs a statement and returns how many rows it changed.
func (c conn) affected(ctx context.Context, statement string, args ...any) (n int64, err error) {
	err = c.exec(ctx, func(db *gorm.DB) error {
		r := db.Exec(statement, args...)
		n = r.RowsAffected
		return r.Error
	})
	return n, err
}
