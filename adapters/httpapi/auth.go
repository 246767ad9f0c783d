package httpapi

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fichario/app"
	"fichario/domain/fault"
)

type contextKey struct{}

// call is what the middleware found out about a request.
type call struct {
	caller app.Caller
	accept string // the header of that name
}

func callOf(ctx context.Context) call {
	c, _ := ctx.Value(contextKey{}).(call)
	return c
}

// enabled answers 404 on instances without lookups, before anything else.
func (s *server) enabled(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.LookupEnabled {
			return fault.New(fault.LookupDisabled, "As consultas não estão habilitadas nesta instância.")
		}
		return next(c)
	}
}

// authenticate finds the key and counts the request against its per-minute limit.
func (s *server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		token, err := bearer(r.Header.Values(echo.HeaderAuthorization))
		if err != nil {
			return err
		}
		caller, err := s.Keys.Authenticate(r.Context(), token)
		if err != nil {
			return err
		}
		state := s.Keys.Allow(caller.Key())
		limitHeaders(c.Response().Header(), minute, state.Limit, state.Remaining, state.Reset)
		if !state.OK {
			return app.MinuteLimit(state)
		}
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), contextKey{},
			call{caller, r.Header.Get(echo.HeaderAccept)})))
		return next(c)
	}
}

func bearer(values []string) (string, error) {
	missing := fault.New(fault.Unauthenticated, "Envie a chave no cabeçalho Authorization: Bearer fic_….")
	if len(values) != 1 {
		return "", missing
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", missing
	}
	return strings.TrimSpace(token), nil
}

// policy is a kind of limit in the headers of the IETF draft.
type policy struct {
	name   string
	window int // seconds; zero where it varies
}

var (
	minute = policy{"minuto", 60}
	day    = policy{"dia", 86400}
	month  = policy{"mes", 0}
)

// limitHeaders says what is left of a limit, in the headers of the specification
// (8.1.2) and in those of the IETF draft.
func limitHeaders(h http.Header, p policy, limit, remaining int, reset time.Duration) {
	window, wait := "", ""
	if p.window > 0 {
		window = ";w=" + strconv.Itoa(p.window)
	}
	if reset > 0 {
		wait = ";t=" + strconv.Itoa(seconds(reset))
	}
	// Canonical names, which the wire does not tell apart, and one slice for the four
	// values: this is done for every request.
	v := []string{
		strconv.Itoa(limit), strconv.Itoa(remaining),
		`"` + p.name + `";q=` + strconv.Itoa(limit) + window, `"` + p.name + `";r=` + strconv.Itoa(remaining) + wait,
	}
	h["X-Ratelimit-Limit"], h["X-Ratelimit-Remaining"] = v[0:1:1], v[1:2:2]
	h["Ratelimit-Policy"], h["Ratelimit"] = v[2:3:3], v[3:4:4]
}

// seconds rounds up: waiting that long suffices.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// capHeaders makes the headers of a 429 from a cap speak of that cap.
func capHeaders(h http.Header, f *fault.Error) {
	switch f.Code {
	case fault.DailyLimit:
		limitHeaders(h, day, f.Limit, 0, f.RetryAfter)
	case fault.MonthlyLimit:
		limitHeaders(h, month, f.Limit, 0, 0)
	}
}

// onlyParams refuses query parameters that the operation does not have, or has
// twice: a mistyped ?atualizar must not silently cost, or save, a call.
func onlyParams(known ...string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if c.Request().URL.RawQuery == "" {
				return next(c)
			}
			query, err := parseQuery(c.Request())
			if err != nil {
				return err
			}
			for name, values := range query {
				switch {
				case !slices.Contains(known, name):
					message := "Há um parâmetro de consulta desconhecido; esta rota não tem parâmetros."
					if len(known) > 0 {
						message = fmt.Sprintf(
							"Há um parâmetro de consulta desconhecido. Esta rota conhece: %s.", strings.Join(known, ", "))
					}
					return fault.New(fault.InvalidRequest, message)
				case len(values) > 1:
					return fault.New(fault.InvalidRequest, "O parâmetro "+name+" veio mais de uma vez.").At(name)
				}
			}
			return next(c)
		}
	}
}

// prefersCSV reads an Accept header: whether text/csv is asked for, and not less
// than JSON.
func prefersCSV(accept string) bool {
	csv, json := 0.0, 0.0
	for part := range strings.SplitSeq(accept, ",") {
		kind, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := 1.0
		for p := range strings.SplitSeq(params, ";") {
			if v, ok := strings.CutPrefix(strings.TrimSpace(p), "q="); ok {
				if f, err := strconv.ParseFloat(v, 64); err == nil {
					q = f
				}
			}
		}
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "text/csv":
			csv = q
		case "application/json":
			json = q
		}
	}
	return csv > 0 && csv >= json
}
