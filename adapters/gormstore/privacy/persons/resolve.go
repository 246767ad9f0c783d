package persons

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/batches"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/intake"
	"fichario/adapters/gormstore/lookups"
	privacyrows "fichario/adapters/gormstore/privacy"
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
	secret, err := r.store.SubjectSecret(ctx)
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
		for last := engine.BeforeAll; last != "" && slices.Contains(slices.Collect(maps.Values(look.wanted)), true); {
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
		hash := string(engine.SubjectHash(l.secret, l.orgID, i))
		if l.wanted[hash] {
			l.wanted[hash], l.found = false, append(l.found, i)
		}
	}
}

// traced opens one indexed row of each person.
func (l *resolving) traced(ctx context.Context) error {
	return l.Query(ctx, "subjects.resolve", func(db *gorm.DB) error {
		for hash := range l.wanted {
			for _, kind := range traced {
				var trace privacyrows.TraceRow
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

func (l *resolving) opens(db *gorm.DB, trace privacyrows.TraceRow) error {
	if trace.Kind == string(privacy.Items) {
		var row batches.BatchItemRow
		err := db.Limit(1).Find(&row, "id = ?", trace.RowID).Error
		l.sees(batches.IdentitiesOf(l.store.Vault, row)...)
		return err
	}
	var row lookups.LookupRow
	err := db.Limit(1).Find(&row, "id = ?", trace.RowID).Error
	value, ok := l.store.Vault.Shown(row.Document, "lookups|document|"+string(row.ID))
	if i, known := privacy.OfDocument(document.Restore(document.Type(row.DocType), string(value))); ok && known {
		l.sees(i)
	}
	return err
}

// step searches the next rows of a table, and returns the last id, or nothing at the end.
func (l *resolving) step(ctx context.Context, table, last string) (next string, err error) {
	v := l.store.Vault
	err = l.Query(ctx, "subjects.resolve", func(db *gorm.DB) error {
		if next, err = engine.EndOfStep(db, table, last); err != nil {
			return err
		}
		some := db.Session(&gorm.Session{NewDB: true}).Where("id > ? AND id <= ?", last, cmp.Or(next, engine.AfterAll))
		switch table {
		case "contacts":
			var rows []contacts.ContactRow
			err = some.Find(&rows, "org_id = ?", l.orgID).Error
			for _, row := range rows {
				l.seesContact(contacts.ContactOf(v, row))
			}
		case "removed_contacts":
			var rows []contacts.RemovedRow
			err = some.Find(&rows, "org_id = ? AND content IS NOT NULL", l.orgID).Error
			for _, row := range rows {
				gone := contacts.RemovalOf(v, row)
				l.seesContact(gone.Contact, gone.Before)
			}
		case "bulk_items":
			var rows []contacts.BulkItemRow
			err = some.Where("bulk_id IN (SELECT id FROM bulk_actions WHERE org_id = ?)", l.orgID).
				Find(&rows, "content IS NOT NULL").Error
			for _, row := range rows {
				l.sees(privacy.FindIn(string(contacts.BulkItemOf(v, row).Content))...)
			}
		case "deliveries":
			var rows []intake.DeliveryRow
			err = some.Find(&rows, "org_id = ?", l.orgID).Error
			for _, row := range rows {
				l.sees(privacy.FindIn(string(intake.DeliveryOf(v, row).Body))...)
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
