// Package portstest holds the suites that every implementation of a port must pass, so that both databases behave as
// one product.
package portstest

import (
	"testing"

	"fichario/ports"
	"fichario/ports/portstest/automations"
	"fichario/ports/portstest/batches"
	"fichario/ports/portstest/contacts"
	"fichario/ports/portstest/intake"
	"fichario/ports/portstest/kit"
	"fichario/ports/portstest/lookups"
	"fichario/ports/portstest/privacy"
	"fichario/ports/portstest/team"
)

// Store runs the suite of ports.Store. newStore returns an empty, migrated store.
func Store(t *testing.T, newStore func(t *testing.T) ports.Store) {
	t.Helper()
	own := kit.Suite{
		"clock": sharedClock, "transactions": transactions, "no id": kit.NoID, "another organisation": kit.AnotherOrg,
		"refusals": refusals,
	}
	for _, suite := range []kit.Suite{
		own, lookups.Suite, batches.Suite, contacts.Suite, intake.Suite, automations.Suite, team.Suite, privacy.Suite,
	} {
		suite.Run(t, newStore)
	}
}
