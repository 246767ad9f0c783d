package gormstore

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/document"
)

// TestAPostThatFailsLeavesNothing: its contact's id is another's. Posts that shared its transaction are kept, whether
// contacts have documents, which SQLite inserts by another statement, or not.
func TestAPostThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	cpf, err := document.Parse(document.CPF, "11144477735")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range each(t) {
		first := takeOne(t, s)
		for round, with := range [][]document.Document{nil, {cpf}} {
			var posts sync.WaitGroup
			for i := range 9 {
				a := takenAt(time.Now().UTC(), 100+1000*round+100*i, string(rune('m'+10*round+i)))
				a.People[0].Contact.Documents = with
				if i == 4 {
					a.People[0].Contact.ID = first.People[0].Contact.ID
				}
				posts.Go(func() {
					if _, err := s.Repos().Inbox.Take(t.Context(), a); (err != nil) != (i == 4) {
						t.Errorf("%s: post %d: %v", s.Writer.Name(), i, err)
					}
				})
			}
			posts.Wait()
			for _, table := range []string{"contacts", "receipts", "deliveries"} {
				var n int64
				if err := s.Writer.Table(table).Count(&n).Error; err != nil || n != int64(9+8*round) {
					t.Errorf("%s: %d rows of %s, %v", s.Writer.Name(), n, table, err)
				}
			}
		}
		findings, err := s.Check(t.Context(), time.Now())
		for _, f := range findings {
			if f.Violations > 0 || err != nil {
				t.Errorf("%s: %s: %v, %v", s.Writer.Name(), f.Name, f.IDs, err)
			}
		}
	}
}
