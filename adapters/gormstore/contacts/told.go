package contacts

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/privacy"
)

// ToldRow is what a platform was told of a contact, under the id of the run that told it.
type ToldRow struct {
	ID          engine.UID `gorm:"primaryKey"`
	OrgID       engine.UID `gorm:"not null"`
	ContactID   engine.UID `gorm:"not null"`
	Destination string     `gorm:"not null"`
	At          time.Time  `gorm:"not null"`
	AnsweredAt  *time.Time
	Content     []byte `gorm:"not null" stored:"sealed"`
}

// TableName is the table of the row.
func (ToldRow) TableName() string { return "told_stages" }

// toldJSON is the content of a ToldRow.
type toldJSON struct {
	Ground automation.Ground
	Body   string
}

func toldOf(v *engine.Vault, row ToldRow) automation.Told {
	t := automation.Told{
		RunID: string(row.ID), OrgID: string(row.OrgID), ContactID: string(row.ContactID), Destination: row.Destination,
		At: row.At.UTC(), AnsweredAt: engine.TimeOf(row.AnsweredAt),
	}
	var kept toldJSON
	plain, ok := v.Shown(row.Content, "told_stages|content|"+t.RunID)
	t.Unreadable = !ok || json.Unmarshal(plain, &kept) != nil
	t.Ground, t.Body = kept.Ground, kept.Body
	return t
}

// told keeps what platforms were told.
type told struct {
	engine.Conn
	vault *engine.Vault
}

func (r told) Add(ctx context.Context, t automation.Told) error {
	row := ToldRow{
		ID: engine.UID(t.RunID), OrgID: engine.UID(t.OrgID), ContactID: engine.UID(t.ContactID),
		Destination: t.Destination, At: engine.Stamp(t.At),
		Content: r.vault.SealJSON(toldJSON{t.Ground, t.Body}, "told_stages|content|"+t.RunID),
	}
	return r.Inside(ctx, "told.add", func(db *gorm.DB) error {
		added := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
		if added.Error != nil || added.RowsAffected > 0 {
			return added.Error
		}
		var before ToldRow
		if err := engine.Routed(t.OrgID)(db).Take(&before, "id = ?", row.ID).Error; err != nil {
			return err
		}
		first := toldOf(r.vault, before)
		if first.Unreadable || slices.Contains(strings.Split(first.Body, "\n"), t.Body) {
			return nil
		}
		content := r.vault.SealJSON(toldJSON{first.Ground, first.Body + "\n" + t.Body}, "told_stages|content|"+t.RunID)
		return engine.Routed(t.OrgID)(db.Model(&before)).Update("content", content).Error
	})
}

func (r told) Answered(ctx context.Context, orgID, runID string, at time.Time) error {
	return r.Inside(ctx, "told.answered", func(db *gorm.DB) error {
		return db.Model(&ToldRow{}).Where("id = ? AND org_id = ?", runID, orgID).Update("answered_at", engine.Stamp(at)).Error
	})
}

func (r told) OfContact(ctx context.Context, orgID, contactID string) ([]automation.Told, error) {
	return engine.FindAll(ctx, r.Query, "told.ofContact", engine.With(r.vault, toldOf), OfContact(orgID, contactID),
		engine.Order("at, id"))
}

// ForgetTold removes what platforms were told of contacts, and adds to whom and when to what is known of it.
func ForgetTold(
	db *gorm.DB, orgID string, contactIDs []string, known []privacy.PassedOn,
) ([]privacy.PassedOn, error) {
	var rows []ToldRow
	err := engine.Routed(orgID)(db.Model(&ToldRow{})).Select("id", "destination", "at").
		Where("contact_id IN ?", contactIDs).Order("at, id").Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return known, err
	}
	for _, row := range rows {
		known = append(known, privacy.PassedOn{To: row.Destination, At: row.At.UTC()})
	}
	return known, engine.Routed(orgID)(db).Delete(&ToldRow{}, "contact_id IN ?", contactIDs).Error
}
