package main

import (
	"net/http"
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
