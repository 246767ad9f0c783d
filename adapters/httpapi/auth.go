package httpapi

import (
	"context"
	"strings"

	"github.com/labstack/echo/v5"

	"fichario/adapters/shape"
	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/fault"
)

type contextKey struct{}

// call is what the middleware learned about a request.
type call struct {
	caller app.Caller
	accept string // all lines of the Accept header
}

func callOf(ctx context.Context) call {
	c, _ := ctx.Value(contextKey{}).(call)
	return c
}

// enabled answers 404 on instances without lookups, before anything else and for any method: hence it checks Path,
// which the router has set by then. What bureaus post is taken, because it was asked for, and paid, before.
func (s *server) enabled(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		isLookup := strings.HasPrefix(c.Path(), "/api/v1/") && !strings.HasPrefix(c.Path(), CallbackPath)
		if !s.LookupEnabled && (isLookup || c.Path() == agentPath) {
			return fault.New(fault.LookupDisabled, "As consultas não estão habilitadas nesta instância.")
		}
		return next(c)
	}
}

// authenticate finds the key and counts the request against its per-minute limit.
func (s *server) authenticate(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		r := c.Request()
		token, err := bearer(r.Header.Values(echo.HeaderAuthorization))
		if err != nil {
			return err
		}
		caller, err := s.Keys.Authenticate(r.Context(), token, shape.ClientAddress(r, s.TrustedProxies))
		if err != nil {
			return err
		}
		state := s.Keys.Allow(caller.Key())
		limitHeaders(c.Response().Header(), minute, state.Limit, state.Remaining, state.Reset)
		if !state.OK {
			return s.Keys.Refused(caller.Key(), lookups.MinuteLimit(state))
		}
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), contextKey{},
			call{caller, strings.Join(r.Header.Values(echo.HeaderAccept), ",")})))
		return s.Keys.Refused(caller.Key(), next(c))
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
