package gormstore

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

type lookupRow struct {
	ID       uid `gorm:"primaryKey"`
	OrgID    uid `gorm:"not null"`
	KeyID    *uid
	MemberID *uid
	Product  string    `gorm:"not null"`
	DocType  string    `gorm:"not null"`
	Document []byte    `gorm:"not null"`
	At       time.Time `gorm:"not null"`
	Cache    bool      `gorm:"not null"`
	Charged  bool      `gorm:"not null"`
	Amount   int64     `gorm:"not null"`
	Status   string    `gorm:"not null"`
	RecordID *uid
	Day      string `gorm:"not null"`
	Month    string `gorm:"not null"`
	SettleAt *time.Time
	// ContactID is the contact that it is about.
	ContactID *uid
}

func (lookupRow) TableName() string { return "lookups" }

func (v *vault) row(e lookup.Entry) lookupRow {
	return lookupRow{
		ID: uid(e.ID), OrgID: uid(e.OrgID), KeyID: optional(e.KeyID), MemberID: optional(e.MemberID),
		Product: e.Product, DocType: string(e.Document.Type()),
		Document: v.seal([]byte(e.Document.Value()), "lookups|document|"+e.ID),
		At:       stamp(e.At), Cache: e.Cache, Charged: e.Charged, Amount: int64(e.Amount), Status: string(e.Status),
		RecordID: optional(e.RecordID), Day: e.Day, Month: e.Month, SettleAt: optionalTime(e.SettleAt), ContactID: optional(e.ContactID),
	}
}

type statement struct {
	conn
	vault *vault
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

func (r statement) OfContact(ctx context.Context, orgID, contactID string, limit int) ([]ports.ContactLookup, error) {
	var rows []lookupRow
	answered := map[uid]recordRow{}
	err := r.query(ctx, func(db *gorm.DB) error {
		if err := db.Order("id DESC").Limit(limit).Find(&rows, "contact_id = ? AND org_id = ?", contactID, orgID).Error; err != nil {
			return err
		}
		var ids []uid
		for _, row := range rows {
			if row.RecordID != nil {
				ids = append(ids, *row.RecordID)
			}
		}
		if len(ids) == 0 {
			return nil
		}
		var records []recordRow
		if err := db.Select("id", "answered_at").Find(&records, "id IN ?", ids).Error; err != nil {
			return err
		}
		for _, record := range records {
			answered[record.ID] = record
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]ports.ContactLookup, len(rows))
	for i, row := range rows {
		if out[i].Entry, err = r.entry(row); err != nil {
			return nil, fmt.Errorf("entry %s: %w", row.ID, err)
		}
		if row.RecordID != nil {
			if record, ok := answered[*row.RecordID]; ok {
				out[i].AnsweredAt = record.AnsweredAt.UTC()
			}
		}
	}
	return out, nil
}
