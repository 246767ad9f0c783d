// Package fault holds the one error type that crosses the boundaries of Fichário.
//
// A use case says what went wrong with a Code, which is part of the public contract; the driving adapters decide which
// status or page it becomes.
package fault

import (
	"errors"
	"time"
)

// Code is the contract's word for a kind of failure (design, section 4). The
// same words are the enum of `code` in openapi.yaml; a test holds them together.
type Code string

// The codes of the contract.
const (
	InvalidRequest       Code = "requisicao_invalida"
	InvalidDocument      Code = "documento_invalido"
	UnknownProduct       Code = "produto_desconhecido"
	UnknownBureau        Code = "bureau_desconhecido"
	BureauRefused        Code = "bureau_negado"
	InvalidEmail         Code = "email_invalido"
	Unauthenticated      Code = "nao_autenticado"
	MissingScope         Code = "escopo_ausente"
	MissingPurpose       Code = "finalidade_ausente"
	PurposeRefused       Code = "finalidade_negada"
	AddressRefused       Code = "endereco_negado"
	SubjectBlocked       Code = "titular_bloqueado"
	LookupDisabled       Code = "recurso_indisponivel"
	NotInHistory         Code = "fora_do_historico"
	UnknownLookup        Code = "consulta_desconhecida"
	UnknownBatch         Code = "lote_desconhecido"
	BatchState           Code = "estado_do_lote"
	UnknownWebhook       Code = "webhook_desconhecido"
	IncompleteRequest    Code = "requisicao_incompleta"
	BodyTooLarge         Code = "corpo_grande_demais"
	UnsupportedMediaType Code = "tipo_nao_suportado"
	ReusedIdempotencyKey Code = "chave_reutilizada"
	WebhookDisabled      Code = "webhook_desabilitado"
	MinuteLimit          Code = "limite_por_minuto"
	DailyLimit           Code = "limite_diario"
	MonthlyLimit         Code = "limite_mensal"
	Internal             Code = "erro_interno"
	BureauFailed         Code = "bureau_falhou"
	BureauUnavailable    Code = "bureau_indisponivel"
	ServiceUnavailable   Code = "servico_indisponivel"
	BureauNoAnswer       Code = "bureau_sem_resposta"
	Timeout              Code = "tempo_esgotado"
)

// Codes that only the interface and the commands distinguish; the contract's word for both is InvalidRequest.
const (
	// NotFound: there is no such thing for the caller.
	NotFound Code = "nao_encontrado"
	// Forbidden: the caller's role does not allow it.
	Forbidden Code = "nao_permitido"
)

// SessionCeiling is reported only to agents: their session has no ceiling, or too little of it is left.
const SessionCeiling Code = "teto_da_sessao"

// Error is a failure that a caller can be told about.
type Error struct {
	// Code is the contract's word for the failure.
	Code Code
	// Message says, in Portuguese, what to do about it. It never holds personal
	// data, a secret, or what a bureau answered.
	Message string
	// Field names the part of the request that is at fault; empty when none is.
	Field string
	// RetryAfter is the wait after which a retry can succeed; zero when waiting does not help (specification, 8.1.3).
	RetryAfter time.Duration
	// Limit is the limit that a 429 reports, in calls; zero for other codes.
	Limit int
	// Left is how many calls that limit still admits, fewer than the question may need.
	Left int
	// Replayed is true where it is the failure of an earlier request with the same idempotency key.
	Replayed bool

	cause error
}

// New returns an error with a code and a message for the caller.
func New(code Code, message string) *Error {
	return &Error{Code: code, Message: message}
}

// At names the field of the request that is at fault.
func (e *Error) At(field string) *Error { e.Field = field; return e }

// After sets RetryAfter.
func (e *Error) After(d time.Duration) *Error { e.RetryAfter = d; return e }

// Because keeps the cause for errors.Is, errors.As and the log. The cause is
// never shown to a caller.
func (e *Error) Because(cause error) *Error { e.cause = cause; return e }

// Error returns the code, and the cause where there is one. It is meant for the
// log; callers are shown Message.
func (e *Error) Error() string {
	if e.cause != nil {
		return string(e.Code) + ": " + e.cause.Error()
	}
	return string(e.Code)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf returns the code of err, and Internal for any error that is not a fault.
// It returns "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var f *Error
	if errors.As(err, &f) {
		return f.Code
	}
	return Internal
}
