package lookups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/privacy"
	"fichario/adapters/gormstore/team"
	"fichario/domain/automation"
	"fichario/domain/lookup"
	"fichario/ports"
)

// A question that goes down a chain of bureaus has one entry for each call. That of the question is the one that is
// running; what its further calls may cost is reserved in it.

func (r calls) Next(ctx context.Context, n ports.Next) (running bool, err error) {
	const op = "calls.next"
	if err := r.Outside(op); err != nil {
		return false, err
	}
	now, err := engine.Clock{Conn: r.Conn}.Now(ctx, n.At)
	if err != nil {
		return false, err
	}
	secret, err := r.secret(ctx)
	if err != nil {
		return false, err
	}
	subject, until := engine.DocumentHash(secret, n.Entry.OrgID, n.Entry.Document), engine.Stamp(now.Add(n.Takes))
	err = r.Whole(ctx, op, func(db *gorm.DB) error {
		running = false
		if barred, err := barredSince(db, n.Entry, subject); err != nil || barred {
			return cmp.Or(err, errEnded)
		}
		leases := engine.Routed(n.Entry.OrgID)(db.Model(&leaseRow{})).Where("call_id = ?", n.Entry.ID)
		if err := leases.Update("expires_at", until).Error; err != nil {
			return err
		}
		was, err := lockedEntry(db, n.Entry)
		if running = err == nil && was.Status == string(lookup.Running) && was.Bureau == n.From; !running {
			return cmp.Or(err, errEnded)
		}
		if err := db.Delete(&laterAnswerRow{}, "id = ?", n.Entry.ID).Error; err != nil {
			return err // that of the call before
		}
		row, sum := lookupRowOf(r.vault, n.Entry), newCharges(engine.Distributed(db))
		err = db.Model(&LookupRow{}).Where("id = ? AND org_id = ?", row.ID, row.OrgID).Updates(map[string]any{
			"bureau": row.Bureau, "amount": row.Amount, "spare": row.Spare, "spare_calls": row.SpareCalls, "settle_at": until,
		}).Error
		sum.account(row, row.SpareCalls-was.SpareCalls, row.Amount+row.Spare-was.Amount-was.Spare)
		sum.figure(row, 0, row.Amount-was.Amount)
		if n.Ended != nil {
			e := r.endedOf(*n.Ended)
			sum.account(e.entry, chargedCalls(e.entry), e.entry.Amount)
			sum.figure(e.entry, chargedCalls(e.entry), e.entry.Amount)
			sum.charged(e.entry)
			err = cmp.Or(err, db.Create(&e.entry).Error)
			if e.record != nil {
				e.record.QuestionID = &row.ID
				rows := append(e.parts, *e.record)
				err = cmp.Or(err, db.Create(&rows).Error)
			}
			sum.asked(e)
		}
		return cmp.Or(err, sum.through(db))
	})
	if errors.Is(err, errEnded) {
		err = nil
	}
	return running, err
}

// barredSince reports whether the person of a question that is being asked is blocked, or has been erased since. A
// block waits for the transaction.
func barredSince(db *gorm.DB, e lookup.Entry, subject []byte) (bool, error) {
	if db.Name() == "postgres" {
		number := team.ChargesLock(engine.UID(e.OrgID))
		if err := db.Exec("SELECT pg_advisory_xact_lock_shared(?)", number).Error; err != nil {
			return false, err
		}
	}
	var blocks int
	err := db.Raw("SELECT COUNT(*) FROM subject_blocks WHERE org_id = ? AND subject = ?", e.OrgID, engine.Blob(subject)).
		Scan(&blocks).Error
	if err != nil || blocks > 0 {
		return blocks > 0, err
	}
	erased, err := privacy.Barred(db, e.OrgID, e.Since, engine.Where("subject = ?", engine.Blob(subject)))
	return len(erased) > 0, err
}

// lockedEntry reads an entry that its owner changes; its zero value where there is none with that time.
func lockedEntry(db *gorm.DB, e lookup.Entry) (row LookupRow, err error) {
	err = engine.Locked("UPDATE", "")(db).Limit(1).
		Find(&row, "id = ? AND org_id = ? AND at = ?", e.ID, e.OrgID, engine.Stamp(e.At)).Error
	return row, err
}

// endOtherwise is End where more entries than one change.
func (r calls) endOtherwise(ctx context.Context, op string, o ports.Outcome) (open bool, err error) {
	e := r.endedOf(o)
	queued := false
	err = r.Whole(ctx, op, func(db *gorm.DB) error {
		open, queued = false, false
		if err := engine.Routed(o.Entry.OrgID)(db).Delete(&leaseRow{}, "call_id = ?", o.Entry.ID).Error; err != nil {
			return err
		}
		was, err := lockedEntry(db, o.Entry)
		if err != nil {
			return err
		}
		if still, err := stillAt(db, was, o); err != nil || !still {
			return cmp.Or(err, errEnded) // the lease stays
		}
		// Where its person was erased since it was settled, what it costs is written, and no answer.
		erased := was.SettleAt == nil
		open = slices.Contains([]string{string(lookup.Running), string(lookup.NoAnswer)}, was.Status) &&
			(!erased || was.Charged != e.entry.Charged || was.Amount != e.entry.Amount)
		if !open {
			return nil
		}
		if erased {
			e.record, e.entry.RecordID = nil, nil
		}
		e.entry.Spare, e.entry.SpareCalls = was.Spare, was.SpareCalls
		if e.record != nil { // unless the step that failed has stored it
			rows := append(e.parts, *e.record)
			err = db.Clauses(clause.OnConflict{DoNothing: true}).Create(&rows).Error
		}
		// An erasure may have removed the answer meanwhile.
		kept := gorm.Expr("(SELECT id FROM records WHERE id = ? AND org_id = ?)", e.entry.RecordID, e.entry.OrgID)
		if err = cmp.Or(err, rewrite(db, e.entry, kept)); err != nil {
			return err
		}
		sum := newCharges(engine.Distributed(db))
		sum.end(e.entry, was.Amount)
		if err := r.endOthers(db, sum, e, o); err != nil {
			return err
		}
		if !erased {
			queued, err = addCompleted(db, e.entry, e.trail)
		}
		return cmp.Or(err, sum.through(db))
	})
	if errors.Is(err, errEnded) {
		err = nil
	}
	if err == nil && queued {
		r.MakeDue(automation.FanOut)
	}
	return open, err
}

// stillAt reports whether an entry is at the bureau of the call that ends, or at the next one by a step of that call
// that its owner did not hear of; and not where another instance has gone on with it.
func stillAt(db *gorm.DB, was LookupRow, o ports.Outcome) (bool, error) {
	of := o.Entry
	if o.Other != nil {
		of = *o.Other
	}
	if was.Bureau == of.Bureau || o.Unmade == nil {
		return was.Bureau == of.Bureau, nil
	}
	if was.Bureau != o.Unmade.Bureau || o.Unmade.ID == "" {
		return was.Bureau == o.Unmade.Bureau, nil
	}
	unmade, err := lockedEntry(db, *o.Unmade)
	return unmade.ID != "", err
}

// endOthers writes what an outcome says of other entries than that of the question, and counts its last call.
func (r calls) endOthers(db *gorm.DB, sum *charges, last ended, o ports.Outcome) (err error) {
	counted := false
	if o.Other != nil {
		settled := last.entry.SpareCalls
		last.entry = lookupRowOf(r.vault, *o.Other)
		last.entry.SpareCalls = settled
		if _, err = r.becomes(db, sum, *o.Other); err != nil {
			return err
		}
	}
	if o.Unmade != nil && o.Unmade.ID != "" { // where it was written, Next has counted the call
		if counted, err = r.becomes(db, sum, *o.Unmade); err != nil {
			return err
		}
	}
	if !counted {
		sum.asked(last)
	}
	return nil
}

// becomes rewrites an entry without an answer, and reports whether there is one.
func (r calls) becomes(db *gorm.DB, sum *charges, e lookup.Entry) (there bool, err error) {
	was, err := lockedEntry(db, e)
	if err != nil || was.ID == "" {
		return false, err
	}
	row := lookupRowOf(r.vault, e)
	calls := chargedCalls(row) - chargedCalls(was)
	sum.account(row, calls, row.Amount-was.Amount)
	sum.figure(row, calls, row.Amount-was.Amount)
	return true, rewrite(db, row, nil)
}

// rewrite gives an entry the call of another.
func rewrite(db *gorm.DB, row LookupRow, record any) error {
	return db.Model(&LookupRow{}).Where("id = ? AND org_id = ?", row.ID, row.OrgID).Updates(map[string]any{
		"bureau": row.Bureau, "status": row.Status, "charged": row.Charged, "amount": row.Amount, "record_id": record,
		"others": row.Others, "settle_at": nil,
	}).Error
}

// through writes what calls add through GORM.
func (c *charges) through(db *gorm.DB) error {
	return c.write(engine.Through(db), db.Name() == "sqlite")
}

// write writes what calls add. inserted says that a trigger does not count the entries that were inserted: on SQLite.
func (c *charges) write(by engine.Counting, inserted bool) error {
	for _, u := range inOrder(c.added) {
		if err := by(usageTally, &u); err != nil {
			return err
		}
	}
	if err := countAll(by, hourTally, c.hours); err != nil {
		return err
	}
	if err := countAll(by, dayTally, c.days); err != nil {
		return err
	}
	if inserted {
		if err := countAll(by, chargeTally, c.parts); err != nil {
			return err
		}
		if err := countAll(by, memberTally, c.members()); err != nil {
			return err
		}
	}
	if err := countAll(by, bureauTally, c.bureaus); err != nil {
		return err
	}
	return countAll(by, matchTally, c.matches)
}

// countAll adds rows to what is counted, in one order, so that no two transactions deadlock.
func countAll[Row comparable](by engine.Counting, to engine.Tally, rows map[Row]Row) error {
	inOrder := slices.SortedFunc(maps.Values(rows), func(a, b Row) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) // which begin with what is counted by
	})
	for _, row := range inOrder {
		if err := by(to, &row); err != nil {
			return err
		}
	}
	return nil
}
