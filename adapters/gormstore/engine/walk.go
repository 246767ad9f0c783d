package engine

import (
	"slices"

	"gorm.io/gorm"
)

// Walk is the range of an index that has some values in its first columns, in the order of the ids, which come next.
// Unwanted values in columns behind the ids are skipped.
type Walk struct {
	Index   string
	Columns []string
	Values  []any
	// Only is the condition of a partial index, where its columns do not imply it.
	Only string
	// Before is how many columns come before the ids in the index; 0 stands for one.
	Before int
}

// WalkOf is the range of an index that has a value in its first column.
func WalkOf(index, column string, value any) Walk {
	return Walk{Index: index, Columns: []string{column}, Values: []any{value}}
}

// Page reads rows of the walk with ids between two, both exclusive, from one end.
//
// Each database needs its own hint for the index. SQLite, which has no statistics, takes its name. PostgreSQL would use
// the primary key and skip what belongs to others, or sort, where it estimates the wanted rows to be many, or few. So
// it gets an order that only this index provides: with NULLS LAST, or beginning with the first column, which PostgreSQL
// does not know to be constant where it is one of a list. There the lower bound is a row comparison, so that it does
// not estimate the range to be small.
func (w Walk) Page(db *gorm.DB, table, above, below string, ascending bool, limit int) *gorm.DB {
	direction, nulls := " DESC", " NULLS LAST"
	if ascending {
		direction, nulls = " ASC", " NULLS FIRST"
	}
	sqlite, inList := db.Name() == "sqlite", slices.Contains(withoutNulls, w.Index)
	db = db.Where("id < ?", below).Limit(limit)
	if w.Only != "" {
		db = db.Where(w.Only)
	}
	for i, column := range w.Columns {
		if i == 0 && inList && !sqlite {
			db = db.Where(column+" = ANY(ARRAY[?]::uuid[])", w.Values[i]).Order(column + direction)
		} else {
			db = db.Where(column+" = ?", w.Values[i])
		}
	}
	switch {
	case sqlite:
		return db.Table(table+" INDEXED BY "+w.Index).Where("id > ?", above).Order("id" + direction)
	case inList:
		return db.Where("(id, id) > (?, ?)", above, above).Order("id" + direction)
	}
	return db.Where("id > ?", above).Order("id" + direction + nulls)
}

// withoutNulls are indexes from before NULLS LAST was used to rule out the primary key, and one beside which another
// has that order, too.
var withoutNulls = []string{
	"lookups_org", "lookups_key", "lookups_members", "lookups_member", "lookups_contact", "contacts_org", "contacts_stage",
	"contacts_of_assignee_in",
}

// Passing is a condition on the rows of a walk that the planner cannot estimate: where it expects few rows to be left,
// PostgreSQL reads and sorts all of them.
func Passing(condition string, values ...any) Scope {
	return Where("CASE WHEN "+condition+" THEN TRUE END", values...)
}
