package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

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
}

func (jobRow) TableName() string { return "jobs" }

func jobRowOf(j automation.Job) jobRow {
	return jobRow{
		ID: uid(j.ID), OrgID: uid(j.OrgID), Kind: string(j.Kind), ContactID: uid(j.ContactID), AutomationID: optional(j.AutomationID),
		MemberID: optional(j.MemberID), State: string(j.State), Attempts: j.Attempts, RunAt: stamp(j.RunAt), Result: j.Result,
		CreatedAt: stamp(j.CreatedAt), EndedAt: optionalTime(j.EndedAt),
	}
}

func (r jobRow) job() automation.Job {
	return automation.Job{
		ID: string(r.ID), OrgID: string(r.OrgID), Kind: automation.JobKind(r.Kind), ContactID: string(r.ContactID), AutomationID: r.AutomationID.text(),
		MemberID: r.MemberID.text(), State: automation.JobState(r.State), Attempts: r.Attempts, RunAt: r.RunAt.UTC(), Result: r.Result,
		CreatedAt: r.CreatedAt.UTC(), EndedAt: timeOf(r.EndedAt), Lease: r.Lease,
	}
}

type jobs struct{ conn }

func (r jobs) Add(ctx context.Context, add ...automation.Job) error {
	if len(add) == 0 {
		return nil
	}
	rows := mapped(add, jobRowOf)
	// A statement has so many parameters at most: 32 766 on SQLite, 65 535 on PostgreSQL.
	return r.exec(ctx, func(db *gorm.DB) error { return db.CreateInBatches(&rows, 1000).Error })
}

func (r jobs) Claim(ctx context.Context, kind automation.JobKind, lease string, now, until time.Time, without []string, limit int) ([]automation.Job, error) {
	var rows []jobRow
	err := r.exec(ctx, func(db *gorm.DB) error {
		next := db.Model(&jobRow{}).Select("id").
			Where("kind = ? AND state = 'ready' AND run_at <= ? AND (lease_until IS NULL OR lease_until <= ?)", string(kind), stamp(now), stamp(now))
		if len(without) > 0 {
			next = next.Where("automation_id NOT IN ?", without)
		}
		next = next.Order("run_at").Limit(limit)
		lock := ""
		if db.Name() == "postgres" {
			lock = " FOR UPDATE SKIP LOCKED" // SQLite has one writer
		}
		return db.Raw("UPDATE jobs SET lease = ?, lease_until = ?, attempts = attempts + 1 WHERE id IN (?"+lock+") RETURNING *",
			lease, stamp(until), next).Scan(&rows).Error
	})
	return mapped(rows, jobRow.job), err
}

// Jobs that end alike are written together.
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
			o.runAt = time.Time{} // an ended job keeps its own
		}
		if ids[o] == nil {
			order = append(order, o)
		}
		ids[o] = append(ids[o], uid(j.ID))
	}
	written := 0
	for _, o := range order {
		values := map[string]any{"state": string(o.state), "result": o.result, "ended_at": o.ended, "lease": "", "lease_until": nil}
		if o.state == automation.Ready {
			values["run_at"] = o.runAt
		}
		err := r.exec(ctx, func(db *gorm.DB) error {
			changed := db.Model(&jobRow{}).Where("id IN ? AND lease = ?", ids[o], o.lease).Updates(values)
			written += int(changed.RowsAffected)
			return changed.Error
		})
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

func (r jobs) Lock(ctx context.Context, kind automation.JobKind, now time.Time, limit int) ([]automation.Job, error) {
	var rows []jobRow
	err := r.query(ctx, func(db *gorm.DB) error {
		// SQLite has one writer and no row locks; its dialect leaves the clause out.
		return db.Clauses(clause.Locking{Strength: "UPDATE", Options: "SKIP LOCKED"}).
			Where("kind = ? AND state = 'ready' AND run_at <= ?", string(kind), stamp(now)).Order("run_at").Limit(limit).Find(&rows).Error
	})
	return mapped(rows, jobRow.job), err
}

func (r jobs) Remove(ctx context.Context, done ...automation.Job) error {
	return r.exec(ctx, func(db *gorm.DB) error {
		return db.Delete(&jobRow{}, "id IN ?", mapped(done, func(j automation.Job) string { return j.ID })).Error
	})
}

func (r jobs) Find(ctx context.Context, id string) (automation.Job, error) {
	var row jobRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error })
	return row.job(), err
}

func (r jobs) Page(ctx context.Context, orgID string, f ports.JobFilter, after string, limit int) ([]automation.Job, error) {
	var rows []jobRow
	err := r.query(ctx, func(db *gorm.DB) error {
		org := "org_id"
		if f.AutomationID != "" || f.ContactID != "" {
			org = "CAST(org_id AS text)" // keeps SQLite, which knows no better, from walking the index of the organisation
		}
		db = newest(db, after, limit).Where(org+" = ? AND kind <> 'contact.created'", orgID)
		if f.AutomationID != "" {
			db = db.Where("automation_id = ?", f.AutomationID)
		}
		if f.ContactID != "" {
			db = db.Where("contact_id = ?", f.ContactID)
		}
		if f.State != "" {
			db = db.Where("state = ?", string(f.State))
		}
		return db.Find(&rows).Error
	})
	return mapped(rows, jobRow.job), err
}

func (r jobs) Revive(ctx context.Context, id string, now time.Time) (bool, error) {
	n, err := r.affected(ctx, "UPDATE jobs SET state = 'ready', attempts = 0, run_at = ? WHERE id = ? AND state = 'dead'", stamp(now), id)
	return n > 0, err
}

func (r jobs) Forget(ctx context.Context, before time.Time) (int, error) {
	n, err := r.affected(ctx, "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE id < ? AND state = 'done' ORDER BY id LIMIT ?)", firstID(before), forgetAtOnce)
	return int(n), err
}
