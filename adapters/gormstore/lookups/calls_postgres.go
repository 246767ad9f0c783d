package lookups

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/lookup"
	"fichario/ports"
)

// The statements of calls to the bureau on PostgreSQL. Each takes its columns as arrays, so that one plan serves any
// number of calls. The organisations' locks come first, then leases, counts and figures, each in a fixed order, so that
// no two transactions deadlock.
var (
	takeLeases = `INSERT INTO leases (doc_index, call_id, expires_at, org_id)
		SELECT doc_index, call_id::uuid, clock_timestamp() + micros * interval '1 microsecond', org_id::uuid
		FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::text[]) AS a (doc_index, call_id, micros, org_id)
		ORDER BY doc_index
		ON CONFLICT (doc_index) DO UPDATE SET call_id = excluded.call_id, expires_at = excluded.expires_at
		WHERE leases.expires_at <= clock_timestamp()`
	// freeExpired and takeFree are takeLeases on Citus, where no clock may decide about a conflict. A lease that another
	// call has is written as it is: this locks it, so that it is not freed before its holder is read.
	takeFree = `INSERT INTO leases (doc_index, call_id, expires_at, org_id)
		VALUES ($1, $2::uuid, statement_timestamp() + $3::bigint * interval '1 microsecond', $4::uuid)
		ON CONFLICT ON CONSTRAINT leases_pkey DO UPDATE SET call_id = leases.call_id`
	freeExpired = "DELETE FROM leases WHERE doc_index = ANY ($1::bytea[]) AND expires_at <= statement_timestamp() AND " +
		engine.OfOrgs("leases", 2)
	askHolders = engine.OwnedBy("SELECT doc_index, call_id::text FROM leases WHERE doc_index = ANY ($1::bytea[]){of leases}", 2)
	askNewests = `SELECT a.question, r.id::text, r.answered_at
		FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::text[]) AS a (question, doc_index, only_purpose, only_bureau)
		CROSS JOIN LATERAL (
			SELECT id, answered_at FROM records
			WHERE records.doc_index = a.doc_index AND ` + engine.OfOrgs("records", 5) + `
				AND (only_purpose IS NULL OR purpose = only_purpose)
				AND (only_bureau = '' OR ` + fmt.Sprintf(ofOne, "only_bureau") + ")" + answering(engine.AnyOf(5)) + `
			ORDER BY answered_at DESC LIMIT 1
		) r`
	freeLeases = engine.OwnedBy(`DELETE FROM leases WHERE doc_index IN (
		SELECT doc_index FROM leases WHERE call_id = ANY ($1::text[]::uuid[]){of leases} ORDER BY doc_index FOR UPDATE
	) AND call_id = ANY ($1::text[]::uuid[]){of leases}`, 2)

	// lockLeases keeps leases as they are, and askMoved finds the entries that are no longer those of the calls that end:
	// they were begun again under the id of one whose commit was lost, or have gone on to another bureau.
	lockLeases = engine.OwnedBy(
		"SELECT 1 FROM leases WHERE call_id = ANY ($1::text[]::uuid[]){of leases} ORDER BY doc_index FOR UPDATE", 2)
	askMoved = `SELECT e.id::text
		FROM lookups e JOIN unnest($1::text[], $2::timestamptz[], $3::text[]) AS a (id, at, bureau) ON e.id = a.id::uuid
		WHERE e.id BETWEEN $4::uuid AND $5::uuid AND (e.at <> a.at OR e.bureau <> a.bureau) AND ` + engine.OfOrgs("e", 6)

	makeCounts = engine.ManyOf(usageTally.Table).InOrder(2).Then(" ON CONFLICT DO NOTHING")
	lockCounts = engine.OwnedBy(`SELECT key_id::text, bucket, count, amount FROM key_usage
		WHERE (key_id, bucket) IN (SELECT key_id::uuid, bucket FROM unnest($1::text[], $2::text[]) AS a (key_id, bucket))
			{of key_usage} ORDER BY key_id, bucket FOR UPDATE`, 3)
	addCounts = engine.OwnedBy(`UPDATE key_usage SET count = key_usage.count + a.count, amount = key_usage.amount + a.amount
		FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS a (key_id, bucket, count, amount)
		WHERE key_usage.key_id = a.key_id::uuid AND key_usage.bucket = a.bucket{of key_usage}`, 5)

	addEntries   = engine.ManyOf(entryTable)
	addRecords   = engine.ManyOf(recordTable)
	addHoursMany = hourTally.Many()
	addDaysMany  = dayTally.Many()
	addPartsMany = chargeTally.Many()

	addBureausMany = bureauTally.Many()

	// endEntries gives no answer to an entry whose person was erased since it was settled; what it costs is still written.
	endEntries = `UPDATE lookups SET status = a.status, charged = a.charged, amount = a.amount,
			record_id = CASE WHEN settle_at IS NULL THEN NULL ELSE a.record_id::uuid END, others = a.others, settle_at = NULL
		FROM unnest($1::text[], $2::text[], $3::boolean[], $4::bigint[], $5::text[], $8::timestamptz[], $9::bigint[],
			$10::text[]) AS a (id, status, charged, amount, record_id, at, others, bureau)
		WHERE lookups.id = a.id::uuid AND lookups.id BETWEEN $6::uuid AND $7::uuid AND lookups.at = a.at
			AND lookups.bureau = a.bureau
			AND (settle_at IS NOT NULL OR lookups.charged <> a.charged OR lookups.amount <> a.amount)
			AND lookups.status IN (` + unfinished + `) AND ` + engine.OfOrgs("lookups", 11) + `
		RETURNING lookups.id::text, lookups.record_id IS NOT NULL, spare, spare_calls`
)

// beginOnPostgres charges a batch of concurrent calls. Calls that share a lease go one after the other: whether the
// second has to wait for an answer is known once the first has begun.
func (s *room) beginOnPostgres(ctx context.Context, in []beginning) ([]begun, error) {
	out := make([]begun, len(in))
	for turn, of := range turns(in, beginning.question) {
		results, err := s.beginApart(ctx, engine.Mapped(of, func(i int) beginning { return in[i] }))
		if err != nil && turn == 0 {
			return nil, err
		}
		for j, i := range of {
			if out[i].refused = err; err == nil { // what began before stays begun, whatever becomes of these
				out[i] = results[j]
			}
		}
	}
	return out, nil
}

// turns are the indexes of a batch in the order in which they are to be written: no two with the same key in a turn,
// unless they have none.
func turns[T any](in []T, key func(T) string) (all [][]int) {
	earlier := map[string]int{}
	for i := range in {
		turn := 0
		if k := key(in[i]); k != "" {
			turn = earlier[k]
			earlier[k]++
		}
		if turn == len(all) {
			all = append(all, nil)
		}
		all[turn] = append(all[turn], i)
	}
	return all
}

// beginApart charges calls of which no two share a lease.
func (s *room) beginApart(ctx context.Context, in []beginning) (out []begun, err error) {
	told := false
	err = s.OnPostgres(ctx, func(tx pgx.Tx) error {
		out = make([]begun, len(in))
		seen, err := s.lookBefore(ctx, tx, in)
		if err != nil {
			return err
		}
		sum := newCharges(s.Distributed.Load())
		sum.counted = seen.counted
		var entries []LookupRow
		var freed, requests []string
		for i := range in {
			b := &in[i]
			if out[i].refused = seen.apply(s.Vault, i, b, seen.now); out[i].refused == nil {
				out[i].Begun = seen.of(*b)
			}
			if out[i].writes() {
				out[i].refused = sum.admit(*b)
			}
			if out[i].writes() {
				settleAt := engine.Stamp(seen.now.Add(b.Takes))
				b.entry.SettleAt = &settleAt
				sum.crossed(*b)
				sum.begin(b.entry)
				sum.charged(b.entry)
				entries = append(entries, b.entry)
				if b.request != nil {
					requests = append(requests, string(b.entry.ID))
				}
			} else if b.Shared && (out[i].Holder == "" || len(b.leases) > 1) { // of several it may have taken some
				freed = append(freed, string(b.entry.ID))
			}
		}
		if len(entries) == 0 {
			return errNothingBegun // so that no lease stays
		}
		batch := s.NewBatch()
		if len(freed) > 0 {
			batch.QueueOwned(freeLeases, organisationsOf(in), freed)
		}
		if batch.Divided { // there, triggers do not see what the transaction sets
			clear(sum.parts)
		} else {
			batch.Queue(countsCharges)
		}
		engine.QueueRows(batch, addEntries, entries)
		if len(requests) > 0 {
			batch.QueueOwned(beginRequests, organisationsOf(in), requests)
		}
		sum.queue(batch)
		if err := tx.SendBatch(ctx, &batch.Batch).Close(); err != nil {
			return err
		}
		told, err = s.tell(ctx, tx, sum.reached)
		return err
	})
	if errors.Is(err, errNothingBegun) {
		err = nil
	}
	if err == nil && told {
		s.Announce(automation.FanOut)
	}
	return out, err
}

// errNothingBegun rolls a transaction back.
var errNothingBegun = errors.New("nothing begun")

// ending is an entry that has been ended: what it had reserved for more calls, and whether it has an answer.
type ending struct {
	lookup.Spent
	answered bool
}

// endOnPostgres writes the outcomes of a batch of calls. Outcomes of one call, of whoever fetches its answer and of
// whoever gives it up, go one after the other: the first is written, all of it.
func (s *room) endOnPostgres(ctx context.Context, in []ended) ([]bool, error) {
	open := make([]bool, len(in))
	for _, of := range turns(in, func(e ended) string { return string(e.entry.ID) }) {
		ends := engine.Mapped(of, func(i int) ended { return in[i] })
		results, err := s.endApart(ctx, ends, false)
		if errors.Is(err, errEnded) {
			results, err = s.endApart(ctx, ends, true)
		}
		if err != nil {
			return nil, err // a call that has ended can be ended again
		}
		for j, i := range of {
			open[i] = results[j]
		}
	}
	return open, nil
}

// endApart writes the outcomes of calls of which each is there once. It writes nothing and returns errEnded where an
// entry is not open, unless some may be ended: then it looks whose leases it frees.
func (s *room) endApart(ctx context.Context, in []ended, some bool) (open []bool, err error) {
	queued := false
	err = s.OnPostgres(ctx, func(tx pgx.Tx) error {
		open = make([]bool, len(in))
		still, err := s.endRows(ctx, tx, in, some)
		if err != nil {
			return err
		}
		sum := newCharges(s.Distributed.Load())
		var records []RecordRow
		var completed []automations.JobRow
		for i, e := range in {
			var one ending
			if one, open[i] = still[string(e.entry.ID)]; !open[i] {
				continue
			}
			e.entry.Spare, e.entry.SpareCalls = int64(one.Amount), int64(one.Count)
			if e.record != nil && one.answered {
				records = append(append(records, *e.record), e.parts...)
				completed = append(completed, completedJob(e.entry, e.trail))
			}
			sum.end(e.entry, e.price)
			sum.asked(e)
		}
		batch := s.NewBatch()
		queued = false
		engine.QueueRows(batch, addRecords, records)
		if err := automations.QueueJobs(ctx, tx, batch, completed, &queued); err != nil {
			return err
		}
		queueLocks(batch, sum.added, nil)
		sum.queue(batch)
		if batch.Len() == 0 {
			return nil
		}
		return tx.SendBatch(ctx, &batch.Batch).Close()
	})
	if err == nil && queued {
		s.Announce(automation.FanOut)
	}
	return open, err
}

// endRows frees the leases of calls and writes their entries. It returns those that were open, by their ids.
func (s *room) endRows(ctx context.Context, tx pgx.Tx, in []ended, some bool) (map[string]ending, error) {
	ids := engine.Mapped(in, func(e ended) string { return string(e.entry.ID) })
	batch, still := s.NewBatch(), map[string]ending{}
	times, first, last := engine.Mapped(in, func(e ended) time.Time { return e.entry.At }), slices.Min(ids),
		slices.Max(ids)
	bureaus := engine.Mapped(in, func(e ended) string { return e.entry.Bureau })
	orgs := engine.Distinct(in, func(e ended) engine.UID { return e.entry.OrgID })
	over := ids
	if some {
		var err error
		if over, err = s.stillTheirs(ctx, tx, ids, times, bureaus, orgs); err != nil {
			return nil, err
		}
	}
	batch.QueueOwned(freeLeases, orgs, over)
	batch.Queue(endEntries, ids,
		engine.Mapped(in, func(e ended) string { return e.entry.Status }),
		engine.Mapped(in, func(e ended) bool { return e.entry.Charged }),
		engine.Mapped(in, func(e ended) int64 { return e.entry.Amount }),
		engine.Mapped(in, func(e ended) *string { return (*string)(e.entry.RecordID) }),
		first, last, times, // the bounds let PostgreSQL prune partitions
		engine.Mapped(in, func(e ended) int64 { return e.entry.Others }), bureaus, orgs,
	).Query(func(rows pgx.Rows) error {
		var id string
		var one ending
		_, err := pgx.ForEachRow(rows, []any{&id, &one.answered, &one.Amount, &one.Count},
			func() error { still[id] = one; return nil })
		return err
	})
	if err := tx.SendBatch(ctx, &batch.Batch).Close(); err != nil {
		return nil, err
	}
	if len(still) < len(in) && !some {
		return nil, errEnded
	}
	return still, nil
}

// stillTheirs locks the leases of calls, and returns the ids of those whose entries are still their own.
func (s *room) stillTheirs(
	ctx context.Context, tx pgx.Tx, ids []string, times []time.Time, bureaus, orgs []string,
) (own []string, err error) {
	moved, batch := map[string]bool{}, s.NewBatch()
	batch.QueueOwned(lockLeases, orgs, ids)
	batch.Queue(askMoved, ids, times, bureaus, slices.Min(ids), slices.Max(ids), orgs).Query(func(rows pgx.Rows) error {
		var id string
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error { moved[id] = true; return nil })
		return err
	})
	err = tx.SendBatch(ctx, &batch.Batch).Close()
	for _, id := range ids {
		if !moved[id] {
			own = append(own, id)
		}
	}
	return own, err
}

// organisationsOf are the organisations of calls.
func organisationsOf(in []beginning) []string {
	return engine.Distinct(in, func(b beginning) engine.UID { return b.entry.OrgID })
}

// before is the state that calls find.
type before struct {
	now time.Time
	// holders are the calls that hold leases, by these; newest the answers that make calls unnecessary, by question.
	holders map[string]string
	newest  map[string]newestAnswer
	counted map[account]usageRow
	admission
}

type newestAnswer struct {
	id engine.UID
	at time.Time
}

// lookBefore takes the free leases, locks the counts, and then reads what admits the calls.
func (s *room) lookBefore(ctx context.Context, tx pgx.Tx, in []beginning) (before, error) {
	seen := before{
		holders: map[string]string{}, newest: map[string]newestAnswer{}, counted: map[account]usageRow{},
		admission: newAdmission(),
	}
	for _, b := range in {
		for _, a := range accountsOf(b.entry) {
			seen.counted[a] = a.of(b.entry)
		}
	}
	batch := s.PlanOnce()
	queueShared(&batch.Batch, in)
	seen.queueRequests(batch, in)
	seen.queueLeases(batch, in)
	if len(seen.counted) > 0 {
		engine.QueueRows(batch, makeCounts, inOrder(seen.counted))
	}
	queueLocks(batch, seen.counted, func(rows pgx.Rows) error {
		var a account
		var had usageRow
		_, err := pgx.ForEachRow(rows, []any{(*string)(&a.key), &a.bucket, &had.Count, &had.Amount},
			func() error { seen.counted[a] = had; return nil })
		return err
	})
	seen.queue(&batch.Batch, in)
	err := seen.read(ctx, tx, &batch.Batch, in)
	return seen, err
}

// queueLeases takes the leases of calls that are free, and asks who holds them, and which answers there are by then.
func (s *before) queueLeases(batch *engine.Batch, in []beginning) {
	var leases, of, indexes [][]byte
	var calls, from, whose []string
	var only []*string
	var micros []int64
	for _, b := range in {
		if !b.Shared {
			continue
		}
		for _, lease := range b.leases {
			leases, calls = append(leases, lease), append(calls, string(b.entry.ID))
			micros, whose = append(micros, b.Takes.Microseconds()), append(whose, string(b.entry.OrgID))
		}
		for _, index := range b.indexes {
			of, indexes = append(of, b.leases[0]), append(indexes, index)
			only, from = append(only, b.Only.Purpose), append(from, b.Only.Bureau)
		}
	}
	if len(leases) == 0 {
		return
	}
	if batch.Divided {
		batch.Queue(freeExpired, leases, organisationsOf(in))
		for _, i := range sorted(leases) {
			batch.Queue(takeFree, leases[i], calls[i], micros[i], whose[i])
		}
	} else {
		batch.Queue(takeLeases, leases, calls, micros, whose)
	}
	batch.QueueOwned(askHolders, organisationsOf(in), leases).Query(func(rows pgx.Rows) error {
		var lease []byte
		var call string
		_, err := pgx.ForEachRow(rows, []any{&lease, &call}, func() error { s.holders[string(lease)] = call; return nil })
		return err
	})
	batch.Queue(askNewests, of, indexes, only, from, organisationsOf(in)).Query(func(rows pgx.Rows) error {
		var question []byte
		var answer newestAnswer
		_, err := pgx.ForEachRow(rows, []any{&question, (*string)(&answer.id), &answer.at}, func() error {
			if answer.at.After(s.newest[string(question)].at) {
				s.newest[string(question)] = answer
			}
			return nil
		})
		return err
	})
}

// sorted are the positions of leases in the order in which every transaction takes them.
func sorted(leases [][]byte) []int {
	order := make([]int, len(leases))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return bytes.Compare(leases[i], leases[j]) })
	return order
}

// togetherIn are the counts that one statement may lock: Citus locks those of one organisation at a time.
func togetherIn(batch *engine.Batch, counts map[account]usageRow) (all [][]usageRow) {
	sorted := inOrder(counts)
	switch {
	case len(sorted) == 0:
		return nil
	case !batch.Divided:
		return [][]usageRow{sorted}
	}
	for _, org := range slices.Sorted(slices.Values(owners(sorted))) {
		all = append(all, slices.DeleteFunc(slices.Clone(sorted), func(u usageRow) bool { return string(*u.OrgID) != org }))
	}
	return all
}

// queueLocks locks counts, in the order that all transactions share; read gets them, unless it is nil.
func queueLocks(batch *engine.Batch, counts map[account]usageRow, read func(pgx.Rows) error) {
	for _, some := range togetherIn(batch, counts) {
		locked := batch.QueueOwned(lockCounts, owners(some), keysOf(some), bucketsOf(some))
		if read != nil {
			locked.Query(read)
		}
	}
}

func owners(counts []usageRow) []string {
	return engine.Distinct(counts, func(u usageRow) engine.UID { return *u.OrgID })
}

func keysOf(counts []usageRow) []string {
	return engine.Mapped(counts, func(u usageRow) string { return string(u.KeyID) })
}

func bucketsOf(counts []usageRow) []string {
	return engine.Mapped(counts, func(u usageRow) string { return u.Bucket })
}

// read sends what was queued, and asks last whom an erasure bars, and what time it is.
func (s *before) read(ctx context.Context, tx pgx.Tx, batch *pgx.Batch, in []beginning) error {
	sure := s.askErased(batch, in)
	batch.Queue("SELECT clock_timestamp()").QueryRow(func(row pgx.Row) error { return row.Scan(&s.now) })
	if err := tx.SendBatch(ctx, batch).Close(); err != nil || sure() {
		return err
	}
	return s.askErasedAgain(ctx, tx, in)
}

// of returns what one call finds.
func (s before) of(b beginning) (out ports.Begun) {
	if !b.Shared {
		return out
	}
	for _, lease := range b.leases {
		if holder := s.holders[string(lease)]; holder != string(b.entry.ID) {
			return ports.Begun{Holder: holder}
		}
	}
	newest := s.newest[b.question()]
	if newest.id != "" && b.fresh(newest.id, newest.at) {
		out.RecordID = string(newest.id)
	}
	return out
}

// queue queues the writes of what calls add.
func (c *charges) queue(batch *engine.Batch) {
	for _, some := range togetherIn(batch, c.added) {
		batch.QueueOwned(addCounts, owners(some), keysOf(some), bucketsOf(some),
			engine.Mapped(some, func(u usageRow) int64 { return u.Count }),
			engine.Mapped(some, func(u usageRow) int64 { return u.Amount }))
	}
	engine.QueueRows(batch, addHoursMany, slices.Collect(maps.Values(c.hours)))
	engine.QueueRows(batch, addDaysMany, slices.Collect(maps.Values(c.days)))
	engine.QueueRows(batch, addPartsMany, slices.Collect(maps.Values(c.parts)))
	engine.QueueRows(batch, addBureausMany, slices.Collect(maps.Values(c.bureaus)))
	engine.QueueRows(batch, addMatchesMany, slices.Collect(maps.Values(c.matches)))
}
