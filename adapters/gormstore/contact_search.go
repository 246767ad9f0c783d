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
		next := s.read.WithContext(ctx).Select("id, name, email, phone, phone_e164, company, search").
			Order("id").Limit(atOnce)
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
	as := contactRow.brief
	if q.Whole {
		as = r.vault.contact
	}
	var start scope
	err := r.query(ctx, "contacts.select", func(db *gorm.DB) (err error) {
		start, err = startOf(db, orgID, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	wanted := func(db *gorm.DB) *gorm.DB {
		if !q.Whole {
			db = withoutNote(db)
		}
		return db.Limit(q.Limit)
	}
	return findAll(ctx, r.query, "contacts.select", as, filtered(orgID, q.ContactFilter), start, wanted)
}

func (r contacts) Count(ctx context.Context, orgID string, f ports.ContactFilter, most int) (int, error) {
	var n int64
	err := r.query(ctx, "contacts.count", func(db *gorm.DB) error {
		few := filtered(orgID, f)(db.Model(&contactRow{}).Select("1")).Limit(most)
		return db.Table("(?) AS few", few).Count(&n).Error
	})
	return int(n), err
}

func (r contacts) Totals(
	ctx context.Context, orgID string, f ports.ContactFilter,
) (map[string]ports.StageTotal, error) {
	var rows []struct {
		StageID      uid
		N, High, Low int64
	}
	err := r.query(ctx, "contacts.totals", func(db *gorm.DB) error {
		added := filtered(orgID, f)(db.Model(&contactRow{})).Select("stage_id, COUNT(*) AS contacts, " + amounts).
			Group("stage_id")
		if len(f.Stages) > 0 && len(f.Words) == 0 && f.Since.IsZero() &&
			f.StageID+f.OriginID+f.AssigneeID+f.WebhookID == "" {
			added = db.Table("stage_totals AS t").Select("t.*").
				Joins("JOIN stages s ON s.id = t.stage_id JOIN funnels f ON f.id = s.funnel_id").
				Where("f.org_id = ? AND t.stage_id IN ?", orgID, f.Stages)
		}
		return db.Table("(?) AS added", added).Select(`stage_id, CAST(SUM(contacts) AS bigint) AS n,
			CAST(SUM(high) AS bigint) AS high, CAST(SUM(low) AS bigint) AS low`).
			Group("stage_id").Having("SUM(contacts) <> 0").Find(&rows).Error
	})
	out := map[string]ports.StageTotal{}
	for _, row := range rows {
		out[string(row.StageID)] = ports.StageTotal{Count: int(row.N), Amount: sum(row.High, row.Low)}
	}
	return out, err
}

// filtered leaves the contacts of an organisation that a filter lets through.
func filtered(orgID string, f ports.ContactFilter) scope {
	return func(db *gorm.DB) *gorm.DB {
		db = db.Where("org_id = ?", orgID)
		for _, linked := range [][2]string{
			{"stage_id = ?", f.StageID}, {"origin_id = ?", f.OriginID}, {"assignee_id = ?", f.AssigneeID},
			{"webhook_id = ?", f.WebhookID},
		} {
			if linked[1] != "" {
				db = db.Where(linked[0], linked[1])
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
}

// startOf orders contacts and starts after the one that the query names, at the place
// that it has now.
func startOf(db *gorm.DB, orgID string, q ports.ContactQuery) (scope, error) {
	direction, beyond := "DESC", "<"
	if q.Ascending {
		direction, beyond = "ASC", ">"
	}
	key := map[crm.ContactOrder]string{crm.ByArrival: "", crm.ByName: byName(db), crm.ByAmount: "amount"}[q.Order]
	inOrder, after := order("id "+direction), "id "+beyond+" ?"
	if key != "" {
		inOrder, after = order(key+" "+direction+", id "+direction), "("+key+", id) "+beyond+" (?, ?)"
	}
	if q.After == "" {
		return inOrder, nil
	}
	var last contactRow
	err := db.Select("id", "amount", "search").Take(&last, "id = ? AND org_id = ?", q.After, orgID).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return inOrder, nil
	}
	values := []any{last.ID}
	switch q.Order {
	case crm.ByArrival:
	case crm.ByAmount:
		values = []any{last.Amount, last.ID}
	case crm.ByName:
		values = []any{begin(last.Search, 80), last.ID}
	}
	return func(db *gorm.DB) *gorm.DB { return inOrder(db.Where(after, values...)) }, err
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
