package gormstore

import (
	"testing"
	"time"

	"fichario/tests/testkit/patience"
)

// TestMain gives operations the time that this machine needs, in whole seconds, as PostgreSQL shows them.
func TestMain(m *testing.M) {
	SetTimeout(min(patience.Scaled(DefaultTimeout), 59*time.Second).Round(time.Second))
	m.Run()
}
