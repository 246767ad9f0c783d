package intaketest

import (
	"net/http/httptest"
	"testing"

	"fichario/adapters/sandbox"
	"fichario/tests/testkit"
)

// LinkedIn is the stand-in for LinkedIn's API of leads, and its address.
type LinkedIn struct {
	*sandbox.LinkedIn
	URL string
}

// StartLinkedIn starts a stand-in for LinkedIn.
func StartLinkedIn(tb testing.TB) LinkedIn {
	tb.Helper()
	l := sandbox.NewLinkedIn()
	server := httptest.NewServer(l.LinkedInDoors())
	tb.Cleanup(server.Close)
	return LinkedIn{l, server.URL}
}

// NewLinkedInHook makes a webhook of LinkedIn's.
func (o *Org) NewLinkedInHook(name string) Hook {
	o.tb.Helper()
	return o.platformHook(name, sandbox.LinkedInSecret, "--type", "linkedin")
}

// ConnectLinkedIn connects a webhook with the advertising accounts of a token.
func (o *Org) ConnectLinkedIn(h Hook, token string) []ConnectedPage {
	o.tb.Helper()
	o.Hide(token)
	env := o.Env()
	env["FICHARIO_PUBLIC_URL"] = o.URL // the address that LinkedIn is told
	return testkit.JSON[[]ConnectedPage](o.tb, testkit.RunInput(o.tb, token+"\n", env, "linkedin", "connect",
		"--webhook", h.ID, "--page-token-stdin", "--json"))
}
