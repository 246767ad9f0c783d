package gormstore

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fichario/adapters/gormstore/engine"
)

// TestDoctorReadsNoTableForEachRow: on SQLite, which only has nested-loop joins, each invariant joins through an index.
func TestDoctorReadsNoTableForEachRow(t *testing.T) {
	t.Parallel()
	s, err := Open("sqlite://"+engine.InMemory, [][]byte{bytes.Repeat([]byte{7}, engine.DataKeySize)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`@\w+`)
	for _, i := range slices.Concat(invariants, limitInvariants) {
		var steps []struct {
			ID, Parent int
			Detail     string
		}
		if err := s.Reader.Raw("EXPLAIN QUERY PLAN " + named.ReplaceAllString(ofOf(i, s.Reader),
			"''")).Scan(&steps).Error; err != nil {
			t.Fatalf("%s: %v", i.Name, err)
		}
		plan, scans, repeated := "", map[int]int{}, map[int]bool{}
		for _, step := range steps {
			plan += "\n" + step.Detail
			repeated[step.ID] = repeated[step.Parent] || strings.HasPrefix(step.Detail, "CORRELATED")
			if !strings.HasPrefix(step.Detail, "SCAN") || strings.HasPrefix(step.Detail, "SCAN CONSTANT") {
				continue
			}
			if scans[step.Parent]++; scans[step.Parent] > 1 || repeated[step.ID] {
				t.Errorf("%s: %s, for each row\n%s", i.Name, step.Detail, plan)
			}
		}
	}
}
