package gormstore

import (
	"context"
	"math"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

type contactRow struct {
	ID          uid `gorm:"primaryKey"`
	OrgID       uid `gorm:"not null"`
	WebhookID   *uid
	Name        string `gorm:"not null"`
	Email       string `gorm:"not null"`
	Phone       string `gorm:"not null"`
	PhoneE164   string `gorm:"column:phone_e164;not null"`
	Company     string `gorm:"not null"`
	Amount      int64  `gorm:"not null"`
	Note        []byte `gorm:"not null"`
	OriginID    *uid
	Attribution []byte
	StageID     uid `gorm:"not null"`
	AssigneeID  *uid
	CreatedAt   time.Time `gorm:"not null"`
	Search      string
}

func (contactRow) TableName() string { return "contacts" }

func (v *vault) contactRow(c crm.Contact) contactRow {
	row := contactRow{
		ID: uid(c.ID), OrgID: uid(c.OrgID), WebhookID: optional(c.WebhookID), Name: c.Name, Email: c.Email, Phone: c.Phone,
		PhoneE164: c.PhoneE164, Company: c.Company, Amount: int64(c.Amount), Note: v.seal([]byte(c.Note), "contacts|note|"+c.ID),
		OriginID: optional(c.OriginID), StageID: uid(c.StageID), AssigneeID: optional(c.AssigneeID), CreatedAt: stamp(c.CreatedAt),
		Search: searchText(c),
	}
	if len(c.Attribution) > 0 {
		row.Attribution = v.sealJSON(c.Attribution, "contacts|attribution|"+c.ID)
	}
	return row
}

func (v *vault) contact(row contactRow) (crm.Contact, error) {
	note, err := v.open(row.Note, "contacts|note|"+string(row.ID))
	if err != nil {
		return crm.Contact{}, err
	}
	c := crm.Contact{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: row.WebhookID.text(), Name: row.Name, Email: row.Email, Phone: row.Phone,
		PhoneE164: row.PhoneE164, Company: row.Company, Amount: catalog.Money(row.Amount), Note: string(note), OriginID: row.OriginID.text(),
		StageID: string(row.StageID), AssigneeID: row.AssigneeID.text(), CreatedAt: row.CreatedAt.UTC(),
	}
	if row.Attribution != nil {
		err = v.openJSON(row.Attribution, "contacts|attribution|"+c.ID, &c.Attribution)
	}
	return c, err
}

// brief is a contact without what is encrypted.
func (row contactRow) brief() crm.Contact {
	return crm.Contact{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: row.WebhookID.text(), Name: row.Name, Email: row.Email, Phone: row.Phone,
		PhoneE164: row.PhoneE164, Company: row.Company, Amount: catalog.Money(row.Amount), OriginID: row.OriginID.text(),
		StageID: string(row.StageID), AssigneeID: row.AssigneeID.text(), CreatedAt: row.CreatedAt.UTC(),
	}
}

type eventRow struct {
	ID        uid    `gorm:"primaryKey"`
	OrgID     uid    `gorm:"not null"`
	ContactID uid    `gorm:"not null"`
	Kind      string `gorm:"not null"`
	Actor     string `gorm:"not null"`
	Subject   []byte
	At        time.Time `gorm:"not null"`
}

func (eventRow) TableName() string { return "contact_events" }

func (v *vault) eventRow(e crm.Event) eventRow {
	row := eventRow{ID: uid(e.ID), OrgID: uid(e.OrgID), ContactID: uid(e.ContactID), Kind: string(e.Kind), Actor: e.Actor, At: stamp(e.At)}
	if e.Subject != "" {
		row.Subject = v.seal([]byte(e.Subject), "contact_events|subject|"+e.ID)
	}
	return row
}

type contacts struct {
	conn
	vault *vault
}

func (r contacts) Find(ctx context.Context, id string) (crm.Contact, error) {
	var row contactRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error })
	if err != nil {
		return crm.Contact{}, err
	}
	return r.vault.contact(row)
}

func (r contacts) Page(ctx context.Context, orgID, after string, limit int) ([]crm.Contact, error) {
	var rows []contactRow
	err := r.query(ctx, func(db *gorm.DB) error { return newest(db, after, limit).Find(&rows, "org_id = ?", orgID).Error })
	if err != nil {
		return nil, err
	}
	out := make([]crm.Contact, len(rows))
	for i, row := range rows {
		if out[i], err = r.vault.contact(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r contacts) Lock(ctx context.Context, id string) (crm.Contact, error) {
	var row contactRow
	err := r.exec(ctx, func(db *gorm.DB) error {
		// SQLite has one writer and no row locks; its dialect leaves the clause out.
		return db.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&row, "id = ?", id).Error
	})
	if err != nil {
		return crm.Contact{}, err
	}
	return r.vault.contact(row)
}

func (r contacts) Create(ctx context.Context, c crm.Contact, e crm.Event) error {
	row, event := r.vault.contactRow(c), r.vault.eventRow(e)
	return r.exec(ctx, func(db *gorm.DB) error {
		if err := hold(db, c.StageID); err != nil {
			return err
		}
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Create(&event).Error
	})
}

func (r contacts) Edit(ctx context.Context, c crm.Contact, e crm.Event) error {
	row := r.vault.contactRow(c)
	return r.change(ctx, e, map[string]any{
		"name": row.Name, "email": row.Email, "phone": row.Phone, "phone_e164": row.PhoneE164, "company": row.Company, "amount": row.Amount,
		"note": row.Note, "origin_id": row.OriginID, "search": row.Search,
	})
}

func (r contacts) SetStage(ctx context.Context, stageID string, e crm.Event) error {
	if err := r.exec(ctx, func(db *gorm.DB) error { return hold(db, stageID) }); err != nil {
		return err
	}
	return r.change(ctx, e, map[string]any{"stage_id": stageID})
}

func (r contacts) SetAssignee(ctx context.Context, memberID string, e crm.Event) error {
	return r.change(ctx, e, map[string]any{"assignee_id": memberID})
}

func (r contacts) AddNote(ctx context.Context, e crm.Event) error {
	var row contactRow
	err := r.exec(ctx, func(db *gorm.DB) error {
		// SQLite has one writer and no row locks; its dialect leaves the clause out.
		return db.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&row, "id = ?", e.ContactID).Error
	})
	if err != nil {
		return err
	}
	c, err := r.vault.contact(row)
	if err != nil {
		return err
	}
	if c.Note != "" {
		c.Note += "\n\n"
	}
	return r.change(ctx, e, map[string]any{"note": r.vault.contactRow(crm.Contact{ID: c.ID, Note: c.Note + e.Subject}).Note})
}

func (r contacts) change(ctx context.Context, e crm.Event, values map[string]any) error {
	row := r.vault.eventRow(e)
	return r.exec(ctx, func(db *gorm.DB) error {
		if err := orNotFound(db.Model(&contactRow{}).Where("id = ?", e.ContactID).Updates(values)); err != nil {
			return err
		}
		return db.Create(&row).Error
	})
}

func (r contacts) InStage(ctx context.Context, stageID string) (bool, error) {
	var ids []uid
	err := r.query(ctx, func(db *gorm.DB) error {
		return db.Model(&contactRow{}).Where("stage_id = ?", stageID).Limit(1).Pluck("id", &ids).Error
	})
	return len(ids) > 0, err
}

func (r contacts) Totals(ctx context.Context, orgID string, f ports.ContactFilter) (map[string]ports.StageTotal, error) {
	var rows []struct {
		StageID   uid
		N         int
		High, Low int64
	}
	err := r.query(ctx, func(db *gorm.DB) error {
		all := db.Model(&contactRow{}).Select("stage_id, COUNT(*) AS n, CAST(SUM(amount >> 20) AS bigint) AS high, CAST(SUM(amount & 1048575) AS bigint) AS low").Group("stage_id")
		if len(f.Stages) > 0 && f.OriginID == "" && f.AssigneeID == "" && f.WebhookID == "" && f.Since.IsZero() && len(f.Words) == 0 {
			// A stage is of one organisation: without its column the index answers alone.
			return all.Where("stage_id IN (?)", db.Table("stages").Select("stages.id").Joins("JOIN funnels ON funnels.id = stages.funnel_id").
				Where("funnels.org_id = ? AND stages.id IN ?", orgID, f.Stages)).Find(&rows).Error
		}
		return filtered(all, orgID, f).Find(&rows).Error
	})
	out := map[string]ports.StageTotal{}
	for _, row := range rows {
		out[string(row.StageID)] = ports.StageTotal{Count: row.N, Amount: sum(row.High, row.Low)}
	}
	return out, err
}

// sum puts together what was added up in two parts, because amounts come from outside
// and two of them may be more than a sum can hold.
func sum(high, low int64) catalog.Money {
	const most = math.MaxInt64 >> 20
	high += low >> 20
	return catalog.Money(min(max(high, -most), most)<<20 | low&(1<<20-1))
}

func (r contacts) Events(ctx context.Context, contactID string) ([]crm.Event, error) {
	var rows []eventRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Order("id").Find(&rows, "contact_id = ?", contactID).Error })
	if err != nil {
		return nil, err
	}
	out := make([]crm.Event, len(rows))
	for i, row := range rows {
		out[i] = crm.Event{
			ID: string(row.ID), OrgID: string(row.OrgID), ContactID: string(row.ContactID), Kind: crm.EventKind(row.Kind), Actor: row.Actor, At: row.At.UTC(),
		}
		if row.Subject != nil {
			subject, err := r.vault.open(row.Subject, "contact_events|subject|"+string(row.ID))
			if err != nil {
				return nil, err
			}
			out[i].Subject = string(subject)
		}
	}
	return out, nil
}
