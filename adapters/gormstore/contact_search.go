package gormstore

import (
	"context"
	"errors"
	"strings"

	"gorm.io/gorm"

	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
)

// searchText is what a contact is found by. It begins with the name, so that it is
// also what contacts are put in the order of the alphabet by.
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

// foldSearch writes what contacts are found by after a migration, some at a time: the
// migration itself can only write it with accents. Contacts that have it are left.
func (s *Store) foldSearch(ctx context.Context) error {
	const atOnce = 500
	after := ""
	for {
		var rows []contactRow
		next := s.read.WithContext(ctx).Select("id", "name", "email", "phone", "phone_e164", "company", "search").Order("id").Limit(atOnce)
		if after != "" {
			next = next.Where("id > ?", after)
		}
		if err := next.Find(&rows).Error; err != nil || len(rows) == 0 {
			return err
		}
		err := s.write.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			for _, row := range rows {
				text := searchText(row.brief())
				if text == row.Search {
					continue
				}
				if err := tx.Model(&contactRow{}).Where("id = ?", row.ID).Update("search", text).Error; err != nil {
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

func (r contacts) Select(ctx context.Context, orgID string, q ports.ContactQuery) ([]crm.Contact, error) {
	var rows []contactRow
	err := r.query(ctx, func(db *gorm.DB) error {
		page, err := pageOf(db, orgID, q)
		if err != nil {
			return err
		}
		if !q.Whole {
			page = page.Omit("note", "attribution")
		}
		return filtered(page, orgID, q.ContactFilter).Limit(q.Limit).Find(&rows).Error
	})
	out := make([]crm.Contact, len(rows))
	for i, row := range rows {
		if err != nil {
			break
		}
		if q.Whole {
			out[i], err = r.vault.contact(row)
		} else {
			out[i] = row.brief()
		}
	}
	return out, err
}

func (r contacts) Count(ctx context.Context, orgID string, f ports.ContactFilter, most int) (n int, err error) {
	err = r.query(ctx, func(db *gorm.DB) error {
		few := filtered(db.Model(&contactRow{}).Select("1"), orgID, f).Limit(most)
		return db.Raw("SELECT COUNT(*) FROM (?) AS few", few).Scan(&n).Error
	})
	return n, err
}

// filtered leaves the contacts of an organisation that a filter lets through.
func filtered(db *gorm.DB, orgID string, f ports.ContactFilter) *gorm.DB {
	db = db.Where("org_id = ?", orgID)
	for column, id := range map[string]string{"stage_id": f.StageID, "origin_id": f.OriginID, "assignee_id": f.AssigneeID, "webhook_id": f.WebhookID} {
		if id != "" {
			db = db.Where(column+" = ?", id)
		}
	}
	if len(f.Stages) > 0 {
		db = db.Where("stage_id IN ?", f.Stages)
	}
	if !f.Since.IsZero() {
		db = db.Where("created_at >= ?", stamp(f.Since))
	}
	// What both databases have for it by different names looks for the text as it is.
	find := "instr(search, ?) > 0"
	if db.Name() == "postgres" {
		find = "strpos(search, ?) > 0"
	}
	for _, word := range f.Words {
		db = db.Where(find, word)
	}
	return db
}

// pageOf orders contacts and starts after the one that the query names, at the place
// that it has now.
func pageOf(db *gorm.DB, orgID string, q ports.ContactQuery) (*gorm.DB, error) {
	direction, beyond := "DESC", "<"
	if q.Ascending {
		direction, beyond = "ASC", ">"
	}
	key := map[ports.ContactOrder]string{ports.ByArrival: "", ports.ByName: byName(db), ports.ByAmount: "amount"}[q.Order]
	page := db
	if q.After != "" {
		where := "id " + beyond + " ?"
		values := []any{q.After}
		if key != "" {
			where = "(" + key + ", id) " + beyond + " (?, ?)"
		}
		var last contactRow
		err := db.Select("id", "amount", "search").Take(&last, "id = ? AND org_id = ?", q.After, orgID).Error
		switch {
		case errors.Is(err, gorm.ErrRecordNotFound):
			where = ""
		case err != nil:
			return nil, err
		case q.Order == ports.ByAmount:
			values = []any{last.Amount, last.ID}
		case q.Order == ports.ByName:
			values = []any{begin(last.Search, 80), last.ID}
		}
		if where != "" {
			page = page.Where(where, values...)
		}
	}
	if key != "" {
		page = page.Order(key + " " + direction)
	}
	return page.Order("id " + direction), nil
}

// byName is what contacts are ordered by for the alphabet: enough of it to tell names
// apart, and little enough to be compared fast. Both databases order it by its bytes.
func byName(db *gorm.DB) string {
	if db.Name() == "postgres" {
		return `substr(search, 1, 80) COLLATE "C"`
	}
	return "substr(search, 1, 80)"
}

// begin cuts a text to n characters, as substr does.
func begin(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n])
	}
	return s
}
