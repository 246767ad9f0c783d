package gormstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"gorm.io/gorm"

	"fichario/domain/fault"
)

// commitMax is the most entries that share one commit.
const commitMax = 256

// committer writes entries of many requests in one commit, because the commit and
// not the row is what a cached lookup would wait for. There is no timer: a batch
// is what arrived while the one before it was being written. Each caller waits
// until its own entry is durable.
type committer struct {
	db   *gorm.DB
	in   chan pending
	stop chan struct{}
	wg   sync.WaitGroup
	once sync.Once
}

type pending struct {
	row  lookupRow
	done chan<- error
}

func newCommitter(db *gorm.DB) *committer {
	c := &committer{db: db, in: make(chan pending, commitMax), stop: make(chan struct{})}
	c.wg.Go(c.run)
	return c
}

func (c *committer) close() {
	c.once.Do(func() { close(c.stop) })
	c.wg.Wait()
}

// add returns when the row is durable. If ctx ends first the row may still be
// written.
func (c *committer) add(ctx context.Context, row lookupRow) error {
	ctx, cancel := context.WithTimeout(ctx, opTimeout)
	defer cancel()
	done := make(chan error, 1)
	select {
	case c.in <- pending{row, done}:
	case <-c.stop:
		return classify(errClosed)
	case <-ctx.Done():
		return classify(ctx.Err())
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return classify(ctx.Err())
	}
}

var errClosed = fault.New(fault.ServiceUnavailable, "O serviço está sendo desligado. Tente de novo em instantes.").After(2 * time.Second)

func (c *committer) run() {
	batch := make([]pending, 0, commitMax)
	for {
		batch = batch[:0]
		select {
		case p := <-c.in:
			batch = append(batch, p)
		case <-c.stop:
			// What is waiting is still written.
			select {
			case p := <-c.in:
				batch = append(batch, p)
			default:
				return
			}
		}
		for more := true; more && len(batch) < commitMax; {
			select {
			case p := <-c.in:
				batch = append(batch, p)
			default:
				more = false
			}
		}
		c.write(batch)
	}
}

func (c *committer) write(batch []pending) {
	rows := make([]lookupRow, len(batch))
	for i, p := range batch {
		rows[i] = p.row
	}
	err := c.insert(rows)
	var away *fault.Error
	if err == nil || errors.As(err, &away) || len(batch) == 1 {
		for _, p := range batch {
			p.done <- err
		}
		return
	}
	// One of them is wrong; it must not spoil the others.
	for i, p := range batch {
		p.done <- c.insert(rows[i : i+1])
	}
}

func (c *committer) insert(rows []lookupRow) error {
	ctx, cancel := context.WithTimeout(context.Background(), opTimeout)
	defer cancel()
	return classify(c.db.WithContext(ctx).Create(&rows).Error)
}
