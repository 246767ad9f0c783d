package engine

import (
	"cmp"
	"context"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/schema"

	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/ports"
)

// Conn is where a repository's operations run: the pools, or one transaction. Every operation passes its name, which
// prefixes its errors.
type Conn struct {
	Reader, Writer *gorm.DB
	// pages are the pools for what people look at; where there are none, people share the others.
	pages   share
	Replica *replica // nil where there is none, or it must not be asked
	// Migrating opens connections of the role that owns the tables; nil on SQLite.
	Migrating *dialer
	Standby   *standby
	Edges     *Edges
	Tx        bool
	// Lines are the audit lines that are written last in the transaction.
	Lines *[]audit.Line
	// Queued are the kinds of jobs that the transaction makes due, announced once it is committed.
	Queued   *[]automation.JobKind
	announce func(...automation.JobKind)
}

// MakeDue announces jobs that may run now, at the latest when the transaction is committed.
func (c Conn) MakeDue(kinds ...automation.JobKind) {
	if c.Tx {
		*c.Queued = append(*c.Queued, kinds...)
		return
	}
	c.announce(kinds...)
}

// share is the connections reserved for one kind of work.
type share struct{ Read, Write *gorm.DB }

// Of returns the pools for a context.
func (c Conn) Of(ctx context.Context) share {
	if c.pages.Read != nil && ports.ReadingOf(ctx) != ports.ForCallers {
		return c.pages
	}
	return share{c.Reader, c.Writer}
}

// Query is for an operation that reads.
func (c Conn) Query(ctx context.Context, op string, f func(*gorm.DB) error) error {
	return c.run(ctx, op, c.Of(ctx).Read, f)
}

// QueryList is query for lists, figures and files, which a replica may answer where the context allows. f may run
// twice.
func (c Conn) QueryList(ctx context.Context, op string, f func(*gorm.DB) error) error {
	if c.Replica != nil && ports.ReadingOf(ctx) == ports.ForLists {
		if done, err := c.Replica.answer(ctx, f); done {
			return Named(op, Classify(err))
		}
	}
	return c.Query(ctx, op, f)
}

// Exec is for an operation that writes.
func (c Conn) Exec(ctx context.Context, op string, f func(*gorm.DB) error) error {
	return c.Standby.Holds(func() error { return c.run(ctx, op, c.Of(ctx).Write, f) })
}

// Whole is exec for several statements that succeed or fail together.
func (c Conn) Whole(ctx context.Context, op string, f func(*gorm.DB) error) error {
	return c.Exec(ctx, op, func(db *gorm.DB) error {
		if c.Tx {
			return f(db)
		}
		return db.Transaction(f)
	})
}

// Inside is exec for operations that are refused outside InTx.
func (c Conn) Inside(ctx context.Context, op string, f func(*gorm.DB) error) error {
	if !c.Tx {
		return Named(op, ports.ErrOutsideTx)
	}
	return c.run(ctx, op, c.Writer, f)
}

// Outside refuses, inside InTx, operations that share a transaction with other requests.
func (c Conn) Outside(op string) error {
	if c.Tx {
		return Named(op, ports.ErrInsideTx)
	}
	return nil
}

// Insert is exec for one row, or a slice of them.
func (c Conn) Insert(ctx context.Context, op string, row any) error {
	return c.Exec(ctx, op, func(db *gorm.DB) error { return db.Create(row).Error })
}

// ExecPosts is exec for a change that later posts to the organisation's webhooks must see.
func (c Conn) ExecPosts(ctx context.Context, op, orgID string, f func(*gorm.DB) error) error {
	for try := 1; ; try++ {
		err := c.Exec(ctx, op, func(db *gorm.DB) error {
			return db.Transaction(func(tx *gorm.DB) error {
				if err := f(tx); err != nil {
					return err
				}
				return tx.Table("organisations").Where("id = ?", orgID).Update("epoch", gorm.Expr("epoch + 1")).Error
			})
		})
		if c.Tx || !Distributed(c.Writer) || !Collided(err) || !TryAgain(ctx, c.Writer, try) {
			return err
		}
	}
}

// ExecCount is exec that returns how many rows a change affected.
func (c Conn) ExecCount(ctx context.Context, op string, change func(*gorm.DB) *gorm.DB) (n int, err error) {
	err = c.Exec(ctx, op, func(db *gorm.DB) error {
		done := change(db)
		n = int(done.RowsAffected)
		return done.Error
	})
	return n, err
}

// ForgetSome removes some of the rows that scopes select, ForgetAtOnce of them, and returns how many.
func (c Conn) ForgetSome(ctx context.Context, op string, row schema.Tabler, scopes ...Scope) (int, error) {
	keys := strings.Join(keysOf(row), ", ")
	return c.ExecCount(ctx, op, func(db *gorm.DB) *gorm.DB {
		old := db.Model(row).Select(keys).Limit(ForgetAtOnce)
		for _, narrow := range scopes {
			old = narrow(old)
		}
		gone := db.Where("("+keys+") IN (?)", old)
		for _, narrow := range scopes { // again, for the partitions
			gone = narrow(gone)
		}
		return gone.Delete(row)
	})
}

func (c Conn) run(ctx context.Context, op string, db *gorm.DB, f func(*gorm.DB) error) (err error) {
	ctx, span := Spanned(ctx, op)
	defer func() { ports.EndSpan(span, err) }()
	if c.Tx {
		return Named(op, Told(ctx, f(db))) // InTx bounds the whole transaction
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout())
	defer cancel()
	return Named(op, Told(ctx, f(db.WithContext(ctx))))
}

// Spanned begins the span of an operation. It never holds the statements: they contain values.
func Spanned(ctx context.Context, op string) (context.Context, ports.Span) {
	ctx, span := ports.Within(ctx, ports.Storing, op)
	span.Set("db.operation.name", op)
	return ctx, span
}

// Scope narrows or orders a query.
type Scope func(*gorm.DB) *gorm.DB

// Where narrows a query by a condition.
func Where(condition string, values ...any) Scope {
	return func(db *gorm.DB) *gorm.DB { return db.Where(condition, values...) }
}

// ByID selects the row with an id. An empty id matches none: PostgreSQL would refuse it as no UUID.
func ByID(id string) Scope { return Where("id = ?", Optional(id)) }

// ByIDAlone is ByID for a row that may be locked, whatever its organisation.
func ByIDAlone(id string) Scope {
	return func(db *gorm.DB) *gorm.DB { return ofItsOwn(ByID(id)(db)) }
}

// Of selects the row of an organisation with an id; that of any with ports.AnyOrg. An empty organisation has none.
func Of(orgID, id string) Scope {
	if orgID == ports.AnyOrg {
		return ByIDAlone(id)
	}
	return Where("id = ? AND org_id = ?", Optional(id), Optional(orgID))
}

// OrgOf is the organisation by whose value Citus finds what belongs to a row: with ports.AnyOrg, the row's own.
func OrgOf(db *gorm.DB, row schema.Tabler, orgID, id string) UID {
	of := UID(cmp.Or(orgID, NoID))
	if orgID == ports.AnyOrg {
		of = NoID
		alone := db.Session(&gorm.Session{NewDB: true}).Model(row).Where("id = ?", Optional(id))
		_ = db.AddError(alone.Select("org_id").Scan(&of).Error)
	}
	return of
}

// In selects the rows of an organisation beside another condition, whose index is to be walked (see WithOrg); those of
// all with ports.AnyOrg.
func In(orgID string) Scope { return inColumn("org_id", orgID) }

// InOf is In for a table that has a name of its own in the statement.
func InOf(table, orgID string) Scope { return inColumn(table+".org_id", orgID) }

func inColumn(column, orgID string) Scope {
	return func(db *gorm.DB) *gorm.DB {
		if orgID == ports.AnyOrg {
			return db
		}
		return db.Where(withOrg(db, column), orgID)
	}
}

// Order orders a query.
func Order(by string) Scope { return func(db *gorm.DB) *gorm.DB { return db.Order(by) } }

// Newest is a page of the newest rows first, ordered by UUIDv7, which begins with the time.
func Newest(after string, limit int) Scope {
	return func(db *gorm.DB) *gorm.DB {
		if after != "" {
			db = db.Where("id < ?", after)
		}
		return db.Order("id DESC").Limit(limit)
	}
}

// Locked keeps others from changing the rows until the transaction ends. SQLite has one writer and no row locks; its
// dialect omits the clause.
func Locked(strength, options string) Scope {
	return func(db *gorm.DB) *gorm.DB { return db.Clauses(clause.Locking{Strength: strength, Options: options}) }
}

// Runner is query, list, exec or inside.
type Runner func(ctx context.Context, op string, f func(*gorm.DB) error) error

// FindOne reads a row as the domain's value; ports.ErrNotFound when there is none.
func FindOne[Row, Out any](
	ctx context.Context, run Runner, op string, as func(Row) Out, scopes ...Scope,
) (out Out, err error) {
	err = run(ctx, op, func(db *gorm.DB) error {
		db = db.Model(new(Row))
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

// FindAll reads rows as the domain's values.
func FindAll[Row, Out any](
	ctx context.Context, run Runner, op string, as func(Row) Out, scopes ...Scope,
) (out []Out, err error) {
	err = run(ctx, op, func(db *gorm.DB) error {
		for _, s := range scopes {
			db = s(db)
		}
		var rows []Row
		if err := db.Find(&rows).Error; err != nil {
			return err
		}
		out = Mapped(rows, as)
		return nil
	})
	return out, err
}
