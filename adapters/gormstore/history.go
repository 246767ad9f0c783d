package gormstore

import (
	"context"
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

// record opens what latestColumns are. Organisation, product and document are those that it was asked for.
func (v *vault) record(row recordRow) (lookup.Record, error) {
	fields, raw, err := v.openTwo(row.Answer, "records|answer|"+string(row.ID))
	if err != nil {
		return lookup.Record{}, err
	}
	return lookup.Record{
		ID: string(row.ID), AnsweredAt: row.AnsweredAt.UTC(), Found: row.Found, Schema: row.Schema, Fields: fields, Raw: raw,
	}, nil
}

func (v *vault) wholeRecord(row recordRow) (lookup.Record, error) {
	rec, err := v.record(row)
	if err != nil {
		return rec, err
	}
	value, err := v.open(row.Document, "records|document|"+string(row.ID))
	rec.OrgID, rec.Product = string(row.OrgID), row.Product
	rec.Document = document.Restore(document.Type(row.DocType), string(value))
	return rec, err
}

type history struct {
	conn
	vault *vault
	serve *together[served, kept]
}

func (r history) Save(ctx context.Context, rec lookup.Record) error {
	return r.create(ctx, "history.save", &recordRow{
		ID: uid(rec.ID), OrgID: uid(rec.OrgID), Product: rec.Product, DocType: string(rec.Document.Type()),
		DocIndex:   r.vault.indexes(indexText(rec.OrgID, rec.Product, rec.Document))[0],
		Document:   r.vault.seal([]byte(rec.Document.Value()), "records|document|"+rec.ID),
		AnsweredAt: stamp(rec.AnsweredAt), Found: rec.Found, Schema: rec.Schema,
		Answer: r.vault.sealTwo(rec.Fields, rec.Raw, "records|answer|"+rec.ID),
	})
}

// latestColumns are what is read of the newest record.
const latestColumns = "id, answered_at, found, schema, answer"

func (r history) Latest(ctx context.Context, orgID, product string, d document.Document) (lookup.Record, error) {
	rec, err := findOne(ctx, r.query, "history.latest", r.vault.record, r.of(orgID, product, d),
		func(db *gorm.DB) *gorm.DB { return db.Select(latestColumns).Order("answered_at DESC") })
	rec.OrgID, rec.Product, rec.Document = orgID, product, d
	return rec, err
}

// of chooses the records of a document, whichever data key they were written with.
func (r history) of(orgID, product string, d document.Document) scope {
	return where("doc_index IN ?", r.vault.indexes(indexText(orgID, product, d)))
}

func (r history) Records(ctx context.Context, ids []string) (map[string]lookup.Record, error) {
	out := map[string]lookup.Record{}
	if len(ids) == 0 {
		return out, nil
	}
	records, err := findAll(ctx, r.query, "history.records", r.vault.wholeRecord, where("id IN ?", ids))
	for _, rec := range records {
		out[rec.ID] = rec
	}
	return out, err
}

func (r history) Answers(
	ctx context.Context, orgID, product string, d document.Document, limit int,
) ([]lookup.Record, error) {
	bare := func(row recordRow) lookup.Record {
		return lookup.Record{
			ID: string(row.ID), OrgID: orgID, Product: product, Document: d,
			AnsweredAt: row.AnsweredAt.UTC(), Found: row.Found, Schema: row.Schema,
		}
	}
	return findAll(ctx, r.query, "history.answers", plain(bare), r.of(orgID, product, d), func(db *gorm.DB) *gorm.DB {
		return db.Select("id, answered_at, found, schema").Order("answered_at DESC").Limit(limit)
	})
}
