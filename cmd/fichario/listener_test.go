package main

import (
	"bufio"
	"context"
	"errors"
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
	s := serving(slowDoor{listener.(*net.TCPListener)}, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(time.Second)
		w.WriteHeader(http.StatusNoContent)
	})
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
	s.stop(t)
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

// TestWhoAskedAMomentAgoMayAskAgain: a client keeps its connection, and asks again while the service stops, when nobody
// can connect any more. It is answered.
func TestWhoAskedAMomentAgoMayAskAgain(t *testing.T) {
	t.Parallel()
	listener, err := plainTCP().Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := serving(listener, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	answers := bufio.NewReader(conn)
	var stopping sync.WaitGroup
	defer stopping.Wait()
	for _, last := range []bool{false, true} {
		if last {
			if err := <-s.served; !errors.Is(err, net.ErrClosed) && !errors.Is(err, http.ErrServerClosed) {
				t.Error("closing the listener:", err)
			}
		}
		_, _ = fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		res, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatalf("asked again: %t; %v", last, err)
		}
		_ = res.Body.Close()
		if !last {
			stopping.Go(func() { s.stop(t) })
		}
	}
}

// TestWhoAskedIsWaitedFor for as long as quiet says, and nobody else.
func TestWhoAskedIsWaitedFor(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for state, want := range map[arrival]bool{
		{http.StateActive, now.Add(-time.Hour)}: true, {http.StateIdle, now.Add(time.Millisecond - quiet)}: true,
		{http.StateIdle, now.Add(-quiet)}: false, {http.StateNew, now}: false,
	} {
		one, other := net.Pipe()
		a := arrivals{open: map[net.Conn]arrival{one: state}}
		if got := a.since(now.Add(-quiet)); got != want {
			t.Errorf("%s since %s: waited for %t", state.ConnState, now.Sub(state.at), got)
		}
		a.note(one, http.StateClosed)
		if a.since(now.Add(-time.Hour)) {
			t.Error("who is gone is waited for")
		}
		_, _ = one.Close(), other.Close()
	}
}

// serving starts a service that has only a listener.
func serving(l net.Listener, answer http.HandlerFunc) *service {
	s := &service{listener: l, served: make(chan error, 1)}
	s.server = newServer(answer, time.Minute)
	s.server.ConnState = s.arrivals.note
	s.serving.Go(func() { s.served <- s.server.Serve(s.listener) })
	return s
}

// stop is what a service does with its listener and its connections when it drains.
func (s *service) stop(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	s.closeDoor(ctx)
	if err := s.server.Shutdown(ctx); err != nil {
		t.Error(err)
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
		var begun atomic.Int64
		s := serving(listener, func(w http.ResponseWriter, _ *http.Request) {
			begun.Add(1)
			w.WriteHeader(http.StatusNoContent)
		})
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
		for begun.Load() < 50 {
			runtime.Gosched()
		}
		s.stop(t)
		close(closed)
		clients.Wait()
	}
	if cutOff.Load() > 0 {
		t.Errorf("%d of %d who were connected are not answered", cutOff.Load(), cutOff.Load()+answered.Load())
	}
}
