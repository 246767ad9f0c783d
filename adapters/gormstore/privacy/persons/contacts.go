package persons

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/privacy"
	"fichario/ports"
)

// keptContacts are contacts about the person, with their history and runs. keptParts are about others, and have one of
// the person's documents; so are keptTexts, whose texts name the person.
var (
	keptContacts = keeper{
		kind: privacy.Contacts, table: "contacts", within: ofOrg,
		names: naming(func(v *engine.Vault, row contacts.ContactRow) (id, orgID engine.UID, who []privacy.Identity) {
			return row.ID, row.OrgID, contacts.KnownBy(contacts.ContactOf(v, row))
		}),
		erase: subjects.eraseContacts,
	}
	keptParts = keeper{kind: privacy.Parts, table: "contacts", within: ofOrg, erase: each(privacy.Parts, subjects.strip)}
	keptTexts = keeper{
		kind: privacy.Texts, table: "contacts", within: ofOrg, indexed: true, about: finding.texts,
		erase: each(privacy.Texts, subjects.unmention),
	}
)

// eraseContacts removes contacts, those merged into them, and their history and runs. Their ids stay, because posts
// were answered with them.
func (r subjects) eraseContacts(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	// The figures come last and in their order, so that no two transactions wait for each other's.
	gone, figures := privacy.Counts{}, contacts.NewContactFigures(engine.SomeSlot())
	var merged []string
	for _, id := range ids {
		var row contacts.ContactRow
		found := engine.Locked("UPDATE", "")(db).Limit(1).Find(&row, "id = ? AND org_id = ?", id, p.OrgID)
		if found.Error != nil {
			return nil, found.Error
		}
		if found.RowsAffected == 0 {
			continue
		}
		all, err := contacts.Family(db, p.OrgID, []string{id})
		if err != nil {
			return nil, err
		}
		if another, err := r.another(db, p, all); err != nil {
			return nil, err
		} else if another { // merged into it since it was looked at: the next round parts them
			continue
		}
		mark(p, row.Note, row.Attribution, row.Documents, row.Consents)
		markTexts(p, row)
		figures.Add(&row, -1)
		removed := contacts.RemovedRow{ID: row.ID, OrgID: row.OrgID, WebhookID: row.WebhookID, At: engine.Stamp(time.Now())}
		derived, err := contacts.Derived(db, row) // it is counted with the other entries, which go below
		err = errors.Join(err, own(db, p).Delete(&contacts.ContactRow{}, "id = ?", id).Error, db.Create(&removed).Error)
		if err != nil {
			return nil, err
		}
		gone[privacy.Happenings] += len(derived)
		gone[privacy.Contacts]++
		with, err := r.forgetFamily(db, p, all)
		if err != nil {
			return nil, err
		}
		gone.Add(with)
		merged = append(merged, all[1:]...)
	}
	if err := r.untrace(db, p, privacyrows.MergedTrace, merged); err != nil {
		return nil, err
	}
	return gone, figures.Count(engine.Through(db))
}

// another reports whether one of a family is somebody else's than the person's.
func (r subjects) another(db *gorm.DB, p *privacy.Person, family []string) (bool, error) {
	unknown := slices.DeleteFunc(slices.Clone(family), p.Has)
	if len(unknown) == 0 {
		return false, nil
	}
	var rows []contacts.RemovedRow
	err := db.Find(&rows, "id IN ? AND org_id = ?", unknown, p.OrgID).Error
	return slices.ContainsFunc(rows, func(row contacts.RemovedRow) bool {
		return privacy.OfTwo(contacts.RemovalOf(r.store.Vault, row))
	}), err
}

// forgetFamily removes the history and runs of a removed contact and of those merged into it, and the content of the
// latter; all are their ids. The callers take those that were merged out of the index of people, all at once: that
// costs as much as the person has addresses.
func (r subjects) forgetFamily(db *gorm.DB, p *privacy.Person, all []string) (privacy.Counts, error) {
	if err := errors.Join(markAll(own(db, p), p, "contact_events", "subject", "contact_id", all),
		markAll(own(db, p), p, "removed_contacts", "content", "id", all),
		markAll(own(db, p), p, "told_stages", "content", "contact_id", all)); err != nil {
		return nil, err
	}
	events := own(db, p).Delete(&contacts.EventRow{}, "contact_id IN ?", all)
	// It waits for the transaction that makes runs of an event, so that those are found next.
	waiting := own(db, p).Delete(&automations.JobRow{}, "contact_id IN ? AND kind = "+engine.Literal(automation.FanOut)+
		" AND state = "+engine.Literal(automation.Ready), all)
	var were []automations.JobRow
	runs := own(db, p).Clauses(clause.Returning{Columns: []clause.Column{{Name: "lease_until"}}}).
		Delete(&were, "contact_id IN ? AND kind <> "+engine.Literal(automation.FanOut), all)
	for _, run := range were {
		if run.LeaseUntil != nil && run.LeaseUntil.After(p.RunsUntil) {
			p.RunsUntil = run.LeaseUntil.UTC()
		}
	}
	told, err := contacts.ForgetTold(db, p.OrgID, all, p.Told)
	p.Told = told
	removed := own(db, p).Model(&contacts.RemovedRow{}).Where("id IN ? AND content IS NOT NULL", all).
		Update("content", nil)
	// The first that failed says whether to retry.
	err = errors.Join(events.Error, waiting.Error, runs.Error, err, removed.Error)
	return privacy.Counts{
		privacy.Happenings: int(events.RowsAffected), privacy.Runs: int(runs.RowsAffected + waiting.RowsAffected),
		privacy.Removed: int(removed.RowsAffected),
	}, err
}

// strip removes the person's documents, and mentions of them, from a contact about somebody else.
func (r subjects) strip(db *gorm.DB, p *privacy.Person, row contacts.ContactRow) (bool, error) {
	mark(p, row.Documents, row.Note)
	c := contacts.ContactOf(r.store.Vault, row)
	had := len(c.Documents)
	c.Documents = slices.DeleteFunc(c.Documents, func(d document.Document) bool {
		i, ok := privacy.OfDocument(d)
		return ok && p.Knows(i)
	})
	if c.Unreadable || len(c.Documents) == had {
		return false, nil
	}
	c.Note = p.Redact(c.Note)
	documents, index := contacts.SealDocuments(r.store.Vault, c)
	err := own(db, p).Model(&contacts.ContactRow{}).Where("id = ?", row.ID).Updates(map[string]any{
		"documents": nullable(documents), "doc_index": nullable(index),
		"note": engine.Blob(contacts.SealNote(r.store.Vault, c)),
	}).Error
	if err == nil {
		err = r.redactEvents(db, p, row.ID)
	}
	return true, err
}

// valuesOf are the values of a contact's attribution, which its page shows beside each other.
func valuesOf(from []crm.Attribute) string {
	return strings.Join(engine.Mapped(from, func(a crm.Attribute) string { return a.Value }), "\n")
}

// texts returns contacts about others whose note, attribution or history names the person.
func (f finding) texts(some *gorm.DB) (ids []string, err error) {
	var rows []contacts.ContactRow
	err = some.Select("id", "note", "attribution").Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	named, err := f.happened(some.Session(&gorm.Session{NewDB: true}),
		engine.Mapped(rows, func(row contacts.ContactRow) string { return string(row.ID) }))
	for _, row := range rows {
		id := string(row.ID)
		var from []crm.Attribute
		plain, err := f.store.Vault.Open(row.Attribution, "contacts|attribution|"+id)
		if row.Attribution != nil && err == nil {
			_ = json.Unmarshal(plain, &from) // the row's writer made it
		}
		if !f.his(&row.ID) && (named[id] || f.mention(row.Note, "contacts|note|"+id) ||
			f.p.Mentions(valuesOf(from))) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// happened returns those of some contacts whose history names the person: their own, or that of one merged into them.
func (f finding) happened(db *gorm.DB, ids []string) (map[string]bool, error) {
	of, err := contacts.Families(db, f.p.OrgID, ids)
	if err != nil {
		return nil, err
	}
	var events []contacts.EventRow
	err = own(db, f.p).Select("id", "contact_id", "kind", "subject").
		Find(&events, "contact_id IN ? AND subject IS NOT NULL", slices.Collect(maps.Keys(of))).Error
	named := map[string]bool{}
	for _, row := range events {
		e, id := contacts.EventOf(f.store.Vault, row), of[string(row.ContactID)]
		named[id] = named[id] || !e.Unreadable && f.p.Happened(e)
	}
	return named, err
}

// unmention removes the person from the texts of a contact about somebody else.
func (r subjects) unmention(db *gorm.DB, p *privacy.Person, row contacts.ContactRow) (bool, error) {
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
		if err := own(db, p).Model(&contacts.ContactRow{}).Where("id = ?", row.ID).Updates(changed).Error; err != nil {
			return false, err
		}
	}
	return true, r.redactEvents(db, p, row.ID)
}

// nullable turns nil into NULL rather than an empty value.
func nullable(b []byte) any {
	if b == nil {
		return nil
	}
	return engine.Blob(b)
}

// redactEvents removes a person from the history of another contact and of those merged into it.
func (r subjects) redactEvents(db *gorm.DB, p *privacy.Person, contactID engine.UID) error {
	all, err := contacts.Family(db, p.OrgID, []string{string(contactID)})
	if err != nil {
		return err
	}
	var events []contacts.EventRow
	if err := own(db, p).Find(&events, "contact_id IN ? AND subject IS NOT NULL", all).Error; err != nil {
		return err
	}
	for _, row := range events {
		e := contacts.EventOf(r.store.Vault, row)
		if e.Unreadable || !p.Happened(e) {
			continue
		}
		e.Subject = p.RedactEvent(e)
		err := own(db, p).Model(&contacts.EventRow{}).Where("id = ?", row.ID).
			Update("subject", nullable(contacts.EventRowOf(r.store.Vault, e).Subject)).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// keptRemoved are contacts that were deleted or merged, while that can be undone.
var keptRemoved = keeper{
	kind: privacy.Removed, table: "removed_contacts", within: ofOrg + " AND content IS NOT NULL",
	names: naming(func(v *engine.Vault, row contacts.RemovedRow) (id, orgID engine.UID, who []privacy.Identity) {
		gone := contacts.RemovalOf(v, row)
		return row.ID, row.OrgID, append(contacts.KnownBy(gone.Contact), contacts.KnownBy(gone.Before)...)
	}), about: opening(func(f finding, row contacts.RemovedRow) (engine.UID, bool) {
		return row.ID, f.his(&row.ID) || f.his(row.IntoID) || isAbout(contacts.RemovalOf(f.store.Vault, row), f.p)
	}),
	read:  reading(contacts.RemovalOf),
	erase: subjects.eraseRemoved,
}

// isAbout reports whether a removed contact is about a person, or has one of the person's documents. An address may be
// somebody else's, too.
func isAbout(gone crm.Removal, p *privacy.Person) bool {
	return slices.ContainsFunc([]crm.Contact{gone.Contact, gone.Before, gone.After}, func(c crm.Contact) bool {
		other := gone.IntoID != "" && p.IsOther(c)
		is := func(i privacy.Identity) bool {
			return p.Knows(i) && (!other || i.Type != privacy.Email && i.Type != privacy.Phone)
		}
		return slices.ContainsFunc(contacts.KnownBy(c), is) ||
			slices.Contains(p.Phones, privacy.Identity{Type: privacy.Phone, Value: c.PhoneE164}) && p.Named(c)
	})
}

// eraseRemoved forgets the content of contacts that are already gone. The name of a merged one stands in the other's
// history. A merged contact of somebody else only loses what it has of the person.
func (r subjects) eraseRemoved(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	gone, families := privacy.Counts{}, []string(nil)
	for _, id := range ids {
		var row contacts.RemovedRow
		found := engine.Locked("UPDATE", "")(db).Limit(1).Find(&row, "id = ? AND org_id = ?", id, p.OrgID)
		if found.Error != nil {
			return nil, found.Error
		}
		if found.RowsAffected == 0 { // it was restored meanwhile: the next round finds the contact
			continue
		}
		was := contacts.RemovalOf(r.store.Vault, row)
		if was.IntoID != "" && !p.Has(id) && !p.Has(was.IntoID) && !was.Unreadable {
			mark(p, row.Content)
			was.Contact, was.Before, was.After = p.Without(was.Contact), p.Without(was.Before), p.Without(was.After)
			err := own(db, p).Model(&row).Update("content", engine.Blob(contacts.SealRemoval(r.store.Vault, was))).Error
			if err != nil {
				return nil, err
			}
			gone[privacy.Removed]++
			continue
		}
		// Two people were merged since it was looked at: the next round parts them.
		if p.Has(id) != p.Has(was.IntoID) && privacy.OfTwo(was) {
			_, err := contacts.Survivor(db, p.OrgID, row.ID)
			if err == nil {
				continue
			}
			if !errors.Is(err, ports.ErrNotFound) {
				return nil, err
			}
		}
		if row.IntoID != nil {
			if err := r.unname(db, p, *row.IntoID, was); err != nil {
				return nil, err
			}
		}
		all, err := contacts.Family(db, p.OrgID, []string{id})
		if err != nil {
			return nil, err
		}
		with, err := r.forgetFamily(db, p, all)
		if err != nil {
			return nil, err
		}
		gone.Add(with)
		families = append(families, all...)
	}
	return gone, r.untrace(db, p, privacyrows.MergedTrace, families)
}

// unname removes the name of a merged contact from the history of the contact it was merged into.
func (r subjects) unname(db *gorm.DB, p *privacy.Person, intoID engine.UID, was crm.Removal) error {
	var events []contacts.EventRow
	err := own(db, p).Find(&events, "contact_id = ? AND kind IN ?", intoID, []string{string(crm.Merged), string(crm.Parted)}).Error
	if err != nil {
		return err
	}
	for _, row := range events {
		if contacts.EventOf(r.store.Vault, row).Subject != was.Contact.Name {
			continue
		}
		if err := own(db, p).Model(&contacts.EventRow{}).Where("id = ?", row.ID).Update("subject", nil).Error; err != nil {
			return err
		}
	}
	return nil
}

// keptRows are rows of files that were imported, or are to be.
var keptRows = keeper{
	kind: privacy.Rows, table: "bulk_items",
	within: "bulk_id IN (SELECT id FROM bulk_actions WHERE org_id = ?) AND content IS NOT NULL",
	names: naming(func(v *engine.Vault, row contacts.BulkItemRow) (id, orgID engine.UID, who []privacy.Identity) {
		return row.ID, "", privacy.FindIn(string(contacts.BulkItemOf(v, row).Content))
	}),
	about: opening(func(f finding, row contacts.BulkItemRow) (engine.UID, bool) {
		return row.ID, f.his(row.ContactID) || f.mention(row.Content, "bulk_items|content|"+string(row.ID))
	}),
	read: reading(contacts.BulkItemOf), erase: subjects.eraseRows,
}

func (r subjects) eraseRows(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	if err := markAll(db, p, "bulk_items", "content", "id", ids); err != nil {
		return nil, err
	}
	rows := db.Model(&contacts.BulkItemRow{}).Where("id IN ? AND content IS NOT NULL", ids).Update("content", nil)
	return privacy.Counts{privacy.Rows: int(rows.RowsAffected)}, rows.Error
}
