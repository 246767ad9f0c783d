package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"

	"fichario/ports"
)

func (s *Engine) openPostgres(databaseURL string) error {
	d, err := NewDialer(databaseVariable, databaseURL)
	if err != nil {
		return err
	}
	if s.ways.dial != nil {
		d.config.DialFunc = s.ways.dial
	}
	s.dialer, s.Migrating = d, d.Patient()
	if s.Writer, err = d.gorm(&s.Distributed); err != nil {
		return err
	}
	if s.Pages.Read, err = d.gorm(&s.Distributed); err != nil {
		return err
	}
	s.Reader, s.Pages.Write = s.Writer, s.Pages.Read
	s.Dialect = goose.DialectPostgres
	return s.LimitConnections(poolSize)
}

// gorm opens a pool.
func (d *dialer) gorm(distributed *atomic.Bool) (*gorm.DB, error) {
	c := config()
	// Otherwise opening would require the database to be up.
	c.DisableAutomaticPing = true
	// PrepareStmt stays off: pgx caches statements itself, and GORM's cache prepares them again in every transaction.
	return gorm.Open(dialect{postgres.Dialector{Config: &postgres.Config{Conn: d.Open()}}, distributed}, c)
}

// PastGORM runs f on a raw connection of the driver, for what most requests do: GORM and database/sql would copy each
// value once or twice more.
func (s *Engine) PastGORM(ctx context.Context, f func(*pgx.Conn) error) error {
	pool, err := s.Writer.DB()
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // gives it back
	return s.dialer.standby.Holds(func() error {
		return conn.Raw(func(driver any) error {
			return f(driver.(*stdlib.Conn).Conn()) //nolint:forcetypeassert // the pool is stdlib's
		})
	})
}

// rollBack ends a transaction that has not been committed, also for whoever has gone away, and within Timeout: the
// connection is closed where the database does not say so by then.
func rollBack(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), Timeout())
	defer cancel()
	_ = tx.Rollback(ctx)
}

// OnPostgres runs f in a transaction on PostgreSQL, bypassing GORM, and retries it after a collision with another one.
func (s *Engine) OnPostgres(ctx context.Context, f func(pgx.Tx) error) error {
	const tries = 3
	for try := 1; ; try++ {
		err := s.PastGORM(ctx, func(db *pgx.Conn) error {
			tx, err := db.Begin(ctx)
			if err != nil {
				return err
			}
			defer rollBack(ctx, tx)
			if err := f(tx); err != nil {
				return err
			}
			err = tx.Commit(ctx)
			var refused *pgconn.PgError
			if err != nil && (!errors.As(err, &refused) || Severed(err)) { // a pooler says so that it lost the server
				return fmt.Errorf("%w: %w", ports.ErrUncertain, err)
			}
			return err
		})
		if try == tries || !Collided(err) {
			return err
		}
	}
}

// Batch is what is sent to PostgreSQL at once. Where Citus divides the tables, all of it is about one organisation.
type Batch struct {
	pgx.Batch
	// Divided is whether it does.
	Divided bool
}

// NewBatch returns an empty one.
func (s *Engine) NewBatch() *Batch { return &Batch{Divided: s.Distributed.Load()} }

// PlanOnce is a batch whose statements, and those that follow in the transaction, PostgreSQL plans once for a
// connection. For one that takes arrays, it expects ten elements where it does not look at the values: where there are
// fewer, planning anew each time seems cheaper to it, and takes longer than a small batch's statement does. This must
// not precede a statement that finds rows by a range of ids too, because a plan for any range is one for wide ranges;
// and where statements are not kept, it would only keep PostgreSQL from leaving out partitions as it plans. Citus plans
// by the organisation's id.
func (s *Engine) PlanOnce() *Batch {
	batch, mode := s.NewBatch(), s.dialer.config.DefaultQueryExecMode
	if pooled := s.dialer.Pooled.Load(); pooled != nil {
		mode = *pooled
	}
	if mode == pgx.QueryExecModeCacheStatement && !batch.Divided {
		batch.Queue("SELECT set_config('plan_cache_mode', 'force_generic_plan', true)")
	}
	return batch
}

// many writes rows of one table: all by one statement, or each by one of its own.
type many struct {
	arrays
	table    Table
	all, one string
	// inOrder is by how many of the first columns they are sorted.
	inOrder int
}

// ManyOf is the insertion of many rows of a table.
func ManyOf(t Table) many {
	a := ArraysOf(1, Sent{t, "", nil})
	marks := make([]string, len(t.columns))
	for i, c := range t.columns {
		marks[i] = fmt.Sprintf("$%d%s", i+1, c.cast)
	}
	insert, _, _ := strings.Cut(t.Insert(), " VALUES ")
	return many{
		arrays: a, table: t, all: Sent{t, "", nil}.Insert("unnest(" + a.Parameters + ") AS a (" + a.Names + ")"),
		one: insert + " VALUES (" + strings.Join(marks, ", ") + ")",
	}
}

// InOrder is the insertion in an order that all transactions share, so that no two deadlock: that of the first columns.
func (m many) InOrder(columns int) many {
	order := make([]string, columns)
	for i := range order {
		order[i] = fmt.Sprint(i + 1)
	}
	m.all += " ORDER BY " + strings.Join(order, ", ")
	m.inOrder = columns
	return m
}

// before compares the values of two rows by the columns that order them.
func (m many) before(a, b []any) int {
	return strings.Compare(fmt.Sprint(a[:m.inOrder]), fmt.Sprint(b[:m.inOrder]))
}

// Then is the insertion with a last clause.
func (m many) Then(clause string) many {
	m.all, m.one = m.all+clause, m.one+clause
	return m
}

// QueueRows queues the insertion of rows; nil if there are none. Citus inserts rows one by one: it then sees in the
// statement on which node a row belongs, and commits there alone, in one phase.
func QueueRows[Row any](batch *Batch, m many, rows []Row) (queued *pgx.QueuedQuery) {
	if batch.Divided {
		each := make([][]any, len(rows))
		for i := range rows {
			each[i] = m.table.Values(&rows[i])
		}
		slices.SortStableFunc(each, m.before)
		for _, values := range each {
			queued = batch.Queue(m.one, values...)
		}
		return queued
	}
	if len(rows) == 0 {
		return nil
	}
	values := make([]reflect.Value, len(rows))
	for i := range rows {
		values[i] = reflect.ValueOf(&rows[i]).Elem()
	}
	return batch.Queue(m.all, m.Values(values)...)
}

// Owned is a statement on rows that say whose they are, but for those of the version before: to Citus alone it names
// their organisations.
type Owned struct{ whole, divided string }

// OwnedBy describes one. {of TABLE}, after a condition, is that the table's row is of one of the organisations that the
// parameter names, which is the last one.
func OwnedBy(statement string, parameter int) Owned {
	var o Owned
	for {
		before, rest, found := strings.Cut(statement, "{of ")
		o.whole, o.divided = o.whole+before, o.divided+before
		if !found {
			return o
		}
		table, after, _ := strings.Cut(rest, "}")
		o.divided += " AND " + OfOrgs(table, parameter)
		statement = after
	}
}

// QueueOwned queues one, for rows of some organisations.
func (b *Batch) QueueOwned(o Owned, orgs []string, values ...any) *pgx.QueuedQuery {
	if b.Divided {
		return b.Queue(o.divided, append(values, orgs)...)
	}
	return b.Queue(o.whole, values...)
}
