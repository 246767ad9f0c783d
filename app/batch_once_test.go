package app_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"fichario/domain/batch"
	"fichario/ports"
)

// waiting is a store whose first transaction waits, and then fails.
type waiting struct {
	ports.Store
	once        sync.Once
	begun, fail chan struct{}
}

func (w *waiting) InTx(ctx context.Context, f ports.Tx) error {
	failed := false
	w.once.Do(func() {
		close(w.begun)
		<-w.fail
		failed = true
	})
	if failed {
		return errKilled
	}
	return w.Store.InTx(ctx, f)
}

// unaware is a store that does not know the request at first, because the other one has not begun then.
type unaware struct {
	ports.Store
	ports.Batches
	asked, other chan struct{}
	once         *sync.Once
}

func (u unaware) Repos() ports.Repos {
	r := u.Store.Repos()
	u.Batches = r.Batches
	r.Batches = u
	return r
}

func (u unaware) ByRequest(
	ctx context.Context, org, maker, key string, body []byte,
) (b batch.Batch, same bool, err error) {
	b, same, err = u.Batches.ByRequest(ctx, org, maker, key, body)
	u.once.Do(func() {
		close(u.asked)
		<-u.other
	})
	return b, same, err
}

// TestABatchWhoseFirstRequestGaveUp is made by its repetition, which came at the same time and waited for it.
func TestABatchWhoseFirstRequestGaveUp(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		key, n := s.byKey(wide), quote(cpfs...)
		n.RequestKey, n.RequestBody = "a", []byte("a")
		one, other := *s, *s
		stuck := &waiting{Store: s.store, begun: make(chan struct{}), fail: make(chan struct{})}
		late := unaware{Store: s.store, asked: make(chan struct{}), other: stuck.begun, once: &sync.Once{}}
		one.store, other.store = stuck, late
		var both sync.WaitGroup
		both.Go(func() {
			v, err := other.otherBatches(s.lookups).Quote(t.Context(), key, n)
			equal(t, "the repetition", line(err, v.ID != "", v.Status), line(nil, true, batch.Quoted))
		})
		<-late.asked
		both.Go(func() {
			_, err := one.otherBatches(s.lookups).Quote(t.Context(), key, n)
			equal(t, "the first one fails", err != nil, true)
		})
		time.Sleep(time.Second)
		close(stuck.fail)
		both.Wait()
	})
}
