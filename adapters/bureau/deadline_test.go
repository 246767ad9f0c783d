package bureau_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/ports"
	"fichario/tests/testkit/patience"
)

const switching = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"

// endless writes one byte every few milliseconds for as long as somebody reads.
func endless(conn net.Conn, text string) {
	for i := 0; ; i++ {
		if _, err := io.WriteString(conn, text[i%len(text):i%len(text)+1]); err != nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// slowAnswers never end: everything that is read of them is read under the deadline.
var slowAnswers = map[string]func(net.Conn){
	"trailers that drip": func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\n{}\r\n0\r\nX: ")
		endless(conn, "y")
	},
	"gzip that drips": func(conn net.Conn) {
		_, _ = io.WriteString(conn,
			"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff")
		endless(conn, "nome")
	},
	"a body without an end": func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.0 200 OK\r\n\r\n{")
		endless(conn, " ")
	},
	"a status line without an end": func(conn net.Conn) { endless(conn, "HTTP/1.1 2") },
	"a hint, then silence": func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\n\r\n")
		_, _ = io.ReadAll(conn)
	},
}

var upgrades = map[string]func(net.Conn){
	"an upgrade, then silence": func(conn net.Conn) { _, _ = io.WriteString(conn, switching); _, _ = io.ReadAll(conn) },
	"an upgrade that drips":    func(conn net.Conn) { _, _ = io.WriteString(conn, switching); endless(conn, "{") },
	"an upgrade that answers":  func(conn net.Conn) { _, _ = io.WriteString(conn, switching+`{"nome":"ANA"}`) },
}

func TestEveryByteIsUnderTheDeadline(t *testing.T) {
	t.Parallel()
	try := func(name string, h func(net.Conn), outcome ports.BureauOutcome, reason string) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, calls := rawServe(t, func(_ int, conn net.Conn, _ string) bool { h(conn); return false })
			_, err := ask(t, client(t, fmt.Sprintf(basic, url, "timeout: 300ms")))
			wantError(t, err, outcome, reason)
			if calls.Load() != 1 {
				t.Errorf("%d calls", calls.Load())
			}
		})
	}
	for name, h := range slowAnswers {
		try(name, h, ports.NoAnswer, "no answer in time")
	}
	for name, h := range upgrades {
		try(name, h, ports.Failed, "status 101")
	}
}

// TestTokenServerThatHangs: an ailing token server fails the lookups of that moment, and none later.
func TestTokenServerThatHangs(t *testing.T) {
	t.Parallel()
	try := func(name string, h func(net.Conn)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var well atomic.Bool
			tokens, _ := rawServe(t, func(_ int, conn net.Conn, _ string) bool {
				if !well.Load() {
					h(conn)
					return false
				}
				_, _ = io.WriteString(conn, answer200(`{"access_token":"a"}`))
				return true
			})
			url, _ := serve(t, body(200, `{}`))
			c := client(t, strings.Replace(fmt.Sprintf(withAuth, url, tokens), "timeout: 60s", "timeout: 300ms", 1))
			_, err := ask(t, c)
			wantError(t, err, ports.NotSent, "no token")
			well.Store(true)
			patience.Every(t, 50*time.Millisecond, "the token server is well again, and so are lookups", func() bool {
				_, err = ask(t, c)
				return err == nil
			})
		})
	}
	for name, h := range slowAnswers {
		try(name, h)
	}
	for name, h := range upgrades {
		try(name, h)
	}
}
