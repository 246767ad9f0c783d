//go:build !linux

package intake

import (
	"testing"
	"time"
)

// spent is the time that f takes.
func spent(t *testing.T, f func()) time.Duration {
	t.Helper()
	began := time.Now()
	f()
	return time.Since(began)
}
