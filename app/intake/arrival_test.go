package intake

import (
	"errors"
	"strings"
	"testing"

	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

func TestWhatBecomesOfAPost(t *testing.T) {
	t.Parallel()
	unfit := errors.New("no e-mail")
	met := func(same bool) ports.Receipt { return ports.Receipt{ContactID: "c", Repeated: true, Same: same} }
	for _, c := range []struct {
		what   string
		strict bool
		first  ports.Receipt
		unfit  error
		want   webhook.Outcome
		code   fault.Code
	}{
		{"nothing was known", true, ports.Receipt{ContactID: "c"}, nil, webhook.Accepted, ""},
		{"nothing was known of an unfit one", true, ports.Receipt{}, unfit, webhook.Refused, fault.Internal},
		{"it came before", true, met(true), nil, webhook.Repeated, ""},
		{"an unfit one came before", true, met(true), unfit, webhook.Repeated, ""},
		{"the sender's key with another body", true, met(false), nil, webhook.Refused, fault.ReusedIdempotencyKey},
		{"the sender's key with another, unfit body", true, met(false), unfit, webhook.Refused, fault.ReusedIdempotencyKey},
		{"a product's id with another body", false, met(false), nil, webhook.Repeated, ""},
		{"a product's id with another, unfit body", false, met(false), unfit, webhook.Repeated, ""},
	} {
		outcome, why := identity{strict: c.strict}.decide([]ports.Receipt{c.first}, c.unfit)
		if outcome != c.want || fault.CodeOf(why) != c.code {
			t.Errorf("%s: %s, %v", c.what, outcome, why)
		}
	}
}

// TestWhatAPostIsKnownBy: the sender's key takes precedence over the product's ids, these over the replayed delivery.
func TestWhatAPostIsKnownBy(t *testing.T) {
	t.Parallel()
	header := func(name, value string) intake.Pair { return intake.Pair{Key: name, Value: value} }
	const ofX = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
	for want, c := range map[string]struct {
		headers  []intake.Pair
		product  string
		replayOf string
	}{
		"":                {},
		"key:a":           {[]intake.Pair{header("webhook-id", "b"), header("idempotency-key", "a")}, "c", "d"},
		"id:webhook-id:b": {[]intake.Pair{header("webhook-id", "b")}, "c", "d"},
		// At some products it is the subscription's, the same for everybody.
		"id:x-webhook-id:b\n" + ofX: {[]intake.Pair{header("x-webhook-id", "b")}, "", "d"},
		"id:c":                      {nil, "c", "d"},
		"replay:d":                  {nil, "", "d"},
	} {
		d := webhook.Delivery{Headers: c.headers, Body: []byte("x"), ReplayOf: c.replayOf}
		known, err := identify(d, []intake.Draft{{DeliveryID: c.product}}, false)
		if err != nil || known.keys[0] != want || known.strict != (want == "key:a") {
			t.Errorf("known by %q, strict %t, %v, want %q", known.keys, known.strict, err, want)
		}
	}
	own, shared := []intake.Draft{{DeliveryID: "c"}, {DeliveryID: "d"}, {}},
		[]intake.Draft{{DeliveryID: "c", SharedID: true}, {DeliveryID: "c#2", SharedID: true}}
	for want, c := range map[string]struct {
		headers []intake.Pair
		drafts  []intake.Draft
	}{
		"key:a|key:a\n2|key:a\n3":            {[]intake.Pair{header("idempotency-key", "a")}, own},
		"id:c|id:d|id:webhook-id:b\n3":       {[]intake.Pair{header("webhook-id", "b")}, own},
		"id:c|id:d|":                         {nil, own},
		"id:webhook-id:b|id:webhook-id:b\n2": {[]intake.Pair{header("webhook-id", "b")}, shared},
		"id:c|id:c#2":                        {nil, shared},
	} {
		known, err := identify(webhook.Delivery{Headers: c.headers}, c.drafts, false)
		if got := strings.Join(known.keys, "|"); err != nil || got != want {
			t.Errorf("several are known by %q, %v, want %q", got, err, want)
		}
	}
	for needs, want := range map[intake.IDNeeds]string{
		intake.IDAlone: "id:c|", intake.IDAndEmail: "id:c\nana@x.example|id:c", intake.IDAndBody: "id:c\n" + ofX + "|id:c",
	} {
		d := webhook.Delivery{Body: []byte("x")}
		known, err := identify(d, []intake.Draft{{DeliveryID: "c", IDNeeds: needs, Email: "Ana@x.example"}}, false)
		if got := known.keys[0] + "|" + known.earlier[0]; err != nil || got != want {
			t.Errorf("an id that needs %d is known by %q, %v, want %q", needs, got, err, want)
		}
	}
	multipart := func(boundary string) webhook.Delivery {
		return webhook.Delivery{
			Headers: []intake.Pair{header("content-type", "multipart/form-data; boundary="+boundary)},
			Body:    []byte("--" + boundary + "\r\nx\r\n--" + boundary + "--"),
		}
	}
	if a, b := fingerprint(multipart("B1")), fingerprint(multipart("B2")); string(a) != string(b) {
		t.Errorf("one form in two multipart bodies is %q and %q", a, b)
	}
}

// TestWhereAContactComesFrom: a fixed origin wins, a campaign counts where nothing is stated, and a stated origin that
// is not registered goes to the note.
func TestWhereAContactComesFrom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ fixed, stated, campaign, id, note string }{
		{"", "", "", "", ""},
		{"", "RADIO", "", "r", ""},
		{"", "", "rádio", "r", ""},
		{"", "Feira", "rádio", "", "Origem informada: Feira"},
		{"f", "", "rádio", "f", ""},
		{"f", "rádio", "", "f", "Origem informada: rádio"},
		{"r", "rádio", "", "r", ""},
		{"f", "Feira", "", "f", "Origem informada: Feira"},
	} {
		hook := webhook.Hook{Origins: []crm.Origin{{ID: "r", Name: "Rádio"}, {ID: "f", Name: "Fixa"}}}
		hook.OriginID = c.fixed
		got := contactOf(hook, intake.Draft{Origin: c.stated, FallbackOrigin: c.campaign}, hook.CreatedAt)
		if got.OriginID != c.id || got.Note != c.note {
			t.Errorf("%+v: origin %q, note %q", c, got.OriginID, got.Note)
		}
	}
}
