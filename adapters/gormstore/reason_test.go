package gormstore_test

import (
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/fault"
)

// refusing is a fake PostgreSQL server that answers every connection with these bytes.
func refusing(t *testing.T, answer []byte) (address string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.ReadFull(conn, make([]byte, 8))
			_, _ = conn.Write(answer)
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

// fatal is an error message of PostgreSQL's protocol.
func fatal(code, message string) []byte {
	body := "SFATAL\x00VFATAL\x00C" + code + "\x00M" + message + "\x00\x00"
	return append(binary.BigEndian.AppendUint32([]byte{'E'}, uint32(4+len(body))), body...)
}

// TestWhyTheDatabaseIsAway: the reason is in the words of whatever refused, and never has the password.
func TestWhyTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ host, options, want string }{
		"nobody listens":  {"127.0.0.1:1", "sslmode=disable", "connection refused"},
		"an unknown host": {"nada.invalid", "sslmode=disable", "lookup nada.invalid"},
		"no TLS":          {refusing(t, []byte("N")), "sslmode=require", "server refused TLS connection"},
		"the password": {
			refusing(t, fatal("28P01", "password authentication failed for user")), "sslmode=disable",
			"password authentication failed",
		},
		"a pooler": {
			refusing(t, fatal("08P01", "unsupported startup parameter: statement_timeout")), "sslmode=disable",
			"unsupported startup parameter",
		},
	} {
		s := open(t, "postgres://usuario:segredo-da-base@"+c.host+"/base?"+c.options)
		err := s.Ping(t.Context())
		why := engine.Reason(err)
		if fault.CodeOf(err) != fault.ServiceUnavailable || !strings.Contains(why, c.want) ||
			strings.Contains(why, "segredo") || strings.Contains(why, "\n") {
			t.Errorf("%s: %s: %q, want %q", name, fault.CodeOf(err), why, c.want)
		}
	}
}
