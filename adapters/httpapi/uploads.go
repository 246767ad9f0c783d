package httpapi

import (
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
)

// uploads counts the bytes of tables as they come: who sends slowly holds what has come, and nobody waits for him.
type uploads struct {
	mutex sync.Mutex
	all   int
	of    map[string]int // by organisation
}

// take reports whether there is room for n bytes of an organisation, and then they are taken.
func (u *uploads) take(orgID string, n int) bool {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	if u.all+n > uploadsMost || u.of[orgID]+n > uploadsEach {
		return false
	}
	if u.of == nil {
		u.of = map[string]int{}
	}
	u.all += n
	u.of[orgID] += n
	return true
}

func (u *uploads) give(orgID string, n int) {
	u.mutex.Lock()
	defer u.mutex.Unlock()
	u.all -= n
	if u.of[orgID] -= n; u.of[orgID] == 0 {
		delete(u.of, orgID)
	}
}

// upload is a body whose bytes are counted while it is read. Fault: ServiceUnavailable.
type upload struct {
	io.ReadCloser
	uploads *uploads
	orgID   string
	taken   int
}

// Read reads some of the body, while there is room.
func (u *upload) Read(p []byte) (int, error) {
	n, err := u.ReadCloser.Read(p)
	if !u.uploads.take(u.orgID, n) {
		return 0, tablesFull()
	}
	u.taken += n
	return n, err
}

// done gives back what was taken.
func (u *upload) done() {
	if u.taken > 0 { // a body that was refused unread took nothing
		u.uploads.give(u.orgID, u.taken)
	}
}

func tablesFull() error {
	return fault.New(fault.ServiceUnavailable,
		"Há arquivos grandes demais ao mesmo tempo. Nada foi orçado; tente de novo em instantes.").After(5 * time.Second)
}
