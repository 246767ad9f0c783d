package gormstore_test

import (
	"net/url"
	"strings"
	"testing"

	"fichario/adapters/gormstore"
	"fichario/ports"
	"fichario/ports/portstest"
	"fichario/ports/portstest/lookups"
	"fichario/tests/testkit/postgres"
)

func TestStore(t *testing.T) {
	t.Parallel()
	for name, database := range databases(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			portstest.Store(t, func(t *testing.T) ports.Store { t.Helper(); return open(t, database(t)) })
		})
	}
}

// TestSlowCallsEndTwiceByAHashJoin: by its statistics, PostgreSQL joins the outcomes of a batch with the statement in
// one way or another. By most it takes the first of those of one call, as TestStore sees; by this one the last.
func TestSlowCallsEndTwiceByAHashJoin(t *testing.T) {
	t.Parallel()
	at, err := url.Parse(postgres.New(t, migrate))
	if err != nil {
		t.Fatal(err)
	}
	settings := at.Query()
	settings.Set("enable_nestloop", "off")
	settings.Set("enable_mergejoin", "off")
	settings.Set("jit", "off") // it would compile each statement, because what is off counts as very expensive
	at.RawQuery = settings.Encode()
	lookups.Suite["calls ended twice"](t, open(t, at.String()))
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                      "FICHARIO_DATABASE_URL",
		"mysql://x":             "FICHARIO_DATABASE_URL",
		"sqlite://":             "path",
		"sqlite://a?mode=rw":    "path",
		"postgres://u:hunter2@": "FICHARIO_DATABASE_URL",
	} {
		s, err := gormstore.Open(url, [][]byte{testKey})
		if err == nil {
			_ = s.Close()
		}
		if url == "postgres://u:hunter2@" {
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Error("the error shows the password")
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q): %v", url, err)
		}
	}
	if _, err := gormstore.Open("sqlite://x.db", [][]byte{{1, 2}}); err == nil {
		t.Error("a short data key is accepted")
	}
	if _, err := gormstore.Open("sqlite://x.db", nil); err == nil {
		t.Error("no data key is accepted")
	}
}
