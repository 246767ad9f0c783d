package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"fichario/adapters/httpapi"
	"fichario/cmd/fichario/command"
)

// newServer bounds what a client can hold: a connection, by the time for its headers and its idle time, and a response,
// by the bureau's timeout. punctual bounds the time for a body.
func newServer(handler http.Handler, bureau time.Duration) *http.Server {
	return &http.Server{
		Handler: handler, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: 5 * time.Second, WriteTimeout: bureau + time.Minute, IdleTimeout: 2 * time.Minute,
	}
}

// listen accepts connections; requests are told that the service is starting until answer sets a handler.
func listen(e *command.Environment, s *service) (err error) {
	if s.listener, err = plainTCP().Listen(e.Ctx, "tcp", e.Settings.Listen); err != nil {
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

// plainTCP listens without Multipath TCP, whose listeners cannot be told to take no more.
func plainTCP() *net.ListenConfig {
	c := &net.ListenConfig{}
	c.SetMultipathTCP(false)
	return c
}

// answer makes a handler serve all requests from now on.
func (s *service) answer(h http.Handler) { s.answering.Store(&h) }

// closeDoor stops taking connections. Connected clients may have sent a request that is not yet accepted or read:
// closing the listener, or net/http's shutdown, would cut them off without a response, so both come later, however
// slow the machine is: until nothing waits any more, or ctx ends. Clients that connect and send nothing are waited for
// at most two seconds.
func (s *service) closeDoor(ctx context.Context) {
	conn, err := s.listener.(syscall.Conn).SyscallConn()
	if err != nil {
		return // it is already closed
	}
	await := func(ctx context.Context, some func() bool) { // none several times in turn: one may be half made
		for calm := 0; calm < calmTimes && ctx.Err() == nil; calm++ {
			if some() {
				calm = -1
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	// Whoever connects from here on would be cut off where the listener is closed a moment after nothing waited.
	_ = conn.Control(func(fd uintptr) { _ = command.TakesNoMore(fd) }) // without it there are few of them
	knocking, cancel := context.WithTimeout(ctx, knocksFor)
	defer cancel()
	await(knocking, func() bool { return pending(conn) })
	_ = s.listener.Close()
	s.serving.Wait() // the last accepted connection is counted
	silent, cancel := context.WithTimeout(ctx, quiet)
	defer cancel()
	await(silent, func() bool { return s.arrivals.conns(http.StateNew) > 0 })
	// A client that asked a moment ago may have its next request on the way, however slow its machine is: each response
	// now tells it to close, so that only clients that seldom ask keep a connection, and those are not waited for.
	await(ctx, func() bool { return s.arrivals.since(time.Now().Add(-quiet)) || s.arrivals.unread() })
}

const (
	// quiet is for how long a client must not have asked before it counts as one that seldom asks.
	quiet = 2 * time.Second
	// calmTimes is how often in turn, five milliseconds apart, nobody must wait.
	calmTimes = 5
	// knocksFor bounds the wait for who is connected and not accepted, because others may connect meanwhile for ever.
	knocksFor = drainFor / 2
)

// pending reports whether a listener has a connection to accept, or a connection something to read.
func pending(conn syscall.RawConn) (is bool) {
	_ = conn.Control(func(fd uintptr) { is = command.Waits(fd) }) // nothing waits on a closed one
	return is
}

// arrivals tracks the open connections.
type arrivals struct {
	mu   sync.Mutex
	open map[net.Conn]arrival
}

// arrival is a connection's state, and since when it has been in it.
type arrival struct {
	http.ConnState
	at time.Time
}

// note is a server's ConnState hook.
func (a *arrivals) note(conn net.Conn, state http.ConnState) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if state == http.StateClosed || state == http.StateHijacked {
		delete(a.open, conn)
		return
	}
	if a.open == nil {
		a.open = map[net.Conn]arrival{}
	}
	a.open[conn] = arrival{state, time.Now()}
}

// conns counts the connections in a state.
func (a *arrivals) conns(state http.ConnState) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, is := range a.open {
		if is.ConnState == state {
			n++
		}
	}
	return n
}

// since reports whether a request is running, or whether a connection that is still open had one that ended after a
// time.
func (a *arrivals) since(t time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, is := range a.open {
		if is.ConnState == http.StateActive || is.ConnState == http.StateIdle && is.at.After(t) {
			return true
		}
	}
	return false
}

// unread reports whether a client has sent something that is not read yet.
func (a *arrivals) unread() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for conn, is := range a.open {
		if raw, ok := conn.(syscall.Conn); ok && is.ConnState != http.StateActive {
			if conn, err := raw.SyscallConn(); err == nil && pending(conn) {
				return true
			}
		}
	}
	return false
}
