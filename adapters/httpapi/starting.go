package httpapi

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v5"

	"fichario/domain/fault"
)

// Starting answers while the service waits for its database, or migrates it: at /healthz that it is alive, elsewhere
// that it is not serving yet, in the format of each address.
func Starting() http.Handler {
	s := &server{Config: Config{Metrics: NewMetrics(nil, nil), Log: slog.New(slog.DiscardHandler)}}
	e := echo.New()
	e.HTTPErrorHandler = s.fail
	e.Use(requestID, headers)
	e.Match(probed, "/healthz", alive)
	e.Any("/*", func(c *echo.Context) error {
		r := c.Request()
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get(echo.HeaderAccept), echo.MIMETextHTML) {
			c.Response().Header().Set("Retry-After", "2")
			c.Response().Header().Set(echo.HeaderContentSecurityPolicy, "default-src 'none'; base-uri 'none'")
			return c.HTML(http.StatusServiceUnavailable, startingPage)
		}
		return fault.New(fault.ServiceUnavailable, "O serviço está começando. Tente de novo em instantes.").
			After(2 * time.Second)
	})
	return headAsGet{e}
}

// startingPage is what a person sees, until the page that was asked for is there.
const startingPage = `<!doctype html>
<html lang="pt-BR">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="3">
<title>O Fichário está começando</title>
<h1>O Fichário está começando</h1>
<p>Esta página se atualiza sozinha em instantes.</p>
</html>
`
