package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// streamFor is how long one stream of events lasts. The browser asks for the next one by itself, and is asked who it
	// is.
	streamFor = 4 * time.Minute
	// pulseEvery keeps proxies from thinking that a stream is dead, and writeWithin bounds one write to a page that no
	// longer reads.
	pulseEvery  = 20 * time.Second
	writeWithin = 10 * time.Second
)

// live tells a page by server-sent events that contacts have changed since it was made, or since the stream before it
// ended; what has, the page asks for. Each message carries a mark as its id, which the browser sends when it comes
// back: up to there it was told all.
func (s *server) live(c *call, f struct {
	Mark string `form:"desde"`
}) error {
	watcher, err := s.Changes.Watch(c.by, cmp.Or(c.Header.Get("Last-Event-ID"), f.Mark))
	if err != nil {
		return err
	}
	defer watcher.Stop()
	control := http.NewResponseController(c.w)
	send := func(text string) error {
		_ = control.SetWriteDeadline(time.Now().Add(writeWithin)) // where there is none, the connection's own bounds it
		_, err := fmt.Fprintf(c.w, "id: %s\n%s", watcher.Mark(), text)
		return errors.Join(err, control.Flush())
	}
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	end, pulse := time.NewTimer(streamFor), time.NewTicker(pulseEvery)
	defer end.Stop()
	defer pulse.Stop()
	for text := "retry: 5000\n\n"; ; {
		if send(text) != nil {
			return nil // nobody is left to be told
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
		case <-c.ctx().Done():
			return nil
		}
	}
}
