package engine

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// dialer opens connections to PostgreSQL. A pooler in between gives each transaction a session that it shares with
// others: there nothing may be set for the session, and a statement prepared in one transaction may be unknown in the
// next.
type dialer struct {
	config *pgx.ConnConfig
	// settings are applied to the session where it is ours alone.
	settings map[string]string
	standby  standby
	// modeGiven says that the address itself names the query mode.
	modeGiven bool
	// Pooled is the query mode for the pooler; nil until one is met.
	Pooled atomic.Pointer[pgx.QueryExecMode]
}

// MigratingName is what connections that migrate add to their name.
const MigratingName = " migrate"

// databaseVariable is the setting of the database itself, which may be SQLite too.
const databaseVariable = "FICHARIO_DATABASE_URL"

// NewDialer parses an address; variable names the setting that it came from.
func NewDialer(variable, databaseURL string) (*dialer, error) {
	cfg, err := pgx.ParseConfig(databaseURL)
	address, urlErr := url.Parse(databaseURL)
	if err != nil || urlErr != nil || address.Scheme != "postgres" && address.Scheme != "postgresql" {
		// The parser's error may repeat the password, and the parser takes an empty text for a database named by the
		// environment.
		if variable == databaseVariable {
			return nil, fmt.Errorf("%s is neither sqlite://PATH nor a valid postgres:// URL", variable)
		}
		return nil, fmt.Errorf("%s is not a valid postgres:// URL", variable)
	}
	cfg.ConnectTimeout = cmp.Or(cfg.ConnectTimeout, connectTimeout())
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "fichario" // poolers hand it on
	}
	d := &dialer{config: cfg, settings: map[string]string{}, modeGiven: address.Query().Has("default_query_exec_mode")}
	cfg.OnNotice = d.standby.heard
	for name, value := range map[string]string{
		"statement_timeout": inMilliseconds(Timeout()), "idle_in_transaction_session_timeout": inMilliseconds(2 * Timeout()),
	} {
		if _, set := cfg.RuntimeParams[name]; !set {
			d.settings[name] = value
		}
	}
	return d, nil
}

// inMilliseconds is a duration as PostgreSQL reads it.
func inMilliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds(), "ms") }

// Patient is the same dialer without a statement timeout.
func (d *dialer) Patient() *dialer {
	p := &dialer{config: d.config.Copy(), settings: maps.Clone(d.settings), modeGiven: d.modeGiven}
	delete(p.config.RuntimeParams, "statement_timeout")
	p.settings["statement_timeout"] = "0"
	p.config.RuntimeParams["application_name"] += MigratingName
	return p
}

// Open makes a pool, which connects when it is used.
func (d *dialer) Open() *sql.DB { return sql.OpenDB(d.connector()) }

func (d *dialer) connector() driver.Connector {
	mode := func(_ context.Context, cfg *pgx.ConnConfig) error {
		if pooled := d.Pooled.Load(); pooled != nil {
			cfg.DefaultQueryExecMode = *pooled
		}
		return nil
	}
	greet := func(ctx context.Context, conn *pgx.Conn) error {
		err := d.greet(ctx, conn)
		if err != nil {
			_ = conn.Close(ctx) // database/sql leaves it open
		}
		return err
	}
	return stdlib.GetConnector(*d.config, stdlib.OptionBeforeConnect(mode), stdlib.OptionAfterConnect(greet))
}

// greet applies the settings in the same query that tells whether the session is ours: it is if the backend process
// that answers is the one that the connection was opened to. A connection opened in a query mode that fails through the
// pooler is driver.ErrBadConn, so that database/sql opens another.
func (d *dialer) greet(ctx context.Context, conn *pgx.Conn) error {
	calls, args := []string{"'ours'"}, []any{pgx.QueryExecModeExec, int64(conn.PgConn().PID())}
	for _, name := range slices.Sorted(maps.Keys(d.settings)) {
		args = append(args, d.settings[name])
		calls = append(calls, fmt.Sprintf("set_config('%s', $%d, false)", name, len(args)-1))
	}
	var ours *string
	err := conn.QueryRow(ctx, "SELECT CASE WHEN pg_backend_pid() = $1::bigint THEN "+strings.Join(calls, " || ")+" END",
		args...).Scan(&ours)
	if err != nil || ours != nil {
		return err
	}
	mode := d.Pooled.Load()
	if mode == nil {
		chosen := d.config.DefaultQueryExecMode
		if !d.modeGiven {
			if chosen, err = throughPooler(ctx, conn); err != nil {
				return err
			}
		}
		mode = &chosen
		d.Pooled.Store(mode)
	}
	if conn.Config().DefaultQueryExecMode != *mode {
		return driver.ErrBadConn
	}
	return nil
}

// throughPooler finds the query mode for the pooler behind conn. A pooler that tracks prepared statements renames them,
// so the server does not know our name.
func throughPooler(ctx context.Context, conn *pgx.Conn) (pgx.QueryExecMode, error) {
	tx, err := conn.Begin(ctx) // so that the session forgets what is prepared in it
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	const name, find = "fichario_probe", "SELECT count(*)::text FROM pg_prepared_statements WHERE name = $1"
	_, err = conn.PgConn().Prepare(ctx, name, find, nil)
	if err == nil {
		result := conn.PgConn().ExecPrepared(ctx, name, [][]byte{[]byte(name)}, nil, nil).Read()
		if err = cmp.Or(result.Err, conn.PgConn().Deallocate(ctx, name)); err == nil &&
			len(result.Rows) == 1 && string(result.Rows[0][0]) == "0" {
			return pgx.QueryExecModeCacheStatement, nil
		}
	}
	var refused *pgconn.PgError
	if err != nil && !errors.As(err, &refused) {
		return 0, err
	}
	return pgx.QueryExecModeExec, nil
}

// Pooler names pgx's query mode where a pooler is between the program and PostgreSQL, once a connection has been
// opened; empty where there is none.
func (s *Engine) Pooler() string {
	if s.dialer == nil || s.dialer.Pooled.Load() == nil {
		return ""
	}
	return s.dialer.Pooled.Load().String()
}

// StatementTimeout is PostgreSQL's limit for a statement, such as "5s"; "0" for none, and empty on SQLite. Through a
// pooler it is what the role or the database sets.
func (s *Engine) StatementTimeout(ctx context.Context) (limit string, err error) {
	if s.dialer == nil {
		return "", nil
	}
	err = s.Writer.WithContext(ctx).Raw(AskLimit).Scan(&limit).Error
	return limit, Named("store.statementTimeout", Classify(err))
}

// AskLimit asks for the time limit of statements.
const AskLimit = "SELECT current_setting('statement_timeout')"
