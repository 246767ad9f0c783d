package gormstore

import (
	"log/slog"
	"sync"
	"sync/atomic"
)

// toldMost bounds how many values are remembered as told; behind a lost data key there may be millions.
const toldMost = 1000

// unreadable tells the log of values that cannot be opened, each once, so that a page that shows one does not fill it.
type unreadable struct {
	log   atomic.Pointer[slog.Logger]
	known sync.Map // of place
	told  atomic.Int64
}

// LogTo says where the store tells of stored values that it cannot open: by table, column and id, and never what they
// say.
func (s *Store) LogTo(log *slog.Logger) { s.vault.unreadable.log.Store(log) }

func (u *unreadable) tell(place string) {
	log := u.log.Load()
	if log == nil || u.told.Load() >= toldMost {
		return
	}
	if _, known := u.known.LoadOrStore(place, true); known {
		return
	}
	u.told.Add(1)
	log.Error("a stored value cannot be opened and is shown as unreadable; fichario doctor --deep names all of them",
		"place", place)
}

// shown opens a value of a row that is shown even without it. It reports false where it cannot be opened.
func (v *vault) shown(sealed []byte, place string) ([]byte, bool) {
	plain, err := v.open(sealed, place)
	if err != nil {
		v.unreadable.tell(place)
	}
	return plain, err == nil
}
