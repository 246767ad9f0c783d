package world_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"

	gormengine "fichario/adapters/gormstore/engine"
)

// lite is SQLite's driver, whose statements wait for the scheduler. It works within the bubble: SQLite runs in the
// goroutine that asks.
type lite struct {
	driver.Driver
	sched *scheduler
	who   string
	// writing is the lock of the database's only writer, over all instances. SQLite's own wait for it is in real time.
	writing chan struct{}
}

func (l lite) Open(dsn string) (driver.Conn, error) {
	if l.sched.isDead(l.who) {
		return nil, errLost
	}
	conn, err := l.Driver.Open(dsn)
	if err != nil {
		return nil, err
	}
	writes := strings.Contains(dsn, "_txlock=immediate")
	return &liteConn{LiteConn: conn.(gormengine.LiteConn), lite: l, writes: writes}, nil
}

type liteConn struct {
	gormengine.LiteConn
	lite
	writes bool // it is the connection that writes
	holds  bool // the lock
	lost   bool
	// within ends when a transaction has lasted too long: its statements wait for the scheduler, though the store asks for
	// the end of its time only between them.
	within context.Context
	ended  context.CancelFunc
}

// locked is step for what needs the lock, and waits for it as long as SQLite would. Afterwards it holds the lock.
func (c *liteConn) locked(ctx context.Context, statement string, do func() error) error {
	if !c.writes || c.holds {
		return c.step(ctx, "sql", statement, do)
	}
	waiting, cancel := context.WithTimeout(ctx, gormengine.Timeout()/2)
	defer cancel()
	free := func() bool { return len(c.writing) == 0 }
	err := c.stepWhen(waiting, free, "sql", statement, func() error {
		select {
		case c.writing <- struct{}{}:
		case <-waiting.Done(): // somebody holds it, where everything is done freely
			return errBusy
		}
		c.holds = true
		return do()
	})
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		return errBusy
	}
	return err
}

var errBusy = errors.New("database is locked (5) (SQLITE_BUSY)")

func (c *liteConn) unlock() {
	if c.holds {
		c.holds = false
		<-c.writing
	}
}

// alone runs a statement that, outside a transaction, needs the lock for itself.
func (c *liteConn) alone(ctx context.Context, statement string, do func() error) error {
	if !c.holds {
		defer c.unlock()
	}
	return c.locked(ctx, statement, do)
}

func (c *liteConn) Close() error {
	err := c.LiteConn.Close()
	c.unlock()
	return err
}

// step waits for the scheduler, and does what is to be done.
func (c *liteConn) step(ctx context.Context, kind, statement string, do func() error) error {
	return c.stepWhen(ctx, nil, kind, statement, do)
}

// stepWhen is step that can be taken only while ready.
func (c *liteConn) stepWhen(ctx context.Context, ready func() bool, kind, statement string, do func() error) error {
	if c.lost {
		return driver.ErrBadConn
	}
	if c.within != nil && ctx.Done() == nil {
		ctx = c.within
	}
	v := proceed
	if !strings.HasPrefix(statement, "PRAGMA") {
		v = c.sched.awaitWithin(ctx, &step{who: c.who, kind: kind, what: short(statement) + " in " + caller(), ready: ready,
			alone: c.holds})
	}
	if v == givenUp {
		return ctx.Err()
	}
	if v == refused {
		c.lost = true
		return errLost
	}
	err := do()
	if v == unheard && err == nil {
		c.lost = true
		return errLost
	}
	return err
}

func (c *liteConn) IsValid() bool { return !c.lost && c.LiteConn.IsValid() }

func (c *liteConn) BeginTx(ctx context.Context, o driver.TxOptions) (tx driver.Tx, err error) {
	begun := false
	err = c.locked(ctx, "begin", func() error { tx, err = c.LiteConn.BeginTx(ctx, o); begun = err == nil; return err })
	if err != nil {
		if begun { // the connection was lost after it began
			_ = tx.Rollback()
		}
		c.unlock()
		return nil, err
	}
	c.within, c.ended = context.WithTimeout(context.Background(), gormengine.Timeout())
	return &liteTx{tx, c}, nil
}

// untimed lets a transaction's end take as long as the scheduler wants.
func (c *liteConn) untimed() {
	c.ended()
	c.within = nil
}

type liteTx struct {
	driver.Tx
	on *liteConn
}

func (t *liteTx) Commit() error {
	defer t.on.unlock()
	t.on.untimed()
	committed := false
	err := t.on.step(context.Background(), "commit", "commit",
		func() error { err := t.Tx.Commit(); committed = err == nil; return err })
	if t.on.lost && !committed {
		_ = t.Tx.Rollback()
	}
	return err
}

// Rollback needs nobody's leave: a lost connection does it as well.
func (t *liteTx) Rollback() error {
	defer t.on.unlock()
	t.on.untimed()
	return t.Tx.Rollback()
}

func (c *liteConn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (r driver.Result, err error) {
	err = c.alone(ctx, q, func() error { r, err = c.LiteConn.ExecContext(ctx, q, args); return err })
	return r, err
}

func (c *liteConn) QueryContext(ctx context.Context, q string, args []driver.NamedValue) (r driver.Rows, err error) {
	read := false
	err = c.alone(ctx, q, func() error { r, err = c.LiteConn.QueryContext(ctx, q, args); read = err == nil; return err })
	if err != nil && read {
		_ = r.Close()
	}
	return r, err
}

// PrepareContext prepares nothing: the connection keeps all statements.
func (c *liteConn) PrepareContext(_ context.Context, q string) (driver.Stmt, error) {
	return liteStmt{c, q}, nil
}

type liteStmt struct {
	on    *liteConn
	query string
}

func (s liteStmt) Close() error  { return nil }
func (s liteStmt) NumInput() int { return -1 }

func (s liteStmt) Exec([]driver.Value) (driver.Result, error) { panic("it is asked with a context") }
func (s liteStmt) Query([]driver.Value) (driver.Rows, error)  { panic("it is asked with a context") }

func (s liteStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.on.ExecContext(ctx, s.query, args)
}

func (s liteStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.on.QueryContext(ctx, s.query, args)
}

func (w *world) driver(who string) func(driver.Driver) driver.Driver {
	return func(d driver.Driver) driver.Driver { return lite{kept{d}, w.sched, who, w.writing} }
}
