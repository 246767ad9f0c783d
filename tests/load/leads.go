package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fichario/adapters/gormstore/engine"
)

// leadTables are the baseline's tables for a lead: the columns and indexes of the program's own tables, without its
// delivery log and its receipts, and without any rule.
const leadTables = `
CREATE TABLE plain_contacts (id uuid PRIMARY KEY, org_id uuid NOT NULL, webhook_id bigint, name text NOT NULL,
	email text NOT NULL, phone text NOT NULL, company text NOT NULL, amount bigint NOT NULL, note text NOT NULL,
	origin_id uuid, stage_id uuid NOT NULL, assignee_id uuid, created_at timestamptz NOT NULL);
CREATE INDEX plain_contacts_org ON plain_contacts (org_id, id);
CREATE TABLE plain_events (id uuid PRIMARY KEY, org_id uuid NOT NULL, contact_id uuid NOT NULL, kind text NOT NULL,
	actor text NOT NULL, at timestamptz NOT NULL);
CREATE INDEX plain_events_contact ON plain_events (contact_id, id);
CREATE TABLE plain_notifications (id uuid PRIMARY KEY, org_id uuid NOT NULL, kind text NOT NULL,
	contact_id uuid NOT NULL, subject text NOT NULL, at timestamptz NOT NULL);
CREATE INDEX plain_notifications_org ON plain_notifications (org_id, id);
CREATE TABLE plain_jobs (id uuid PRIMARY KEY, org_id uuid NOT NULL, kind text NOT NULL, contact_id uuid NOT NULL,
	state text NOT NULL, run_at timestamptz NOT NULL);
CREATE INDEX plain_jobs_ready ON plain_jobs (kind, run_at) WHERE state = 'ready';
CREATE TABLE plain_counters (webhook_id bigint PRIMARY KEY, received bigint NOT NULL);
`

const (
	insertContact      = "INSERT INTO plain_contacts VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
	insertEvent        = "INSERT INTO plain_events VALUES ($1, $2, $3, $4, $5, $6)"
	insertNotification = "INSERT INTO plain_notifications VALUES ($1, $2, $3, $4, $5, $6)"
	insertJob          = "INSERT INTO plain_jobs VALUES ($1, $2, $3, $4, $5, $6)"
	countLead          = "UPDATE plain_counters SET received = received + 1 WHERE webhook_id = $1"
)

// leadStatements are the five statements for a lead, with their values.
func leadStatements(webhook int, id, body string, each func(statement string, values ...any)) {
	const org, stage, member = "01980000-0000-7000-8000-000000000001", "01980000-0000-7000-8000-000000000002", "01980000-0000-7000-8000-000000000003"
	now := time.Now().UTC().Truncate(time.Microsecond)
	next := func() string { return uuid.Must(uuid.NewV7()).String() }
	each(insertContact, id, org, webhook, "Pessoa", "pessoa@example.com", "(11) 98765-4321", "Empresa", 12345600, body,
		stage, stage, member, now)
	each(insertEvent, next(), org, id, "criado", "Site", now)
	each(insertNotification, next(), org, "contato", id, "Site", now)
	each(insertJob, next(), org, "contact.created", id, "ready", now)
	each(countLead, webhook)
}

// keeper returns a function that stores a lead: on PostgreSQL the five statements as one batch, in one round trip and
// one transaction; on SQLite one writer that runs the five in a transaction.
func keeper(ctx context.Context, url string) (func(ctx context.Context, webhook int, id, body string) error, error) {
	if path, ok := engine.SQLitePath(url); ok {
		return liteKeeper(ctx, path)
	}
	pool, err := openPool(ctx, url)
	if err != nil {
		return nil, err
	}
	if _, err := pool.Exec(ctx, leadTables+fmt.Sprintf(
		"INSERT INTO plain_counters SELECT n, 0 FROM generate_series(0, %d) n", webhooks-1)); err != nil {
		return nil, err
	}
	return func(ctx context.Context, webhook int, id, body string) error {
		batch := &pgx.Batch{}
		leadStatements(webhook, id, body, func(statement string, values ...any) { batch.Queue(statement, values...) })
		return pool.SendBatch(ctx, batch).Close()
	}, nil
}

func liteKeeper(
	ctx context.Context, path string,
) (func(ctx context.Context, webhook int, id, body string) error, error) {
	db, err := openLite(path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, liteTypes.Replace(leadTables)); err != nil {
		return nil, err
	}
	for i := range webhooks {
		if _, err := db.ExecContext(ctx, "INSERT INTO plain_counters VALUES (?, 0)", i); err != nil {
			return nil, err
		}
	}
	prepared := map[string]*sql.Stmt{}
	for _, statement := range []string{insertContact, insertEvent, insertNotification, insertJob, countLead} {
		prepared[statement], err = db.PrepareContext(ctx, statement) //nolint:sqlclosecheck // for the process's life
		if err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, webhook int, id, body string) error {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }()
		leadStatements(webhook, id, body, func(statement string, values ...any) {
			if err == nil {
				stmt := tx.StmtContext(ctx, prepared[statement]) //nolint:sqlclosecheck // the transaction closes it
				_, err = stmt.ExecContext(ctx, values...)
			}
		})
		if err != nil {
			return err
		}
		return tx.Commit()
	}, nil
}
