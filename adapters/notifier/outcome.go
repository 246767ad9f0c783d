package notifier

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/wneessen/go-mail/smtp"

	"fichario/ports"
)

const (
	reasonLate        = "o servidor de e-mail não respondeu em 20 s"
	reasonInterrupted = "interrompido"
	reasonAuth        = "autenticação recusada pelo servidor de e-mail"
)

func permanent(reason string) error { return &ports.SendError{Reason: reason, Permanent: true} }

func temporary(reason string) error { return &ports.SendError{Reason: reason} }

// outcome classifies a failure, without the texts of the server and the library, which hold addresses. parent is the
// caller's context.
func (d *delivery) outcome(parent context.Context, err error) error {
	var answer *textproto.Error
	var dns *net.DNSError
	var netErr net.Error
	switch {
	case errors.As(err, &answer):
		return refusal(d.stage, answer.Code)
	case errors.Is(err, errUTF8):
		return permanent("o servidor de e-mail não aceita endereços com acentos")
	case parent.Err() != nil:
		return temporary(reasonInterrupted)
	case d.ctx.Err() != nil:
		return temporary(reasonLate)
	case errors.As(err, &dns):
		return temporary("nome não encontrado")
	case errors.Is(err, syscall.ECONNREFUSED):
		return temporary("conexão recusada")
	case errors.As(err, &netErr) && netErr.Timeout():
		return temporary(reasonLate) // the timeout may strike just before the context ends
	case errors.Is(err, smtp.ErrUnencrypted):
		return temporary("o servidor de e-mail não oferece TLS: a senha não foi enviada")
	case errors.Is(err, errNoAuth):
		return temporary("o servidor de e-mail não oferece autenticação por PLAIN ou LOGIN")
	case isTLS(err):
		return temporary("falha de TLS")
	case strings.Contains(err.Error(), "does not support STARTTLS"): // the library has no error type for it
		return temporary("o servidor de e-mail não oferece TLS")
	}
	return temporary("a conexão falhou")
}

// refusal interprets a status of the mail server. It is final only where it concerns this message: the operator can fix
// the account, the sender or the server, and then the message gets through.
func refusal(at stage, code int) error {
	n := " (" + strconv.Itoa(code) + ")"
	switch {
	case at == authenticating || slices.Contains([]int{530, 534, 535, 538}, code):
		return temporary(reasonAuth)
	case code < 400:
		return temporary("resposta inesperada do servidor de e-mail" + n)
	case at == connecting:
		return temporary("o servidor de e-mail recusou a conexão" + n)
	case code < 500:
		return temporary("o servidor de e-mail adiou a mensagem" + n)
	case at == naming:
		return temporary("o servidor de e-mail recusou o remetente" + n)
	}
	return permanent("o servidor de e-mail recusou a mensagem" + n)
}

// isTLS recognises errors of a handshake. Most of them have no type.
func isTLS(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &certificate) || strings.Contains(err.Error(), "tls: ")
}
