package app

import (
	"errors"

	"fichario/domain/fault"
)

// FaultOf returns the fault in an error; nil when there is none.
func FaultOf(err error) *fault.Error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	return nil
}

// IsRefusal reports whether an error says that what was sent cannot be accepted, rather than that something is
// unavailable or missing.
func IsRefusal(err error) bool {
	switch fault.CodeOf(err) {
	case fault.InvalidRequest, fault.InvalidEmail, fault.WebhookDisabled, fault.ReusedIdempotencyKey,
		fault.Unauthenticated, fault.MissingPurpose, fault.PurposeRefused:
		return true
	}
	return false
}

// missing is the fault of a thing that does not exist for the caller.
func missing(field, message string) *fault.Error { return fault.New(fault.NotFound, message).At(field) }

func invalid(field, message string) *fault.Error {
	return fault.New(fault.InvalidRequest, message).At(field)
}

func unauthenticated(message string) *fault.Error {
	return fault.New(fault.Unauthenticated, message+" Envie uma chave válida em Authorization: Bearer.")
}

func invalidRole() error { return invalid("role", "O papel deve ser owner, admin ou member.") }

// noMailer is the reason why no e-mail is sent.
const noMailer = "O envio de e-mail não está configurado."

func timedOut(cause error) error {
	return fault.New(fault.Timeout,
		"A consulta não terminou a tempo. Ela segue em andamento: repita o pedido e a resposta virá do histórico.").Because(cause)
}
