package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/domain/crm"
)

type bulkRow struct {
	ID       uid    `gorm:"primaryKey"`
	OrgID    uid    `gorm:"not null"`
	MemberID uid    `gorm:"not null"`
	Kind     string `gorm:"not null"`
	TargetID *uid
	Settings []byte    `stored:"sealed"`
	Status   string    `gorm:"not null"`
	Total    int       `gorm:"not null"`
	Done     int       `gorm:"not null"`
	Skipped  int       `gorm:"not null"`
	At       time.Time `gorm:"not null"`
	EndedAt  *time.Time
}

func (bulkRow) TableName() string { return "bulk_actions" }

type bulkItemRow struct {
	ID        uid `gorm:"primaryKey"`
	BulkID    uid `gorm:"not null"`
	ContactID *uid
	State     string `gorm:"not null"`
	BeforeID  *uid
	Content   []byte `stored:"sealed"`
	Result    string `gorm:"not null"`
}

func (bulkItemRow) TableName() string { return "bulk_items" }

func (v *vault) bulkRow(b crm.Bulk) bulkRow {
	row := bulkRow{
		ID: uid(b.ID), OrgID: uid(b.OrgID), MemberID: uid(b.MemberID), Kind: string(b.Kind), TargetID: optional(b.TargetID),
		Status: string(b.Status), Total: b.Total, Done: b.Done, Skipped: b.Skipped, At: stamp(b.At),
		EndedAt: optionalTime(b.EndedAt),
	}
	if b.Settings != nil {
		row.Settings = v.seal(b.Settings, "bulk_actions|settings|"+b.ID)
	}
	return row
}

func (v *vault) bulk(row bulkRow) crm.Bulk {
	b := crm.Bulk{
		ID: string(row.ID), OrgID: string(row.OrgID), MemberID: string(row.MemberID), Kind: crm.BulkKind(row.Kind),
		TargetID: row.TargetID.text(), Status: crm.BulkStatus(row.Status), Total: row.Total, Done: row.Done,
		Skipped: row.Skipped, At: row.At.UTC(), EndedAt: timeOf(row.EndedAt),
	}
	if row.Settings != nil {
		settings, ok := v.shown(row.Settings, "bulk_actions|settings|"+b.ID)
		b.Settings, b.Unreadable = settings, !ok
	}
	return b
}

func (v *vault) bulkItemRow(i crm.BulkItem) bulkItemRow {
	row := bulkItemRow{
		ID: uid(i.ID), BulkID: uid(i.BulkID), ContactID: optional(i.ContactID), State: string(i.State),
		BeforeID: optional(i.BeforeID), Result: i.Result,
	}
	if i.Content != nil {
		row.Content = v.seal(i.Content, "bulk_items|content|"+i.ID)
	}
	return row
}

func (v *vault) bulkItem(row bulkItemRow) crm.BulkItem {
	i := crm.BulkItem{
		ID: string(row.ID), BulkID: string(row.BulkID), ContactID: row.ContactID.text(), State: crm.BulkState(row.State),
		BeforeID: row.BeforeID.text(), Result: row.Result,
	}
	if row.Content != nil {
		content, ok := v.shown(row.Content, "bulk_items|content|"+i.ID)
		i.Content, i.Unreadable = content, !ok
	}
	return i
}

type bulks struct {
	conn
	vault *vault
}

func (r bulks) Create(ctx context.Context, b crm.Bulk, items []crm.BulkItem) error {
	row, rows := r.vault.bulkRow(b), mapped(items, r.vault.bulkItemRow)
	return r.inside(ctx, "bulks.create", func(db *gorm.DB) error {
		if err := db.Create(&row).Error; err != nil || len(rows) == 0 {
			return err
		}
		return db.CreateInBatches(&rows, 1000).Error
	})
}

func (r bulks) Find(ctx context.Context, id string) (crm.Bulk, error) {
	return findOne(ctx, r.query, "bulks.find", r.vault.bulk, byID(id))
}

func (r bulks) Lock(ctx context.Context, id string) (crm.Bulk, error) {
	return findOne(ctx, r.inside, "bulks.lock", r.vault.bulk, locked("UPDATE", ""), byID(id))
}

func (r bulks) Next(ctx context.Context, id string) (crm.Bulk, error) {
	scopes := []scope{
		locked("UPDATE", "SKIP LOCKED"),
		where("status IN (" + literal(crm.BulkRunning) + ", " + literal(crm.BulkUndoing) + ")"), order("id"),
	}
	if id != "" {
		scopes = append(scopes, byID(id))
	}
	return findOne(ctx, r.inside, "bulks.next", r.vault.bulk, scopes...)
}

func (r bulks) Items(
	ctx context.Context, bulkID string, state crm.BulkState, after string, limit int,
) ([]crm.BulkItem, error) {
	scopes := []scope{where("bulk_id = ? AND id > ?", bulkID, orNoID(optional(after))), order("id")}
	if state != "" {
		scopes = append(scopes, where("state = ?", string(state)))
	}
	return findAll(ctx, r.query, "bulks.items", r.vault.bulkItem, append(scopes, func(db *gorm.DB) *gorm.DB {
		return db.Limit(limit)
	})...)
}

func (r bulks) Latest(ctx context.Context, orgID string, kind crm.BulkKind, limit int) ([]crm.Bulk, error) {
	return findAll(ctx, r.query, "bulks.latest", r.vault.bulk, where("org_id = ? AND kind = ?", orgID, string(kind)),
		order("at DESC, id DESC"), func(db *gorm.DB) *gorm.DB { return db.Limit(limit) })
}

func (r bulks) Save(ctx context.Context, b crm.Bulk, items ...crm.BulkItem) error {
	row := r.vault.bulkRow(b)
	return r.whole(ctx, "bulks.save", func(db *gorm.DB) error {
		columns := []string{"status", "done", "skipped", "ended_at"}
		if b.Settings != nil {
			columns = append(columns, "settings")
		}
		err := orNotFound(db.Model(&bulkRow{}).Where("id = ?", b.ID).Select(columns).Updates(&row))
		if err != nil {
			return err
		}
		for _, item := range items {
			one := r.vault.bulkItemRow(item)
			err := orNotFound(db.Model(&bulkItemRow{}).Where("id = ?", item.ID).
				Select("contact_id", "state", "before_id", "result").Updates(&one))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (r bulks) Forget(ctx context.Context, before time.Time) (n int, err error) {
	err = r.whole(ctx, "bulks.forget", func(db *gorm.DB) error {
		var old []bulkRow
		err := db.Select("id").Where("at < ?", stamp(before)).Order("at").Limit(1).Find(&old).Error
		if err != nil || len(old) == 0 {
			return err
		}
		n = 1
		some := db.Model(&bulkItemRow{}).Select("id").Where("bulk_id = ?", old[0].ID).Limit(10 * forgetAtOnce)
		gone := db.Delete(&bulkItemRow{}, "id IN (?)", some)
		if gone.Error != nil || gone.RowsAffected > 0 {
			return gone.Error
		}
		return db.Delete(&bulkRow{}, "id = ?", old[0].ID).Error
	})
	return n, err
}
