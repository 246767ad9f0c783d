package gormstore

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/lookup"
)

// An event is a job written in the transaction that makes it true, provided that an automation listens at that moment:
// one added meanwhile hears of what commits after it. Whether any listens is looked up in the index, in the statement
// itself or once per organisation and transaction.

// addEventJobs writes the jobs of events on PostgreSQL.
var addEventJobs = manyOf(tableOf(jobRow{})).then(" WHERE " + listening("a.org_id::uuid", "a.event"))

// completedJob is the job of an answered lookup. It has the lookup's id.
func completedJob(row lookupRow, trail automation.Trail) jobRow {
	return jobRow{
		ID: row.ID, OrgID: row.OrgID, Kind: string(automation.FanOut), ContactID: orNoID(row.ContactID),
		State: string(automation.Ready), RunAt: row.At, CreatedAt: row.At, Event: string(automation.LookupCompleted),
		SubjectID: &row.ID, Trail: string(trail),
	}
}

// askListens asks on SQLite whether any automation listens.
const askListens = "SELECT 1 FROM automations WHERE org_id = ? AND event = ? AND enabled LIMIT 1"

// listener is an organisation with an event.
type listener struct {
	org   uid
	event string
}

// completed writes the job of an answered lookup, where any automation listens.
func (w *writer) completed(known map[listener]bool, row lookupRow, trail automation.Trail) {
	l := listener{row.OrgID, string(automation.LookupCompleted)}
	yes, asked := known[l]
	if !asked {
		var one int
		yes = w.row(askListens, []any{l.org, l.event}, &one)
		known[l] = yes
	}
	if yes {
		job := completedJob(row, trail)
		w.exec(insertJob, sentJob.values(&job)...)
		w.queued = true
	}
}

// crossing is a cap of which a charge has reached a given percentage.
type crossing struct {
	entry   lookupRow
	limit   limit
	percent int
	used    int64
	// n numbers the crossings of one charge.
	n int
}

// crossed notes of which caps a charge reaches 80 or 100 %, before it is added.
func (c *charges) crossed(b beginning) {
	n := 0
	for _, l := range limitsOf(b.entry, b.Charge) {
		if b.entry.KeyID == nil || l.key != *b.entry.KeyID || l.full == nil || l.count <= 0 {
			continue
		}
		used := c.counted[l.account].Count + c.added[l.account].Count + 1
		percent := 0
		switch used {
		case l.count:
			percent = 100
		case (l.count*8 + 9) / 10:
			percent = 80
		default:
			continue
		}
		n++
		c.reached = append(c.reached, crossing{entry: b.entry, limit: l, percent: percent, used: used, n: n})
	}
}

const (
	tellOnce = "INSERT INTO told (subject_id, mark, at) VALUES (%s) ON CONFLICT DO NOTHING"
	keyName  = "SELECT name FROM keys WHERE id = %s"
)

var (
	tellOnSQLite    = fmt.Sprintf(tellOnce, "?, ?, ?")
	tellOnPostgres  = fmt.Sprintf(tellOnce, "$1, $2, $3")
	keyNameOnSQLite = fmt.Sprintf(keyName, "?")
)

// mark identifies what is told once.
func (x crossing) mark() string { return fmt.Sprintf("%s:%d", x.limit.bucket, x.percent) }

// notification is the crossing as told to the team.
func (x crossing) notification(name string) notificationRow {
	period := "diário"
	if x.limit.bucket == x.entry.Month {
		period = "mensal"
	}
	return notificationRowOf(crm.Notification{
		ID: automation.Derived(string(x.entry.ID), x.n), OrgID: string(x.entry.OrgID), Kind: crm.CapReached, At: x.entry.At,
		Subject: fmt.Sprintf("A chave %s usou %d%% do limite %s: %d de %d consultas cobradas.",
			name, x.percent, period, x.used, x.limit.count),
	})
}

// job is the crossing as told to automations.
func (x crossing) job() jobRow {
	period := automation.DayCap
	if x.limit.bucket == x.entry.Month {
		period = automation.MonthCap
	}
	return jobRowOf(automation.Job{
		ID: automation.Derived(string(x.entry.ID), x.n), OrgID: string(x.entry.OrgID), Kind: automation.FanOut,
		Event: automation.CapReached, SubjectID: string(*x.entry.KeyID), State: automation.Ready,
		Detail: fmt.Sprintf("%s:%d:%d:%d", period, x.percent, x.limit.count, x.used),
		RunAt:  x.entry.At, CreatedAt: x.entry.At,
	})
}

// tell writes the caps that were reached, each once, on SQLite.
func (w *writer) tell(reached []crossing) {
	for _, x := range reached {
		if w.exec(tellOnSQLite, x.entry.KeyID, x.mark(), x.entry.At) == 0 {
			continue
		}
		var name string
		w.row(keyNameOnSQLite, []any{x.entry.KeyID}, &name)
		n, job := x.notification(name), x.job()
		w.exec(insertNotification, sentNotification.values(&n)...)
		w.job(job)
	}
}

// tell is its counterpart on PostgreSQL. It reports whether a job was written.
func tell(ctx context.Context, tx pgx.Tx, reached []crossing) (queued bool, err error) {
	for _, x := range reached {
		key := string(*x.entry.KeyID)
		told, err := tx.Exec(ctx, tellOnPostgres, key, x.mark(), x.entry.At)
		if err != nil {
			return queued, err
		}
		if told.RowsAffected() == 0 {
			continue
		}
		var names []string
		rows, err := tx.Query(ctx, fmt.Sprintf(keyName, "$1"), key)
		if err == nil {
			names, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		if err != nil {
			return queued, err
		}
		batch := &pgx.Batch{}
		queueRows(batch, addNotifications, []notificationRow{x.notification(append(names, "")[0])})
		queueJobs(batch, []jobRow{x.job()}, &queued)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return queued, err
		}
	}
	return queued, nil
}

// queueJobs queues the jobs of events, and notes in queued whether an automation listened to one.
func queueJobs(batch *pgx.Batch, jobs []jobRow, queued *bool) {
	if written := queueRows(batch, addEventJobs, jobs); written != nil {
		written.Exec(func(done pgconn.CommandTag) error { *queued = *queued || done.RowsAffected() > 0; return nil })
	}
}

var addNotifications = manyOf(tableOf(notificationRow{}))

// addCompleted writes the job of a lookup that the history answered, in its transaction. It reports whether an
// automation listens.
func addCompleted(db *gorm.DB, row lookupRow, trail automation.Trail) (yes bool, err error) {
	if row.Status != string(lookup.Done) {
		return false, nil
	}
	err = db.Raw("SELECT "+listening("?", "?"), row.OrgID, string(automation.LookupCompleted)).Scan(&yes).Error
	if err != nil || !yes {
		return false, err
	}
	job := completedJob(row, trail)
	return true, db.Create(&job).Error
}
