package lookups

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/team"
	"fichario/domain/automation"
	"fichario/domain/crm"
)

// crossing is a cap of which a charge has reached a given percentage.
type crossing struct {
	entry   LookupRow
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
		before := c.counted[l.account].Count + c.added[l.account].Count
		used := before + 1 + b.entry.SpareCalls
		percent := 0
		switch most := (l.count*8 + 9) / 10; {
		case before < l.count && used >= l.count:
			percent = 100
		case before < most && used >= most:
			percent = 80
		default:
			continue
		}
		n++
		c.reached = append(c.reached, crossing{entry: b.entry, limit: l, percent: percent, used: used, n: n})
	}
}

// mark identifies what is told once.
func (x crossing) mark() string { return fmt.Sprintf("%s:%d", x.limit.bucket, x.percent) }

// notification is the crossing as told to the team.
func (x crossing) notification(name string) team.NotificationRow {
	period := "diário"
	if x.limit.bucket == x.entry.Month {
		period = "mensal"
	}
	return team.NotificationRowOf(crm.Notification{
		ID: automation.Derived(string(x.entry.ID), x.n), OrgID: string(x.entry.OrgID), Kind: crm.CapReached, At: x.entry.At,
		Subject: fmt.Sprintf("A chave %s usou %d%% do limite %s: %d de %d consultas cobradas ou em andamento.",
			name, x.percent, period, x.used, x.limit.count),
	})
}

// job is the crossing as told to automations.
func (x crossing) job() automations.JobRow {
	period := automation.DayCap
	if x.limit.bucket == x.entry.Month {
		period = automation.MonthCap
	}
	return automations.JobRowOf(automation.Job{
		ID: automation.Derived(string(x.entry.ID), x.n), OrgID: string(x.entry.OrgID), Kind: automation.FanOut,
		Event: automation.CapReached, SubjectID: string(*x.entry.KeyID), State: automation.Ready,
		Detail: fmt.Sprintf("%s:%d:%d:%d", period, x.percent, x.limit.count, x.used),
		RunAt:  x.entry.At, CreatedAt: x.entry.At,
	})
}

// writeCrossings writes the caps that were reached, each once, on SQLite.
func writeCrossings(w *engine.SQLiteTx, reached []crossing) {
	for _, x := range reached {
		if w.Exec(team.TellOnSQLite, x.entry.KeyID, x.mark(), x.entry.At, x.entry.OrgID) == 0 {
			continue
		}
		var name string
		w.Row(keyNameOnSQLite, []any{x.entry.KeyID}, &name)
		n, job := x.notification(name), x.job()
		w.Exec(team.InsertNotification, team.NotificationTable.Values(&n)...)
		automations.WriteJob(w, job)
	}
}

// tell is its counterpart on PostgreSQL. It reports whether a job was written.
func (s *room) tell(ctx context.Context, tx pgx.Tx, reached []crossing) (queued bool, err error) {
	for _, x := range reached {
		key := string(*x.entry.KeyID)
		told, err := tx.Exec(ctx, team.TellOnPostgres, key, x.mark(), x.entry.At, x.entry.OrgID)
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
		batch := s.NewBatch()
		engine.QueueRows(batch, team.AddNotifications, []team.NotificationRow{x.notification(append(names, "")[0])})
		if err := automations.QueueJobs(ctx, tx, batch, []automations.JobRow{x.job()}, &queued); err != nil {
			return queued, err
		}
		if err := tx.SendBatch(ctx, &batch.Batch).Close(); err != nil {
			return queued, err
		}
	}
	return queued, nil
}

const keyName = "SELECT name FROM keys WHERE id = %s"

var keyNameOnSQLite = fmt.Sprintf(keyName, "?")
