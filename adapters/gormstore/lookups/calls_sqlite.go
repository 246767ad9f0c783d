package lookups

import (
	"context"
	"fmt"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/lookup"
	"fichario/ports"
)

// The statements of calls to the bureau on SQLite, one call at a time.
const (
	// takeLease takes a lease that is free or expired in one step, so that no two calls hold it.
	takeLease = `INSERT INTO leases (doc_index, call_id, expires_at, org_id) VALUES (?, ?, ?, ?)
		ON CONFLICT (doc_index) DO UPDATE SET call_id = excluded.call_id, expires_at = excluded.expires_at
		WHERE leases.expires_at <= ?`
	askHolder = "SELECT call_id FROM leases WHERE doc_index = ?"
	freeLease = "DELETE FROM leases WHERE call_id = ?"
	// freeEnded is freeLease, but leaves that of an entry that is no longer that of the call that ends: it was begun again
	// under the id of one whose commit was lost, or has gone on to another bureau.
	freeEnded = `DELETE FROM leases WHERE call_id = ?1
		AND NOT EXISTS (SELECT 1 FROM lookups WHERE id = ?1 AND (at <> ?2 OR bureau <> ?3))`
	askCounted = "SELECT count, amount FROM key_usage WHERE key_id = ? AND bucket = ?"
)

var (
	askNewest = `SELECT id, answered_at FROM records WHERE doc_index = ?1 AND (?2 IS NULL OR purpose = ?2)
		AND (?3 = '' OR ` + fmt.Sprintf(ofOne, "?3") + ")" + answering("= records.org_id") + " ORDER BY answered_at DESC LIMIT 1"
	// endEntry gives no answer to an entry whose person was erased since it was settled; what it costs is still written.
	endEntry = `UPDATE lookups SET status = ?1, charged = ?2, amount = ?3,
			record_id = CASE WHEN settle_at IS NULL THEN NULL ELSE ?4 END, others = ?5, settle_at = NULL
		WHERE id = ?6 AND at = ?7 AND bureau = ?8 AND (settle_at IS NOT NULL OR charged <> ?2 OR amount <> ?3)
			AND status IN (` + unfinished + ") RETURNING spare, spare_calls, record_id IS NOT NULL"
	insertRecord = recordTable.Insert()
)

// beginOnSQLite charges a batch of concurrent calls in one transaction, one after the other: nobody else writes
// meanwhile.
func (s *room) beginOnSQLite(ctx context.Context, in []beginning) ([]begun, error) {
	out := make([]begun, len(in))
	err := s.OnSQLite(ctx, func(w *engine.SQLiteTx) {
		sum, admits := newCharges(false), newAdmission()
		for i := range in {
			b := &in[i]
			settleAt := engine.Stamp(b.Entry.At.Add(b.Takes))
			b.entry.SettleAt = &settleAt
			readAdmission(w, admits, i, *b)
			if out[i].refused = admits.apply(s.Vault, i, b, b.Entry.At); out[i].refused != nil {
				continue
			}
			if out[i].Begun = takeLeaseOf(w, *b); out[i].writes() {
				readCounts(w, sum, b.entry)
				out[i].refused = sum.admit(*b)
			}
			if out[i].writes() {
				sum.crossed(*b)
				sum.begin(b.entry)
				sum.charged(b.entry)
				w.Exec(insertEntry, entryTable.Values(&b.entry)...)
				if b.request != nil {
					w.Exec(beginRequest, b.entry.ID)
				}
			} else if b.Shared && out[i].Holder == "" {
				w.Exec(freeLease, b.entry.ID)
			}
		}
		_ = sum.write(w.Counting, true)
		writeCrossings(w, sum.reached)
	})
	return out, err
}

// endOnSQLite writes the outcomes of a batch of calls in one transaction.
func (s *room) endOnSQLite(ctx context.Context, in []ended) ([]bool, error) {
	open := make([]bool, len(in))
	err := s.OnSQLite(ctx, func(w *engine.SQLiteTx) {
		sum, heard := newCharges(false), automations.Heard{}
		for i := range in {
			e := &in[i]
			var answered bool
			open[i] = w.Row(endEntry, []any{
				e.entry.Status, e.entry.Charged, e.entry.Amount, e.entry.RecordID, e.entry.Others, e.entry.ID, e.entry.At,
				e.entry.Bureau,
			}, &e.entry.Spare, &e.entry.SpareCalls, &answered)
			if !open[i] {
				w.Exec(freeEnded, e.entry.ID, e.entry.At, e.entry.Bureau)
				continue
			}
			w.Exec(freeLease, e.entry.ID)
			if e.record != nil && answered {
				w.Exec(insertRecord, recordTable.Values(e.record)...)
				for j := range e.parts {
					w.Exec(insertRecord, recordTable.Values(&e.parts[j])...)
				}
				writeCompleted(w, heard, e.entry, e.trail)
			}
			sum.end(e.entry, e.price)
			sum.asked(*e)
		}
		_ = sum.write(w.Counting, true)
	})
	return open, err
}

// takeLeaseOf takes the leases of a call, unless another call holds it or the history has an answer by now.
func takeLeaseOf(w *engine.SQLiteTx, b beginning) (out ports.Begun) {
	if !b.Shared {
		return out
	}
	for i, lease := range b.leases {
		if w.Exec(takeLease, lease, b.entry.ID, b.entry.SettleAt, b.entry.OrgID, engine.Stamp(b.Entry.At)) == 0 {
			w.Row(askHolder, []any{lease}, &out.Holder)
			if i > 0 {
				w.Exec(freeLease, b.entry.ID)
			}
			return out
		}
	}
	var newest lookup.Record
	for _, index := range b.indexes {
		var rec lookup.Record
		values := []any{index, b.Only.Purpose, b.Only.Bureau}
		if w.Row(askNewest, values, &rec.ID, &rec.AnsweredAt) && rec.AnsweredAt.After(newest.AnsweredAt) {
			newest = rec
		}
	}
	if newest.ID != "" && b.fresh(engine.UID(newest.ID), newest.AnsweredAt) {
		out.RecordID = newest.ID
	}
	return out
}

// readCounts reads what the accounts of an entry hold.
func readCounts(w *engine.SQLiteTx, sum *charges, entry LookupRow) {
	for _, a := range accountsOf(entry) {
		if _, known := sum.counted[a]; !known {
			var had usageRow
			w.Row(askCounted, []any{a.key, a.bucket}, &had.Count, &had.Amount)
			sum.counted[a] = had
		}
	}
}
