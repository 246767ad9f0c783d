package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"fichario/app"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/webhook"
)

const (
	webhookPath    = "/api/webhooks/"
	webhookMethods = "GET, HEAD, POST, OPTIONS"

	// receiveWithin bounds the whole of a post (specification, 8.2.2).
	receiveWithin = 30 * time.Second
	// leadMax bounds the text of a post. Files are skipped as a stream; filesMax bounds
	// a body with them.
	leadMax  = 1 << 20
	filesMax = 32 << 20
	// excerptMax is what the delivery log keeps of a body that is too large, and
	// excerptWithin how long it waits for it.
	excerptMax    = 64 << 10
	excerptWithin = 2 * time.Second
)

// anyOrigin lets any page's script post: the address is the credential, and no
// cookie is involved.
var anyOrigin = []string{"*"}

// VerifyWebhook serves GET /api/webhooks/receive/{token} (specification, 4.6).
func (h handlers) VerifyWebhook(
	ctx context.Context, r VerifyWebhookRequestObject,
) (VerifyWebhookResponseObject, error) {
	return h.verify(ctx, r.Token, orEmpty(r.Params.HubChallenge), orEmpty(r.Params.HubVerifyToken))
}

// ProbeWebhook serves HEAD of the same address.
func (h handlers) ProbeWebhook(ctx context.Context, r ProbeWebhookRequestObject) (ProbeWebhookResponseObject, error) {
	return h.verify(ctx, r.Token, orEmpty(r.Params.HubChallenge), orEmpty(r.Params.HubVerifyToken))
}

func (h handlers) verify(ctx context.Context, token, challenge, verifyToken string) (verified, error) {
	hook, err := h.Intake.Open(ctx, token)
	if err != nil {
		return verified{}, err
	}
	const challengeMax = 512
	if challenge != "" && len(challenge) <= challengeMax && verifyToken == token {
		return verified{challenge: challenge}, nil
	}
	return verified{
		status: WebhookStatus{Status: Ok, Name: hook.Name, Type: WebhookStatusType(hook.Kind), Enabled: hook.Enabled},
	}, nil
}

// verified is the answer of a verification: the webhook's state, or the challenge.
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

// VisitProbeWebhookResponse writes the answer; of HEAD the server sends no body.
func (v verified) VisitProbeWebhookResponse(w http.ResponseWriter) error {
	return v.VisitVerifyWebhookResponse(w)
}

// PreflightWebhook serves OPTIONS of the same address. It does not say whether the
// token exists: a browser would show its user nothing of a refusal anyway.
func (h handlers) PreflightWebhook(
	context.Context, PreflightWebhookRequestObject,
) (PreflightWebhookResponseObject, error) {
	methods, accepted, day := webhookMethods, "Content-Type, Idempotency-Key", int((24 * time.Hour).Seconds())
	return PreflightWebhook204Response{PreflightWebhook204ResponseHeaders{
		AccessControlAllowHeaders: &accepted, AccessControlAllowMethods: &methods, AccessControlAllowOrigin: &anyOrigin[0],
		AccessControlMaxAge: &day,
	}}, nil
}

// ReceiveLead is never called: the strict server would lose bodies of several
// types, so that server.ReceiveLead is routed instead.
func (h handlers) ReceiveLead(context.Context, ReceiveLeadRequestObject) (ReceiveLeadResponseObject, error) {
	return nil, errors.New("the strict handler of ReceiveLead was called")
}

// tokenFirst lets the router refuse a method only where a webhook stands behind the
// token.
func (s *server) tokenFirst(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
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

// ReceiveLead serves POST /api/webhooks/receive/{token} (specification, 4.5). A
// sender that hangs up after its body has arrived has still sent a contact.
func (s *server) ReceiveLead(c echo.Context, token string, _ ReceiveLeadParams) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), receiveWithin)
	defer cancel()
	hook, err := s.Intake.Open(ctx, token)
	if err != nil {
		return late(ctx, err)
	}
	simulate, err := simulated(c.QueryParams()["simular"])
	if err != nil {
		return err
	}
	opened := time.Now()
	post := readPost(c, token, hook)
	if time.Since(opened) > time.Second {
		// Much may have been changed while the body came in.
		if hook, err = s.Intake.Open(ctx, token); err != nil {
			return late(ctx, err)
		}
	}
	if simulate {
		return s.simulate(ctx, c, hook, post)
	}
	accepted, err := s.Intake.Receive(ctx, hook, post)
	s.Metrics.post(accepted, err)
	if err != nil {
		return late(ctx, err)
	}
	if hook.ThanksURL != "" && strings.Contains(c.Request().Header.Get(echo.HeaderAccept), "text/html") {
		return c.Redirect(http.StatusSeeOther, hook.ThanksURL)
	}
	message := "Contato criado."
	if accepted.Repeated {
		message = "Este envio já tinha sido recebido; nada mudou."
	}
	return writeJSON(c.Response(), http.StatusOK, echo.MIMEApplicationJSON, LeadCreated{
		Success: true, LeadId: accepted.ContactID, Message: message,
	})
}

// simulated reads `simular`. A word that is neither yes nor no must not create a
// contact.
func simulated(values []string) (bool, error) {
	if len(values) == 0 {
		return false, nil
	}
	switch strings.Join(values, ",") {
	case "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	}
	return false, fault.New(fault.InvalidRequest,
		"O parâmetro simular é true ou false, uma vez só: ?simular=true mostra o contato e não cria nada.").At("simular")
}

// receiveLead is ReceiveLead without the generated wrapper, which would refuse a
// repeated header or parameter before the token is looked at.
func (s *server) receiveLead(c echo.Context) error {
	return s.ReceiveLead(c, c.Param("token"), ReceiveLeadParams{})
}

// late turns a failure for lack of time into the contract's word for it.
func late(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) &&
		kindOf(fault.CodeOf(err)).Status >= http.StatusInternalServerError {
		return fault.New(fault.Timeout,
			"O envio não terminou em trinta segundos e nada foi criado. Envie de novo.").Because(err)
	}
	return err
}

func (s *server) simulate(ctx context.Context, c echo.Context, hook app.Hook, post app.Post) error {
	m, err := s.Intake.Simulate(ctx, hook, post)
	if err != nil {
		return late(ctx, err)
	}
	out := LeadSimulated{Success: true, Simulated: true, Message: "Simulação. Nada foi criado."}
	k := &out.Contact
	k.Nome, k.Email, k.Telefone = m.Contact.Name, m.Contact.Email, orNull(m.Contact.Phone)
	k.TelefoneE164, k.Empresa = orNull(m.Contact.PhoneE164), orNull(m.Contact.Company)
	k.Valor, k.Nota, k.Origem = json.Number(m.Contact.Amount.String()), m.Contact.Note, orNull(m.Origin)
	k.Funil, k.Etapa = m.Funnel, m.Stage
	k.Responsavel, k.Atribuicao = orNull(m.Assignee), map[string]string{}
	for _, a := range m.Contact.Attribution {
		k.Atribuicao[a.Key] = a.Value
	}
	k.Campos = make([]struct {
		Campo string `json:"campo"`
		Chave string `json:"chave"`
	}, len(m.Fields))
	for i, f := range m.Fields {
		k.Campos[i].Campo, k.Campos[i].Chave = f.Field, f.Key
	}
	return writeJSON(c.Response(), http.StatusOK, echo.MIMEApplicationJSON, out)
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// readPost reads what was posted, or as much of it as the delivery log keeps.
func readPost(c echo.Context, token string, hook app.Hook) app.Post {
	r := c.Request()
	contentType := r.Header.Get(echo.HeaderContentType)
	// A signature is over the bytes as they came, so that they are all kept then.
	stream := intake.IsMultipart(contentType) && strings.Contains(contentType, "boundary=") &&
		hook.Signature.Scheme == webhook.NoSignature
	limit := int64(leadMax)
	if stream {
		limit = filesMax
	}
	post := app.Post{Headers: keptHeaders(r.Header, token)}
	if r.ContentLength > limit {
		_ = http.NewResponseController(c.Response().Writer).SetReadDeadline(time.Now().Add(excerptWithin))
		// Beyond the excerpt the server hangs up, slowly enough for the answer to be read.
		post.Body, _ = io.ReadAll(http.MaxBytesReader(c.Response().Writer, r.Body, excerptMax))
		post.Truncated, post.Declared = true, tooLarge()
		return post
	}
	excerpt := &head{}
	source := io.TeeReader(http.MaxBytesReader(c.Response().Writer, r.Body, limit), excerpt)
	var err error
	if stream {
		post.Body, err = intake.Reduce(contentType, source, leadMax)
	} else {
		post.Body, err = io.ReadAll(source)
	}
	if post.Unread = unread(err); post.Unread != nil {
		post.Body, post.Truncated = excerpt.Bytes(), true
		return post
	}
	post.Signed = post.Body
	if post.Unread = compressed(r, fault.InvalidRequest); post.Unread != nil {
		return post
	}
	if !stream && intake.IsMultipart(contentType) && strings.Contains(contentType, "boundary=") {
		if post.Body, err = intake.Reduce(contentType, bytes.NewReader(post.Signed), leadMax); err != nil {
			post.Unread, post.Body = unread(err), excerpt.Bytes()
		}
	}
	return post
}

// head keeps the beginning of what is written to it.
type head struct{ bytes.Buffer }

// Write keeps what still fits and never fails.
func (h *head) Write(p []byte) (int, error) {
	_, _ = h.Buffer.Write(p[:min(len(p), excerptMax-h.Len())])
	return len(p), nil
}

func tooLarge() *fault.Error {
	return fault.New(fault.BodyTooLarge, "O corpo passa de 1 MiB (com arquivos, de 32 MiB). Envie só os campos do formulário.")
}

// unread says why a body could not be read; nil when it was.
func unread(err error) *fault.Error {
	var (
		over  *http.MaxBytesError
		known *fault.Error
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &over), errors.Is(err, intake.ErrTooLarge):
		return tooLarge()
	case errors.As(err, &known):
		return known
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.New(fault.IncompleteRequest,
			"O corpo da requisição não chegou inteiro. Nada foi criado; envie de novo.").Because(err)
	}
	return fault.New(fault.InvalidRequest, "O corpo da requisição não pode ser lido.").Because(err)
}

// keptHeaders are the headers that tell something about a post: its type, its
// sender, its signature and its ids. Others, cookies and credentials among them, are
// not kept.
func keptHeaders(h http.Header, token string) []intake.Pair {
	const valueMax = 1024
	var kept []intake.Pair
	for name, values := range h {
		name = strings.ToLower(name)
		if len(values) == 0 || !tells(name) || strings.Contains(values[0], token) {
			continue
		}
		value := values[0]
		if len(value) > valueMax {
			if name == "idempotency-key" {
				value = value[:valueMax] // still too long, and refused as such
			} else {
				continue
			}
		}
		kept = append(kept, intake.Pair{Key: name, Value: value})
	}
	slices.SortFunc(kept, func(a, b intake.Pair) int { return cmp.Compare(a.Key, b.Key) })
	return kept
}

func tells(header string) bool {
	switch header {
	case "content-type", "user-agent", "origin", "referer", "idempotency-key":
		return true
	}
	for _, part := range []string{"signature", "webhook", "delivery", "submission", "event"} {
		if strings.Contains(header, part) {
			return true
		}
	}
	return false
}
