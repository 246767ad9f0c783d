package gormstore

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/intake"
	"fichario/adapters/gormstore/lookups"
	"fichario/adapters/gormstore/privacy"
)

//go:embed migrations
var migrations embed.FS

// Migrate brings the database to the newest schema; several instances may call it at once. It then checks that the data
// keys are the ones that the database was written with.
func (s *Store) Migrate(ctx context.Context) error {
	err := s.migrate(ctx)
	if pg := new(pgconn.PgError); errors.As(err, &pg) && pg.Code == engine.InsufficientPrivilege {
		err = fmt.Errorf(`%w: "Roles of the database" in docs/operations.md says which grants each role needs`, err)
	}
	return err
}

func (s *Store) migrate(ctx context.Context) error {
	pool, err := s.Writer.DB()
	if err != nil {
		return err
	}
	folder, err := fs.Sub(migrations, "migrations/"+s.Writer.Name())
	if err != nil {
		return err
	}
	if newest, err := s.isNewest(ctx, pool, folder); err != nil {
		return fmt.Errorf("migrate: %w", engine.Classify(err))
	} else if newest {
		return s.prove(ctx)
	}
	if s.IsPostgres() {
		// Building an index over millions of rows takes longer than the usual time limit.
		pool = s.Migrating.OpenBriefly()
		defer func() { _ = pool.Close() }()
		var unlock func()
		if ctx, unlock, err = lockMigrations(ctx, pool); err != nil {
			return fmt.Errorf("migrate: %w", engine.Classify(err))
		}
		defer unlock()
		if err := s.oneDatabase(ctx); err != nil {
			return fmt.Errorf("migrate: %w", engine.Classify(err))
		}
	}
	provider, err := s.provider(pool, folder)
	if err != nil {
		return err
	}
	release, err := s.mayMigrate(ctx, pool, provider)
	if err != nil {
		return fmt.Errorf("migrate: %w", engine.Classify(err))
	}
	defer release()
	if err = s.up(ctx, provider); err == nil {
		err = s.MakeTrigrams(ctx, pool)
	}
	if err == nil && s.IsPostgres() {
		err = s.followDistribution(ctx, pool)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", engine.Classify(cmp.Or(context.Cause(ctx), err)))
	}
	return s.prove(ctx)
}

// up runs the migrations that are left, again where another try can succeed: one that was locked out for lockWithin.
func (s *Store) up(ctx context.Context, provider *goose.Provider) error {
	folds, begun := false, time.Now()
	for try := 1; ; try++ {
		applied, err := provider.Up(ctx)
		if failed := new(goose.PartialError); errors.As(err, &failed) {
			applied = failed.Applied
		}
		folds = folds || slices.ContainsFunc(applied, func(m *goose.MigrationResult) bool { return m.Source.Version == 3 })
		if err == nil && folds {
			err = s.FoldSearch(ctx)
		}
		pause := engine.LockPause
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case !s.IsPostgres():
			// SQLite has no lock that spans a migration. Of several processes that start at once, one makes the tables and the
			// others see them on their next try.
			if try == 5 {
				return err
			}
			pause = 100 * time.Millisecond
		case !engine.LockedOut(err):
			return err
		case time.Since(begun) > lockWithin:
			return fmt.Errorf("a long transaction, a backup for instance, keeps a table from being changed: start again when "+
				"it has ended: %w", err)
		}
		_ = engine.Pause(ctx, pause)
	}
}

// prove checks the data keys, and makes the secret of persons' keys with the first of them.
func (s *Store) prove(ctx context.Context) error {
	if err := s.ProveDataKeys(ctx); err != nil {
		return err
	}
	_, err := s.SubjectSecret(ctx)
	return err
}

// isNewest reports whether PostgreSQL has the newest schema and nothing is left to do, as almost every command finds.
// That takes neither the lock nor the connections of a migration. Where Citus or another address is, more is to check.
func (s *Store) isNewest(ctx context.Context, pool *sql.DB, folder fs.FS) (bool, error) {
	if !s.IsPostgres() || s.MigratedElsewhere {
		return false, nil
	}
	var versioned bool
	err := pool.QueryRowContext(ctx, "SELECT to_regclass('goose_db_version') IS NOT NULL").Scan(&versioned)
	if err != nil || !versioned {
		return false, err
	}
	if citus, err := hasCitus(ctx, pool); err != nil || citus {
		return false, err
	}
	if has, err := s.HasTrigrams(ctx, pool); err != nil || !has {
		return false, err
	}
	provider, err := s.provider(pool, folder)
	if err != nil {
		return false, err
	}
	pending, err := provider.HasPending(ctx)
	return !pending, err
}

func (s *Store) provider(pool *sql.DB, folder fs.FS) (*goose.Provider, error) {
	return goose.NewProvider(s.Dialect, pool, folder, goose.WithGoMigrations(s.writtenInGo()...))
}

// ProveDataKeys returns an error that wraps engine.ErrDataKey where a key that this database was written with is not at
// hand, and registers the key that this process writes with. It is also a chore: an instance that was left with its old
// settings writes with the old key on after `fichario rekey` has forgotten that, and without it nobody could read what
// it wrote.
func (s *Store) ProveDataKeys(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, engine.Timeout())
	defer cancel()
	return s.Vault.Prove(ctx, s.Writer, engine.Stamp(time.Now()))
}

// MigrateThrough makes Migrate use another address of the same PostgreSQL, one that bypasses the pooler.
func (s *Store) MigrateThrough(databaseURL string) error {
	const variable = "FICHARIO_MIGRATE_DATABASE_URL"
	if !s.IsPostgres() {
		return errors.New(variable + " requires PostgreSQL, but FICHARIO_DATABASE_URL is SQLite")
	}
	d, err := engine.NewDialer(variable, databaseURL)
	if err == nil {
		s.Migrating, s.MigratedElsewhere = d.Patient(), true
		s.Outside.Store(nil)
	}
	return err
}

// oneDatabase refuses two addresses that lead to different databases. The connection for migrations holds an advisory
// lock: where the other address can take it too, it leads elsewhere.
func (s *Store) oneDatabase(ctx context.Context) error {
	if !s.MigratedElsewhere {
		return nil
	}
	var elsewhere bool
	err := s.Writer.WithContext(ctx).Raw("SELECT pg_try_advisory_xact_lock(?)", lock.DefaultLockID).Scan(&elsewhere).Error
	if err == nil && elsewhere {
		err = errors.New("FICHARIO_MIGRATE_DATABASE_URL and FICHARIO_DATABASE_URL lead to different databases")
	}
	return err
}

// mayMigrate refuses a migration of a SQLite file that a service has, see unserved, and one that the role's statement
// timeout could interrupt: through a pooler it cannot be lifted.
func (s *Store) mayMigrate(ctx context.Context, pool *sql.DB, provider *goose.Provider) (release func(), err error) {
	if !s.IsPostgres() {
		return s.unserved(ctx, provider)
	}
	return func() {}, s.mayTake(ctx, pool, provider)
}

// mayTake returns an error where a migration may not take as long as it needs.
func (s *Store) mayTake(ctx context.Context, pool *sql.DB, provider *goose.Provider) error {
	if s.Migrating == nil || s.Migrating.Pooled.Load() == nil {
		return nil
	}
	var limit string
	if err := pool.QueryRowContext(ctx, engine.AskLimit).Scan(&limit); err != nil || limit == "0" {
		return err
	}
	pending, err := provider.HasPending(ctx)
	if err == nil && pending {
		err = fmt.Errorf("the schema is not the newest, and the database is reached through a pooler where statements "+
			"may take only %s: set FICHARIO_MIGRATE_DATABASE_URL to an address that bypasses the pooler", limit)
	}
	return err
}

// servedWithin is how long a command waits for another process that changes the schema, or for a service that starts.
const servedWithin = 2 * time.Second

// unserved locks a SQLite file that has an older schema. An empty one is nobody's, and of several processes that find
// it one makes the tables.
func (s *Store) unserved(ctx context.Context, provider *goose.Provider) (release func(), err error) {
	for start := time.Now(); ; {
		version, err := provider.GetDBVersion(ctx)
		pending := version > 0
		if err == nil && pending {
			pending, err = provider.HasPending(ctx)
		}
		if err != nil || !pending {
			return func() {}, err
		}
		if release, err = s.Unserved(); err == nil || time.Since(start) > servedWithin {
			return release, err
		}
		if err := engine.Pause(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

const (
	// lockEvery is how often the migration lock is requested and then renewed; lockWithin how long to wait for it, and
	// for the locks of tables.
	lockEvery  = 250 * time.Millisecond
	lockWithin = 5 * time.Minute
)

// lockMigrations lets one process migrate at a time. The lock belongs to a transaction, so that it holds through a
// pooler and ends with the process; its number is that of goose's session lock, which earlier versions take. It is
// polled and never waited for inside a statement: building an index concurrently waits for all running statements. The
// returned context ends when the lock is lost.
func lockMigrations(ctx context.Context, pool *sql.DB) (_ context.Context, unlock func(), err error) {
	var tx *sql.Tx
	for start := time.Now(); ; {
		// unlock ends the transaction, not the context.
		if tx, err = pool.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
			return nil, nil, err
		}
		var locked bool
		err = tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock($1)", lock.DefaultLockID).Scan(&locked)
		if err == nil && locked {
			break
		}
		_ = tx.Rollback()
		if err == nil && time.Since(start) > lockWithin {
			err = fmt.Errorf("another process has been migrating for %s", lockWithin)
		}
		if err != nil {
			return nil, nil, err
		}
		select {
		case <-time.After(lockEvery):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	ctx, lose := context.WithCancelCause(ctx)
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			// Also keeps a timeout for idle transactions from ending it.
			asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), engine.Timeout())
			_, err := tx.ExecContext(asking, "SET LOCAL idle_in_transaction_session_timeout = 0")
			cancel()
			if err != nil {
				lose(fmt.Errorf("the migration lock was lost: %w", err))
				return
			}
			select {
			case <-time.After(8 * lockEvery):
			case <-done:
				return
			}
		}
	})
	return ctx, func() {
		close(done)
		watch.Wait()
		_ = tx.Rollback()
		lose(nil)
	}, nil
}

// writtenInGo are the migrations that an SQL file cannot express; for all but SealAudit, SQLite has files with their
// numbers.
func (s *Store) writtenInGo() []*goose.Migration {
	seal := func(ctx context.Context, tx *sql.Tx) error { return privacy.SealAudit(ctx, s.Engine, tx) }
	both := []*goose.Migration{goose.NewGoMigration(79, &goose.GoFunc{RunTx: seal}, nil)}
	if !s.IsPostgres() {
		return both
	}
	return append(both,
		goose.NewGoMigration(19, &goose.GoFunc{RunDB: engine.DivideAll}, nil),
		goose.NewGoMigration(25, &goose.GoFunc{RunDB: lookups.AddAskers}, nil),
		goose.NewGoMigration(31, &goose.GoFunc{RunDB: lookups.AddBudgets}, nil),
		goose.NewGoMigration(44, &goose.GoFunc{RunDB: privacy.AddPurposes}, nil),
		goose.NewGoMigration(45, &goose.GoFunc{RunDB: privacy.IndexPurposes}, nil),
		goose.NewGoMigration(60, &goose.GoFunc{RunDB: lookups.AddMemberDays}, nil),
		goose.NewGoMigration(80, &goose.GoFunc{RunDB: lookups.AddBureaus}, nil),
		goose.NewGoMigration(83, &goose.GoFunc{RunDB: lookups.AddParts}, nil),
		goose.NewGoMigration(100, &goose.GoFunc{RunDB: lookups.AddChargeDays}, nil),
		goose.NewGoMigration(101, &goose.GoFunc{RunDB: lookups.AddQuestions}, nil),
		goose.NewGoMigration(103, &goose.GoFunc{RunDB: intake.IndexRefused}, nil),
		goose.NewGoMigration(111, &goose.GoFunc{RunDB: intake.IndexUnsettled}, nil),
		goose.NewGoMigration(105, &goose.GoFunc{RunDB: lookups.LetChargesBeCounted}, nil),
	)
}
