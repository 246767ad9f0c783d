package contracttest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// Transport is net/http's own with a check, for clients outside the test kits: an answer that breaks the contract is an
// error.
var Transport = Over(http.DefaultTransport)

// Over is Transport on top of another one, for instance behind a proxy.
func Over(base http.RoundTripper) http.RoundTripper { return transport{base} }

type transport struct{ base http.RoundTripper }

// RoundTrip sends a request and reads the whole answer.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if _, err := hold(resp); err != nil {
		return nil, err
	}
	return resp, nil
}

// hold is Conforms for an answer, whose body stays readable.
func hold(resp *http.Response) (operation string, err error) {
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return "", err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return Conforms(resp.Request.Method, resp.Request.URL.RequestURI(), resp.StatusCode, resp.Header, body)
}
