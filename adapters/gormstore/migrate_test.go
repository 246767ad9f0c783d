package gormstore

import (
	"slices"
	"testing"
	"time"

	"gorm.io/gorm"

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
			s.write.Exec("DROP TABLE delivery_contacts").Error, dropLists(s.write),
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

// dropLists takes back what migration 9 makes.
func dropLists(db *gorm.DB) error {
	for _, index := range []string{
		"lookups_key_product", "lookups_org_product", "lookups_members_product", "contacts_amount", "contacts_name",
		"contacts_origin", "contacts_webhook", "contacts_assignee",
	} {
		if err := db.Exec("DROP INDEX " + index).Error; err != nil {
			return err
		}
	}
	return nil
}

// TestAKilledMigrationGoesOn: an index that PostgreSQL was building stays, broken, when the run is killed.
func TestAKilledMigrationGoesOn(t *testing.T) {
	t.Parallel()
	s := each(t)[1]
	broken := "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'lookups_org_product'::regclass"
	for _, err := range []error{
		s.write.Exec(broken).Error, s.write.Exec("DROP INDEX lookups_members_product").Error,
		s.write.Exec("DELETE FROM goose_db_version WHERE version_id >= 9").Error, s.Migrate(t.Context()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var valid []bool
	err := s.write.Raw("SELECT indisvalid FROM pg_index WHERE indrelid = 'lookups'::regclass").Scan(&valid).Error
	if err != nil || len(valid) < 10 || slices.Contains(valid, false) {
		t.Errorf("the indexes are valid: %v, %v", valid, err)
	}
}
