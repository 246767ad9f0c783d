package gormstore

import (
	"slices"
	"testing"
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
