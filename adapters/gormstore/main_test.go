package gormstore

import (
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/tests/testkit/patience"
)

// TestMain gives operations much more time than this machine needs, in whole seconds, as PostgreSQL shows them.
func TestMain(m *testing.M) {
	engine.SetTimeout(min(patience.Scaled(4*engine.DefaultTimeout), 59*time.Second).Round(time.Second))
	m.Run()
}
