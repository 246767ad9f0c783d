package persons

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/lookups"
	"fichario/adapters/gormstore/privacy"
)

type retention struct{ engine.Conn }

// ForgetAnswers moves the mark before it removes what precedes it, so that entries with an expired answer are never
// taken for ones that lost theirs.
func (r retention) ForgetAnswers(ctx context.Context, before time.Time) (n int, err error) {
	err = r.Whole(ctx, "retention.forgetAnswers", func(db *gorm.DB) error {
		if err := privacy.MoveMark(db, "records", engine.FirstID(before)); err != nil {
			return err
		}
		old := db.Session(&gorm.Session{NewDB: true}).Model(&lookups.RecordRow{}).Where("id < ?", engine.FirstID(before)).
			Order("id").Session(&gorm.Session{})
		return engine.EachOrg(old, func(of engine.Scope) (bool, error) {
			var ids []string
			err := of(engine.Locked("UPDATE", "SKIP LOCKED")(old)).Limit(engine.ForgetAtOnce).Pluck("id", &ids).Error
			if n = len(ids); err == nil && n > 0 {
				err = of(db.Session(&gorm.Session{NewDB: true})).Delete(&lookups.RecordRow{}, "id IN ?", ids).Error
			}
			return n > 0, err
		})
	})
	return n, err
}

// OldContacts checks the history of each contact; contact ids begin with their time.
func (r retention) OldContacts(
	ctx context.Context, before time.Time, after string, limit int,
) (old map[string][]string, next string, err error) {
	old = map[string][]string{}
	err = r.Query(ctx, "retention.oldContacts", func(db *gorm.DB) error {
		var rows []contacts.ContactRow
		some := db
		if r.Tx {
			some = engine.LockedAlone("UPDATE", "")(db)
		}
		err := some.Select("id", "org_id").Where("id > ? AND id < ?", cmp.Or(after, engine.BeforeAll),
			engine.FirstID(before)).Order("id").
			Limit(limit).Find(&rows).Error
		if err != nil || len(rows) == 0 {
			return err
		}
		next = string(rows[len(rows)-1].ID)
		if r.Tx && engine.Distributed(db) {
			if rows, err = lockedOf(db, rows); err != nil || len(rows) == 0 {
				return err
			}
		}
		alive, err := happenedSince(db, rows, before)
		for _, row := range rows {
			if !slices.Contains(alive, row.ID) {
				old[string(row.OrgID)] = append(old[string(row.OrgID)], string(row.ID))
			}
		}
		return err
	})
	return old, next, err
}

// happenedSince returns those of some contacts whose history has an entry, or a lookup, since a time.
func happenedSince(db *gorm.DB, rows []contacts.ContactRow, since time.Time) (alive []engine.UID, err error) {
	ids := engine.Mapped(rows, func(c contacts.ContactRow) engine.UID { return c.ID })
	for _, history := range []any{&contacts.EventRow{}, &lookups.LookupRow{}} {
		var some []engine.UID
		err = db.Session(&gorm.Session{NewDB: true}).Model(history).Distinct("contact_id").
			Where("contact_id IN ? AND id >= ?", ids, engine.FirstID(since)).Pluck("contact_id", &some).Error
		if err != nil {
			return nil, err
		}
		alive = append(alive, some...)
	}
	return alive, nil
}

// lockedOf locks contacts, an organisation at a time, and returns those that are still there.
func lockedOf(db *gorm.DB, rows []contacts.ContactRow) (locked []contacts.ContactRow, err error) {
	ids := map[engine.UID][]engine.UID{}
	for _, row := range rows {
		ids[row.OrgID] = append(ids[row.OrgID], row.ID)
	}
	for _, org := range slices.Sorted(maps.Keys(ids)) {
		var some []contacts.ContactRow
		err := engine.Locked("UPDATE", "")(db.Session(&gorm.Session{NewDB: true})).Select("id", "org_id").Order("id").
			Find(&some, "org_id = ? AND id IN ?", org, ids[org]).Error
		if err != nil {
			return nil, err
		}
		locked = append(locked, some...)
	}
	return locked, nil
}

func (r retention) Mark(ctx context.Context, what string, before time.Time) error {
	return r.Exec(ctx, "retention.mark", func(db *gorm.DB) error {
		return privacy.MoveMark(db, what,
			engine.FirstID(before))
	})
}
