package gormstore

import (
	"errors"
	"slices"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/crm"
)

// schemaOf describes tables, columns, indexes and what is noted of migrations and data keys.
func schemaOf(t *testing.T, s *Store) (lines []string) {
	t.Helper()
	queries := []string{"SELECT COALESCE(sql, name) FROM sqlite_master"}
	if s.write.Name() == "postgres" {
		queries = []string{
			`SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default)
				FROM information_schema.columns WHERE table_schema = current_schema()`,
			"SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()",
		}
	}
	queries = append(queries, "SELECT CAST(version_id AS text) FROM goose_db_version", "SELECT id FROM data_keys")
	for _, query := range queries {
		var some []string
		if err := s.write.Raw(query).Scan(&some).Error; err != nil {
			t.Fatal(err)
		}
		lines = append(lines, some...)
	}
	slices.Sort(lines)
	return lines
}

func TestMigratingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		before := schemaOf(t, s)
		if len(before) < 50 {
			t.Fatalf("%s: %d lines of schema", s.write.Name(), len(before))
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if after := schemaOf(t, s); !slices.Equal(after, before) {
			t.Errorf("%s: the schema is\n%v\nand was\n%v", s.write.Name(), after, before)
		}
	}
}

// TestAKeyOfTheYear10000IsReadAgain has a key that ended on 9999-12-31 in a zone west of Greenwich, as earlier
// versions stored it.
func TestAKeyOfTheYear10000IsReadAgain(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, keys := t.Context(), s.Repos().Keys
		org := crm.Organisation{ID: "01980000-0000-7000-8000-000000000001", Name: "Organização"}
		key := access.Key{ID: "01980000-0000-7000-8000-000000000002", OrgID: org.ID, Name: "Chave"}
		for _, err := range []error{
			s.Repos().Orgs.Create(ctx, org), keys.Create(ctx, key),
			s.write.Exec("UPDATE keys SET expires_at = '10000-01-01 03:00:00+00:00'").Error,
			s.write.Exec("DROP TABLE delivery_contacts").Error,
			withoutFigures(s),
			s.write.Exec("DELETE FROM goose_db_version WHERE version_id >= 7").Error,
			s.Migrate(ctx),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := keys.Find(ctx, key.ID)
		if want := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC); err != nil || !got.ExpiresAt.Equal(want) {
			t.Errorf("%s: it ends at %s, %v", s.write.Name(), got.ExpiresAt, err)
		}
		if list, err := keys.List(ctx, org.ID); err != nil || len(list) != 1 {
			t.Errorf("%s: a list of %d, %v", s.write.Name(), len(list), err)
		}
	}
}

// TestFiguresBeginWithWhatThereIs has deliveries of a version that kept no figures of them.
func TestFiguresBeginWithWhatThereIs(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, a := t.Context(), takeOne(t, s)
		for _, err := range []error{
			withoutFigures(s),
			s.write.Exec("DELETE FROM goose_db_version WHERE version_id >= 10").Error,
			s.Migrate(ctx),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if sums, err := s.Repos().Deliveries.Summaries(ctx, testID(1), a.Delivery.At); sums[testID(2)].Accepted != 1 {
			t.Errorf("%s: %v, %v", s.write.Name(), sums, err)
		}
		takeAgain := takenAt(a.Delivery.At, 20, "l")
		if _, err := s.Repos().Inbox.Take(ctx, takeAgain); err != nil {
			t.Fatal(err)
		}
		findings, err := s.Check(ctx, time.Now())
		for _, f := range findings {
			if f.Violations > 0 || err != nil {
				t.Errorf("%s: %s: %v, %v", s.write.Name(), f.Name, f.IDs, err)
			}
		}
	}
}

// withoutFigures drops what is kept of figures.
func withoutFigures(s *Store) error {
	var errs []error
	for _, table := range []string{"delivery_hours", "lookup_hours", "contact_hours", "stage_totals", "spend_days"} {
		errs = append(errs, s.write.Exec("DROP TABLE "+table).Error)
	}
	return errors.Join(errs...)
}
