package linkedin

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fichario/ports"
)

// Version is the version of the API that every call names. LinkedIn keeps each for a year.
const Version = "202608"

const (
	// Address is LinkedIn's own, and the default of FICHARIO_LINKEDIN_URL.
	Address = "https://api.linkedin.com"
	// answerMax bounds an answer, in bytes.
	answerMax = 8 << 20
	// callWithin bounds a call.
	callWithin = 15 * time.Second
)

// Client is a LeadSource. It is safe for concurrent use.
type Client struct {
	base string
	http *http.Client
}

// New returns a client of the API at an address, such as https://api.linkedin.com.
func New(address string) *Client {
	transport := &http.Transport{
		TLSHandshakeTimeout: 5 * time.Second, MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second,
	}
	return &Client{strings.TrimRight(address, "/") + "/rest/", &http.Client{
		Timeout: callWithin, Transport: transport,
		// A redirect would take the token elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// call makes a call and decodes the answer; what is nil is neither sent nor read. The token goes in a header, and never
// into the address. Parentheses and commas of a query are LinkedIn's syntax (Rest.li), so that it comes as it is sent.
func (c *Client) call(ctx context.Context, token, method, path string, sent, answer any) error {
	var body io.Reader = http.NoBody
	if sent != nil {
		text, err := json.Marshal(sent)
		if err != nil {
			panic(err) // texts always marshal
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return &ports.SourceError{Reason: "o endereço do LinkedIn não serve"}
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("LinkedIn-Version", Version)
	r.Header.Set("X-Restli-Protocol-Version", "2.0.0")
	if sent != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := c.http.Do(r)
	if err != nil {
		return &ports.SourceError{Reason: "o LinkedIn não respondeu"} // the error would quote the address
	}
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(got.Body, answerMax+1))
	if err != nil || len(text) > answerMax {
		return &ports.SourceError{Reason: "a resposta do LinkedIn não chegou inteira"}
	}
	if failed := failure(got, text); failed != nil {
		return failed
	}
	if answer != nil && json.Unmarshal(text, answer) != nil {
		return &ports.SourceError{Reason: "a resposta do LinkedIn não pode ser lida"}
	}
	return nil
}

// notTaken begins the reason where LinkedIn does not accept what a call says.
const notTaken = "o LinkedIn não aceitou o pedido"

// failure returns why a call failed, by the status of the answer; nil when it did not.
func failure(got *http.Response, body []byte) *ports.SourceError {
	if got.StatusCode >= http.StatusOK && got.StatusCode < http.StatusMultipleChoices {
		return nil
	}
	var said struct {
		Code int `json:"serviceErrorCode"`
	}
	_ = json.Unmarshal(body, &said)
	f := &ports.SourceError{}
	what := "o LinkedIn falhou"
	switch got.StatusCode {
	case http.StatusUnauthorized:
		f.Failure, what = ports.TokenDead, "o token não vale mais"
	case http.StatusForbidden:
		f.Failure, what = ports.PermissionMissing, "falta uma permissão ao token"
	case http.StatusNotFound:
		f.Failure, what = ports.LeadGone, "não existe ou não é mostrado"
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		what = notTaken
	case http.StatusTooManyRequests:
		f.Failure, what = ports.SourceLimited, "chamadas demais"
		seconds, _ := strconv.Atoi(got.Header.Get("Retry-After"))
		f.RetryAfter = min(time.Duration(seconds)*time.Second, 24*time.Hour)
	}
	f.Reason = fmt.Sprintf("%s (status %d", what, got.StatusCode)
	if said.Code != 0 {
		f.Reason += fmt.Sprintf(", erro %d", said.Code)
	}
	f.Reason += ")"
	return f
}

// owner is an advertising account in LinkedIn's syntax.
func owner(account string) string {
	return "(sponsoredAccount:" + url.QueryEscape(accountURN+account) + ")"
}
