package gormstore

import (
	"context"
	"encoding/binary"
	"time"

	"gorm.io/gorm"

	"fichario/domain/document"
	"fichario/domain/lookup"
)

type recordRow struct {
	ID         uid       `gorm:"primaryKey"`
	OrgID      uid       `gorm:"not null"`
	Product    string    `gorm:"not null"`
	DocType    string    `gorm:"not null"`
	DocIndex   []byte    `gorm:"not null"`
	Document   []byte    `gorm:"not null"`
	AnsweredAt time.Time `gorm:"not null"`
	Found      bool      `gorm:"not null"`
	Schema     string    `gorm:"not null"`
	Answer     []byte    `gorm:"not null"`
}

func (recordRow) TableName() string { return "records" }

// indexText is what the keyed hash of a document is made of. Organisation and
// product are part of it, so that a dump cannot even show that two organisations
// asked about one person.
func indexText(orgID, product string, d document.Document) string {
	return orgID + "|" + product + "|" + string(d.Type()) + "|" + d.Value()
}

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

type history struct {
	conn
	vault *vault
	serve *together[served, kept]
}

// The named fields and the bureau's bytes are one
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

func (r history) Records(ctx context.Context, ids []string) (map[string]lookup.Record, error) {
	out := map[string]lookup.Record{}
	if len(ids) == 0 {
		return out, nil
	}
	var rows []recordRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Find(&rows, "id IN ?", ids).Error })
	for _, row := range rows {
		rec, err := r.vault.record(row)
		if err != nil {
			return nil, err
		}
		value, err := r.vault.open(row.Document, "records|document|"+string(row.ID))
		if err != nil {
			return nil, err
		}
		rec.OrgID, rec.Product, rec.Document = string(row.OrgID), row.Product, document.Restore(document.Type(row.DocType), string(value))
		out[rec.ID] = rec
	}
	return out, err
}

func (r history) Answers(ctx context.Context, orgID, product string, d document.Document, limit int) ([]lookup.Record, error) {
	var rows []recordRow
	err := r.query(ctx, func(db *gorm.DB) error {
		return db.Select("id, answered_at, found, schema").Where("doc_index IN ?", r.vault.indexes(indexText(orgID, product, d))).
			Order("answered_at DESC").Limit(limit).Find(&rows).Error
	})
	out := make([]lookup.Record, len(rows))
	for i, row := range rows {
		out[i] = lookup.Record{
			ID: string(row.ID), OrgID: orgID, Product: product, Document: d, AnsweredAt: row.AnsweredAt.UTC(), Found: row.Found, Schema: row.Schema,
		}
	}
	return out, err
}
