package contacts

import (
	"cmp"
	"context"
	"errors"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

func (r contacts) Select(ctx context.Context, orgID string, q ports.ContactQuery) ([]crm.Contact, error) {
	as := ContactRow.brief
	if q.Whole {
		as = engine.With(r.vault, ContactOf)
	}
	var found []ContactRow
	err := r.QueryList(ctx, "contacts.select", func(db *gorm.DB) error {
		last, err := r.last(db, orgID, q)
		if err != nil {
			return err
		}
		page, err := listed(db, orgID, q, last)
		if err != nil {
			return err
		}
		if !q.Whole {
			page = withoutNote(page)
		}
		return page.Find(&found).Error
	})
	return engine.Mapped(found, as), err
}

// last is the contact that a page follows, at the place where it was read or at its present one, or the one it had when
// it was removed. In the order of arrival the id alone is the place.
func (r contacts) last(db *gorm.DB, orgID string, q ports.ContactQuery) (ContactRow, error) {
	if q.After == "" || q.Order == crm.ByArrival {
		return ContactRow{ID: engine.UID(q.After)}, nil
	}
	if q.Last != nil {
		return standsAt(*q.Last), nil
	}
	var row ContactRow
	err := Inside(db).Select("id", "amount", "search").Take(&row, "id = ? AND org_id = ?", q.After, orgID).Error
	if !errors.Is(err, gorm.ErrRecordNotFound) {
		return row, err
	}
	var gone RemovedRow
	if err := Inside(db).Model(&gone).Take(&gone, "id = ? AND org_id = ?", q.After, orgID).Error; err != nil {
		return row, err
	}
	was := RemovalOf(r.vault, gone).Contact
	if was.CreatedAt.IsZero() { // its content is forgotten or unreadable
		return row, ports.ErrNotFound
	}
	was.ID = q.After
	return standsAt(was), nil
}

// standsAt is where a contact is in every order.
func standsAt(c crm.Contact) ContactRow {
	return ContactRow{ID: engine.UID(c.ID), Amount: int64(c.Amount), Search: searchText(c)}
}

// fewContacts is up to how many matches of a filter are read and sorted. Walking an unrelated order's index instead
// would skip over all contacts that the filter leaves out.
const fewContacts = 2000

// walksOf returns index walks for a filter. Each begins with one column, or with a member and a stage; the index of the
// first holds the columns of all the others behind the ids, so that contacts that they leave out are skipped inside the
// index.
func walksOf(orgID string, f ports.ContactFilter) (given []engine.Walk) {
	type column struct{ name, value string }
	stage, assignee := column{"stage_id", f.StageID}, column{"assignee_id", f.AssigneeID}
	origin, webhook := column{"origin_id", f.OriginID}, column{"webhook_id", f.WebhookID}
	add := func(index, only string, columns ...column) {
		if columns[0].value == "" {
			return
		}
		w := engine.Walk{Index: index, Only: only}
		for _, c := range columns {
			if c.value != "" {
				w.Columns, w.Values = append(w.Columns, c.name), append(w.Values, c.value)
			}
		}
		given = append(given, w)
	}
	switch {
	case f.Waiting && f.StageID != "":
		add("contacts_waiting_in", "waiting", stage, assignee, origin, webhook)
	case f.Waiting:
		add("contacts_who_wait", "waiting", column{"org_id", orgID}, assignee, origin, webhook)
	}
	add("contacts_of_webhook", "", webhook, stage, assignee, origin)
	add("contacts_of_origin", "", origin, stage, assignee)
	if !f.Waiting && f.StageID != "" && f.AssigneeID != "" {
		return append(given, engine.Walk{
			Index: "contacts_of_assignee_in", Before: 3, Columns: []string{"org_id", assignee.name, stage.name},
			Values: []any{orgID, f.AssigneeID, f.StageID},
		})
	}
	add("contacts_of_assignee", "", assignee, stage)
	if !f.Waiting {
		add("contacts_stage", "", stage)
	}
	return given
}

// narrowest returns a walk of few contacts where the filter has one, else one that skips the others inside its index,
// and how many contacts it has, counted to most + 1. With most 0 they are counted only to learn which are few.
func narrowest(db *gorm.DB, orgID string, f ports.ContactFilter, most int) (w engine.Walk, n int, err error) {
	given := walksOf(orgID, f)
	if len(given) == 0 || most > 0 && (!f.Since.IsZero() || len(f.Words) > 0) {
		given = append(given, engine.WalkOf("contacts_org", "org_id", orgID))
	}
	if len(given) == 1 && most == 0 {
		return given[0], 0, nil
	}
	count := func(w engine.Walk, upTo int) (n int, err error) {
		of := engine.Routed(orgID)(Inside(db).Select("1"))
		few := w.Page(of, "contacts", engine.IDsSince(f.Since), engine.AfterAll, false, upTo+1)
		err = db.Raw("SELECT COUNT(*) FROM (?) AS few", few).Scan(&n).Error
		return n, err
	}
	few := cmp.Or(most, fewContacts)
	n = few + 1
	for _, one := range given {
		before := max(one.Before, 1)
		one.Columns, one.Values = one.Columns[:before], one.Values[:before]
		found, err := count(one, few)
		if err != nil {
			return w, 0, err
		}
		if found < n {
			w, n = one, found
		}
	}
	if w.Index == "" {
		if w = given[0]; most > 0 && len(w.Columns) > max(w.Before, 1) {
			n, err = count(w, most)
		}
	}
	return w, n, err
}

// Inside begins a subquery.
func Inside(db *gorm.DB) *gorm.DB { return db.Session(&gorm.Session{NewDB: true}).Model(&ContactRow{}) }

// listed is a page of contacts after the last one of the previous page.
func listed(db *gorm.DB, orgID string, q ports.ContactQuery, last ContactRow) (*gorm.DB, error) {
	in := sequenceOf(db, q, last)
	if q.MinAmount != 0 && len(q.Words) == 0 {
		var n int
		few := atLeast(db, orgID, q.MinAmount, fewContacts+1)
		err := db.Raw("SELECT COUNT(*) FROM (?) AS few", few).Scan(&n).Error
		if err != nil || n <= fewContacts {
			among := "id IN (SELECT id FROM (?) AS few)"
			if db.Name() == "postgres" { // which would else read all contacts to join them
				among = "id = ANY(ARRAY(?))"
			}
			wanted := in.beyondLast(filtered(orgID, q.ContactFilter)(Inside(db)))
			return in.apart(wanted.Where(among, atLeast(db, orgID, q.MinAmount, fewContacts))).Limit(q.Limit), err
		}
	}
	most, w, n := 0, engine.Walk{}, fewContacts+1
	var err error
	switch {
	case len(q.Words) > 0:
		var s search
		if s, err = newSearch(db, orgID, q.ContactFilter); err == nil && s.upTo != "" {
			ids, err := s.page(in, q.Ascending, q.Limit)
			return in.cut(Inside(db).Where("id IN ?", append(ids, engine.BeforeAll)), q.Limit), err
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
		wanted := filtered(orgID, q.ContactFilter, w.Columns...)(Inside(db))
		return w.Page(wanted, "contacts", above, below, q.Ascending, q.Limit), nil
	}
	wanted := in.beyondLast(filtered(orgID, q.ContactFilter)(Inside(db)))
	if n <= most {
		of := engine.Routed(orgID)(Inside(db).Select("id"))
		few := w.Page(of, "contacts", engine.IDsSince(q.Since), engine.AfterAll, false, most)
		wanted = wanted.Where("id IN (SELECT id FROM (?) AS few)", few)
		// Neither database may walk the order's index here and skip all other contacts.
		in.index, in.key = contactsByID, in.key+in.unindexed
	}
	return in.cut(in.indexed(wanted), q.Limit), nil
}

// atLeast are the ids of contacts with at least an amount, at most so many, from the index of the amounts.
func atLeast(db *gorm.DB, orgID string, amount catalog.Money, most int) *gorm.DB {
	some := Inside(db).Select("id").Where("org_id = ? AND amount >= ?", orgID, int64(amount)).Limit(most)
	if db.Name() == "sqlite" {
		return some.Table("contacts INDEXED BY contacts_amount")
	}
	return some.Order("amount DESC") // or the planner would walk another index
}

// byName is the alphabetical sort key: long enough to tell names apart, short enough to compare fast. Both databases
// compare its bytes.
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
