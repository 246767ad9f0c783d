package contacts

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/privacy"
	"fichario/ports"
)

// RemovedRow is a contact that was deleted, or merged into IntoID. The row outlives its content.
type RemovedRow struct {
	ID        engine.UID `gorm:"primaryKey"`
	OrgID     engine.UID `gorm:"not null"`
	WebhookID *engine.UID
	IntoID    *engine.UID
	At        time.Time `gorm:"not null"`
	Content   []byte    `stored:"sealed"`
}

// TableName is the table of the row.
func (RemovedRow) TableName() string { return "removed_contacts" }

// removedJSON is the content of a RemovedRow.
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
	documents := engine.Mapped(c.Documents, func(d document.Document) documentJSON {
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

// RemovalOf opens a contact that was removed.
func RemovalOf(v *engine.Vault, row RemovedRow) crm.Removal {
	out := crm.Removal{
		Contact: crm.Contact{ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: row.WebhookID.Text()},
		IntoID:  row.IntoID.Text(), At: row.At.UTC(), Unreadable: true,
	}
	if row.Content == nil {
		return out
	}
	var kept removedJSON
	plain, ok := v.Shown(row.Content, "removed_contacts|content|"+string(row.ID))
	if !ok || json.Unmarshal(plain, &kept) != nil {
		return out
	}
	out.Contact, out.Before, out.After = kept.Contact.contact(), kept.Before.contact(), kept.After.contact()
	out.By, out.Unreadable = kept.By, kept.Contact.Unreadable
	return out
}

type removals struct {
	engine.Conn
	vault  *engine.Vault
	secret func(context.Context) ([]byte, error)
}

func (r removals) Remove(ctx context.Context, gone crm.Removal) error {
	const op = "removals.remove"
	id := gone.Contact.ID
	row := RemovedRow{
		ID: engine.UID(id), OrgID: engine.UID(gone.Contact.OrgID), WebhookID: engine.Optional(gone.Contact.WebhookID),
		IntoID: engine.Optional(gone.IntoID), At: engine.Stamp(gone.At),
		Content: SealRemoval(r.vault, gone),
	}
	contact, err := engine.FindOne(ctx, r.Inside, op, engine.Same[ContactRow], engine.Locked("UPDATE", ""),
		withoutNote, engine.Of(gone.Contact.OrgID, id))
	if err != nil {
		return err
	}
	return r.Inside(ctx, op, func(db *gorm.DB) error {
		if err := keepCame(db, r.vault, contact); err != nil {
			return err
		}
		if err := engine.OrNotFound(engine.Of(gone.Contact.OrgID, id)(db).Delete(&ContactRow{})); err != nil {
			return err
		}
		figures := NewContactFigures(engine.SomeSlot())
		figures.Add(&contact, -1)
		if err := figures.Count(engine.Through(db)); err != nil {
			return err
		}
		return db.Create(&row).Error
	})
}

// SealRemoval seals what is kept of a removed contact.
func SealRemoval(v *engine.Vault, gone crm.Removal) []byte {
	content := removedJSON{contactJSONOf(gone.Contact), contactJSONOf(gone.Before), contactJSONOf(gone.After), gone.By}
	return v.SealJSON(content, "removed_contacts|content|"+gone.Contact.ID)
}

func (r removals) Save(ctx context.Context, gone crm.Removal) error {
	return r.Inside(ctx, "removals.save", func(db *gorm.DB) error {
		of := engine.Of(gone.Contact.OrgID, gone.Contact.ID)(db.Model(&RemovedRow{}))
		return engine.OrNotFound(of.Where("content IS NOT NULL").
			Update("content", engine.Blob(SealRemoval(r.vault, gone))))
	})
}

func (r removals) Find(ctx context.Context, orgID, id string) (crm.Removal, error) {
	return engine.FindOne(ctx, r.Query, "removals.find", engine.With(r.vault, RemovalOf), engine.Of(orgID, id))
}

func (r removals) Into(ctx context.Context, orgID, contactID string) ([]crm.Removal, error) {
	return engine.FindAll(ctx, r.Query, "removals.into", engine.With(r.vault, RemovalOf), mergedInto(orgID, contactID))
}

// mergedInto are the contacts that became part of one, the last first.
func mergedInto(orgID, contactID string) engine.Scope {
	return func(db *gorm.DB) *gorm.DB {
		return engine.In(orgID)(db).Where("into_id = ?", engine.Optional(contactID)).Order("at DESC, id DESC")
	}
}

func (r removals) Restore(ctx context.Context, c crm.Contact, e crm.Event) error {
	row, event := ContactRowOf(r.vault, c), EventRowOf(r.vault, e)
	return r.Inside(ctx, "removals.restore", func(db *gorm.DB) error {
		// What was read may have been erased since.
		err := engine.OrNotFound(engine.Of(c.OrgID, c.ID)(db).Delete(&RemovedRow{}, "content IS NOT NULL"))
		if err != nil {
			return err
		}
		if err := insert(db, row, event); err != nil {
			return err
		}
		// The index is written oldest first, and does not return to older contacts.
		return index(db, c.OrgID, []string{c.ID})
	})
}

// mergesMost bounds the length of a chain of merges.
const mergesMost = 100

// Survivor follows a merged contact of an organisation to the one that it is now part of.
func Survivor(db *gorm.DB, orgID string, id engine.UID) (engine.UID, error) {
	if id == "" {
		return "", ports.ErrNotFound // see byID
	}
	same := func() *gorm.DB { return engine.In(orgID)(db.Session(&gorm.Session{NewDB: true})).Where("id = ?", id) }
	for range mergesMost {
		var row RemovedRow
		err := same().Select("into_id").Take(&row).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			var there int64
			err = same().Model(&ContactRow{}).Count(&there).Error
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

func (r removals) Survivor(ctx context.Context, orgID, id string) (out string, err error) {
	err = r.Query(ctx, "removals.survivor", func(db *gorm.DB) error {
		found, err := Survivor(db, orgID, engine.UID(id))
		out = string(found)
		return err
	})
	return out, err
}

// OfContact selects the rows of an organisation's contact and of those merged into it.
func OfContact(orgID, id string) engine.Scope {
	return func(db *gorm.DB) *gorm.DB {
		all, err := Family(db.Session(&gorm.Session{NewDB: true}), orgID, engine.Given([]string{id}))
		if err != nil {
			_ = db.AddError(err)
		}
		if db = engine.In(orgID)(db); len(all) == 1 {
			return db.Where("contact_id = ?", id)
		}
		return db.Where("contact_id IN ?", all)
	}
}

// Family returns contacts of an organisation and those merged into them.
func Family(db *gorm.DB, orgID string, ids []string) ([]string, error) {
	all := slices.Clone(ids)
	of, err := Families(db, orgID, ids)
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if of[id] != id {
			all = append(all, id)
		}
	}
	return all, err
}

// Families returns, for contacts of an organisation and those merged into them, which of the former each belongs to.
func Families(db *gorm.DB, orgID string, ids []string) (map[string]string, error) {
	of, last := make(map[string]string, len(ids)), ids
	for _, id := range ids {
		of[id] = id
	}
	for range mergesMost {
		var next []RemovedRow
		err := engine.In(orgID)(db.Session(&gorm.Session{NewDB: true})).Select("id", "into_id").
			Find(&next, "into_id IN ?", last).Error
		if err != nil || len(next) == 0 {
			return of, err
		}
		last = nil
		for _, row := range next {
			of[string(row.ID)] = of[string(*row.IntoID)]
			last = append(last, string(row.ID))
		}
	}
	return of, nil
}

// Forget keeps the rows, which say what posts were answered, and, for merged contacts, keyed hashes of what they were
// known by, by which the surviving contact is found.
func (r removals) Forget(ctx context.Context, deleted, merged time.Time) (n int, err error) {
	secret, err := r.secret(ctx)
	if err != nil {
		return 0, err
	}
	err = r.Whole(ctx, "removals.forget", func(db *gorm.DB) error {
		old := db.Session(&gorm.Session{NewDB: true}).Model(&RemovedRow{}).
			Where("content IS NOT NULL AND at < ?", engine.Stamp(deleted)).
			Where("into_id IS NULL OR at < ?", engine.Stamp(merged)).
			Where(undone(db), engine.Stamp(deleted)).
			Order("at").Session(&gorm.Session{})
		return engine.EachOrg(old, func(of engine.Scope) (bool, error) {
			var some []RemovedRow
			err := of(engine.Locked("UPDATE", "SKIP LOCKED")(old)).Limit(engine.ForgetAtOnce).Select("id, org_id").Find(&some).Error
			if n = len(some); err == nil && n > 0 {
				orgID := ports.AnyOrg
				if engine.Distributed(db) {
					orgID = string(some[0].OrgID) // of all of them: see EachOrg
				}
				err = r.forgetSome(db, secret, orgID, engine.Mapped(some, func(row RemovedRow) string { return string(row.ID) }))
			}
			return n > 0, err
		})
	})
	return n, err
}

// undone is the condition that no bulk removal may bring a contact back.
func undone(db *gorm.DB) string {
	const mayBe = "b.kind = '" + string(crm.BulkDelete) + "' AND (b.ended_at IS NULL OR b.ended_at >= ? OR b.status = '" +
		string(crm.BulkUndoing) + "')"
	if engine.Distributed(db) {
		return "id NOT IN (SELECT i.contact_id FROM bulk_items i WHERE i.contact_id IS NOT NULL AND i.bulk_id IN (" +
			"SELECT b.id FROM bulk_actions b WHERE " + mayBe + "))"
	}
	return "NOT EXISTS (SELECT 1 FROM bulk_items i JOIN bulk_actions b ON b.id = i.bulk_id " +
		"WHERE i.contact_id = removed_contacts.id AND " + mayBe + ")"
}

// forgetSome empties removed contacts.
func (r removals) forgetSome(db *gorm.DB, secret []byte, orgID string, ids []string) error {
	of := engine.Routed(orgID)
	if err := r.traceMerged(of(db), secret, ids); err != nil {
		return err
	}
	var gone []string
	err := of(db.Model(&RemovedRow{})).Where("id IN ? AND into_id IS NULL", ids).Pluck("id", &gone).Error
	if err != nil {
		return err
	}
	if len(gone) > 0 {
		if gone, err = Family(db, orgID, gone); err != nil {
			return err
		}
		if err := of(db).Delete(&EventRow{}, "contact_id IN ?", gone).Error; err != nil {
			return err
		}
		if _, err := ForgetTold(db, orgID, gone, nil); err != nil {
			return err
		}
		// The content of those merged into it goes too.
		if err := of(db.Model(&RemovedRow{})).Where("id IN ?", gone).Update("content", nil).Error; err != nil {
			return err
		}
	}
	return of(db.Model(&RemovedRow{})).Where("id IN ?", ids).Update("content", nil).Error
}

// KnownBy is what a contact is found by.
func KnownBy(c crm.Contact) (all []privacy.Identity) {
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

func (r removals) traceMerged(of *gorm.DB, secret []byte, ids []string) error {
	var rows []RemovedRow
	var traces []privacyrows.TraceRow
	err := of.Find(&rows, "id IN ? AND into_id IS NOT NULL AND content IS NOT NULL", ids).Error
	for _, row := range rows {
		for _, i := range KnownBy(RemovalOf(r.vault, row).Contact) {
			traces = append(traces, privacyrows.TraceRow{
				Subject: engine.SubjectHash(secret, string(row.OrgID), i), Kind: privacyrows.MergedTrace, RowID: row.ID,
			})
		}
	}
	if err != nil || len(traces) == 0 {
		return err
	}
	fresh := of.Session(&gorm.Session{NewDB: true})
	return fresh.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(&traces, 1000).Error
}
