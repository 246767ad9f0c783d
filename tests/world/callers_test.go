package world_test

import (
	"hash/maphash"
	"net"
	"runtime"
	"strings"
	"sync"
)

// callers remembers what stacks mean.
var (
	callers  sync.Map // of uint64 to string
	hashSeed = maphash.MakeSeed()
)

// caller names the use case, or else the part of the store, that is about to do something: it tells apart what is
// described alike, and whoever reads the steps sees who takes them.
func caller() string {
	var at [48]uintptr
	n := runtime.Callers(3, at[:])
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for _, pc := range at[:n] {
		maphash.WriteComparable(&h, pc)
	}
	if known, ok := callers.Load(h.Sum64()); ok {
		return known.(string)
	}
	name, chore := "", ""
	for frames := runtime.CallersFrames(at[:n]); ; {
		frame, more := frames.Next()
		short, ours := strings.CutPrefix(frame.Function, "fichario/")
		switch {
		case strings.HasPrefix(short, "app.RunChores"):
			chore = choring
		case name != "" && !strings.HasPrefix(name, "gormstore"):
		case strings.HasPrefix(short, "app."), strings.HasPrefix(short, "app/"):
			name = clean(strings.TrimPrefix(short, "app/"))
		case ours && name == "" && strings.HasPrefix(short, "adapters/gormstore"):
			name = clean(strings.TrimPrefix(short, "adapters/"))
		}
		if !more {
			break
		}
	}
	name += chore
	callers.Store(h.Sum64(), name)
	return name
}

// choring is what the name of a caller ends with that does periodic work.
const choring = ", periodic"

func clean(function string) string {
	function, _, _ = strings.Cut(function, "[...]")
	function = strings.NewReplacer("(*", "", ")", "").Replace(function)
	if at := strings.Index(function, ".func"); at > 0 {
		function = function[:at]
	}
	return function
}

// namedConn is a client's end of a connection, which remembers who wrote last.
type namedConn struct {
	net.Conn
	wire *wire
}

func (c namedConn) Write(b []byte) (int, error) {
	if c.wire.who != judge { // who does not wait
		name := caller()
		c.wire.mu.Lock()
		c.wire.caller = name
		c.wire.mu.Unlock()
	}
	return c.Conn.Write(b)
}
