package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"fichario/adapters/httpapi"
)

// newServer bounds what a client may keep: a connection, by the time of its headers and at rest, and an answer, by that
// of the bureau. The time of a body is punctual's.
func newServer(handler http.Handler, bureau time.Duration) *http.Server {
	return &http.Server{
		Handler: handler, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: 5 * time.Second, WriteTimeout: bureau + time.Minute, IdleTimeout: 2 * time.Minute,
	}
}

// listen takes connections, whose requests are told that the service starts until answer says what answers them.
func (e *environment) listen(s *service) (err error) {
	if s.listener, err = new(net.ListenConfig).Listen(e.ctx, "tcp", e.settings.Listen); err != nil {
		return fmt.Errorf("FICHARIO_LISTEN: %w", err)
	}
	s.answer(punctual(httpapi.Starting()))
	s.server = newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		(*s.answering.Load()).ServeHTTP(w, r)
	}), s.bureau.Timeout())
	s.server.ConnState = s.arrivals.note
	s.served = make(chan error, 1)
	s.serving.Go(func() { s.served <- s.server.Serve(s.listener) })
	return nil
}

// answer has a handler answer all requests from now on.
func (s *service) answer(h http.Handler) { s.answering.Store(&h) }

// closeDoor takes nobody else in. Who is connected may have sent a request that waits to be accepted or read: closing
// the listener, and net/http when it shuts down, would cut him off without an answer. So both come after; but whoever
// connects and says nothing is waited for no longer than two seconds, and those who are connected until ctx ends.
func (s *service) closeDoor(ctx context.Context) {
	conn, err := s.listener.(syscall.Conn).SyscallConn()
	if err != nil {
		return // it is closed
	}
	silent, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	await := func(ctx context.Context, some func() bool) {
		for some() && ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
	}
	await(silent, func() (some bool) {
		_ = conn.Control(func(fd uintptr) {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			some = n > 0 || err != nil
		})
		return some
	})
	_ = s.listener.Close()
	s.serving.Wait() // the last one that was accepted is known
	await(silent, func() bool { return s.arrivals.conns(http.StateNew) > 0 })
	// Who keeps his connection may have the next request on its way: each is told with an answer that it is the last one,
	// and what is still open then is nobody's who asks often. While a request is answered, whoever waits for it may ask on
	// a connection that rests.
	await(ctx, func() bool {
		before := s.arrivals.requests()
		time.Sleep(quiet)
		return s.arrivals.requests() != before || s.arrivals.conns(http.StateActive) > 0
	})
}

// quiet is for how long no request has begun where those who are connected ask no more.
const quiet = 100 * time.Millisecond

// arrivals are the connections that are open, and how many requests have begun.
type arrivals struct {
	mu    sync.Mutex
	open  map[net.Conn]http.ConnState
	begun int
}

// note is a server's ConnState.
func (a *arrivals) note(conn net.Conn, state http.ConnState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch state {
	case http.StateClosed, http.StateHijacked:
		delete(a.open, conn)
		return
	case http.StateActive:
		a.begun++
	}
	if a.open == nil {
		a.open = map[net.Conn]http.ConnState{}
	}
	a.open[conn] = state
}

func (a *arrivals) requests() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.begun
}

// conns is how many connections are in a state.
func (a *arrivals) conns(state http.ConnState) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, is := range a.open {
		if is == state {
			n++
		}
	}
	return n
}
