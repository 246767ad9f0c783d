package gormstore

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"time"

	"github.com/pressly/goose/v3"
	"gorm.io/gorm"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

type statement struct {
	conn
	vault    *vault
	together shared // empty inside a transaction
}

func (r statement) row(e lookup.Entry) lookupRow {
	return lookupRow{
		ID: uid(e.ID), OrgID: uid(e.OrgID), KeyID: optional(e.KeyID), MemberID: optional(e.MemberID),
		Product: e.Product, DocType: string(e.Document.Type()),
		Document: r.vault.seal([]byte(e.Document.Value()), "lookups|document|"+e.ID),
		At:       stamp(e.At), Cache: e.Cache, Charged: e.Charged, Amount: int64(e.Amount), Status: string(e.Status),
		RecordID: optional(e.RecordID), Day: e.Day, Month: e.Month, SettleAt: optionalTime(e.SettleAt),
	}
}

func (r statement) entry(row lookupRow) (lookup.Entry, error) {
	value, err := r.vault.open(row.Document, "lookups|document|"+string(row.ID))
	if err != nil {
		return lookup.Entry{}, err
	}
	return lookup.Entry{
		ID: string(row.ID), OrgID: string(row.OrgID), KeyID: row.KeyID.text(), MemberID: row.MemberID.text(),
		Product: row.Product, Document: document.Restore(document.Type(row.DocType), string(value)),
		At: row.At.UTC(), Cache: row.Cache, Charged: row.Charged, Amount: catalog.Money(row.Amount), Status: lookup.Status(row.Status),
		RecordID: row.RecordID.text(), Day: row.Day, Month: row.Month, SettleAt: timeOf(row.SettleAt),
	}, nil
}

// Add implements ports.Statement.
func (r statement) Add(ctx context.Context, e lookup.Entry) error {
	row := r.row(e)
	if r.together.add != nil {
		_, err := r.together.add.call(ctx, row)
		return err
	}
	return r.exec(ctx, func(db *gorm.DB) error { return db.Create(&row).Error })
}

// Find implements ports.Statement.
func (r statement) Find(ctx context.Context, id string) (lookup.Entry, error) {
	var row lookupRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error })
	if err != nil {
		return lookup.Entry{}, err
	}
	return r.entry(row)
}

// Finish implements ports.Statement.
func (r statement) Finish(ctx context.Context, e lookup.Entry) (bool, error) {
	n, err := r.affected(ctx, `UPDATE lookups SET status = ?, charged = ?, amount = ?, record_id = ?, settle_at = NULL
		WHERE id = ? AND settle_at IS NOT NULL AND status IN (?, ?)`,
		string(e.Status), e.Charged, int64(e.Amount), optional(e.RecordID), e.ID, string(lookup.Running), string(lookup.NoAnswer))
	return n > 0, err
}

// Settle implements ports.Statement.
func (r statement) Settle(ctx context.Context, now time.Time) (int, error) {
	// The lease goes first, as everywhere else, so that no two transactions wait
	// for each other.
	if _, err := r.affected(ctx, "DELETE FROM leases WHERE expires_at <= ?", stamp(now)); err != nil {
		return 0, err
	}
	// settle_at stays: it marks an entry that its owner may still finish.
	n, err := r.affected(ctx, "UPDATE lookups SET status = ? WHERE status = ? AND settle_at <= ?",
		string(lookup.NoAnswer), string(lookup.Running), stamp(now))
	return int(n), err
}

// Page implements ports.Statement.
func (r statement) Page(ctx context.Context, keyID string, f lookup.Filter, after string, limit int) ([]lookup.Entry, error) {
	var rows []lookupRow
	err := r.query(ctx, func(db *gorm.DB) error {
		db = db.Where("key_id = ?", keyID)
		if after != "" {
			db = db.Where("id < ?", after)
		}
		if f.Product != "" {
			db = db.Where("product = ?", f.Product)
		}
		if !f.From.IsZero() {
			db = db.Where("at >= ?", stamp(f.From))
		}
		if !f.Until.IsZero() {
			db = db.Where("at < ?", stamp(f.Until))
		}
		if f.Cache != nil {
			db = db.Where("cache = ?", *f.Cache)
		}
		// UUIDv7 begin with their time, so their order is that of the requests.
		return db.Order("id DESC").Limit(limit).Find(&rows).Error
	})
	if err != nil {
		return nil, err
	}
	out := make([]lookup.Entry, len(rows))
	for i, row := range rows {
		if out[i], err = r.entry(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// indexText is what the keyed hash of a document is made of. Organisation and
// product are part of it, so that a dump cannot even show that two organisations
// asked about one person.
func indexText(orgID, product string, d document.Document) string {
	return orgID + "|" + product + "|" + string(d.Type()) + "|" + d.Value()
}

// insertLookups writes entries in one commit.
func (s *Store) insertLookups(ctx context.Context, rows []lookupRow) ([]struct{}, error) {
	if s.dialect != goose.DialectPostgres {
		return make([]struct{}, len(rows)), s.write.WithContext(ctx).Create(&rows).Error
	}
	// Columns as arrays: one statement, planned once, for any number of rows.
	type text = []*string
	var (
		ids, orgs, keys, members, products, types, statuses, records, days, months text
		documents                                                                  [][]byte
		times, settle                                                              []*time.Time
		cached, charged                                                            []bool
		amounts                                                                    []int64
	)
	for i := range rows {
		r := &rows[i]
		ids, orgs = append(ids, (*string)(&r.ID)), append(orgs, (*string)(&r.OrgID))
		keys, members, records = append(keys, (*string)(r.KeyID)), append(members, (*string)(r.MemberID)), append(records, (*string)(r.RecordID))
		products, types, statuses = append(products, &r.Product), append(types, &r.DocType), append(statuses, &r.Status)
		days, months, documents = append(days, &r.Day), append(months, &r.Month), append(documents, r.Document)
		times, settle = append(times, &r.At), append(settle, r.SettleAt)
		cached, charged, amounts = append(cached, r.Cache), append(charged, r.Charged), append(amounts, r.Amount)
	}
	pool, err := s.write.DB()
	if err != nil {
		return nil, err
	}
	_, err = pool.ExecContext(ctx, `INSERT INTO lookups
		(id, org_id, key_id, member_id, product, doc_type, document, at, cache, charged, amount, status, record_id, day, month, settle_at)
		SELECT a::uuid, b::uuid, c::uuid, d::uuid, e, f, g, h, i, j, k, l, m::uuid, n, o, p
		FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bytea[], $8::timestamptz[], $9::bool[],
			$10::bool[], $11::bigint[], $12::text[], $13::text[], $14::text[], $15::text[], $16::timestamptz[])
			AS t (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)`,
		ids, orgs, keys, members, products, types, documents, times, cached, charged, amounts, statuses, records, days, months, settle)
	return make([]struct{}, len(rows)), err
}

type history struct {
	conn
	vault    *vault
	together shared // empty inside a transaction
}

// Latest implements ports.History.
func (r history) Latest(ctx context.Context, orgID, product string, d document.Document) (lookup.Record, error) {
	row, err := r.latest(ctx, r.vault.indexes(indexText(orgID, product, d)))
	if err != nil {
		return lookup.Record{}, err
	}
	rec := lookup.Record{
		ID: string(row.ID), OrgID: orgID, Product: product, Document: d,
		AnsweredAt: row.AnsweredAt.UTC(), Found: row.Found, Schema: row.Schema,
	}
	answer, err := r.vault.open(row.Answer, "records|answer|"+rec.ID)
	if err != nil {
		return lookup.Record{}, err
	}
	n, size := binary.Uvarint(answer)
	if size <= 0 || n > uint64(len(answer)-size) {
		return lookup.Record{}, errSealed
	}
	rec.Fields, rec.Raw = answer[size:size+int(n)], answer[size+int(n):]
	return rec, nil
}

func (r history) latest(ctx context.Context, indexes [][]byte) (row *recordRow, err error) {
	if r.together.latest != nil {
		if row, err = r.together.latest.call(ctx, indexes); err == nil && row == nil {
			err = ports.ErrNotFound
		}
		return row, err
	}
	row = &recordRow{}
	return row, r.query(ctx, func(db *gorm.DB) error {
		return db.Raw("SELECT id, answered_at, found, schema, answer FROM records WHERE doc_index IN ? ORDER BY answered_at DESC LIMIT 1", indexes).
			Take(row).Error
	})
}

// latestRecords finds the newest record of each of several documents, nil where
// there is none. A document has an index for each data key.
func (s *Store) latestRecords(ctx context.Context, documents [][][]byte) ([]*recordRow, error) {
	indexes, of := make([][]byte, 0, len(documents)), make([]int32, 0, len(documents))
	for i, d := range documents {
		for _, index := range d {
			indexes, of = append(indexes, index), append(of, int32(i)) //nolint:gosec // at most togetherMax
		}
	}
	pool, err := s.read.DB()
	if err != nil {
		return nil, err
	}
	rows, err := pool.QueryContext(ctx, `SELECT k.document, r.id, r.answered_at, r.found, r.schema, r.answer
		FROM unnest($1::bytea[], $2::int[]) AS k (index, document)
		CROSS JOIN LATERAL (SELECT * FROM records WHERE doc_index = k.index ORDER BY answered_at DESC LIMIT 1) r`, indexes, of)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	out := make([]*recordRow, len(documents))
	for rows.Next() {
		var (
			row recordRow
			i   int
		)
		if err := rows.Scan(&i, &row.ID, &row.AnsweredAt, &row.Found, &row.Schema, &row.Answer); err != nil {
			return nil, err
		}
		if out[i] == nil || out[i].AnsweredAt.Before(row.AnsweredAt) {
			out[i] = &row
		}
	}
	return out, rows.Err()
}

// Save implements ports.History. The named fields and the bureau's bytes are one
// sealed value: the length of the former, the former, the latter.
func (r history) Save(ctx context.Context, rec lookup.Record) error {
	answer := binary.AppendUvarint(make([]byte, 0, 4+len(rec.Fields)+len(rec.Raw)), uint64(len(rec.Fields)))
	answer = append(append(answer, rec.Fields...), rec.Raw...)
	row := recordRow{
		ID: uid(rec.ID), OrgID: uid(rec.OrgID), Product: rec.Product, DocType: string(rec.Document.Type()),
		DocIndex:   r.vault.indexes(indexText(rec.OrgID, rec.Product, rec.Document))[0],
		Document:   r.vault.seal([]byte(rec.Document.Value()), "records|document|"+rec.ID),
		AnsweredAt: stamp(rec.AnsweredAt), Found: rec.Found, Schema: rec.Schema,
		Answer: r.vault.seal(answer, "records|answer|"+rec.ID),
	}
	return r.exec(ctx, func(db *gorm.DB) error { return db.Create(&row).Error })
}

// blob keeps GORM from taking bytes after a parenthesis for a list of values.
type blob []byte

// Value implements driver.Valuer.
func (b blob) Value() (driver.Value, error) { return []byte(b), nil }

type leases struct {
	conn
	vault *vault
}

// Acquire implements ports.Leases.
func (r leases) Acquire(ctx context.Context, l lookup.Lease, now time.Time) (string, error) {
	index := r.vault.indexes(indexText(l.OrgID, l.Product, l.Document))[0]
	n, err := r.affected(ctx, `INSERT INTO leases (doc_index, call_id, expires_at) VALUES (?, ?, ?)
		ON CONFLICT (doc_index) DO UPDATE SET call_id = excluded.call_id, expires_at = excluded.expires_at
		WHERE leases.expires_at <= ?`, blob(index), l.CallID, stamp(l.ExpiresAt), stamp(now))
	if err != nil || n > 0 {
		return "", err
	}
	var row leaseRow
	err = r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "doc_index = ?", index).Error })
	return string(row.CallID), err
}

// Free implements ports.Leases.
func (r leases) Free(ctx context.Context, callID string) error {
	_, err := r.affected(ctx, "DELETE FROM leases WHERE call_id = ?", callID)
	return err
}
