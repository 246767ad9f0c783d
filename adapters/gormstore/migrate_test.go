package gormstore

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// rows are all tables; a new one belongs here too.
var rows = []any{
	&orgRow{}, &memberRow{}, &keyRow{}, &secretRow{}, &usageRow{}, &lookupRow{}, &recordRow{}, &leaseRow{}, &dataKeyRow{},
	&funnelRow{}, &stageRow{}, &originRow{}, &webhookRow{}, &tokenRow{}, &counterRow{}, &contactRow{}, &eventRow{},
	&notificationRow{}, &markRow{}, &deliveryRow{}, &receiptRow{}, &automationRow{}, &jobRow{}, &sessionRow{},
	&failureRow{},
}

// made says how the tables, columns, indexes and constraints of a database are made, and which migrations and data keys
// it knows.
var made = map[string]string{
	"sqlite": `SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_master
		UNION ALL SELECT 'migration ' || id || ' ' || version_id FROM goose_db_version
		UNION ALL SELECT 'key ' || id || created_at FROM data_keys ORDER BY 1`,
	"postgres": `SELECT 'column ' || table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' ||
			COALESCE(column_default, '') FROM information_schema.columns WHERE table_schema = 'public'
		UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
		UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
			WHERE connamespace = 'public'::regnamespace
		UNION ALL SELECT 'migration ' || id || ' ' || version_id FROM goose_db_version
		UNION ALL SELECT 'key ' || id || created_at FROM data_keys ORDER BY 1`,
}

func TestMigratingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		read := func() (all []string) {
			if err := s.write.Raw(made[s.write.Name()]).Scan(&all).Error; err != nil {
				t.Fatal(err)
			}
			return all
		}
		before := read()
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if after := read(); len(before) < len(rows) || !slices.Equal(before, after) {
			t.Errorf("%s is made anew:\n%q\n%q", s.write.Name(), before, after)
		}
	}
}

// TestRowsHaveNotDrifted asks GORM what it would change to make the migrated
// schema fit the rows: nothing.
func TestRowsHaveNotDrifted(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		log := &capture{}
		undo := errors.New("undo")
		err := s.write.Session(&gorm.Session{Logger: log}).Transaction(func(tx *gorm.DB) error {
			if err := tx.AutoMigrate(rows...); err != nil {
				return err
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Fatal(err)
		}
		for _, change := range log.changes {
			t.Errorf("%s: GORM would run %s", s.write.Name(), change)
		}
		if log.seen == 0 {
			t.Error("nothing was captured")
		}
	}
}

type capture struct {
	mu      sync.Mutex
	changes []string
	seen    int
}

func (c *capture) LogMode(logger.LogLevel) logger.Interface      { return c }
func (c *capture) Info(context.Context, string, ...interface{})  {}
func (c *capture) Warn(context.Context, string, ...interface{})  {}
func (c *capture) Error(context.Context, string, ...interface{}) {}

var change = regexp.MustCompile(`(?i)^\s*(create|alter|drop)\b`)

func (c *capture) Trace(_ context.Context, _ time.Time, f func() (string, int64), _ error) {
	sql, _ := f()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen++
	if change.MatchString(sql) {
		c.changes = append(c.changes, sql)
	}
}
