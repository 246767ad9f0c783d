package gormstore

import (
	"cmp"
	"context"
	"errors"

	"gorm.io/gorm"

	"fichario/domain/crm"
	"fichario/ports"
)

func (r contacts) Select(ctx context.Context, orgID string, q ports.ContactQuery) ([]crm.Contact, error) {
	as := contactRow.brief
	if q.Whole {
		as = r.vault.contact
	}
	var found []contactRow
	err := r.list(ctx, "contacts.select", func(db *gorm.DB) error {
		page, err := listed(db, orgID, q)
		if err != nil {
			return err
		}
		if !q.Whole {
			page = withoutNote(page)
		}
		return page.Find(&found).Error
	})
	return mapped(found, as), err
}

// fewContacts is how many contacts are read and put in order, where otherwise those that a filter leaves out would be
// passed over in an order that has nothing to do with it.
const fewContacts = 2000

// narrowest returns the index of the filter that leaves fewest contacts, and how many, counted to one more than
// fewContacts where it matters.
func narrowest(db *gorm.DB, orgID string, f ports.ContactFilter, counting bool) (w walk, n int, err error) {
	var given []walk
	for _, linked := range []walk{
		{"contacts_stage", []string{"stage_id"}, []any{f.StageID}},
		{"contacts_assignee", []string{"assignee_id"}, []any{f.AssigneeID}},
		{"contacts_origin", []string{"origin_id"}, []any{f.OriginID}},
		{"contacts_webhook", []string{"webhook_id"}, []any{f.WebhookID}},
	} {
		if linked.values[0] != "" {
			given = append(given, linked)
		}
	}
	if len(given) == 0 || counting && !f.Since.IsZero() {
		given = append(given, walk{"contacts_org", []string{"org_id"}, []any{orgID}})
	}
	if len(given) == 1 && !counting {
		return given[0], 0, nil
	}
	n = fewContacts + 2
	for _, one := range given {
		var found int
		few := one.page(inside(db).Select("1"), "contacts", idsSince(f.Since), afterAll, false, fewContacts+1)
		if err := db.Raw("SELECT COUNT(*) FROM (?) AS few", few).Scan(&found).Error; err != nil {
			return w, 0, err
		}
		if found < n {
			w, n = one, found
		}
	}
	return w, n, nil
}

// inside is for a query within another one.
func inside(db *gorm.DB) *gorm.DB { return db.Session(&gorm.Session{NewDB: true}).Model(&contactRow{}) }

// chosen are the contacts of a filter in no order.
func chosen(db *gorm.DB, orgID string, f ports.ContactFilter) (*gorm.DB, error) {
	w, _, err := narrowest(db, orgID, f, false)
	if err != nil {
		return nil, err
	}
	wanted := filtered(orgID, f)(inside(db).Select("1"))
	if db.Name() == "sqlite" {
		wanted = wanted.Table("contacts INDEXED BY " + w.index)
	}
	return wanted, nil
}

// listed is a page of contacts after the one that the query names, at the place that it has now.
func listed(db *gorm.DB, orgID string, q ports.ContactQuery) (*gorm.DB, error) {
	var last contactRow
	if q.After != "" {
		err := inside(db).Select("id", "amount", "search").Take(&last, "id = ? AND org_id = ?", q.After, orgID).Error
		if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
			return nil, err
		}
	}
	if q.Order == crm.ByArrival {
		w, _, err := narrowest(db, orgID, q.ContactFilter, false)
		above, below := idsSince(q.Since), cmp.Or(string(last.ID), afterAll)
		if q.Ascending {
			above, below = max(above, string(last.ID)), afterAll
		}
		wanted := filtered(orgID, q.ContactFilter, w.columns...)(inside(db))
		return w.page(wanted, "contacts", above, below, q.Ascending, q.Limit), err
	}
	w, n := walk{}, fewContacts+1
	wanted := filtered(orgID, q.ContactFilter)(inside(db))
	if q.StageID+q.OriginID+q.AssigneeID+q.WebhookID != "" || !q.Since.IsZero() {
		var err error
		if w, n, err = narrowest(db, orgID, q.ContactFilter, true); err != nil {
			return nil, err
		}
	}
	key, nothing, value, index := "amount", " + 0", any(last.Amount), "contacts_amount"
	if q.Order == crm.ByName {
		key, nothing, value, index = byName(db), " || ''", begin(last.Search, 80), "contacts_name"
	}
	direction, beyond := " DESC", " < "
	if q.Ascending {
		direction, beyond = " ASC", " > "
	}
	by := key
	if n <= fewContacts {
		few := w.page(inside(db).Select("id"), "contacts", idsSince(q.Since), afterAll, false, fewContacts)
		wanted = wanted.Where("id IN (SELECT id FROM (?) AS few)", few)
		// Neither database may walk the order's index here, and pass over all others.
		index, by = "sqlite_autoindex_contacts_1", key+nothing
	}
	if db.Name() == "sqlite" {
		wanted = wanted.Table("contacts INDEXED BY " + index)
	}
	if last.ID != "" {
		wanted = wanted.Where("("+key+", id)"+beyond+"(?, ?)", value, last.ID)
	}
	return wanted.Order(by + direction + ", id" + direction).Limit(q.Limit), nil
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
