package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/labstack/echo/v5"

	"fichario/adapters/shape"
	"fichario/domain/fault"
)

// queryOf are the names of an operation's query parameters, in the order of the contract: generated fields of headers
// have no tag of a form.
func queryOf[Params any]() (names []string) {
	for field := range reflect.TypeFor[Params]().Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("form"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// onlyParams refuses unknown and repeated query parameters: a mistyped ?atualizar must not silently cost, or save, a
// call.
func onlyParams(known ...string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
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

// smallID lowers the case of ids in a path to match stored ids: a UUID may be sent in capitals (RFC 9562, section 4).
func smallID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		values := c.PathValues()
		for i := range values {
			if values[i].Name == "id" {
				values[i].Value = strings.ToLower(values[i].Value)
			}
		}
		return next(c)
	}
}

// headerLines joins the lines of Prefer into one list (RFC 7240, section 2), and refuses a repeated X-Finalidade
// or Idempotency-Key.
func headerLines(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		h := c.Request().Header
		if lines := h[preferHeader]; len(lines) > 1 {
			h[preferHeader] = []string{strings.Join(lines, ", ")}
		}
		for _, name := range []string{purposeHeader, requestKeyHeader} {
			if len(h[name]) > 1 {
				return fault.New(fault.InvalidRequest, "O cabeçalho "+name+" veio mais de uma vez.").At(name)
			}
		}
		return next(c)
	}
}

// firstOf keeps the first of repeated parameters, so that whoever verifies an address gets an answer nonetheless.
func firstOf(names ...string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
			query := c.QueryParams() // echo's own cached query, which the generated code reads
			for _, name := range names {
				if values := query[name]; len(values) > 1 {
					query[name] = values[:1]
				}
			}
			return next(c)
		}
	}
}

// shaped refuses a request whose body or parameters do not have the contract's shape.
func shaped(next StrictHandlerFunc, _ string) StrictHandlerFunc {
	return func(c *echo.Context, request any) (any, error) {
		if err := shape.Check(request); err != nil {
			return nil, err
		}
		return next(c, request)
	}
}

func parseQuery(r *http.Request) (url.Values, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "Os parâmetros de consulta não podem ser lidos.")
	}
	return q, nil
}
