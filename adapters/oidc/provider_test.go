package oidc_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"fichario/adapters/oidc"
	"fichario/domain/access"
	"fichario/ports"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/oidctest"
)

const back = "https://f.example/entrar/oidc/retorno"

func known(issuer string) *oidc.Provider {
	return oidc.New(oidc.Config{
		Issuer: issuer, ClientID: oidctest.ClientID, ClientSecret: oidctest.ClientSecret, RedirectURL: back,
		Scopes: []string{"openid", "email"}, Claim: "groups",
	})
}

// walked is the code that a person comes back from the provider with.
func walked(t *testing.T, address, login string) string {
	t.Helper()
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, address,
		strings.NewReader(url.Values{"login": {login}}.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := stay.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	to, err := resp.Location()
	if err != nil || !strings.HasPrefix(to.String(), back+"?") {
		t.Fatalf("led to %v, %v", to, err)
	}
	return to.Query().Get("code")
}

// TestWhatAProviderSays: only tokens that are signed and meant for us are read.
func TestWhatAProviderSays(t *testing.T) {
	t.Parallel()
	ctx, secrets := t.Context(), access.NewSessionToken().ProviderSecrets()
	person := map[string]any{
		"sub": "7", "email": "ana@x.example", "email_verified": true, "name": " Ana ", "groups": []string{"a", "b"},
		"amr": []string{"pwd", "mfa"},
	}
	set := func(name string, value any) func(*oidctest.Provider) {
		return func(p *oidctest.Provider) { p.Tamper(func(c map[string]any) { c[name] = value }) }
	}
	forged := func(f func(p *oidctest.Provider, claims []byte) string) func(*oidctest.Provider) {
		return func(p *oidctest.Provider) { p.Forge(func(claims []byte) string { return f(p, claims) }) }
	}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	const wrong, fine = "the ID token has a wrong issuer, audience or signature", "{7 ana@x.example true Ana [a b] true}"
	b64 := base64.RawURLEncoding.EncodeToString
	for name, c := range map[string]struct {
		change func(*oidctest.Provider)
		want   string
	}{
		"as it should be":        {func(*oidctest.Provider) {}, fine},
		"several audiences":      {set("aud", []string{"x", oidctest.ClientID}), fine},
		"verified as a text":     {set("email_verified", "true"), fine},
		"not verified":           {set("email_verified", false), "{7 ana@x.example false Ana [a b] true}"},
		"nothing of verified":    {set("email_verified", nil), "{7 ana@x.example false Ana [a b] true}"},
		"a password only":        {set("amr", []string{"pwd"}), "{7 ana@x.example true Ana [a b] false}"},
		"one group as a text":    {set("groups", "c"), "{7 ana@x.example true Ana [c] true}"},
		"groups of another kind": {set("groups", []any{1, "d", nil}), "{7 ana@x.example true Ana [d] true}"},
		"another issuer":         {set("iss", "https://mau.example"), wrong},
		"another audience":       {set("aud", "outro"), wrong},
		"for another service":    {set("azp", "outro"), "the ID token is for another service"},
		"expired":                {set("exp", time.Now().Add(-time.Second).Unix()), "the ID token has expired"},
		"without an end":         {set("exp", nil), wrong},
		"not yet":                {set("nbf", time.Now().Add(time.Hour).Unix()), wrong},
		"of another sign-in":     {set("nonce", "x"), "the ID token belongs to another sign-in"},
		"without a nonce":        {set("nonce", nil), "the ID token belongs to another sign-in"},
		"nobody":                 {set("sub", ""), "the ID token cannot be read"},
		"somebody very long":     {set("sub", strings.Repeat("x", 256)), "the ID token cannot be read"},
		"signed by another key": {forged(func(_ *oidctest.Provider, c []byte) string {
			return oidctest.Signed(c, other, jose.RS256)
		}), wrong},
		"signed by what all know": {forged(func(p *oidctest.Provider, c []byte) string {
			return oidctest.Signed(c, x509.MarshalPKCS1PublicKey(p.PublicKey()), jose.HS256)
		}), wrong},
		"signed by our own secret": {forged(func(_ *oidctest.Provider, c []byte) string {
			return oidctest.Signed(c, []byte(strings.Repeat(oidctest.ClientSecret, 3)), jose.HS256)
		}), wrong},
		"not signed": {forged(func(_ *oidctest.Provider, c []byte) string {
			return b64([]byte(`{"alg":"none"}`)) + "." + b64(c) + "."
		}), wrong},
		"no token at all":           {forged(func(*oidctest.Provider, []byte) string { return "" }), "away: it gave no ID token"},
		"something else":            {forged(func(*oidctest.Provider, []byte) string { return "segredo" }), wrong},
		"gone before the code came": {func(p *oidctest.Provider) { p.Away(true) }, "away: token: it answers 502"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := oidctest.Start(t)
			p.Know("ana", person)
			ours := known(p.Issuer)
			address, err := ours.Begin(ctx, secrets)
			if err != nil {
				t.Fatal(err)
			}
			code := walked(t, address, "ana")
			c.change(p)
			claims, err := ours.End(ctx, secrets, code)
			got := strings.ReplaceAll(fmt.Sprint(err), ports.ErrProviderAway.Error(), "away")
			if err == nil {
				got = strings.Replace(fmt.Sprint(claims), claims.Issuer+" ", "", 1)
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			p.Away(false)
			if _, err := ours.End(ctx, secrets, code); err == nil && !strings.HasSuffix(c.want, "502") {
				t.Errorf("the code again: %v", err)
			}
		})
	}
}

// TestACodeIsOfItsSignIn: the provider rejects a code without the verifier of the same sign-in.
func TestACodeIsOfItsSignIn(t *testing.T) {
	t.Parallel()
	p, secrets := oidctest.Start(t), access.NewSessionToken().ProviderSecrets()
	p.Know("ana", map[string]any{"sub": "7"})
	ours := known(p.Issuer)
	address, err := ours.Begin(t.Context(), secrets)
	if err != nil {
		t.Fatal(err)
	}
	_, err = ours.End(t.Context(), access.NewSessionToken().ProviderSecrets(), walked(t, address, "ana"))
	if fmt.Sprint(err) != "the provider does not know the code" {
		t.Error(err)
	}
}

// TestAProviderThatIsAway is called again once it is back, but not for every request while it is away.
func TestAProviderThatIsAway(t *testing.T) {
	t.Parallel()
	p, secrets := oidctest.Start(t), access.NewSessionToken().ProviderSecrets()
	ours := known(p.Issuer)
	p.Away(true)
	for range 5 {
		_, err := ours.Begin(t.Context(), secrets)
		if !errors.Is(err, ports.ErrProviderAway) || !strings.HasSuffix(err.Error(), "it answers 502 Bad Gateway") {
			t.Error(err)
		}
	}
	if p.Asked() != 1 {
		t.Errorf("asked %d times", p.Asked())
	}
	p.Away(false)
	lookuptest.Eventually(t, "the provider is asked again", func() bool {
		_, err := ours.Begin(t.Context(), secrets)
		return err == nil
	})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ours.End(ended, secrets, "x"); !errors.Is(err, ports.ErrProviderAway) {
		t.Error(err)
	}
	if _, err := known(oidctest.Nowhere(t)).Begin(t.Context(), secrets); !errors.Is(err, ports.ErrProviderAway) ||
		!strings.Contains(err.Error(), "connection refused") {
		t.Error(err)
	}
}

// TestWhatNoProviderSays: another issuer, an endless answer, a redirect.
func TestWhatNoProviderSays(t *testing.T) {
	t.Parallel()
	honest := oidctest.Start(t)
	for want, handler := range map[string]http.HandlerFunc{
		"another issuer than FICHARIO_OIDC_ISSUER": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, `{"issuer":"https://mau.example"}`)
		},
		"larger than a megabyte": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, strings.Repeat("segredo ", 200_000))
		},
		"it answers 302 Found": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, honest.Issuer+r.URL.Path, http.StatusFound)
		},
		"something else than expected": func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "segredo") },
		"an address is missing": func(w http.ResponseWriter, r *http.Request) {
			_, _ = fmt.Fprintf(w, `{"issuer":"http://%s","authorization_endpoint":"javascript:alert(1)"}`, r.Host)
		},
	} {
		server := httptest.NewServer(handler)
		_, err := known(server.URL).Begin(t.Context(), access.ProviderSecrets{})
		if !errors.Is(err, ports.ErrProviderAway) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "segredo") {
			t.Errorf("%s: %v", want, err)
		}
		server.Close()
	}
}
