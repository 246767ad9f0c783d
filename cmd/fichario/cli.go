package main

import (
	"context"
	"io"
	"time"

	"github.com/alecthomas/kong"

	"fichario/adapters/sandbox"
)

// cli declares all commands, flags and environment variables: `fichario --help` and the README's tables are generated
// from it.
type cli struct {
	Settings `embed:"" group:"settings"`

	JSON    bool             `name:"json" help:"Print one JSON value instead of text."`
	Version kong.VersionFlag `help:"Print the version and exit."`

	Serve       serveCmd       `cmd:"" group:"serve" help:"Run the service."`
	Healthcheck healthcheckCmd `cmd:"" group:"serve" help:"Check that the service on this machine is alive; exit 1 when it is not."`
	Migrate     migrateCmd     `cmd:"" group:"serve" help:"Migrate the database to the newest schema. serve and every command that uses the database do it too."`
	Doctor      doctorCmd      `cmd:"" group:"serve" help:"Check the invariants of the data; exit 1 when one does not hold."`
	Rekey       rekeyCmd       `cmd:"" group:"serve" help:"Re-encrypt everything with the first data key, so that the older ones can be removed."`

	Lookup        lookupCmd        `cmd:"" group:"lookups" help:"Look up a document at a running service, with an API key."`
	API           apiCmd           `cmd:"" group:"lookups" name:"api" help:"Use the API of a running service with a key: lookups, products, statement, batches."`
	MCP           mcpCmd           `cmd:"" group:"lookups" name:"mcp" help:"Give an agent the lookup tools of a running service, under a spending ceiling (MCP on standard input)."`
	Key           keyCmd           `cmd:"" group:"lookups" help:"API keys."`
	Batch         batchCmd         `cmd:"" group:"lookups" help:"Look up many documents at once."`
	Bureau        bureauCmd        `cmd:"" group:"lookups" help:"Check and try a bureau file."`
	SandboxBureau sandboxBureauCmd `cmd:"" group:"lookups" name:"sandbox-bureau" help:"Serve the sandbox bureau over HTTP, with invented answers or those of a script."`

	Webhook      webhookCmd      `cmd:"" group:"leads" help:"Addresses that receive contacts."`
	Contact      contactCmd      `cmd:"" group:"leads" help:"Contacts."`
	Origin       originCmd       `cmd:"" group:"leads" help:"Where contacts come from."`
	Funnel       funnelCmd       `cmd:"" group:"leads" help:"The stages that contacts move through."`
	Rotation     rotationCmd     `cmd:"" group:"leads" help:"Members who receive contacts in turn."`
	Automation   automationCmd   `cmd:"" group:"leads" help:"Actions that run on an event, such as a new contact."`
	Notification notificationCmd `cmd:"" group:"leads" help:"Notifications of the team."`

	Org    orgCmd    `cmd:"" group:"people" help:"Organisations."`
	Member memberCmd `cmd:"" group:"people" help:"People of an organisation."`

	Purpose purposeCmd `cmd:"" group:"privacy" help:"Purposes of lookups (LGPD)."`
	Subject subjectCmd `cmd:"" group:"privacy" help:"Data subjects' requests (LGPD): export, erasure, record of operations."`
	Audit   auditCmd   `cmd:"" group:"privacy" help:"The audit trail: list and verify it."`

	Completion completionCmd `cmd:"" group:"tools" help:"Print the completion script for a shell: bash, zsh or fish."`
}

// groups are the sections of `fichario --help`.
var groups = []kong.Group{
	{Key: "serve", Title: "The service:"}, {Key: "lookups", Title: "Lookups:"}, {Key: "leads", Title: "Leads:"},
	{Key: "people", Title: "Organisations and people:"}, {Key: "privacy", Title: "Privacy:"}, {Key: "tools", Title: "Tools:"},
	{Key: settingsGroup, Title: "Configuration of the service and of the commands that work on its database:"},
}

// settingsGroup holds the flags of Settings.
const settingsGroup = "settings"

// Settings are the service's configuration.
type Settings struct {
	Listen         string        `env:"FICHARIO_LISTEN" default:"127.0.0.1:8080" validate:"required" help:"Address to listen on."`
	DatabaseURL    string        `env:"FICHARIO_DATABASE_URL" name:"database-url" default:"sqlite://fichario.db" validate:"database" help:"sqlite://PATH, or postgres://… for more than one instance."`
	Connections    int           `env:"FICHARIO_DATABASE_CONNECTIONS" name:"database-connections" default:"16" validate:"min=1,max=1000" help:"Most connections of this process to PostgreSQL; a quarter of them serve pages, statements and files."`
	StoreTimeout   time.Duration `env:"FICHARIO_DATABASE_TIMEOUT" name:"database-timeout" default:"5s" validate:"min=1s,max=10m" help:"How long one operation of the database may take before it fails; commands wait twice as long for a database that is away."`
	MigrateURL     string        `env:"FICHARIO_MIGRATE_DATABASE_URL" name:"migrate-database-url" validate:"omitempty,database" help:"postgres:// address of the same database that bypasses a pooler, for migrations. Default: FICHARIO_DATABASE_URL."`
	ReadURL        string        `env:"FICHARIO_READ_DATABASE_URL" name:"read-database-url" validate:"omitempty,database" help:"postgres:// address of a streaming replica that serves lists, figures, statements and files. Default: none."`
	ReadMaxLag     time.Duration `env:"FICHARIO_READ_MAX_LAG" default:"5s" validate:"min=1s,max=1h" help:"Largest replication lag at which the replica is read; beyond it, FICHARIO_DATABASE_URL is."`
	Bureau         string        `env:"FICHARIO_BUREAU" name:"bureau-file" default:"sandbox" help:"sandbox, brasilapi, or the path of a bureau file."`
	SandboxScript  string        `env:"FICHARIO_SANDBOX_SCRIPT" name:"sandbox-script" help:"File of cases that the sandbox answers with, for tests; see docs/sandbox.md. Default: invented answers."`
	Lookup         bool          `env:"FICHARIO_LOOKUP_ENABLED" name:"lookup-enabled" default:"true" negatable:"" help:"Whether this instance serves lookups; if not, every lookup route answers 404."`
	TimeZone       string        `env:"FICHARIO_TIME_ZONE" default:"America/Sao_Paulo" validate:"timezone" help:"Time zone of the caps' days and months."`
	HistoryFresh   time.Duration `env:"FICHARIO_HISTORY_FRESH" default:"720h" validate:"min=0" help:"How long history is used instead of asking the bureau."`
	BatchCalls     int           `env:"FICHARIO_BATCH_CONCURRENCY" name:"batch-concurrency" default:"8" validate:"min=1,max=64" help:"Concurrent calls for an organisation's batches, over all instances."`
	DataKey        string        `env:"FICHARIO_DATA_KEY" help:"Key for personal data, 32 bytes in base64; while rotating, several with commas, of which the first encrypts. Default: a key file beside the SQLite database; required with PostgreSQL."`
	KeepAnswers    time.Duration `env:"FICHARIO_RETENTION_ANSWERS" name:"retention-answers" default:"4320h" validate:"min=24h" help:"How long bureau answers are kept; at least FICHARIO_HISTORY_FRESH."`
	KeepDeliveries time.Duration `env:"FICHARIO_RETENTION_DELIVERIES" name:"retention-deliveries" default:"720h" validate:"min=24h" help:"How long webhook posts are kept, and repeated ones recognised."`
	KeepContacts   time.Duration `env:"FICHARIO_RETENTION_CONTACTS" name:"retention-contacts" default:"0s" validate:"omitempty,min=24h" help:"How long contacts are kept after their last activity, at least 24h. Default: until somebody deletes them."`
	KeepAudit      time.Duration `env:"FICHARIO_RETENTION_AUDIT" name:"retention-audit" default:"43800h" validate:"min=24h" help:"How long the audit trail is kept."`
	AuditWitness   string        `env:"FICHARIO_AUDIT_WITNESS" name:"audit-witness" help:"File, or https:// address, that gets each new head of the audit signed, at most once a minute; see docs/audit.md. Default: none."`
	ErasureJournal string        `env:"FICHARIO_ERASURE_JOURNAL" name:"erasure-journal" help:"File outside the database that records erasures, so that they can be repeated after a restore. Default: beside the SQLite database; none with PostgreSQL."`
	SMTPURL        string        `env:"FICHARIO_SMTP_URL" name:"smtp-url" help:"Mail server for notifications and automations, such as smtp://user:password@mail.example:587?from=fichario@example.com; smtps:// for TLS from the start. Default: no e-mail."`
	AllowPrivate   bool          `env:"FICHARIO_ALLOW_PRIVATE_TARGETS" name:"allow-private-targets" default:"false" help:"Whether automations may call loopback and private addresses, and any port."`
	PublicURL      string        `env:"FICHARIO_PUBLIC_URL" name:"public-url" validate:"omitempty,address,plain" help:"Address of the service in links. Default: http:// and the listen address."`
	MetricsListen  string        `env:"FICHARIO_METRICS_LISTEN" name:"metrics-listen" help:"Separate address for /metrics, such as 127.0.0.1:9090. Default: the same as for everything else."`
	Proxies        string        `env:"FICHARIO_TRUSTED_PROXIES" name:"trusted-proxies" validate:"networks" help:"Addresses and ranges, separated by commas, of proxies whose X-Forwarded-For and -Proto are trusted, such as 10.0.0.0/8. Default: X-Forwarded-For is ignored."`
	DrainDelay     time.Duration `env:"FICHARIO_DRAIN_DELAY" default:"0s" validate:"min=0,max=20s" help:"How long a stopping service still accepts requests while /readyz answers 503, so that load balancers notice; at most 20s."`
	LogFormat      string        `env:"FICHARIO_LOG_FORMAT" enum:"text,json" default:"text" help:"text or json, on standard error."`
	LogLevel       string        `env:"FICHARIO_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"debug, info, warn or error."`
	OIDC           OIDC          `embed:"" prefix:"oidc-"`
}

// environment is the context of a command.
type environment struct {
	ctx         context.Context
	settings    Settings
	json        bool
	in          io.Reader
	out, errOut io.Writer
	commands    *kong.Node      // for completing and checking command lines
	asked       []string        // variables that the bureau file uses
	invented    *sandbox.Bureau // set on first use
}
