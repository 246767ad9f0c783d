package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm/schema"

	"fichario/adapters/gormstore/engine"
)

// directory are the tables of which each node has a copy, in the order in which they refer to one another: what leads
// from a secret or an address to its organisation, and configuration.
var directory = []string{
	"organisations", "members", "keys", "key_secrets", "origins", "webhooks", "webhook_names", "webhook_tokens", "funnels",
	"stages", "automations", "purposes", "bundles", "rotations", "rotation_members", "member_preferences",
	"notification_marks", "sessions", "identities", "passkeys", "recovery_codes", "one_time_codes", "tickets",
	"data_keys", "subject_keys", "bureau_orders", "bureau_outs",
}

// alone are other tables of the coordinator: among the organisations of lead_sources, one chore takes turns.
var alone = []string{"goose_db_version", "lead_sources", "two_phases"}

// early are the tables that triggers of others change. The first is the one with which all others keep the rows of an
// organisation together.
var early = []string{"charge_days", "member_days", "contact_documents", "contact_words"}

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
// of its own, so that a run that is killed is continued by the next. It refuses where a service or another command is
// connected: what began before would not know.
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
	there, err := hasCitus(ctx, pool)
	if err == nil && !there {
		err = errors.New("this database has no Citus: docs/citus.md says how it gets it")
	}
	if err == nil {
		err = s.nobodyElse(ctx, pool)
	}
	var done Distribution
	if err == nil {
		done, err = s.distribute(ctx, pool)
	}
	if err != nil {
		return Distribution{}, fmt.Errorf("distribute: %w", engine.Classify(err))
	}
	s.Distributed.Store(true)
	return done, nil
}

// nobodyElse returns an error where another process than this one is connected as the same role: it may be a service,
// whatever its connections call themselves. Those of Citus name it.
func (s *Store) nobodyElse(ctx context.Context, pool *sql.DB) error {
	const patience = 30
	for try := 1; ; try++ {
		if err := s.LetGo(); err != nil {
			return err
		}
		var others int
		err := pool.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()
			AND backend_type = 'client backend' AND usename = current_user
			AND application_name NOT LIKE 'citus%' AND application_name NOT LIKE $1`, "%"+engine.MigratingName).Scan(&others)
		if err == nil && others > 0 && try == patience {
			err = fmt.Errorf("%d other connections of this database's role: stop all services first", others)
		}
		if err != nil || others == 0 {
			return err
		}
		if err := engine.Pause(ctx, 100*time.Millisecond); err != nil { // the server sees later that one was closed
			return err
		}
	}
}

// nodes counts the workers that take rows.
const nodes = `SELECT COUNT(*) FROM pg_dist_node WHERE isactive AND shouldhaveshards AND noderole = 'primary'`

func (s *Store) distribute(ctx context.Context, pool *sql.DB) (done Distribution, err error) {
	if err := pool.QueryRowContext(ctx, nodes).Scan(&done.Nodes); err != nil {
		return done, err
	}
	divided, err := dividedTables(ctx, pool)
	if err != nil {
		return done, err
	}
	done.Directory = directory
	if done.Distributed, done.Local, err = s.byOrganisation(ctx, pool); err != nil {
		return done, err
	}
	left := func(table string) bool { return !slices.Contains(divided, table) }
	if done.Nodes == 0 && slices.ContainsFunc(slices.Concat(done.Directory, done.Distributed), left) {
		return done, errors.New("no node takes rows yet: add each with SELECT citus_add_node('ADDRESS', PORT)")
	}
	for _, table := range done.Directory {
		if left(table) {
			if err := briefly(ctx, pool, fmt.Sprintf("SELECT create_reference_table('%s')", table)); err != nil {
				return done, fmt.Errorf("%s: %w", table, err)
			}
		}
	}
	for _, table := range done.Distributed {
		if left(table) {
			if err := divide(ctx, pool, table); err != nil {
				return done, fmt.Errorf("%s: %w", table, err)
			}
		}
	}
	return done, inTwoPhases(ctx, pool, append(slices.Clone(done.Local), "lead_sources"))
}

// briefly runs statements in one transaction, which waits for no lock for long.
func briefly(ctx context.Context, pool *sql.DB, steps ...string) error {
	return engine.Briefly(ctx, pool, engine.MigrateTries, func(tx *sql.Tx) error {
		return engine.ExecAll(ctx, tx, steps...)
	})
}

// owners find the organisations of rows that instances of the version before have written without meanwhile.
var owners = map[string]string{
	"leases":          "lookups AS o WHERE o.id = call_id",
	"lookup_requests": "keys AS o WHERE o.id = key_id",
	"key_usage":       ofAccount + "key_id", "limit_changes": ofAccount + "key_id", "told": ofAccount + "subject_id",
	"receipts": ofWebhook, "webhook_counters": ofWebhook, "delivery_hours": ofWebhook,
	"delivery_contacts": "deliveries AS o WHERE o.id = delivery_id",
	"stage_totals":      "funnels AS o JOIN stages AS s ON s.funnel_id = o.id WHERE s.id = stage_id",
	"rotation_turns":    ofRotation, "rotation_counts": ofRotation,
}

const (
	ofWebhook  = "webhooks AS o WHERE o.id = webhook_id"
	ofRotation = "rotations AS o WHERE o.id = rotation_id"
	ofAccount  = `(SELECT id, org_id FROM keys UNION ALL SELECT id, org_id FROM members
		UNION ALL SELECT id, org_id FROM batches UNION ALL SELECT id, org_id FROM automations
		UNION ALL SELECT id, id FROM organisations) AS o WHERE o.id = `
)

// divide distributes a table by organisation. Its rows are copied without its triggers, which have counted them. A row
// whose owner is gone belongs to nobody.
func divide(ctx context.Context, pool *sql.DB, table string) error {
	steps, err := withOrganisation(ctx, pool, table)
	if err != nil {
		return err
	}
	if owner, is := owners[table]; is {
		steps = append([]string{
			fmt.Sprintf("UPDATE %s AS t SET org_id = o.org_id FROM %s AND t.org_id IS NULL", table, owner),
			fmt.Sprintf("UPDATE %s SET org_id = '%s' WHERE org_id IS NULL", table, engine.NoID),
		}, steps...)
	}
	with := early[0]
	if table == with {
		with = "none"
	}
	if _, is := functions[table+"_follow"]; is {
		steps = append(steps, function(table+"_follow"))
	}
	var after []string
	triggers, err := two(ctx, pool, `SELECT tgname, pg_get_triggerdef(oid) FROM pg_trigger
		WHERE tgrelid = to_regclass($1) AND NOT tgisinternal ORDER BY tgname`, table)
	if err != nil {
		return err
	}
	for _, trigger := range triggers {
		steps = append(steps, fmt.Sprintf("DROP TRIGGER %s ON %s", trigger[0], table))
		// Not what was needed while the coordinator had the table alone.
		if !slices.Contains([]string{twoPhases, "lock_question"}, trigger[0]) {
			after = append(after, trigger[1])
		}
	}
	steps = append(steps, fmt.Sprintf("SELECT create_distributed_table('%s', 'org_id', colocate_with => '%s')", table, with),
		"SET LOCAL citus.enable_unsafe_triggers = on") // ours change rows of the same organisation alone
	return briefly(ctx, pool, append(steps, after...)...)
}

// twoPhases is the trigger of the coordinator's own tables.
const twoPhases = "commit_in_two_phases"

// inTwoPhases makes what changes the coordinator's own tables and a node commit on both or on neither: Citus sees to
// that only for tables that it knows, so that a trigger touches one of those.
func inTwoPhases(ctx context.Context, pool *sql.DB, local []string) error {
	wanted := map[[2]string]string{}
	for _, table := range local {
		wanted[[2]string{table, twoPhases}] = "AFTER INSERT OR UPDATE OR DELETE ON " + table +
			" FOR EACH STATEMENT"
	}
	there, err := two(ctx, pool, `SELECT c.relname, t.tgname FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
		WHERE c.relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return err
	}
	for _, one := range there {
		delete(wanted, one)
	}
	bodies, err := two(ctx, pool, "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace")
	if err != nil {
		return err
	}
	var steps []string
	for name, body := range functions {
		// A migration that replaces one writes it for one PostgreSQL.
		if !slices.Contains(bodies, [2]string{name, body}) {
			steps = append(steps, function(name))
		}
	}
	if len(wanted) > 0 {
		steps = append(steps, "CREATE TABLE IF NOT EXISTS two_phases (id bigint PRIMARY KEY, n bigint NOT NULL)",
			`SELECT citus_add_local_table_to_metadata('two_phases')
			WHERE NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'two_phases'::regclass)`)
	}
	for of, when := range wanted {
		steps = append(steps, fmt.Sprintf("CREATE TRIGGER %s %s EXECUTE FUNCTION %[1]s()", of[1], when))
	}
	if len(steps) == 0 {
		return nil // a start changes nothing, also while a node is down
	}
	return briefly(ctx, pool, steps...)
}

// functions are the bodies of the triggers' functions. Those that follow contacts name the organisation of the rows
// that they change.
var functions = map[string]string{
	"contact_documents_follow": `
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
	END `,
	"contact_words_follow": `
	BEGIN
		IF TG_OP = 'DELETE' THEN
			DELETE FROM contact_words WHERE org_id = OLD.org_id AND contact_id = OLD.id;
		ELSE
			INSERT INTO contact_words (contact_id, org_id, words) VALUES (NEW.id, NEW.org_id, COALESCE(NEW.search, ''))
			ON CONFLICT (org_id, contact_id) DO UPDATE SET words = excluded.words;
		END IF;
		RETURN NULL;
	END `,
	twoPhases: `
	BEGIN
		UPDATE two_phases SET n = n WHERE id = 0;
		RETURN NULL;
	END `,
}

// function makes one of them.
func function(name string) string {
	return fmt.Sprintf("CREATE OR REPLACE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $$%s$$", name, functions[name])
}

// withOrganisation are the statements that add org_id to a table's unique keys, because no node knows the rows of
// another. It comes last, so that a row is found by its id alone too.
func withOrganisation(ctx context.Context, pool *sql.DB, table string) (steps []string, err error) {
	keys, err := two(ctx, pool, `
		SELECT i.indexrelid::regclass::text, CASE WHEN i.indisprimary THEN (
			SELECT string_agg(a.attname, ', ' ORDER BY k.place) FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
			JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.number)
			ELSE pg_get_indexdef(i.indexrelid) END
		FROM pg_index AS i WHERE i.indrelid = to_regclass($1) AND i.indisunique AND NOT EXISTS (SELECT 1
			FROM pg_attribute AS a WHERE a.attrelid = i.indrelid AND a.attname = 'org_id' AND a.attnum = ANY (i.indkey))`, table)
	for _, key := range keys {
		name, of := key[0], key[1]
		for _, unknown := range []string{" INCLUDE ", " NULLS NOT ", " ON ONLY "} {
			if strings.Contains(of, unknown) {
				return nil, fmt.Errorf("nothing here adds an organisation to %s", of)
			}
		}
		if !strings.HasPrefix(of, "CREATE") { // the columns of the primary key
			steps = append(steps, fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT %s, ADD CONSTRAINT %[2]s PRIMARY KEY (%s, org_id)",
				table, name, of))
			continue
		}
		columns, where, partial := strings.Cut(of, ") WHERE ")
		columns = strings.TrimSuffix(columns, ")") + ", org_id)"
		if partial {
			columns += " WHERE " + where
		}
		steps = append(steps, "DROP INDEX "+name, columns)
	}
	return steps, err
}

// two reads two columns of text.
func two(ctx context.Context, pool *sql.DB, query string, values ...any) (out [][2]string, err error) {
	rows, err := pool.QueryContext(ctx, query, values...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var row [2]string
		if err := rows.Scan(&row[0], &row[1]); err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// byOrganisation are the tables whose rows have an organisation, but for the directory, and those that have none. Those
// that triggers change come first.
func (s *Store) byOrganisation(ctx context.Context, pool *sql.DB) (distributed, local []string, err error) {
	tables, err := two(ctx, pool, `
		SELECT c.relname, EXISTS (SELECT 1 FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname = 'org_id')::text
		FROM pg_class AS c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
			AND NOT c.relispartition AND c.relname <> ALL ($1)
		ORDER BY array_position($2::text[], c.relname::text), c.relname`, append(slices.Clone(alone), directory...), early)
	for _, table := range tables {
		if table[1] == "true" {
			distributed = append(distributed, table[0])
		} else {
			local = append(local, table[0])
		}
	}
	return distributed, local, err
}

// hasCitus reports whether the database has the extension.
func hasCitus(ctx context.Context, pool *sql.DB) (there bool, err error) {
	err = pool.QueryRowContext(ctx, "SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL").Scan(&there)
	return there, err
}

// dividedTables are the tables of which the nodes have rows.
func dividedTables(ctx context.Context, pool *sql.DB) (out []string, err error) {
	tables, err := two(ctx, pool, `SELECT logicalrelid::text, partmethod::text FROM pg_dist_partition
		WHERE partmethod = 'h' OR repmodel = 't'`)
	for _, table := range tables {
		out = append(out, table[0])
	}
	return out, err
}

// followDistribution distributes the tables that a migration has added to a distributed database.
func (s *Store) followDistribution(ctx context.Context, pool *sql.DB) error {
	if err := s.findDistribution(ctx, pool); err != nil || !s.Distributed.Load() {
		return err
	}
	_, err := s.distribute(ctx, pool)
	return err
}

// findDistribution learns whether Citus divides the tables.
func (s *Store) findDistribution(ctx context.Context, pool *sql.DB) error {
	if there, err := hasCitus(ctx, pool); err != nil || !there {
		return err
	}
	divided, err := dividedTables(ctx, pool)
	if err == nil && len(divided) > 0 { // also by a run that was killed, which the next start continues
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
