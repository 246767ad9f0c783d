// Package httpapi is the HTTP door: the lookup API and the webhook, whose server
// is generated from openapi/openapi.yaml, and the operational routes. Handlers
// parse, call a use case and map; they know no rule.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"

	"github.com/labstack/echo/v4"

	"fichario/adapters/agents"
	"fichario/adapters/sheet"
	"fichario/app"
)

//go:generate go tool oapi-codegen -config ../../openapi/codegen.yaml ../../openapi/openapi.yaml

// Config is what the HTTP door needs.
type Config struct {
	Lookups   *app.Lookups
	Statement *app.Statement
	Keys      *app.Keys
	Intake    *app.Intake
	Batches   *app.Batches
	// Tables bounds what tables that are sent take, together with other doors.
	Tables *sheet.Tables
	// LookupEnabled is false on instances without the lookup feature: every lookup
	// route is then a 404 (specification, 1.2).
	LookupEnabled bool
	// TrustedProxies are the networks whose X-Forwarded-For counts.
	TrustedProxies []netip.Prefix
	// Ready reports whether the database answers, and takes what is written.
	Ready   func(context.Context) error
	Metrics *Metrics
	Log     *slog.Logger
	// MetricsElsewhere leaves /metrics to a listener of its own, see Metrics.Handler.
	MetricsElsewhere bool
	// Agents answers agents at /mcp.
	Agents *agents.Handler
	// Docs is the reference, at /docs and below it.
	Docs http.Handler
}

type server struct {
	Config
	ServerInterface // the generated strict server; ReceiveLead and CreateBatch are overridden
}

// agentPath is the address for agents.
const agentPath = "/mcp"

// handlers implements the generated strict server.
type handlers struct{ *server }

var _ StrictServerInterface = handlers{}

// New returns the handler of every route.
func New(c Config) http.Handler {
	s := &server{Config: c}
	s.ServerInterface = NewStrictHandler(handlers{s}, []StrictMiddlewareFunc{shaped})

	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Binder = binder{}
	e.HTTPErrorHandler = s.fail
	e.Use(requestID, s.observe, s.recovered, headers, s.enabled, s.tokenFirst)

	lookup := func(params ...string) []echo.MiddlewareFunc {
		return []echo.MiddlewareFunc{wholeRoute, s.authenticate, headerLines, smallID, onlyParams(params...)}
	}
	RegisterHandlersWithOptions(e, s, RegisterHandlersOptions{OperationMiddlewares: map[string][]echo.MiddlewareFunc{
		"lookupCpf":  lookup("atualizar", "maxIdade", "somenteHistorico"),
		"lookupCnpj": lookup("atualizar", "maxIdade", "somenteHistorico"),
		"lookup":     lookup(),
		"getLookup":  lookup(),
		"getStatement": append([]echo.MiddlewareFunc{looking, s.through},
			lookup("limite", "cursor", "de", "ate", "produto", "finalidade", "cache", "formato")...),
		"listProducts": lookup(),
		"createBatch": append([]echo.MiddlewareFunc{s.through},
			lookup("produto", "finalidade", "coluna", "nome", "atualizar", "teto", "confirmar")...),
		"listBatches":     append([]echo.MiddlewareFunc{looking}, lookup("limite", "cursor")...),
		"getBatch":        append([]echo.MiddlewareFunc{looking}, lookup()...),
		"confirmBatch":    append([]echo.MiddlewareFunc{s.through}, lookup()...),
		"pauseBatch":      append([]echo.MiddlewareFunc{s.through}, lookup()...),
		"resumeBatch":     append([]echo.MiddlewareFunc{s.through}, lookup()...),
		"cancelBatch":     append([]echo.MiddlewareFunc{s.through}, lookup()...),
		"getBatchResults": append([]echo.MiddlewareFunc{looking, s.through}, lookup("limite", "cursor", "situacao", "formato")...),
		"verifyWebhook":   {firstOf("hub.challenge", "hub.verify_token")},
		"probeWebhook":    {firstOf("hub.challenge", "hub.verify_token")},
	}})
	// Not GET: no agent is told what it did not ask for, and so no stream outlives its key.
	e.Match([]string{http.MethodPost, http.MethodDelete}, agentPath, s.agent, lookup("teto")...)
	s.documentation(e)
	e.Match(probed, "/healthz", alive)
	e.Match(probed, "/readyz", s.ready)
	if !c.MetricsElsewhere {
		e.Match(probed, "/metrics", echo.WrapHandler(c.Metrics.Handler()))
	}
	return headAsGet{e}
}

// probed are the methods of who looks whether the service is well.
var probed = []string{http.MethodGet, http.MethodHead}

func alive(c echo.Context) error { return c.String(http.StatusOK, "ok\n") }

// headAsGet answers HEAD as GET, of which net/http leaves the body out. Lookups have no HEAD: whoever only probes an
// address is not charged. The webhook has its own.
type headAsGet struct{ *echo.Echo }

var withoutGet = regexp.MustCompile(`^/+api/(v1/(cpf|cnpj)|webhooks)/`)

// ServeHTTP answers a request.
func (h headAsGet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead && !withoutGet.MatchString(r.URL.Path) {
		r = r.Clone(r.Context())
		r.Method = http.MethodGet
	}
	h.Echo.ServeHTTP(w, r)
}

// ErrStopping is Config.Ready's answer of a service that still takes requests and wants no more of them.
var ErrStopping = errors.New("the service is stopping")

func (s *server) ready(c echo.Context) error {
	err := s.Ready(c.Request().Context())
	if errors.Is(err, ErrStopping) {
		return c.String(http.StatusServiceUnavailable, "stopping\n") // no failure, and so not logged as one
	}
	if err != nil {
		return err
	}
	return c.String(http.StatusOK, "ready\n")
}
