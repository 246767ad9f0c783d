package webhook

import (
	"testing"

	"fichario/domain/intake"
)

func TestHeaderID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		headers []intake.Pair
		want    string
	}{
		{nil, ""}, {headers("content-type", "application/json"), ""}, {headers("x-delivery-id", ""), ""},
		{headers("x-delivery-id", "7"), "x-delivery-id:7"},
		{headers("x-delivery-id", "7", "webhook-id", "msg_1"), "webhook-id:msg_1"},
		{headers("svix-id", "msg_1"), "svix-id:msg_1"},
		{headers("x-shopify-webhook-id", "b1"), "x-shopify-webhook-id:b1"},
		{headers("x-wc-webhook-id", "3", "x-wc-webhook-delivery-id", "d"), "x-wc-webhook-delivery-id:d"},
	} {
		if got := (Delivery{Headers: c.headers}).HeaderID(); got != c.want {
			t.Errorf("%v: %q, want %q", c.headers, got, c.want)
		}
	}
}
