// Package oidctest is a small OpenID Connect provider over HTTP: discovery, keys, a sign-in form, single-use codes
// with PKCE, and signed ID tokens.
package oidctest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// The client's credentials at every provider of this package.
const (
	ClientID     = "fichario"
	ClientSecret = "segredo-de-teste"
	keyID        = "1"
)

// Provider is a running provider.
type Provider struct {
	// Issuer is its address.
	Issuer string

	server *httptest.Server
	key    *rsa.PrivateKey

	mu     sync.Mutex
	people map[string]map[string]any
	codes  map[string]url.Values // the authorization requests, by the codes given for them
	away   bool
	tamper func(claims map[string]any)
	sign   func(claims []byte) string
	asked  int
}

// key is made once, because that takes a while.
var key = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return k
})

// Start starts a provider without accounts.
func Start(tb testing.TB) *Provider {
	tb.Helper()
	p := &Provider{key: key(), people: map[string]map[string]any{}, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.form)
	mux.HandleFunc("POST /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		away := p.away
		p.asked++
		p.mu.Unlock()
		if away {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	tb.Cleanup(p.server.Close)
	p.Issuer = p.server.URL
	return p
}

// Nowhere is an address where no provider answers.
func Nowhere(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return "http://" + l.Addr().String()
}

// Env is the environment for a program that uses the provider.
func (p *Provider) Env(domains string) map[string]string {
	return map[string]string{
		"FICHARIO_OIDC_ISSUER": p.Issuer, "FICHARIO_OIDC_CLIENT_ID": ClientID, "FICHARIO_OIDC_CLIENT_SECRET": ClientSecret,
		"FICHARIO_OIDC_DOMAINS": domains, "FICHARIO_OIDC_NAME": "Aroeira ID",
	}
}

// Know adds an account, by the name typed to sign in, with its claims: sub, email, and others.
func (p *Provider) Know(login string, claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.people[login] = claims
}

// Away makes it answer 502 to everything, or work again.
func (p *Provider) Away(away bool) { p.mu.Lock(); defer p.mu.Unlock(); p.away = away }

// Asked is the number of requests received.
func (p *Provider) Asked() int { p.mu.Lock(); defer p.mu.Unlock(); return p.asked }

// Tamper changes the claims of ID tokens from now on; nil stops that.
func (p *Provider) Tamper(f func(claims map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tamper = f
}

// Forge makes f produce the ID tokens instead; nil stops that.
func (p *Provider) Forge(f func(claims []byte) string) { p.mu.Lock(); defer p.mu.Unlock(); p.sign = f }

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer": p.Issuer, "authorization_endpoint": p.Issuer + "/authorize", "token_endpoint": p.Issuer + "/token",
		"jwks_uri": p.Issuer + "/keys", "response_types_supported": []string{"code"},
		"subject_types_supported": []string{"public"}, "code_challenge_methods_supported": []string{"S256"},
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
	})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{
		Key: &p.key.PublicKey, KeyID: keyID, Algorithm: "RS256", Use: "sig",
	}}})
}

var page = template.Must(template.New("").Parse(`<!doctype html><html lang="pt-BR"><title>Provedor</title><main>
<h1>Provedor</h1><form method="post"><label for="login">Nome</label><input id="login" name="login">
<button>Continuar</button></form></main></html>`))

func (*Provider) form(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = page.Execute(w, nil)
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != ClientID {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	login := r.PostFormValue("login")
	more := url.Values{"state": {q.Get("state")}, "iss": {p.Issuer}}
	p.mu.Lock()
	if _, known := p.people[login]; known {
		code := rand.Text()
		q.Set("login", login)
		p.codes[code] = q
		more.Set("code", code)
	} else {
		more.Set("error", "access_denied")
	}
	p.mu.Unlock()
	back.RawQuery = more.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	if id != ClientID || secret != ClientSecret {
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	q, known := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	challenge := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	fits := subtle.ConstantTimeCompare([]byte(q.Get("code_challenge")),
		[]byte(base64.RawURLEncoding.EncodeToString(challenge[:]))) == 1
	if !known || !fits || r.PostFormValue("redirect_uri") != q.Get("redirect_uri") {
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{
		"iss": p.Issuer, "aud": ClientID, "exp": time.Now().Add(time.Minute).Unix(), "iat": time.Now().Unix(),
		"nonce": q.Get("nonce"),
	}
	maps.Copy(claims, p.people[q.Get("login")])
	if p.tamper != nil {
		p.tamper(claims)
	}
	payload, _ := json.Marshal(claims)
	sign := p.sign
	if sign == nil {
		sign = func(claims []byte) string { return Signed(claims, p.key, jose.RS256) }
	}
	answer(w, http.StatusOK, map[string]any{
		"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 60, "id_token": sign(payload),
	})
}

// Signed is an ID token with these claims, signed with a key.
func Signed(claims []byte, key any, algorithm jose.SignatureAlgorithm) string {
	signer, err := jose.NewSigner(jose.SigningKey{
		Algorithm: algorithm, Key: jose.JSONWebKey{Key: key, KeyID: keyID},
	}, nil)
	if err != nil {
		panic(err)
	}
	signed, err := signer.Sign(claims)
	if err != nil {
		panic(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return token
}

// PublicKey is the key that verifies its tokens.
func (p *Provider) PublicKey() *rsa.PublicKey { return &p.key.PublicKey }
