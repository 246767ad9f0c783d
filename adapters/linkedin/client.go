package linkedin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"fichario/adapters/platform"
	"fichario/domain/intake"
	"fichario/ports"
)

// Version is the version of the API that every call names. LinkedIn keeps each for a year.
const Version = "202608"

// Address is LinkedIn's own, and the default of FICHARIO_LINKEDIN_URL.
const Address = "https://api.linkedin.com"

// Client is a LeadSource. It is safe for concurrent use.
type Client struct {
	base     string
	platform *platform.Client
}

// New returns a client of the API at an address, such as https://api.linkedin.com.
func New(address string) *Client {
	return &Client{strings.TrimRight(address, "/") + "/rest/", platform.New(intake.LinkedIn)}
}

// call makes a call and decodes the answer; what is nil is neither sent nor read. Parentheses and commas of a query are
// LinkedIn's syntax (Rest.li), so that it comes as it is sent. What LinkedIn does not accept is notTaken.
func (c *Client) call(ctx context.Context, token, method, path string, sent, answer any) error {
	header := map[string]string{"LinkedIn-Version": Version, "X-Restli-Protocol-Version": "2.0.0"}
	got, err := c.platform.Call(ctx, method, c.base+path, token, header, sent)
	if err != nil {
		return err
	}
	if err := failure(got); err != nil || answer == nil {
		return err
	}
	return c.platform.Decode(got.Body, answer)
}

// notTaken is a call that LinkedIn does not accept.
type notTaken struct{ *ports.SourceError }

// Unwrap returns what the port promises.
func (e notTaken) Unwrap() error { return e.SourceError }

// failure returns why a call failed, by the status of the answer; nil when it did not.
func failure(got platform.Answer) error {
	if got.Status >= http.StatusOK && got.Status < http.StatusMultipleChoices {
		return nil
	}
	var said struct {
		Code int `json:"serviceErrorCode"`
	}
	_ = json.Unmarshal(got.Body, &said)
	f := &ports.SourceError{}
	what := "o LinkedIn falhou"
	switch got.Status {
	case http.StatusUnauthorized:
		f.Failure, what = ports.TokenDead, "o token não vale mais"
	case http.StatusForbidden:
		f.Failure, what = ports.PermissionMissing, "falta uma permissão ao token"
	case http.StatusNotFound:
		f.Failure, what = ports.LeadGone, "não existe ou não é mostrado"
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		what = "o LinkedIn não aceitou o pedido"
	case http.StatusTooManyRequests:
		f.Failure, what = ports.SourceLimited, "chamadas demais"
		seconds, _ := strconv.Atoi(got.Header.Get("Retry-After"))
		f.RetryAfter = min(time.Duration(seconds)*time.Second, 24*time.Hour)
	}
	f.Reason = fmt.Sprintf("%s (status %d", what, got.Status)
	if said.Code != 0 {
		f.Reason += fmt.Sprintf(", erro %d", said.Code)
	}
	if f.Reason += ")"; got.Status == http.StatusBadRequest || got.Status == http.StatusUnprocessableEntity {
		return notTaken{f}
	}
	return f
}

// owner is an advertising account in LinkedIn's syntax.
func owner(account string) string {
	return "(sponsoredAccount:" + url.QueryEscape(accountURN+account) + ")"
}
