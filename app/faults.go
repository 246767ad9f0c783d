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

// Missing is the fault of a thing that does not exist for the caller.
func Missing(field, message string) *fault.Error { return fault.New(fault.NotFound, message).At(field) }

// Invalid is the fault of a field that cannot be accepted.
func Invalid(field, message string) *fault.Error {
	return fault.New(fault.InvalidRequest, message).At(field)
}

// Unauthenticated is the fault of a caller without a valid key.
func Unauthenticated(message string) *fault.Error {
	return fault.New(fault.Unauthenticated, message+" Envie uma chave válida em Authorization: Bearer.")
}

// InvalidRole is the fault of a role that does not exist.
func InvalidRole() error { return Invalid("role", "O papel deve ser owner, admin ou member.") }

// NoMailer is the reason why no e-mail is sent.
const NoMailer = "O envio de e-mail não está configurado."

// TimedOut is the fault of a lookup that goes on after its caller stopped waiting.
func TimedOut(cause error) error {
	return fault.New(fault.Timeout,
		"A consulta não terminou a tempo. Ela segue em andamento: repita o pedido e a resposta virá do histórico.").Because(cause)
}
