package command

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

// logFlush is how long a log line may wait to be written together with others.
const logFlush = 50 * time.Millisecond

// NewLogger returns the program's log and a function that flushes it. Lines below warnings are buffered: at thousands
// of requests a second, a write for each costs more than formatting it.
func NewLogger(s Settings, out io.Writer) (log *slog.Logger, flush func()) {
	w := &lineWriter{out: bufio.NewWriterSize(out, 64<<10)}
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // the flag's enum allows only levels
	options := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(w, options)
	if s.LogFormat == "json" {
		h = slog.NewJSONHandler(w, options)
	}
	return slog.New(prompt{h, w}), w.flush
}

// prompt writes warnings and errors immediately.
type prompt struct {
	slog.Handler
	w *lineWriter
}

func (h prompt) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		h.w.flush()
	}
	return err
}

func (h prompt) WithAttrs(attrs []slog.Attr) slog.Handler {
	return prompt{h.Handler.WithAttrs(attrs), h.w}
}

func (h prompt) WithGroup(name string) slog.Handler { return prompt{h.Handler.WithGroup(name), h.w} }

type lineWriter struct {
	mu      sync.Mutex
	out     *bufio.Writer
	waiting bool
}

// Write buffers one line.
func (w *lineWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.waiting {
		w.waiting = true
		time.AfterFunc(logFlush, w.flush)
	}
	return w.out.Write(line)
}

// flush writes the buffer. A log that cannot be written fails no request.
func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = false
	_ = w.out.Flush()
}
