package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fichario/cmd/fichario/command"
)

// remote is a running service, for commands that work over HTTP.
type remote struct {
	URL string `env:"FICHARIO_URL" default:"http://127.0.0.1:8080" help:"Address of the service."`
	Key string `env:"FICHARIO_KEY" placeholder:"KEY" help:"API key. Prefer the variable FICHARIO_KEY: everybody on the machine can see a flag."`
}

// answerWithin bounds the wait for an answer to begin; the bureau bounds a lookup.
const answerWithin = 5 * time.Minute

// client sends the key with every request, follows no redirect with it, and turns refusals into words.
func (r remote) client() (*http.Client, error) {
	address, err := url.Parse(r.URL)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" || address.User != nil {
		return nil, errors.New("FICHARIO_URL must be the address of a service, such as https://fichario.example")
	}
	if strings.TrimSpace(r.Key) == "" {
		return nil, errors.New("no API key: put one into FICHARIO_KEY (fichario key create makes one)")
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: answerWithin}
	return &http.Client{
		Transport:     keyed{strings.TrimSpace(r.Key), transport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// keyed is a transport that adds a key.
type keyed struct {
	key  string
	next http.RoundTripper
}

// RoundTrip sends a request. A problem, or an answer that is not from a service, becomes an error.
func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+k.key)
	r.Header.Set("User-Agent", "fichario/"+command.Version())
	at := r.URL.Scheme + "://" + r.URL.Host
	res, err := k.next.RoundTrip(r)
	if err != nil {
		if r.Context().Err() != nil {
			return nil, err
		}
		return nil, fmt.Errorf("no service answers at %s (FICHARIO_URL, --url): %w", at, err)
	}
	kind := res.Header.Get("Content-Type")
	switch {
	case strings.HasPrefix(kind, "application/problem+json"):
		defer func() { _ = res.Body.Close() }()
		p := problem{retryAfter: res.Header.Get("Retry-After")}
		if err := json.NewDecoder(io.LimitReader(res.Body, 1<<20)).Decode(&p); err != nil {
			return nil, fmt.Errorf("%s answered %s", at, res.Status)
		}
		return nil, &p
	case res.StatusCode >= 300 && res.StatusCode < 400:
		_ = res.Body.Close()
		return nil, fmt.Errorf("%s redirects elsewhere (%s): put the right address into FICHARIO_URL", at, res.Status)
	}
	return res, nil
}

// problem is a refusal of the service.
type problem struct {
	Title, Detail, Code, RequestID string

	retryAfter string
}

// Error words the problem: what happened, what to do, and what to tell the service's operator.
func (p *problem) Error() string {
	text := p.Title + ": " + p.Detail
	if p.retryAfter != "" {
		text += " Try again in " + p.retryAfter + " s."
	}
	switch p.Code {
	case "nao_autenticado":
		text += " (The key comes from FICHARIO_KEY or --key.)"
	case "recurso_indisponivel":
		text += " (The address comes from FICHARIO_URL or --url.)"
	}
	return fmt.Sprintf("%s [%s, request %s]", text, p.Code, p.RequestID)
}

// call is one request to the API.
type call struct {
	method, path string
	query        url.Values
	header       map[string]string
	body         any // sent as JSON, or unchanged if bytes; nil for none
}

// do makes a call and returns the response, whose body the caller closes.
func (r remote) do(ctx context.Context, c call) (*http.Response, error) {
	client, err := r.client()
	if err != nil {
		return nil, err
	}
	var body []byte
	switch b := c.body.(type) {
	case nil:
	case []byte:
		body = b
	default:
		if body, err = json.Marshal(b); err != nil {
			return nil, err
		}
	}
	address := strings.TrimRight(r.URL, "/") + c.path
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, c.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if c.body == nil {
		req.Body, req.ContentLength = http.NoBody, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // its text would repeat the address, which may hold what was looked up
	}
	if err == nil && (res.StatusCode >= http.StatusBadRequest || isPage(res.Header.Get("Content-Type"))) {
		_ = res.Body.Close()
		err = fmt.Errorf("%s answered %s, but is not a Fichário service: check FICHARIO_URL", r.URL, res.Status)
	}
	return res, err
}

// isPage reports whether a response is for people, such as that of a network's sign-in page.
func isPage(kind string) bool {
	return strings.HasPrefix(kind, "text/html") || strings.HasPrefix(kind, "text/plain")
}

// read is do for a response that is read completely.
func (r remote) read(ctx context.Context, c call) ([]byte, error) {
	res, err := r.do(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	return io.ReadAll(res.Body)
}
