package faults

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
)

// TestWhoWaitsAtTheDoorIsAnswered: who is connected when the service is asked to stop, but was not accepted yet because
// the machine was busy elsewhere, has sent a request that nobody else will answer.
func TestWhoWaitsAtTheDoorIsAnswered(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, 5*time.Second))
	key := s.NewKey(1_000_000, 1000, 1000).Key
	addr := strings.TrimPrefix(s.URL, "http://")
	for round := range 3 {
		signal(t, s.Program, syscall.SIGSTOP)
		var waiting []net.Conn
		for range 200 {
			conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
			if err == nil {
				_, err = fmt.Fprintf(conn, "GET /api/v1/produtos HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", addr, key)
			}
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			waiting = append(waiting, conn)
		}
		signal(t, s.Program, syscall.SIGTERM)
		signal(t, s.Program, syscall.SIGCONT)
		lost := 0
		for _, conn := range waiting {
			_ = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || res.StatusCode != http.StatusOK {
				lost++
			}
			if err == nil {
				_ = res.Body.Close()
			}
		}
		expect(t, fmt.Sprintf("requests without an answer, stop %d", round+1), lost, 0)
		s.Restart()
	}
}

func signal(t *testing.T, p *testkit.Program, which syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(p.Pid(), which); err != nil {
		t.Fatal(err)
	}
}
