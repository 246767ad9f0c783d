package sandbox

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// Start serves the bureaus in process, over connections that never leave it. dial opens one, whatever the address; stop
// ends the server and its connections, and returns when they are closed. After stop, dial fails.
func (b *Bureau) Start() (dial func(ctx context.Context, network, addr string) (net.Conn, error), stop func()) {
	l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	base, cancel := context.WithCancel(context.Background())
	var open sync.WaitGroup
	server := &http.Server{
		Handler:           b,
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnState: func(_ net.Conn, s http.ConnState) {
			switch s {
			case http.StateNew:
				open.Add(1)
			case http.StateClosed, http.StateHijacked:
				open.Done()
			}
		},
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l)
	}()
	var once sync.Once
	return l.dial, func() {
		once.Do(func() {
			cancel()
			_ = server.Close()
			<-served
			_ = server.Close() // a connection accepted meanwhile
			open.Wait()
		})
	}
}

// pipeListener passes the server one end of a pipe for each dial.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, &net.OpError{Op: "dial", Net: "sandbox", Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for a dial.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close makes later dials fail.
func (l *pipeListener) Close() error {
	l.close.Do(func() { close(l.done) })
	return nil
}

// Addr is only a name.
func (*pipeListener) Addr() net.Addr { return pipeAddr{} }

type pipeAddr struct{}

// Network and String name the in-process network.
func (pipeAddr) Network() string { return "sandbox" }
func (pipeAddr) String() string  { return "sandbox" }
