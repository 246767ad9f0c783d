package app

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/fault"
	"fichario/ports"
)

// emptyStore has no keys.
type emptyStore struct{ ports.Store }

type noKeys struct{ ports.Keys }

func (emptyStore) Repos() ports.Repos { return ports.Repos{Keys: noKeys{}} }

func (noKeys) BySecret(context.Context, access.Secret, time.Time) (access.Key, error) {
	return access.Key{}, ports.ErrNotFound
}

// TestKeysThatNobodyHasAreNotRemembered: whoever tries them fills no memory, neither the limiter's nor another.
func TestKeysThatNobodyHasAreNotRemembered(t *testing.T) {
	t.Parallel()
	k := NewKeys(emptyStore{}, time.Now)
	for range 1_000_000 / 20 {
		text := access.NewSecret().Reveal()
		for n := range 20 { // the others are of another form, which is seen first
			if n > 0 {
				text = text[:len(text)-1] + string(rune('!'+n))
			}
			if _, err := k.Authenticate(t.Context(), text, netip.Addr{}); fault.CodeOf(err) != fault.Unauthenticated {
				t.Fatal(err)
			}
		}
	}
	for what, m := range map[string]interface{ Range(func(any, any) bool) }{
		"known": &k.known, "windows": &k.windows, "used": &k.used,
	} {
		m.Range(func(any, any) bool { t.Errorf("%s keeps something", what); return false })
	}
}
