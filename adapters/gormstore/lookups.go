package gormstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/domain/automation"
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
	Document []byte    `gorm:"not null" stored:"sealed"`
	At       time.Time `gorm:"not null"`
	Cache    bool      `gorm:"not null"`
	Charged  bool      `gorm:"not null"`
	Amount   int64     `gorm:"not null"`
	Status   string    `gorm:"not null"`
	RecordID *uid
	Day      string `gorm:"not null"`
	Month    string `gorm:"not null"`
	SettleAt *time.Time
	// ContactID is the contact that the lookup is about.
	ContactID *uid
	// BatchID and AutomationID say what asked on behalf of the key or member.
	BatchID, AutomationID *uid
	Purpose               string `gorm:"not null;default:''"`
}

func (lookupRow) TableName() string { return "lookups" }

func (v *vault) lookupRow(e lookup.Entry) lookupRow {
	return lookupRow{
		ID: uid(e.ID), OrgID: uid(e.OrgID), KeyID: optional(e.KeyID), MemberID: optional(e.MemberID),
		Product: e.Product, DocType: string(e.Document.Type()),
		Document: v.seal([]byte(e.Document.Value()), "lookups|document|"+e.ID),
		At:       stamp(e.At), Cache: e.Cache, Charged: e.Charged, Amount: int64(e.Amount), Status: string(e.Status),
		RecordID: optional(e.RecordID), Day: e.Day, Month: e.Month, SettleAt: optionalTime(e.SettleAt),
		ContactID: optional(e.ContactID), BatchID: optional(e.BatchID), AutomationID: optional(e.AutomationID),
		Purpose: e.Purpose,
	}
}

func (v *vault) entry(row lookupRow) lookup.Entry {
	e := lookup.Entry{
		ID: string(row.ID), OrgID: string(row.OrgID), KeyID: row.KeyID.text(), MemberID: row.MemberID.text(),
		Product: row.Product, At: row.At.UTC(), Cache: row.Cache, Charged: row.Charged, Amount: catalog.Money(row.Amount),
		Status: lookup.Status(row.Status), RecordID: row.RecordID.text(), Day: row.Day, Month: row.Month,
		SettleAt: timeOf(row.SettleAt), ContactID: row.ContactID.text(),
		BatchID: row.BatchID.text(), AutomationID: row.AutomationID.text(), Purpose: row.Purpose,
	}
	v.openDocument(&e, document.Type(row.DocType), row.Document)
	return e
}

// openDocument opens the document of an entry.
func (v *vault) openDocument(e *lookup.Entry, docType document.Type, sealed []byte) {
	value, ok := v.shown(sealed, "lookups|document|"+e.ID)
	e.Unreadable, e.Erased = !ok, ok && len(value) == 0
	if ok && !e.Erased {
		e.Document = document.Restore(docType, string(value))
	}
}

type statement struct {
	conn
	vault *vault
	// secret is the key of the hashes by which people are found.
	secret func(context.Context) ([]byte, error)
}

func (r statement) Add(ctx context.Context, e lookup.Entry) error {
	row := r.vault.lookupRow(e)
	secret, err := r.secret(ctx)
	if err != nil {
		return err
	}
	subject := documentHash(secret, e.OrgID, e.Document)
	queued := false
	err = r.whole(ctx, "statement.add", func(db *gorm.DB) (err error) {
		var barred []int
		find := barring(e.OrgID, e.Since)(db.Session(&gorm.Session{NewDB: true})).
			Where("subject = ?", blob(subject)).Limit(1).Select("1")
		if err := find.Scan(&barred).Error; err != nil || len(barred) > 0 {
			return cmp.Or(err, ports.ErrErased)
		}
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		if queued, err = addCompleted(db, row, automation.Trail(e.Trail)); err != nil {
			return err
		}
		return countEntry(db, row, someSlot())
	})
	if err == nil && queued {
		r.due(automation.FanOut)
	}
	return err
}

func (r statement) Find(ctx context.Context, id string) (lookup.Entry, error) {
	return findOne(ctx, r.query, "statement.find", r.vault.entry, byID(id))
}

func (r statement) Entries(ctx context.Context, ids []string) (map[string]lookup.Entry, error) {
	out := map[string]lookup.Entry{}
	if ids = given(ids); len(ids) == 0 {
		return out, nil
	}
	// The bounds let PostgreSQL prune partitions.
	found, err := findAll(ctx, r.query, "statement.entries", r.vault.entry, where("id IN ?", ids),
		where("id BETWEEN ? AND ?", slices.Min(ids), slices.Max(ids)))
	for _, e := range found {
		out[e.ID] = e
	}
	return out, err
}

// running selects entries without an outcome. Where another caller sets the outcome, settle_at stays: it marks an
// entry that its owner may still settle.
func running(condition string, value any) scope {
	return where("status = "+literal(lookup.Running)+" AND "+condition, value)
}

func (r statement) Abandon(ctx context.Context, id string) (bool, error) {
	n, err := r.changed(ctx, "statement.abandon", func(db *gorm.DB) *gorm.DB {
		return running("id = ?", id)(db.Model(&lookupRow{})).Update("status", string(lookup.NoAnswer))
	})
	return n > 0, err
}

func (r statement) Settle(ctx context.Context, now time.Time) (n int, err error) {
	err = r.whole(ctx, "statement.settle", func(db *gorm.DB) error {
		// The leases go first, in the order that all transactions use, so that no two deadlock.
		over := locked("UPDATE", "")(db.Model(&leaseRow{}).Select("doc_index").Where("expires_at <= ?", stamp(now)).
			Order("doc_index"))
		if err := db.Delete(&leaseRow{}, "doc_index IN (?) AND expires_at <= ?", over, stamp(now)).Error; err != nil {
			return err
		}
		settled := running("settle_at <= ?", stamp(now))(db.Model(&lookupRow{})).Update("status", string(lookup.NoAnswer))
		n = int(settled.RowsAffected)
		return settled.Error
	})
	return n, err
}

// asker selects rows by who asked.
func asker(by lookup.Asker) scope {
	switch {
	case by.KeyID != "":
		// The cast keeps SQLite, which has no statistics, from walking the organisation's index.
		return where("key_id = ? AND CAST(org_id AS text) = ?", by.KeyID, by.OrgID)
	case by.MemberID != "":
		return where("member_id = ? AND CAST(org_id AS text) = ?", by.MemberID, by.OrgID)
	case by.Members:
		return where("org_id = ? AND key_id IS NULL", by.OrgID)
	}
	return where("org_id = ?", by.OrgID)
}

func (r statement) Asked(ctx context.Context, recordIDs []string) (map[string]lookup.Entry, error) {
	out := map[string]lookup.Entry{}
	if recordIDs = given(recordIDs); len(recordIDs) == 0 {
		return out, nil
	}
	brought := where("record_id IN ? AND NOT cache", recordIDs)
	entries, err := findAll(ctx, r.query, "statement.asked", r.vault.entry, brought)
	for _, e := range entries {
		out[e.RecordID] = e
	}
	return out, err
}

func (r statement) Spend(ctx context.Context, by lookup.Asker, from, until string) ([]lookup.DaySpent, error) {
	type row struct {
		Day, Product string
		Count        int
		Amount       int64
	}
	perDay := func(db *gorm.DB) *gorm.DB {
		if db = db.Model(&spendDayRow{}); by.MemberID != "" {
			db = db.Model(&memberDayRow{}).Where("member_id = ?", by.MemberID)
		} else if by.KeyID != "" {
			db = db.Where("key_id = ?", by.KeyID)
		} else if by.Members {
			db = db.Where("key_id = ?", noID)
		}
		return db.Select("day, product, CAST(SUM(charged) AS bigint) AS count, CAST(SUM(amount) AS bigint) AS amount").
			Where("org_id = ? AND day BETWEEN ? AND ?", by.OrgID, from, until).
			Group("day, product").Having("SUM(charged) <> 0").Order("day, product")
	}
	return findAll(ctx, r.list, "statement.spend", func(r row) lookup.DaySpent {
		return lookup.DaySpent{
			Day: r.Day, Product: r.Product, Spent: lookup.Spent{Count: r.Count, Amount: catalog.Money(r.Amount)},
		}
	}, perDay)
}

func (r statement) Tie(ctx context.Context, id, contactID string) error {
	_, err := r.changed(ctx, "statement.tie", func(db *gorm.DB) *gorm.DB {
		return db.Model(&lookupRow{}).Where("id = ?", id).Update("contact_id", contactID)
	})
	return err
}

func (r statement) OfContact(
	ctx context.Context, orgID, contactID string, limit int,
) (out []ports.ContactLookup, err error) {
	err = r.query(ctx, "statement.ofContact", func(db *gorm.DB) error {
		var rows []lookupRow
		w := walk{"lookups_contact", []string{"contact_id"}, []any{contactID}, ""}
		if err := w.page(passing("org_id = ?", orgID)(fresh(db)), "lookups", beforeAll, afterAll, false, limit).
			Find(&rows).Error; err != nil {
			return err
		}
		answered, err := answeredAt(db, rows)
		if err != nil {
			return err
		}
		out = make([]ports.ContactLookup, len(rows))
		for i, row := range rows {
			out[i].Entry = r.vault.entry(row)
			if row.RecordID != nil {
				out[i].AnsweredAt = answered[*row.RecordID]
			}
		}
		return nil
	})
	return out, err
}

// answeredAt returns when the records of some lookups were answered, by record id.
func answeredAt(db *gorm.DB, rows []lookupRow) (map[uid]time.Time, error) {
	var ids []uid
	for _, row := range rows {
		if row.RecordID != nil {
			ids = append(ids, *row.RecordID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	var records []recordRow
	err := db.Select("id", "answered_at").Find(&records, "id IN ?", ids).Error
	out := map[uid]time.Time{}
	for _, record := range records {
		out[record.ID] = record.AnsweredAt.UTC()
	}
	return out, err
}
