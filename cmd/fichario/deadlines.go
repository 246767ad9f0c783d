package main

import (
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// bodyWithin bounds the time in which a request's body must arrive. It leaves two of the specification's thirty
	// seconds (8.2.2) for processing. It is not the server's ReadTimeout, which would also end a lookup that waits for its
	// bureau.
	bodyWithin = 28 * time.Second
	// unreadWithin is how long a response waits for an unread body.
	unreadWithin = time.Second
)

// punctual bounds how long a request's body may take. Otherwise a body that is announced and never comes would hold its
// connection, and the end of the process, for ever.
func punctual(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		body := &timedBody{ReadCloser: r.Body, control: http.NewResponseController(w)}
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			body.within(unreadWithin)
		} else {
			body.within(bodyWithin)
		}
		r.Body = body
		next.ServeHTTP(w, r)
		if !body.begun {
			r.Body = body.ReadCloser // the server must not ask for a body that was only announced
		}
		if !body.ended {
			body.within(unreadWithin)
		}
	})
}

// timedBody lifts the deadline at the end of the body: from then on the server watches the connection while it
// responds.
type timedBody struct {
	io.ReadCloser
	control      *http.ResponseController
	begun, ended bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	b.begun = true
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.ended = true
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// within sets the deadline. On a connection that supports none, only the size bounds the body.
func (b *timedBody) within(d time.Duration) { _ = b.control.SetReadDeadline(time.Now().Add(d)) }
