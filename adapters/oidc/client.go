package oidc

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// answerMax bounds a provider's answer, in bytes.
const answerMax = 1 << 20

// client calls a provider: without a proxy from the environment or redirects, and with bounds on an answer's time and
// size. The operator configures the address, so it may be private.
func client(issuer string) *http.Client {
	return &http.Client{
		Timeout:       within,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: bounded{issuer, &http.Transport{
			DialContext:         (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: within,
			MaxResponseHeaderBytes: 64 << 10, MaxIdleConns: 4, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
		}},
	}
}

// bounded refuses addresses less protected than the issuer's, and answers beyond answerMax.
type bounded struct {
	issuer string
	next   http.RoundTripper
}

var (
	errForeign = errors.New("a redirect from https to http")
	errTooLong = errors.New("an answer larger than a megabyte")
)

// RoundTrip makes the request.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if !fitsIssuer(b.issuer, r.URL.String()) {
		return nil, errForeign
	}
	resp, err := b.next.RoundTrip(r)
	if err == nil {
		resp.Body = &body{resp.Body, answerMax}
	}
	return resp, err
}

// body fails once it exceeds its bound.
type body struct {
	io.ReadCloser

	left int
}

// Read counts what it reads.
func (b *body) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.left -= n; b.left < 0 {
		return 0, errTooLong
	}
	return n, err
}

// fitsIssuer reports whether an address is complete, and as well protected as the issuer's.
func fitsIssuer(issuer, address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.User == nil &&
		(u.Scheme == "https" || u.Scheme == "http" && strings.HasPrefix(issuer, "http://"))
}

// reason is an error in short, without the address and the answer.
func reason(err error) string {
	var at *url.Error
	if errors.As(err, &at) {
		if at.Timeout() {
			return "no answer in time"
		}
		return at.Err.Error()
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	switch status, _, found := strings.Cut(text, ": "); {
	case strings.Contains(text, "did not match the issuer"):
		return "it calls itself another issuer than FICHARIO_OIDC_ISSUER"
	case found && len(status) > 3 && status[0] >= '1' && status[0] <= '5' && len(status) < 40:
		return "it answers " + status
	case strings.Contains(text, errTooLong.Error()):
		return errTooLong.Error()
	}
	return "it answers something else than expected"
}
