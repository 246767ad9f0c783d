package persons

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/batches"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/intake"
	"fichario/adapters/gormstore/lookups"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/adapters/gormstore/team"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
)

type subjects struct {
	engine.Conn
	store *engine.Engine
}

// scanAtOnce is how many rows of an unindexed table one step scans.
const scanAtOnce = 300

func (r subjects) Contacts(
	ctx context.Context, orgID string, i privacy.Identity, before string, limit int,
) (out []crm.Contact, err error) {
	before = cmp.Or(before, engine.AfterAll)
	err = r.Query(ctx, "subjects.contacts", func(db *gorm.DB) error {
		same := db.Where("org_id = ?", orgID)
		switch i.Type {
		case privacy.Plate:
			return nil
		case privacy.Phone:
			same = same.Where("phone_e164 = ? AND phone_e164 <> '' AND id < ?", i.Value, before)
		case privacy.Email:
			same = same.Where(contacts.ByEmail(db, "contacts")+" = "+contacts.Lowered(db, "?")+" AND id < ?", i.Value, before)
		case privacy.CPF, privacy.CNPJ:
			var ids []string
			err := db.Session(&gorm.Session{NewDB: true}).Model(&contacts.ContactDocumentRow{}).
				Where("org_id = ? AND contact_id < ?", orgID, before).
				Where("doc_index IN ?", r.store.Vault.Indexes(contacts.ContactDocumentText(orgID, i.Document()))).
				Order("contact_id DESC").Limit(limit).Pluck("contact_id", &ids).Error
			if err != nil || len(ids) == 0 {
				return err
			}
			same = same.Where("id IN ?", ids)
		}
		var rows []contacts.ContactRow
		err := same.Order("id DESC").Limit(limit).Find(&rows).Error
		out = engine.Mapped(rows, engine.With(r.store.Vault, contacts.ContactOf))
		return err
	})
	return out, err
}

func (r subjects) Merged(ctx context.Context, orgID string, i privacy.Identity) (out []crm.Contact, err error) {
	hashes, err := r.Hashes(ctx, orgID, i)
	if err != nil {
		return nil, err
	}
	err = r.Query(ctx, "subjects.merged", func(db *gorm.DB) error {
		fresh := func() *gorm.DB { return db.Session(&gorm.Session{NewDB: true}) }
		var ids []string
		err := fresh().Model(&privacyrows.TraceRow{}).Where("subject IN ? AND kind = ?", hashes,
			privacyrows.MergedTrace).Pluck("row_id", &ids).Error
		if err != nil {
			return err
		}
		var rows []contacts.RemovedRow // few rows: they are kept for a month
		err = fresh().Where("content IS NOT NULL AND org_id = ? AND into_id IS NOT NULL", orgID).Order("at").Find(&rows).Error
		if err != nil {
			return err
		}
		for _, row := range rows {
			if slices.Contains(contacts.KnownBy(contacts.RemovalOf(r.store.Vault, row).Contact), i) {
				ids = append(ids, string(row.ID))
			}
		}
		for _, id := range ids {
			into, err := contacts.Survivor(db, engine.UID(id))
			if errors.Is(err, ports.ErrNotFound) {
				continue
			}
			var row contacts.ContactRow
			if err == nil {
				err = fresh().Take(&row, "id = ? AND org_id = ?", into, orgID).Error
			}
			if err != nil {
				return err
			}
			out = append(out, contacts.ContactOf(r.store.Vault, row))
		}
		return nil
	})
	return out, err
}

// Traces walks the index of people, the known contacts, or a table that is small because its rows expire.
func (r subjects) Traces(
	ctx context.Context, p *privacy.Person, k privacy.Kind, after string, limit int,
) (ids []string, next string, err error) {
	switch k {
	case privacy.Lookups, privacy.Items:
		if ids, err = r.indexed(ctx, p, k, after, limit); err == nil && len(ids) == limit {
			next = ids[len(ids)-1]
		}
		return ids, next, err
	case privacy.Contacts, privacy.Parts:
		of := slices.Sorted(slices.Values(map[privacy.Kind][]string{privacy.Contacts: p.Contacts, privacy.Parts: p.Parts}[k]))
		n, _ := slices.BinarySearch(of, after+"0") // the first after it
		if of = of[n:]; len(of) > limit {
			of, next = of[:limit], of[limit-1]
		}
		if k == privacy.Parts {
			return of, next, nil
		}
		ids, err = r.there(ctx, of)
		return ids, next, err
	}
	err = r.Query(ctx, "subjects.traces", func(db *gorm.DB) error {
		table := map[privacy.Kind]string{
			privacy.Removed: "removed_contacts", privacy.Rows: "bulk_items", privacy.Deliveries: "deliveries",
			privacy.Notices: "notifications", privacy.Texts: "contacts",
		}[k]
		find := db.Session(&gorm.Session{NewDB: true}).Table(table).Where("id > ?", cmp.Or(after, engine.BeforeAll)).
			Order("id").
			Offset(scanAtOnce - 1).Limit(1)
		if k == privacy.Texts || k == privacy.Notices { // which have an index of each organisation's rows
			find = find.Where("org_id = ?", p.OrgID)
		}
		var ends []string
		if err := find.Pluck("id", &ends).Error; err != nil {
			return err
		}
		next = slices.Max(append(ends, ""))
		some := db.Session(&gorm.Session{NewDB: true}).
			Where("id > ? AND id <= ?", cmp.Or(after, engine.BeforeAll), cmp.Or(next, engine.AfterAll)).Order("id")
		ids, err = r.scan(some, p, k)
		return err
	})
	return ids, next, err
}

// indexed returns rows from the index of people, each once.
func (r subjects) indexed(
	ctx context.Context, p *privacy.Person, k privacy.Kind, after string, limit int,
) (ids []string, err error) {
	hashes, err := r.Hashes(ctx, p.OrgID, p.Identities...)
	if err != nil || len(hashes) == 0 {
		return nil, err
	}
	err = r.Query(ctx, "subjects.traces", func(db *gorm.DB) error {
		for _, hash := range hashes { // one at a time, so that each walks the primary key
			var some []string
			err := db.Session(&gorm.Session{NewDB: true}).Model(&privacyrows.TraceRow{}).
				Where("subject = ? AND kind = ? AND row_id > ?", hash, string(k), cmp.Or(after, engine.BeforeAll)).
				Order("row_id").Limit(limit).Pluck("row_id", &some).Error
			if err != nil {
				return err
			}
			ids = append(ids, some...)
		}
		return nil
	})
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(limit, len(ids))], err
}

// there returns those of some contacts that still exist.
func (r subjects) there(ctx context.Context, of []string) (ids []string, err error) {
	err = r.Query(ctx, "subjects.traces", func(db *gorm.DB) error {
		if len(of) == 0 {
			return nil
		}
		return contacts.Inside(db).Where("id IN ?", of).Order("id").Pluck("id", &ids).Error
	})
	return ids, err
}

// scan tests rows one by one.
func (r subjects) scan(some *gorm.DB, p *privacy.Person, k privacy.Kind) (ids []string, err error) {
	mine := make(map[string]bool, len(p.Contacts))
	for _, id := range p.Contacts {
		mine[id] = true
	}
	v, his := r.store.Vault, func(id *engine.UID) bool { return id != nil && mine[string(*id)] }
	mentions := func(sealed []byte, place string) bool {
		plain, err := v.Open(sealed, place)
		return err == nil && p.Mentions(string(plain))
	}
	switch k {
	case privacy.Removed:
		var rows []contacts.RemovedRow
		err = some.Find(&rows, "org_id = ? AND content IS NOT NULL", p.OrgID).Error
		for _, row := range rows {
			if his(&row.ID) || his(row.IntoID) || removedOf(v, row, p) {
				ids = append(ids, string(row.ID))
			}
		}
	case privacy.Rows:
		var rows []contacts.BulkItemRow
		err = some.Where("bulk_id IN (SELECT id FROM bulk_actions WHERE org_id = ?)", p.OrgID).
			Find(&rows, "content IS NOT NULL").Error
		for _, row := range rows {
			if his(row.ContactID) || mentions(row.Content, "bulk_items|content|"+string(row.ID)) {
				ids = append(ids, string(row.ID))
			}
		}
	case privacy.Deliveries:
		return r.deliveriesOf(some, p, his)
	case privacy.Texts:
		return r.textsOf(some, p, his, mentions)
	case privacy.Notices:
		if len(mine) == 0 {
			return nil, nil
		}
		var rows []team.NotificationRow
		err = some.Select("id", "contact_id").Find(&rows, "org_id = ?", p.OrgID).Error
		for _, row := range rows {
			if his(&row.ContactID) {
				ids = append(ids, string(row.ID))
			}
		}
	}
	return ids, err
}

// deliveriesOf returns posts that made one of the person's contacts, or name the person; emptied posts never match.
func (r subjects) deliveriesOf(some *gorm.DB, p *privacy.Person, his func(*engine.UID) bool) (ids []string, err error) {
	var rows []intake.DeliveryRow
	if err = some.Find(&rows, "org_id = ?", p.OrgID).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	var more []intake.DeliveryContactRow
	if len(p.Contacts) > 0 {
		err = some.Session(&gorm.Session{NewDB: true}).
			Find(&more, "delivery_id BETWEEN ? AND ?", rows[0].ID, rows[len(rows)-1].ID).Error
	}
	var others []engine.UID
	for _, row := range more {
		if his(&row.ContactID) {
			others = append(others, row.DeliveryID)
		}
	}
	for _, row := range rows {
		headers, body, opened := r.store.Vault.OpenTwo(row.Content, "deliveries|content|"+string(row.ID))
		if opened != nil || len(body) == 0 && string(headers) == noHeaders {
			continue
		}
		post := webhook.Delivery{Body: body, ContactID: row.ContactID.Text(), Truncated: row.Truncated}
		_ = json.Unmarshal(headers, &post.Headers) // deliveryRow wrote them
		if his(row.ContactID) || slices.Contains(others, row.ID) || p.Posted(post) {
			ids = append(ids, string(row.ID))
		}
	}
	return ids, err
}

// valuesOf are the values of a contact's attribution, which its page shows beside each other.
func valuesOf(from []crm.Attribute) string {
	return strings.Join(engine.Mapped(from, func(a crm.Attribute) string { return a.Value }), "\n")
}

// textsOf returns contacts about others whose note, attribution or history names the person.
func (r subjects) textsOf(
	some *gorm.DB, p *privacy.Person, his func(*engine.UID) bool, mentions func([]byte, string) bool,
) (ids []string, err error) {
	var rows []contacts.ContactRow
	err = some.Select("id", "note", "attribution").Find(&rows, "org_id = ?", p.OrgID).Error
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	var events []contacts.EventRow
	err = some.Session(&gorm.Session{NewDB: true}).Select("id", "contact_id", "subject").
		Find(&events, "contact_id IN ? AND subject IS NOT NULL",
			engine.Mapped(rows, func(row contacts.ContactRow) engine.UID { return row.ID })).Error
	named := map[engine.UID]bool{}
	for _, row := range events {
		named[row.ContactID] = named[row.ContactID] || mentions(row.Subject, "contact_events|subject|"+string(row.ID))
	}
	for _, row := range rows {
		id := string(row.ID)
		var from []crm.Attribute
		plain, err := r.store.Vault.Open(row.Attribution, "contacts|attribution|"+id)
		if row.Attribution != nil && err == nil {
			_ = json.Unmarshal(plain, &from) // contactRow wrote it
		}
		if !his(&row.ID) && (named[row.ID] || mentions(row.Note, "contacts|note|"+id) ||
			p.Mentions(valuesOf(from))) {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// removedOf reports whether a removed contact is about a person, or has one of the person's documents.
func removedOf(v *engine.Vault, row contacts.RemovedRow, p *privacy.Person) bool {
	gone := contacts.RemovalOf(v, row)
	for _, c := range []crm.Contact{gone.Contact, gone.Before, gone.After} {
		if i, err := privacy.ByEmail(c.Email); err == nil && p.Knows(i) {
			return true
		}
		for _, d := range c.Documents {
			if i, ok := privacy.OfDocument(d); ok && p.Knows(i) {
				return true
			}
		}
		phone := privacy.Identity{Type: privacy.Phone, Value: c.PhoneE164}
		if p.Knows(phone) || slices.Contains(p.Phones, phone) && p.Named(c) {
			return true
		}
	}
	return false
}

func (r subjects) Answers(ctx context.Context, lookupIDs []string) (ids []string, err error) {
	if lookupIDs = engine.Given(lookupIDs); len(lookupIDs) == 0 {
		return nil, nil
	}
	err = r.Query(ctx, "subjects.answers", func(db *gorm.DB) error {
		return db.Model(&lookups.LookupRow{}).Where("id IN ? AND NOT cache AND record_id IS NOT NULL", lookupIDs).
			Where("id BETWEEN ? AND ?", slices.Min(lookupIDs), slices.Max(lookupIDs)).Pluck("record_id", &ids).Error
	})
	return ids, err
}

func (r subjects) Read(ctx context.Context, k privacy.Kind, ids []string) (out ports.SubjectRows, err error) {
	const op = "subjects.read"
	v, chosen := r.store.Vault, engine.Where("id IN ?", ids)
	if len(ids) == 0 {
		return out, nil
	}
	switch k {
	case privacy.Items:
		out.Items, err = engine.FindAll(ctx, r.Query, op, engine.With(v, batches.ItemOf), chosen, engine.Order("id"))
	case privacy.Rows:
		out.Rows, err = engine.FindAll(ctx, r.Query, op, engine.With(v, contacts.BulkItemOf), chosen, engine.Order("id"))
	case privacy.Deliveries:
		out.Deliveries, err = engine.FindAll(ctx, r.Query, op, engine.With(v, intake.DeliveryOf), chosen, engine.Order("id"),
			engine.Where("id BETWEEN ? AND ?", slices.Min(ids), slices.Max(ids)))
	case privacy.Notices:
		out.Notices, err = engine.FindAll(ctx, r.Query, op, func(row team.NotificationRow) crm.Notification {
			return crm.Notification{
				ID: string(row.ID), OrgID: string(row.OrgID), Kind: crm.NotificationKind(row.Kind),
				ContactID: row.ContactID.Known(), BatchID: row.BatchID.Text(), Subject: row.Subject, At: row.At.UTC(),
			}
		}, chosen, engine.Order("id"))
	}
	return out, err
}

func (r subjects) KeyID(ctx context.Context) (string, error) {
	secret, err := r.store.SubjectSecret(ctx)
	sum := sha256.Sum256(append([]byte("id|"), secret...))
	return hex.EncodeToString(sum[:4]), err
}

func (r subjects) Hashes(ctx context.Context, orgID string, identities ...privacy.Identity) ([][]byte, error) {
	secret, err := r.store.SubjectSecret(ctx)
	return engine.Mapped(identities, func(i privacy.Identity) []byte { return engine.SubjectHash(secret, orgID, i) }), err
}
