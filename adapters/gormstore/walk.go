package gormstore

import (
	"slices"
	"strings"

	"gorm.io/gorm"
)

// walk is the part of an index that has some values in its first columns, in the order of the ids, which are its last.
type walk struct {
	index   string
	columns []string
	values  []any
}

// page reads rows of it with ids between two, both exclusive, from one end on.
//
// Each database has a way of its own to be told which index that is. SQLite has no statistics and takes its name.
// PostgreSQL takes the primary key instead and passes over what belongs to others, or sorts, where it believes the
// wanted rows to be many, or few. So it gets the range and the order that only this index has. The bounds are not
// strict, because it takes strict ones to leave out all that have the value of the first column.
func (w walk) page(db *gorm.DB, table, above, below string, ascending bool, limit int) *gorm.DB {
	direction := " DESC"
	if ascending {
		direction = " ASC"
	}
	if db.Name() == "sqlite" {
		for i, column := range w.columns {
			db = db.Where(column+" = ?", w.values[i])
		}
		return db.Table(table+" INDEXED BY "+w.index).Where("id > ? AND id < ?", above, below).
			Order("id" + direction).Limit(limit)
	}
	if !slices.Contains(withoutNulls, w.index) {
		for i, column := range w.columns {
			db = db.Where(column+" = ?", w.values[i])
		}
		return db.Where("id > ? AND id < ?", above, below).
			Order("id" + map[bool]string{false: " DESC NULLS LAST", true: " ASC NULLS FIRST"}[ascending]).Limit(limit)
	}
	columns := "(" + strings.Join(w.columns, ", ") + ", id)"
	marks := "(" + strings.Repeat("?, ", len(w.columns)) + "?)"
	all := len(w.values)
	return db.Where(w.columns[0]+" IS NOT NULL"). // as partial indexes say it
							Where(columns+" >= "+marks, append(w.values[:all:all], above)...).
							Where(columns+" <= "+marks, append(w.values[:all:all], below)...).Where("id NOT IN (?, ?)", above, below).
							Order(strings.Join(w.columns, direction+", ") + direction + ", id" + direction).Limit(limit)
}

// withoutNulls are indexes of before NULLS LAST kept the primary key away: a walk of them says its range as rows, and
// does not stop at its lower end.
var withoutNulls = []string{"lookups_org", "lookups_key", "lookups_members", "contacts_org", "contacts_stage"}

// passing is a condition that rows of a walk are held to, and that no plan is made of: one believed to leave few rows
// makes PostgreSQL read and sort all of them.
func passing(condition string, value any) scope {
	return where("CASE WHEN "+condition+" THEN TRUE END", value)
}

// afterAll is an id after every other.
const afterAll = "ffffffff-ffff-ffff-ffff-ffffffffffff"
