package gormstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/lookups"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
)

// Finding is an invariant of the data, and how often it is broken.
type Finding struct {
	// Name says in English what must hold.
	Name string
	// Violations is how many rows or groups break it; zero when all is well.
	Violations int64
	// IDs are the first violations: ids of rows, or the ids that groups are made by.
	IDs []string
	// Served says that it is no fault of the data: a service that runs sees to it, or says to whoever can. It need not
	// hold before one has run on a restored copy.
	Served bool
}

// NamedMost is how many ids a finding lists at most.
const NamedMost = 20

// sameOrg is where Citus compares the organisations of two tables. SQLite, which has no statistics, would walk the
// index of one, row by row.
var sameOrg = regexp.MustCompile(`\{ and of (\w+), (\w+)\}`)

// ofOf is the statement for a database.
func ofOf(i engine.Invariant, db *gorm.DB) string {
	broken := sameOrg.ReplaceAllString(i.Broken, engine.OnCitus(db, " AND $1.org_id = $2.org_id"))
	return strings.NewReplacer("{hour of at}", engine.HourOfColumn(db.Name(), "at"),
		"{hour of created_at}", engine.HourOfColumn(db.Name(), "created_at"),
		"{hour}", "CASE WHEN hour >= @unfolded THEN hour END").Replace(broken)
}

// invariants are what must hold between any two transactions. Each statement selects what breaks one; {hour of …} is
// the beginning of a time's hour in UTC, and {hour} an hour that is certainly not counted with its day, or NULL: what
// is older is compared as a whole.
//
// A post may also name contacts that already existed: a contact has the time of the delivery that made it.
var invariants = []engine.Invariant{
	{Name: "a webhook's counter equals the number of its contacts, including removed ones", Broken: `
		SELECT webhook_id FROM (
			SELECT webhook_id, SUM(received) AS n FROM webhook_counters GROUP BY webhook_id
			UNION ALL SELECT webhook_id, -COUNT(*) FROM removed_contacts WHERE webhook_id IS NOT NULL GROUP BY webhook_id
			UNION ALL SELECT webhook_id, -COUNT(*) FROM contacts WHERE webhook_id IS NOT NULL GROUP BY webhook_id
		) AS both_counts GROUP BY webhook_id HAVING SUM(n) <> 0`},
	{Name: "a webhook's hourly figures match its deliveries, while deliveries are kept", Broken: `
		SELECT webhook_id FROM (
			SELECT webhook_id, hour, accepted, repeated, refused FROM delivery_hours WHERE hour >= @compared
			UNION ALL SELECT webhook_id, {hour of at} AS hour, -` + engine.CountOf("outcome", webhook.Accepted) + `,
				-` + engine.CountOf("outcome", webhook.Repeated) + `, -` + engine.CountOf("outcome", webhook.Refused) + `
				FROM deliveries WHERE {hour of at} >= @compared GROUP BY webhook_id, {hour of at}
		) AS both_counts GROUP BY webhook_id, {hour}
		HAVING SUM(accepted) <> 0 OR SUM(repeated) <> 0 OR SUM(refused) <> 0`},
	{Name: "an organisation's hourly figures match its contacts", Broken: `
		SELECT org_id FROM (
			SELECT org_id, hour, webhook_id, origin_id, contacts FROM contact_hours
			UNION ALL SELECT org_id, {hour of created_at} AS hour, COALESCE(webhook_id, '` + engine.NoID + `'),
				COALESCE(origin_id, '` + engine.NoID + `'), -COUNT(*)
				FROM contacts GROUP BY org_id, {hour of created_at}, webhook_id, origin_id
		) AS both_counts GROUP BY org_id, {hour}, webhook_id, origin_id HAVING SUM(contacts) <> 0`},
	{Name: "an organisation's audit has as many lines as its head says", Broken: `
		SELECT id FROM (
			SELECT id, number - removed_number AS n FROM audit_heads
			UNION ALL SELECT org_id, -COUNT(*) FROM audit_lines GROUP BY org_id
		) AS both_counts GROUP BY id HAVING SUM(n) <> 0`},
	{Name: "a stage's totals match its contacts", Broken: `
		SELECT stage_id FROM (
			SELECT stage_id, contacts, high, low FROM stage_totals
			UNION ALL SELECT stage_id, -COUNT(*), -SUM(amount >> 20), -SUM(amount & 1048575) FROM contacts GROUP BY stage_id
		) AS both_counts GROUP BY stage_id HAVING SUM(contacts) <> 0 OR SUM(high) <> 0 OR SUM(low) <> 0`},
	{Name: "a contact with documents is found by the first, and one without by none", Broken: `
		SELECT c.id FROM contacts c
		WHERE c.doc_index IS NOT NULL AND NOT EXISTS (SELECT 1 FROM contact_documents d
			WHERE d.org_id = c.org_id AND d.doc_index = substr(c.doc_index, 1, 32) AND d.contact_id = c.id)
		UNION ALL SELECT d.contact_id FROM contact_documents d
		WHERE NOT EXISTS (SELECT 1 FROM contacts c WHERE c.id = d.contact_id AND c.org_id = d.org_id
			AND c.doc_index IS NOT NULL)`},
	{Name: "a contact's history has its creation once", Broken: `
		SELECT contact_id FROM contact_events WHERE kind = ` + engine.Literal(crm.ContactCreated) + `
		GROUP BY contact_id HAVING COUNT(*) > 1`},
	{Name: "a contact has one accepted delivery, while deliveries are kept", Broken: `
		SELECT c.id FROM contacts c LEFT JOIN (
			SELECT id, contact_id, at FROM deliveries WHERE outcome = ` + engine.Literal(webhook.Accepted) + `
			UNION ALL SELECT d.id, o.contact_id, d.at FROM delivery_contacts o
				JOIN deliveries d ON d.id = o.delivery_id{ and of o, d} WHERE d.outcome = ` + engine.Literal(webhook.Accepted) + `
		) AS d ON d.contact_id = c.id AND d.at = c.created_at
		WHERE c.webhook_id IS NOT NULL AND c.created_at > @kept GROUP BY c.id HAVING COUNT(d.id) <> 1`},
	{Name: "a removed contact is not in contacts, and the one it was merged into is, or was itself removed", Broken: `
		SELECT r.id FROM removed_contacts r WHERE EXISTS (
			SELECT 1 FROM contacts c WHERE c.id = r.id{ and of c, r})
		OR r.into_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM contacts c WHERE c.id = r.into_id{ and of c, r})
			AND NOT EXISTS (SELECT 1 FROM removed_contacts o WHERE o.id = r.into_id{ and of o, r})`},
	{Name: "history, notifications, jobs and receipts belong to contacts that exist or existed", Broken: `
		SELECT contact_id FROM (
			SELECT org_id, contact_id FROM contact_events UNION ALL SELECT org_id, contact_id FROM notifications
			UNION ALL SELECT org_id, contact_id FROM jobs
		) AS mine WHERE contact_id <> '` + engine.NoID + `'
		AND NOT EXISTS (SELECT 1 FROM contacts c WHERE c.id = mine.contact_id{ and of c, mine})
		AND NOT EXISTS (SELECT 1 FROM removed_contacts r WHERE r.id = mine.contact_id{ and of r, mine})
		UNION ALL SELECT contact_id FROM (
			SELECT contact_id FROM receipts EXCEPT SELECT id FROM contacts EXCEPT SELECT id FROM removed_contacts
		) AS received`},
	{Name: "no page whose leads are fetched has a dead token", Served: true, Broken: `
		SELECT s.id FROM lead_sources s JOIN webhooks w ON w.id = s.webhook_id AND w.enabled
		WHERE s.state = ` + engine.Literal(webhook.SourceDead)},
	{Name: "a rotation's turns match the contacts that its members received", Broken: `
		SELECT rotation_id FROM (
			SELECT rotation_id, turn AS n FROM rotation_turns
			UNION ALL SELECT rotation_id, -SUM(contacts) FROM rotation_counts GROUP BY rotation_id
		) AS both_counts GROUP BY rotation_id HAVING SUM(n) <> 0`},
	{Name: "a webhook's rotation exists and belongs to its organisation", Broken: `
		SELECT w.id FROM webhooks w WHERE w.rotation_id IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM rotations r WHERE r.id = w.rotation_id AND r.org_id = w.org_id)`},
	{Name: "a contact's stage, assignee and origin exist and belong to its organisation", Broken: `
		SELECT c.id FROM contacts c
		WHERE NOT EXISTS (
			SELECT 1 FROM stages s JOIN funnels f ON f.id = s.funnel_id WHERE s.id = c.stage_id AND f.org_id = c.org_id)
		OR c.assignee_id IS NOT NULL AND NOT EXISTS (
			SELECT 1 FROM members m WHERE m.id = c.assignee_id AND m.org_id = c.org_id)
		OR c.origin_id IS NOT NULL AND NOT EXISTS (
			SELECT 1 FROM origins o WHERE o.id = c.origin_id AND o.org_id = c.org_id)`},
	{Name: "a contact older than an hour is in the search index, as far as the index has been filled", Broken: `
		SELECT c.id FROM contacts c JOIN contact_index i ON c.id <= i.up_to
		WHERE c.created_at < @hourAgo AND NOT EXISTS (
			SELECT 1 FROM contact_words w WHERE w.contact_id = c.id{ and of c, w})`},
	{Name: "the search index has only contacts that exist", Broken: `
		SELECT contact_id FROM contact_words w WHERE NOT EXISTS (
			SELECT 1 FROM contacts c WHERE c.id = w.contact_id{ and of c, w})`},
	{Name: "an organisation has one default funnel, with an entry stage", Broken: `
		SELECT o.id FROM organisations o LEFT JOIN funnels f ON f.org_id = o.id AND f.is_default
		LEFT JOIN stages s ON s.funnel_id = f.id AND s.position = 0
		GROUP BY o.id HAVING COUNT(s.id) <> 1`},
	{Name: "no job is overdue by more than an hour", Served: true, Broken: `
		SELECT id FROM jobs WHERE state = ` + engine.Literal(automation.Ready) + ` AND run_at < @hourAgo
		AND (lease_until IS NULL OR lease_until < @hourAgo)
		AND (kind <> ` + engine.Literal(automation.RunAutomation) + ` OR ` + automations.InTurn("{ and of earlier, jobs}") + `)`},
	{Name: "the charges of a key match its statement, as do those of members, batches, automations and comparisons", Broken: `
		SELECT key_id FROM (
			-- What an agent's session reserved is there before, and after a crash without, its lookup.
			SELECT key_id, bucket, count AS n, amount AS a FROM key_usage
				WHERE bucket NOT IN ('` + lookup.AgentBucket + `', '` + lookup.EndedBucket + `')
			UNION ALL SELECT key_id, day, ` + reserved + ` FROM lookups
				WHERE charged AND key_id IS NOT NULL GROUP BY key_id, day
			UNION ALL SELECT key_id, month, ` + reserved + ` FROM lookups
				WHERE charged AND key_id IS NOT NULL GROUP BY key_id, month
			UNION ALL SELECT key_id, ` + engine.Literal(lookups.Total) + `, ` + reserved + ` FROM lookups
				WHERE charged AND key_id IS NOT NULL GROUP BY key_id
			UNION ALL SELECT batch_id, ` + "'" + lookup.BatchBucket + "'" + `, ` + reserved + ` FROM lookups
				WHERE charged AND batch_id IS NOT NULL GROUP BY batch_id
			UNION ALL SELECT automation_id, month, ` + reserved + ` FROM lookups
				WHERE charged AND automation_id IS NOT NULL GROUP BY automation_id, month
			UNION ALL SELECT '` + engine.NoID + `', '` + lookup.Comparisons + `' || month || ':' || product, ` + reserved + `
				FROM lookups WHERE charged AND compared GROUP BY month, product
			-- Months of before budgets are not counted for members.
			UNION ALL SELECT member_id, month, ` + reserved + ` FROM lookups
				WHERE charged AND member_id IS NOT NULL AND (member_id, month) IN (SELECT key_id, bucket FROM key_usage)
				GROUP BY member_id, month
		) AS both_counts GROUP BY key_id, bucket HAVING SUM(n) <> 0 OR SUM(a) <> 0`},
	{Name: "an organisation's hourly figures match its lookups", Broken: `
		SELECT org_id FROM (
			SELECT org_id, hour, product, charged, cached, amount FROM lookup_hours
			UNION ALL SELECT org_id, {hour of at} AS hour, product, -COUNT(CASE WHEN charged THEN 1 END),
				-COUNT(CASE WHEN cache THEN 1 END), -SUM(amount)
				FROM lookups WHERE charged OR cache GROUP BY org_id, {hour of at}, product
		) AS both_counts GROUP BY org_id, {hour}, product
		HAVING SUM(charged) <> 0 OR SUM(cached) <> 0 OR SUM(amount) <> 0`},
	{Name: "a batch's counters match its items", Broken: `
		SELECT b.id FROM batches b LEFT JOIN (
			SELECT org_id, batch_id, COUNT(*) AS n, ` + engine.CountOf("state", batch.Repeat) + ` AS repeated,
				` + engine.CountOf("state", batch.Invalid) + ` AS invalid,
				` + engine.CountOf("state", batch.Answered) + ` AS answered,
				COUNT(CASE WHEN state IN (` + engine.Literal(batch.Failed) + ", " + engine.Literal(batch.NoAnswer) + `) THEN 1 END) AS failed
			FROM batch_items GROUP BY org_id, batch_id
		) AS i ON i.batch_id = b.id{ and of i, b}
		WHERE b.status <> ` + engine.Literal(batch.Preparing) + `
		-- What never ran loses its items some time after it ended.
		AND (b.started_at IS NOT NULL
			OR b.status NOT IN (` + engine.Literal(batch.Expired) + ", " + engine.Literal(batch.Cancelled) + `))
		AND (b.total <> COALESCE(n, 0)
			OR b.repeated <> COALESCE(i.repeated, 0) OR b.invalid <> COALESCE(i.invalid, 0)
			OR b.ended <> COALESCE(answered + i.failed, 0) OR b.failed <> COALESCE(i.failed, 0)
			OR b.charged + b.free <> b.ended OR b.total <> b.valid + b.repeated + b.invalid)`},
	{Name: "an organisation's daily charges match its statement", Broken: `
		SELECT org_id FROM (
			SELECT org_id, day, key_id, product, charged, amount FROM spend_days
			UNION ALL SELECT org_id, day, COALESCE(key_id, '` + engine.NoID + `'), product, -COUNT(*), -SUM(amount)
				FROM lookups WHERE charged GROUP BY org_id, day, key_id, product
		) AS both_counts GROUP BY org_id, day, key_id, product HAVING SUM(charged) <> 0 OR SUM(amount) <> 0`},
	{Name: "a member's daily charges match their statement", Broken: `
		SELECT member_id FROM (
			SELECT org_id, member_id, day, product, charged, amount FROM member_days
			UNION ALL SELECT org_id, member_id, day, product, -COUNT(*), -SUM(amount)
				FROM lookups WHERE charged AND member_id IS NOT NULL GROUP BY org_id, member_id, day, product
		) AS both_counts GROUP BY org_id, member_id, day, product HAVING SUM(charged) <> 0 OR SUM(amount) <> 0`},
	{Name: "what is charged a day, by asker, purpose, automation, batch and bureau, matches the statement", Broken: `
		SELECT org_id FROM (
			SELECT ` + lookups.ChargeParts + `, charged, amount FROM charge_days
			UNION ALL SELECT org_id, day,
				COALESCE(key_id, '` + engine.NoID + `'), COALESCE(member_id, '` + engine.NoID + `'),
				COALESCE(automation_id, '` + engine.NoID + `'), COALESCE(batch_id, '` + engine.NoID + `'),
				purpose, bureau, product, -COUNT(*), -SUM(amount)
				FROM lookups WHERE charged GROUP BY ` + lookups.ChargeParts + `
		) AS both_counts GROUP BY ` + lookups.ChargeParts + ` HAVING SUM(charged) <> 0 OR SUM(amount) <> 0`},
	// What a bureau has posted waits for an instance that can read it.
	{Name: "no lookup is still running a minute after it should have been settled", Served: true, Broken: `
		SELECT id FROM lookups WHERE status = ` + engine.Literal(lookup.Running) + ` AND settle_at < @minuteAgo
		AND id NOT IN (SELECT a.id FROM later_answers a WHERE a.reply IS NOT NULL)`},
	{Name: "a completed erasure no longer identifies the person", Broken: `
		SELECT id FROM erasures WHERE state = ` + engine.Literal(privacy.Done) + ` AND (content IS NOT NULL OR ended_at IS NULL)`},
	{Name: "free entries of the statement cost nothing",
		Broken: `SELECT id FROM lookups WHERE NOT charged AND amount <> 0`},
	{Name: "a bureau's answer is in the statement", Broken: `
		SELECT r.id FROM records r WHERE NOT EXISTS (
			SELECT 1 FROM lookups l WHERE l.record_id = COALESCE(r.of_id, r.id) AND NOT l.cache{ and of l, r})`},
	{Name: "answers in the statement are in the history, while answers are kept", Broken: `
		SELECT l.id FROM lookups l WHERE l.record_id IS NOT NULL
		AND l.record_id >= (SELECT up_to FROM privacy_marks WHERE name = 'records')
		AND NOT EXISTS (SELECT 1 FROM records r WHERE r.id = l.record_id{ and of r, l})`},
}

// reserved is what an account has of a charged entry: also what is reserved while it runs.
const reserved = "-SUM(CASE WHEN status = '" + string(lookup.Running) + "' THEN 1 + spare_calls ELSE 1 END), " +
	"-SUM(CASE WHEN status = '" + string(lookup.Running) + "' THEN amount + spare ELSE amount END)"

// Check tests all invariants of the data in one snapshot, beside a running service. It reads whole tables, so it takes
// its time.
func (s *Store) Check(ctx context.Context, now time.Time) ([]Finding, error) {
	all := slices.Concat(invariants, limitInvariants)
	options := &sql.TxOptions{ReadOnly: true}
	if s.IsPostgres() {
		if !s.Distributed.Load() { // the nodes of Citus share no snapshot: see counted
			options.Isolation = sql.LevelRepeatableRead
		}
		all = append(all, engine.PartitionInvariants...)
	} else {
		options = nil // a transaction on SQLite is a snapshot
	}
	out := make([]Finding, len(all)+1)
	now, err := s.Repos().Clock.Now(ctx, now)
	if err != nil {
		return nil, err
	}
	return out, engine.Named("store.check", engine.Classify(s.Reader.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if s.IsPostgres() {
			if err := tx.Exec("SET LOCAL statement_timeout = 0").Error; err != nil {
				return err
			}
		}
		kept, err := deliveriesSince(tx, now)
		if err != nil {
			return err
		}
		compared, err := deliveriesCompared(tx, kept)
		if err != nil {
			return err
		}
		times := map[string]any{
			// Yesterday, which has not been folded, began at least 23 hours ago.
			"kept": kept, "compared": compared, "unfolded": engine.HourOf(now.Add(-22 * time.Hour)),
			"hourAgo":   engine.Stamp(now.Add(-time.Hour)),
			"minuteAgo": engine.Stamp(now.Add(-time.Minute)), "tomorrow": engine.FirstID(now.AddDate(0, 0, 1)),
		}
		for i, invariant := range all {
			out[i].Name, out[i].Served = invariant.Name, invariant.Served
			broken := ofOf(invariant, tx)
			var values []any
			if strings.Contains(broken, "@") {
				values = append(values, times)
			}
			count := "SELECT COUNT(*) FROM (" + broken + ") AS broken"
			if out[i].Violations, err = counted(tx, count, values); err != nil {
				return err
			}
			if out[i].Violations > 0 {
				first := fmt.Sprintf("SELECT * FROM (%s) AS broken LIMIT %d", broken, NamedMost)
				if err := tx.Raw(first, values...).Scan(&out[i].IDs).Error; err != nil {
					return err
				}
			}
		}
		out[len(all)], err = s.checkAutomations(tx)
		return err
	}, options)))
}

// counted counts what breaks an invariant. On Citus, a commit is seen on one node before another: there only what stays
// broken counts.
func counted(tx *gorm.DB, count string, values []any) (n int64, err error) {
	const tries = 10
	for try := 1; ; try++ {
		err = tx.Raw(count, values...).Scan(&n).Error
		if err != nil || n == 0 || try == tries || !engine.Distributed(tx) {
			return n, err
		}
		if err := engine.Pause(tx.Statement.Context, 200*time.Millisecond); err != nil {
			return n, err
		}
	}
}

// CheckSealed opens every encrypted value, with one finding per column. It reads everything, in small steps, beside a
// running service.
func (s *Store) CheckSealed(ctx context.Context) ([]Finding, error) {
	columns := s.sealed()
	out := make([]Finding, len(columns))
	for i, c := range columns {
		out[i].Name = c.Table + "." + c.Column + " can be decrypted"
		for last := engine.BeforeAll; last != ""; {
			rows, next, err := s.sealedAfter(ctx, c.Table, c.Column, last)
			if err != nil {
				return out, engine.Named("store.checkSealed", engine.Classify(err))
			}
			for _, row := range rows {
				if _, err := s.Vault.Open(row.Value, c.Table+"|"+c.Column+"|"+row.ID); err == nil {
					continue
				}
				if out[i].Violations++; len(out[i].IDs) < NamedMost {
					out[i].IDs = append(out[i].IDs, row.ID)
				}
			}
			last = next
		}
	}
	return out, nil
}

// sealedValue is an encrypted value of one row.
type sealedValue struct {
	ID    string
	Value []byte
}

// sealedAfter reads one step of a column, the rows by id after last, and returns the last id of the step, or nothing at
// the end.
func (s *Store) sealedAfter(
	ctx context.Context, table, column, last string,
) (rows []sealedValue, next string, err error) {
	ctx, cancel := context.WithTimeout(ctx, engine.Timeout())
	defer cancel()
	db := s.Reader.WithContext(ctx)
	if next, err = engine.EndOfStep(db, table, last, engine.StepRows); err != nil {
		return nil, "", err
	}
	find := fmt.Sprintf("SELECT id, %[2]s AS value FROM %[1]s WHERE id > ? AND id <= ? AND %[2]s IS NOT NULL", table,
		column)
	err = db.Raw(find, last, cmp.Or(next, engine.AfterAll)).Scan(&rows).Error
	return rows, next, err
}

// deliveriesSince is the time since which every delivery is still stored: a day less than their retention, and at most
// 29 days.
func deliveriesSince(db *gorm.DB, now time.Time) (time.Time, error) {
	since := engine.Stamp(now.Add(-29 * 24 * time.Hour))
	var row privacyrows.MarkRow
	found := db.Limit(1).Find(&row, "name = ?", "deliveries")
	if up := engine.TimeOfID(string(row.UpTo)); found.RowsAffected > 0 && up.After(since) {
		since = engine.Stamp(up)
	}
	return since, found.Error
}

// deliveriesCompared is the first hour from which figures are compared with the deliveries that are stored since a
// time: of a day that is counted as a whole, all or none of them are. Past days without figures have no deliveries.
func deliveriesCompared(db *gorm.DB, kept time.Time) (time.Time, error) {
	var day []time.Time
	err := db.Table("delivery_hours").Where("slot = ? AND hour > ?", engine.DaySlot, kept).Order("hour").Limit(1).
		Pluck("hour", &day).Error
	if err != nil || len(day) == 0 {
		return engine.HourOf(kept.Add(28 * time.Hour)), err // no day is longer, also where the clock is set back
	}
	return day[0], nil
}
