package gormstore

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
)

// TestWhoIsIndexedIsNotWrittenAgain: whoever looks for a person, or erases one, looks at the last hour again, and would
// keep the only writer of SQLite from lookups and posts meanwhile. Somebody who is missing is written.
func TestWhoIsIndexedIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		takeOne(t, s)
		ctx, repos, now := t.Context(), s.Repos(), time.Now().UTC()
		asked := func() {
			err := repos.Statement.Add(ctx, lookup.Entry{
				ID: uuid.Must(uuid.NewV7()).String(), OrgID: testID(1), Product: "cpf",
				Document: document.Restore(document.CPF, "52998224725"), At: now, Status: lookup.Done, Cache: true,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		asked()
		if err := s.CatchUp(ctx); err != nil {
			t.Fatal(err)
		}
		refuse := []string{`CREATE TRIGGER again BEFORE INSERT ON subject_traces BEGIN SELECT RAISE(ABORT, 'again'); END`}
		if s.IsPostgres() {
			refuse = []string{
				`CREATE FUNCTION again() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'again'; END $$`,
				`CREATE TRIGGER again BEFORE INSERT ON subject_traces FOR EACH ROW EXECUTE FUNCTION again()`,
			}
		}
		for _, sql := range refuse {
			if err := s.Writer.Exec(sql).Error; err != nil {
				t.Fatal(err)
			}
		}
		if err := s.CatchUp(ctx); err != nil {
			t.Errorf("what is indexed is written again: %v", err)
		}
		drop := "DROP TRIGGER again"
		if s.IsPostgres() {
			drop += " ON subject_traces"
		}
		if err := s.Writer.Exec(drop).Error; err != nil {
			t.Fatal(err)
		}
		for range 300 { // more than are looked at at once
			asked()
		}
		if err := s.CatchUp(ctx); err != nil {
			t.Fatal(err)
		}
		count := func() (n int64) {
			if err := s.Writer.Table("subject_traces").Where("kind = ?", privacy.Lookups).Count(&n).Error; err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := count(); n != 301 {
			t.Errorf("%d of 301 lookups are indexed", n)
		}
		some := s.Writer.Table("subject_traces").Select("row_id").Order("row_id").Offset(100).Limit(150)
		if err := s.Writer.Exec("DELETE FROM subject_traces WHERE row_id IN (?)", some).Error; err != nil {
			t.Fatal(err)
		}
		if err := s.CatchUp(ctx); err != nil {
			t.Fatal(err)
		}
		if n := count(); n != 301 {
			t.Errorf("%d of 301 lookups are indexed after some were lost", n)
		}
	}
}
