// Package oidc is a client of an OpenID Connect provider: discovery, and the authorization code flow with PKCE.
package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"fichario/domain/access"
	"fichario/ports"
)

// Config is what the operator configures of a provider.
type Config struct {
	// Issuer is the base address of its discovery, and the issuer of its tokens.
	Issuer                 string
	ClientID, ClientSecret string
	// RedirectURL is where the provider sends browsers back to.
	RedirectURL string
	Scopes      []string
	// Claim is the name of the claim that has the roles; empty for none.
	Claim string
}

const (
	// within bounds each call, patience all calls of one request together.
	within   = 10 * time.Second
	patience = 15 * time.Second
	// restAfter is how long a failed discovery is cached, so that not every request calls a provider that is away.
	restAfter = 3 * time.Second
)

// Provider implements ports.IdentityProvider.
type Provider struct {
	config Config
	http   *http.Client

	mu     sync.Mutex
	known  *discovered
	failed error
	until  time.Time // failed is cached until then
}

// discovered is the result of a discovery.
type discovered struct {
	oauth2.Config

	keys       oidc.KeySet
	algorithms []string
}

// New returns a provider. It makes no call before somebody first signs in there.
func New(c Config) *Provider {
	return &Provider{config: c, http: client(c.Issuer)}
}

// Issuer is the provider's issuer identifier.
func (p *Provider) Issuer() string { return p.config.Issuer }

// away wraps ports.ErrProviderAway.
func away(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ports.ErrProviderAway}, args...)...)
}

// discover returns the provider's metadata, and fetches it until that has succeeded once.
func (p *Provider) discover() (*discovered, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known != nil {
		return p.known, nil
	}
	if time.Now().Before(p.until) {
		return nil, p.failed
	}
	found, err := p.ask()
	if err != nil {
		p.failed, p.until = err, time.Now().Add(restAfter)
		return nil, err
	}
	p.known = found
	return found, nil
}

// signing are the accepted signature algorithms, as far as the provider supports them: asymmetric ones, whose private
// key only it has.
var signing = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.EdDSA,
}

func (p *Provider) ask() (*discovered, error) {
	ctx := oidc.ClientContext(context.Background(), p.http) // not the context of whoever asks first
	answer, err := oidc.NewProvider(ctx, p.config.Issuer)
	if err != nil {
		return nil, away("discovery: %s", reason(err))
	}
	var says struct {
		Keys       string   `json:"jwks_uri"`
		Algorithms []string `json:"id_token_signing_alg_values_supported"`
		Methods    []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := answer.Claims(&says); err != nil {
		return nil, away("discovery: it cannot be read")
	}
	d := &discovered{keys: oidc.NewRemoteKeySet(ctx, says.Keys), Config: oauth2.Config{
		ClientID: p.config.ClientID, ClientSecret: p.config.ClientSecret, RedirectURL: p.config.RedirectURL,
		Scopes: p.config.Scopes, Endpoint: answer.Endpoint(),
	}}
	d.Endpoint.AuthStyle = oauth2.AuthStyleInHeader // set, so that the library does not try both styles with one code
	if len(says.Methods) > 0 && !slices.Contains(says.Methods, "client_secret_basic") {
		d.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	for _, at := range []string{d.Endpoint.AuthURL, d.Endpoint.TokenURL, says.Keys} {
		if !fitsIssuer(p.config.Issuer, at) {
			return nil, away("discovery: an address is missing, or leads to http from https")
		}
	}
	for _, a := range says.Algorithms {
		if slices.Contains(signing, a) {
			d.algorithms = append(d.algorithms, a)
		}
	}
	if len(d.algorithms) == 0 {
		d.algorithms = []string{oidc.RS256}
	}
	return d, nil
}

// Begin returns the address to redirect the browser to. Error: ports.ErrProviderAway.
func (p *Provider) Begin(_ context.Context, s access.ProviderSecrets) (string, error) {
	d, err := p.discover()
	if err != nil {
		return "", err
	}
	return d.AuthCodeURL(s.State, oidc.Nonce(s.Nonce), oauth2.S256ChallengeOption(s.Verifier)), nil
}

// End redeems a code, and returns the claims about the person. Errors: ports.ErrProviderAway, or why the code is not
// accepted.
func (p *Provider) End(ctx context.Context, s access.ProviderSecrets, code string) (access.Claims, error) {
	d, err := p.discover()
	if err != nil {
		return access.Claims{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ctx = oidc.ClientContext(ctx, p.http)
	tokens, err := d.Exchange(ctx, code, oauth2.VerifierOption(s.Verifier))
	if err != nil {
		return access.Claims{}, refusal(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return access.Claims{}, away("it gave no ID token")
	}
	watched := &keySet{KeySet: d.keys}
	token, err := oidc.NewVerifier(p.config.Issuer, watched, &oidc.Config{
		ClientID: p.config.ClientID, SupportedSigningAlgs: d.algorithms,
	}).Verify(ctx, raw)
	var expired *oidc.TokenExpiredError
	switch {
	case watched.away:
		return access.Claims{}, away("its keys cannot be read")
	case errors.As(err, &expired):
		return access.Claims{}, errors.New("the ID token has expired")
	case err != nil:
		return access.Claims{}, errors.New("the ID token has a wrong issuer, audience or signature")
	case subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(s.Nonce)) != 1:
		return access.Claims{}, errors.New("the ID token belongs to another sign-in")
	}
	return p.read(token)
}

// refusal distinguishes a bad code from a provider that does not work for us.
func refusal(err error) error {
	var said *oauth2.RetrieveError
	switch {
	case !errors.As(err, &said):
		return away("token: %s", reason(err))
	case said.ErrorCode == "invalid_grant":
		return errors.New("the provider does not know the code")
	case said.ErrorCode == "invalid_client" || said.ErrorCode == "unauthorized_client":
		return away("token: it refuses FICHARIO_OIDC_CLIENT_ID with FICHARIO_OIDC_CLIENT_SECRET")
	}
	return away("token: it answers %d", said.Response.StatusCode)
}

// keySet detects that keys could not be fetched, which the library reports only in its error text.
type keySet struct {
	oidc.KeySet

	away bool
}

// VerifySignature returns the signed payload.
func (k *keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, jwt)
	k.away = err != nil && errors.Unwrap(err) != nil // the error of a signature that does not match wraps nothing
	return payload, err
}

// subjectMax is the maximum length of a subject identifier (OpenID Connect Core, section 2).
const subjectMax = 255

func (p *Provider) read(token *oidc.IDToken) (access.Claims, error) {
	var all map[string]any
	if err := token.Claims(&all); err != nil || token.Subject == "" || len(token.Subject) > subjectMax {
		return access.Claims{}, errors.New("the ID token cannot be read")
	}
	if azp, there := all["azp"]; there && azp != p.config.ClientID {
		return access.Claims{}, errors.New("the ID token is for another service")
	}
	email, _ := all["email"].(string)
	name, _ := all["name"].(string)
	return access.Claims{
		Issuer: p.config.Issuer, Subject: token.Subject, Email: email, Name: strings.TrimSpace(name),
		Verified: all["email_verified"] == true || all["email_verified"] == "true", // some providers send it as a string
		Values:   texts(all[p.config.Claim]), Factor: access.ShowsFactor(texts(all["amr"])),
	}, nil
}

// texts are the values of a claim that has one, or several.
func texts(claim any) (out []string) {
	switch v := claim.(type) {
	case string:
		return []string{v}
	case []any:
		for _, one := range v {
			if text, ok := one.(string); ok {
				out = append(out, text)
			}
		}
	}
	return out
}
