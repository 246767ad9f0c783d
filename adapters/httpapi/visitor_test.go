package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"fichario/domain/fault"
)

// TestThePageOfAVisitorLooksLikeTheInterface: it repeats the colours of the interface, whose stylesheet it cannot link
// to.
func TestThePageOfAVisitorLooksLikeTheInterface(t *testing.T) {
	t.Parallel()
	light, err := os.ReadFile("../web/static/fichario.css")
	dark, err2 := os.ReadFile("../web/static/dark.css")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	own, ownDark, _ := strings.Cut(visitorHTML, "prefers-color-scheme: dark")
	tokens := regexp.MustCompile(`--[a-z0-9-]+: #[0-9a-f]{6};`)
	for theirs, html := range map[string]string{string(light): own, string(dark): ownDark} {
		ours := tokens.FindAllString(html, -1)
		if len(ours) < 9 {
			t.Errorf("the page has %d colours", len(ours))
		}
		for _, token := range ours {
			if !strings.Contains(theirs, token) {
				t.Errorf("the interface does not have %s", token)
			}
		}
	}
}

// TestThePolicyOfAVisitorsPage: it allows the page's own style alone.
func TestThePolicyOfAVisitorsPage(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "/api/webhooks/receive/x", nil)
	if err := (&server{}).visitorPage(w, r, http.StatusBadRequest, fault.New(fault.InvalidEmail, "")); err != nil {
		t.Fatal(err)
	}
	_, style, _ := strings.Cut(w.Body.String(), "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';"
	if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, want) ||
		strings.Contains(policy, "unsafe") {
		t.Errorf("the policy is %q, without %s", policy, want)
	}
}

// TestTheWayBack: it only leads to a web page, whatever a header says.
func TestTheWayBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ referer, origin, want string }{
		{"https://site.example/contato", "null", `href="https://site.example/contato">Voltar ao formulário<`},
		{"https://site.example/", "https://site.example", `href="https://site.example/">Voltar ao site<`},
		{"", "https://site.example", `href="https://site.example">Voltar ao site<`},
		{"javascript:alert(1)", "null", ""}, {"", "", ""}, {"//site.example/x", "", ""},
		{"https://fichario.example/api/webhooks/receive/x", "", ""},
		{`https://site.example/"><script>`, "", `href="https://site.example/%22%3e%3cscript%3e">Voltar ao formulário<`},
	} {
		r := httptest.NewRequest(http.MethodPost, "/api/webhooks/receive/x", nil)
		r.Header.Set("Referer", c.referer)
		r.Header.Set("Origin", c.origin)
		w := httptest.NewRecorder()
		if err := (&server{}).visitorPage(w, r, http.StatusBadRequest, fault.New(fault.InvalidEmail, "")); err != nil {
			t.Fatal(err)
		}
		body := w.Body.String()
		if !strings.Contains(body, c.want) || strings.Contains(body, "<a ") != (c.want != "") {
			t.Errorf("from %q, %q: %s", c.referer, c.origin, body[strings.Index(body, "<main>"):])
		}
	}
}

// TestWordsForAVisitor: waiting is advised where it helps, and only there.
func TestWordsForAVisitor(t *testing.T) {
	t.Parallel()
	for _, k := range problems {
		words := wordsFor(fault.New(k.Code, "detalhe para programadores"))
		waits, later := strings.Contains(words.Do, "Espere"), k.Status >= http.StatusInternalServerError
		if words.What == "" || words.Do == "" || waits != later || later && !words.Back {
			t.Errorf("%s: %+v", k.Code, words)
		}
	}
	busy := fault.New(fault.MinuteLimit, "")
	busy.RetryAfter = time.Minute
	if words := wordsFor(busy); !strings.Contains(words.Do, "Espere um minuto") {
		t.Errorf("a limit: %+v", words)
	}
}
