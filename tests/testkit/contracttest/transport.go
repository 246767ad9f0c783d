package contracttest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// Transport is net/http's own, for clients that are no kit's: an answer that is unlike the contract is an error.
var Transport = Over(http.DefaultTransport)

// Over is Transport for a client that has one of its own, such as behind a proxy.
func Over(base http.RoundTripper) http.RoundTripper { return transport{base} }

type transport struct{ base http.RoundTripper }

// RoundTrip sends a request and reads the whole of its answer.
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

// hold is Conforms for an answer, whose body it leaves to be read.
func hold(resp *http.Response) (operation string, err error) {
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return "", err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return Conforms(resp.Request.Method, resp.Request.URL.RequestURI(), resp.StatusCode, resp.Header, body)
}
