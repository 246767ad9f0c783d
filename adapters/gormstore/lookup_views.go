package gormstore

import (
	"context"

	"gorm.io/gorm"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

func (r statement) Asked(ctx context.Context, recordIDs []string) (map[string]lookup.Entry, error) {
	if len(recordIDs) == 0 {
		return map[string]lookup.Entry{}, nil
	}
	var rows []lookupRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Find(&rows, "record_id IN ? AND NOT cache", recordIDs).Error })
	out := map[string]lookup.Entry{}
	for _, row := range rows {
		e, err := r.entry(row)
		if err != nil {
			return nil, err
		}
		out[e.RecordID] = e
	}
	return out, err
}

func (r statement) Spend(ctx context.Context, by lookup.Asker, from, until string) ([]lookup.DaySpent, error) {
	var rows []struct {
		Day, Product string
		Count        int
		Amount       int64
	}
	err := r.query(ctx, func(db *gorm.DB) error {
		return asked(db, by).Model(&lookupRow{}).Select("day, product, COUNT(*) AS count, CAST(SUM(amount) AS bigint) AS amount").
			Where("org_id = ? AND charged AND day BETWEEN ? AND ?", by.OrgID, from, until).
			Group("day, product").Order("day, product").Find(&rows).Error
	})
	out := make([]lookup.DaySpent, len(rows))
	for i, row := range rows {
		out[i] = lookup.DaySpent{Day: row.Day, Product: row.Product, Spent: lookup.Spent{Count: row.Count, Amount: catalog.Money(row.Amount)}}
	}
	return out, err
}

func (r usage) SpentByKeys(ctx context.Context, keyIDs []string, bucket string) (map[string]lookup.Spent, error) {
	out := map[string]lookup.Spent{}
	if len(keyIDs) == 0 {
		return out, nil
	}
	var rows []usageRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Find(&rows, "bucket = ? AND key_id IN ?", bucket, keyIDs).Error })
	for _, row := range rows {
		out[string(row.KeyID)] = lookup.Spent{Count: int(row.Count), Amount: catalog.Money(row.Amount)}
	}
	return out, err
}

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
