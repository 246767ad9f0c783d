package sheet

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"fichario/domain/fault"
)

const (
	// uploadsMost is how many bytes of tables that are being sent or wait for their turn are in memory, and uploadsEach
	// how many of them are of one organisation, so that nobody takes all of it.
	uploadsMost = 256 << 20
	uploadsEach = 64 << 20
	// tablesAtOnce is how many tables are read at once: each may take some hundred megabytes.
	tablesAtOnce = 2
)

// ErrFull is the cause of the fault of a table that there is no room or no turn for.
var ErrFull = errors.New("too many tables at once")

// Tables bounds what all tables take that people send to a process, by whatever door: the bytes of those that come, and
// how many are read at once.
type Tables struct {
	// Within is how long a table waits for its turn, so that its sender hears of it in time. It is set before the first.
	Within time.Duration

	turns chan struct{}
	mutex sync.Mutex
	all   int
	of    map[string]int // by organisation
}

// NewTables returns the bound of a process, which all doors share.
func NewTables() *Tables {
	return &Tables{Within: 20 * time.Second, turns: make(chan struct{}, tablesAtOnce), of: map[string]int{}}
}

// Turn waits until a table may be read, and what is made of it at once, quoted; release lets the next one in. Fault:
// ServiceUnavailable because of ErrFull; the error of a context that ends before.
func (t *Tables) Turn(ctx context.Context) (release func(), err error) {
	patience := time.NewTimer(t.Within)
	defer patience.Stop()
	select {
	case t.turns <- struct{}{}:
		return func() { <-t.turns }, nil
	case <-patience.C:
		return nil, full()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Receive counts the bytes of a body that an organisation sends as they come: who sends slowly holds what has come, and
// nobody waits for him.
func (t *Tables) Receive(body io.ReadCloser, orgID string) *Upload {
	return &Upload{ReadCloser: body, tables: t, orgID: orgID}
}

// take reports whether there is room for n bytes of an organisation, and then they are taken.
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

// Upload is a body whose bytes are counted while it is read.
type Upload struct {
	io.ReadCloser
	tables *Tables
	orgID  string
	taken  int
}

// Read reads some of the body, while there is room. Fault: ServiceUnavailable because of ErrFull.
func (u *Upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if !u.tables.take(u.orgID, n) {
		return 0, full()
	}
	u.taken += n
	return n, err
}

// Done gives back what was taken.
func (u *Upload) Done() {
	if u.taken > 0 { // a body that was refused unread took nothing
		u.tables.give(u.orgID, u.taken)
	}
}

func full() error {
	return fault.New(fault.ServiceUnavailable,
		"Há arquivos grandes demais ao mesmo tempo. Nada foi feito; tente de novo em instantes.").
		After(5 * time.Second).Because(ErrFull)
}
