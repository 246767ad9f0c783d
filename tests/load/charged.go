package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/sandbox"
)

// chargedTables are the baseline's tables for a charged lookup: the program's columns and indexes that a charge needs,
// without any rule and without encryption.
const chargedTables = `
CREATE TABLE plain_leases (documento text PRIMARY KEY, call_id uuid NOT NULL, expires_at timestamptz NOT NULL);
CREATE TABLE plain_usage (bucket text PRIMARY KEY, count bigint NOT NULL, amount bigint NOT NULL);
CREATE TABLE plain_lookups (id uuid PRIMARY KEY, key_id uuid NOT NULL, product text NOT NULL, documento text NOT NULL,
	at timestamptz NOT NULL, charged boolean NOT NULL, amount bigint NOT NULL, status text NOT NULL, record_id uuid,
	settle_at timestamptz);
CREATE INDEX plain_lookups_key ON plain_lookups (key_id, id);
CREATE TABLE plain_records (id uuid PRIMARY KEY, documento text NOT NULL, answered_at timestamptz NOT NULL,
	answer bytea NOT NULL);
CREATE INDEX plain_records_document ON plain_records (documento, answered_at);
`

const (
	chargeLease  = "INSERT INTO plain_leases VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"
	chargeNewest = "SELECT id FROM plain_records WHERE documento = $1 ORDER BY answered_at DESC LIMIT 1"
	chargeUsage  = `INSERT INTO plain_usage VALUES ($1, 1, 4500)
		ON CONFLICT (bucket) DO UPDATE SET count = plain_usage.count + 1, amount = plain_usage.amount + 4500`
	chargeEntry  = "INSERT INTO plain_lookups VALUES ($1, $2, 'cpf', $3, $4, true, 4500, 'em_andamento', NULL, $4)"
	chargeFree   = "DELETE FROM plain_leases WHERE documento = $1"
	chargeEnd    = "UPDATE plain_lookups SET status = 'concluida', record_id = $2, settle_at = NULL WHERE id = $1"
	chargeRecord = "INSERT INTO plain_records VALUES ($1, $2, $3, $4)"
)

var chargeBuckets = []string{"2026-11", "2026-11-20", "hora", "dia", "total"}

// statement is a statement with its values.
type statement struct {
	text   string
	values []any
}

// chargedStatements are the two transactions of a charged lookup.
func chargedStatements(documento string, answer []byte) (begin, end []statement) {
	const key = "01980000-0000-7000-8000-000000000001"
	now := time.Now().UTC().Truncate(time.Microsecond)
	id, record := uuid.Must(uuid.NewV7()).String(), uuid.Must(uuid.NewV7()).String()
	begin = []statement{{chargeLease, []any{documento, id, now}}, {chargeNewest, []any{documento}}}
	for _, bucket := range chargeBuckets {
		begin = append(begin, statement{chargeUsage, []any{bucket}})
	}
	return append(begin, statement{chargeEntry, []any{id, key, documento, now}}), []statement{
		{chargeFree, []any{documento}}, {chargeEnd, []any{id, record}}, {chargeRecord, []any{record, documento, now, answer}},
	}
}

// charger returns the baseline of a charged lookup: the same two transactions in sequence, as batches of statements on
// PostgreSQL and one by one on SQLite, by its single writer.
func charger(ctx context.Context, url string) (func(ctx context.Context, documento string) error, error) {
	answer := make([]byte, 4000)
	_, _ = rand.Read(answer)
	var run func(context.Context, []statement) error
	var err error
	if path, ok := engine.SQLitePath(url); ok {
		run, err = liteCharger(ctx, path)
	} else {
		run, err = pgCharger(ctx, url)
	}
	return func(ctx context.Context, documento string) error {
		begin, end := chargedStatements(documento, answer)
		if err := run(ctx, begin); err != nil {
			return err
		}
		return run(ctx, end)
	}, err
}

func pgCharger(ctx context.Context, url string) (func(context.Context, []statement) error, error) {
	pool, err := openPool(ctx, url)
	if err != nil {
		return nil, err
	}
	if _, err := pool.Exec(ctx, chargedTables); err != nil {
		return nil, err
	}
	return func(ctx context.Context, statements []statement) error {
		batch := &pgx.Batch{} // one transaction
		for _, s := range statements {
			batch.Queue(s.text, s.values...)
		}
		return pool.SendBatch(ctx, batch).Close()
	}, nil
}

func liteCharger(ctx context.Context, path string) (func(context.Context, []statement) error, error) {
	db, err := openLite(path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, liteTypes.Replace(chargedTables)); err != nil {
		return nil, err
	}
	prepared := map[string]*sql.Stmt{}
	for _, text := range []string{
		chargeLease, chargeNewest, chargeUsage, chargeEntry, chargeFree, chargeEnd, chargeRecord,
	} {
		prepared[text], err = db.PrepareContext(ctx, text) //nolint:sqlclosecheck // for the process's life
		if err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, statements []statement) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		for _, s := range statements {
			stmt := tx.StmtContext(ctx, prepared[s.text]) //nolint:sqlclosecheck // the transaction closes it
			if _, err := stmt.ExecContext(ctx, s.values...); err != nil {
				return err
			}
		}
		return tx.Commit()
	}, nil
}

// liteTypes translates PostgreSQL's type names to SQLite's.
var liteTypes = strings.NewReplacer(
	"uuid", "text", "timestamptz", "datetime", "bigint", "integer", "bytea", "blob", "boolean", "integer")

// unasked numbers documents that nobody has looked up: each causes a call to the bureau.
var unasked atomic.Int64

func nextCPF() string { return cpf(100_000_000 + int(unasked.Add(1))) }

// chargedLookup compares a charged lookup with just its two transactions: the baseline calls no bureau.
func chargedLookup(of string, seeded seeded) comparison {
	return comparison{
		"charged lookup of " + of + " / its two transactions",
		func(int) string { return get("/api/v1/cpf/"+nextCPF(), seeded.key) },
		func(int) string { return post("/charge/"+nextCPF(), 0) }, 200, nil,
	}
}

// bureauOverHTTP starts the sandbox as a separate process, and returns the setting that selects it.
func bureauOverHTTP(ctx context.Context, s settings, dir string) (env string, stop func(), err error) {
	bureau, err := start(ctx, s.binary, []string{
		"FICHARIO_LISTEN=127.0.0.1:0", "FICHARIO_LOG_FORMAT=json",
	}, "sandbox-bureau")
	if err != nil {
		return "", nil, err
	}
	file := filepath.Join(dir, "bureau.yaml")
	text := strings.Replace(string(sandbox.File(sandbox.Plain)), "http://sandbox.invalid", "http://"+bureau.addr, 1)
	return "FICHARIO_BUREAU=" + file, bureau.end, os.WriteFile(file, []byte(text), 0o600)
}
