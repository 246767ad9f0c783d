package httpapi

import (
	"bytes"
	"io"
	"net/url"
	"strings"

	"github.com/labstack/echo/v5"

	"fichario/adapters/agents"
	"fichario/adapters/shape"
	"fichario/app"
	agentsapp "fichario/app/agents"
	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/fault"
)

// ownOrigin refuses the messages of pages elsewhere, as the protocol requires: such a page may have found a way around
// the browser's rules, by a name that now leads here. Agents that are no page send no Origin.
func (s *server) ownOrigin(next echo.HandlerFunc) echo.HandlerFunc {
	own, err := url.Parse(s.PublicURL)
	return func(c *echo.Context) error {
		for _, sent := range c.Request().Header.Values(echo.HeaderOrigin) {
			if err != nil || !strings.EqualFold(sent, own.Scheme+"://"+own.Host) {
				return fault.New(fault.AddressRefused, "Uma página de outro endereço não pode usar as ferramentas de agentes.")
			}
		}
		return next(c)
	}
}

// agent forwards an agent's message once its key, size and ceiling have been checked.
func (s *server) agent(c *echo.Context) error {
	r := c.Request()
	if err := compressed(r, fault.UnsupportedMediaType); err != nil {
		return err
	}
	body, err := readBody(c, lookupBodyMax, "64 KiB")
	if err != nil {
		return err
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		// A batch would evade the per-minute limit, which counts requests.
		return fault.New(fault.InvalidRequest, "Envie uma mensagem por requisição.")
	}
	var ceiling *catalog.Money
	if text := c.QueryParam("teto"); text != "" {
		amount, err := catalog.ParseMoney(text)
		if err != nil {
			return fault.New(fault.InvalidRequest, "O teto "+err.Error()+".").At("teto")
		}
		ceiling = &amount
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return s.Agents.Serve(c.Response(), r, agents.Asking{
		By: callOf(r.Context()).caller, Session: agentsapp.Session{Ceiling: ceiling},
		Via: app.Via{
			Door: audit.API, Address: shape.ClientNetwork(r, s.TrustedProxies),
			RequestID: c.Response().Header().Get(echo.HeaderXRequestID),
		},
	})
}
