package main

import (
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"fichario/adapters/httpapi"
)

// listen takes connections, whose requests are told that the service starts until answer says what answers them.
func (e *environment) listen(s *service) (err error) {
	if s.listener, err = new(net.ListenConfig).Listen(e.ctx, "tcp", e.settings.Listen); err != nil {
		return fmt.Errorf("FICHARIO_LISTEN: %w", err)
	}
	s.answer(punctual(httpapi.Starting()))
	s.server = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			(*s.answering.Load()).ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      s.bureau.Timeout() + time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ConnState:         s.arrivals.note,
	}
	s.served = make(chan error, 1)
	s.serving.Go(func() { s.served <- s.server.Serve(s.listener) })
	return nil
}

// answer has a handler answer all requests from now on.
func (s *service) answer(h http.Handler) { s.answering.Store(&h) }

// closeDoor takes nobody else in. Who is connected may have sent a request that waits to be accepted or read: closing
// the listener, and net/http when it shuts down, would cut him off without an answer. So both come after; but whoever
// connects and says nothing is waited for no longer than two seconds.
func (s *service) closeDoor() {
	conn, err := s.listener.(syscall.Conn).SyscallConn()
	if err != nil {
		return // it is closed
	}
	until := time.Now().Add(2 * time.Second)
	await := func(some func() bool) {
		for some() && time.Now().Before(until) {
			time.Sleep(5 * time.Millisecond)
		}
	}
	await(func() (some bool) {
		_ = conn.Control(func(fd uintptr) {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			some = n > 0 || err != nil
		})
		return some
	})
	_ = s.listener.Close()
	s.serving.Wait() // the last one that was accepted is known
	await(s.arrivals.some)
	// Who keeps his connection may have the next request on its way: each is told with an answer that it is the last one,
	// and what is still open then is nobody's who asks often.
	await(func() bool {
		before := s.arrivals.requests.Load()
		time.Sleep(quiet)
		return s.arrivals.requests.Load() != before
	})
}

// quiet is for how long no request has begun where those who are connected ask no more.
const quiet = 100 * time.Millisecond

// arrivals are connections of which nothing was read yet, and how many requests have begun.
type arrivals struct {
	conns    sync.Map
	requests atomic.Int64
}

// note is a server's ConnState.
func (a *arrivals) note(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		a.conns.Store(conn, nil)
		return
	case http.StateActive:
		a.requests.Add(1)
	}
	a.conns.Delete(conn)
}

func (a *arrivals) some() (some bool) {
	a.conns.Range(func(any, any) bool {
		some = true
		return false
	})
	return some
}
