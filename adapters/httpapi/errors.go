package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/labstack/echo/v5"

	"fichario/adapters/docsite"
	"fichario/adapters/shape"
	"fichario/domain/fault"
)

// problemKind is a row of the table of errors.
type problemKind struct {
	Code   fault.Code
	Status int
	// Title is Portuguese text. /docs/erros says more.
	Title string
}

// The codes of what the router refuses before any use case runs.
const (
	unknownRoute     fault.Code = "rota_desconhecida"
	methodNotAllowed fault.Code = "metodo_nao_permitido"
)

var problems = []problemKind{
	{fault.InvalidRequest, 400, "Requisição inválida"},
	{fault.InvalidDocument, 400, "Documento inválido"},
	{fault.MissingPurpose, 400, "Finalidade ausente"},
	{fault.UnknownProduct, 400, "Produto desconhecido"},
	{fault.UnknownBureau, 400, "Bureau desconhecido"},
	{fault.InvalidEmail, 400, "E-mail inválido"},
	{fault.Unauthenticated, 401, "Não autenticado"},
	{fault.MissingScope, 403, "Escopo ausente"},
	{fault.BureauRefused, 403, "Bureau negado"},
	{fault.PurposeRefused, 403, "Finalidade negada"},
	{fault.AddressRefused, 403, "Endereço negado"},
	{fault.SubjectBlocked, 403, "Titular bloqueado"},
	{fault.LookupDisabled, 404, "Recurso indisponível"},
	{fault.NotInHistory, 404, "Fora do histórico"},
	{fault.UnknownLookup, 404, "Consulta desconhecida"},
	{fault.UnknownBatch, 404, "Lote desconhecido"},
	{fault.UnknownWebhook, 404, "Webhook desconhecido"},
	{unknownRoute, 404, "Rota desconhecida"},
	{methodNotAllowed, 405, "Método não permitido"},
	{fault.IncompleteRequest, 408, "Requisição incompleta"},
	{fault.BatchState, 409, "Estado do lote"},
	{fault.BodyTooLarge, 413, "Corpo grande demais"},
	{fault.UnsupportedMediaType, 415, "Tipo não suportado"},
	{fault.ReusedIdempotencyKey, 422, "Chave reutilizada"},
	{fault.WebhookDisabled, 423, "Webhook desabilitado"},
	{fault.MinuteLimit, 429, "Limite por minuto atingido"},
	{fault.DailyLimit, 429, "Limite diário atingido"},
	{fault.MonthlyLimit, 429, "Limite mensal atingido"},
	{fault.Internal, 500, "Erro interno"},
	{fault.BureauFailed, 502, "O bureau falhou"},
	{fault.BureauUnavailable, 503, "Bureau indisponível"},
	{fault.ServiceUnavailable, 503, "Serviço indisponível"},
	{fault.BureauNoAnswer, 504, "O bureau não respondeu"},
	{fault.Timeout, 504, "Tempo esgotado"},
}

// Problems lists all errors of the API, for the reference.
func Problems() (all []docsite.Problem) {
	for _, k := range problems {
		all = append(all, docsite.Problem{Code: string(k.Code), Title: k.Title, Status: k.Status})
	}
	return all
}

// kindOf returns the row of a code. Codes that only the interface and the commands distinguish are an invalid request
// on the wire.
func kindOf(code fault.Code) problemKind {
	if code == fault.NotFound || code == fault.Forbidden {
		return kindOf(fault.InvalidRequest)
	}
	for _, k := range problems {
		if k.Code == code {
			return k
		}
	}
	return kindOf(fault.Internal)
}

// ownAgain is the retry delay for a failure of our own that gives none.
const ownAgain = 5 * time.Second

func problemOf(f *fault.Error, kind problemKind, requestID string) Problem {
	body := Problem{
		Type: "/docs/erros#" + string(f.Code), Title: kind.Title, Status: kind.Status, Detail: f.Message, Code: Code(f.Code),
		RequestId: requestID,
	}
	if f.Field != "" {
		body.Errors = &[]struct {
			Campo    string `json:"campo"`
			Mensagem string `json:"mensagem"`
		}{{f.Field, f.Message}}
	}
	return body
}

// fail is the only place that writes an error. Errors that are no faults become 500 without their text, and are logged
// once.
func (s *server) fail(c *echo.Context, err error) {
	r, w := c.Request(), responseOf(c)
	f := asFault(err)
	kind := kindOf(f.Code)
	if gone(r, err) {
		s.Log.LogAttrs(r.Context(), slog.LevelDebug, "the client is gone", slog.String("route", c.Path()),
			slog.String("error", shape.Unaddressed(err)), slog.String("request_id", w.Header().Get(echo.HeaderXRequestID)))
		if !w.Committed {
			w.WriteHeader(clientGone)
		}
		w.Status = clientGone // in log and metrics, even where the response had begun
		return
	}
	if w.Committed {
		// The response has begun (a long CSV file): cut the connection, so that it is not taken for a complete one.
		s.logFailure(r.Context(), c, kind, err)
		panic(http.ErrAbortHandler)
	}
	if kind.Status >= http.StatusInternalServerError {
		s.logFailure(r.Context(), c, kind, err)
	}
	s.Metrics.refused(f.Code)
	h := w.Header()
	again := f.RetryAfter
	if again == 0 && (kind.Code == fault.Internal || kind.Code == fault.Timeout) {
		again = ownAgain
	}
	if again > 0 {
		h.Set("Retry-After", strconv.Itoa(seconds(again)))
	}
	if f.Code == fault.Unauthenticated {
		scheme := "Bearer"
		if isWebhook(c) {
			scheme = "Signature" // the body is signed with a shared secret
		}
		h.Set("WWW-Authenticate", scheme+` realm="fichario"`)
	}
	setReplayed(h, f.Replayed)
	capHeaders(h, f)
	body := problemOf(f, kind, h.Get(echo.HeaderXRequestID))
	var answer any = body
	if isWebhook(c) {
		answer = LeadProblem{
			Type: body.Type, Title: body.Title, Status: body.Status, Detail: body.Detail, Code: body.Code,
			RequestId: body.RequestId,
			Errors:    body.Errors, Message: body.Detail,
		}
	}
	if isWebhook(c) && sentByForm(r) {
		err = s.visitorPage(w, r, kind.Status, f)
	} else {
		err = writeJSON(w, kind.Status, "application/problem+json", answer)
	}
	if err != nil {
		s.Log.DebugContext(r.Context(), "answer not written", "error", shape.Unaddressed(err))
	}
}

// clientGone is the status, in log and metrics alone, of a request whose client did not wait for the response.
const clientGone = 499

// gone reports whether err only means that the client hung up, or stopped reading: net/http then cancels the request's
// context, and writes fail.
func gone(r *http.Request, err error) bool {
	var f *fault.Error
	return errors.Is(err, context.Canceled) && r.Context().Err() != nil ||
		!errors.As(err, &f) && (errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) ||
			errors.Is(err, os.ErrDeadlineExceeded))
}

func isWebhook(c *echo.Context) bool {
	asked := c.Request().URL.Path
	return strings.HasPrefix(c.Path(), webhookPath) || strings.HasPrefix(asked, webhookPath) ||
		strings.HasPrefix(path.Clean("/"+asked), webhookPath)
}

func (s *server) logFailure(ctx context.Context, c *echo.Context, kind problemKind, err error) {
	s.Log.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("route", c.Path()),
		slog.String("code", string(kind.Code)),
		slog.String("error", shape.Unaddressed(err)),
		slog.String("request_id", c.Response().Header().Get(echo.HeaderXRequestID)))
}

func asFault(err error) *fault.Error {
	var (
		f *fault.Error
		h echo.HTTPStatusCoder
	)
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &h):
		return routerFault(h.StatusCode(), err)
	}
	return internal()
}

func internal() *fault.Error {
	return fault.New(fault.Internal, "Erro interno. Se continuar, informe o requestId a quem opera o serviço.")
}

func noSuchRoute() *fault.Error {
	return fault.New(unknownRoute, "Não há rota com este endereço. O contrato está em /openapi.yaml.")
}

// routerFault translates refusals of the router and the generated code. Their own texts repeat what was sent and are
// not shown.
func routerFault(status int, err error) *fault.Error {
	switch status {
	case http.StatusNotFound:
		return noSuchRoute()
	case http.StatusMethodNotAllowed:
		return fault.New(methodNotAllowed, "Esta rota não aceita este método; o cabeçalho Allow diz quais aceita.")
	case http.StatusBadRequest:
		return fault.New(fault.InvalidRequest, "Há um parâmetro que não pode ser lido.").Because(err)
	}
	return internal().Because(err)
}
