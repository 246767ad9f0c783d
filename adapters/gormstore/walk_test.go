package gormstore

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
)

// TestAWalkStopsAtItsLowerEnd: given the whole range as row comparisons, PostgreSQL would read on.
func TestAWalkStopsAtItsLowerEnd(t *testing.T) {
	t.Parallel()
	s := each(t)[1]
	fill(t, s, 20_000, contactRows)
	var last string
	if err := s.Reader.Raw("SELECT id FROM contacts ORDER BY id DESC LIMIT 1 OFFSET 20").Scan(&last).Error; err != nil {
		t.Fatal(err)
	}
	w := engine.WalkOf("contacts_org", "org_id", planOrg)
	for _, ascending := range []bool{false, true} {
		above, below := last, engine.AfterAll
		if ascending {
			above, below = engine.BeforeAll, "019b7700-0000-7000-8000-000000000000"
		}
		var lines []string
		page := w.Page(contacts.Inside(s.Reader).Select("id"), "contacts", above, below, ascending, 5000)
		if err := s.Reader.Raw("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) ?", page).Scan(&lines).Error; err != nil {
			t.Fatal(err)
		}
		read := 0
		for _, n := range regexp.MustCompile(`(?:hit|read)=(\d+)`).FindAllStringSubmatch(lines[1], -1) {
			some, _ := strconv.Atoi(n[1])
			read += some
		}
		if plan := strings.Join(lines, "\n"); read == 0 || read > 30 {
			t.Errorf("ascending %t: %d pages were read:\n%s", ascending, read, plan)
		}
	}
}
