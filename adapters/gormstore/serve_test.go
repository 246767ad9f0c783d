package gormstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"fichario/domain/document"
	"fichario/domain/lookup"
)

// TestAMovedAnswerSpoilsNobodyElse swaps the sealed answers of two rows. Neither opens any more, because a sealed value
// is bound to its row; lookups that are served with them are answered all the same.
func TestAMovedAnswerSpoilsNobodyElse(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		id := func(n int) string { return fmt.Sprintf("01980000-0000-7000-8000-%012d", n) }
		var docs []document.Document
		for n, cpf := range []string{"52998224725", "11144477735", "40442820135"} {
			docs = append(docs, document.Restore(document.CPF, cpf))
			rec := lookup.Record{
				ID: id(n), OrgID: id(99), Product: "cpf", Document: docs[n], AnsweredAt: time.Now(),
				Fields: []byte(`{"nome":null}`), Raw: []byte("null"),
			}
			if err := s.Repos().History.Save(t.Context(), rec); err != nil {
				t.Fatal(err)
			}
		}
		swap := "UPDATE records SET answer = (SELECT o.answer FROM records o WHERE o.id = ?) WHERE id = ?"
		for _, pair := range [][2]int{{0, 1}, {2, 0}} {
			if err := s.write.Exec(swap, id(pair[0]), id(pair[1])).Error; err != nil {
				t.Fatal(err)
			}
		}
		var wg sync.WaitGroup
		for n := range 60 {
			wg.Go(func() {
				e := lookup.Entry{
					ID: id(1000 + n), OrgID: id(99), KeyID: id(98), Product: "cpf", Document: docs[n%3], At: time.Now(), Cache: true,
					Status: lookup.Done,
				}
				_, err := s.Repos().History.Serve(context.Background(), e, time.Time{})
				if moved := n%3 != 2; moved != errors.Is(err, errSealed) || !moved && err != nil {
					t.Errorf("%s: lookup %d: %v", s.write.Name(), n, err)
				}
			})
		}
		wg.Wait()
	}
}
