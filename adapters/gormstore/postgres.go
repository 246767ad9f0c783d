package gormstore

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

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

// pastGORM runs f on a connection of the driver's own, for what most requests do: GORM and
// database/sql would copy each value once or twice more.
func (s *Store) pastGORM(ctx context.Context, f func(*pgx.Conn) error) error {
	pool, err := s.write.DB()
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // gives it back
	return conn.Raw(func(driver any) error {
		return f(driver.(*stdlib.Conn).Conn()) //nolint:forcetypeassert // the pool is stdlib's
	})
}
