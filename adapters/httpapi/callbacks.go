package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v5"

	"fichario/domain/fault"
)

// CallbackPath is the path below which bureaus post answers that come later.
const CallbackPath = "/api/v1/retornos/"

// postedMax bounds what a bureau posts: as much as an answer may have.
const postedMax = 8 << 20

// ReceiveAnswer is never called: the strict server reads JSON only, so server.ReceiveAnswer is routed instead.
func (h handlers) ReceiveAnswer(context.Context, ReceiveAnswerRequestObject) (ReceiveAnswerResponseObject, error) {
	return nil, errors.New("the strict handler of ReceiveAnswer was called")
}

// ReceiveAnswer serves POST /api/v1/retornos/{token}. A bureau that hangs up after its post has arrived has answered.
func (s *server) ReceiveAnswer(c *echo.Context, token string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), receiveWithin)
	defer cancel()
	err := s.Ledger.CalledBack(ctx, token, func() (map[string][]string, []byte, error) {
		if coded := compressed(c.Request(), fault.InvalidRequest); coded != nil {
			return nil, nil, coded
		}
		body, err := readBody(c, postedMax, "8 MiB")
		return c.Request().Header, body, err
	})
	if err != nil {
		return late(ctx, err)
	}
	return c.NoContent(http.StatusNoContent)
}
