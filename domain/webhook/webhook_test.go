package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fichario/domain/intake"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	token := NewToken()
	if len(token.Reveal()) != TokenLen || token.Reveal() == NewToken().Reveal() {
		t.Error("a token has 48 random characters")
	}
	if s := fmt.Sprintf("%v %s %#v", token, token, token); strings.Contains(s, token.Reveal()) {
		t.Error("a token prints itself")
	}
	if again, ok := ParseToken(token.Reveal()); !ok || again != token || again.Hash() != token.Hash() {
		t.Error("a token is not read as it was made")
	}
	for _, wrong := range []string{"", token.Reveal()[1:], token.Reveal() + "a", strings.Repeat("-", TokenLen), strings.Repeat("é", TokenLen/2), strings.Repeat("\x00", TokenLen)} {
		if _, ok := ParseToken(wrong); ok {
			t.Errorf("a text of %d bytes is taken for a token", len(wrong))
		}
	}
}

func header(name, value string) intake.Pair { return intake.Pair{Key: name, Value: value} }

func TestSignatures(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_790_000_000, 0)
	body := []byte(`{"a":1}`)
	mac := func(key, signed string) []byte {
		m := hmac.New(sha256.New, []byte(key))
		m.Write([]byte(signed))
		return m.Sum(nil)
	}
	const secret = "um segredo de teste"
	raw := mac(secret, string(body))
	in64, inHex := base64.StdEncoding.EncodeToString(raw), hex.EncodeToString(raw)
	whsec := "whsec_" + base64.StdEncoding.EncodeToString([]byte(secret))
	standard := func(id string, at int64) []intake.Pair {
		signature := base64.StdEncoding.EncodeToString(mac(secret, fmt.Sprintf("%s.%d.%s", id, at, body)))
		return []intake.Pair{header("webhook-id", id), header("webhook-timestamp", fmt.Sprint(at)), header("webhook-signature", "v1,AAAA v1a,xyz v1," + signature)}
	}
	for name, c := range map[string]struct {
		signature Signature
		headers   []intake.Pair
		want      error
	}{
		"none asked for":                {Signature{}, nil, nil},
		"typeform":                      {Signature{TypeformScheme, secret}, []intake.Pair{header("typeform-signature", "sha256=" + in64)}, nil},
		"typeform, missing":             {Signature{TypeformScheme, secret}, nil, ErrUnsigned},
		"typeform, another secret":      {Signature{TypeformScheme, secret + "x"}, []intake.Pair{header("typeform-signature", "sha256=" + in64)}, ErrBadSignature},
		"tally":                         {Signature{TallyScheme, secret}, []intake.Pair{header("tally-signature", in64)}, nil},
		"tally, another header":         {Signature{TallyScheme, secret}, []intake.Pair{header("typeform-signature", in64)}, ErrUnsigned},
		"hmac in hex":                   {Signature{HMACScheme, secret}, []intake.Pair{header("x-hub-signature-256", "sha256=" + inHex)}, nil},
		"hmac in a header of its own":   {Signature{HMACScheme, secret}, []intake.Pair{header("x-hmac-signature", "sha256=" + inHex)}, nil},
		"hmac in base64":                {Signature{HMACScheme, secret}, []intake.Pair{header("x-signature", in64)}, nil},
		"hmac, missing":                 {Signature{HMACScheme, secret}, nil, ErrUnsigned},
		"hmac, cut":                     {Signature{HMACScheme, secret}, []intake.Pair{header("x-signature", inHex[:32])}, ErrBadSignature},
		"hmac, not even a signature":    {Signature{HMACScheme, secret}, []intake.Pair{header("x-signature", "ç")}, ErrBadSignature},
		"standard, one of several":      {Signature{StandardScheme, whsec}, standard("msg_1", now.Unix()), nil},
		"standard, four minutes ago":    {Signature{StandardScheme, whsec}, standard("msg_1", now.Unix()-240), nil},
		"standard, six minutes ago":     {Signature{StandardScheme, whsec}, standard("msg_1", now.Unix()-360), ErrStale},
		"standard, six minutes ahead":   {Signature{StandardScheme, whsec}, standard("msg_1", now.Unix()+360), ErrStale},
		"standard, another id":          {Signature{StandardScheme, whsec}, append([]intake.Pair{header("webhook-id", "msg_2")}, standard("msg_1", now.Unix())[1:]...), ErrBadSignature},
		"standard, no signature":        {Signature{StandardScheme, whsec}, standard("msg_1", now.Unix())[:2], ErrUnsigned},
		"standard, no time":             {Signature{StandardScheme, whsec}, []intake.Pair{header("webhook-id", "a"), header("webhook-timestamp", "x"), header("webhook-signature", "v1,AA")}, ErrBadSignature},
		"a scheme that does not exist":  {Signature{"md5", secret}, []intake.Pair{header("x-signature", in64)}, ErrBadSignature},
		"standard, secret is no base64": {Signature{StandardScheme, "whsec_?"}, standard("msg_1", now.Unix()), ErrBadSignature},
	} {
		if err := c.signature.Check(Delivery{Headers: c.headers}, body, now); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
	for name, c := range map[string]struct {
		signature Signature
		usable    bool
	}{
		"none":                  {Signature{}, true},
		"a secret for nothing":  {Signature{Secret: secret}, false},
		"without a secret":      {Signature{Scheme: HMACScheme}, false},
		"a short secret":        {Signature{HMACScheme, "1234567"}, false},
		"hmac":                  {Signature{HMACScheme, secret}, true},
		"standard":              {Signature{StandardScheme, whsec}, true},
		"standard, not base64":  {Signature{StandardScheme, secret}, false},
		"a scheme of somewhere": {Signature{"md5", secret}, false},
	} {
		if c.signature.Usable() != c.usable {
			t.Errorf("%s: usable is not %v", name, c.usable)
		}
	}
}
