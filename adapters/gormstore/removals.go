package gormstore

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/privacy"
	"fichario/ports"
)

// removedRow is a contact that was deleted, or merged into IntoID. The row outlives its content.
type removedRow struct {
	ID        uid `gorm:"primaryKey"`
	OrgID     uid `gorm:"not null"`
	WebhookID *uid
	IntoID    *uid
	At        time.Time `gorm:"not null"`
	Content   []byte    `stored:"sealed"`
}

func (removedRow) TableName() string { return "removed_contacts" }

// removedJSON is the content of a removedRow.
type removedJSON struct {
	Contact, Before, After contactJSON
	By                     string
}

// contactJSON is a removed contact as it is stored.
type contactJSON struct {
	crm.Contact
	Documents []documentJSON
}

func contactJSONOf(c crm.Contact) contactJSON {
	documents := mapped(c.Documents, func(d document.Document) documentJSON {
		return documentJSON{string(d.Type()), d.Value()}
	})
	return contactJSON{c, documents}
}

func (j contactJSON) contact() crm.Contact {
	c := j.Contact
	for _, d := range j.Documents {
		c.Documents = append(c.Documents, document.Restore(document.Type(d.Type), d.Value))
	}
	return c
}

func (v *vault) removal(row removedRow) crm.Removal {
	out := crm.Removal{
		Contact: crm.Contact{ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: row.WebhookID.text()},
		IntoID:  row.IntoID.text(), At: row.At.UTC(), Unreadable: true,
	}
	if row.Content == nil {
		return out
	}
	var kept removedJSON
	plain, ok := v.shown(row.Content, "removed_contacts|content|"+string(row.ID))
	if !ok || json.Unmarshal(plain, &kept) != nil {
		return out
	}
	out.Contact, out.Before, out.After = kept.Contact.contact(), kept.Before.contact(), kept.After.contact()
	out.By, out.Unreadable = kept.By, kept.Contact.Unreadable
	return out
}

type removals struct {
	conn
	vault  *vault
	secret func(context.Context) ([]byte, error)
}

func (r removals) Remove(ctx context.Context, gone crm.Removal) error {
	const op = "removals.remove"
	id := gone.Contact.ID
	content := removedJSON{contactJSONOf(gone.Contact), contactJSONOf(gone.Before), contactJSONOf(gone.After), gone.By}
	row := removedRow{
		ID: uid(id), OrgID: uid(gone.Contact.OrgID), WebhookID: optional(gone.Contact.WebhookID),
		IntoID: optional(gone.IntoID), At: stamp(gone.At),
		Content: r.vault.sealJSON(content, "removed_contacts|content|"+id),
	}
	contact, err := findOne(ctx, r.inside, op, func(row contactRow) contactRow { return row }, locked("UPDATE", ""),
		withoutNote, byID(id))
	if err != nil {
		return err
	}
	return r.inside(ctx, op, func(db *gorm.DB) error {
		if err := orNotFound(db.Delete(&contactRow{}, "id = ?", id)); err != nil {
			return err
		}
		figures := newContactFigures(someSlot())
		figures.add(&contact, -1)
		if err := figures.count(db); err != nil {
			return err
		}
		return db.Create(&row).Error
	})
}

func (r removals) Find(ctx context.Context, id string) (crm.Removal, error) {
	return findOne(ctx, r.query, "removals.find", r.vault.removal, byID(id))
}

func (r removals) Into(ctx context.Context, contactID string) ([]crm.Removal, error) {
	return findAll(ctx, r.query, "removals.into", r.vault.removal, where("into_id = ? AND content IS NOT NULL", optional(contactID)),
		order("at DESC, id DESC"))
}

func (r removals) Restore(ctx context.Context, c crm.Contact, e crm.Event) error {
	row, event := r.vault.contactRow(c), r.vault.eventRow(e)
	return r.inside(ctx, "removals.restore", func(db *gorm.DB) error {
		if err := orNotFound(db.Delete(&removedRow{}, "id = ?", c.ID)); err != nil {
			return err
		}
		if err := write(db, &row, &event); err != nil {
			return err
		}
		// The index is written oldest first, and does not return to older contacts.
		return index(db, []string{c.ID})
	})
}

// mergesMost bounds the length of a chain of merges.
const mergesMost = 100

// survivor follows a merged contact to the one that it is now part of.
func survivor(db *gorm.DB, id uid) (uid, error) {
	if id == "" {
		return "", ports.ErrNotFound // see byID
	}
	for range mergesMost {
		var row removedRow
		err := db.Session(&gorm.Session{NewDB: true}).Select("into_id").Take(&row, "id = ?", id).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			var there int
			err = db.Session(&gorm.Session{NewDB: true}).Raw("SELECT COUNT(*) FROM contacts WHERE id = ?", id).
				Scan(&there).Error
			if err == nil && there == 0 {
				err = ports.ErrNotFound
			}
			return id, err
		}
		if err != nil {
			return "", err
		}
		if row.IntoID == nil {
			break
		}
		id = *row.IntoID
	}
	return "", ports.ErrNotFound
}

func (r removals) Survivor(ctx context.Context, id string) (out string, err error) {
	err = r.query(ctx, "removals.survivor", func(db *gorm.DB) error {
		found, err := survivor(db, uid(id))
		out = string(found)
		return err
	})
	return out, err
}

// ofContact selects the rows of a contact and of those merged into it.
func ofContact(id string) scope {
	return func(db *gorm.DB) *gorm.DB {
		all, err := family(db.Session(&gorm.Session{NewDB: true}), given([]string{id}))
		if err != nil {
			_ = db.AddError(err)
		}
		if len(all) == 1 {
			return db.Where("contact_id = ?", id)
		}
		return db.Where("contact_id IN ?", all)
	}
}

// family returns contacts and those merged into them.
func family(db *gorm.DB, ids []string) ([]string, error) {
	all, last := ids, ids
	for range mergesMost {
		var next []string
		err := db.Model(&removedRow{}).Where("into_id IN ?", last).Order("id").Pluck("id", &next).Error
		if err != nil || len(next) == 0 {
			return all, err
		}
		all, last = append(all, next...), next
	}
	return all, nil
}

// Forget keeps the rows, which say what posts were answered, and, for merged contacts, keyed hashes of what they were
// known by, by which the surviving contact is found.
func (r removals) Forget(ctx context.Context, deleted, merged time.Time) (n int, err error) {
	secret, err := r.secret(ctx)
	if err != nil {
		return 0, err
	}
	err = r.whole(ctx, "removals.forget", func(db *gorm.DB) error {
		var ids []string
		old := db.Model(&removedRow{}).Where("content IS NOT NULL AND at < ?", stamp(deleted)).
			Where("into_id IS NULL OR at < ?", stamp(merged)).
			Where(`NOT EXISTS (SELECT 1 FROM bulk_items i JOIN bulk_actions b ON b.id = i.bulk_id
				WHERE i.contact_id = removed_contacts.id AND b.kind = `+literal(crm.BulkDelete)+`
				AND (b.ended_at IS NULL OR b.ended_at >= ? OR b.status = `+literal(crm.BulkUndoing)+`))`, stamp(deleted)).
			Order("at").Limit(forgetAtOnce)
		if err := locked("UPDATE", "SKIP LOCKED")(old).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
			return err
		}
		n = len(ids)
		if err := r.traceMerged(db, secret, ids); err != nil {
			return err
		}
		var gone []string
		err := db.Model(&removedRow{}).Where("id IN ? AND into_id IS NULL", ids).Pluck("id", &gone).Error
		if err != nil {
			return err
		}
		if len(gone) > 0 {
			if gone, err = family(db, gone); err != nil {
				return err
			}
			if err := db.Delete(&eventRow{}, "contact_id IN ?", gone).Error; err != nil {
				return err
			}
			// The content of those merged into it goes too.
			if err := db.Model(&removedRow{}).Where("id IN ?", gone).Update("content", nil).Error; err != nil {
				return err
			}
		}
		return db.Model(&removedRow{}).Where("id IN ?", ids).Update("content", nil).Error
	})
	return n, err
}

// knownBy is what a contact is found by.
func knownBy(c crm.Contact) (all []privacy.Identity) {
	if i, err := privacy.ByEmail(c.Email); err == nil {
		all = append(all, i)
	}
	if c.PhoneE164 != "" {
		all = append(all, privacy.Identity{Type: privacy.Phone, Value: c.PhoneE164})
	}
	for _, d := range c.Documents {
		if i, ok := privacy.OfDocument(d); ok {
			all = append(all, i)
		}
	}
	return all
}

func (r removals) traceMerged(db *gorm.DB, secret []byte, ids []string) error {
	var rows []removedRow
	var traces []traceRow
	err := db.Find(&rows, "id IN ? AND into_id IS NOT NULL AND content IS NOT NULL", ids).Error
	for _, row := range rows {
		for _, i := range knownBy(r.vault.removal(row).Contact) {
			traces = append(traces, traceRow{subjectHash(secret, string(row.OrgID), i), mergedTrace, row.ID})
		}
	}
	if err != nil || len(traces) == 0 {
		return err
	}
	return db.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(&traces, 1000).Error
}
