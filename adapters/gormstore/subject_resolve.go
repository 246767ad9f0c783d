package gormstore

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"gorm.io/gorm"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/privacy"
)

// resolving searches for identities whose hashes are known.
type resolving struct {
	subjects
	secret []byte
	orgID  string
	wanted map[string]bool // by hash; true until found
	found  []privacy.Identity
}

func (r subjects) Resolve(ctx context.Context, orgID string, hashes [][]byte) ([]privacy.Identity, error) {
	secret, err := r.store.subjectSecret(ctx)
	if err != nil {
		return nil, err
	}
	look := &resolving{subjects: r, secret: secret, orgID: orgID, wanted: map[string]bool{}}
	for _, hash := range hashes {
		look.wanted[string(hash)] = true
	}
	if err := look.traced(ctx); err != nil {
		return nil, err
	}
	for _, table := range []string{"contacts", "removed_contacts", "bulk_items", "deliveries"} {
		for last := beforeAll; last != "" && slices.Contains(slices.Collect(maps.Values(look.wanted)), true); {
			if last, err = look.step(ctx, table, last); err != nil {
				return nil, err
			}
		}
	}
	return look.found, nil
}

// sees records those of some identities that are wanted.
func (l *resolving) sees(identities ...privacy.Identity) {
	for _, i := range identities {
		hash := string(subjectHash(l.secret, l.orgID, i))
		if l.wanted[hash] {
			l.wanted[hash], l.found = false, append(l.found, i)
		}
	}
}

// traced opens one indexed row of each person.
func (l *resolving) traced(ctx context.Context) error {
	return l.query(ctx, "subjects.resolve", func(db *gorm.DB) error {
		for hash := range l.wanted {
			for _, kind := range traced {
				var trace traceRow
				one := db.Session(&gorm.Session{NewDB: true})
				found := one.Limit(1).Find(&trace, "subject = ? AND kind = ?", []byte(hash), string(kind))
				if found.Error != nil {
					return found.Error
				}
				if found.RowsAffected == 0 {
					continue
				}
				if err := l.opens(one, trace); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (l *resolving) opens(db *gorm.DB, trace traceRow) error {
	if trace.Kind == string(privacy.Items) {
		var row batchItemRow
		err := db.Limit(1).Find(&row, "id = ?", trace.RowID).Error
		l.sees(l.store.vault.identitiesOf(row)...)
		return err
	}
	var row lookupRow
	err := db.Limit(1).Find(&row, "id = ?", trace.RowID).Error
	value, ok := l.store.vault.shown(row.Document, "lookups|document|"+string(row.ID))
	if i, known := privacy.OfDocument(document.Restore(document.Type(row.DocType), string(value))); ok && known {
		l.sees(i)
	}
	return err
}

// step searches the next rows of a table, and returns the last id, or nothing at the end.
func (l *resolving) step(ctx context.Context, table, last string) (next string, err error) {
	v := l.store.vault
	err = l.query(ctx, "subjects.resolve", func(db *gorm.DB) error {
		if next, err = endOfStep(db, table, last); err != nil {
			return err
		}
		some := db.Session(&gorm.Session{NewDB: true}).Where("id > ? AND id <= ?", last, cmp.Or(next, afterAll))
		switch table {
		case "contacts":
			var rows []contactRow
			err = some.Find(&rows, "org_id = ?", l.orgID).Error
			for _, row := range rows {
				l.seesContact(v.contact(row))
			}
		case "removed_contacts":
			var rows []removedRow
			err = some.Find(&rows, "org_id = ? AND content IS NOT NULL", l.orgID).Error
			for _, row := range rows {
				gone := v.removal(row)
				l.seesContact(gone.Contact, gone.Before)
			}
		case "bulk_items":
			var rows []bulkItemRow
			err = some.Where("bulk_id IN (SELECT id FROM bulk_actions WHERE org_id = ?)", l.orgID).
				Find(&rows, "content IS NOT NULL").Error
			for _, row := range rows {
				l.sees(privacy.FindIn(string(v.bulkItem(row).Content))...)
			}
		case "deliveries":
			var rows []deliveryRow
			err = some.Find(&rows, "org_id = ?", l.orgID).Error
			for _, row := range rows {
				l.sees(privacy.FindIn(string(v.delivery(row).Body))...)
			}
		}
		return err
	})
	return next, err
}

func (l *resolving) seesContact(all ...crm.Contact) {
	for _, c := range all {
		if i, err := privacy.ByEmail(c.Email); err == nil {
			l.sees(i)
		}
		l.sees(privacy.Identity{Type: privacy.Phone, Value: c.PhoneE164})
		for _, d := range c.Documents {
			if i, ok := privacy.OfDocument(d); ok {
				l.sees(i)
			}
		}
	}
}
