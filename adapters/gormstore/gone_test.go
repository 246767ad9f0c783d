package gormstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/fault"
)

// TestAStatementThatIsBrokenOff: broken off by a caller who is gone, it is no fault of the database; by the timeout, it
// is.
func TestAStatementThatIsBrokenOff(t *testing.T) {
	t.Parallel()
	const long = `
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600000) SELECT count(*) FROM n`
	for _, s := range each(t) {
		c := engine.Conn{Reader: s.Reader, Writer: s.Writer}
		ask := func(ctx context.Context) error {
			return c.Query(ctx, "test.long", func(db *gorm.DB) error {
				var n int64
				return db.Raw(long).Scan(&n).Error
			})
		}
		ctx, hangUp := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, hangUp)
		if err := ask(ctx); !errors.Is(err, context.Canceled) || fault.CodeOf(err) == fault.ServiceUnavailable {
			t.Errorf("%s: a caller who is gone: %v", s.Writer.Name(), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := ask(ctx); fault.CodeOf(err) != fault.ServiceUnavailable {
			t.Errorf("%s: no time left: %v", s.Writer.Name(), err)
		}
	}
}
