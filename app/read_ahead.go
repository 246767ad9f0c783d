package app

import (
	"context"
	"iter"
	"sync"
)

// ReadAhead yields what read returns, page by page, until a page has fewer than size, or an error, which ends it. The
// end of ctx counts as an error, because what was read by then is not all. While one page is in use the next one is
// read, and no more than that is held. last is nil for the first page.
func ReadAhead[T any](
	ctx context.Context, size int, read func(ctx context.Context, last *T) ([]T, error),
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		type page struct {
			rows []T
			err  error
		}
		ctx, cancel := context.WithCancel(ctx)
		pages, left := make(chan page), make(chan struct{})
		var reading sync.WaitGroup
		defer func() { close(left); cancel(); reading.Wait() }()
		reading.Go(func() {
			defer close(pages)
			for last := (*T)(nil); ; {
				rows, err := read(ctx, last)
				select {
				case pages <- page{rows, err}:
				case <-left:
					return
				}
				if err != nil || len(rows) < size {
					return
				}
				last = &rows[len(rows)-1]
			}
		})
		for p := range pages {
			for _, row := range p.rows {
				if !yield(row, nil) {
					return
				}
			}
			if p.err != nil {
				var none T
				yield(none, p.err)
				return
			}
		}
	}
}
