package factors_test

import (
	"encoding/base64"
	"image/png"
	"strings"
	"testing"
	"time"

	qr "github.com/piglig/go-qr"

	"fichario/adapters/factors"
	"fichario/ports"
)

// TestStep checks the codes against the vectors of RFC 6238, appendix B, of which six digits are the last ones.
func TestStep(t *testing.T) {
	t.Parallel()
	const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" // 12345678901234567890
	for at, code := range map[int64]string{
		59: "287082", 1111111109: "081804", 1234567890: "005924", 2000000000: "279037",
	} {
		for after, want := range map[time.Duration]bool{
			0: true, 30 * time.Second: true, -30 * time.Second: true, 90 * time.Second: false, -90 * time.Second: false,
		} {
			step, ok := factors.Step(secret, code, time.Unix(at, 0).Add(after))
			if ok != want || ok && step != at/30 {
				t.Errorf("%s at %d and %s: step %d, %v", code, at, after, step, ok)
			}
		}
	}
	for _, wrong := range []string{"", "28708", "2870820", "28708a", "000000"} {
		if _, ok := factors.Step(secret, wrong, time.Unix(59, 0)); ok {
			t.Errorf("%q is a code", wrong)
		}
	}
}

func TestASecretIsDrawn(t *testing.T) {
	t.Parallel()
	one, other := factors.NewSecret(), factors.NewSecret()
	if one == other || len(one) != 32 {
		t.Fatalf("secrets of %d characters", len(one))
	}
	address := factors.Address(one, "ana&b@x.example")
	if !strings.HasPrefix(address, "otpauth://totp/Fich%C3%A1rio:ana&b@x.example?") || !strings.Contains(address, one) {
		t.Error("the address says something else")
	}
	picture, err := factors.Picture(address)
	image, err2 := png.Decode(base64.NewDecoder(base64.StdEncoding,
		strings.NewReader(strings.TrimPrefix(picture, "data:image/png;base64,"))))
	if err != nil || err2 != nil {
		t.Fatalf("the picture: %v, %v", err, err2)
	}
	if shows, err := qr.Decode(image); err != nil || shows != address {
		t.Errorf("the picture shows something else: %v", err)
	}
	if _, err := factors.Picture(strings.Repeat("a", 4000)); err == nil {
		t.Error("a picture of more than a square holds")
	}
}

// TestWhereTherePasskeysAre: where the address has a host name, and TLS or localhost. tests/browser covers the
// browser's part.
func TestWhereTherePasskeysAre(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://fichario.example": true, "http://localhost:8080": true, "http://fichario.example": false,
		"http://127.0.0.1:8080": false, "https://crm": false, "https://203.0.113.7": false, "https://[2001:db8::1]": false,
	} {
		keys, err := factors.NewPasskeys(address)
		if err != nil || (keys != nil) != want {
			t.Errorf("%s: %v, %v", address, keys != nil, err)
		}
	}
	keys, _ := factors.NewPasskeys("https://fichario.example")
	_, challenge, err := keys.BeginUse(nil)
	if err != nil {
		t.Fatal(err)
	}
	of := ports.PasskeyOwner{ID: "x", Email: "ana@x.example", Name: "Ana"}
	for _, answer := range []string{"", "{}", "null", `{"id":"eA","rawId":"eA","type":"public-key","response":{}}`} {
		if _, err := keys.EndUse(nil, challenge, []byte(answer), func(string) (ports.PasskeyOwner, error) {
			return of, nil
		}); err == nil {
			t.Errorf("%q lets somebody in", answer)
		}
		if _, err := keys.EndAdd(of, challenge, []byte(answer)); err == nil {
			t.Errorf("%q is a passkey", answer)
		}
	}
}
