package persons

import (
	"encoding/json"
	"slices"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/batches"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/intake"
	"fichario/adapters/gormstore/team"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
)

// keptItems are rows of batches.
var keptItems = keeper{
	kind: privacy.Items, table: "batch_items", within: ofOrg, read: reading(batches.ItemOf),
	names: naming(func(v *engine.Vault, row batches.BatchItemRow) (id, orgID engine.UID, who []privacy.Identity) {
		return row.ID, row.OrgID, batches.IdentitiesOf(v, row)
	}, "id", "org_id", "doc_type", "content"),
	erase: subjects.eraseItems,
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
		err := own(db, p).Model(&batches.BatchItemRow{}).Where("id = ?", row.ID).
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

// keptPosts are posts of webhooks that made one of the person's contacts, or name the person.
var keptPosts = keeper{
	kind: privacy.Deliveries, table: "deliveries", within: ofOrg,
	names: naming(func(v *engine.Vault, row intake.DeliveryRow) (id, orgID engine.UID, who []privacy.Identity) {
		return row.ID, row.OrgID, privacy.FindIn(string(intake.DeliveryOf(v, row).Body))
	}),
	about: finding.posts, read: reading(intake.DeliveryOf), erase: subjects.eraseDeliveries,
}

// posts returns posts that made one of the person's contacts, or name the person; emptied posts never match.
func (f finding) posts(some *gorm.DB) (ids []string, err error) {
	some = some.Model(&intake.DeliveryRow{}).Session(&gorm.Session{}) // read twice
	others, err := f.postsOfSeveral(some)
	if err != nil {
		return nil, err
	}
	rows, err := some.Rows() // one in memory at a time: a body may have a mebibyte
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row intake.DeliveryRow
		if err := some.ScanRows(rows, &row); err != nil {
			return nil, err
		}
		headers, body, opened := f.store.Vault.OpenTwo(row.Content, "deliveries|content|"+string(row.ID))
		if opened != nil || len(body) == 0 && string(headers) == noHeaders {
			continue
		}
		post := webhook.Delivery{Body: body, ContactID: row.ContactID.Text(), Truncated: row.Truncated}
		_ = json.Unmarshal(headers, &post.Headers) // the row's writer made them
		if f.his(row.ContactID) || slices.Contains(others, row.ID) || f.p.Posted(post) {
			ids = append(ids, string(row.ID))
		}
	}
	return ids, rows.Err()
}

// postsOfSeveral returns those among some posts that made a contact of the person beside another one.
func (f finding) postsOfSeveral(some *gorm.DB) (others []engine.UID, err error) {
	if len(f.p.Contacts) == 0 {
		return nil, nil
	}
	var ids []engine.UID
	if err := some.Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
		return nil, err
	}
	var more []intake.DeliveryContactRow
	err = some.Session(&gorm.Session{NewDB: true}).
		Find(&more, "delivery_id BETWEEN ? AND ?", ids[0], ids[len(ids)-1]).Error
	for _, row := range more {
		if f.his(&row.ContactID) {
			others = append(others, row.DeliveryID)
		}
	}
	return others, err
}

// noHeaders are the headers of an erased post.
const noHeaders = "[]"

// eraseDeliveries strips posts of headers and body, and marks them as cut short, so that none is read again.
func (r subjects) eraseDeliveries(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	if err := markAll(own(db, p), p, "deliveries", "content", "id", ids); err != nil {
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

// keptNotices are notifications about the person's contacts, and those that repeat a name that somebody gave to a batch
// or to a file, with the person in it.
var keptNotices = keeper{
	kind: privacy.Notices, table: "notifications", within: ofOrg, indexed: true,
	about: opening(func(f finding, row team.NotificationRow) (engine.UID, bool) {
		return row.ID, f.his(&row.ContactID) || len(f.p.NamedBy([]string{row.Subject})) > 0
	}, "id", "contact_id", "subject"),
	read: reading(noticeOf), erase: subjects.eraseNotices,
}

func noticeOf(_ *engine.Vault, row team.NotificationRow) crm.Notification {
	return crm.Notification{
		ID: string(row.ID), OrgID: string(row.OrgID), Kind: crm.NotificationKind(row.Kind),
		ContactID: row.ContactID.Known(), BatchID: row.BatchID.Text(), Subject: row.Subject, At: row.At.UTC(),
	}
}

func (r subjects) eraseNotices(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	rows := own(db, p).Delete(&team.NotificationRow{}, "id IN ?", ids)
	return privacy.Counts{privacy.Notices: int(rows.RowsAffected)}, rows.Error
}
