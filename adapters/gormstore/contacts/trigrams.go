package contacts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"fichario/adapters/gormstore/engine"
)

// searchExtensions are what PostgreSQL's search index needs: trigrams, and the organisation beside them. Both are
// trusted extensions, so the owner of a database may create them.
var searchExtensions = []string{"pg_trgm", "btree_gin"}

// MakeTrigrams builds the index for the search of contacts; on SQLite the migrations do. Where the role lacks the right
// or the server the extensions, searches look at each contact, and the next migration tries again; see NoTrigrams.
func (s *Index) MakeTrigrams(ctx context.Context, pool *sql.DB) error {
	if !s.IsPostgres() {
		s.trigrams.Store(true)
		return nil
	}
	s.noTrigrams = nil
	if has, err := s.HasTrigrams(ctx, pool); err != nil || has {
		return err
	}
	create := []string{"DROP INDEX CONCURRENTLY IF EXISTS contact_trigrams"} // left behind by a killed run
	for _, name := range searchExtensions {
		create = append(create, "CREATE EXTENSION IF NOT EXISTS "+name)
	}
	create = append(create,
		"CREATE INDEX CONCURRENTLY contact_trigrams ON contact_words USING gin (org_id, words gin_trgm_ops)")
	for _, statement := range create {
		_, err := pool.ExecContext(ctx, statement)
		if refused := new(pgconn.PgError); errors.As(err, &refused) && ctx.Err() == nil && !engine.Away(err) {
			s.noTrigrams = fmt.Errorf("%s: %s", statement, refused.Message)
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.trigrams.Store(true)
	return nil
}

// HasTrigrams reports whether PostgreSQL has the index, and whoever searches knows it from then on.
func (s *Index) HasTrigrams(ctx context.Context, pool *sql.DB) (bool, error) {
	var valid sql.NullBool
	err := pool.QueryRowContext(ctx, trigramsValid).Scan(&valid)
	s.trigrams.Store(valid.Bool)
	return valid.Bool, err
}

const trigramsValid = "SELECT (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('contact_trigrams'))"

// NoTrigrams says why the search looks at each contact, and what to do about it; "" when it has its index. Migrate sets
// it.
func (s *Index) NoTrigrams() string {
	if s.noTrigrams == nil {
		return ""
	}
	return "contacts are searched without an index, which is slow if there are many; the database refused " +
		s.noTrigrams.Error() + ". Run CREATE EXTENSION " + strings.Join(searchExtensions, "; CREATE EXTENSION ") +
		"; in the database as its owner or an administrator, then fichario migrate"
}
