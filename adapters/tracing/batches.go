package tracing

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"
)

// closeWithin bounds the time for sending the last spans.
const closeWithin = 2 * time.Second

// batches sends spans in the background, several at once.
type batches struct {
	exporter *exporter
	lost     func()
	// most spans are sent at once, after every, within a time; zero is no limit of it.
	most          int
	every, within time.Duration
	waiting       chan spanRecord
	closing, done chan struct{}
	ctx           context.Context //nolint:containedctx // ends what is being sent at the end of the process
	giveUp        context.CancelFunc
}

// newBatches begins to send spans as the variables say, which configured has checked.
func newBatches(e *exporter, lookup func(string) string, lost func()) *batches {
	setting := func(name, otherwise string) int {
		n, _ := strconv.Atoi(cmp.Or(strings.TrimSpace(lookup("OTEL_BSP_"+name)), otherwise))
		return n
	}
	room := setting("MAX_QUEUE_SIZE", "2048")
	b := &batches{
		exporter: e, lost: lost, most: min(setting("MAX_EXPORT_BATCH_SIZE", "512"), room),
		every:   max(time.Duration(setting("SCHEDULE_DELAY", "5000"))*time.Millisecond, time.Millisecond),
		within:  time.Duration(setting("EXPORT_TIMEOUT", "30000")) * time.Millisecond,
		waiting: make(chan spanRecord, room), closing: make(chan struct{}), done: make(chan struct{}),
	}
	b.ctx, b.giveUp = context.WithCancel(context.Background())
	go b.run()
	return b
}

// add takes a span, unless too many wait.
func (b *batches) add(s spanRecord) {
	select {
	case b.waiting <- s:
	default:
		b.lost()
	}
}

// close sends what waits, for at most closeWithin.
func (b *batches) close() {
	close(b.closing)
	enough := time.AfterFunc(closeWithin, b.giveUp)
	defer enough.Stop()
	<-b.done
}

func (b *batches) run() {
	defer close(b.done)
	defer b.giveUp()
	tick := time.NewTicker(b.every)
	defer tick.Stop()
	var batch []spanRecord
	send := func() {
		if len(batch) > 0 {
			b.send(batch)
			batch = nil
		}
	}
	for {
		select {
		case s := <-b.waiting:
			if batch = append(batch, s); len(batch) >= b.most {
				send()
			}
		case <-tick.C:
			send()
		case <-b.closing:
			for len(b.waiting) > 0 && b.ctx.Err() == nil {
				if batch = append(batch, <-b.waiting); len(batch) >= b.most {
					send()
				}
			}
			send()
			return
		}
	}
}

func (b *batches) send(batch []spanRecord) {
	ctx := b.ctx
	if b.within > 0 {
		limited, cancel := context.WithTimeout(ctx, b.within)
		defer cancel()
		ctx = limited
	}
	if b.exporter.export(ctx, batch) != nil {
		b.lost()
	}
}
