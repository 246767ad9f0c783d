package automations

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/ports"
)

// JobRow is a job, or an event on its way to the rules.
type JobRow struct {
	ID           engine.UID `gorm:"primaryKey"`
	OrgID        engine.UID `gorm:"not null"`
	Kind         string     `gorm:"not null"`
	ContactID    engine.UID `gorm:"not null"`
	AutomationID *engine.UID
	MemberID     *engine.UID
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
	SubjectID *engine.UID
	Detail    string `gorm:"not null;default:''"`
	Trail     string `gorm:"not null;default:''"`
	Lookups   string `gorm:"not null;default:''"` // comma-separated ids
	Facts     string `gorm:"not null;default:''"`
	Place     int    `gorm:"not null;default:0"`
}

var jobColumns = engine.ColumnNames(JobRow{}, "jobs")

// TableName is the table of the row.
func (JobRow) TableName() string { return "jobs" }

// JobRowOf is the row of a job.
func JobRowOf(j automation.Job) JobRow {
	return JobRow{
		ID: engine.UID(j.ID), OrgID: engine.UID(j.OrgID), Kind: string(j.Kind),
		ContactID: engine.OrNoID(engine.Optional(j.ContactID)),
		Event:     string(cmp.Or(j.Event, automation.ContactCreated)), SubjectID: engine.Optional(j.SubjectID),
		Detail: j.Detail, Trail: string(j.Trail), Facts: string(j.Facts), Place: j.Place,
		AutomationID: engine.Optional(j.AutomationID), MemberID: engine.Optional(j.MemberID), State: string(j.State),
		Attempts: j.Attempts,
		RunAt:    engine.Stamp(j.RunAt), Result: j.Result, CreatedAt: engine.Stamp(j.CreatedAt),
		EndedAt: engine.OptionalTime(j.EndedAt),
	}
}

func (r JobRow) job() automation.Job {
	var lookups []string
	if r.Lookups != "" {
		lookups = strings.Split(r.Lookups, ",")
	}
	return automation.Job{
		ID: string(r.ID), OrgID: string(r.OrgID), Kind: automation.JobKind(r.Kind), ContactID: r.ContactID.Known(),
		SubjectID: r.SubjectID.Text(), Detail: r.Detail, Trail: automation.Trail(r.Trail),
		AutomationID: r.AutomationID.Text(), MemberID: r.MemberID.Text(), State: automation.JobState(r.State),
		Attempts: r.Attempts, RunAt: r.RunAt.UTC(), Result: r.Result, CreatedAt: r.CreatedAt.UTC(),
		EndedAt: engine.TimeOf(r.EndedAt), Lease: r.Lease, Event: eventOf(r.Event), Lookups: lookups,
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

func idOf(r JobRow) engine.UID  { return r.ID }
func orgOf(r JobRow) engine.UID { return r.OrgID }

type jobs struct{ engine.Conn }

func (r jobs) Add(ctx context.Context, add ...automation.Job) error {
	if len(add) == 0 {
		return nil
	}
	rows := engine.Mapped(add, JobRowOf)
	// The parameters of a statement are limited: to 32 766 on SQLite, 65 535 on PostgreSQL.
	err := r.Exec(ctx, "jobs.add", func(db *gorm.DB) error { return db.CreateInBatches(&rows, 1000).Error })
	for _, kind := range []automation.JobKind{automation.FanOut, automation.RunAutomation, automation.MailMember} {
		if slices.ContainsFunc(add, func(j automation.Job) bool { return j.Kind == kind && j.State == automation.Ready }) {
			r.MakeDue(kind)
		}
	}
	return err
}

func (r jobs) NextPlace(ctx context.Context, orgID, contactID string) (place int, err error) {
	err = r.Inside(ctx, "jobs.nextPlace", func(db *gorm.DB) error {
		waiting := db.Model(&JobRow{}).Where("contact_id = ? AND state = "+engine.Literal(automation.Ready), contactID)
		return engine.Routed(orgID)(waiting).Select("COALESCE(MAX(place), -1) + 1").Scan(&place).Error
	})
	return place, err
}

func (r jobs) Answers(ctx context.Context, orgID, contactID string, since time.Time, limit int) (n int, err error) {
	err = r.Query(ctx, "jobs.answers", func(db *gorm.DB) error {
		some := engine.Routed(orgID)(db.Model(&JobRow{}).Select("id")).
			Where("contact_id = ? AND created_at >= ?", contactID, engine.Stamp(since)).
			Where("kind <> " + engine.Literal(automation.FanOut) + " AND trail LIKE '%,%'"). // the last one is the run's own
			Where("(state <> " + engine.Literal(automation.Done) + " OR attempts > 0)").Limit(limit)
		return db.Table("(?) AS answers", some).Select("COUNT(*)").Scan(&n).Error
	})
	return n, err
}

// InTurn selects the runs that no earlier one of the same contact and automation precedes. An earlier event whose runs
// are still to be made may get one. On PostgreSQL an index of organisations would be walked if they were compared too,
// which Citus wants: it is SameOrg there, and empty elsewhere.
func InTurn(sameOrg string) string { return strings.Replace(inTurn, "{same organisation}", sameOrg, 1) }

// SameOrg is what InTurn compares on Citus.
const SameOrg = " AND earlier.org_id = jobs.org_id"

const inTurn = `contact_id = '` + engine.NoID + `' OR NOT EXISTS (
	SELECT 1 FROM jobs AS earlier
	WHERE earlier.contact_id = jobs.contact_id{same organisation} AND earlier.state = 'ready'
		AND earlier.event = jobs.event
		AND (earlier.kind = 'contact.created' OR earlier.automation_id = jobs.automation_id)
		AND (earlier.place < jobs.place OR earlier.place = jobs.place AND earlier.id < jobs.id))`

// ready selects the jobs of a kind that have not ended.
func ready(kind automation.JobKind) engine.Scope {
	return engine.Where("kind = ? AND state = "+engine.Literal(automation.Ready), string(kind))
}

func (r jobs) Attempts(ctx context.Context, orgID string, now time.Time) (out []string, err error) {
	err = r.Query(ctx, "jobs.attempts", func(db *gorm.DB) error {
		return db.Model(&JobRow{}).Select("CAST(id AS text) || ' ' || attempts").
			Where("kind <> "+engine.Literal(automation.FanOut)+" AND state = "+engine.Literal(automation.Ready)).
			Where("org_id = ? AND run_at <= ? AND lease_until > ?", orgID, engine.Stamp(now), engine.Stamp(now)).
			Scan(&out).Error
	})
	return out, err
}

// stillDue is what a job that could not be locked must still be when it is leased; the organisations lead to its node.
// Beside a subquery that locks and has a limit it would let PostgreSQL run that once for each job, and lease more than
// the limit.
var stillDue = " AND org_id IN @orgs AND state = " + engine.Literal(automation.Ready) +
	" AND run_at <= @now AND (lease_until IS NULL OR lease_until <= @now)"

// Claim finds and leases in one statement, so that no two workers get the same job.
func (r jobs) Claim(
	ctx context.Context, kind automation.JobKind, lease string, now, until time.Time, without []string, limit int,
) ([]automation.Job, error) {
	var rows []JobRow
	at := engine.Stamp(now)
	err := r.Exec(ctx, "jobs.claim", func(db *gorm.DB) error {
		next := ready(kind)(db.Model(&JobRow{}).Select("id")).
			Where("run_at <= ? AND (lease_until IS NULL OR lease_until <= ?)", at, at)
		if len(without) > 0 {
			next = next.Where("automation_id NOT IN ?", without)
		}
		if kind == automation.RunAutomation {
			next = next.Where(InTurn(engine.OnCitus(db, SameOrg)))
		}
		next = engine.LockedAlone("UPDATE", "SKIP LOCKED")(next).Order("run_at").Limit(limit)
		var ids any = next
		var orgs []string
		if engine.Distributed(db) { // else each poll would write on all nodes
			var found []JobRow
			if err := next.Select("id, org_id").Find(&found).Error; err != nil || len(found) == 0 {
				return err
			}
			ids, orgs = engine.Mapped(found, idOf), engine.Distinct(found, orgOf)
		}
		return db.Raw("UPDATE jobs SET lease = @lease, lease_until = @until, attempts = attempts + 1 WHERE id IN (@ids)"+
			engine.OnCitus(db, stillDue)+" RETURNING "+jobColumns,
			map[string]any{"lease": lease, "until": engine.Stamp(until), "ids": ids, "now": at, "orgs": orgs}).Scan(&rows).Error
	})
	return engine.Mapped(rows, JobRow.job), err
}

// Finish writes the jobs that end alike in one statement.
func (r jobs) Finish(ctx context.Context, done ...automation.Job) (int, error) {
	type outcome struct {
		org    string // on Citus alone
		lease  string
		state  automation.JobState
		runAt  time.Time
		result string
		ended  time.Time
	}
	var order []outcome
	ids := map[outcome][]engine.UID{}
	for _, j := range done {
		o := outcome{"", j.Lease, j.State, engine.Stamp(j.RunAt), j.Result, engine.Stamp(j.EndedAt)}
		if engine.Distributed(r.Writer) {
			o.org = j.OrgID
		}
		if j.State != automation.Ready {
			o.runAt = time.Time{} // an ended job keeps its RunAt
		}
		if ids[o] == nil {
			order = append(order, o)
		}
		ids[o] = append(ids[o], engine.UID(j.ID))
	}
	written := 0
	for _, o := range order {
		values := map[string]any{
			"state": string(o.state), "result": o.result, "ended_at": o.ended, "lease": "", "lease_until": nil,
		}
		if o.state == automation.Ready {
			values["run_at"] = o.runAt
		}
		n, err := r.ExecCount(ctx, "jobs.finish", func(db *gorm.DB) *gorm.DB {
			return engine.Routed(o.org)(db.Model(&JobRow{})).Where("id IN ? AND lease = ?", ids[o], o.lease).Updates(values)
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
		_, err := r.ExecCount(ctx, "jobs.finish", func(db *gorm.DB) *gorm.DB {
			return behind(db, j).Where("run_at < ?", engine.Stamp(j.RunAt)).Update("run_at", engine.Stamp(j.RunAt))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// behind selects the runs that wait for another one.
func behind(db *gorm.DB, j automation.Job) *gorm.DB {
	return engine.Routed(j.OrgID)(db.Model(&JobRow{})).
		Where("contact_id = ? AND automation_id = ? AND state = "+engine.Literal(automation.Ready), j.ContactID, j.AutomationID).Where("attempts = 0 AND (place > ? OR place = ? AND id > ?)", j.Place, j.Place, j.ID)
}

func (r jobs) NameLookups(ctx context.Context, j automation.Job) error {
	n, err := r.ExecCount(ctx, "jobs.nameLookups", func(db *gorm.DB) *gorm.DB {
		return engine.Routed(j.OrgID)(db.Model(&JobRow{})).Where("id = ? AND lease = ?", j.ID, j.Lease).
			Update("lookups", strings.Join(j.Lookups, ","))
	})
	if err == nil && n == 0 {
		err = ports.ErrNotFound
	}
	return err
}

func (r jobs) Lock(ctx context.Context, kind automation.JobKind, limit int) ([]automation.Job, error) {
	var found []automation.Job
	err := r.Inside(ctx, "jobs.lock", func(db *gorm.DB) error {
		next := ready(kind)(db.Session(&gorm.Session{NewDB: true}).Model(&JobRow{})).Order("run_at").Session(&gorm.Session{})
		return engine.EachOrg(next, func(of engine.Scope) (bool, error) {
			var rows []JobRow
			err := of(engine.Locked("UPDATE", "SKIP LOCKED")(next)).Limit(limit - len(found)).Find(&rows).Error
			found = append(found, engine.Mapped(rows, JobRow.job)...)
			return len(found) == limit, err
		})
	})
	return found, err
}

func (r jobs) Remove(ctx context.Context, done ...automation.Job) error {
	rows := engine.Mapped(done, JobRowOf)
	_, err := r.ExecCount(ctx, "jobs.remove", func(db *gorm.DB) *gorm.DB {
		return engine.RoutedAny(engine.Distinct(rows, orgOf))(db).Delete(&JobRow{}, "id IN ?", engine.Mapped(rows, idOf))
	})
	return err
}

func (r jobs) Find(ctx context.Context, orgID, id string) (automation.Job, error) {
	return engine.FindOne(ctx, r.Query, "jobs.find", JobRow.job, engine.Of(orgID, id))
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
	scopes := []engine.Scope{engine.Where(org+" = ? AND kind <> "+engine.Literal(automation.FanOut), orgID),
		notOf(f.Without), engine.Newest(after, limit)}
	if f.AutomationID != "" {
		scopes = append(scopes, engine.Where(rule+" = ?", f.AutomationID))
	}
	if f.ContactID != "" {
		scopes = append(scopes, contacts.OfContact(orgID, f.ContactID))
	}
	switch f.State {
	case "":
	case automation.Dead:
		scopes = append(scopes, engine.Where("state = "+engine.Literal(automation.Dead))) // served by a partial index
	default:
		scopes = append(scopes, engine.Where("state = ?", string(f.State)))
	}
	return engine.FindAll(ctx, r.QueryList, "jobs.page", JobRow.job, scopes...)
}

func (r jobs) Waiting(
	ctx context.Context, orgID string, now time.Time, without []string, limit int,
) ([]automation.Job, error) {
	const waits = " AND attempts > 0 AND lease_until IS NULL AND run_at > ?"
	failed := engine.Where("org_id = ? AND kind <> "+engine.Literal(automation.FanOut)+" AND state = "+engine.Literal(automation.Ready)+waits,
		orgID, engine.Stamp(now))
	return engine.FindAll(ctx, r.QueryList, "jobs.waiting", JobRow.job, failed, notOf(without),
		func(db *gorm.DB) *gorm.DB {
			return db.Order("run_at").Limit(limit)
		})
}

// notOf excludes the jobs of some automations.
func notOf(without []string) engine.Scope {
	if len(without) == 0 {
		return func(db *gorm.DB) *gorm.DB { return db }
	}
	return engine.Where("(automation_id IS NULL OR automation_id NOT IN ?)", without)
}

func (r jobs) Revive(ctx context.Context, orgID, id string, now time.Time) (bool, error) {
	const op = "jobs.revive"
	n, err := r.ExecCount(ctx, op, func(db *gorm.DB) *gorm.DB {
		const waits = "state = ? OR state = ? AND attempts > 0 AND lease_until IS NULL"
		return engine.Of(orgID, id)(db.Model(&JobRow{})).Where(waits, string(automation.Dead), string(automation.Ready)).
			Updates(map[string]any{"state": string(automation.Ready), "attempts": 0, "run_at": engine.Stamp(now)})
	})
	if err != nil || n == 0 {
		return false, err
	}
	job, err := r.Find(ctx, orgID, id)
	r.MakeDue(job.Kind)
	if err != nil || job.ContactID == "" || job.AutomationID == "" {
		return err == nil, err
	}
	_, err = r.ExecCount(ctx, op, func(db *gorm.DB) *gorm.DB {
		return behind(db, job).Where("run_at > ?", engine.Stamp(now)).Update("run_at", engine.Stamp(now))
	})
	return err == nil, err
}

func (r jobs) Forget(ctx context.Context, before time.Time) (int, error) {
	return r.ForgetSome(ctx, "jobs.forget", JobRow{},
		engine.Where("id < ? AND state = ?", engine.FirstID(before), string(automation.Done)), engine.Order("id"))
}

// An event is a job written in the transaction that makes it true, provided that an automation listens at that moment:
// one added meanwhile hears of what begins after it, on SQLite also of what commits after it. Whether any listens is
// looked up in the index, in the statement itself or once per organisation and transaction.

// addEventJobs writes the jobs of events on PostgreSQL, and addJobs those that are listened to.
var (
	addJobs      = engine.ManyOf(JobTable)
	addEventJobs = addJobs.Then(" WHERE " + Listening("a.org_id::uuid", "a.event"))
	askListens   = "SELECT " + Listening("$1::text::uuid", "$2::text")
)

// QueueJobs queues the jobs of an event, and notes in queued whether an automation listened to one. On Citus, where all
// are of one organisation, it asks before.
func QueueJobs(ctx context.Context, tx pgx.Tx, batch *engine.Batch, jobs []JobRow, queued *bool) error {
	if batch.Divided && len(jobs) > 0 {
		err := tx.QueryRow(ctx, askListens, jobs[0].OrgID, jobs[0].Event).Scan(queued)
		if err == nil && *queued {
			engine.QueueRows(batch, addJobs, jobs)
		}
		return err
	}
	if written := engine.QueueRows(batch, addEventJobs, jobs); written != nil {
		written.Exec(func(done pgconn.CommandTag) error { *queued = *queued || done.RowsAffected() > 0; return nil })
	}
	return nil
}

// WriteJob writes the job of an event, if an automation listens.
func WriteJob(w *engine.SQLiteTx, row JobRow) {
	if w.Exec(insertEventJob, append(JobTable.Values(&row), row.OrgID, row.Event)...) > 0 {
		w.Queued = true
	}
}

// Heard are organisations of which it is known whether an automation listens to an event.
type Heard map[[2]string]bool

// In reports whether an enabled automation of an organisation is for an event, and asks once in a transaction.
func (h Heard) In(w *engine.SQLiteTx, org engine.UID, event automation.EventName) bool {
	of := [2]string{string(org), string(event)}
	yes, asked := h[of]
	if !asked {
		var one int
		yes = w.Row(AskListens, []any{org, string(event)}, &one)
		h[of] = yes
	}
	return yes
}

// JobTable writes jobs past GORM. insertJob and insertEventJob are its statements on SQLite, the latter for an event to
// which an automation listens.
var (
	JobTable       = engine.TableOf(JobRow{})
	InsertJob      = JobTable.Insert()
	insertEventJob = JobTable.InsertWhere(Listening("?", "?"))
)
