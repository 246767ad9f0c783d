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
	Version kong.VersionFlag `help:"Print the version and end."`

	Serve       serveCmd       `cmd:"" group:"serve" help:"Run the service."`
	Healthcheck healthcheckCmd `cmd:"" group:"serve" help:"Check that the service on this machine is alive; exit 1 when it is not."`
	Migrate     migrateCmd     `cmd:"" group:"serve" help:"Bring the database to the newest schema. serve and every command that uses the database do it too."`
	Doctor      doctorCmd      `cmd:"" group:"serve" help:"Check the invariants of the data; exit 1 when one does not hold."`
	Rekey       rekeyCmd       `cmd:"" group:"serve" help:"Encrypt everything with the first data key, so that the older ones can be removed."`

	Lookup        lookupCmd        `cmd:"" group:"lookups" help:"Ask a running service about a document, with a key."`
	API           apiCmd           `cmd:"" group:"lookups" name:"api" help:"Everything that a key may do at a running service: lookups, products, statement, batches."`
	MCP           mcpCmd           `cmd:"" group:"lookups" name:"mcp" help:"Give an agent lookup tools at a running service, under a spending ceiling (MCP on standard input)."`
	Key           keyCmd           `cmd:"" group:"lookups" help:"API keys."`
	Batch         batchCmd         `cmd:"" group:"lookups" help:"One question about many documents."`
	Bureau        bureauCmd        `cmd:"" group:"lookups" help:"Check and try a bureau file."`
	SandboxBureau sandboxBureauCmd `cmd:"" group:"lookups" name:"sandbox-bureau" help:"Serve the sandbox bureau over HTTP, with invented answers or those of a script."`

	Webhook      webhookCmd      `cmd:"" group:"leads" help:"Addresses that contacts are sent to."`
	Contact      contactCmd      `cmd:"" group:"leads" help:"Contacts."`
	Origin       originCmd       `cmd:"" group:"leads" help:"Where contacts come from."`
	Funnel       funnelCmd       `cmd:"" group:"leads" help:"The stages that contacts move through."`
	Rotation     rotationCmd     `cmd:"" group:"leads" help:"Members who are given contacts in turn."`
	Automation   automationCmd   `cmd:"" group:"leads" help:"What happens by itself on an event, such as a new contact."`
	Notification notificationCmd `cmd:"" group:"leads" help:"Notifications of the team."`

	Org    orgCmd    `cmd:"" group:"people" help:"Organisations."`
	Member memberCmd `cmd:"" group:"people" help:"People of an organisation."`

	Purpose purposeCmd `cmd:"" group:"privacy" help:"Purposes of lookups (LGPD)."`
	Subject subjectCmd `cmd:"" group:"privacy" help:"Data subjects' requests (LGPD): export, erasure, record of operations."`
	Audit   auditCmd   `cmd:"" group:"privacy" help:"The audit trail: list and verify it."`

	Completion completionCmd `cmd:"" group:"tools" help:"Print the completion script of a shell: bash, zsh or fish."`
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
	Connections    int           `env:"FICHARIO_DATABASE_CONNECTIONS" name:"database-connections" default:"16" validate:"min=1,max=1000" help:"Connections of this process to PostgreSQL, at most; a quarter of them for what people look at."`
	MigrateURL     string        `env:"FICHARIO_MIGRATE_DATABASE_URL" name:"migrate-database-url" validate:"omitempty,database" help:"postgres:// address of the same database that leads past a pooler, for migrations. Default: the one of FICHARIO_DATABASE_URL."`
	ReadURL        string        `env:"FICHARIO_READ_DATABASE_URL" name:"read-database-url" validate:"omitempty,database" help:"postgres:// address of a streaming replica, from which lists, figures, statements and files are read. Default: none."`
	ReadMaxLag     time.Duration `env:"FICHARIO_READ_MAX_LAG" default:"5s" validate:"min=1s,max=1h" help:"How old lists, figures and files may be that are read from there; beyond it they are read from FICHARIO_DATABASE_URL."`
	Bureau         string        `env:"FICHARIO_BUREAU" name:"bureau-file" default:"sandbox" help:"sandbox, brasilapi, or the path of a bureau file."`
	SandboxScript  string        `env:"FICHARIO_SANDBOX_SCRIPT" name:"sandbox-script" help:"File of cases that the sandbox answers with, for tests; see docs/sandbox.md. Default: what it invents."`
	Lookup         bool          `env:"FICHARIO_LOOKUP_ENABLED" name:"lookup-enabled" default:"true" negatable:"" help:"Whether this instance serves lookups; without, every lookup route is 404."`
	TimeZone       string        `env:"FICHARIO_TIME_ZONE" default:"America/Sao_Paulo" validate:"timezone" help:"Time zone of the days and months of the caps."`
	HistoryFresh   time.Duration `env:"FICHARIO_HISTORY_FRESH" default:"720h" validate:"min=0" help:"How long history answers instead of the bureau."`
	BatchCalls     int           `env:"FICHARIO_BATCH_CONCURRENCY" name:"batch-concurrency" default:"8" validate:"min=1,max=64" help:"Calls at once for an organisation's batches, over all instances."`
	DataKey        string        `env:"FICHARIO_DATA_KEY" help:"32 bytes in base64 that encrypt personal data; several with commas while rotating, the first encrypts. Default: a key file beside the SQLite database; required with PostgreSQL."`
	KeepAnswers    time.Duration `env:"FICHARIO_RETENTION_ANSWERS" name:"retention-answers" default:"4320h" validate:"min=24h" help:"How long answers of bureaus are kept; at least as long as history answers."`
	KeepDeliveries time.Duration `env:"FICHARIO_RETENTION_DELIVERIES" name:"retention-deliveries" default:"720h" validate:"min=24h" help:"How long the posts of webhooks are kept, and what they are known by."`
	KeepContacts   time.Duration `env:"FICHARIO_RETENTION_CONTACTS" name:"retention-contacts" default:"0s" validate:"omitempty,min=24h" help:"How long contacts are kept, at least 24h. Default: until somebody deletes them."`
	KeepAudit      time.Duration `env:"FICHARIO_RETENTION_AUDIT" name:"retention-audit" default:"43800h" validate:"min=24h" help:"How long the audit is kept."`
	ErasureJournal string        `env:"FICHARIO_ERASURE_JOURNAL" name:"erasure-journal" help:"File that erasures are noted in outside of the database, so that they can be done again after a restore. Default: beside the SQLite database; none with PostgreSQL."`
	SMTPURL        string        `env:"FICHARIO_SMTP_URL" name:"smtp-url" help:"Mail server for notifications and automations, such as smtp://user:password@mail.example:587?from=fichario@example.com; smtps:// for TLS from the start. Default: no e-mail."`
	AllowPrivate   bool          `env:"FICHARIO_ALLOW_PRIVATE_TARGETS" name:"allow-private-targets" default:"false" help:"Whether automations may call loopback and private addresses, and any port."`
	PublicURL      string        `env:"FICHARIO_PUBLIC_URL" name:"public-url" validate:"omitempty,address,plain" help:"Address of the service in links. Default: http:// and the listen address."`
	MetricsListen  string        `env:"FICHARIO_METRICS_LISTEN" name:"metrics-listen" help:"Address on which /metrics is served alone, such as 127.0.0.1:9090. Default: it is served with everything else."`
	Proxies        string        `env:"FICHARIO_TRUSTED_PROXIES" name:"trusted-proxies" validate:"networks" help:"Addresses and ranges, separated by commas, of proxies whose X-Forwarded-For and -Proto count, such as 10.0.0.0/8. Default: no X-Forwarded-For counts."`
	DrainDelay     time.Duration `env:"FICHARIO_DRAIN_DELAY" default:"0s" validate:"min=0,max=20s" help:"How long a stopping service still takes requests while /readyz says 503, for balancers to turn away; at most 20s."`
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
