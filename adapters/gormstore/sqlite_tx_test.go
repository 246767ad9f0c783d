package gormstore

import (
	"context"
	"errors"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/team"
	"fichario/ports"
)

// TestATransactionWhoseTimeIsOver writes nothing, and is known to have written nothing.
func TestATransactionWhoseTimeIsOver(t *testing.T) {
	t.Parallel()
	s := each(t)[0]
	write := func(w *engine.SQLiteTx, mark string) int64 {
		return w.Exec(team.TellOnSQLite, testID(1), mark, time.Now(), testID(1))
	}
	written := func() (n int64) {
		s.Reader.Table("told").Count(&n)
		return n
	}
	for name, afterwards := range map[string]func(*engine.SQLiteTx) int64{
		"before a statement": func(w *engine.SQLiteTx) int64 { return write(w, "second") },
		"before the commit":  func(*engine.SQLiteTx) int64 { return 0 },
	} {
		ctx, over := context.WithCancel(t.Context())
		err := s.OnSQLite(ctx, func(w *engine.SQLiteTx) {
			if write(w, "first") != 1 {
				t.Error("nothing is written in time")
			}
			over()
			if afterwards(w) != 0 {
				t.Error("something is written afterwards")
			}
		})
		if !errors.Is(err, context.Canceled) || errors.Is(err, ports.ErrUncertain) || written() != 0 {
			t.Errorf("%s: %v, %d rows", name, err, written())
		}
	}
	if err := s.OnSQLite(t.Context(), func(w *engine.SQLiteTx) { write(w, "first") }); err != nil || written() != 1 {
		t.Errorf("the next one: %v, %d rows", err, written())
	}
}
