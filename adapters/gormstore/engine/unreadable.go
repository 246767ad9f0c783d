package engine

import (
	"log/slog"
	"sync"
	"sync/atomic"
)

// toldMost bounds how many values are remembered as logged; a lost data key may affect millions.
const toldMost = 1000

// unreadable logs values that cannot be opened, each once, so that a page that shows one does not flood the log.
type unreadable struct {
	log   atomic.Pointer[slog.Logger]
	known sync.Map // of place
	told  atomic.Int64
}

// LogTo sets the log for stored values that cannot be opened. Entries name table, column and id, never content.
func (s *Engine) LogTo(log *slog.Logger) { s.Vault.Unreadable.log.Store(log) }

func (u *unreadable) Tell(place string) {
	log := u.log.Load()
	if log == nil || u.told.Load() >= toldMost {
		return
	}
	if _, known := u.known.LoadOrStore(place, true); known {
		return
	}
	u.told.Add(1)
	log.Error("a stored value cannot be decrypted and is shown as unreadable; fichario doctor --deep finds all of them",
		"place", place)
}

// Shown opens a value of a row that can be shown without it. It reports false where the value cannot be opened.
func (v *Vault) Shown(sealed []byte, place string) ([]byte, bool) {
	plain, err := v.Open(sealed, place)
	if err != nil {
		v.Unreadable.Tell(place)
	}
	return plain, err == nil
}
