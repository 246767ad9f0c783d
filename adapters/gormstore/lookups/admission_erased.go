package lookups

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/privacy"
)

// The statements that find people barred. How long ago something began is counted back from the database's own time, so
// that the clocks of instances do not matter.
const (
	// askBarred says of one call on SQLite whether its person is blocked, and whether erased.
	askBarred = `SELECT EXISTS (SELECT 1 FROM subject_blocks WHERE org_id = ?1 AND subject = ?2),
		EXISTS (SELECT 1 FROM erased_subjects WHERE org_id = ?1 AND subject = ?2 AND until > ?3)`
	askErased  = "SELECT 1 FROM erased_subjects WHERE org_id = ? AND subject = ? AND until > ?"
	askErasing = "SELECT 1 FROM erased_subjects WHERE until > ? LIMIT 1"
)

var askEraseds = "SELECT a.number, " + privacy.EndedAgo + ` FROM erased_subjects e
	JOIN unnest($1::text[], $2::bytea[], $3::bigint[]) WITH ORDINALITY AS a (org_id, subject, micros, number)
	ON e.org_id = a.org_id::uuid AND e.subject = a.subject
		AND e.until > clock_timestamp() - a.micros * interval '1 microsecond' AND ` + engine.OfOrgs("e", 4)

// barred reports whether the person of a call that is about to be charged is blocked, and whether an erasure bars the
// call. It takes no lock: an erasure waits, once its people are barred, until all transactions have ended that may have
// looked before that (Quiet).
func barred(w *engine.SQLiteTx, b beginning) (blocked, erased bool) {
	since := engine.Stamp(time.Now().Add(-privacy.Waited(b.Entry.Since)))
	w.Row(askBarred, []any{b.entry.OrgID, b.subject, since}, &blocked, &erased)
	return blocked, erased
}

// lateOnes returns those of some entries that may not be written, because the person has been, or is being, erased
// since the history was read.
func lateOnes(w *engine.SQLiteTx, entries []entered) map[int]bool {
	since := engine.Stamp(time.Now().Add(-lateMost))
	if !w.Row(askErasing, []any{since}, new(int)) {
		return nil
	}
	out := map[int]bool{}
	for i, e := range entries {
		out[i] = w.Row(askErased, []any{e.row.OrgID, e.subject, since}, new(int))
	}
	return out
}

// askErased is isErased on PostgreSQL, for all calls of a transaction, by their positions. Before it the batch waits
// for leases and counts, perhaps for long. It returns whether all answers were sure, once there are any.
func (s admission) askErased(batch *pgx.Batch, in []beginning) (sure func() bool) {
	orgs := engine.Mapped(in, func(b beginning) string { return string(b.entry.OrgID) })
	subjects := engine.Mapped(in, func(b beginning) []byte { return b.subject })
	far := engine.Mapped(in, func(b beginning) int64 { return privacy.Far(b.Entry.Since) })
	asked, allSure := privacy.AskNow(), true
	batch.Queue(askEraseds, orgs, subjects, far, organisationsOf(in)).Query(func(rows pgx.Rows) error {
		var number int
		var ago int64
		_, err := pgx.ForEachRow(rows, []any{&number, &ago}, func() error {
			bars, sure := asked.Bars(in[number-1].Entry.Since, ago)
			s.erased[number-1], allSure = bars, allSure && sure
			return nil
		})
		return err
	})
	return func() bool { return allSure }
}

// askErasedAgain asks until the answers are sure, in batches that wait for nothing.
func (s admission) askErasedAgain(ctx context.Context, tx pgx.Tx, in []beginning) error {
	for range privacy.SureAfter {
		batch := &pgx.Batch{}
		sure := s.askErased(batch, in)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil || sure() {
			return err
		}
	}
	return nil
}

// lateMost is how long after an erasure the history keeps out of its person's lookups, so that their beginnings are
// compared where a call is charged, or an entry written: see Serve.
const lateMost = 24 * time.Hour
