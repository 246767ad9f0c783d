package spreadsheet

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"fichario/domain/fault"
)

const (
	// uploadsMost bounds the bytes in memory of tables being uploaded or queued, and uploadsEach those of one
	// organisation, so that none takes everything.
	uploadsMost = 256 << 20
	uploadsEach = 64 << 20
	// tablesAtOnce is how many tables are parsed at once: each may take some hundred megabytes.
	tablesAtOnce = 2
)

// ErrFull is wrapped by the fault for a table that finds no memory or no slot.
var ErrFull = errors.New("too many tables at once")

// Tables bounds the resources of all tables uploaded to a process, through whatever door: the bytes in memory, and how
// many are parsed at once.
type Tables struct {
	// Within is how long a table waits for a slot, so that its sender gets a timely answer. Set it before first use.
	Within time.Duration

	turns chan struct{}
	mutex sync.Mutex
	all   int
	of    map[string]int // by organisation
}

// NewTables returns the bounds of a process, for all doors to share.
func NewTables() *Tables {
	return &Tables{Within: 20 * time.Second, turns: make(chan struct{}, tablesAtOnce), of: map[string]int{}}
}

// Turn waits for a slot to parse a table and process it, for instance to quote it; release frees the slot. Fault:
// ServiceUnavailable because of ErrFull; the context's error where that ends first.
func (t *Tables) Turn(ctx context.Context) (release func(), err error) {
	release = func() { <-t.turns }
	select {
	case t.turns <- struct{}{}:
		return release, nil
	default: // the wait below may end before it looks: a free slot is taken first
	}
	patience := time.NewTimer(t.Within)
	defer patience.Stop()
	select {
	case t.turns <- struct{}{}:
		return release, nil
	case <-patience.C:
		return nil, full()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Receive counts the bytes of an organisation's body as they arrive: a slow sender holds only what has arrived, and
// nobody waits for it.
func (t *Tables) Receive(body io.ReadCloser, orgID string) *Upload {
	return &Upload{ReadCloser: body, tables: t, orgID: orgID}
}

// take reserves n bytes for an organisation, and reports whether there was room.
func (t *Tables) take(orgID string, n int) bool {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.all+n > uploadsMost || t.of[orgID]+n > uploadsEach {
		return false
	}
	t.all += n
	t.of[orgID] += n
	return true
}

func (t *Tables) give(orgID string, n int) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.all -= n
	if t.of[orgID] -= n; t.of[orgID] == 0 {
		delete(t.of, orgID)
	}
}

// Upload is a body whose bytes are counted as it is read.
type Upload struct {
	io.ReadCloser
	tables *Tables
	orgID  string
	taken  int
}

// Read reads from the body, while there is room. Fault: ServiceUnavailable because of ErrFull.
func (u *Upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if !u.tables.take(u.orgID, n) {
		return 0, full()
	}
	u.taken += n
	return n, err
}

// Done releases what was reserved.
func (u *Upload) Done() {
	if u.taken > 0 { // a body refused unread reserved nothing
		u.tables.give(u.orgID, u.taken)
	}
}

func full() error {
	return fault.New(fault.ServiceUnavailable,
		"Há arquivos grandes demais ao mesmo tempo. Nada foi feito; tente de novo em instantes.").
		After(5 * time.Second).Because(ErrFull)
}
