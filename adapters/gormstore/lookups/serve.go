package lookups

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"gorm.io/gorm"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/lookup"
	"fichario/ports"
)

// served is a lookup that the history may answer: its entry, and what finds the record.
type served struct {
	entry LookupRow
	index []byte
	// subject is the hash of the document's person, as blocks store it: a block counts before its erasure is done.
	subject []byte
	after   time.Time
	trail   automation.Trail
	only    ports.Only
}

// entered is the entry of a lookup answered from the history, with the automations that led to it.
type entered struct {
	row     LookupRow
	trail   automation.Trail
	subject []byte
}

// kept is what the history has for one lookup: a record, or why there is none.
type kept struct {
	record lookup.Record
	err    error
}

// nothing is n results without a record.
func nothing(n int) []kept {
	out := make([]kept, n)
	for i := range out {
		out[i].err = ports.ErrNotFound
	}
	return out
}

// Serve is what most requests do, so concurrent ones share one statement and one commit.
func (r history) Serve(ctx context.Context, e lookup.Entry, after time.Time) (lookup.Record, error) {
	const op = "history.serve"
	if err := r.Outside(op); err != nil {
		return lookup.Record{}, err
	}
	secret, err := r.secret(ctx)
	if err != nil {
		return lookup.Record{}, err
	}
	ctx, span := engine.Spanned(ctx, op)
	index, err := r.newestIndex(ctx, e)
	if err != nil {
		ports.EndSpan(span, err)
		return lookup.Record{}, engine.Named(op, err)
	}
	found, err := r.serve(ctx, served{
		entry: lookupRowOf(r.vault, e), index: index, subject: engine.DocumentHash(secret, e.OrgID, e.Document),
		after: engine.Stamp(after),
		trail: automation.Trail(e.Trail), only: r.only,
	})
	err = cmp.Or(err, found.err)
	ports.EndSpan(span, err)
	if err != nil {
		return lookup.Record{}, engine.Named(op, err)
	}
	rec := found.record
	rec.OrgID, rec.Product, rec.Document = e.OrgID, e.Product, e.Document
	return rec, nil
}

// newestIndex is the hash under which the newest answer is found: while data keys are rotated, each may have some.
func (r history) newestIndex(ctx context.Context, e lookup.Entry) ([]byte, error) {
	indexes := r.vault.Indexes(IndexText(e.OrgID, e.Product, e.Document, r.only.Inputs))
	if len(indexes) == 1 {
		return indexes[0], nil
	}
	newest, err := engine.FindOne(ctx, r.Query, "history.serve", engine.Same[RecordRow],
		r.of(e.OrgID, e.Product, e.Document),
		func(db *gorm.DB) *gorm.DB { return db.Select("doc_index").Order("answered_at DESC") })
	if errors.Is(err, ports.ErrNotFound) {
		return indexes[0], nil
	}
	return newest.DocIndex, err
}

// Statements of lookups answered from the history on SQLite, written out because GORM's builder takes longer than they
// do.
var (
	newestRecord = "SELECT " + latestColumns + //nolint:gosec // constants
		" FROM records WHERE doc_index = ?1 AND (?2 IS NULL OR purpose = ?2) AND (?5 = '' OR " + fmt.Sprintf(ofOne, "?5") +
		")" + answering("= ?3") +
		" AND NOT EXISTS (SELECT 1 FROM subject_blocks WHERE org_id = ?3 AND subject = ?4) ORDER BY answered_at DESC LIMIT 1"
	entryTable  = engine.TableOf(LookupRow{})
	insertEntry = entryTable.Insert()
)

// serveOnSQLite reads concurrently with writers, and shares a commit only for the entry.
func (s *room) serveOnSQLite(ctx context.Context, a served) (kept, error) {
	none := kept{err: ports.ErrNotFound}
	newest, err := s.newestOnSQLite(ctx) //nolint:sqlclosecheck // it lives as long as the pool
	if err != nil {
		return none, engine.Classify(err)
	}
	read, cancel := context.WithTimeout(ctx, engine.Timeout())
	defer cancel()
	var row RecordRow
	err = newest.QueryRowContext(read, engine.Blob(a.index), a.only.Purpose, a.entry.OrgID, engine.Blob(a.subject),
		a.only.Bureau).Scan(
		(*string)(&row.ID), &row.AnsweredAt, &row.Found, &row.Schema, (*[]byte)(&row.Answer), &row.Bureau, &row.Sources)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !row.AnsweredAt.After(a.after) {
		return none, nil
	}
	if err != nil {
		return none, engine.Classify(err)
	}
	rec, ok := recordOf(s.Vault, row)
	if !ok {
		return none, nil
	}
	a.entry.RecordID, a.entry.Bureau = &row.ID, row.Bureau
	written, err := s.entries.Call(ctx, entered{a.entry, a.trail, a.subject})
	if err == nil && !written {
		return none, nil
	}
	return kept{record: rec}, err
}

// enterOnSQLite writes and counts the entries of a batch of answered lookups, in one transaction, and says which were
// written: not those of people who have been erased since the record was read.
func (s *room) enterOnSQLite(ctx context.Context, entries []entered) ([]bool, error) {
	written := make([]bool, len(entries))
	return written, s.OnSQLite(ctx, func(w *engine.SQLiteTx) {
		heard := automations.Heard{}
		late := lateOnes(w, entries)
		var rows []LookupRow
		for i := range entries {
			if written[i] = !late[i]; late[i] {
				continue
			}
			rows = append(rows, entries[i].row)
			w.Exec(insertEntry, entryTable.Values(&entries[i].row)...)
			writeCompleted(w, heard, entries[i].row, entries[i].trail)
		}
		for _, hour := range hoursOfCached(rows, s.Slot) {
			_ = w.Counting(hourTally, &hour)
		}
	})
}

// newestOnSQLite is newestRecord, prepared on first use: earlier, its table may not exist.
func (s *room) newestOnSQLite(ctx context.Context) (*sql.Stmt, error) {
	if err := s.reading.Take(ctx); err != nil {
		return nil, err
	}
	defer s.reading.Give()
	if s.newest == nil {
		pool, err := s.Reader.DB()
		if err != nil {
			return nil, err
		}
		stmt, err := pool.PrepareContext(ctx, newestRecord)
		if err != nil {
			return nil, err
		}
		s.newest = stmt
	}
	return s.newest, nil
}

// serving is a batch of lookups that the history answers on PostgreSQL.
type serving struct {
	asked  []served
	out    []kept
	closed []int // those whose records cannot be opened
	queued bool
}

// values are the parameters of serveStatement, but for its last.
func (s *serving) values() []any {
	entries := make([]reflect.Value, len(s.asked))
	for i := range s.asked {
		entries[i] = reflect.ValueOf(&s.asked[i].entry).Elem()
	}
	return append([]any{
		engine.Mapped(s.asked, func(a served) []byte { return a.index }),
		engine.Mapped(s.asked, func(a served) time.Time { return a.after }),
		engine.Mapped(s.asked, func(a served) string { return string(a.trail) }),
		engine.Mapped(s.asked, func(a served) *string { return a.only.Purpose }),
		engine.Mapped(s.asked, func(a served) []byte { return a.subject }),
		engine.Mapped(s.asked, func(a served) string { return a.only.Bureau }),
		engine.Distinct(s.asked, func(a served) engine.UID { return a.entry.OrgID }),
	}, serveArrays.Values(entries)...)
}

// read reads the records.
func (s *serving) read(v *engine.Vault, rows pgx.Rows) error {
	var (
		i      int64
		row    RecordRow
		answer pgtype.DriverBytes // the driver's memory, so open it before the next row
	)
	into := []any{&i, (*string)(&row.ID), &row.AnsweredAt, &row.Found, &row.Schema, &answer, &row.Bureau,
		&row.Sources, &s.queued}
	_, err := pgx.ForEachRow(rows, into, func() error {
		row.Answer = answer
		rec, ok := recordOf(v, row)
		if !ok {
			s.closed = append(s.closed, int(i-1))
			return nil
		}
		s.out[i-1] = kept{record: rec}
		return nil
	})
	return err
}

// serveOnPostgres answers lookups in one statement, which takes its columns as arrays so that one plan serves any
// number of them. A record that cannot be opened counts as none: its lookup's entry is already written by then, and is
// taken back.
func (s *room) serveOnPostgres(ctx context.Context, asked []served) ([]kept, error) {
	of := serving{asked: asked, out: nothing(len(asked))}
	serve := s.serveAtOnce
	if s.Distributed.Load() {
		serve = s.serveApart
	}
	err := serve(ctx, &of)
	if of.queued {
		s.Announce(automation.FanOut)
	}
	return of.out, err
}

func (s *room) serveAtOnce(ctx context.Context, of *serving) error {
	return s.PastGORM(ctx, func(db *pgx.Conn) error {
		batch := s.PlanOnce()
		batch.Queue(serveStatement, append(of.values(), s.Slot)...).
			Query(func(rows pgx.Rows) error { return of.read(s.Vault, rows) })
		if err := db.SendBatch(ctx, &batch.Batch).Close(); err != nil || len(of.closed) == 0 {
			return err
		}
		ids := engine.Mapped(of.closed, func(i int) string { return string(of.asked[i].entry.ID) })
		if _, err := db.Exec(ctx, unserve, ids, slices.Min(ids), slices.Max(ids), s.Slot); err != nil {
			for _, i := range of.closed {
				of.out[i].err = err // the others have their answers
			}
		}
		return nil
	})
}

// serveApart reads first and then writes: Citus would send the parts of serveStatement by way of all nodes.
func (s *room) serveApart(ctx context.Context, of *serving) error {
	return s.OnPostgres(ctx, func(tx pgx.Tx) error {
		*of = serving{asked: of.asked, out: nothing(len(of.asked))}
		batch := s.NewBatch()
		batch.Queue(readServed, of.values()...).Query(func(rows pgx.Rows) error { return of.read(s.Vault, rows) })
		if err := tx.SendBatch(ctx, &batch.Batch).Close(); err != nil {
			return err
		}
		var entries []LookupRow
		var completed []automations.JobRow
		for i, a := range of.asked {
			if found := of.out[i]; found.err == nil {
				a.entry.RecordID, a.entry.Bureau = new(engine.UID(found.record.ID)), found.record.Bureau
				entries, completed = append(entries, a.entry), append(completed, completedJob(a.entry, a.trail))
			}
		}
		if len(entries) == 0 {
			return nil
		}
		batch = s.NewBatch()
		engine.QueueRows(batch, addEntries, entries)
		if err := automations.QueueJobs(ctx, tx, batch, completed, &of.queued); err != nil {
			return err
		}
		engine.QueueRows(batch, addHoursMany, hoursOfCached(entries, s.Slot))
		return tx.SendBatch(ctx, &batch.Batch).Close()
	})
}

// unserve takes back what serveStatement wrote for some lookups. The bounds let PostgreSQL prune partitions.
var unserve = `
WITH gone AS (
	DELETE FROM lookups WHERE id = ANY ($1::text[]::uuid[]) AND id BETWEEN $2::uuid AND $3::uuid RETURNING *
), untold AS (
	DELETE FROM jobs WHERE id = ANY ($1::text[]::uuid[])
)
INSERT INTO lookup_hours (org_id, hour, product, slot, charged, cached, amount)
SELECT org_id, date_trunc('hour', at, 'UTC'), product, $4::bigint, 0, -COUNT(*), 0 FROM gone
GROUP BY 1, 2, 3 ORDER BY 1, 2, 3` + hourTally.Add

// An entry answered from the history is done, free of charge and in no bucket.
var (
	sentEntry = entryTable.Sent("entry_", map[string]string{
		"cache": "true", "charged": "false", "amount": "0", "status": engine.Literal(lookup.Done), "record_id": "record_id",
		"day": "''", "month": "''", "settle_at": "NULL", "bureau": "bureau", "followed_id": "NULL", "compared": "false",
		"others": "0", "spare": "0", "spare_calls": "0",
	})
	serveArrays = engine.ArraysOf(8, sentEntry)
	serveSlot   = fmt.Sprintf("$%d::bigint", 8+len(serveArrays.Columns))

	servedRecords = `
	FROM unnest($1::bytea[], $2::timestamptz[], $3::text[], $4::text[], $5::bytea[], $6::text[],
			` + serveArrays.Parameters + `)
		WITH ORDINALITY AS a (doc_index, after, trail, only_purpose, asked_of, only_bureau, ` + serveArrays.Names + `, number)
	CROSS JOIN LATERAL (
		SELECT * FROM records
		WHERE records.doc_index = a.doc_index AND ` + engine.OfOrgs("records", 7) + `
			AND (only_purpose IS NULL OR records.purpose = only_purpose)
			AND (only_bureau = '' OR ` + fmt.Sprintf(ofOne, "only_bureau") + ")" + answering(engine.AnyOf(7)) + `
		ORDER BY answered_at DESC LIMIT 1
	) r
	WHERE r.answered_at > a.after AND NOT EXISTS (
		SELECT 1 FROM subject_blocks b
		WHERE b.org_id = a.entry_org_id::uuid AND b.subject = a.asked_of AND ` + engine.OfOrgs("b", 7) + `)
		AND NOT EXISTS (
		SELECT 1 FROM erased_subjects e WHERE e.org_id = a.entry_org_id::uuid AND e.subject = a.asked_of
			AND e.until > clock_timestamp() - interval '24 hours' AND ` + engine.OfOrgs("e", 7) + `)`

	readServed = `
SELECT a.number, r.id::text, r.answered_at, r.found, r.schema, r.answer, r.bureau, r.sources, false` + servedRecords
)

var serveStatement = `
WITH hit AS (
	SELECT a.*, r.id AS record_id, r.answered_at, r.found, r.schema, r.answer, r.bureau, r.sources` + servedRecords + `
), added AS (
	` + sentEntry.Insert("hit") + `
), completed AS (
	INSERT INTO jobs (id, org_id, kind, contact_id, state, attempts, run_at, result, created_at, lease, event, subject_id,
		detail, trail)
	SELECT entry_id::uuid, entry_org_id::uuid, ` + engine.Literal(automation.FanOut) + `,
		COALESCE(entry_contact_id::uuid, '` + engine.NoID + `'::uuid), ` + engine.Literal(automation.Ready) + `, 0, entry_at,
		'', entry_at, '',
		` + engine.Literal(automation.LookupCompleted) + `, entry_id::uuid, '', trail
	FROM hit WHERE ` + automations.Listening("entry_org_id::uuid", engine.Literal(automation.LookupCompleted)) + `
	RETURNING id
), counted AS (
	INSERT INTO lookup_hours (org_id, hour, product, slot, charged, cached, amount)
	SELECT entry_org_id::uuid, date_trunc('hour', entry_at, 'UTC'), entry_product, ` + serveSlot + `, 0, COUNT(*), 0
	FROM hit GROUP BY 1, 2, 3 ORDER BY 1, 2, 3` + hourTally.Add + `
)
SELECT number, record_id::text, answered_at, found, schema, answer, bureau, sources,
	EXISTS (SELECT 1 FROM completed) FROM hit`
