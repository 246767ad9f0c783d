package gormstore

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"fichario/adapters/gormstore/engine"
)

// statements records the text of the statements that run, with their values.
type statements struct{ ran []string }

func (l *statements) LogMode(logger.LogLevel) logger.Interface      { return l }
func (l *statements) Info(context.Context, string, ...interface{})  {}
func (l *statements) Warn(context.Context, string, ...interface{})  {}
func (l *statements) Error(context.Context, string, ...interface{}) {}

func (l *statements) Trace(_ context.Context, _ time.Time, f func() (string, int64), _ error) {
	text, _ := f()
	l.ran = append(l.ran, text)
}

// planned runs an operation and returns the query plan of each of its statements.
func planned(t *testing.T, s *Store, run func(engine.Conn) error) (plans []string) {
	t.Helper()
	for _, table := range engine.PartitionedTables {
		s.Edges.Since(s.Reader, table) // asked once only
	}
	log := &statements{}
	watched := &gorm.Session{Logger: log}
	reader, writer := s.Reader.Session(watched), s.Writer.Session(watched)
	if err := run(engine.Conn{Reader: reader, Writer: writer, Edges: &s.Edges}); err != nil {
		t.Fatal(err)
	}
	for _, text := range log.ran {
		explain := "EXPLAIN (COSTS OFF) "
		if s.Writer.Name() == "sqlite" {
			explain = "EXPLAIN QUERY PLAN "
		}
		var lines []map[string]any
		if err := s.Reader.Raw(explain + text).Scan(&lines).Error; err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		plan := ""
		for _, line := range lines {
			plan += fmt.Sprintln(line["QUERY PLAN"], line["detail"])
		}
		plans = append(plans, ofWhole(t, s, plan))
	}
	return plans
}

// ofWhole replaces the names of partitions and their indexes in a PostgreSQL plan by those of the whole table.
func ofWhole(t *testing.T, s *Store, plan string) string {
	t.Helper()
	if s.Writer.Name() == "sqlite" {
		return plan
	}
	var inherited []struct{ Part, Whole string }
	if err := s.Reader.Raw(`SELECT p.relname AS part, w.relname AS whole FROM pg_inherits
		JOIN pg_class p ON p.oid = inhrelid JOIN pg_class w ON w.oid = inhparent`).Scan(&inherited).Error; err != nil {
		t.Fatal(err)
	}
	whole := map[string]string{}
	for _, i := range inherited {
		whole[i.Part] = i.Whole
	}
	return regexp.MustCompile(`\b[a-z]+_\w+`).ReplaceAllStringFunc(plan, func(name string) string {
		return cmp.Or(whole[name], regexp.MustCompile(`_\d+$`).ReplaceAllString(name, "")) // an alias has a number appended
	})
}

// ofPages matches the sort that merges pages of a few partitions.
var ofPages = regexp.MustCompile(`Sort <nil>\n +Sort Key: [^\n]*\n +->  (Append|Limit)|SCAN part\n<nil> USE TEMP B-TREE FOR ORDER BY`)

// everything matches a plan that reads a whole table, or sorts it.
var everything = regexp.MustCompile(`Sort <|Seq Scan on|Bitmap|TEMP B-TREE|SCAN (lookups|contacts|audit_lines|jobs)( USING|$)`)

// walks fails unless the operation only walks these indexes, each in its order.
func walks(t *testing.T, s *Store, what string, run func(engine.Conn) error, indexes ...string) {
	t.Helper()
	plans := planned(t, s, run)
	if len(plans) == 0 {
		t.Errorf("%s, %s: no statement was seen", s.Writer.Name(), what)
	}
	var used []string
	for _, plan := range plans {
		if strings.Contains(plan, "removed_contacts_into") {
			continue // those merged into a contact, which are few
		}
		if everything.MatchString(ofPages.ReplaceAllString(plan, "")) {
			t.Errorf("%s, %s: it reads or orders everything:\n%s", s.Writer.Name(), what, plan)
		}
		used = append(used, regexp.MustCompile(`\b(lookups|contacts|audit_lines|jobs|deliveries)_[a-z]\w*`).FindAllString(plan, -1)...)
	}
	if s.Writer.Name() == "sqlite" { // SQLite names the index of a primary key differently
		indexes = slices.DeleteFunc(indexes, func(name string) bool { return strings.HasSuffix(name, "_pkey") })
	}
	slices.Sort(used)
	slices.Sort(indexes)
	if used = slices.Compact(used); strings.Join(used, " ") != strings.Join(indexes, " ") {
		t.Errorf("%s, %s: it walks %v, not %v:\n%s", s.Writer.Name(), what, used, indexes, strings.Join(plans, "\n"))
	}
}

// filledFrom is when the first row of fill is from: the same number of months ago on every day on which the tests run,
// because pages read the newest two months first.
var filledFrom = engine.Monthly.After(engine.Monthly.Start(time.Now().UTC()), -10)

// fill inserts rows by a SELECT over the numbers 1 to n, called i, with ids and times ten minutes apart. SQLite plans
// without statistics, as in service.
func fill(t *testing.T, s *Store, n int, insert string) {
	t.Helper()
	numbers := fmt.Sprintf("WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < %d) ", n)
	from, day := filledFrom.UnixMilli(), filledFrom.Format(time.DateOnly)
	hex, uuid := fmt.Sprintf("lpad(to_hex(%d + i::bigint * 600000), 12, '0')", from), "::uuid"
	moment := "timestamptz '" + day + " 00:00Z' + i * interval '10 minutes'"
	if s.Writer.Name() == "sqlite" {
		hex, uuid = fmt.Sprintf("printf('%%012x', %d + i * 600000)", from), ""
		moment = "strftime('%Y-%m-%d %H:%M:%S+00:00', '" + day + "', (i * 10) || ' minutes')"
	}
	id := "(substr(" + hex + ", 1, 8) || '-' || substr(" + hex + ", 9) || '-7000-8000-000000000000')" + uuid
	insert = strings.NewReplacer("@id", id, "@uuid", uuid, "@moment", moment).Replace(insert)
	into, values, _ := strings.Cut(insert, "SELECT")
	filled := s.Writer.Transaction(func(db *gorm.DB) error {
		if db.Name() == "postgres" { // on a busy machine so many rows exceed the service's statement timeout
			if err := db.Exec("SET LOCAL statement_timeout = 0").Error; err != nil {
				return err
			}
		}
		return db.Exec(into + numbers + "SELECT" + values).Error
	})
	if filled != nil {
		t.Fatal(filled)
	}
	if s.Writer.Name() == "sqlite" {
		return
	}
	// Tables that are empty were never analysed in service either.
	unseen := "UPDATE pg_class SET reltuples = -1 WHERE relkind = 'r' AND reltuples = 0"
	err := s.Writer.Connection(func(db *gorm.DB) error {
		// Sample all rows, or the plan would depend on the sample.
		for _, statement := range []string{
			"SET default_statistics_target = 1000", "ANALYZE", unseen, "RESET default_statistics_target",
		} {
			if err := db.Exec(statement).Error; err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
