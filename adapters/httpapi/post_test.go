package httpapi

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v5"

	"fichario/domain/webhook"
)

// TestLimitsOfAPost: a refusal for a body's size names the limit that holds there.
func TestLimitsOfAPost(t *testing.T) {
	t.Parallel()
	const head = "--b\r\nContent-Disposition: form-data; name=\"foto\"; filename=\"f\"\r\n\r\n"
	signed := webhook.Hook{}
	signed.Signature = webhook.Signature{Scheme: webhook.HMACScheme, Secret: "um segredo"}
	for what, c := range map[string]struct {
		hook    webhook.Hook
		size    int
		chunked bool
		says    string // empty where it is taken
	}{
		"a file":                      {webhook.Hook{}, 2 << 20, false, ""},
		"too large":                   {webhook.Hook{}, 33 << 20, false, "com arquivos, de 32 MiB"},
		"a small signed one":          {signed, 1 << 19, false, ""},
		"a signed one":                {signed, 2 << 20, false, "assinatura"},
		"a signed one without length": {signed, 2 << 20, true, "assinatura"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(head+strings.Repeat("x", c.size)+"\r\n--b--\r\n"))
			r.Header.Set(echo.HeaderContentType, "multipart/form-data; boundary=b")
			if c.chunked {
				r.ContentLength = -1
			}
			post := readPost(echo.New().NewContext(r, httptest.NewRecorder()), "token", c.hook)
			refusal := post.Declared
			if refusal == nil {
				refusal = post.Unread
			}
			if c.says == "" && refusal != nil || c.says != "" && (refusal == nil || !strings.Contains(refusal.Message, c.says)) {
				t.Errorf("%v", refusal)
			}
		})
	}
}
