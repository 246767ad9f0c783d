package gormstore

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/ports"
)

// conn is where a repository's operations run: the pools, or one transaction. Every operation passes its name, which
// prefixes its errors.
type conn struct {
	read, write *gorm.DB
	// pages are the pools for what people look at; where there are none, people share the others.
	pages   share
	replica *replica // nil where there is none, or it must not be asked
	// migrating opens connections of the role that owns the tables; nil on SQLite.
	migrating *dialer
	standby   *standby
	edges     *edges
	tx        bool
	// lines are the audit lines that are written last in the transaction.
	lines *[]audit.Line
	// queued are the kinds of jobs that the transaction makes due, announced once it is committed.
	queued   *[]automation.JobKind
	announce func(...automation.JobKind)
}

// due announces jobs that may run now, at the latest when the transaction is committed.
func (c conn) due(kinds ...automation.JobKind) {
	if c.tx {
		*c.queued = append(*c.queued, kinds...)
		return
	}
	c.announce(kinds...)
}

// share is the connections reserved for one kind of work.
type share struct{ read, write *gorm.DB }

// of returns the pools for a context.
func (c conn) of(ctx context.Context) share {
	if c.pages.read != nil && ports.ReadingOf(ctx) != ports.ForCallers {
		return c.pages
	}
	return share{c.read, c.write}
}

// query is for an operation that reads.
func (c conn) query(ctx context.Context, op string, f func(*gorm.DB) error) error {
	return c.run(ctx, op, c.of(ctx).read, f)
}

// list is query for lists, figures and files, which a replica may answer where the context allows. f may run twice.
func (c conn) list(ctx context.Context, op string, f func(*gorm.DB) error) error {
	if c.replica != nil && ports.ReadingOf(ctx) == ports.ForLists {
		if done, err := c.replica.answer(ctx, f); done {
			return named(op, classify(err))
		}
	}
	return c.query(ctx, op, f)
}

// exec is for an operation that writes.
func (c conn) exec(ctx context.Context, op string, f func(*gorm.DB) error) error {
	return c.standby.holds(func() error { return c.run(ctx, op, c.of(ctx).write, f) })
}

// whole is exec for several statements that succeed or fail together.
func (c conn) whole(ctx context.Context, op string, f func(*gorm.DB) error) error {
	return c.exec(ctx, op, func(db *gorm.DB) error {
		if c.tx {
			return f(db)
		}
		return db.Transaction(f)
	})
}

// inside is exec for operations that are refused outside InTx.
func (c conn) inside(ctx context.Context, op string, f func(*gorm.DB) error) error {
	if !c.tx {
		return named(op, ports.ErrOutsideTx)
	}
	return c.run(ctx, op, c.write, f)
}

// outside refuses, inside InTx, operations that share a transaction with other requests.
func (c conn) outside(op string) error {
	if c.tx {
		return named(op, ports.ErrInsideTx)
	}
	return nil
}

// create is exec for one row, or a slice of them.
func (c conn) create(ctx context.Context, op string, row any) error {
	return c.exec(ctx, op, func(db *gorm.DB) error { return db.Create(row).Error })
}

// changing is exec for a change that later posts to the organisation's webhooks must see.
func (c conn) changing(ctx context.Context, op, orgID string, f func(*gorm.DB) error) error {
	return c.exec(ctx, op, func(db *gorm.DB) error {
		return db.Transaction(func(tx *gorm.DB) error {
			if err := f(tx); err != nil {
				return err
			}
			return tx.Table("organisations").Where("id = ?", orgID).Update("epoch", gorm.Expr("epoch + 1")).Error
		})
	})
}

// changed is exec that returns how many rows a change affected.
func (c conn) changed(ctx context.Context, op string, change func(*gorm.DB) *gorm.DB) (n int, err error) {
	err = c.exec(ctx, op, func(db *gorm.DB) error {
		done := change(db)
		n = int(done.RowsAffected)
		return done.Error
	})
	return n, err
}

func (c conn) run(ctx context.Context, op string, db *gorm.DB, f func(*gorm.DB) error) (err error) {
	ctx, span := spanned(ctx, op)
	defer func() { ports.EndSpan(span, err) }()
	if c.tx {
		return named(op, told(ctx, f(db))) // InTx bounds the whole transaction
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout())
	defer cancel()
	return named(op, told(ctx, f(db.WithContext(ctx))))
}

// spanned begins the span of an operation. It never holds the statements: they contain values.
func spanned(ctx context.Context, op string) (context.Context, ports.Span) {
	ctx, span := ports.Within(ctx, ports.Storing, op)
	span.Set("db.operation.name", op)
	return ctx, span
}

// scope narrows or orders a query.
type scope func(*gorm.DB) *gorm.DB

func where(condition string, values ...any) scope {
	return func(db *gorm.DB) *gorm.DB { return db.Where(condition, values...) }
}

// byID selects the row with an id. An empty id matches none: PostgreSQL would refuse it as no UUID.
func byID(id string) scope { return where("id = ?", optional(id)) }

func order(by string) scope { return func(db *gorm.DB) *gorm.DB { return db.Order(by) } }

// newest is a page of the newest rows first, ordered by UUIDv7, which begins with the time.
func newest(after string, limit int) scope {
	return func(db *gorm.DB) *gorm.DB {
		if after != "" {
			db = db.Where("id < ?", after)
		}
		return db.Order("id DESC").Limit(limit)
	}
}

// locked keeps others from changing the rows until the transaction ends. SQLite has one writer and no row locks; its
// dialect omits the clause.
func locked(strength, options string) scope {
	return func(db *gorm.DB) *gorm.DB { return db.Clauses(clause.Locking{Strength: strength, Options: options}) }
}

// runner is query, list, exec or inside.
type runner func(ctx context.Context, op string, f func(*gorm.DB) error) error

// findOne reads a row as the domain's value; ports.ErrNotFound when there is none.
func findOne[Row, Out any](
	ctx context.Context, run runner, op string, as func(Row) Out, scopes ...scope,
) (out Out, err error) {
	err = run(ctx, op, func(db *gorm.DB) error {
		for _, s := range scopes {
			db = s(db)
		}
		var row Row
		if err := db.Take(&row).Error; err != nil {
			return err
		}
		out = as(row)
		return nil
	})
	return out, err
}

// findAll reads rows as the domain's values.
func findAll[Row, Out any](
	ctx context.Context, run runner, op string, as func(Row) Out, scopes ...scope,
) (out []Out, err error) {
	err = run(ctx, op, func(db *gorm.DB) error {
		for _, s := range scopes {
			db = s(db)
		}
		var rows []Row
		if err := db.Find(&rows).Error; err != nil {
			return err
		}
		out = mapped(rows, as)
		return nil
	})
	return out, err
}
