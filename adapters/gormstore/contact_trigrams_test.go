package gormstore_test

import (
	"net/url"
	"strings"
	"testing"

	"fichario/ports"
	"fichario/tests/testkit/postgres"
)

// TestARoleThatMayNotMakeTheIndex: the service runs without the search index, says what to do, and makes the index at
// the next migration after that was done.
func TestARoleThatMayNotMakeTheIndex(t *testing.T) {
	t.Parallel()
	address := postgres.New(t, nil)
	owner := session(t, address)
	var name string
	if err := owner.QueryRowContext(t.Context(), "SELECT current_database()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	role := "role_" + name
	exec(t, owner, `CREATE ROLE "`+role+`" LOGIN PASSWORD 'x'`)
	t.Cleanup(func() {
		_, err := owner.Exec(`DROP OWNED BY "` + role + `"; DROP ROLE "` + role + `"`)
		if err != nil {
			t.Error(err)
		}
	})
	exec(t, owner, `GRANT ALL ON SCHEMA public TO "`+role+`"`)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(role, "x")
	s := open(t, u.String())
	for _, index := range []bool{false, true} {
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		why := s.NoTrigrams()
		if (why == "") != index || !index && !strings.Contains(why, "CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin;") {
			t.Errorf("with the extensions: %t; it says %q", index, why)
		}
		words := ports.ContactQuery{ContactFilter: ports.ContactFilter{Words: []string{"ana"}}, Limit: 1}
		if _, err := s.Repos().ContactSearch.Select(t.Context(), "01980000-0000-7000-8000-000000000001", words); err != nil {
			t.Error(err)
		}
		if err := s.IndexContacts(t.Context()); err != nil {
			t.Error(err)
		}
		exec(t, owner, "CREATE EXTENSION IF NOT EXISTS pg_trgm; CREATE EXTENSION IF NOT EXISTS btree_gin")
	}
}
