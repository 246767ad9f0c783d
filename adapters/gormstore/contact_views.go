package gormstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/catalog"
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

// byName is what contacts are ordered by for the alphabet: enough of it to tell names
// apart, and little enough to be compared fast. Both databases order it by its bytes.
func byName(db *gorm.DB) string {
	if db.Name() == "postgres" {
		return `substr(search, 1, 80) COLLATE "C"`
	}
	return "substr(search, 1, 80)"
}

func (r contacts) Create(ctx context.Context, c crm.Contact, e crm.Event) error {
	row, event := r.vault.contactRow(c), r.vault.eventRow(e)
	return r.exec(ctx, func(db *gorm.DB) error {
		if err := hold(db, c.StageID); err != nil {
			return err
		}
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Create(&event).Error
	})
}

func (r contacts) Lock(ctx context.Context, id string) (crm.Contact, error) {
	var row contactRow
	err := r.exec(ctx, func(db *gorm.DB) error {
		// SQLite has one writer and no row locks; its dialect leaves the clause out.
		return db.Clauses(clause.Locking{Strength: "UPDATE"}).Take(&row, "id = ?", id).Error
	})
	if err != nil {
		return crm.Contact{}, err
	}
	return r.vault.contact(row)
}

func (r contacts) Edit(ctx context.Context, c crm.Contact, e crm.Event) error {
	row := r.vault.contactRow(c)
	return r.change(ctx, e, map[string]any{
		"name": row.Name, "email": row.Email, "phone": row.Phone, "phone_e164": row.PhoneE164, "company": row.Company, "amount": row.Amount,
		"note": row.Note, "origin_id": row.OriginID, "search": row.Search,
	})
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

// brief is a contact without what is encrypted.
func (row contactRow) brief() crm.Contact {
	return crm.Contact{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: row.WebhookID.text(), Name: row.Name, Email: row.Email, Phone: row.Phone,
		PhoneE164: row.PhoneE164, Company: row.Company, Amount: catalog.Money(row.Amount), OriginID: row.OriginID.text(),
		StageID: string(row.StageID), AssigneeID: row.AssigneeID.text(), CreatedAt: row.CreatedAt.UTC(),
	}
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

// begin cuts a text to n characters, as substr does.
func begin(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n])
	}
	return s
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

func (r contacts) Count(ctx context.Context, orgID string, f ports.ContactFilter, most int) (n int, err error) {
	err = r.query(ctx, func(db *gorm.DB) error {
		few := filtered(db.Model(&contactRow{}).Select("1"), orgID, f).Limit(most)
		return db.Raw("SELECT COUNT(*) FROM (?) AS few", few).Scan(&n).Error
	})
	return n, err
}

func (r contacts) Totals(ctx context.Context, orgID string, f ports.ContactFilter) (map[string]ports.StageTotal, error) {
	var rows []struct {
		StageID   uid
		N         int
		High, Low int64
	}
	err := r.query(ctx, func(db *gorm.DB) error {
		all := db.Model(&contactRow{}).Select("stage_id, COUNT(*) AS n, CAST(SUM(amount >> 20) AS bigint) AS high, CAST(SUM(amount & 1048575) AS bigint) AS low").Group("stage_id")
		if len(f.Stages) > 0 && f.OriginID == "" && f.AssigneeID == "" && f.WebhookID == "" && f.Since.IsZero() && len(f.Words) == 0 {
			// A stage is of one organisation: without its column the index answers alone.
			return all.Where("stage_id IN (?)", db.Table("stages").Select("stages.id").Joins("JOIN funnels ON funnels.id = stages.funnel_id").
				Where("funnels.org_id = ? AND stages.id IN ?", orgID, f.Stages)).Find(&rows).Error
		}
		return filtered(all, orgID, f).Find(&rows).Error
	})
	out := map[string]ports.StageTotal{}
	for _, row := range rows {
		out[string(row.StageID)] = ports.StageTotal{Count: row.N, Amount: sum(row.High, row.Low)}
	}
	return out, err
}

// sum puts together what was added up in two parts, because amounts come from outside
// and two of them may be more than a sum can hold.
func sum(high, low int64) catalog.Money {
	const most = math.MaxInt64 >> 20
	high += low >> 20
	return catalog.Money(min(max(high, -most), most)<<20 | low&(1<<20-1))
}

func (r statement) OfContact(ctx context.Context, orgID, contactID string, limit int) ([]ports.ContactLookup, error) {
	var rows []lookupRow
	answered := map[uid]recordRow{}
	err := r.query(ctx, func(db *gorm.DB) error {
		if err := db.Order("id DESC").Limit(limit).Find(&rows, "contact_id = ? AND org_id = ?", contactID, orgID).Error; err != nil {
			return err
		}
		var ids []uid
		for _, row := range rows {
			if row.RecordID != nil {
				ids = append(ids, *row.RecordID)
			}
		}
		if len(ids) == 0 {
			return nil
		}
		var records []recordRow
		if err := db.Select("id", "answered_at").Find(&records, "id IN ?", ids).Error; err != nil {
			return err
		}
		for _, record := range records {
			answered[record.ID] = record
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]ports.ContactLookup, len(rows))
	for i, row := range rows {
		if out[i].Entry, err = r.entry(row); err != nil {
			return nil, fmt.Errorf("entry %s: %w", row.ID, err)
		}
		if row.RecordID != nil {
			if record, ok := answered[*row.RecordID]; ok {
				out[i].AnsweredAt = record.AnsweredAt.UTC()
			}
		}
	}
	return out, nil
}
