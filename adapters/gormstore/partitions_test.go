package gormstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/ports/portstest/kit"
	"fichario/tests/testkit/postgres"
)

// undivided reverts partitioned tables to what they were before partitions.
func undivided(db *gorm.DB) error {
	for _, t := range engine.PartitionedTables {
		var indexes []string
		err := db.Raw("SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = to_regclass(?) AND NOT indisprimary",
			t.Table).Scan(&indexes).Error
		steps := []string{
			fmt.Sprintf("CREATE TABLE whole (LIKE %s INCLUDING DEFAULTS INCLUDING STORAGE)", t.Table),
			"INSERT INTO whole SELECT * FROM " + t.Table, "DROP TABLE " + t.Table,
			"ALTER TABLE whole RENAME TO " + t.Table,
			fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT %[1]s_pkey PRIMARY KEY (id)", t.Table),
		}
		for _, index := range indexes {
			steps = append(steps, strings.Replace(index, " ON ONLY ", " ON ", 1))
		}
		for _, step := range steps {
			if err == nil {
				err = db.Exec(step).Error
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inPartitions replaces the partitions of an empty table by n of ten months each, from filledFrom on.
func inPartitions(t *testing.T, s *Store, table string, n int) {
	t.Helper()
	if s.Writer.Name() == "sqlite" {
		return
	}
	db, err := s.Writer.DB()
	if err != nil {
		t.Fatal(err)
	}
	of := engine.Partitioned{Table: table, Period: engine.Period{Months: 10, Layout: "2006_01"}}
	if err := of.DropBefore(t.Context(), db, time.Now().AddDate(1, 0, 0)); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		from, to := of.Period.After(filledFrom, i), of.Period.After(filledFrom, i+1)
		if err := of.Add(t.Context(), db, from, to); err != nil {
			t.Fatal(err)
		}
	}
}

// addLookup writes an entry at a time, with an id that begins with it.
func addLookup(t *testing.T, s *Store, at time.Time) string {
	t.Helper()
	id := engine.FirstID(at)
	addLookupAs(t, s, id, at)
	return id
}

func addLookupAs(t *testing.T, s *Store, id string, at time.Time) {
	t.Helper()
	err := s.Writer.Exec(`INSERT INTO lookups (id, org_id, product, doc_type, document, at, cache, charged, amount, status,
		day, month) VALUES (?, ?, 'cpf', 'cpf', '', ?, false, false, 0, 'concluida', '', '')`, id, testID(1), at).Error
	if err != nil {
		t.Fatal(err)
	}
}

// TestAPagePlansForItsPartitions: pages continue over months, and PostgreSQL plans only for the partitions that a page
// needs.
func TestAPagePlansForItsPartitions(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		now := time.Now().UTC()
		month := func(n int) time.Time { return engine.Monthly.After(engine.Monthly.Start(now), n) }
		if s.Writer.Name() == "postgres" {
			db, err := s.Writer.DB()
			if err != nil {
				t.Fatal(err)
			}
			err = engine.LookupsByMonth.DropBefore(t.Context(), db, month(12))
			for i := -7; i < 3; i++ {
				err = errors.Join(err, engine.LookupsByMonth.Add(t.Context(), db, month(i), month(i+1)))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		var want []string
		for i := -7; i <= 0; i++ {
			for j := range 3 {
				want = append(want, addLookup(t, s, month(i).Add(time.Duration(j)*time.Minute)))
			}
		}
		want = append(want, addLookup(t, s, now.AddDate(1, 0, 0))) // from a clock that was wrong
		for i := range 4 {                                         // at the first moment of a month
			id := strings.Replace(engine.FirstID(month(-3)), "-7000-", fmt.Sprintf("-700%d-", i+1), 1)
			addLookupAs(t, s, id, month(-3))
			want = append(want, id)
		}
		slices.Sort(want)
		slices.Reverse(want)
		log := &statements{}
		db := s.Reader.Session(&gorm.Session{Logger: log})
		s.Edges.Since(s.Reader, engine.LookupsByMonth)
		page := func(f lookup.Filter, after string) []string {
			log.ran = nil
			found, err := s.repos(engine.Conn{Reader: db, Writer: db, Edges: &s.Edges}).Statement.
				Page(t.Context(), lookup.Asker{OrgID: testID(1)}, f, after, 4)
			if err != nil {
				t.Fatal(err)
			}
			return engine.Mapped(found, func(e lookup.Entry) string { return e.ID })
		}
		var got []string
		for after := ""; ; after = got[len(got)-1] {
			next := page(lookup.Filter{}, after)
			if got = append(got, next...); len(next) == 0 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the pages have\n%v, not\n%v", s.Writer.Name(), got, want)
		}
		one := []engine.Window{{Above: engine.BeforeAll, Below: engine.AfterAll}}
		var upgraded engine.Edges // the first partition extends beyond today
		upgraded.First.Store("lookups", engine.FirstID(month(2)))
		if at := engine.LookupsByMonth.Windows(s.Reader, &upgraded, engine.BeforeAll, engine.AfterAll); !slices.Equal(at,
			one) {
			t.Errorf("%s: %v in the first partition", s.Writer.Name(), at)
		}
		for what, c := range map[string]struct {
			f       lookup.Filter
			after   string
			parts   int
			entries int
		}{
			"the newest": {lookup.Filter{}, "", 5, 4}, "the newest of months ago": {lookup.Filter{}, want[8], 2, 4},
			"a month": {lookup.Filter{From: month(-5), Until: month(-4)}, "", 3, 3},
		} {
			if n := len(page(c.f, c.after)); n != c.entries {
				t.Errorf("%s: %s has %d entries", s.Writer.Name(), what, n)
			}
			if s.Writer.Name() == "sqlite" {
				continue
			}
			parts := map[string]bool{}
			for _, text := range log.ran {
				var lines []string
				if err := s.Reader.Raw("EXPLAIN " + text).Scan(&lines).Error; err != nil {
					t.Fatal(err)
				}
				for _, name := range regexp.MustCompile(`on (lookups_\w+)`).FindAllStringSubmatch(strings.Join(lines, "\n"), -1) {
					parts[name[1]] = true
				}
			}
			if len(parts) > c.parts || len(parts) == 0 {
				t.Errorf("%s is planned for %v", what, slices.Sorted(maps.Keys(parts)))
			}
		}
	}
}

// partOf is the partition that contains a row.
func partOf(t *testing.T, s *Store, table, id string) (name string) {
	t.Helper()
	err := s.Reader.Raw("SELECT tableoid::regclass::text FROM "+table+" WHERE id = ?", id).Scan(&name).Error
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// sound fails where doctor finds something.
func sound(t *testing.T, s *Store) {
	t.Helper()
	findings, err := s.Check(t.Context(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Violations > 0 {
			t.Errorf("%s: %v", f.Name, f.IDs)
		}
	}
}

// TestSlowPartitioningKeepsEveryRow has a database from before partitions, and ones whose migration was killed midway.
func TestSlowPartitioningKeepsEveryRow(t *testing.T) {
	t.Parallel()
	for _, killed := range []string{
		"SELECT 1",
		"ALTER TABLE lookups ADD CONSTRAINT lookups_end CHECK (id < '01a00000-0000-7000-8000-000000000000') NOT VALID",
	} {
		s := each(t)[1]
		indexes := func() (all []string) {
			err := s.Reader.Raw(`SELECT indexname FROM pg_indexes WHERE tablename IN
				('lookups', 'contact_events', 'notifications', 'deliveries') ORDER BY 1`).Scan(&all).Error
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		before := indexes()
		if err := undoFrom(s.Writer, 19); err != nil {
			t.Fatal(err)
		}
		older := slices.DeleteFunc(slices.Clone(before), func(name string) bool {
			return slices.Contains([]string{
				"lookups_member", "lookups_org_purpose", "lookups_key_purpose", "lookups_member_product", "lookups_member_purpose",
				"deliveries_refused", "deliveries_unsettled",
			}, name)
		})
		if now := indexes(); !slices.Equal(now, older) {
			t.Fatalf("undone, there are the indexes %v, not %v", now, older)
		}
		// Current posts write these columns.
		err := s.Writer.Exec(`ALTER TABLE contacts ADD COLUMN documents bytea, ADD COLUMN doc_index bytea, ADD COLUMN consents bytea,
				ADD COLUMN waiting boolean NOT NULL DEFAULT false;
			ALTER TABLE webhooks ADD COLUMN rotation_id uuid, ADD COLUMN email_key text NOT NULL DEFAULT '',
				ADD COLUMN verify_token bytea;
			ALTER TABLE organisations ADD COLUMN own_history boolean NOT NULL DEFAULT false;
			ALTER TABLE jobs ADD COLUMN event text NOT NULL DEFAULT 'contact.created', ADD COLUMN subject_id uuid,
			ADD COLUMN detail text NOT NULL DEFAULT '', ADD COLUMN trail text NOT NULL DEFAULT '',
			ADD COLUMN lookups text NOT NULL DEFAULT '', ADD COLUMN facts text NOT NULL DEFAULT '',
			ADD COLUMN place bigint NOT NULL DEFAULT 0;
			ALTER TABLE notifications ADD COLUMN batch_id uuid;
			ALTER TABLE receipts ADD COLUMN org_id uuid;
			ALTER TABLE webhook_counters ADD COLUMN org_id uuid;
			ALTER TABLE delivery_hours ADD COLUMN org_id uuid;
			ALTER TABLE stage_totals ADD COLUMN org_id uuid;
			ALTER TABLE organisations ADD COLUMN member_batch_limit bigint,
				ADD COLUMN second_factor boolean NOT NULL DEFAULT false;
			CREATE TABLE audit_heads (id uuid PRIMARY KEY, number bigint, hash bytea, at timestamptz, removed_number bigint,
				removed_hash bytea, sealed bytea)`).Error
		if err != nil {
			t.Fatal(err)
		}
		made := takeOne(t, s)
		// Contacts of then had no documents.
		if err := s.Writer.Exec("DROP TABLE audit_heads; UPDATE contacts SET documents = NULL, doc_index = NULL").Error; err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		ids := map[string]string{
			addLookup(t, s, now.Add(-time.Hour)):                        "lookups_first",
			addLookup(t, s, engine.Monthly.Start(now).AddDate(0, 3, 1)): "", // not a day that the month lacks
			addLookup(t, s, now.AddDate(5, 0, 0)):                       "lookups_rest",
		}
		for _, err := range []error{s.Writer.Exec(killed).Error, s.Migrate(t.Context())} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for id, want := range ids {
			if part := partOf(t, s, "lookups", id); part == "" || want != "" && part != want || want == "" &&
				part == "lookups_rest" {
				t.Errorf("%s is in %q, not in %q", id, part, want)
			}
			again := s.Writer.Exec("INSERT INTO lookups SELECT * FROM lookups WHERE id = ?", id).Error
			if !errors.Is(engine.Classify(again), ports.ErrExists) {
				t.Errorf("an id twice: %v", again)
			}
		}
		if part := partOf(t, s, "deliveries", made.Delivery.ID); part != "deliveries_first" {
			t.Errorf("the delivery is in %q", part)
		}
		if now := indexes(); !slices.Equal(now, before) {
			t.Errorf("there are the indexes %v, not %v", now, before)
		}
		if err := s.Writer.Exec("DELETE FROM lookups_rest").Error; err != nil {
			t.Fatal(err)
		}
		sound(t, s)
	}
}

// TestPartitionsAreMadeAhead by several instances at once, and take in the rows that arrived while nobody made any.
func TestPartitionsAreMadeAhead(t *testing.T) {
	t.Parallel()
	s := each(t)[1]
	now := time.Now()
	for i := range engine.Monthly.Ahead + 1 {
		late := engine.PartitionedTables[0].Name(engine.Monthly.After(engine.Monthly.Start(now), i))
		if err := s.Writer.Exec("DROP TABLE " + late).Error; err != nil {
			t.Fatal(err)
		}
	}
	here, soon, far := addLookup(t, s, now), addLookup(t, s, now.AddDate(0, 1, 0)), addLookup(t, s, now.AddDate(5, 0, 0))
	findings, err := s.Check(t.Context(), now)
	broken := map[string]int64{}
	for _, f := range findings {
		if f.Violations > 0 {
			broken[f.Name] = f.Violations
		}
	}
	want := map[string]int64{"every row is in the partition for its time": 3, "partitions for tomorrow exist": 1}
	if err != nil || !maps.Equal(broken, want) {
		t.Errorf("doctor finds %v, %v", broken, err)
	}
	var instances sync.WaitGroup
	for range 4 {
		instances.Go(func() {
			if err := s.KeepPartitions(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	instances.Wait()
	for id, want := range map[string]string{
		here: engine.PartitionedTables[0].Name(engine.Monthly.Start(now)),
		soon: engine.PartitionedTables[0].Name(engine.Monthly.Start(now.AddDate(0, 1, 0))),
		far:  "lookups_rest",
	} {
		if part := partOf(t, s, "lookups", id); part != want {
			t.Errorf("%s is in %q, not in %q", id, part, want)
		}
	}
	if err := s.Writer.Exec("DELETE FROM lookups_rest").Error; err != nil {
		t.Fatal(err)
	}
	sound(t, s)
}

// TestADayIsForgottenAtOnce, but part of a day row by row.
func TestADayIsForgottenAtOnce(t *testing.T) {
	t.Parallel()
	s := each(t)[1]
	takeOne(t, s)
	db, err := s.Writer.DB()
	for _, err := range []error{
		err, s.Writer.Exec("UPDATE deliveries SET id = ?", engine.FirstID(time.Now())).Error,
		s.Writer.Exec("DROP TABLE deliveries_first").Error,
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	today := engine.Daily.Start(time.Now())
	day := func(n int) time.Time { return today.AddDate(0, 0, n) }
	for n := -33; n < 0; n++ {
		if err := engine.DeliveriesByDay.Add(t.Context(), db, day(n), day(n+1)); err != nil {
			t.Fatal(err)
		}
	}
	late := map[int]bool{-32: false, -31: false, -30: false, -28: true}
	for n := range late {
		refused := takenAt(day(n).Add(12*time.Hour), 1)
		refused.Delivery.ID, refused.Delivery.Outcome = engine.FirstID(refused.Delivery.At), webhook.Refused
		if _, err := s.Repos().Inbox.Take(t.Context(), refused); err != nil {
			t.Fatal(err)
		}
	}
	n, err := s.Repos().Inbox.Forget(t.Context(), day(-30).Add(13*time.Hour))
	if err != nil || n != 1 {
		t.Errorf("row by row %d were forgotten, not the one of the last day: %v", n, err)
	}
	for n, want := range late {
		_, err := s.Repos().Deliveries.Find(t.Context(), ports.AnyOrg, engine.FirstID(day(n).Add(12*time.Hour)))
		if found := err == nil; found != want {
			t.Errorf("the delivery of day %d is found: %v", n, found)
		}
	}
	parts, err := engine.DeliveriesByDay.Parts(t.Context(), db)
	if err != nil || parts[0].Name != engine.DeliveriesByDay.Name(day(-30)) {
		t.Errorf("the first partition is %v, %v", parts[0], err)
	}
	sound(t, s)
}

// TestPartitionsAreReadWhileAnotherInstanceDropsThem: one that goes away meanwhile is none, and no failure.
func TestPartitionsAreReadWhileAnotherInstanceDropsThem(t *testing.T) {
	t.Parallel()
	s := opened(t, postgres.New(t, migrateEach))
	db, err := s.Writer.DB()
	kit.Must(t, err)
	dropped := make(chan error, 1)
	go func() {
		from := engine.Daily.Start(time.Now().AddDate(1, 0, 0))
		to := engine.Daily.After(from, 1)
		for range 60 {
			err := engine.DeliveriesByDay.Add(context.Background(), db, from, to)
			if err == nil {
				_, err = db.ExecContext(context.Background(), "DROP TABLE "+engine.DeliveriesByDay.Name(from))
			}
			if err != nil {
				dropped <- err
				return
			}
		}
		dropped <- nil
	}()
	for n := 0; ; n++ {
		select {
		case err := <-dropped:
			kit.Must(t, err)
			return
		default:
		}
		if _, err := engine.DeliveriesByDay.Parts(t.Context(), db); err != nil {
			t.Fatalf("reading %d: %v", n, err)
		}
	}
}
