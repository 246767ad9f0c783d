package gormstore

import (
	"slices"

	"gorm.io/gorm"
)

// walk is the part of an index that has some values in its first columns, in the order of the ids, which come next.
// What has other values than those wanted in columns behind the ids is passed over.
type walk struct {
	index   string
	columns []string
	values  []any
	// only is the condition of a partial index that its columns do not imply.
	only string
}

// page reads rows of it with ids between two, both exclusive, from one end on.
//
// Each database has a way of its own to be told which index that is. SQLite has no statistics and takes its name.
// PostgreSQL takes the primary key instead and passes over what belongs to others, or sorts, where it believes the
// wanted rows to be many, or few. So it gets an order that only this index has: NULLS LAST is in it, or it begins with
// the first column, which PostgreSQL does not know to have one value where that is one of a list. There it is told the
// lower bound as a row, so that it does not take what is between the two for few.
func (w walk) page(db *gorm.DB, table, above, below string, ascending bool, limit int) *gorm.DB {
	direction, nulls := " DESC", " NULLS LAST"
	if ascending {
		direction, nulls = " ASC", " NULLS FIRST"
	}
	sqlite, inList := db.Name() == "sqlite", slices.Contains(withoutNulls, w.index)
	db = db.Where("id < ?", below).Limit(limit)
	if w.only != "" {
		db = db.Where(w.only)
	}
	for i, column := range w.columns {
		if inList && !sqlite {
			db = db.Where(column+" = ANY(ARRAY[?]::uuid[])", w.values[i]).Order(column + direction)
		} else {
			db = db.Where(column+" = ?", w.values[i])
		}
	}
	switch {
	case sqlite:
		return db.Table(table+" INDEXED BY "+w.index).Where("id > ?", above).Order("id" + direction)
	case inList:
		return db.Where("(id, id) > (?, ?)", above, above).Order("id" + direction)
	}
	return db.Where("id > ?", above).Order("id" + direction + nulls)
}

// withoutNulls are indexes of before NULLS LAST kept the primary key away.
var withoutNulls = []string{
	"lookups_org", "lookups_key", "lookups_members", "lookups_member", "lookups_contact", "contacts_org", "contacts_stage",
}

// passing is a condition that rows of a walk are held to, and that no plan is made of: one believed to leave few rows
// makes PostgreSQL read and sort all of them.
func passing(condition string, values ...any) scope {
	return where("CASE WHEN "+condition+" THEN TRUE END", values...)
}

// afterAll is an id after every other.
const afterAll = "ffffffff-ffff-ffff-ffff-ffffffffffff"
