package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"fichario/ports"
)

// TestWhatMayBeWrittenIsNotDoneAgain: a retry would run into what the first attempt wrote.
func TestWhatMayBeWrittenIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	tried, begun, held := 0, make(chan struct{}), make(chan struct{})
	many := NewTogether(func(_ context.Context, in []int) ([]int, error) {
		if tried++; tried == 1 {
			close(begun)
			<-held // until the others are waiting
			return in, nil
		}
		return nil, ports.ErrUncertain
	})
	defer many.Close()
	ends := make(chan error, 3)
	for i := range 3 {
		go func() { _, err := many.Call(t.Context(), i); ends <- err }()
		<-begun
	}
	for len(many.in) < 2 {
		time.Sleep(time.Millisecond)
	}
	close(held)
	uncertain := 0
	for range 3 {
		if errors.Is(<-ends, ports.ErrUncertain) {
			uncertain++
		}
	}
	if uncertain != 2 || tried != 2 {
		t.Errorf("%d are uncertain after %d tries", uncertain, tried)
	}
}

// TestWhatWasDoneAtTheEndIsAnswered: a caller whose work was done just before the worker ended is not told that the
// service is closing.
func TestWhatWasDoneAtTheEndIsAnswered(t *testing.T) {
	t.Parallel()
	for range 500 {
		many := &Together[int, int]{
			in: make(chan request[int, int]), stop: make(chan struct{}), done: make(chan struct{}),
		}
		go func() {
			one := <-many.in
			one.done <- response[int]{out: one.in}
			close(many.done)
		}()
		if out, err := many.Call(t.Context(), 7); err != nil || out != 7 {
			t.Fatal(out, err)
		}
	}
}
