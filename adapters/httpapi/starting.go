package httpapi

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"fichario/domain/catalog"
	"fichario/domain/fault"
)

// Starting answers while the service waits for its database, or migrates it: at /healthz that it lives, elsewhere that
// it does not serve yet, in the words and forms that each address has for that.
func Starting() http.Handler {
	s := &server{Config: Config{Metrics: NewMetrics(catalog.Catalog{}), Log: slog.New(slog.DiscardHandler)}}
	e := echo.New()
	e.HTTPErrorHandler = s.fail
	e.Use(requestID, headers)
	e.Match(probed, "/healthz", alive)
	e.Any("/*", func(echo.Context) error {
		return fault.New(fault.ServiceUnavailable, "O serviço está começando. Tente de novo em instantes.").
			After(2 * time.Second)
	})
	return headAsGet{e}
}
