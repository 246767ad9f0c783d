package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"fichario/domain/automation"
	"fichario/ports"
)

// Turn lets one at a time through, and the others give up when their context ends.
type Turn chan struct{}

// NewTurn is a turn that nobody has.
func NewTurn() Turn { return make(Turn, 1) }

// Take waits for the turn; the error of ctx.
func (t Turn) Take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Give gives the turn back.
func (t Turn) Give() { <-t }

// SQLiteTx runs prepared statements in one transaction until one fails.
type SQLiteTx struct {
	ctx     context.Context // asked between two statements
	endless context.Context // given to each, see OnSQLite
	tx      *sql.Tx
	// prepared are the pool's statements, begun those of them that the transaction has used.
	prepared, begun map[string]*sql.Stmt
	err             error
	// Queued says that an event's job was written.
	Queued bool
}

// OnSQLite runs f in one transaction, which waits for its connection as long as ctx lasts, and for the lock of another
// process as long as SQLite does. No statement in it waits for anything, so that ctx is only asked between them: the
// driver would start a goroutine for each statement, to watch for its end.
func (s *Engine) OnSQLite(ctx context.Context, f func(*SQLiteTx)) error {
	pool, err := s.Writer.DB()
	if err != nil {
		return err
	}
	prepared, err := s.statements(ctx, pool)
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	w := &SQLiteTx{ctx: ctx, endless: context.WithoutCancel(ctx), prepared: prepared, begun: map[string]*sql.Stmt{}}
	if w.tx, err = conn.BeginTx(w.endless, nil); err != nil {
		return err
	}
	defer func() { _ = w.tx.Rollback() }()
	if f(w); !w.goesOn() {
		return w.err
	}
	if err := w.tx.Commit(); err != nil {
		return fmt.Errorf("%w: %w", ports.ErrUncertain, err)
	}
	if w.Queued {
		s.Announce(automation.FanOut)
	}
	return nil
}

// statements prepares onSQLite: once the schema exists, or when one is first used. If ctx ends, those already prepared
// are kept.
func (s *Engine) statements(ctx context.Context, pool *sql.DB) (map[string]*sql.Stmt, error) {
	if err := s.preparing.Take(ctx); err != nil {
		return nil, err
	}
	defer s.preparing.Give()
	if s.prepared == nil {
		s.prepared = map[string]*sql.Stmt{}
	}
	for _, statement := range s.Prepare[len(s.prepared):] {
		//nolint:sqlclosecheck // it lives as long as the pool
		stmt, err := pool.PrepareContext(ctx, statement)
		if err != nil {
			return nil, err
		}
		s.prepared[statement] = stmt
	}
	return s.prepared, nil
}

// goesOn reports whether no statement has failed and there is still time.
func (w *SQLiteTx) goesOn() bool {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	return w.err == nil
}

// stmt is a statement in the transaction, which closes it.
func (w *SQLiteTx) stmt(statement string) *sql.Stmt {
	s := w.begun[statement]
	if s == nil {
		s = w.tx.StmtContext(w.endless, w.prepared[statement])
		w.begun[statement] = s
	}
	return s
}

// Exec returns how many rows a statement changed.
func (w *SQLiteTx) Exec(statement string, values ...any) (changed int64) {
	if !w.goesOn() {
		return 0
	}
	var result sql.Result
	stmt := w.stmt(statement) //nolint:sqlclosecheck // the transaction closes it
	if result, w.err = stmt.ExecContext(w.endless, values...); w.err == nil {
		changed, w.err = result.RowsAffected()
	}
	return changed
}

// Counting counts in the transaction.
func (w *SQLiteTx) Counting(t Tally, row any) error {
	w.Exec(t.One, t.Values(row)...)
	return w.err
}

// Row scans one row into variables, and reports whether there is one.
func (w *SQLiteTx) Row(statement string, values []any, into ...any) bool {
	if !w.goesOn() {
		return false
	}
	stmt := w.stmt(statement) //nolint:sqlclosecheck // the transaction closes it
	err := stmt.QueryRowContext(w.endless, values...).Scan(into...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		w.err = err
	}
	return err == nil
}
