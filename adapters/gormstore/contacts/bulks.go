package contacts

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/ports"
)

// BulkRow is an action on many contacts, or an import.
type BulkRow struct {
	ID       engine.UID `gorm:"primaryKey"`
	OrgID    engine.UID `gorm:"not null"`
	MemberID engine.UID `gorm:"not null"`
	Kind     string     `gorm:"not null"`
	TargetID *engine.UID
	Settings []byte    `stored:"sealed"`
	Status   string    `gorm:"not null"`
	Total    int       `gorm:"not null"`
	Done     int       `gorm:"not null"`
	Skipped  int       `gorm:"not null"`
	At       time.Time `gorm:"not null"`
	EndedAt  *time.Time
}

// TableName is the table of the row.
func (BulkRow) TableName() string { return "bulk_actions" }

// BulkItemRow is what an action on many contacts did to one of them, or a row of an import.
type BulkItemRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	BulkID    engine.UID `gorm:"not null"`
	ContactID *engine.UID
	State     string `gorm:"not null"`
	BeforeID  *engine.UID
	Content   []byte `stored:"sealed"`
	Result    string `gorm:"not null"`
}

// TableName is the table of the row.
func (BulkItemRow) TableName() string { return "bulk_items" }

// BulkRowOf seals an action on many contacts.
func BulkRowOf(v *engine.Vault, b crm.Bulk) BulkRow {
	row := BulkRow{
		ID: engine.UID(b.ID), OrgID: engine.UID(b.OrgID), MemberID: engine.UID(b.MemberID), Kind: string(b.Kind),
		TargetID: engine.Optional(b.TargetID),
		Status:   string(b.Status), Total: b.Total, Done: b.Done, Skipped: b.Skipped, At: engine.Stamp(b.At),
		EndedAt: engine.OptionalTime(b.EndedAt),
	}
	if b.Settings != nil {
		row.Settings = v.Seal(b.Settings, "bulk_actions|settings|"+b.ID)
	}
	return row
}

// BulkOf opens an action on many contacts.
func BulkOf(v *engine.Vault, row BulkRow) crm.Bulk {
	b := crm.Bulk{
		ID: string(row.ID), OrgID: string(row.OrgID), MemberID: string(row.MemberID), Kind: crm.BulkKind(row.Kind),
		TargetID: row.TargetID.Text(), Status: crm.BulkStatus(row.Status), Total: row.Total, Done: row.Done,
		Skipped: row.Skipped, At: row.At.UTC(), EndedAt: engine.TimeOf(row.EndedAt),
	}
	if row.Settings != nil {
		settings, ok := v.Shown(row.Settings, "bulk_actions|settings|"+b.ID)
		b.Settings, b.Unreadable = settings, !ok
	}
	return b
}

func bulkItemRowOf(v *engine.Vault, i crm.BulkItem) BulkItemRow {
	row := BulkItemRow{
		ID: engine.UID(i.ID), BulkID: engine.UID(i.BulkID), ContactID: engine.Optional(i.ContactID), State: string(i.State),
		BeforeID: engine.Optional(i.BeforeID), Result: i.Result,
	}
	if i.Content != nil {
		row.Content = v.Seal(i.Content, "bulk_items|content|"+i.ID)
	}
	return row
}

// BulkItemOf opens an item of an action on many.
func BulkItemOf(v *engine.Vault, row BulkItemRow) crm.BulkItem {
	i := crm.BulkItem{
		ID: string(row.ID), BulkID: string(row.BulkID), ContactID: row.ContactID.Text(), State: crm.BulkState(row.State),
		BeforeID: row.BeforeID.Text(), Result: row.Result,
	}
	if row.Content != nil {
		content, ok := v.Shown(row.Content, "bulk_items|content|"+i.ID)
		i.Content, i.Unreadable = content, !ok
	}
	return i
}

type bulks struct {
	engine.Conn
	vault *engine.Vault
}

func (r bulks) Create(ctx context.Context, b crm.Bulk, items []crm.BulkItem) error {
	row, rows := BulkRowOf(r.vault, b), engine.Mapped(items, engine.With(r.vault, bulkItemRowOf))
	return r.Inside(ctx, "bulks.create", func(db *gorm.DB) error {
		if err := db.Create(&row).Error; err != nil || len(rows) == 0 {
			return err
		}
		return db.CreateInBatches(&rows, 1000).Error
	})
}

func (r bulks) Find(ctx context.Context, orgID, id string) (crm.Bulk, error) {
	return engine.FindOne(ctx, r.Query, "bulks.find", engine.With(r.vault, BulkOf), engine.Of(orgID, id))
}

func (r bulks) Lock(ctx context.Context, orgID, id string) (crm.Bulk, error) {
	return engine.FindOne(ctx, r.Inside, "bulks.lock", engine.With(r.vault, BulkOf), engine.Locked("UPDATE", ""),
		engine.Of(orgID, id))
}

func (r bulks) Next(ctx context.Context, id string) (crm.Bulk, error) {
	scopes := []engine.Scope{
		engine.Where("status IN (" + engine.Literal(crm.BulkRunning) + ", " + engine.Literal(crm.BulkUndoing) + ")"),
		engine.Order("id"),
	}
	if id != "" {
		scopes = append(scopes, engine.ByID(id))
	}
	var rows []BulkRow
	err := r.Inside(ctx, "bulks.next", func(db *gorm.DB) error {
		next := db.Session(&gorm.Session{NewDB: true}).Model(&BulkRow{})
		for _, narrow := range scopes {
			next = narrow(next)
		}
		next = next.Session(&gorm.Session{})
		return engine.EachOrg(next, func(of engine.Scope) (bool, error) {
			err := of(engine.Locked("UPDATE", "SKIP LOCKED")(next)).Limit(1).Find(&rows).Error
			return len(rows) > 0, err
		})
	})
	if err == nil && len(rows) == 0 {
		err = engine.Named("bulks.next", ports.ErrNotFound)
	}
	if err != nil {
		return crm.Bulk{}, err
	}
	return BulkOf(r.vault, rows[0]), nil
}

func (r bulks) Items(
	ctx context.Context, bulkID string, state crm.BulkState, after string, limit int,
) ([]crm.BulkItem, error) {
	scopes := []engine.Scope{engine.Where("bulk_id = ? AND id > ?", bulkID, engine.OrNoID(engine.Optional(after))),
		engine.Order("id")}
	if state != "" {
		scopes = append(scopes, engine.Where("state = ?", string(state)))
	}
	return engine.FindAll(ctx, r.Query, "bulks.items", engine.With(r.vault, BulkItemOf),
		append(scopes, func(db *gorm.DB) *gorm.DB {
			return db.Limit(limit)
		})...)
}

func (r bulks) Latest(ctx context.Context, orgID string, kind crm.BulkKind, limit int) ([]crm.Bulk, error) {
	return engine.FindAll(ctx, r.Query, "bulks.latest", engine.With(r.vault, BulkOf),
		engine.Where("org_id = ? AND kind = ?", orgID, string(kind)),
		engine.Order("at DESC, id DESC"), func(db *gorm.DB) *gorm.DB { return db.Limit(limit) })
}

func (r bulks) Save(ctx context.Context, b crm.Bulk, items ...crm.BulkItem) error {
	row := BulkRowOf(r.vault, b)
	return r.Whole(ctx, "bulks.save", func(db *gorm.DB) error {
		columns := []string{"status", "done", "skipped", "ended_at"}
		if b.Settings != nil {
			columns = append(columns, "settings")
		}
		of := engine.Routed(b.OrgID)
		err := engine.OrNotFound(of(db.Model(&BulkRow{})).Where("id = ?", b.ID).Select(columns).Updates(&row))
		if err != nil {
			return err
		}
		for _, item := range items {
			one := bulkItemRowOf(r.vault, item)
			err := engine.OrNotFound(db.Model(&BulkItemRow{}).Where("id = ?", item.ID).
				Select("contact_id", "state", "before_id", "result").Updates(&one))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func (r bulks) Forget(ctx context.Context, before time.Time) (n int, err error) {
	err = r.Whole(ctx, "bulks.forget", func(db *gorm.DB) error {
		var old []BulkRow
		ended := db.Where("ended_at IS NULL OR ended_at < ?", engine.Stamp(before)).
			Where("status NOT IN ?", []crm.BulkStatus{crm.BulkRunning, crm.BulkUndoing})
		err := db.Select("id, org_id").Where("at < ?", engine.Stamp(before)).Where(ended).Order("at").Limit(1).Find(&old).Error
		if err != nil || len(old) == 0 {
			return err
		}
		n = 1
		some := db.Model(&BulkItemRow{}).Select("id").Where("bulk_id = ?", old[0].ID).Limit(10 * engine.ForgetAtOnce)
		gone := db.Delete(&BulkItemRow{}, "id IN (?)", some)
		if gone.Error != nil || gone.RowsAffected > 0 {
			return gone.Error
		}
		return engine.Routed(string(old[0].OrgID))(db).Delete(&BulkRow{}, "id = ?", old[0].ID).Error
	})
	return n, err
}
