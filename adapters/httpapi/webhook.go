package httpapi

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"fichario/domain/fault"
)

// The webhook's routes are in the contract; what they do comes with the intake.
// Until then they answer as a service that is away, so that senders keep their
// leads and try again.
func notYet() error {
	return fault.New(fault.ServiceUnavailable, "O recebimento de contatos ainda não está disponível nesta instância.").After(time.Hour)
}

// VerifyWebhook serves GET /api/webhooks/receive/{token}.
func (h handlers) VerifyWebhook(context.Context, VerifyWebhookRequestObject) (VerifyWebhookResponseObject, error) {
	return nil, notYet()
}

// ReceiveLead is never called: the strict server would lose bodies of several
// types, so that server.ReceiveLead is routed instead.
func (h handlers) ReceiveLead(context.Context, ReceiveLeadRequestObject) (ReceiveLeadResponseObject, error) {
	return nil, notYet()
}

// ReceiveLead serves POST /api/webhooks/receive/{token} outside the strict server.
func (s *server) ReceiveLead(echo.Context, string, ReceiveLeadParams) error { return notYet() }
