package automation

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"fichario/ports"
)

// These are shown to the organisation. Error texts of net/http are never passed on: they may hold the address.
const (
	reasonURL         = "endereço inválido (use http ou https, sem usuário e senha)"
	reasonRefused     = "endereço não permitido (rede privada ou porta diferente de 80 e 443)"
	reasonLate        = "o destino não respondeu em 10 s"
	reasonInterrupted = "interrompido"
	reasonGone        = "o destino respondeu 410: não quer mais receber"
)

// maxWait bounds the wait that the other side may ask for.
const maxWait = time.Hour

func permanent(reason string) error { return &ports.SendError{Reason: reason, Permanent: true} }

func temporary(reason string) error { return &ports.SendError{Reason: reason} }

// unanswered classifies a call without an answer. parent is the caller's context, ctx adds the time limit of the call.
func unanswered(parent, ctx context.Context, err error, tlsFailed bool) error {
	var dns *net.DNSError
	var netErr net.Error
	switch {
	case errors.Is(err, errRefused):
		return permanent(reasonRefused)
	case parent.Err() != nil:
		return temporary(reasonInterrupted)
	case ctx.Err() != nil:
		return temporary(reasonLate)
	case errors.As(err, &dns):
		return temporary("nome não encontrado")
	case errors.Is(err, syscall.ECONNREFUSED):
		return temporary("conexão recusada")
	case errors.As(err, &netErr) && netErr.Timeout():
		return temporary(reasonLate) // the timeout may strike just before ctx ends
	case tlsFailed:
		return temporary("falha de TLS")
	}
	return temporary("a conexão falhou")
}

// judge interprets a status.
func judge(status int, retryAfter string, now time.Time) error {
	switch {
	case status >= 200 && status <= 299:
		return nil
	case status >= 300 && status <= 399:
		return temporary("redirecionamento não seguido (status " + strconv.Itoa(status) + ")")
	case status == http.StatusGone:
		return permanent(reasonGone)
	}
	e := &ports.SendError{Reason: "status " + strconv.Itoa(status)}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		e.RetryAfter = wait(retryAfter, now)
	}
	return e
}

// byStatus is the error for a status that the destination does not count as success: permanent where the request itself
// is at fault, and a retry would fail alike.
func byStatus(status int, retryAfter string, now time.Time) error {
	e := &ports.SendError{Reason: "o destino recusou (status " + strconv.Itoa(status) + ")", Permanent: true}
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		e.RetryAfter = wait(retryAfter, now)
		fallthrough
	case status >= 500, status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		e.Reason, e.Permanent = "status "+strconv.Itoa(status), false
	}
	return e
}

// wait reads a Retry-After, in seconds or as a date, up to maxWait.
func wait(s string, now time.Time) time.Duration {
	n, err := strconv.ParseUint(s, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) { // out of range counts as the maximum
		return time.Duration(min(n, uint64(maxWait/time.Second))) * time.Second
	}
	at, err := http.ParseTime(s)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxWait)
}
