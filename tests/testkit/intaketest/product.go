package intaketest

import (
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

// Product is the program with an organisation on it and a bureau behind it.
type Product struct {
	Bureau *lookuptest.Bureau
	// Lookups makes keys and lookups, Leads makes webhooks and posts.
	Lookups *lookuptest.Service
	Leads   *Org
}

// StartProduct starts the program on the database in env, with everything needed for lookups and posts.
func StartProduct(tb testing.TB, env map[string]string) Product {
	tb.Helper()
	return StartProductOf(tb, env, lookuptest.StartBureau(tb, nil), lookuptest.Patient)
}

// StartProductOf is StartProduct with the test's own bureau and its timeout.
func StartProductOf(
	tb testing.TB, env map[string]string, bureau *lookuptest.Bureau, timeout time.Duration, more ...map[string]string,
) Product {
	tb.Helper()
	p := Product{Bureau: bureau}
	s := watch(tb, env, newHidden(), func() *testkit.Program {
		p.Lookups = lookuptest.StartService(tb, env, lookuptest.BureauFile(tb, bureau.URL, timeout), more...)
		return p.Lookups.Program
	})
	p.Leads = &Org{Service: s, ID: p.Lookups.Org, tb: tb}
	return p
}
