package intake

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
	standard := func(id string, at int64) []Pair {
		signature := base64.StdEncoding.EncodeToString(mac(secret, fmt.Sprintf("%s.%d.%s", id, at, body)))
		return []Pair{{"webhook-id", id}, {"webhook-timestamp", fmt.Sprint(at)}, {"webhook-signature", "v1,AAAA v1a,xyz v1," + signature}}
	}
	for name, c := range map[string]struct {
		signature Signature
		headers   []Pair
		want      error
	}{
		"none asked for":                {Signature{}, nil, nil},
		"typeform":                      {Signature{TypeformScheme, secret}, []Pair{{"typeform-signature", "sha256=" + in64}}, nil},
		"typeform, missing":             {Signature{TypeformScheme, secret}, nil, ErrUnsigned},
		"typeform, another secret":      {Signature{TypeformScheme, secret + "x"}, []Pair{{"typeform-signature", "sha256=" + in64}}, ErrBadSignature},
		"tally":                         {Signature{TallyScheme, secret}, []Pair{{"tally-signature", in64}}, nil},
		"tally, another header":         {Signature{TallyScheme, secret}, []Pair{{"typeform-signature", in64}}, ErrUnsigned},
		"hmac in hex":                   {Signature{HMACScheme, secret}, []Pair{{"x-hub-signature-256", "sha256=" + inHex}}, nil},
		"hmac in a header of its own":   {Signature{HMACScheme, secret}, []Pair{{"x-hmac-signature", "sha256=" + inHex}}, nil},
		"hmac in base64":                {Signature{HMACScheme, secret}, []Pair{{"x-signature", in64}}, nil},
		"hmac, missing":                 {Signature{HMACScheme, secret}, nil, ErrUnsigned},
		"hmac, cut":                     {Signature{HMACScheme, secret}, []Pair{{"x-signature", inHex[:32]}}, ErrBadSignature},
		"hmac, not even a signature":    {Signature{HMACScheme, secret}, []Pair{{"x-signature", "ç"}}, ErrBadSignature},
		"standard, one of several":      {Signature{StandardScheme, whsec}, standard("msg_1", now.Unix()), nil},
		"standard, four minutes ago":    {Signature{StandardScheme, whsec}, standard("msg_1", now.Unix()-240), nil},
		"standard, six minutes ago":     {Signature{StandardScheme, whsec}, standard("msg_1", now.Unix()-360), ErrStale},
		"standard, six minutes ahead":   {Signature{StandardScheme, whsec}, standard("msg_1", now.Unix()+360), ErrStale},
		"standard, another id":          {Signature{StandardScheme, whsec}, append([]Pair{{"webhook-id", "msg_2"}}, standard("msg_1", now.Unix())[1:]...), ErrBadSignature},
		"standard, no signature":        {Signature{StandardScheme, whsec}, standard("msg_1", now.Unix())[:2], ErrUnsigned},
		"standard, no time":             {Signature{StandardScheme, whsec}, []Pair{{"webhook-id", "a"}, {"webhook-timestamp", "x"}, {"webhook-signature", "v1,AA"}}, ErrBadSignature},
		"a scheme that does not exist":  {Signature{"md5", secret}, []Pair{{"x-signature", in64}}, ErrBadSignature},
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
