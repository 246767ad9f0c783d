package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/domain/intake"
)

const testSecret = "um segredo de teste"

// whsec is the secret as Standard Webhooks writes it.
var whsec = "whsec_" + base64.StdEncoding.EncodeToString([]byte(testSecret))

// headers makes headers of alternating names and values.
func headers(nv ...string) []intake.Pair {
	var out []intake.Pair
	for i := 0; i < len(nv); i += 2 {
		out = append(out, intake.Pair{Key: nv[i], Value: nv[i+1]})
	}
	return out
}

func sign(signed string) []byte {
	m := hmac.New(sha256.New, []byte(testSecret))
	m.Write([]byte(signed))
	return m.Sum(nil)
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	const body = `{"a":1}`
	in64, inHex := base64.StdEncoding.EncodeToString(sign(body)), hex.EncodeToString(sign(body))
	by := func(s Scheme) Signature { return Signature{Scheme: s, Secret: testSecret} }
	typeform, tally, plain, own := by(TypeformScheme), by(TallyScheme), by(HMACScheme), by(HMACScheme)
	other := Signature{Scheme: TypeformScheme, Secret: testSecret + "x"}
	own.Header = "x-minha-assinatura"
	linkedIn := OfPlatform(intake.LinkedIn, testSecret)
	ofLinkedIn := hex.EncodeToString(sign("hmacsha256=" + body))
	for name, c := range map[string]struct {
		signature Signature
		headers   []intake.Pair
		want      error
	}{
		"none asked for":             {Signature{}, nil, nil},
		"typeform":                   {typeform, headers("typeform-signature", "sha256="+in64), nil},
		"typeform, missing":          {typeform, nil, ErrUnsigned},
		"typeform, another secret":   {other, headers("typeform-signature", "sha256="+in64), ErrBadSignature},
		"tally":                      {tally, headers("tally-signature", in64), nil},
		"tally, another header":      {tally, headers("typeform-signature", in64), ErrUnsigned},
		"hmac in hex":                {plain, headers("x-hub-signature-256", "sha256="+inHex), nil},
		"hmac in another header":     {plain, headers("x-hmac-signature", "sha256="+inHex), nil},
		"hmac in base64":             {plain, headers("x-signature", in64), nil},
		"hmac, missing":              {plain, nil, ErrUnsigned},
		"hmac, cut":                  {plain, headers("x-signature", inHex[:32]), ErrBadSignature},
		"hmac, not even a signature": {plain, headers("x-signature", "ç"), ErrBadSignature},
		"own header, hex":            {own, headers("x-minha-assinatura", inHex), nil},
		"own header, sha256=":        {own, headers("x-minha-assinatura", "sha256="+inHex), nil},
		"own header, base64":         {own, headers("x-minha-assinatura", in64), nil},
		"own header, another sent":   {own, headers("x-signature", in64), ErrUnsigned},
		"own header, not its own":    {own, headers("x-minha-assinatura", inHex[2:]+"00"), ErrBadSignature},
		"cal.com":                    {plain, headers("x-cal-signature-256", inHex), nil},
		"shopify":                    {plain, headers("x-shopify-hmac-sha256", in64), nil},
		"woocommerce":                {plain, headers("x-wc-webhook-signature", in64), nil},
		"mautic":                     {plain, headers("webhook-signature", in64), nil},
		"linkedin":                   {linkedIn, headers("x-li-signature", ofLinkedIn), nil},
		"linkedin, with the hash":    {linkedIn, headers("x-li-signature", "hmacsha256="+ofLinkedIn), nil},
		"linkedin, of the body":      {linkedIn, headers("x-li-signature", inHex), ErrBadSignature},
		"linkedin, missing":          {linkedIn, headers("x-hub-signature-256", ofLinkedIn), ErrUnsigned},
		"no such scheme":             {by("md5"), headers("x-signature", in64), ErrBadSignature},
	} {
		if err := c.signature.Check(Delivery{Headers: c.headers}, []byte(body), time.Now()); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

// TestTheChallengeOfLinkedIn signs nothing but a UUID: the same secret signs bodies.
func TestTheChallengeOfLinkedIn(t *testing.T) {
	t.Parallel()
	const code = "890e4665-4dfe-4ab1-b689-ed553bceeed0"
	w := Webhook{Signature: OfPlatform(intake.LinkedIn, testSecret)}
	w.Kind = intake.LinkedIn
	if got := w.Response(code); got != hex.EncodeToString(sign(code)) {
		t.Errorf("the response is %q", got)
	}
	for _, other := range []string{"", "hmacsha256={}", code + "0", strings.Repeat("z", 36), "hmacsha256=" + code[:25]} {
		if got := w.Response(other); got != "" {
			t.Errorf("%q is signed", other)
		}
	}
	w.Kind = intake.Meta
	if w.Response(code) != "" {
		t.Error("a webhook of another kind signs a challenge")
	}
}

func TestStandardSignatures(t *testing.T) {
	t.Parallel()
	const body = `{"a":1}`
	now := time.Unix(1_790_000_000, 0)
	signed := func(id string, at int64) []intake.Pair {
		signature := base64.StdEncoding.EncodeToString(sign(fmt.Sprintf("%s.%d.%s", id, at, body)))
		return headers("webhook-id", id, "webhook-timestamp", fmt.Sprint(at),
			"webhook-signature", "v1,AAAA v1a,xyz v1,"+signature)
	}
	recent := signed("msg_1", now.Unix())
	for name, c := range map[string]struct {
		secret  string
		headers []intake.Pair
		want    error
	}{
		"one of several":      {whsec, recent, nil},
		"four minutes ago":    {whsec, signed("msg_1", now.Unix()-240), nil},
		"six minutes ago":     {whsec, signed("msg_1", now.Unix()-360), ErrStale},
		"six minutes ahead":   {whsec, signed("msg_1", now.Unix()+360), ErrStale},
		"another id":          {whsec, append(headers("webhook-id", "msg_2"), recent[1:]...), ErrBadSignature},
		"no signature":        {whsec, recent[:2], ErrUnsigned},
		"secret is no base64": {"whsec_?", recent, ErrBadSignature},
		"under svix's names":  {whsec, svix(recent), nil},
		"half of each name":   {whsec, append(svix(recent)[:2], recent[2]), ErrUnsigned},
		"no time": {whsec, headers("webhook-id", "a", "webhook-timestamp", "x", "webhook-signature", "v1,AA"),
			ErrBadSignature},
	} {
		signature := Signature{Scheme: StandardScheme, Secret: c.secret}
		if err := signature.Check(Delivery{Headers: c.headers}, []byte(body), now); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

// svix renames the headers of Standard Webhooks to their older names.
func svix(standard []intake.Pair) []intake.Pair {
	out := slices.Clone(standard)
	for i := range out {
		out[i].Key = "svix-" + strings.TrimPrefix(out[i].Key, "webhook-")
	}
	return out
}

func TestUsableSignatures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signature Signature
		usable    bool
	}{
		"none":                  {Signature{}, true},
		"a secret for nothing":  {Signature{Secret: testSecret}, false},
		"without a secret":      {Signature{Scheme: HMACScheme}, false},
		"a short secret":        {Signature{Scheme: HMACScheme, Secret: "1234567"}, false},
		"hmac":                  {Signature{Scheme: HMACScheme, Secret: testSecret}, true},
		"standard":              {Signature{Scheme: StandardScheme, Secret: whsec}, true},
		"standard, not base64":  {Signature{Scheme: StandardScheme, Secret: testSecret}, false},
		"its own header":        {Signature{HMACScheme, testSecret, "x-cal-signature-256"}, true},
		"no header's name":      {Signature{HMACScheme, testSecret, "x assinatura"}, false},
		"capitals in a header":  {Signature{HMACScheme, testSecret, "X-Assinatura"}, false},
		"header of credentials": {Signature{HMACScheme, testSecret, "authorization"}, false},
		"a long header":         {Signature{HMACScheme, testSecret, strings.Repeat("x", 65)}, false},
		"header of a product":   {Signature{TallyScheme, testSecret, "x-assinatura"}, false},
		"a header for nothing":  {Signature{Header: "x-assinatura"}, false},
		"a scheme of somewhere": {Signature{Scheme: "md5", Secret: testSecret}, false},
	} {
		if c.signature.Usable() != c.usable {
			t.Errorf("%s: usable is not %v", name, c.usable)
		}
	}
}

// TestTheKeyOfALeadForm: Google Ads signs nothing, but sends the key that it was given.
func TestTheKeyOfALeadForm(t *testing.T) {
	t.Parallel()
	google := Signature{Scheme: GoogleScheme, Secret: testSecret}
	for body, want := range map[string]error{
		`{"lead_id":"1","google_key":"` + testSecret + `","is_test":true}`: nil,
		`{"google_key":"outra"}`:                       ErrBadSignature,
		`{"google_key":"` + testSecret + `x"}`:         ErrBadSignature,
		`{"google_key":""}`:                            ErrUnsigned,
		`{"google_key":12}`:                            ErrUnsigned,
		`{"lead":{"google_key":"` + testSecret + `"}}`: ErrUnsigned,
		`google_key=` + testSecret:                     ErrUnsigned,
		``:                                             ErrUnsigned,
	} {
		if err := google.Check(Delivery{}, []byte(body), time.Now()); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", body, err, want)
		}
	}
	if !google.Usable() || (Signature{Scheme: GoogleScheme, Secret: "curta"}).Usable() {
		t.Error("a key of eight characters or more can be used")
	}
}
