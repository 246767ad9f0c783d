package access_test

import (
	"bytes"
	"strings"
	"testing"

	"fichario/domain/access"
)

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, code := range access.NewRecoveryCodes() {
		hash, ok := access.RecoveryHash(code)
		again, _ := access.RecoveryHash(" " + strings.ToUpper(strings.ReplaceAll(code, "-", " ")))
		if !ok || seen[code] || len(code) != 19 || !bytes.Equal(hash, again) {
			t.Errorf("a code of %d characters", len(code))
		}
		seen[code] = true
	}
	for _, wrong := range []string{"", "123456", "abcd-efgh-ijkl", "abcd-efgh-ijkl-mnopq"} {
		if _, ok := access.RecoveryHash(wrong); ok {
			t.Errorf("%q can be a code", wrong)
		}
	}
}

func TestDevices(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36":               "Chrome em Windows",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0": "Edge em Windows",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                                    "Firefox em Linux",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1":            "Safari em iPhone",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1.15":         "Safari em macOS",
		"Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537": "Samsung Internet em Android",
		"curl/8.5.0": "", "": "", "<script>": "",
	} {
		if got := access.Device(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}
