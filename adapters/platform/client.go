// Package platform calls the APIs of advertising platforms: the token in a header and never in the address, no redirect
// that would take it elsewhere, a bounded answer, and errors without any of them.
package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"fichario/domain/intake"
	"fichario/ports"
)

const (
	// answerMax bounds an answer, in bytes.
	answerMax = 8 << 20
	// callWithin bounds a call.
	callWithin = 15 * time.Second
)

// Client calls one platform. It is safe for concurrent use.
type Client struct {
	of   string // in Portuguese: "da Meta"
	http *http.Client
}

// New returns a client of the platform of a kind.
func New(k intake.Kind) *Client {
	transport := &http.Transport{
		TLSHandshakeTimeout: 5 * time.Second, MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second,
	}
	return &Client{k.Platform().Of, &http.Client{
		Timeout: callWithin, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Answer is a whole answer, whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Call makes a call, with a JSON body unless sent is nil. An error is a *ports.SourceError.
func (c *Client) Call(
	ctx context.Context, method, address, token string, header map[string]string, sent any,
) (Answer, error) {
	var body io.Reader = http.NoBody
	if sent != nil {
		text, err := json.Marshal(sent)
		if err != nil {
			panic(err) // texts always marshal
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return Answer{}, &ports.SourceError{Reason: "o endereço " + c.of + " não serve"}
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	if sent != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	got, err := c.http.Do(r)
	if err != nil { // which would quote the address
		return Answer{}, &ports.SourceError{Reason: "sem resposta " + c.of}
	}
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(got.Body, answerMax+1))
	if err != nil || len(text) > answerMax {
		return Answer{}, &ports.SourceError{Reason: "a resposta " + c.of + " não chegou inteira"}
	}
	return Answer{got.StatusCode, got.Header, text}, nil
}

// Decode reads an answer. An error is a *ports.SourceError.
func (c *Client) Decode(text []byte, into any) error {
	if json.Unmarshal(text, into) != nil {
		return &ports.SourceError{Reason: "a resposta " + c.of + " não pode ser lida"}
	}
	return nil
}
