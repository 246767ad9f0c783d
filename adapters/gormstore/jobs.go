package gormstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"fichario/domain/automation"
	"fichario/ports"
)

type jobRow struct {
	ID           uid    `gorm:"primaryKey"`
	OrgID        uid    `gorm:"not null"`
	Kind         string `gorm:"not null"`
	ContactID    uid    `gorm:"not null"`
	AutomationID *uid
	MemberID     *uid
	State        string    `gorm:"not null"`
	Attempts     int       `gorm:"not null"`
	RunAt        time.Time `gorm:"not null"`
	Result       string    `gorm:"not null"`
	CreatedAt    time.Time `gorm:"not null"`
	EndedAt      *time.Time
	Lease        string `gorm:"not null"`
	LeaseUntil   *time.Time
	// Jobs of earlier versions are all of one event.
	Event     string `gorm:"not null;default:'contact.created'"`
	SubjectID *uid
	Detail    string `gorm:"not null;default:''"`
	Trail     string `gorm:"not null;default:''"`
	Lookups   string `gorm:"not null;default:''"` // comma-separated ids
	Facts     string `gorm:"not null;default:''"`
	Place     int    `gorm:"not null;default:0"`
}

var jobColumns = columnNames(jobRow{}, "jobs")

func (jobRow) TableName() string { return "jobs" }

func jobRowOf(j automation.Job) jobRow {
	return jobRow{
		ID: uid(j.ID), OrgID: uid(j.OrgID), Kind: string(j.Kind), ContactID: orNoID(optional(j.ContactID)),
		Event: string(cmp.Or(j.Event, automation.ContactCreated)), SubjectID: optional(j.SubjectID), Detail: j.Detail,
		Trail: string(j.Trail), Facts: string(j.Facts), Place: j.Place,
		AutomationID: optional(j.AutomationID), MemberID: optional(j.MemberID), State: string(j.State), Attempts: j.Attempts,
		RunAt: stamp(j.RunAt), Result: j.Result, CreatedAt: stamp(j.CreatedAt), EndedAt: optionalTime(j.EndedAt),
	}
}

func (r jobRow) job() automation.Job {
	var lookups []string
	if r.Lookups != "" {
		lookups = strings.Split(r.Lookups, ",")
	}
	return automation.Job{
		ID: string(r.ID), OrgID: string(r.OrgID), Kind: automation.JobKind(r.Kind), ContactID: r.ContactID.known(),
		SubjectID: r.SubjectID.text(), Detail: r.Detail, Trail: automation.Trail(r.Trail),
		AutomationID: r.AutomationID.text(), MemberID: r.MemberID.text(), State: automation.JobState(r.State),
		Attempts: r.Attempts, RunAt: r.RunAt.UTC(), Result: r.Result, CreatedAt: r.CreatedAt.UTC(),
		EndedAt: timeOf(r.EndedAt), Lease: r.Lease, Event: eventOf(r.Event), Lookups: lookups,
		Facts: automation.Facts(r.Facts), Place: r.Place,
	}
}

// eventOf is an event as jobs name it.
func eventOf(stored string) automation.EventName {
	if e := automation.EventName(stored); e != automation.ContactCreated {
		return e
	}
	return ""
}

type jobs struct{ conn }

func (r jobs) Add(ctx context.Context, add ...automation.Job) error {
	if len(add) == 0 {
		return nil
	}
	rows := mapped(add, jobRowOf)
	// The parameters of a statement are limited: to 32 766 on SQLite, 65 535 on PostgreSQL.
	err := r.exec(ctx, "jobs.add", func(db *gorm.DB) error { return db.CreateInBatches(&rows, 1000).Error })
	for _, kind := range []automation.JobKind{automation.FanOut, automation.RunAutomation, automation.MailMember} {
		if slices.ContainsFunc(add, func(j automation.Job) bool { return j.Kind == kind && j.State == automation.Ready }) {
			r.due(kind)
		}
	}
	return err
}

func (r jobs) NextPlace(ctx context.Context, contactID string) (place int, err error) {
	err = r.inside(ctx, "jobs.nextPlace", func(db *gorm.DB) error {
		return db.Raw("SELECT COALESCE(MAX(place), -1) + 1 FROM jobs WHERE contact_id = ? AND state = "+
			literal(automation.Ready), contactID).Scan(&place).Error
	})
	return place, err
}

func (r jobs) Answers(ctx context.Context, contactID string, since time.Time, limit int) (n int, err error) {
	err = r.query(ctx, "jobs.answers", func(db *gorm.DB) error {
		some := db.Model(&jobRow{}).Select("id").Where("contact_id = ? AND created_at >= ?", contactID, stamp(since)).
			Where("kind <> " + literal(automation.FanOut) + " AND trail LIKE '%,%'"). // the last one is the run's own
			Where("(state <> " + literal(automation.Done) + " OR attempts > 0)").Limit(limit)
		return db.Table("(?) AS answers", some).Select("COUNT(*)").Scan(&n).Error
	})
	return n, err
}

// inTurn selects the runs that no earlier one of the same contact and automation precedes. An earlier event whose runs
// are still to be made may get one.
const inTurn = `contact_id = '` + noID + `' OR NOT EXISTS (
	SELECT 1 FROM jobs AS earlier
	WHERE earlier.contact_id = jobs.contact_id AND earlier.state = 'ready' AND earlier.event = jobs.event
		AND (earlier.kind = 'contact.created' OR earlier.automation_id = jobs.automation_id)
		AND (earlier.place < jobs.place OR earlier.place = jobs.place AND earlier.id < jobs.id))`

// ready selects the jobs of a kind that have not ended.
func ready(kind automation.JobKind) scope {
	return where("kind = ? AND state = "+literal(automation.Ready), string(kind))
}

// Claim finds and leases in one statement, so that no two workers get the same job.
func (r jobs) Claim(
	ctx context.Context, kind automation.JobKind, lease string, now, until time.Time, without []string, limit int,
) ([]automation.Job, error) {
	var rows []jobRow
	err := r.exec(ctx, "jobs.claim", func(db *gorm.DB) error {
		next := ready(kind)(db.Model(&jobRow{}).Select("id")).
			Where("run_at <= ? AND (lease_until IS NULL OR lease_until <= ?)", stamp(now), stamp(now))
		if len(without) > 0 {
			next = next.Where("automation_id NOT IN ?", without)
		}
		if kind == automation.RunAutomation {
			next = next.Where(inTurn)
		}
		next = locked("UPDATE", "SKIP LOCKED")(next).Order("run_at").Limit(limit)
		return db.Raw("UPDATE jobs SET lease = ?, lease_until = ?, attempts = attempts + 1 WHERE id IN (?) RETURNING "+jobColumns,
			lease, stamp(until), next).Scan(&rows).Error
	})
	return mapped(rows, jobRow.job), err
}

// Finish writes the jobs that end alike in one statement.
func (r jobs) Finish(ctx context.Context, done ...automation.Job) (int, error) {
	type outcome struct {
		lease  string
		state  automation.JobState
		runAt  time.Time
		result string
		ended  time.Time
	}
	var order []outcome
	ids := map[outcome][]uid{}
	for _, j := range done {
		o := outcome{j.Lease, j.State, stamp(j.RunAt), j.Result, stamp(j.EndedAt)}
		if j.State != automation.Ready {
			o.runAt = time.Time{} // an ended job keeps its RunAt
		}
		if ids[o] == nil {
			order = append(order, o)
		}
		ids[o] = append(ids[o], uid(j.ID))
	}
	written := 0
	for _, o := range order {
		values := map[string]any{
			"state": string(o.state), "result": o.result, "ended_at": o.ended, "lease": "", "lease_until": nil,
		}
		if o.state == automation.Ready {
			values["run_at"] = o.runAt
		}
		n, err := r.changed(ctx, "jobs.finish", func(db *gorm.DB) *gorm.DB {
			return db.Model(&jobRow{}).Where("id IN ? AND lease = ?", ids[o], o.lease).Updates(values)
		})
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, r.holdNext(ctx, done)
}

// holdNext puts off the runs that wait for one that is tried again, so that a claim need not look at them meanwhile.
func (r jobs) holdNext(ctx context.Context, failed []automation.Job) error {
	for _, j := range failed {
		if j.State != automation.Ready || j.ContactID == "" || j.AutomationID == "" {
			continue
		}
		_, err := r.changed(ctx, "jobs.finish", func(db *gorm.DB) *gorm.DB {
			return behind(db, j).Where("run_at < ?", stamp(j.RunAt)).Update("run_at", stamp(j.RunAt))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// behind selects the runs that wait for another one.
func behind(db *gorm.DB, j automation.Job) *gorm.DB {
	return db.Model(&jobRow{}).Where("contact_id = ? AND automation_id = ? AND state = "+literal(automation.Ready),
		j.ContactID, j.AutomationID).Where("attempts = 0 AND (place > ? OR place = ? AND id > ?)", j.Place, j.Place, j.ID)
}

func (r jobs) NameLookups(ctx context.Context, j automation.Job) error {
	n, err := r.changed(ctx, "jobs.nameLookups", func(db *gorm.DB) *gorm.DB {
		return db.Model(&jobRow{}).Where("id = ? AND lease = ?", j.ID, j.Lease).Update("lookups", strings.Join(j.Lookups, ","))
	})
	if err == nil && n == 0 {
		err = ports.ErrNotFound
	}
	return err
}

func (r jobs) Lock(ctx context.Context, kind automation.JobKind, limit int) ([]automation.Job, error) {
	return findAll(ctx, r.inside, "jobs.lock", jobRow.job, locked("UPDATE", "SKIP LOCKED"), ready(kind),
		func(db *gorm.DB) *gorm.DB { return db.Order("run_at").Limit(limit) })
}

func (r jobs) Remove(ctx context.Context, done ...automation.Job) error {
	ids := mapped(done, func(j automation.Job) string { return j.ID })
	_, err := r.changed(ctx, "jobs.remove", func(db *gorm.DB) *gorm.DB { return db.Delete(&jobRow{}, "id IN ?", ids) })
	return err
}

func (r jobs) Find(ctx context.Context, id string) (automation.Job, error) {
	return findOne(ctx, r.query, "jobs.find", jobRow.job, byID(id))
}

func (r jobs) Page(
	ctx context.Context, orgID string, f automation.JobFilter, after string, limit int,
) ([]automation.Job, error) {
	// CAST keeps SQLite, which has no statistics, from walking that column's index.
	org, rule := "org_id", "automation_id"
	switch {
	case f.State == automation.Dead && f.ContactID == "":
		rule = "CAST(automation_id AS text)"
	case f.AutomationID != "" || f.ContactID != "":
		org = "CAST(org_id AS text)"
	}
	scopes := []scope{where(org+" = ? AND kind <> "+literal(automation.FanOut), orgID), notOf(f.Without), newest(after, limit)}
	if f.AutomationID != "" {
		scopes = append(scopes, where(rule+" = ?", f.AutomationID))
	}
	if f.ContactID != "" {
		scopes = append(scopes, ofContact(f.ContactID))
	}
	switch f.State {
	case "":
	case automation.Dead:
		scopes = append(scopes, where("state = "+literal(automation.Dead))) // served by a partial index
	default:
		scopes = append(scopes, where("state = ?", string(f.State)))
	}
	return findAll(ctx, r.list, "jobs.page", jobRow.job, scopes...)
}

func (r jobs) Waiting(
	ctx context.Context, orgID string, now time.Time, without []string, limit int,
) ([]automation.Job, error) {
	const waits = " AND attempts > 0 AND lease_until IS NULL AND run_at > ?"
	failed := where("org_id = ? AND kind <> "+literal(automation.FanOut)+" AND state = "+literal(automation.Ready)+waits,
		orgID, stamp(now))
	return findAll(ctx, r.list, "jobs.waiting", jobRow.job, failed, notOf(without), func(db *gorm.DB) *gorm.DB {
		return db.Order("run_at").Limit(limit)
	})
}

// notOf excludes the jobs of some automations.
func notOf(without []string) scope {
	if len(without) == 0 {
		return func(db *gorm.DB) *gorm.DB { return db }
	}
	return where("(automation_id IS NULL OR automation_id NOT IN ?)", without)
}

func (r jobs) Revive(ctx context.Context, id string, now time.Time) (bool, error) {
	const op = "jobs.revive"
	n, err := r.changed(ctx, op, func(db *gorm.DB) *gorm.DB {
		const waits = "state = ? OR state = ? AND attempts > 0 AND lease_until IS NULL"
		return db.Model(&jobRow{}).Where("id = ?", id).Where(waits, string(automation.Dead), string(automation.Ready)).
			Updates(map[string]any{"state": string(automation.Ready), "attempts": 0, "run_at": stamp(now)})
	})
	if err != nil || n == 0 {
		return false, err
	}
	job, err := r.Find(ctx, id)
	r.due(job.Kind)
	if err != nil || job.ContactID == "" || job.AutomationID == "" {
		return err == nil, err
	}
	_, err = r.changed(ctx, op, func(db *gorm.DB) *gorm.DB {
		return behind(db, job).Where("run_at > ?", stamp(now)).Update("run_at", stamp(now))
	})
	return err == nil, err
}

func (r jobs) Forget(ctx context.Context, before time.Time) (int, error) {
	return r.changed(ctx, "jobs.forget", func(db *gorm.DB) *gorm.DB {
		old := db.Model(&jobRow{}).Select("id").Where("id < ? AND state = ?", firstID(before), string(automation.Done)).
			Order("id").Limit(forgetAtOnce)
		return db.Delete(&jobRow{}, "id IN (?)", old)
	})
}

// An event is a job written in the transaction that makes it true, provided that an automation listens at that moment:
// one added meanwhile hears of what commits after it. Whether any listens is looked up in the index, in the statement
// itself or once per organisation and transaction.

// addEventJobs writes the jobs of events on PostgreSQL.
var addEventJobs = manyOf(jobTable).then(" WHERE " + listening("a.org_id::uuid", "a.event"))

// queueJobs queues the jobs of events, and notes in queued whether an automation listened to one.
func queueJobs(batch *pgx.Batch, jobs []jobRow, queued *bool) {
	if written := queueRows(batch, addEventJobs, jobs); written != nil {
		written.Exec(func(done pgconn.CommandTag) error { *queued = *queued || done.RowsAffected() > 0; return nil })
	}
}

// job writes the job of an event, if an automation listens.
func (w *writer) job(row jobRow) {
	if w.exec(insertEventJob, append(jobTable.values(&row), row.OrgID, row.Event)...) > 0 {
		w.queued = true
	}
}

// jobTable writes jobs past GORM. insertJob and insertEventJob are its statements on SQLite, the latter for an event to
// which an automation listens.
var (
	jobTable       = tableOf(jobRow{})
	insertJob      = jobTable.insert()
	insertEventJob = jobTable.insertWhere(listening("?", "?"))
)
