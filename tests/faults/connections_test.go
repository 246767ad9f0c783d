package faults

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/patience"
)

// TestWhoWaitsAtTheDoorIsAnswered: a client connected when the service is asked to stop, but not accepted yet because
// the machine was busy, has sent a request that nobody else will answer.
func TestWhoWaitsAtTheDoorIsAnswered(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
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
			_ = conn.SetReadDeadline(time.Now().Add(patience.Limit()))
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

// TestWhoKeepsAConnectionIsToldThatItEnds: a client that sends one request after another on a connection is told with a
// response that it is the last. The connection is not closed between two, when the next may be on its way. A lookup is
// under way meanwhile, so that the service waits for all of them, however long this machine keeps one from asking.
func TestWhoKeepsAConnectionIsToldThatItEnds(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient))
	key, addr := s.NewKey(60, 60, 60).Key, strings.TrimPrefix(s.URL, "http://")
	s.Hide(ana)
	var answered, told, lost atomic.Int32
	var clients sync.WaitGroup
	for range 32 {
		ask := kept(t, addr)
		clients.Go(func() {
			for ; ; time.Sleep(20 * time.Millisecond) {
				last, err := ask()
				switch {
				case err != nil:
					lost.Add(1)
					return
				case last:
					told.Add(1)
					return
				}
				answered.Add(1)
			}
		})
	}
	lookuptest.Eventually(t, "clients are answered", func() bool { return answered.Load() > 200 })
	release := bureau.Hold("")
	var work sync.WaitGroup
	work.Go(func() { expect(t, "the lookup", s.CPF(key, ana).Status, http.StatusOK) })
	bureau.Await(t, 1)
	work.Go(s.Stop)
	clients.Wait()
	release()
	work.Wait()
	expect(t, "clients who were told, and who were cut off", []int32{told.Load(), lost.Load()}, []int32{32, 0})
}

// TestAConnectionThatRestsIsKeptWhileOthersAreAnswered: a proxy may send a client's next request on any of its
// connections, as soon as the previous one is answered.
func TestAConnectionThatRestsIsKeptWhileOthersAreAnswered(t *testing.T) {
	t.Parallel()
	bureau := lookuptest.StartBureau(t, nil)
	s := lookuptest.StartService(t, testkit.SQLite(t), lookuptest.BureauFile(t, bureau.URL, 20*time.Second))
	key, addr := s.NewKey(1_000_000, 1000, 1000).Key, strings.TrimPrefix(s.URL, "http://")
	ask := kept(t, addr)
	if last, err := ask(); last || err != nil {
		t.Fatal("before the stop", last, err)
	}
	release := bureau.Hold("")
	var work sync.WaitGroup
	work.Go(func() { expect(t, "who was being answered", s.CPF(key, "52998224725").Status, http.StatusOK) })
	bureau.Await(t, 1)
	work.Go(s.Stop)
	lookuptest.Eventually(t, "nobody else is let in", func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
		return err != nil || conn.Close() != nil
	})
	time.Sleep(500 * time.Millisecond) // longer than it waits for busy clients
	last, err := ask()
	if !last || err != nil {
		t.Error("while another is answered, one that asks is told it is the last time", last, err)
	}
	release()
	work.Wait()
}

// kept opens a keep-alive connection, and reports for each request whether it is the last.
func kept(t *testing.T, addr string) (ask func() (last bool, err error)) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	reader := bufio.NewReader(conn)
	return func() (bool, error) {
		if _, err := fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", addr); err != nil {
			return false, err
		}
		res, err := http.ReadResponse(reader, nil)
		if err != nil {
			return false, err
		}
		_, err = io.Copy(io.Discard, res.Body)
		return res.Close, errors.Join(err, res.Body.Close())
	}
}

func signal(t *testing.T, p *testkit.Program, which syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(p.Pid(), which); err != nil {
		t.Fatal(err)
	}
}
