package app

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"fichario/ports"
)

var lastID atomic.Int64

// NewID returns a UUIDv7 (RFC 9562, 6.2 method 3): ids sort by time of creation, and those of one process never go
// back, even if its clock does. The usual library would bring the network and database/sql into the use cases.
func NewID() string {
	// 48 bits of milliseconds and 12 bits of their fraction.
	now := ports.Now().UnixNano()
	stamp := now/1e6<<12 | now%1e6<<12/1e6
	for {
		last := lastID.Load()
		stamp = max(stamp, last+1)
		if lastID.CompareAndSwap(last, stamp) {
			break
		}
	}
	var u [16]byte
	_, _ = rand.Read(u[8:]) // never fails: crypto/rand ends the program instead
	binary.BigEndian.PutUint64(u[:], uint64(stamp>>12)<<16|0x7000|uint64(stamp&0xfff))
	u[8] = u[8]&0x3f | 0x80
	s := hex.EncodeToString(u[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// IDAt returns an id that precedes all ids made at a time and later.
func IDAt(t time.Time) string {
	ms := t.UnixMilli()
	return fmt.Sprintf("%08x-%04x-7000-8000-000000000000", ms>>16, ms&0xffff)
}

// MadeAt returns when an id was made, UTC, to the millisecond; the zero time for what is no id.
func MadeAt(id string) time.Time {
	if !ValidID(id) {
		return time.Time{}
	}
	ms, err := strconv.ParseInt(strings.Replace(id, "-", "", 1)[:12], 16, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// MadeWithin reports whether an id is younger than d.
func MadeWithin(id string, d time.Duration) bool {
	at := MadeAt(id)
	return !at.IsZero() && ports.Since(at) < d
}

var idForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// ValidID reports whether s has the form of an id, so that a mistyped one is "not found" on both databases, and not an
// error of one of them.
func ValidID(s string) bool { return idForm.MatchString(s) }
