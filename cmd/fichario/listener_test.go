package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestWhatAClientMayKeep: five seconds for headers, a minute more than the bureau's timeout for an answer, two minutes
// for an idle connection, 16 KiB of headers; and 28 seconds for a body, by a separate deadline, because ReadTimeout
// would end a lookup that waits for its bureau.
func TestWhatAClientMayKeep(t *testing.T) {
	t.Parallel()
	s := newServer(http.NotFoundHandler(), 40*time.Second)
	for what, d := range map[string][2]time.Duration{
		"headers": {s.ReadHeaderTimeout, 5 * time.Second}, "an answer": {s.WriteTimeout, 100 * time.Second},
		"a connection at rest": {s.IdleTimeout, 2 * time.Minute}, "all of a request": {s.ReadTimeout, 0},
		"a body": {bodyWithin, 28 * time.Second}, "a body that nobody reads": {unreadWithin, time.Second},
	} {
		if d[0] != d[1] {
			t.Errorf("%s: %s, want %s", what, d[0], d[1])
		}
	}
	if s.MaxHeaderBytes != 16<<10 {
		t.Errorf("headers of %d bytes", s.MaxHeaderBytes)
	}
}

// slowDoor accepts a connection only every 50 ms, like a machine that is busy with something else.
type slowDoor struct{ *net.TCPListener }

func (d slowDoor) Accept() (net.Conn, error) {
	time.Sleep(50 * time.Millisecond)
	conn, err := d.TCPListener.Accept()
	if err != nil {
		return nil, err
	}
	return slowReader{conn.(*net.TCPConn), new(sync.Once)}, nil
}

// slowReader reads nothing for three seconds, longer than silent clients are waited for.
type slowReader struct {
	*net.TCPConn
	once *sync.Once
}

func (r slowReader) Read(b []byte) (int, error) {
	r.once.Do(func() { time.Sleep(3 * time.Second) })
	return r.TCPConn.Read(b)
}

// TestASlowMachineAnswersWhoWasThere: when the service is asked to stop, sixty clients have sent a request, and it
// takes three seconds to accept them all, three more to read what each sent, and one to answer. All are answered.
func TestASlowMachineAnswersWhoWasThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{listener: slowDoor{listener.(*net.TCPListener)}, served: make(chan error, 1)}
	s.server = newServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(time.Second)
		w.WriteHeader(http.StatusNoContent)
	}), time.Minute)
	s.server.ConnState = s.arrivals.note
	s.serving.Go(func() { s.served <- s.server.Serve(s.listener) })
	var clients []net.Conn
	for range 60 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
		if err == nil {
			_, err = fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		clients = append(clients, conn)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	s.closeDoor(ctx)
	if err := s.server.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	unanswered := 0
	for _, conn := range clients {
		if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || res.StatusCode != http.StatusNoContent {
			unanswered++
		} else {
			_ = res.Body.Close()
		}
	}
	if unanswered > 0 {
		t.Errorf("%d of %d requests that were there are not answered", unanswered, len(clients))
	}
}

// TestTheEndOfARequestIsNoQuiet: who waited for it may ask again at once over an idle connection, so that beginnings
// and ends count alike.
func TestTheEndOfARequestIsNoQuiet(t *testing.T) {
	t.Parallel()
	var a arrivals
	one, other := net.Pipe()
	for i, step := range []struct {
		conn  net.Conn
		state http.ConnState
		turns int
	}{
		{one, http.StateNew, 0}, {other, http.StateNew, 0}, {one, http.StateActive, 1}, {other, http.StateActive, 2},
		{one, http.StateIdle, 3}, {one, http.StateActive, 4}, {other, http.StateClosed, 5}, {one, http.StateIdle, 6},
		{one, http.StateClosed, 6},
	} {
		a.note(step.conn, step.state)
		if got := a.turns(); got != step.turns {
			t.Errorf("step %d: %d turns, not %d", i, got, step.turns)
		}
	}
}

// TestWhoeverConnectsIsAnswered: clients that connect all the while as the listener is closed either cannot, or are
// answered.
func TestWhoeverConnectsIsAnswered(t *testing.T) {
	t.Parallel()
	var cutOff, answered atomic.Int64
	for range 10 {
		listener, err := plainTCP().Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s := &service{listener: listener, served: make(chan error, 1)}
		s.server = newServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
		}), time.Minute)
		s.server.ConnState = s.arrivals.note
		s.serving.Go(func() { s.served <- s.server.Serve(s.listener) })
		var clients sync.WaitGroup
		closed := make(chan struct{})
		for range 8 {
			clients.Go(func() {
				for {
					dialer := &net.Dialer{Timeout: 200 * time.Millisecond}
					conn, err := dialer.DialContext(t.Context(), "tcp", listener.Addr().String())
					select {
					case <-closed:
						return
					default:
					}
					if err != nil {
						continue
					}
					_, _ = fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
					if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
						cutOff.Add(1)
					} else {
						answered.Add(1)
						_ = res.Body.Close()
					}
					_ = conn.Close()
				}
			})
		}
		for begun := s.arrivals.turns(); s.arrivals.turns() < begun+50; {
			runtime.Gosched()
		}
		s.closeDoor(t.Context())
		if err := s.server.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		close(closed)
		clients.Wait()
	}
	if cutOff.Load() > 0 {
		t.Errorf("%d of %d who were connected are not answered", cutOff.Load(), cutOff.Load()+answered.Load())
	}
}
