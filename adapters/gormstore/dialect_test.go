package gormstore

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"fichario/adapters/gormstore/engine"
)

// TestLimitsAndOffsets: they work alike on both databases, alone and together.
func TestLimitsAndOffsets(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		for want, limits := range map[[2]int][2]int{{1, 2}: {2, 0}, {3, 4}: {2, 2}, {4, 5}: {-1, 3}} {
			db := s.Reader.Table("(SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5) AS t")
			db = db.Order("n").Offset(limits[1])
			if limits[0] >= 0 {
				db = db.Limit(limits[0])
			}
			var got []int
			if err := db.Pluck("n", &got).Error; err != nil || !slices.Equal(got, want[:]) {
				t.Errorf("%s: limit and offset %v: %v, %v", s.Writer.Name(), limits, got, err)
			}
		}
	}
}

// TestTheDriverRepeatsNoValue: an error does not quote a value that could not be written.
func TestTheDriverRepeatsNoValue(t *testing.T) {
	t.Parallel()
	const cpf = "529.982.247-25"
	err := each(t)[1].PastGORM(t.Context(), func(db *pgx.Conn) error {
		_, err := db.Exec(t.Context(), "SELECT $1::bigint", []string{cpf})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), cpf) {
		t.Fatalf("the driver says %v, and this test shows nothing", err)
	}
	if told := engine.Named("x", err).Error(); strings.Contains(told, cpf) || !strings.Contains(told, "args[0]") {
		t.Errorf("it is told as %s", told)
	}
}
