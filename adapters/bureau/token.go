package bureau

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"fichario/adapters/jq"
	"fichario/ports"
)

const (
	maxTokenAnswer = 64 << 10
	// tokenLife is how long a token is kept when its server does not say.
	tokenLife = 5 * time.Minute
	// tokenPause is the pause after a failed fetch, so that a token server that is down is not called for every lookup.
	tokenPause = 2 * time.Second
)

// tokenSource signs in for tokens and caches the latest.
type tokenSource struct {
	conf    signIn
	timeout time.Duration
	rt      http.RoundTripper
	log     *slog.Logger
	base    context.Context // ends with the client
	close   context.CancelFunc

	mu       sync.Mutex
	token    string
	until    time.Time
	failedAt time.Time
	fetching chan struct{} // closed when the fetch in flight ends; nil without one
}

func newTokenSource(conf signIn, timeout time.Duration, rt http.RoundTripper, log *slog.Logger) *tokenSource {
	s := &tokenSource{conf: conf, timeout: timeout, rt: rt, log: log}
	s.base, s.close = context.WithCancel(context.Background())
	return s
}

// noToken is the failure of a call that got no token. It does not count against the bureau, which was not called;
// tokenPause takes the breaker's place.
func noToken(wait time.Duration) *failure {
	f := neutral(ports.NotSent, "no token from the server that signs in")
	f.err.RetryAfter = max(wait, time.Second)
	return f
}

// get returns a valid token, and whether the caller had to wait for a new one. One fetch runs at a time, independent of
// its callers, so that one who gives up does not take the token from the others.
func (s *tokenSource) get(ctx context.Context) (token string, waited bool, fail *failure) {
	for ; ; waited = true {
		s.mu.Lock()
		now := time.Now()
		if s.token != "" && now.Before(s.until) {
			token = s.token
			s.mu.Unlock()
			return token, waited, nil
		}
		if wait := s.failedAt.Add(tokenPause).Sub(now); wait > 0 || waited {
			s.mu.Unlock()
			return "", waited, noToken(wait)
		}
		if s.fetching == nil {
			s.fetching = make(chan struct{})
			go s.fetch(s.fetching)
		}
		done := s.fetching
		s.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return "", waited, noToken(0)
		}
	}
}

// drop discards a token that the bureau refused, unless it has been replaced already.
func (s *tokenSource) drop(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token == token {
		s.token = ""
	}
}

func (s *tokenSource) fetch(done chan struct{}) {
	ctx, cancel := context.WithTimeout(s.base, s.timeout)
	defer cancel()
	token, life, reason := s.ask(ctx)
	s.mu.Lock()
	s.fetching = nil
	if reason == "" {
		// Expire a token a little early, so that it does not expire in transit.
		s.token, s.until = token, time.Now().Add(life-min(life/10, time.Minute))
	} else {
		s.failedAt = time.Now()
	}
	s.mu.Unlock()
	close(done)
	if reason != "" && s.base.Err() == nil {
		s.log.Warn("no token for the bureau", "reason", reason)
	}
}

// ask requests a token once. reason says why there is none, or is "".
func (s *tokenSource) ask(ctx context.Context) (token string, life time.Duration, reason string) {
	body := s.conf.body
	if body == nil {
		form := url.Values{"grant_type": {"client_credentials"}}
		if len(s.conf.scopes) > 0 {
			form.Set("scope", strings.Join(s.conf.scopes, " "))
		}
		body = []byte(form.Encode())
	}
	req := newRequest(http.MethodPost, s.conf.url, body)
	if s.conf.body == nil {
		req.Header.Set("Content-Type", formType)
		req.SetBasicAuth(url.QueryEscape(s.conf.id), url.QueryEscape(s.conf.secret))
	}
	t := &trip{}
	st, raw, err := t.roundTrip(ctx, s.rt, req, maxTokenAnswer)
	if err != nil && t.reused.Load() && ctx.Err() == nil {
		// A token request is free: retry it after a broken pooled connection.
		req.Body = once{bytes.NewReader(body)}
		t = &trip{}
		st, raw, err = t.roundTrip(ctx, s.rt, req, maxTokenAnswer)
	}
	switch {
	case err != nil:
		return "", 0, t.classify(ctx, s.base, err).err.Reason
	case s.conf.body == nil && st.code != http.StatusOK || st.code < 200 || st.code > 299:
		return "", 0, statusFailure(st).err.Reason
	case s.conf.body != nil:
		return s.read(ctx, raw)
	}
	return readOAuth2(raw)
}

// readOAuth2 reads the answer of an OAuth2 server.
func readOAuth2(raw []byte) (token string, life time.Duration, reason string) {
	var answer struct {
		AccessToken string      `json:"access_token"`
		TokenType   string      `json:"token_type"`
		ExpiresIn   json.Number `json:"expires_in"`
	}
	if json.Unmarshal(raw, &answer) != nil {
		return "", 0, "answer is not JSON"
	}
	if !plainToken(answer.AccessToken) || answer.TokenType != "" && !strings.EqualFold(answer.TokenType, "bearer") {
		return "", 0, "answer contains no bearer token"
	}
	return answer.AccessToken, lifeOf(answer.ExpiresIn.String()), ""
}

// read reads the answer of a server that signs in by JSON.
func (s *tokenSource) read(ctx context.Context, raw []byte) (token string, life time.Duration, reason string) {
	decoded, err := jq.Decode(raw)
	if err != nil {
		return "", 0, "answer " + err.Error()
	}
	v, err := s.conf.token.Run(ctx, decoded)
	if token, _ = v.(string); err != nil || !plainToken(token) {
		return "", 0, "answer contains no token"
	}
	seconds := ""
	if s.conf.expires != nil {
		if v, err := s.conf.expires.Run(ctx, decoded); err == nil && v != nil {
			seconds = fmt.Sprint(v)
		}
	}
	return token, lifeOf(seconds), ""
}

// lifeOf is how long a token lives whose server says so many seconds.
func lifeOf(seconds string) time.Duration {
	n, err := strconv.ParseFloat(seconds, 64)
	if err != nil || !(n >= 1) {
		return tokenLife
	}
	return time.Duration(min(n, 24*3600)) * time.Second
}

// plainToken reports whether a token can be put in a header.
func plainToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}
