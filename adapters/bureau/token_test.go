package bureau_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/domain/document"
	"fichario/ports"
)

const withAuth = `name: teste
base_url: %s
auth: { oauth2: { token_url: "%s/token?a=1", client_id: "id:%%", client_secret: "s e", scopes: [a, b] } }
timeout: 60s
products:
  cpf:
    price: "0.45"
    request: { path: "/pessoas/{documento}" }
    fields: { nome: .nome }
`

func TestOAuth2(t *testing.T) {
	t.Parallel()
	var tokens, refuse, asking atomic.Int32
	const callers = 20
	met := make(chan struct{}) // closed when all are waiting
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/token" {
			if got := r.Header.Get("Authorization"); got != fmt.Sprintf("Bearer tok-%d", tokens.Load()) {
				t.Errorf("got %q, the token is %d", got, tokens.Load())
			}
			if refuse.Load() == 1 {
				w.WriteHeader(401)
				return
			}
			_, _ = io.WriteString(w, `{"nome":"ANA"}`)
			return
		}
		b, _ := io.ReadAll(r.Body)
		id, secret, _ := r.BasicAuth()
		if r.Method != "POST" || string(b) != "grant_type=client_credentials&scope=a+b" || id != "id%3A%25" ||
			secret != "s+e" || r.URL.RawQuery != "a=1" {
			t.Errorf("got %s %s %s:%s", r.Method, b, id, secret)
		}
		<-met
		_, _ = fmt.Fprintf(w, `{"access_token":"tok-%d","token_type":"bearer","expires_in":"3600"}`, tokens.Add(1))
	})
	c := client(t, fmt.Sprintf(withAuth, url, url))
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			if asking.Add(1) == callers {
				close(met)
			}
			if _, err := ask(t, c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if tokens.Load() != 1 {
		t.Errorf("%d tokens for %d calls", tokens.Load(), callers)
	}
	refuse.Store(1)
	_, err := ask(t, c)
	wantError(t, err, ports.Failed, "status 401")
	refuse.Store(0)
	if _, err := ask(t, c); err != nil || tokens.Load() != 2 {
		t.Errorf("after a refused token: %v, %d tokens", err, tokens.Load())
	}
}

func TestOAuth2TokenEnds(t *testing.T) {
	t.Parallel()
	var tokens atomic.Int32
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			_, _ = fmt.Fprintf(w, `{"access_token":"tok-%d","expires_in":1}`, tokens.Add(1))
			return
		}
		_, _ = io.WriteString(w, `{}`)
	})
	c := client(t, fmt.Sprintf(withAuth, url, url))
	for end := time.Now().Add(5 * time.Second); tokens.Load() < 2 && time.Now().Before(end); {
		if _, err := ask(t, c); err != nil {
			t.Fatal(err)
		}
	}
	if tokens.Load() < 2 {
		t.Error("a token of one second is used for five")
	}
}

func TestOAuth2Fails(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]http.HandlerFunc{
		"refused":    body(401, `{"error":"invalid_client"}`),
		"error":      body(500, ``),
		"html":       body(200, `<html>`),
		"no token":   body(200, `{"token_type":"bearer"}`),
		"other type": body(200, `{"access_token":"a","token_type":"mac"}`),
		"line break": body(200, `{"access_token":"a\r\nX: y"}`),
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/outro", http.StatusTemporaryRedirect)
		},
		"large": body(200, `{"access_token":"`+strings.Repeat("a", 100<<10)+`"}`),
		"never comes": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tokenURL, fetches := serve(t, token)
			url, calls := serve(t, body(200, "{}"))
			file, least := fmt.Sprintf(withAuth, url, tokenURL), int32(1)
			if name == "never comes" { // nor, on a machine that is busy enough, is it asked for in time
				file, least = strings.Replace(file, "timeout: 60s", "timeout: 300ms", 1), 0
			}
			c := client(t, file)
			for range 5 {
				_, err := ask(t, c)
				if e := failureOf(t, err, ports.NotSent, "no token"); e.RetryAfter < time.Second {
					t.Errorf("retry after %s", e.RetryAfter)
				}
			}
			if n := fetches.Load(); calls.Load() != 0 || n < least || n > 1 {
				t.Errorf("%d calls of the bureau, %d of the token server", calls.Load(), fetches.Load())
			}
		})
	}
}

// TestOAuth2CallerGivesUp: a caller that gives up does not take the token from the others.
func TestOAuth2CallerGivesUp(t *testing.T) {
	t.Parallel()
	asked, goOn := make(chan struct{}), make(chan struct{})
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			close(asked)
			<-goOn
			_, _ = io.WriteString(w, `{"access_token":"a"}`)
			return
		}
		_, _ = io.WriteString(w, `{}`)
	})
	c := client(t, fmt.Sprintf(withAuth, url, url))
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := c.Ask(ctx, ports.Question{Product: product(t, c, "cpf"), Document: doc(t, document.CPF, cpf)})
		first <- err
	}()
	<-asked
	go func() {
		_, err := ask(t, c)
		second <- err
	}()
	cancel()
	wantError(t, <-first, ports.NotSent, "no token")
	close(goOn)
	if err := <-second; err != nil {
		t.Error(err)
	}
}
