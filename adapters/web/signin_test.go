package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestGuessersHearWhenToComeBack: whatever they write into X-Forwarded-For, and whomever they guess.
func TestGuessersHearWhenToComeBack(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.client.Jar = nil
	guess := func(i int) (answer, string) {
		return v.do(http.MethodPost, "/entrar", url.Values{"email": {fmt.Sprintf("p%d@x.example", i)}, "senha": {"palpite"}},
			"X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
	}
	for i := range 20 {
		if a, page := guess(i); a.StatusCode != http.StatusUnauthorized || strings.Contains(page, "Espere") {
			t.Fatalf("guess %d: %d", i, a.StatusCode)
		}
	}
	a, page := guess(20)
	if a.StatusCode != http.StatusUnauthorized || !strings.Contains(page, "Espere") || a.Header.Get("Retry-After") == "" {
		t.Errorf("after twenty: %d, Retry-After %q", a.StatusCode, a.Header.Get("Retry-After"))
	}
	has(t, "of a password that nobody looked at", page, "A senha não foi conferida.")
	hasNot(t, "of a password that nobody looked at", page, "não conferem")
	if strings.Contains(v.log.String(), "127.0.0.1") || strings.Contains(v.log.String(), "198.51.100") {
		t.Error("the log holds an address")
	}
}
