package gormstore

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

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
