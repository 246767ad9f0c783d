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

// narrowest returns the index of the filter that leaves fewest contacts, and how many, counted to one more than most;
// with most 0 they are counted only where there are several, to one more than fewContacts.
func narrowest(db *gorm.DB, orgID string, f ports.ContactFilter, most int) (w walk, n int, err error) {
	var given []walk
	for _, linked := range []walk{
		{"contacts_stage", []string{"stage_id"}, []any{f.StageID}, ""},
		{"contacts_assignee", []string{"assignee_id"}, []any{f.AssigneeID}, ""},
		{"contacts_origin", []string{"origin_id"}, []any{f.OriginID}, ""},
		{"contacts_webhook", []string{"webhook_id"}, []any{f.WebhookID}, ""},
	} {
		if linked.values[0] != "" {
			given = append(given, linked)
		}
	}
	if f.Waiting {
		given = append(given, walk{"contacts_waiting", []string{"org_id"}, []any{orgID}, "waiting"})
	}
	if len(given) == 0 || most > 0 && (!f.Since.IsZero() || len(f.Words) > 0) {
		given = append(given, walk{"contacts_org", []string{"org_id"}, []any{orgID}, ""})
	}
	if len(given) == 1 && most == 0 {
		return given[0], 0, nil
	}
	most = cmp.Or(most, fewContacts)
	n = most + 2
	for _, one := range given {
		var found int
		few := one.page(inside(db).Select("1"), "contacts", idsSince(f.Since), afterAll, false, most+1)
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

// listed is a page of contacts after the one that the query names, at the place that it has now.
func listed(db *gorm.DB, orgID string, q ports.ContactQuery) (*gorm.DB, error) {
	var last contactRow
	if q.After != "" {
		err := inside(db).Select("id", "amount", "search").Take(&last, "id = ? AND org_id = ?", q.After, orgID).Error
		if err != nil && !errors.Is(err, gorm.ErrRecordNotFound) {
			return nil, err
		}
	}
	in := sequenceOf(db, q, last)
	most, w, n := 0, walk{}, fewContacts+1
	var err error
	switch {
	case len(q.Words) > 0:
		var s search
		if s, err = newSearch(db, orgID, q.ContactFilter); err == nil && s.upTo != "" {
			ids, err := s.page(in, q.Ascending, q.Limit)
			return in.cut(inside(db).Where("id IN ?", append(ids, beforeAll)), q.Limit), err
		}
		most, w, n = searchFront, s.by, s.n
	case in.key == "id":
		w, _, err = narrowest(db, orgID, q.ContactFilter, 0)
	case q.Waiting || q.StageID+q.OriginID+q.AssigneeID+q.WebhookID != "" || !q.Since.IsZero():
		most = fewContacts
		w, n, err = narrowest(db, orgID, q.ContactFilter, most)
	}
	if err != nil {
		return nil, err
	}
	if in.key == "id" {
		above, below := in.between(q.Since, q.Ascending)
		wanted := filtered(orgID, q.ContactFilter, w.columns...)(inside(db))
		return w.page(wanted, "contacts", above, below, q.Ascending, q.Limit), nil
	}
	wanted := in.beyondLast(filtered(orgID, q.ContactFilter)(inside(db)))
	if n <= most {
		few := w.page(inside(db).Select("id"), "contacts", idsSince(q.Since), afterAll, false, most)
		wanted = wanted.Where("id IN (SELECT id FROM (?) AS few)", few)
		// Neither database may walk the order's index here, and pass over all others.
		in.index, in.key = "sqlite_autoindex_contacts_1", in.key+in.unindexed
	}
	return in.cut(in.indexed(wanted), q.Limit), nil
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
