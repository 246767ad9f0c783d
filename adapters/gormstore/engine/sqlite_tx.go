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
	ctx      context.Context
	tx       *sql.Tx
	prepared map[string]*sql.Stmt
	err      error
	// Queued says that an event's job was written.
	Queued bool
}

// OnSQLite runs f in one transaction.
func (s *Engine) OnSQLite(ctx context.Context, f func(*SQLiteTx)) error {
	pool, err := s.Writer.DB()
	if err != nil {
		return err
	}
	prepared, err := s.statements(ctx, pool)
	if err != nil {
		return err
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	w := &SQLiteTx{ctx: ctx, tx: tx, prepared: prepared}
	if f(w); w.err != nil {
		return w.err
	}
	if err := tx.Commit(); err != nil {
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

// Exec returns how many rows a statement changed.
func (w *SQLiteTx) Exec(statement string, values ...any) (changed int64) {
	if w.err != nil {
		return 0
	}
	var result sql.Result
	stmt := w.tx.StmtContext(w.ctx, w.prepared[statement]) //nolint:sqlclosecheck // the transaction closes it
	if result, w.err = stmt.ExecContext(w.ctx, values...); w.err == nil {
		changed, w.err = result.RowsAffected()
	}
	return changed
}

// Counting counts in the transaction.
func (w *SQLiteTx) Counting(statement string, values ...any) error {
	w.Exec(statement, values...)
	return w.err
}

// Row scans one row into variables, and reports whether there is one.
func (w *SQLiteTx) Row(statement string, values []any, into ...any) bool {
	if w.err != nil {
		return false
	}
	stmt := w.tx.StmtContext(w.ctx, w.prepared[statement]) //nolint:sqlclosecheck // the transaction closes it
	err := stmt.QueryRowContext(w.ctx, values...).Scan(into...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		w.err = err
	}
	return err == nil
}
