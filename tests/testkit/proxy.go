package testkit

import (
	"context"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Fate is what happens to bytes on their way through a Proxy.
type Fate int

// Fates of bytes.
const (
	Pass  Fate = iota // they arrive
	Lose              // they are lost, like everything after them on a connection that then stays half open
	Reset             // they are lost, and both ends get a reset
)

// A Meddler decides on bytes from the client or the server; it may delay them by taking its time. Several connections
// call it concurrently.
type Meddler func(fromServer bool, bytes []byte) Fate

// Proxy stands between the program and a server. toxiproxy would bring along a server, a router and metrics, and cannot
// react to a moment such as a commit.
type Proxy struct {
	Addr string

	to      string
	mu      sync.Mutex
	meddler Meddler
	conns   map[net.Conn]bool
}

// StartProxy starts a proxy to the server in a URL, and returns the URL that leads through it. When the test ends it
// closes its connections.
func StartProxy(tb testing.TB, serverURL string) (p *Proxy, through string) {
	tb.Helper()
	u, err := url.Parse(serverURL)
	if err != nil {
		tb.Fatal("the server's address is no URL")
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p = &Proxy{Addr: l.Addr().String(), to: u.Host, conns: map[net.Conn]bool{}}
	tb.Cleanup(func() {
		_ = l.Close()
		p.ResetAll()
	})
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	u.Host = p.Addr
	return p, u.String()
}

// Meddle makes a function decide from now on; with nil everything passes, except on connections that are already half
// open.
func (p *Proxy) Meddle(m Meddler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.meddler = m
}

// ResetAll resets all connections.
func (p *Proxy) ResetAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		reset(c)
	}
}

func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset rather than an orderly close
	}
	_ = c.Close()
}

func (p *Proxy) serve(client net.Conn) {
	server, err := new(net.Dialer).DialContext(context.Background(), "tcp", p.to)
	if err != nil {
		reset(client)
		return
	}
	p.mu.Lock()
	p.conns[client], p.conns[server] = true, true
	p.mu.Unlock()
	w := &way{p: p, client: client, server: server}
	go w.carry(server, client, false)
	w.carry(client, server, true)
}

// way is one connection, from the client to the server.
type way struct {
	p              *Proxy
	client, server net.Conn
	mu             sync.Mutex
	halfOpen       bool
}

func (w *way) carry(to, from net.Conn, fromServer bool) {
	defer w.end()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		switch w.fate(fromServer, buffer[:n]) {
		case Lose:
			continue
		case Reset:
			return
		case Pass:
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (w *way) fate(fromServer bool, bytes []byte) Fate {
	w.p.mu.Lock()
	meddle := w.p.meddler
	w.p.mu.Unlock()
	fate := Pass
	if meddle != nil {
		fate = meddle(fromServer, bytes)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.halfOpen = w.halfOpen || fate == Lose; w.halfOpen {
		return Lose
	}
	return fate
}

func (w *way) end() {
	w.p.mu.Lock()
	defer w.p.mu.Unlock()
	for _, c := range []net.Conn{w.client, w.server} {
		delete(w.p.conns, c)
		reset(c)
	}
}
