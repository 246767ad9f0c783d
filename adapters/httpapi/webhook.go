package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v5"

	"fichario/app/intake"
	"fichario/domain/fault"
	kinds "fichario/domain/intake"
	"fichario/domain/webhook"
)

const (
	webhookPath    = "/api/webhooks/"
	webhookMethods = "GET, HEAD, POST, OPTIONS"

	// receiveWithin bounds the handling of a post (specification, 8.2.2).
	receiveWithin = 30 * time.Second
)

// anyOrigin lets any page's script post: the address is the credential, and no cookie is involved.
var anyOrigin = []string{"*"}

// VerifyWebhook serves GET /api/webhooks/receive/{token} (specification, 4.6).
func (h handlers) VerifyWebhook(
	ctx context.Context, r VerifyWebhookRequestObject,
) (VerifyWebhookResponseObject, error) {
	p := r.Params
	return h.verify(ctx, r.Token, orEmpty(p.HubChallenge), orEmpty(p.HubVerifyToken), orEmpty(p.ChallengeCode))
}

// ProbeWebhook serves HEAD at the same address.
func (h handlers) ProbeWebhook(ctx context.Context, r ProbeWebhookRequestObject) (ProbeWebhookResponseObject, error) {
	p := r.Params
	return h.verify(ctx, r.Token, orEmpty(p.HubChallenge), orEmpty(p.HubVerifyToken), orEmpty(p.ChallengeCode))
}

func (h handlers) verify(ctx context.Context, token, challenge, verifyToken, code string) (verified, error) {
	hook, err := h.Intake.Open(ctx, token)
	if err != nil {
		return verified{}, err
	}
	const challengeMax = 512
	if challenge != "" && len(challenge) <= challengeMax {
		address, _ := webhook.ParseToken(token)
		if hook.Challenge(address, verifyToken) {
			return verified{challenge: challenge}, nil
		}
		if hook.Kind == kinds.Meta {
			return verified{}, fault.New(fault.Unauthenticated, "O token de verificação não confere.")
		}
	}
	v := verified{
		status: WebhookStatus{Status: Ok, Name: hook.Name, Type: WebhookStatusType(hook.Kind), Enabled: hook.Enabled},
	}
	if response := hook.Response(code); response != "" {
		v.status.ChallengeCode, v.status.ChallengeResponse = &code, &response
	}
	return v, nil
}

// verified is the answer to a verification: the webhook's state, or the challenge.
type verified struct {
	status    WebhookStatus
	challenge string
}

// VisitVerifyWebhookResponse writes the answer.
func (v verified) VisitVerifyWebhookResponse(w http.ResponseWriter) error {
	if v.challenge == "" {
		return body{v.status}.write(w)
	}
	w.Header().Set(echo.HeaderContentType, echo.MIMETextPlainCharsetUTF8)
	_, err := io.WriteString(w, v.challenge)
	return err
}

// VisitProbeWebhookResponse writes the answer; for HEAD, net/http sends no body.
func (v verified) VisitProbeWebhookResponse(w http.ResponseWriter) error {
	return v.VisitVerifyWebhookResponse(w)
}

// PreflightWebhook serves OPTIONS at the same address. It does not reveal whether the token exists: a browser would
// show its user nothing of a refusal anyway.
func (h handlers) PreflightWebhook(
	context.Context, PreflightWebhookRequestObject,
) (PreflightWebhookResponseObject, error) {
	methods, accepted, day := webhookMethods, "Content-Type, Idempotency-Key", int((24 * time.Hour).Seconds())
	return PreflightWebhook204Response{PreflightWebhook204ResponseHeaders{
		AccessControlAllowHeaders: &accepted, AccessControlAllowMethods: &methods, AccessControlAllowOrigin: &anyOrigin[0],
		AccessControlMaxAge: &day,
	}}, nil
}

// ReceiveLead is never called: the strict server would lose bodies of several types, so server.ReceiveLead is routed
// instead.
func (h handlers) ReceiveLead(context.Context, ReceiveLeadRequestObject) (ReceiveLeadResponseObject, error) {
	return nil, errors.New("the strict handler of ReceiveLead was called")
}

// tokenFirst lets the router refuse a method only where the token belongs to a webhook.
func (s *server) tokenFirst(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		err := next(c)
		if token, ok := strings.CutPrefix(c.Request().URL.Path, webhookPath+"receive/"); ok &&
			errors.Is(err, echo.ErrMethodNotAllowed) {
			if _, unknown := s.Intake.Open(c.Request().Context(), token); unknown != nil {
				c.Response().Header().Del(echo.HeaderAllow)
				return unknown
			}
		}
		return err
	}
}

// ReceiveLead serves POST /api/webhooks/receive/{token} (specification, 4.5). A sender that hangs up after its body has
// arrived has still sent a contact.
func (s *server) ReceiveLead(c *echo.Context, token string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), receiveWithin)
	defer cancel()
	simulate, unsure := simulated(c.QueryString())
	hook, post, err := s.Intake.Admit(ctx, token, func(hook webhook.Hook) intake.Post {
		post := readPost(c, token, hook)
		post.Unread = cmp.Or(post.Unread, unsure)
		return post
	})
	if err != nil {
		if !simulate {
			s.Metrics.notAdmitted(err)
		}
		return late(ctx, err)
	}
	if simulate {
		return s.simulate(ctx, c, hook, post)
	}
	accepted, err := s.Intake.Receive(ctx, hook, post)
	s.Metrics.post(accepted, err)
	if err != nil {
		return late(ctx, err)
	}
	if accepted.OnlyNoted {
		return c.JSON(http.StatusOK, LeadsNoted{
			Success: true, Noted: accepted.Noted,
			Message: fmt.Sprintf("Leads anotados: %d. Os dados são buscados em seguida.", accepted.Noted),
		})
	}
	return thank(c, hook, accepted)
}

// thank answers an accepted post; a browser's form gets the webhook's thank-you page, if there is one.
func thank(c *echo.Context, hook webhook.Hook, accepted intake.Accepted) error {
	if hook.ThanksURL != "" && strings.Contains(c.Request().Header.Get(echo.HeaderAccept), "text/html") {
		return c.Redirect(http.StatusSeeOther, hook.ThanksURL)
	}
	created := LeadCreated{Success: true, LeadId: accepted.ContactID, Message: thanks(accepted)}
	if len(accepted.Others) > 0 {
		all := append([]string{accepted.ContactID}, accepted.Others...)
		created.LeadIds = &all
	}
	return writeJSON(c.Response(), http.StatusOK, echo.MIMEApplicationJSON, created)
}

// thanks describes the outcome of an accepted post.
func thanks(a intake.Accepted) string {
	made := fmt.Sprintf("%d contatos criados", a.Made())
	switch {
	case a.Repeated:
		return "Este envio já tinha sido recebido; nada mudou."
	case len(a.Others) == 0:
		return "Contato criado."
	case a.Made() == 1:
		made = "1 contato criado"
	}
	switch a.Known {
	case 0:
		return made + "."
	case 1:
		return made + "; 1 já tinha sido recebido."
	}
	return fmt.Sprintf("%s; %d já tinham sido recebidos.", made, a.Known)
}

// late turns a failure caused by the deadline into the contract's error for it.
func late(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) &&
		kindOf(fault.CodeOf(err)).Status >= http.StatusInternalServerError {
		return fault.New(fault.Timeout,
			"O envio não terminou em trinta segundos e nada foi guardado. Envie de novo.").Because(err)
	}
	return err
}
