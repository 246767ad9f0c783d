package main

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fichario/adapters/gormstore/engine"
)

const toldEntry = "INSERT INTO plain_lookups VALUES ($1, $2, 'cpf', $3, $4, false, 0, 'concluida', NULL, NULL)"

// told is a caller waiting for a line of the statement.
type told struct {
	documento string
	done      chan error
}

// teller is a baseline: the least that an answer from history costs if a statement is promised, a line that is durable
// before the answer, written together with those of everybody waiting. It has no rule, no key and no encryption.
func teller(ctx context.Context, url string) (func(ctx context.Context, documento string) error, error) {
	var run func(context.Context, []statement) error
	var err error
	writers := 1
	if path, ok := engine.SQLitePath(url); ok {
		run, err = liteTeller(ctx, path)
	} else {
		writers = 4
		run, err = pgTeller(ctx, url)
	}
	if err != nil {
		return nil, err
	}
	waiting := make(chan told)
	for range writers {
		go func() {
			for one := range waiting {
				all := []told{one}
				for more := true; more && len(all) < 64; {
					select {
					case another := <-waiting:
						all = append(all, another)
					default:
						more = false
					}
				}
				lines := make([]statement, len(all))
				for i, t := range all {
					now := time.Now().UTC().Truncate(time.Microsecond)
					key := "01980000-0000-7000-8000-000000000001"
					lines[i] = statement{toldEntry, []any{uuid.Must(uuid.NewV7()).String(), key, t.documento, now}}
				}
				err := run(ctx, lines)
				for _, t := range all {
					t.done <- err
				}
			}
		}()
	}
	return func(_ context.Context, documento string) error {
		t := told{documento, make(chan error, 1)}
		waiting <- t
		return <-t.done
	}, nil
}

func pgTeller(ctx context.Context, url string) (func(context.Context, []statement) error, error) {
	pool, err := openPool(ctx, url)
	return func(ctx context.Context, lines []statement) error {
		batch := &pgx.Batch{}
		for _, s := range lines {
			batch.Queue(s.text, s.values...)
		}
		return pool.SendBatch(ctx, batch).Close()
	}, err
}

func liteTeller(ctx context.Context, path string) (func(context.Context, []statement) error, error) {
	db, err := openLite(path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	insert, err := db.PrepareContext(ctx, toldEntry)
	return func(ctx context.Context, lines []statement) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		stmt := tx.StmtContext(ctx, insert) //nolint:sqlclosecheck // the transaction closes it
		for _, s := range lines {
			if _, err := stmt.ExecContext(ctx, s.values...); err != nil {
				return err
			}
		}
		return tx.Commit()
	}, err
}
