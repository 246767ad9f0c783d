package webhook

import (
	"testing"
	"time"

	"fichario/domain/intake"
)

// FuzzSignature: without the secret nobody can sign, whatever the headers and the scheme.
func FuzzSignature(f *testing.F) {
	for _, header := range []string{
		"webhook-signature", "webhook-id", "webhook-timestamp", "svix-signature", "x-hub-signature-256", "tally-signature",
		"typeform-signature", "signature",
	} {
		f.Add(header, "sha256=", header, "v1,AAAA v1a,x 1", []byte("{}"))
		f.Add(header, "1700000000", "webhook-id", "msg_1", []byte(nil))
	}
	now := time.Unix(1700000000, 0)
	f.Fuzz(func(t *testing.T, one, first, other, second string, body []byte) {
		d := Delivery{Headers: []intake.Pair{{Key: one, Value: first}, {Key: other, Value: second}}}
		for _, scheme := range []Scheme{TypeformScheme, TallyScheme, StandardScheme, HMACScheme, GoogleScheme, "outro"} {
			s := Signature{Scheme: scheme, Secret: "whsec_c2VncmVkby1zZWNyZXRv"}
			if s.Check(d, body, now) == nil {
				t.Errorf("%s holds", scheme)
			}
		}
		if token, ok := ParseToken(first); ok && (len(token.Reveal()) != TokenLen || token.String() == first) {
			t.Error("a token of another length, or one that shows itself")
		}
	})
}
