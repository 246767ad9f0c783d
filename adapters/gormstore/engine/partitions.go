package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

// Partitioned is a table that PostgreSQL partitions by the time in its ids.
type Partitioned struct {
	Table  string
	Period Period
}

// PartitionedTables grow by a row for every event. Deliveries, which expire, are partitioned by day, so that a whole
// day of them is dropped at once.
var PartitionedTables = []Partitioned{
	LookupsByMonth, {"contact_events", Monthly}, NotificationsByMonth, DeliveriesByDay,
}

// Period is the time that one partition covers, and how many partitions are kept ahead of time.
type Period struct {
	Months, days, Ahead int
	Layout              string
}

var (
	// LookupsByMonth partitions the statement.
	LookupsByMonth = Partitioned{"lookups", Monthly}
	// NotificationsByMonth partitions notifications.
	NotificationsByMonth = Partitioned{"notifications", Monthly}
	// DeliveriesByDay partitions deliveries.
	DeliveriesByDay = Partitioned{"deliveries", Daily}
)

var (
	// Monthly is a month.
	Monthly = Period{Months: 1, Ahead: 3, Layout: "2006_01"}
	// Daily is a day.
	Daily = Period{days: 1, Ahead: 7, Layout: "2006_01_02"}
)

// Start is the beginning, in UTC, of the period that contains a time.
func (p Period) Start(at time.Time) time.Time {
	year, month, day := at.UTC().Date()
	if p.Months > 0 {
		day = 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// After is the beginning of the period n periods after the one that begins at start.
func (p Period) After(start time.Time, n int) time.Time {
	return start.AddDate(0, n*p.Months, n*p.days)
}

// rest is the default partition: rows before the first and after the last of the others.
func (t Partitioned) rest() string { return t.Table + "_rest" }

// Name is the name of the partition that begins at a time.
func (t Partitioned) Name(start time.Time) string {
	return t.Table + "_" + start.Format(t.Period.Layout)
}

// partition is a partition of a table, and the id that bounds it from above.
type partition struct{ Name, to string }

// Window is a stretch of a partitioned table: the ids between two, both exclusive, and within edges, a condition with
// literals that tells PostgreSQL at planning time which partitions it needs; empty on SQLite.
type Window struct{ Above, Below, Edges string }

// Edges caches the first id of each table's second partition: from there on each partition covers one period. A nil one
// knows none.
type Edges struct{ First sync.Map } // by table

// Since returns the edge of a table, AfterAll where it has none or it is unknown.
func (e *Edges) Since(db *gorm.DB, t Partitioned) string {
	if e == nil || db.Name() == "sqlite" {
		return AfterAll
	}
	if first, ok := e.First.Load(t.Table); ok {
		return first.(string) //nolint:forcetypeassert // as it is stored below
	}
	var names []string // unlike the bounds, names need no lock
	if err := db.Session(&gorm.Session{NewDB: true}).Raw(askParts, t.Table).Scan(&names).Error; err != nil {
		return AfterAll
	}
	starts := []string{AfterAll, AfterAll}
	for _, name := range names {
		if start, err := time.Parse(t.Table+"_"+t.Period.Layout, name); err == nil {
			starts = append(starts, FirstID(start))
		}
	}
	slices.Sort(starts)
	e.First.Store(t.Table, starts[1])
	return starts[1]
}

const askParts = `SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
	WHERE i.inhparent = to_regclass(?)`

// Windows splits the ids between two, both exclusive, into the newest, of two periods, and those before. PostgreSQL
// spends a tenth of a millisecond of planning on each partition that the ids may be in, while the newest are nearly
// always enough for a page.
func (t Partitioned) Windows(db *gorm.DB, e *Edges, above, below string) []Window {
	since, now := e.Since(db, t), time.Now()
	if below <= since {
		return []Window{{above, below, ""}}
	}
	within := func(above, below string) string {
		var is []string
		if from := FirstID(t.Period.Start(TimeOfID(above))); from >= since {
			is = append(is, t.Table+".id >= "+Literal(from))
		}
		end := TimeOfID(below)
		if FirstID(end) == below { // nothing of that moment itself
			end = end.Add(-time.Millisecond)
		}
		if end.Before(now) { // else include what a fast clock has put ahead of time
			is = append(is, t.Table+".id < "+Literal(t.next(end)))
		}
		return strings.Join(is, " AND ")
	}
	newest := TimeOfID(below)
	if newest.After(now) {
		newest = now
	}
	split := FirstID(t.Period.After(t.Period.Start(newest), -1))
	if split <= above || split < since {
		return []Window{{above, below, within(above, below)}}
	}
	// The lower bound of the first window is stated once: from two, PostgreSQL would estimate too few rows.
	return []Window{{BeforeAll, below, within(split, below)}, {above, split, within(above, split)}}
}

// next is the first id of the period after the one that contains a time.
func (t Partitioned) next(at time.Time) string { return FirstID(t.Period.After(t.Period.Start(at), 1)) }

// NewestFirst reads a page window by window, until it is full.
func NewestFirst[Row any](
	windows []Window, limit int, read func(w Window, limit int) ([]Row, error),
) (page []Row, err error) {
	page = []Row{}
	for _, w := range windows {
		part, err := read(w, limit-len(page))
		if page = append(page, part...); err != nil || len(page) >= limit {
			return page, err
		}
	}
	return page, nil
}

// boundOf extracts the upper bound from PostgreSQL's description of a partition.
var boundOf = regexp.MustCompile(`TO \('([0-9a-f-]+)'\)`)

// Parts returns a table's partitions without the rest, in the order of their ids.
func (t Partitioned) Parts(ctx context.Context, db *sql.DB) (all []partition, err error) {
	rows, err := db.QueryContext(ctx, `SELECT c.relname, pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits i
		JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass($1) AND c.relname <> $2`,
		t.Table, t.rest())
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		var bound sql.Null[string]
		if err := rows.Scan(&name, &bound); err != nil {
			return nil, err
		}
		if !bound.Valid { // another instance has just dropped it
			continue
		}
		to := boundOf.FindStringSubmatch(bound.V)
		if to == nil {
			return nil, fmt.Errorf("the partition %s is for values %s", name, bound.V)
		}
		all = append(all, partition{name, to[1]})
	}
	slices.SortFunc(all, func(a, b partition) int { return cmp.Compare(a.to, b.to) })
	return all, rows.Err()
}

// PartitionInvariants hold on PostgreSQL only.
var PartitionInvariants = []Invariant{
	{Name: "every row is in the partition for its time", Broken: strings.Join(Mapped(PartitionedTables, func(t Partitioned) string {
		return "SELECT id FROM " + t.rest()
	}), " UNION ALL ")},
	{Name: "partitions for tomorrow exist", Served: true, Broken: strings.Join(Mapped(PartitionedTables, func(t Partitioned) string {
		return `SELECT ` + Literal(t.Table) + ` AS id WHERE NOT EXISTS (SELECT 1 FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
			WHERE inhparent = to_regclass(` + Literal(t.Table) + `)
			AND substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([0-9a-f-]+)') > @tomorrow)`
	}), " UNION ALL ")},
}

// KeepPartitions makes partitions ahead of time, and for rows that had none meanwhile; it does nothing on SQLite. It is
// a chore that may run on any number of instances at once, with the role that migrates.
func (s *Engine) KeepPartitions(ctx context.Context) error {
	if !s.IsPostgres() {
		return nil
	}
	db := s.Migrating.Open()
	defer func() { _ = db.Close() }()
	var err error
	for _, t := range PartitionedTables {
		err = errors.Join(err, t.keep(ctx, db))
	}
	return Named("store.keepPartitions", Classify(err))
}

func (t Partitioned) keep(ctx context.Context, db *sql.DB) error {
	now, err := ClockOf(ctx, db)
	if err != nil {
		return err
	}
	parts, err := t.Parts(ctx, db)
	if err != nil {
		return err
	}
	from := t.Period.Start(now)
	if len(parts) > 0 { // what came after the end of the last one is in the rest
		from = TimeOfID(parts[len(parts)-1].to)
	}
	for until := t.Period.After(t.Period.Start(now), t.Period.Ahead+1); from.Before(until); {
		to := t.Period.After(t.Period.Start(from), 1)
		if err := t.Add(ctx, db, from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// Add makes a partition and moves its rows there from the rest, while others write.
func (t Partitioned) Add(ctx context.Context, db *sql.DB, from, to time.Time) error {
	name, first, last := t.Name(from), FirstID(from), FirstID(to)
	return Briefly(ctx, db, lockTries, func(tx *sql.Tx) error {
		var there bool
		err := tx.QueryRowContext(ctx, "SELECT to_regclass($1) IS NOT NULL", name).Scan(&there)
		if err != nil || there {
			return err
		}
		return ExecAll(ctx, tx,
			fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING INDEXES)", name, t.Table),
			fmt.Sprintf("LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE", t.Table),
			fmt.Sprintf("LOCK TABLE %s IN ACCESS EXCLUSIVE MODE", t.rest()),
			fmt.Sprintf("WITH moved AS (DELETE FROM %s WHERE id >= '%s' AND id < '%s' RETURNING *) INSERT INTO %s SELECT * FROM moved",
				t.rest(), first, last, name),
			fmt.Sprintf("ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')", t.Table, name, first, last))
	})
}

// DropBefore drops the partitions that lie wholly before a time. It fails where something, such as a backup, keeps
// reading the table.
func (t Partitioned) DropBefore(ctx context.Context, db *sql.DB, before time.Time) error {
	parts, err := t.Parts(ctx, db)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if part.to > FirstID(before) {
			break
		}
		err := Briefly(ctx, db, lockTries, func(tx *sql.Tx) error {
			return ExecAll(ctx, tx, "DROP TABLE IF EXISTS "+part.Name)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// LockPause is how long others are left alone after a schema change has waited for a lock in vain.
const LockPause = time.Second

const (
	// lockWait is how long others may queue behind a schema change that itself waits for a lock.
	lockWait  = 200 * time.Millisecond
	lockTries = 5
	// partitionsLock is the advisory lock for such changes.
	partitionsLock = 0x66696368_70617274
)

// waitBriefly limits the waits of a transaction.
var waitBriefly = fmt.Sprintf("SET LOCAL lock_timeout = %d", lockWait.Milliseconds())

// Briefly changes the schema in a transaction that waits at most lockWait for each lock, because everybody who comes
// after it waits too, and retries up to tries times. One such transaction runs at a time.
func Briefly(ctx context.Context, db *sql.DB, tries int, change func(*sql.Tx) error) error {
	for try := 1; ; try++ {
		err := func() error {
			tx, err := db.BeginTx(ctx, nil)
			if err != nil {
				return err
			}
			defer func() { _ = tx.Rollback() }()
			err = ExecAll(ctx, tx, waitBriefly,
				"SET LOCAL statement_timeout = 0", fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", partitionsLock))
			if err != nil {
				return err
			}
			if err := change(tx); err != nil {
				return err
			}
			return tx.Commit()
		}()
		if !LockedOut(err) || try == tries {
			return err
		}
		if err := Pause(ctx, LockPause); err != nil {
			return err
		}
	}
}

// LockedOut reports a lock that could not be had in time, or a deadlock.
func LockedOut(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && (pg.Code == "55P03" || pg.Code == "40P01")
}

// ExecAll runs statements, one after the other.
func ExecAll(ctx context.Context, tx *sql.Tx, statements ...string) error {
	for _, statement := range statements {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// ClockOf is PostgreSQL's clock.
func ClockOf(ctx context.Context, db *sql.DB) (now time.Time, err error) {
	err = db.QueryRowContext(ctx, "SELECT clock_timestamp()").Scan(&now)
	return now.UTC(), err
}

// Invariant is a name of what must hold, and the statement that selects what breaks it.
type Invariant struct {
	Name, Broken string
	// Served says that it is no fault of the data: a service that runs sees to it, or says to whoever can.
	Served bool
}
