package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// streamFor is how long one stream of events lasts. The browser then reconnects by itself, and is authenticated again.
	streamFor = 4 * time.Minute
	// pulseEvery keeps proxies from closing an idle stream, and writeWithin bounds one write to a page that no longer
	// reads.
	pulseEvery  = 20 * time.Second
	writeWithin = 10 * time.Second
)

// eventStream is the type of a stream of events.
const eventStream = "text/event-stream"

// live notifies a page by server-sent events that contacts have changed since it was made, or since its previous stream
// ended; the page then fetches the changes. Each message carries a place as its id, which the browser sends when it
// reconnects: everything up to there it has been told. The stream ends with the session, as soon as the
// database can say so.
func (s *Server) live(c *Call, f struct {
	Place string `form:"desde"`
}) error {
	watcher, err := s.Changes.Watch(c.By, cmp.Or(c.Header.Get("Last-Event-ID"), f.Place))
	if err != nil {
		return err
	}
	defer watcher.Stop()
	control := http.NewResponseController(c.Writer)
	send := func(text string) error {
		_ = control.SetWriteDeadline(time.Now().Add(writeWithin)) // if unsupported, the connection's own deadline applies
		_, err := fmt.Fprintf(c.Writer, "id: %s\n%s", watcher.Place(), text)
		return errors.Join(err, control.Flush())
	}
	h := c.Writer.Header()
	h.Set("Content-Type", eventStream)
	h.Set("X-Accel-Buffering", "no")
	end, pulse := time.NewTimer(streamFor), time.NewTicker(pulseEvery)
	defer end.Stop()
	defer pulse.Stop()
	for text := "retry: 5000\n\n"; ; {
		if send(text) != nil {
			return nil // the client is gone
		}
		select {
		case <-watcher.Changed():
			text = "event: contatos\ndata: \n\n"
		case <-pulse.C:
			text = ":\n\n"
		case <-end.C:
			return nil
		case <-s.Stopping:
			return nil
		case <-c.Ctx().Done():
			return nil
		}
		// The session may have ended since the stream began; a database that is away for a moment ends no stream.
		if err := c.resume(); IsUnauthenticated(err) || err == nil && c.needsFactor() {
			return nil
		}
	}
}
