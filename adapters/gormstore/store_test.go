package gormstore_test

import (
	"strings"
	"testing"

	"fichario/adapters/gormstore"
	"fichario/ports"
	"fichario/ports/portstest"
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
