package gormstore

import (
	"context"
	"encoding/json"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/text"
)

func (r members) Find(ctx context.Context, id string) (crm.Member, error) {
	var row memberRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error })
	return row.member(), err
}

func (r members) ByEmail(ctx context.Context, email string) (crm.Member, error) {
	var row memberRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "email = ?", email).Error })
	return row.member(), err
}

func (r members) Update(ctx context.Context, m crm.Member) error {
	row := memberRowOf(m)
	return r.changing(ctx, m.OrgID, func(db *gorm.DB) error {
		return orNotFound(db.Model(&memberRow{}).Where("id = ? AND org_id = ?", m.ID, m.OrgID).
			Select("name", "email", "role", "active", "password_hash").Updates(&row))
	})
}

func (r members) List(ctx context.Context, orgID string) ([]crm.Member, error) {
	var rows []memberRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Order("created_at, id").Find(&rows, "org_id = ?", orgID).Error })
	return mapped(rows, memberRow.member), err
}

func (r memberRow) member() crm.Member {
	return crm.Member{
		ID: string(r.ID), OrgID: string(r.OrgID), Name: r.Name, Email: r.Email, Role: crm.Role(r.Role),
		Active: r.Active, PasswordHash: r.PasswordHash, CreatedAt: r.CreatedAt.UTC(),
	}
}

func mapped[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}

type funnels struct{ conn }

func (r funnels) Create(ctx context.Context, f crm.Funnel) error {
	stages := make([]stageRow, len(f.Stages))
	for i, s := range f.Stages {
		stages[i] = stageRow{ID: uid(s.ID), FunnelID: uid(f.ID), Name: s.Name, Position: i}
	}
	return r.changing(ctx, f.OrgID, func(db *gorm.DB) error {
		row := funnelRow{ID: uid(f.ID), OrgID: uid(f.OrgID), Name: f.Name, IsDefault: f.Default, CreatedAt: stamp(f.CreatedAt)}
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Create(&stages).Error
	})
}

func (r funnels) List(ctx context.Context, orgID string) ([]crm.Funnel, error) {
	var (
		rows   []funnelRow
		stages []stageRow
	)
	err := r.query(ctx, func(db *gorm.DB) error {
		if err := db.Order("is_default DESC, created_at, id").Find(&rows, "org_id = ?", orgID).Error; err != nil {
			return err
		}
		return db.Order("position").Find(&stages, "funnel_id IN (?)", db.Model(&funnelRow{}).Select("id").Where("org_id = ?", orgID)).Error
	})
	out := make([]crm.Funnel, len(rows))
	for i, row := range rows {
		out[i] = crm.Funnel{ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, Default: row.IsDefault, CreatedAt: row.CreatedAt.UTC()}
		for _, s := range stages {
			if s.FunnelID == row.ID {
				out[i].Stages = append(out[i].Stages, crm.Stage{ID: string(s.ID), Name: s.Name})
			}
		}
	}
	return out, err
}

type origins struct{ conn }

func (r origins) Create(ctx context.Context, o crm.Origin) error {
	return r.changing(ctx, o.OrgID, func(db *gorm.DB) error {
		return db.Create(&originRow{ID: uid(o.ID), OrgID: uid(o.OrgID), Name: o.Name, Folded: text.Fold(o.Name)}).Error
	})
}

func (r origins) List(ctx context.Context, orgID string) ([]crm.Origin, error) {
	var rows []originRow
	err := r.query(ctx, func(db *gorm.DB) error { return db.Order("folded").Find(&rows, "org_id = ?", orgID).Error })
	return mapped(rows, originRow.origin), err
}

func (r originRow) origin() crm.Origin {
	return crm.Origin{ID: string(r.ID), OrgID: string(r.OrgID), Name: r.Name}
}

type contacts struct {
	conn
	vault *vault
}

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

// sealJSON seals a value that is stored as JSON.
func (v *vault) sealJSON(value any, place string) []byte {
	plain, err := json.Marshal(value)
	if err != nil {
		panic(err) // only texts and numbers are stored so
	}
	return v.seal(plain, place)
}

func (v *vault) openJSON(sealed []byte, place string, into any) error {
	plain, err := v.open(sealed, place)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, into)
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

// newest orders by UUIDv7, which begin with their time, the newest first.
func newest(db *gorm.DB, after string, limit int) *gorm.DB {
	if after != "" {
		db = db.Where("id < ?", after)
	}
	return db.Order("id DESC").Limit(limit)
}

func (r contacts) SetStage(ctx context.Context, stageID string, e crm.Event) error {
	if err := r.exec(ctx, func(db *gorm.DB) error { return hold(db, stageID) }); err != nil {
		return err
	}
	return r.change(ctx, e, map[string]any{"stage_id": stageID})
}

// hold keeps a stage from being removed until the transaction ends.
func hold(db *gorm.DB, stageID string) error {
	// SQLite has one writer and no row locks; its dialect leaves the clause out.
	return db.Clauses(clause.Locking{Strength: "KEY SHARE"}).Select("id").Take(&stageRow{}, "id = ?", stageID).Error
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

func (v *vault) eventRow(e crm.Event) eventRow {
	row := eventRow{ID: uid(e.ID), OrgID: uid(e.OrgID), ContactID: uid(e.ContactID), Kind: string(e.Kind), Actor: e.Actor, At: stamp(e.At)}
	if e.Subject != "" {
		row.Subject = v.seal([]byte(e.Subject), "contact_events|subject|"+e.ID)
	}
	return row
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

type notifications struct{ conn }

func notificationRowOf(n crm.Notification) notificationRow {
	return notificationRow{ID: uid(n.ID), OrgID: uid(n.OrgID), Kind: string(n.Kind), ContactID: uid(n.ContactID), Subject: n.Subject, At: stamp(n.At)}
}

func (r notifications) Create(ctx context.Context, n crm.Notification) error {
	row := notificationRowOf(n)
	return r.exec(ctx, func(db *gorm.DB) error { return db.Create(&row).Error })
}

func (r notifications) List(ctx context.Context, orgID, memberID string, limit int) ([]crm.Notification, error) {
	var rows []struct {
		Row         notificationRow `gorm:"embedded"`
		ContactName string
	}
	var mark markRow
	err := r.query(ctx, func(db *gorm.DB) error {
		if memberID != "" {
			if err := db.Limit(1).Find(&mark, "member_id = ?", memberID).Error; err != nil {
				return err
			}
		}
		return db.Table("notifications").Select("notifications.*, contacts.name AS contact_name").
			Joins("JOIN contacts ON contacts.id = notifications.contact_id").Where("notifications.org_id = ?", orgID).
			Order("notifications.id DESC").Limit(limit).Find(&rows).Error
	})
	out := make([]crm.Notification, len(rows))
	for i, r := range rows {
		row := r.Row
		out[i] = crm.Notification{
			ID: string(row.ID), OrgID: string(row.OrgID), Kind: crm.NotificationKind(row.Kind), ContactID: string(row.ContactID),
			ContactName: r.ContactName, Subject: row.Subject, At: row.At.UTC(), Read: mark.UpTo >= row.ID,
		}
	}
	return out, err
}

func (r notifications) Unread(ctx context.Context, orgID, memberID string) (n int, err error) {
	err = r.query(ctx, func(db *gorm.DB) error {
		var mark markRow
		if err := db.Limit(1).Find(&mark, "member_id = ?", memberID).Error; err != nil {
			return err
		}
		some := db.Model(&notificationRow{}).Select("id").Where("org_id = ?", orgID)
		if mark.UpTo != "" {
			some = some.Where("id > ?", mark.UpTo)
		}
		return db.Raw("SELECT COUNT(*) FROM (?) AS unread", some.Limit(100)).Scan(&n).Error
	})
	return n, err
}

func (r notifications) ReadAll(ctx context.Context, orgID, memberID, upTo string) error {
	_, err := r.affected(ctx, `INSERT INTO notification_marks (member_id, up_to)
		SELECT members.id, notifications.id FROM members JOIN notifications ON notifications.org_id = members.org_id
		WHERE members.id = ? AND members.org_id = ? AND notifications.id = ?
		ON CONFLICT (member_id) DO UPDATE SET up_to = excluded.up_to WHERE notification_marks.up_to < excluded.up_to`,
		memberID, orgID, upTo)
	return err
}
