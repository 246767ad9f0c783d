package gormstore

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"time"

	"gorm.io/gorm"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

type statement struct {
	conn
	vault *vault
}

func (v *vault) row(e lookup.Entry) lookupRow {
	return lookupRow{
		ID: uid(e.ID), OrgID: uid(e.OrgID), KeyID: optional(e.KeyID), MemberID: optional(e.MemberID),
		Product: e.Product, DocType: string(e.Document.Type()),
		Document: v.seal([]byte(e.Document.Value()), "lookups|document|"+e.ID),
		At:       stamp(e.At), Cache: e.Cache, Charged: e.Charged, Amount: int64(e.Amount), Status: string(e.Status),
		RecordID: optional(e.RecordID), Day: e.Day, Month: e.Month, SettleAt: optionalTime(e.SettleAt), ContactID: optional(e.ContactID),
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
		RecordID: row.RecordID.text(), Day: row.Day, Month: row.Month, SettleAt: timeOf(row.SettleAt), ContactID: row.ContactID.text(),
	}, nil
}

func (r statement) Add(ctx context.Context, e lookup.Entry) error {
	row := r.vault.row(e)
	return r.exec(ctx, func(db *gorm.DB) error { return db.Create(&row).Error })
}

func (r statement) Find(ctx context.Context, id string) (lookup.Entry, error) {
	var row lookupRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error })
	if err != nil {
		return lookup.Entry{}, err
	}
	return r.entry(row)
}

func (r statement) Finish(ctx context.Context, e lookup.Entry) (bool, error) {
	n, err := r.affected(ctx, `UPDATE lookups SET status = ?, charged = ?, amount = ?, record_id = ?, settle_at = NULL
		WHERE id = ? AND settle_at IS NOT NULL AND status IN (?, ?)`,
		string(e.Status), e.Charged, int64(e.Amount), optional(e.RecordID), e.ID, string(lookup.Running), string(lookup.NoAnswer))
	return n > 0, err
}

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

// asked chooses rows by who asked.
func asked(db *gorm.DB, by lookup.Asker) *gorm.DB {
	switch {
	case by.KeyID != "":
		// The cast keeps SQLite, which knows no better, from walking the index of the organisation.
		return db.Where("key_id = ? AND CAST(org_id AS text) = ?", by.KeyID, by.OrgID)
	case by.Members:
		return db.Where("org_id = ? AND key_id IS NULL", by.OrgID)
	}
	return db.Where("org_id = ?", by.OrgID)
}

// clockSkew is more than an entry's time and that of its id may differ.
const clockSkew = time.Hour

func (r statement) Page(ctx context.Context, by lookup.Asker, f lookup.Filter, after string, limit int) ([]lookup.Entry, error) {
	var rows []lookupRow
	err := r.query(ctx, func(db *gorm.DB) error {
		db = asked(db, by)
		if after != "" {
			db = db.Where("id < ?", after)
		}
		if f.Product != "" {
			db = db.Where("product = ?", f.Product)
		}
		if !f.From.IsZero() {
			db = db.Where("at >= ?", stamp(f.From))
			if from := f.From.Add(-clockSkew); from.Unix() > 0 {
				db = db.Where("id >= ?", firstID(from)) // without reading all that is older
			}
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

type history struct {
	conn
	vault *vault
	serve *together[served, kept]
}

func (r history) Latest(ctx context.Context, orgID, product string, d document.Document) (lookup.Record, error) {
	var row recordRow
	err := r.query(ctx, func(db *gorm.DB) error {
		return db.Raw(latestRecord+" WHERE doc_index IN ?"+newestFirst, r.vault.indexes(indexText(orgID, product, d))).Take(&row).Error
	})
	if err != nil {
		return lookup.Record{}, err
	}
	rec, err := r.vault.record(row)
	rec.OrgID, rec.Product, rec.Document = orgID, product, d
	return rec, err
}

const (
	latestRecord = "SELECT id, answered_at, found, schema, answer FROM records"
	newestFirst  = " ORDER BY answered_at DESC LIMIT 1"
)

// record opens what latestRecord selects. Organisation, product and document are
// those that it was asked for.
func (v *vault) record(row recordRow) (lookup.Record, error) {
	answer, err := v.open(row.Answer, "records|answer|"+string(row.ID))
	if err != nil {
		return lookup.Record{}, err
	}
	n, size := binary.Uvarint(answer)
	if size <= 0 || n > uint64(len(answer)-size) {
		return lookup.Record{}, errSealed
	}
	fields := answer[size : size+int(n)]
	return lookup.Record{
		ID: string(row.ID), AnsweredAt: row.AnsweredAt.UTC(), Found: row.Found, Schema: row.Schema, Fields: fields, Raw: answer[size+len(fields):],
	}, nil
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

func (b blob) Value() (driver.Value, error) { return []byte(b), nil }

type leases struct {
	conn
	vault *vault
}

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

func (r leases) Free(ctx context.Context, callID string) error {
	_, err := r.affected(ctx, "DELETE FROM leases WHERE call_id = ?", callID)
	return err
}
