package contacts

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
)

// searchText is the text by which a contact is found. It begins with the name, so that it is also the alphabetical sort
// key.
func searchText(c crm.Contact) string {
	phone := c.PhoneE164
	if phone == "" {
		phone = strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, c.Phone)
	}
	return text.Fold(c.Name + " " + c.Email + " " + c.Company + " " + phone)
}

// FoldSearch rewrites the search text after a migration, a batch at a time, because the migration itself could only
// write it with accents. Contacts that already have it are left alone.
func (s *Index) FoldSearch(ctx context.Context) error {
	const atOnce = 500
	after := ""
	for {
		var rows []ContactRow
		next := s.Reader.WithContext(ctx).Select("id, name, email, phone, phone_e164, company, search").
			Order("id").Limit(atOnce)
		if after != "" {
			next = next.Where("id > ?", after)
		}
		if err := next.Find(&rows).Error; err != nil || len(rows) == 0 {
			return err
		}
		err := s.Writer.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			for _, row := range rows {
				text := searchText(row.brief())
				if text == row.Search {
					continue
				}
				if err := tx.Model(&ContactRow{}).Where("id = ?", row.ID).Update("search", text).Error; err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		after = string(rows[len(rows)-1].ID)
	}
}

func (r contacts) Count(ctx context.Context, orgID string, f ports.ContactFilter, most int) (int, error) {
	var n int64
	err := r.QueryList(ctx, "contacts.count", func(db *gorm.DB) error {
		if len(f.Words) > 0 {
			s, err := newSearch(db, orgID, f)
			if err != nil {
				return err
			}
			if s.upTo != "" || s.n <= searchFront {
				found, err := s.count(most)
				n = int64(found)
				return err
			}
		}
		if f.MinAmount != 0 && len(f.Words) == 0 {
			few := filtered(orgID, f)(atLeast(db, orgID, f.MinAmount, most))
			return db.Raw("SELECT COUNT(*) FROM (?) AS few", few).Scan(&n).Error
		}
		w, _, err := narrowest(db, orgID, f, 0)
		if err != nil {
			return err
		}
		// The newest first, because contacts older than Since would be skipped one by one.
		wanted := filtered(orgID, f, w.Columns...)(Inside(db).Select("1"))
		few := w.Page(wanted, "contacts", engine.IDsSince(f.Since), engine.AfterAll, false, most)
		return db.Raw("SELECT COUNT(*) FROM (?) AS few", few).Scan(&n).Error
	})
	return int(n), err
}

// filtered keeps the contacts of an organisation that pass a filter. It ignores columns that the walked index begins
// with.
func filtered(orgID string, f ports.ContactFilter, walked ...string) engine.Scope {
	return func(db *gorm.DB) *gorm.DB {
		for _, linked := range [][2]string{
			{"org_id", orgID}, {"stage_id", f.StageID}, {"origin_id", f.OriginID}, {"assignee_id", f.AssigneeID},
			{"webhook_id", f.WebhookID},
		} {
			if linked[1] != "" && !slices.Contains(walked, linked[0]) {
				db = db.Where(linked[0]+" = ?", linked[1])
			}
		}
		if f.IDs != nil {
			db = db.Where("id IN ?", append(f.IDs, engine.BeforeAll))
		}
		if f.Waiting {
			db = db.Where("waiting")
		}
		if f.MinAmount != 0 {
			db = engine.Passing("amount >= ?", int64(f.MinAmount))(db)
		}
		if len(f.Stages) > 0 {
			db = db.Where("stage_id IN ?", f.Stages)
		}
		if !f.Since.IsZero() {
			db = engine.Passing("created_at >= ?", engine.Stamp(f.Since))(db)
		}
		for _, word := range f.Words {
			db = having(db, word)
		}
		return db
	}
}
