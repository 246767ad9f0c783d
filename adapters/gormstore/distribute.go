package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
)

// directory are the tables of which each node has a copy, in the order in which they refer to one another: what leads
// from a secret or an address to its organisation, and configuration.
var directory = []string{
	"organisations", "members", "keys", "key_secrets", "origins", "webhooks", "webhook_tokens", "funnels",
	"stages", "automations", "purposes", "bundles", "rotations", "rotation_members", "member_preferences",
	"notification_marks", "sessions", "identities", "passkeys", "recovery_codes", "one_time_codes", "tickets",
	"data_keys", "subject_keys", "bureau_orders", "bureau_outs",
}

// alone are the tables with organisations that the coordinator keeps, because one chore takes turns among all of them.
var alone = []string{"goose_db_version", "lead_sources"}

// first is the table with which all other distributed tables keep the rows of an organisation together.
const first = "lookups"

// Distribution is what Distribute did.
type Distribution struct {
	// Nodes are the workers, Directory the tables that each node has a copy of, Distributed those that are divided by
	// organisation, Local those that the coordinator keeps alone.
	Nodes       int      `json:"nodes"`
	Directory   []string `json:"directory"`
	Distributed []string `json:"distributed"`
	Local       []string `json:"local"`
}

// Distribute divides the tables of a migrated database by organisation among the nodes of Citus. Each table is a step
// of its own, so that a run that is killed is continued by the next; it waits for whoever writes a table, and writers
// wait for it. No instance of a version without Distribute may use the database afterwards.
func (s *Store) Distribute(ctx context.Context) (Distribution, error) {
	if !s.IsPostgres() {
		return Distribution{}, errors.New("only PostgreSQL with Citus is distributed, but FICHARIO_DATABASE_URL is SQLite")
	}
	pool := s.Migrating.Open()
	defer func() { _ = pool.Close() }()
	ctx, unlock, err := lockMigrations(ctx, pool)
	if err != nil {
		return Distribution{}, fmt.Errorf("distribute: %w", engine.Classify(err))
	}
	defer unlock()
	done, err := s.distribute(ctx, pool)
	if err != nil {
		return Distribution{}, fmt.Errorf("distribute: %w", engine.Classify(err))
	}
	s.Distributed.Store(true)
	return done, nil
}

// nodes counts the workers that take rows.
const nodes = `SELECT COUNT(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary'`

func (s *Store) distribute(ctx context.Context, pool *sql.DB) (done Distribution, err error) {
	if there, err := hasCitus(ctx, pool); err != nil || !there {
		return done, errors.Join(err, errors.New("this database has no Citus: docs/citus.md says how it gets it"))
	}
	if err := pool.QueryRowContext(ctx, nodes).Scan(&done.Nodes); err != nil {
		return done, err
	}
	if done.Nodes == 0 {
		return done, errors.New("no node takes rows yet: add each with SELECT citus_add_node('ADDRESS', PORT)")
	}
	divided, err := dividedTables(ctx, pool)
	if err != nil {
		return done, err
	}
	for _, table := range directory {
		if !slices.Contains(divided, table) {
			if _, err := pool.ExecContext(ctx, "SELECT create_reference_table($1)", table); err != nil {
				return done, fmt.Errorf("%s: %w", table, err)
			}
		}
	}
	done.Directory = directory
	if done.Distributed, done.Local, err = s.byOrganisation(ctx, pool); err != nil {
		return done, err
	}
	for _, table := range done.Distributed {
		if slices.Contains(divided, table) {
			continue
		}
		if err := divide(ctx, pool, table); err != nil {
			return done, fmt.Errorf("%s: %w", table, err)
		}
	}
	return done, nil
}

// divide distributes a table by organisation. Every unique key of it must begin with the organisation's id, because no
// node knows the rows of another.
func divide(ctx context.Context, pool *sql.DB, table string) error {
	steps, err := withOrganisation(ctx, pool, table)
	if err != nil {
		return err
	}
	steps = append([]string{
		"SET LOCAL citus.enable_unsafe_triggers = on", // ours change rows of the same organisation alone
	}, steps...)
	steps = append(steps, follow[table]...)
	with := first
	if table == first {
		with = "none"
	}
	steps = append(steps, fmt.Sprintf("SELECT create_distributed_table('%s', 'org_id', colocate_with => '%s')", table, with))
	return engine.Briefly(ctx, pool, engine.MigrateTries, func(tx *sql.Tx) error { return engine.ExecAll(ctx, tx, steps...) })
}

// follow are the functions of triggers that must name the organisation of the rows they change.
var follow = map[string][]string{
	"contact_documents": {`CREATE OR REPLACE FUNCTION contact_documents_follow() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF TG_OP <> 'INSERT' THEN
			DELETE FROM contact_documents WHERE org_id = OLD.org_id AND contact_id = OLD.id;
		END IF;
		IF TG_OP <> 'DELETE' THEN
			INSERT INTO contact_documents (org_id, doc_index, contact_id)
			SELECT NEW.org_id, substr(NEW.doc_index, 1 + 32 * n, 32), NEW.id
			FROM generate_series(0, COALESCE(octet_length(NEW.doc_index), 0) / 32 - 1) AS n
			ON CONFLICT DO NOTHING;
		END IF;
		RETURN NULL;
	END $$`},
	"contact_words": {`CREATE OR REPLACE FUNCTION contact_words_follow() RETURNS trigger LANGUAGE plpgsql AS $$
	BEGIN
		IF TG_OP = 'DELETE' THEN
			DELETE FROM contact_words WHERE org_id = OLD.org_id AND contact_id = OLD.id;
		ELSE
			INSERT INTO contact_words (contact_id, org_id, words) VALUES (NEW.id, NEW.org_id, COALESCE(NEW.search, ''))
			ON CONFLICT (org_id, contact_id) DO UPDATE SET words = excluded.words;
		END IF;
		RETURN NULL;
	END $$`},
}

// withOrganisation are the statements that put org_id before the columns of a table's unique keys.
func withOrganisation(ctx context.Context, pool *sql.DB, table string) (steps []string, err error) {
	rows, err := pool.QueryContext(ctx, `
		SELECT i.indexrelid::regclass::text, i.indisprimary, pg_get_indexdef(i.indexrelid), (SELECT string_agg(a.attname, ', '
			ORDER BY k.place) FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
			JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number)
		FROM pg_index AS i WHERE i.indrelid = to_regclass($1) AND i.indisunique AND NOT EXISTS (SELECT 1
			FROM pg_attribute AS a WHERE a.attrelid = i.indrelid AND a.attname = 'org_id' AND a.attnum = ANY (i.indkey))`, table)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var name, definition string
		var primary bool
		var columns sql.NullString // none where all are expressions
		if err := rows.Scan(&name, &primary, &definition, &columns); err != nil {
			return nil, err
		}
		if primary {
			steps = append(steps, fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s, ADD CONSTRAINT %[2]s PRIMARY KEY (org_id, %s)",
				table, name, columns.String))
			continue
		}
		steps = append(steps, "DROP INDEX "+name, strings.Replace(definition, "btree (", "btree (org_id, ", 1))
	}
	return steps, rows.Err()
}

// byOrganisation are the tables whose rows have an organisation, but for the directory, and those that have neither.
// The first one comes first.
func (s *Store) byOrganisation(ctx context.Context, pool *sql.DB) (distributed, local []string, err error) {
	rows, err := pool.QueryContext(ctx, `
		SELECT c.relname, EXISTS (SELECT 1 FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'org_id')
		FROM pg_class AS c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
			AND NOT c.relispartition AND c.relname <> ALL ($1) ORDER BY c.relname <> $2, c.relname`,
		append(slices.Clone(alone), directory...), first)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var table string
		var ofOrganisation bool
		if err := rows.Scan(&table, &ofOrganisation); err != nil {
			return nil, nil, err
		}
		if ofOrganisation {
			distributed = append(distributed, table)
		} else {
			local = append(local, table)
		}
	}
	return distributed, local, rows.Err()
}

// hasCitus reports whether the database has the extension.
func hasCitus(ctx context.Context, pool *sql.DB) (there bool, err error) {
	err = pool.QueryRowContext(ctx, "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL").Scan(&there)
	return there, err
}

// dividedTables are the tables that Citus knows.
func dividedTables(ctx context.Context, pool *sql.DB) (out []string, err error) {
	rows, err := pool.QueryContext(ctx, "SELECT logicalrelid::text FROM pg_dist_partition WHERE partmethod = 'h' OR repmodel = 't'")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			return nil, err
		}
		out = append(out, table)
	}
	return out, rows.Err()
}

// followDistribution distributes the tables that a migration has added to a distributed database.
func (s *Store) followDistribution(ctx context.Context, pool *sql.DB) error {
	if err := s.findDistribution(ctx, pool); err != nil || !s.Distributed.Load() {
		return err
	}
	_, err := s.distribute(ctx, pool)
	return err
}

// FindDistribution learns whether Citus divides the tables, without migrating.
func (s *Store) FindDistribution(ctx context.Context) error {
	pool, err := s.Writer.DB()
	if err != nil || !s.IsPostgres() {
		return err
	}
	return s.findDistribution(ctx, pool)
}

func (s *Store) findDistribution(ctx context.Context, pool *sql.DB) error {
	if there, err := hasCitus(ctx, pool); err != nil || !there {
		return err
	}
	divided, err := dividedTables(ctx, pool)
	if err == nil && slices.Contains(divided, first) {
		s.Distributed.Store(true)
	}
	return err
}

// divides reports whether the rows of a table are divided by organisation, where tables are.
func (s *Store) divides(table string) bool {
	return slices.ContainsFunc(s.tables(), func(row schema.Tabler) bool {
		return row.TableName() == table && engine.HasOrg(row) && !slices.Contains(directory, table) &&
			!slices.Contains(alone, table)
	})
}
