package command

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"fichario/domain/crm"
)

// SettingsGroup holds the flags of Settings.
const SettingsGroup = "settings"

// Settings are the service's configuration.
type Settings struct {
	Listen         string        `env:"FICHARIO_LISTEN" default:"127.0.0.1:8080" validate:"required" help:"Address to listen on."`
	DatabaseURL    string        `env:"FICHARIO_DATABASE_URL" name:"database-url" default:"sqlite://fichario.db" validate:"database" help:"sqlite://PATH, or postgres://… for more than one instance."`
	Connections    int           `env:"FICHARIO_DATABASE_CONNECTIONS" name:"database-connections" default:"16" validate:"min=1,max=1000" help:"Most connections of this process to PostgreSQL; a quarter of them serve pages, statements and files."`
	StoreTimeout   time.Duration `env:"FICHARIO_DATABASE_TIMEOUT" name:"database-timeout" default:"5s" validate:"min=1s,max=10m" help:"How long one operation of the database may take before it fails; commands wait twice as long for a database that is away."`
	MigrateURL     string        `env:"FICHARIO_MIGRATE_DATABASE_URL" name:"migrate-database-url" validate:"omitempty,database" help:"postgres:// address of the same database that bypasses a pooler, for migrations. Default: FICHARIO_DATABASE_URL."`
	ReadURL        string        `env:"FICHARIO_READ_DATABASE_URL" name:"read-database-url" validate:"omitempty,database" help:"postgres:// address of a streaming replica that serves lists, figures, statements and files. Default: none."`
	ReadMaxLag     time.Duration `env:"FICHARIO_READ_MAX_LAG" default:"5s" validate:"min=1s,max=1h" help:"Largest replication lag at which the replica is read; beyond it, FICHARIO_DATABASE_URL is."`
	Bureau         string        `env:"FICHARIO_BUREAU" name:"bureau-file" default:"sandbox" help:"sandbox, sandbox-completo, sandbox-barato, a shipped file such as brasilapi, or the path of a bureau file; several with commas, or the path of a chain.yaml: see docs/bureaus.md."`
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
	AuditWitness   string        `env:"FICHARIO_AUDIT_WITNESS" name:"audit-witness" validate:"trimmed" help:"File, or https:// address, that gets each new head of the audit signed, at most once a minute; see docs/audit.md. Default: none."`
	ErasureJournal string        `env:"FICHARIO_ERASURE_JOURNAL" name:"erasure-journal" validate:"trimmed" help:"File outside the database that records erasures, so that they can be repeated after a restore. Default: beside the SQLite database; none with PostgreSQL."`
	MetaURL        string        `env:"FICHARIO_META_URL" name:"meta-url" default:"https://graph.facebook.com" validate:"address,plain" help:"Address of Meta's Graph API, without a version."`
	LinkedInURL    string        `env:"FICHARIO_LINKEDIN_URL" name:"linkedin-url" default:"https://api.linkedin.com" validate:"address,plain" help:"Address of LinkedIn's API."`
	MetaReadBack   time.Duration `env:"FICHARIO_META_READ_BACK" name:"meta-read-back" default:"15m" validate:"min=1s,max=24h" help:"How often the leads of connected pages are read back, so that a notification that never came is only late."`
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

// OIDC configures an identity provider for signing in, beside passwords.
type OIDC struct {
	Issuer       string `env:"FICHARIO_OIDC_ISSUER" validate:"omitempty,address" help:"Issuer of the OpenID Connect provider for sign-in, exactly as its discovery document gives it. Default: none."`
	ClientID     string `env:"FICHARIO_OIDC_CLIENT_ID" name:"client-id" help:"Client id of this service at the provider, where its redirect address is FICHARIO_PUBLIC_URL + /entrar/oidc/retorno."`
	ClientSecret string `env:"FICHARIO_OIDC_CLIENT_SECRET" help:"Client secret that the provider issued."`
	Name         string `env:"FICHARIO_OIDC_NAME" default:"a conta da empresa" validate:"max=60" help:"Text of the sign-in button after Entrar com."`
	Domains      string `env:"FICHARIO_OIDC_DOMAINS" help:"Domains of the e-mail addresses that may sign in there, separated by commas; required with a provider."`
	Org          string `env:"FICHARIO_OIDC_ORG" validate:"omitempty,uuid" help:"Id of the organisation that people sign in to; it gets unknown people as members. Default: members sign in to their own, unknown people are refused."`
	Roles        string `env:"FICHARIO_OIDC_ROLES" help:"Roles by the values of a claim, set at each sign-in, such as groups:fichario-owner=owner,fichario-admin=admin,*=member; people without a match are refused. Default: the provider changes no roles, and new people are members."`
	Scopes       string `env:"FICHARIO_OIDC_SCOPES" default:"openid email profile" help:"Scopes requested from the provider; some send the groups claim only if groups is among them."`
}

// Rules validates the settings of a provider; false where there is none.
func (c OIDC) Rules() (rules crm.ProviderRules, there bool, err error) {
	if c.Issuer == "" {
		if c.ClientID+c.ClientSecret+c.Domains+c.Org+c.Roles != "" {
			err = errors.New("FICHARIO_OIDC_ISSUER is missing: without it the other FICHARIO_OIDC_ settings have no effect")
		}
		return rules, false, err
	}
	at, err := url.Parse(c.Issuer)
	if err != nil {
		return rules, false, errors.New("FICHARIO_OIDC_ISSUER is not an address") // its shape has been checked
	}
	loopback := at.Hostname() == "localhost" || net.ParseIP(at.Hostname()).IsLoopback()
	rules.OrgID = c.Org
	rules.Domains, err = crm.ParseDomains(c.Domains)
	if err != nil {
		return rules, false, fmt.Errorf("FICHARIO_OIDC_DOMAINS: %w", err)
	}
	rules.Claim, rules.Roles, err = crm.ParseRoles(c.Roles)
	switch {
	case err != nil:
		err = fmt.Errorf("FICHARIO_OIDC_ROLES: %w", err)
	case at.Scheme != "https" && !loopback:
		err = errors.New("FICHARIO_OIDC_ISSUER must use https://, or http:// on this machine")
	case at.RawQuery != "" || at.Fragment != "":
		err = errors.New("FICHARIO_OIDC_ISSUER must have no query and no fragment")
	case c.ClientID == "" || c.ClientSecret == "":
		err = errors.New("FICHARIO_OIDC_ISSUER needs FICHARIO_OIDC_CLIENT_ID and FICHARIO_OIDC_CLIENT_SECRET")
	case len(rules.Domains) == 0:
		err = errors.New("FICHARIO_OIDC_ISSUER needs FICHARIO_OIDC_DOMAINS: the e-mail addresses that may sign in")
	case len(rules.Roles) > 0 && c.Org == "":
		err = errors.New("FICHARIO_OIDC_ROLES needs FICHARIO_OIDC_ORG: the organisation of the roles")
	case !slices.Contains(strings.Fields(c.Scopes), "openid"):
		err = errors.New("FICHARIO_OIDC_SCOPES needs openid")
	case strings.TrimSpace(c.Name) == "":
		err = errors.New("FICHARIO_OIDC_NAME is empty")
	}
	return rules, err == nil, err
}
