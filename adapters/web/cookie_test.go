package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"fichario/domain/access"
)

// TestTheCookieOfASession is bound to this host and to https, and no script reads it.
func TestTheCookieOfASession(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	v.client.Jar = nil
	in := url.Values{"email": {v.member.Email}, "senha": {"senha-de-teste"}}
	for proto, want := range map[string]string{"https": "__Host-sessao", "http": "sessao"} {
		a, _ := v.do(http.MethodPost, "/entrar", in, "X-Forwarded-Proto", proto)
		cookies := (&http.Response{Header: a.Header}).Cookies()
		found := false
		for _, c := range cookies {
			if c.MaxAge < 0 {
				continue // removed
			}
			found = true
			if c.Name != want || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" ||
				c.Secure != (proto == "https") || c.MaxAge != int(access.SessionMax.Seconds()) {
				t.Errorf("over %s: %v", proto, c)
			}
			if token, ok := access.ParseSessionToken(c.Value); !ok || strings.Contains(v.log.String(), token.Reveal()) {
				t.Error("no session of 256 bits, or the log has it")
			}
		}
		if !found {
			t.Errorf("over %s: no cookie", proto)
		}
	}
}
