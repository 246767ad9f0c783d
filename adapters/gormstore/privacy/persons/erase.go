package persons

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/batches"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/intake"
	"fichario/adapters/gormstore/lookups"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/adapters/gormstore/team"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
)

func (r subjects) Erase(
	ctx context.Context, p *privacy.Person, k privacy.Kind, ids []string,
) (gone privacy.Counts, err error) {
	erase := map[privacy.Kind]func(*gorm.DB, *privacy.Person, []string) (privacy.Counts, error){
		privacy.Lookups: r.eraseLookups, privacy.Items: r.eraseItems, privacy.Contacts: r.eraseContacts,
		privacy.Parts: r.eraseParts, privacy.Removed: r.eraseRemoved, privacy.Rows: r.eraseRows,
		privacy.Deliveries: r.eraseDeliveries, privacy.Notices: r.eraseNotices,
		privacy.Texts: r.eraseTexts,
	}[k]
	err = r.Inside(ctx, "subjects.erase", func(db *gorm.DB) error {
		if len(ids) == 0 {
			return nil
		}
		gone, err = erase(db.Session(&gorm.Session{NewDB: true}), p, ids)
		return err
	})
	return gone, err
}

// eraseLookups strips the entries of their documents and removes their answers. A running entry is left until it has an
// outcome; an entry that its owner may still settle no longer gets an answer.
func (r subjects) eraseLookups(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	var rows []lookups.LookupRow
	err := engine.Locked("UPDATE", "")(db).Select("id", "record_id", "document").Order("id").
		Where("id BETWEEN ? AND ?", ids[0], ids[len(ids)-1]).
		Find(&rows, "id IN ? AND org_id = ? AND status <> "+engine.Literal(lookup.Running), ids, p.OrgID).Error
	if err != nil {
		return nil, err
	}
	var records, erased []string
	for _, row := range rows {
		empty := r.store.Vault.Seal(nil, "lookups|document|"+string(row.ID))
		err := db.Model(&lookups.LookupRow{}).Where("id = ?", row.ID).
			Updates(map[string]any{"document": engine.Blob(empty), "record_id": nil, "contact_id": nil, "settle_at": nil}).Error
		if err != nil {
			return nil, err
		}
		mark(p, row.Document)
		if erased = append(erased, string(row.ID)); row.RecordID != nil {
			records = append(records, string(*row.RecordID))
		}
	}
	gone := privacy.Counts{privacy.Lookups: len(rows)}
	if len(records) > 0 {
		var brought []lookups.RecordRow
		if err := db.Select("id", "document", "answer").Find(&brought, "id IN ?", records).Error; err != nil {
			return nil, err
		}
		for _, row := range brought {
			mark(p, row.Document, row.Answer)
		}
		if err := r.unanswer(db, p, records); err != nil {
			return nil, err
		}
		answers := db.Delete(&lookups.RecordRow{}, "id IN ? AND org_id = ?", records, p.OrgID)
		if answers.Error != nil {
			return nil, answers.Error
		}
		gone[privacy.Answers] = int(answers.RowsAffected)
	}
	return gone, r.untrace(db, p, privacy.Lookups, erased)
}

// unanswer detaches the person's other lines from answers about to be removed: later steps erase those lines, which
// until then would refer to a missing answer. They are found by the index of people, however long the statement is: a
// line that the history answered is not indexed by its answer, because every such lookup would have to write that
// index.
func (r subjects) unanswer(db *gorm.DB, p *privacy.Person, records []string) error {
	for after, more := "", true; more; {
		ids, err := r.indexed(db.Statement.Context, p, privacy.Lookups, after, traceAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}
		more, after = len(ids) == traceAtOnce, ids[len(ids)-1]
		err = db.Model(&lookups.LookupRow{}).Where("id IN ? AND id BETWEEN ? AND ?", ids, ids[0], after).
			Where("record_id IN ?", records).Update("record_id", nil).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// untrace removes rows from the index of people.
func (r subjects) untrace(
	db *gorm.DB, p *privacy.Person, k privacy.Kind, ids []string, others ...privacy.Identity,
) error {
	if len(ids) == 0 {
		return nil
	}
	secret, err := r.store.SubjectSecret(db.Statement.Context)
	if err != nil {
		return err
	}
	hashes := engine.Mapped(slices.Concat(p.Identities, others), func(i privacy.Identity) []byte {
		return engine.SubjectHash(secret, p.OrgID, i)
	})
	return db.Delete(&privacyrows.TraceRow{}, "subject IN ? AND kind = ? AND row_id IN ?", hashes, string(k), ids).Error
}

// eraseItems strips batch items of documents and cells.
func (r subjects) eraseItems(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	var rows []batches.BatchItemRow
	if err := engine.Locked("UPDATE", "")(db).Order("id").Find(&rows, "id IN ? AND org_id = ?", ids,
		p.OrgID).Error; err != nil {
		return nil, err
	}
	for _, row := range rows {
		others, item := batches.IdentitiesOf(r.store.Vault, row), batches.ItemOf(r.store.Vault, row)
		mark(p, row.Content)
		item.Document, item.Cells = document.Document{}, make([]string, len(item.Cells))
		empty := batches.ItemRowOf(r.store.Vault, item)
		err := db.Model(&batches.BatchItemRow{}).Where("id = ?", row.ID).
			Updates(map[string]any{"content": engine.Blob(empty.Content), "doc_type": ""}).Error
		if err == nil {
			err = r.untrace(db, p, privacy.Items, []string{string(row.ID)}, others...)
		}
		if err != nil {
			return nil, err
		}
	}
	// An item may have been removed while the index of people took it up.
	return privacy.Counts{privacy.Items: len(rows)}, r.untrace(db, p, privacy.Items, ids)
}

// eraseContacts removes contacts, those merged into them, and their history and runs. Their ids stay, because posts
// were answered with them.
func (r subjects) eraseContacts(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	gone := privacy.Counts{}
	for _, id := range ids {
		var row contacts.ContactRow
		found := engine.Locked("UPDATE", "")(db).Limit(1).Find(&row, "id = ? AND org_id = ?", id, p.OrgID)
		if found.Error != nil {
			return nil, found.Error
		}
		if found.RowsAffected == 0 {
			continue
		}
		mark(p, row.Note, row.Attribution, row.Documents)
		markTexts(p, row)
		figures := contacts.NewContactFigures(engine.SomeSlot())
		figures.Add(&row, -1)
		removed := contacts.RemovedRow{ID: row.ID, OrgID: row.OrgID, WebhookID: row.WebhookID, At: engine.Stamp(time.Now())}
		err := errors.Join(db.Delete(&contacts.ContactRow{}, "id = ?", id).Error, figures.Count(engine.Through(db)),
			db.Create(&removed).Error)
		if err != nil {
			return nil, err
		}
		gone[privacy.Contacts]++
		with, err := r.forgetFamily(db, p, id)
		if err != nil {
			return nil, err
		}
		gone.Add(with)
	}
	return gone, nil
}

// forgetFamily removes the history and runs of a removed contact and of those merged into it, and the content of the
// latter.
func (r subjects) forgetFamily(db *gorm.DB, p *privacy.Person, id string) (privacy.Counts, error) {
	all, err := contacts.Family(db, []string{id})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(markAll(db, p, "contact_events", "subject", "contact_id", all),
		markAll(db, p, "removed_contacts", "content", "id", all), r.untrace(db, p, privacyrows.MergedTrace,
			all)); err != nil {
		return nil, err
	}
	events := db.Delete(&contacts.EventRow{}, "contact_id IN ?", all)
	runs := db.Delete(&automations.JobRow{}, "contact_id IN ? AND kind <> "+engine.Literal(automation.FanOut), all)
	waiting := db.Delete(&automations.JobRow{}, "contact_id IN ? AND kind = "+engine.Literal(automation.FanOut)+
		" AND state = "+engine.Literal(automation.Ready), all)
	were := db.Model(&contacts.RemovedRow{}).Where("id IN ? AND content IS NOT NULL", all).Update("content", nil)
	return privacy.Counts{
		privacy.Happenings: int(events.RowsAffected), privacy.Runs: int(runs.RowsAffected + waiting.RowsAffected),
		privacy.Removed: int(were.RowsAffected),
	}, errors.Join(events.Error, runs.Error, waiting.Error, were.Error)
}

// eraseParts removes the person's documents, and mentions of them, from contacts about others.
func (r subjects) eraseParts(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	gone, v := privacy.Counts{}, r.store.Vault
	var rows []contacts.ContactRow
	if err := engine.Locked("UPDATE", "")(db).Order("id").Find(&rows, "id IN ? AND org_id = ?", ids,
		p.OrgID).Error; err != nil {
		return nil, err
	}
	for _, row := range rows {
		mark(p, row.Documents, row.Note)
		c := contacts.ContactOf(v, row)
		had := len(c.Documents)
		c.Documents = slices.DeleteFunc(c.Documents, func(d document.Document) bool {
			i, ok := privacy.OfDocument(d)
			return ok && p.Knows(i)
		})
		if c.Unreadable || len(c.Documents) == had {
			continue
		}
		c.Note = p.Redact(c.Note)
		documents, index := contacts.SealDocuments(v, c)
		err := db.Model(&contacts.ContactRow{}).Where("id = ?", row.ID).Updates(map[string]any{
			"documents": nullable(documents), "doc_index": nullable(index), "note": engine.Blob(contacts.SealNote(v, c)),
		}).Error
		if err == nil {
			err = r.redactEvents(db, p, row.ID)
		}
		if err != nil {
			return nil, err
		}
		gone[privacy.Parts]++
	}
	return gone, nil
}

// eraseTexts removes the person from the texts of contacts about others.
func (r subjects) eraseTexts(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	var rows []contacts.ContactRow
	if err := engine.Locked("UPDATE", "")(db).Order("id").Find(&rows, "id IN ? AND org_id = ?", ids,
		p.OrgID).Error; err != nil {
		return nil, err
	}
	for _, row := range rows {
		c, changed := contacts.ContactOf(r.store.Vault, row), map[string]any{}
		if p.Mentions(c.Note) {
			mark(p, row.Note)
			c.Note = p.Redact(c.Note)
			changed["note"] = engine.Blob(contacts.SealNote(r.store.Vault, c))
		}
		if p.Mentions(valuesOf(c.Attribution)) {
			mark(p, row.Attribution)
			left := strings.Split(p.Redact(valuesOf(c.Attribution)), "\n")
			for n := range c.Attribution {
				if c.Attribution[n].Value = ""; len(left) == len(c.Attribution) { // else a value has lines, or all are gone
					c.Attribution[n].Value = left[n]
				}
			}
			changed["attribution"] = engine.Blob(r.store.Vault.SealJSON(c.Attribution, "contacts|attribution|"+c.ID))
		}
		if len(changed) > 0 {
			if err := db.Model(&contacts.ContactRow{}).Where("id = ?", row.ID).Updates(changed).Error; err != nil {
				return nil, err
			}
		}
		if err := r.redactEvents(db, p, row.ID); err != nil {
			return nil, err
		}
	}
	return privacy.Counts{privacy.Texts: len(rows)}, nil
}

// nullable turns nil into NULL rather than an empty value.
func nullable(b []byte) any {
	if b == nil {
		return nil
	}
	return engine.Blob(b)
}

// redactEvents removes a person from the history of another contact.
func (r subjects) redactEvents(db *gorm.DB, p *privacy.Person, contactID engine.UID) error {
	var events []contacts.EventRow
	if err := db.Find(&events, "contact_id = ? AND subject IS NOT NULL", contactID).Error; err != nil {
		return err
	}
	for _, row := range events {
		e := contacts.EventOf(r.store.Vault, row)
		if e.Unreadable || !p.Mentions(e.Subject) {
			continue
		}
		e.Subject = p.Redact(e.Subject)
		err := db.Model(&contacts.EventRow{}).Where("id = ?", row.ID).
			Update("subject", engine.Blob(contacts.EventRowOf(r.store.Vault, e).Subject)).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// eraseRemoved forgets the content of contacts that are already gone. The name of a merged one stands in the other's
// history.
func (r subjects) eraseRemoved(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	gone := privacy.Counts{}
	for _, id := range ids {
		var row contacts.RemovedRow
		found := engine.Locked("UPDATE", "")(db).Limit(1).Find(&row, "id = ? AND org_id = ?", id, p.OrgID)
		if found.Error != nil {
			return nil, found.Error
		}
		if row.IntoID != nil {
			if err := r.unname(db, *row.IntoID, contacts.RemovalOf(r.store.Vault, row)); err != nil {
				return nil, err
			}
		}
		with, err := r.forgetFamily(db, p, id)
		if err != nil {
			return nil, err
		}
		gone.Add(with)
	}
	return gone, nil
}

// unname removes the name of a merged contact from the history of the contact it was merged into.
func (r subjects) unname(db *gorm.DB, intoID engine.UID, was crm.Removal) error {
	var events []contacts.EventRow
	err := db.Find(&events, "contact_id = ? AND kind IN ?", intoID, []string{string(crm.Merged), string(crm.Parted)}).Error
	if err != nil {
		return err
	}
	for _, row := range events {
		if contacts.EventOf(r.store.Vault, row).Subject != was.Contact.Name {
			continue
		}
		if err := db.Model(&contacts.EventRow{}).Where("id = ?", row.ID).Update("subject", nil).Error; err != nil {
			return err
		}
	}
	return nil
}

func (r subjects) eraseRows(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	if err := markAll(db, p, "bulk_items", "content", "id", ids); err != nil {
		return nil, err
	}
	rows := db.Model(&contacts.BulkItemRow{}).Where("id IN ? AND content IS NOT NULL", ids).Update("content", nil)
	return privacy.Counts{privacy.Rows: int(rows.RowsAffected)}, rows.Error
}

// noHeaders are the headers of an erased post.
const noHeaders = "[]"

// eraseDeliveries strips posts of headers and body, and marks them as cut short, so that none is read again.
func (r subjects) eraseDeliveries(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	if err := markAll(db, p, "deliveries", "content", "id", ids); err != nil {
		return nil, err
	}
	for _, id := range ids {
		empty := r.store.Vault.SealTwo([]byte(noHeaders), nil, "deliveries|content|"+id)
		err := db.Model(&intake.DeliveryRow{}).Where("id = ? AND org_id = ?", id, p.OrgID).
			Updates(map[string]any{"content": engine.Blob(empty), "truncated": true}).Error
		if err != nil {
			return nil, err
		}
	}
	return privacy.Counts{privacy.Deliveries: len(ids)}, nil
}

func (r subjects) eraseNotices(db *gorm.DB, _ *privacy.Person, ids []string) (privacy.Counts, error) {
	rows := db.Delete(&team.NotificationRow{}, "id IN ?", ids)
	return privacy.Counts{privacy.Notices: int(rows.RowsAffected)}, rows.Error
}
