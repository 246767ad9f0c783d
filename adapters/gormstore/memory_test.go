package gormstore

import (
	"context"
	"runtime"
	"testing"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/ports"
)

func inMemory(t *testing.T) *Store {
	t.Helper()
	return opened(t, "sqlite://"+engine.InMemory)
}

// TestAMemoryOutlivesItsConnections: a transaction whose context ends may take its connection with it, but not the
// database.
func TestAMemoryOutlivesItsConnections(t *testing.T) {
	t.Parallel()
	s, other := inMemory(t), inMemory(t)
	org := crm.Organisation{ID: "01980000-0000-7000-8000-00000000000a"}
	if err := s.Repos().Orgs.Create(t.Context(), org); err != nil {
		t.Fatal(err)
	}
	pool, err := s.Writer.DB()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.InTx(ctx, func(context.Context, ports.Repos) error {
		inUse := pool.Stats().InUse
		cancel()
		for pool.Stats().InUse == inUse {
			runtime.Gosched()
		}
		return nil
	}); err == nil {
		t.Error("a transaction outlived its context")
	}
	if all, err := s.Repos().Orgs.List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("after it there are %d organisations, %v", len(all), err)
	}
	if all, err := other.Repos().Orgs.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("another database in memory has %d organisations, %v", len(all), err)
	}
}
