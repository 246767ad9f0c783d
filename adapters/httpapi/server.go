// Package httpapi is the HTTP adapter: the lookup API and the webhook, whose server is generated from
// openapi/openapi.yaml, and the operational routes. Handlers parse, call a use case and map; they contain no rules.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"

	"github.com/labstack/echo/v5"

	"fichario/adapters/agents"
	"fichario/adapters/spreadsheet"
	"fichario/app/batches"
	"fichario/app/intake"
	"fichario/app/lookups"
)

//go:generate go tool oapi-codegen -config ../../openapi/codegen.yaml ../../openapi/openapi.yaml

// Config is what the HTTP door needs.
type Config struct {
	Asker *lookups.Asker
	// Ledger takes the answers that bureaus post.
	Ledger    *lookups.Ledger
	Terms     *lookups.Terms
	Bureaus   *lookups.Bureaus
	Statement *lookups.Statement
	Keys      *lookups.Keys
	Intake    *intake.Intake
	Batches   *batches.Batches
	// Tables bounds the resources that uploaded tables take, shared with other doors.
	Tables *spreadsheet.Tables
	// LookupEnabled is false on instances without the lookup feature: every lookup
	// route is then a 404 (specification, 1.2).
	LookupEnabled bool
	// TrustedProxies are the networks whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// Ready reports whether the database answers and accepts writes.
	Ready   func(context.Context) error
	Metrics *Metrics
	Log     *slog.Logger
	// MetricsElsewhere says that another listener serves /metrics, see Metrics.Handler.
	MetricsElsewhere bool
	// PublicURL is the address of the service: agents' messages from pages elsewhere are refused.
	PublicURL string
	// Agents serves agents at /mcp.
	Agents *agents.Handler
	// Docs is the reference, at /docs and below it.
	Docs http.Handler
}

type server struct {
	Config
	ServerInterface // the generated strict server; server overrides ReceiveLead, ReceiveAnswer and CreateBatch
}

// agentPath is the address that agents use.
const agentPath = "/mcp"

// handlers implements the generated strict server.
type handlers struct{ *server }

var _ StrictServerInterface = handlers{}

// New returns the handler of every route.
func New(c Config) http.Handler {
	s := &server{Config: c}
	s.ServerInterface = NewStrictHandler(handlers{s}, []StrictMiddlewareFunc{shaped})

	e := echo.New()
	e.Binder = binder{}
	e.HTTPErrorHandler = s.fail
	e.Use(requestID, s.observe, s.recovered, headers, s.enabled, s.tokenFirst)

	lookup := func(params ...string) []echo.MiddlewareFunc {
		return []echo.MiddlewareFunc{wholeRoute, s.authenticate, headerLines, smallID, onlyParams(params...)}
	}
	// An answer that is handed out again is in the audit.
	again := func(params ...string) []echo.MiddlewareFunc {
		return append([]echo.MiddlewareFunc{s.through}, lookup(params...)...)
	}
	RegisterHandlersWithOptions(e, s, RegisterHandlersOptions{OperationMiddlewares: map[string][]echo.MiddlewareFunc{
		"lookupCpf":        again(queryOf[LookupCpfParams]()...),
		"lookupCnpj":       again(queryOf[LookupCnpjParams]()...),
		"lookup":           again(),
		"lookupOpen":       again(),
		"getLookup":        again(),
		"getLookupOpen":    again(),
		"getStatement":     append([]echo.MiddlewareFunc{looking, s.through}, lookup(queryOf[GetStatementParams]()...)...),
		"getStatementFile": append([]echo.MiddlewareFunc{looking, s.through}, lookup(queryOf[GetStatementFileParams]()...)...),
		"listProducts":     lookup(),
		"createBatch": append([]echo.MiddlewareFunc{s.through}, // whose handler reads them itself
			lookup("produto", "finalidade", "aba", "coluna", "nome", "atualizar", "teto", "confirmar")...),
		"listBatches":         append([]echo.MiddlewareFunc{looking}, lookup(queryOf[ListBatchesParams]()...)...),
		"getBatch":            append([]echo.MiddlewareFunc{looking}, lookup()...),
		"confirmBatch":        append([]echo.MiddlewareFunc{s.through}, lookup()...),
		"pauseBatch":          append([]echo.MiddlewareFunc{s.through}, lookup()...),
		"resumeBatch":         append([]echo.MiddlewareFunc{s.through}, lookup()...),
		"cancelBatch":         append([]echo.MiddlewareFunc{s.through}, lookup()...),
		"getBatchResults":     append([]echo.MiddlewareFunc{looking, s.through}, lookup(queryOf[GetBatchResultsParams]()...)...),
		"getBatchResultsFile": append([]echo.MiddlewareFunc{looking, s.through}, lookup(queryOf[GetBatchResultsFileParams]()...)...),
		"verifyWebhook":       {firstOf(queryOf[VerifyWebhookParams]()...)},
		"probeWebhook":        {firstOf(queryOf[ProbeWebhookParams]()...)},
	}})
	// Not GET: the service sends agents nothing unasked, and so no stream outlives its key.
	e.Match([]string{http.MethodPost, http.MethodDelete}, agentPath, s.agent,
		append([]echo.MiddlewareFunc{s.ownOrigin}, lookup("teto")...)...)
	s.documentation(e)
	e.Match(probed, "/healthz", alive)
	e.Match(probed, "/readyz", s.ready)
	if !c.MetricsElsewhere {
		e.Match(probed, "/metrics", echo.WrapHandler(c.Metrics.Handler()))
	}
	return headAsGet{e}
}

// probed are the methods of health checks.
var probed = []string{http.MethodGet, http.MethodHead}

func alive(c *echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// headAsGet answers HEAD like GET; net/http omits the body. Lookups have no HEAD, so that probing an address is never
// charged. The webhook has its own.
type headAsGet struct{ *echo.Echo }

var withoutGet = regexp.MustCompile(`^/+api/(v1/(cpf|cnpj)|webhooks)/`)

// ServeHTTP routes HEAD as GET where there is a GET.
func (h headAsGet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead && !withoutGet.MatchString(r.URL.Path) {
		r = r.Clone(r.Context())
		r.Method = http.MethodGet
	}
	h.Echo.ServeHTTP(w, r)
}

// Unready is Config.Ready's error while a service means to get no requests: its text is the answer. That is no failure,
// and not logged as one.
type Unready string

// The reasons.
const (
	// Preparing is while the demonstration is made.
	Preparing Unready = "preparing the demonstration"
	// Stopping is while a service that is shutting down still takes requests.
	Stopping Unready = "stopping"
)

func (u Unready) Error() string { return string(u) }

func (s *server) ready(c *echo.Context) error {
	err := s.Ready(c.Request().Context())
	if meant, is := errors.AsType[Unready](err); is {
		return c.String(http.StatusServiceUnavailable, string(meant)+"\n")
	}
	if err != nil {
		return err
	}
	return c.String(http.StatusOK, "ready\n")
}
