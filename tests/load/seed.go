package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // the driver of the baseline

	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
	"fichario/app"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/domain/lookup"
	"fichario/ports"
)

// cpf makes the i-th valid CPF.
func cpf(i int) string {
	digits := []byte(fmt.Sprintf("%09d", 100_000_000+i))
	for range 2 {
		sum := 0
		for j, d := range digits {
			sum += int(d-'0') * (len(digits) + 1 - j)
		}
		digits = append(digits, byte('0'+sum*10%11%10))
	}
	return string(digits)
}

// answer is a bureau's answer of about 4 KB, different for every row.
func answer(i int) []byte {
	noise := make([]byte, 1850)
	_, _ = rand.Read(noise)
	return []byte(fmt.Sprintf(
		`{"resultado":{"nome":"PESSOA %d","fones":[{"ddd":"11","numero":"987654321"}]},"mais":"%s"}`, i, hex.EncodeToString(noise)))
}

// webhooks is the number of webhooks.
const webhooks = 64

// seeded is what a client needs for its requests.
type seeded struct {
	key    string
	tokens []string
}

// seed fills the program's history and the baseline's tables with the same answers.
func seed(ctx context.Context, url string, dataKey []byte, rows int) (out seeded, err error) {
	store, err := gormstore.Open(url, [][]byte{dataKey})
	if err != nil {
		return out, err
	}
	defer func() { _ = store.Close() }()
	if err := store.Migrate(ctx); err != nil {
		return out, err
	}
	now := func() time.Time { return time.Now().UTC() }
	org, err := team.NewOrganisations(store, now).Create(ctx, "Carga")
	if err != nil {
		return out, err
	}
	_, secret, err := lookups.NewKeys(store, now).Create(ctx, app.Operator(), lookups.NewKey{
		OrgID: org.ID, Name: "Carga", Scopes: document.Types(),
		Limits: access.Limits{PerMinute: 100_000_000, PerDay: 100_000_000, PerMonth: 100_000_000},
	})
	if err != nil {
		return out, err
	}
	out.key = secret.Reveal()
	hooks := intakeapp.NewWebhooks(store, now)
	for _, name := range []string{"Google", "Instagram", "Indicação"} {
		if _, err := contacts.NewOrigins(store).Add(ctx, app.Operator(), org.ID, name); err != nil {
			return out, err
		}
	}
	for i := range webhooks {
		_, token, err := hooks.Create(ctx, app.Operator(), intakeapp.NewWebhook{
			OrgID: org.ID, Name: fmt.Sprintf("Site %d", i), Options: intake.Options{Kind: intake.Generic},
		})
		if err != nil {
			return out, err
		}
		out.tokens = append(out.tokens, token.Reveal())
	}
	plain, err := openPlain(ctx, url)
	if err != nil {
		return out, err
	}
	defer plain.close()
	product, _ := catalog.Standard().Find(catalog.CPF)
	fields, _ := product.Project(map[string]any{
		"nome": "PESSOA", "telefones": []any{map[string]any{"ddd": "11", "numero": "987654321"}},
	})
	const batch = 1000
	for first := 0; first < rows; first += batch {
		docs, answers := make([]string, 0, batch), make([][]byte, 0, batch)
		for i := first; i < min(first+batch, rows); i++ {
			docs, answers = append(docs, cpf(i)), append(answers, answer(i))
		}
		err := store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			for i, d := range docs {
				err := r.History.Save(ctx, lookup.Record{
					ID: uuid.Must(uuid.NewV7()).String(), OrgID: org.ID, Product: product.ID,
					Document:   document.Restore(document.CPF, d),
					AnsweredAt: now(), Found: true, Schema: product.Schema(), Fields: fields, Raw: answers[i],
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return out, err
		}
		if err := plain.insert(ctx, docs, answers); err != nil {
			return out, err
		}
	}
	return out, plain.settle(ctx)
}

// plain is the baseline's table: unencrypted answers, by document.
type plain struct {
	pg   *pgx.Conn
	lite *sql.DB
}

func openPlain(ctx context.Context, url string) (*plain, error) {
	if path, ok := engine.SQLitePath(url); ok {
		db, err := openLite(path)
		if err == nil {
			_, err = db.ExecContext(ctx, "CREATE TABLE plain (documento text PRIMARY KEY, answer blob NOT NULL)")
		}
		return &plain{lite: db}, err
	}
	conn, err := pgx.Connect(ctx, url)
	if err == nil {
		_, err = conn.Exec(ctx, "CREATE TABLE plain (documento text PRIMARY KEY, answer bytea STORAGE EXTERNAL NOT NULL)")
		if err != nil { // PostgreSQL before 16 has no STORAGE in CREATE TABLE
			_, err = conn.Exec(ctx, "CREATE TABLE plain (documento text PRIMARY KEY, answer bytea NOT NULL); ALTER TABLE plain ALTER COLUMN answer SET STORAGE EXTERNAL")
		}
	}
	return &plain{pg: conn}, err
}

func (p *plain) insert(ctx context.Context, docs []string, answers [][]byte) error {
	if p.pg != nil {
		rows := make([][]any, len(docs))
		for i := range docs {
			rows[i] = []any{docs[i], answers[i]}
		}
		_, err := p.pg.CopyFrom(ctx, pgx.Identifier{"plain"}, []string{"documento", "answer"}, pgx.CopyFromRows(rows))
		return err
	}
	tx, err := p.lite.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for i := range docs {
		if _, err := tx.ExecContext(ctx, "INSERT INTO plain VALUES (?, ?)", docs[i], answers[i]); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// settle leaves the database as in daily use: analysed, and with all writes flushed.
func (p *plain) settle(ctx context.Context) (err error) {
	if p.pg != nil {
		for _, statement := range []string{"VACUUM ANALYZE", "CHECKPOINT"} {
			if _, err = p.pg.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	}
	_, err = p.lite.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

func (p *plain) close() {
	if p.pg != nil {
		_ = p.pg.Close(context.Background())
		return
	}
	_ = p.lite.Close()
}

func openLite(path string) (*sql.DB, error) {
	db, err := sql.Open("sqlite",
		"file:"+path+"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	db.SetMaxIdleConns(4)
	return db, nil
}
