package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"fichario/domain/automation"
	"fichario/ports"
)

// turn lets one at a time through, and the others give up when their context ends.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t turn) give() { <-t }

// writer runs prepared statements in one transaction until one fails.
type writer struct {
	ctx      context.Context
	tx       *sql.Tx
	prepared map[string]*sql.Stmt
	err      error
	// queued says that an event's job was written.
	queued bool
}

// writing runs f in one transaction.
func (s *Engine) writing(ctx context.Context, f func(*writer)) error {
	pool, err := s.write.DB()
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
	w := &writer{ctx: ctx, tx: tx, prepared: prepared}
	if f(w); w.err != nil {
		return w.err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("%w: %w", ports.ErrUncertain, err)
	}
	if w.queued {
		s.announce(automation.FanOut)
	}
	return nil
}

// statements prepares onSQLite: once the schema exists, or when one is first used. If ctx ends, those already prepared
// are kept.
func (s *Engine) statements(ctx context.Context, pool *sql.DB) (map[string]*sql.Stmt, error) {
	if err := s.preparing.take(ctx); err != nil {
		return nil, err
	}
	defer s.preparing.give()
	if s.prepared == nil {
		s.prepared = map[string]*sql.Stmt{}
	}
	for _, statement := range s.onSQLite[len(s.prepared):] {
		//nolint:sqlclosecheck // it lives as long as the pool
		stmt, err := pool.PrepareContext(ctx, statement)
		if err != nil {
			return nil, err
		}
		s.prepared[statement] = stmt
	}
	return s.prepared, nil
}

// exec returns how many rows a statement changed.
func (w *writer) exec(statement string, values ...any) (changed int64) {
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

// row scans one row into variables, and reports whether there is one.
func (w *writer) row(statement string, values []any, into ...any) bool {
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
