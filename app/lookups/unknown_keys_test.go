package lookups

import (
	"context"
	"encoding/binary"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
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

// TestKeysThatNobodyHasAreNotRemembered: trying unknown keys fills no memory, neither the limiter's nor another.
func TestKeysThatNobodyHasAreNotRemembered(t *testing.T) {
	t.Parallel()
	k := NewKeys(emptyStore{}, time.Now)
	for i := range uint32(1_000_000 / 20) {
		text, from := access.NewSecret().Reveal(), netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, i)))
		for n := range 20 { // the others have an invalid form, which is noticed first
			if n > 0 {
				text = text[:len(text)-1] + string(rune('!'+n))
			}
			if _, err := k.Authenticate(t.Context(), text, from); fault.CodeOf(err) != fault.Unauthenticated {
				t.Fatal(err)
			}
		}
	}
	for what, m := range map[string]interface{ Range(func(any, any) bool) }{
		"known": &k.known, "windows": &k.windows, "used": &k.used,
	} {
		m.Range(func(any, any) bool { t.Errorf("%s keeps something", what); return false })
	}
	if n := len(k.strangers.networks); n > networksMost {
		t.Errorf("%d networks are remembered", n)
	}
}

// TestGuessesOfKeysAskTheDatabaseForSoMany and no more, from one network within a minute; other networks and known keys
// are not affected.
func TestGuessesOfKeysAskTheDatabaseForSoMany(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		known := access.NewSecret()
		store := &oneKey{known: known}
		k := NewKeys(store, time.Now)
		try := func(secret access.Secret, from string, want fault.Code) {
			t.Helper()
			_, err := k.Authenticate(t.Context(), secret.Reveal(), netip.MustParseAddr(from))
			var f *fault.Error
			if errors.As(err, &f); fault.CodeOf(err) != want || want == fault.MinuteLimit && f.RetryAfter <= 0 {
				t.Fatalf("from %s: %v, want %s", from, err, want)
			}
		}
		try(known, "2001:db8::1", "")
		for range strangersMost {
			try(access.NewSecret(), "2001:db8::1", fault.Unauthenticated)
		}
		asked := store.asked
		try(access.NewSecret(), "2001:db8::2", fault.MinuteLimit)
		if store.asked != asked {
			t.Error("the database was asked all the same")
		}
		time.Sleep(2 * keyTTL)
		store.away = fault.New(fault.ServiceUnavailable, "")
		try(known, "2001:db8::3", fault.ServiceUnavailable)
		store.away = nil
		try(known, "2001:db8::3", "") // which does not make it unknown
		try(access.NewSecret(), "2001:db8:0:1::1", fault.Unauthenticated)
		time.Sleep(time.Minute)
		try(access.NewSecret(), "2001:db8::2", fault.Unauthenticated)
	})
}

// TestAKeyIsReadAgainAtOnce: one that another process revoked is refused a tenth of a second later.
func TestAKeyIsReadAgainAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &oneKey{known: access.NewSecret()}
		k, text := NewKeys(store, time.Now), store.known.Reveal()
		if _, err := k.Authenticate(t.Context(), text, netip.Addr{}); err != nil {
			t.Fatal(err)
		}
		store.known = access.NewSecret()
		time.Sleep(100 * time.Millisecond)
		if _, err := k.Authenticate(t.Context(), text, netip.Addr{}); fault.CodeOf(err) != fault.Unauthenticated {
			t.Errorf("a key that was replaced: %v", err)
		}
	})
}

// oneKey is a store that counts how often it is queried.
type oneKey struct {
	ports.Store
	ports.Keys
	known access.Secret
	asked int
	away  error
}

func (s *oneKey) Repos() ports.Repos { return ports.Repos{Keys: s} }

func (s *oneKey) BySecret(_ context.Context, secret access.Secret, _ time.Time) (access.Key, error) {
	if s.away != nil {
		return access.Key{}, s.away
	}
	if s.asked++; secret.Hash() != s.known.Hash() {
		return access.Key{}, ports.ErrNotFound
	}
	return access.Key{ID: "a", ExpiresAt: time.Now().AddDate(1, 0, 0)}, nil
}
