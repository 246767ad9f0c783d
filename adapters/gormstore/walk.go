package gormstore

import (
	"strings"

	"gorm.io/gorm"
)

// walk is the part of an index that has some values in its first columns, in the order of the ids, which are its last.
type walk struct {
	index   string
	columns []string
	values  []any
}

// newest reads a page of it from the newest on: rows with an id from one to before another.
//
// Each database has a way of its own to be told which index that is. SQLite has no statistics and takes its name.
// PostgreSQL takes the primary key instead and passes over what belongs to others, or sorts, where it believes the
// wanted rows to be many, or few. So it gets the range and the order that only this index has.
func (w walk) newest(db *gorm.DB, table, from, before string, limit int) *gorm.DB {
	if db.Name() == "sqlite" {
		for i, column := range w.columns {
			db = db.Where(column+" = ?", w.values[i])
		}
		return db.Table(table+" INDEXED BY "+w.index).Where("id >= ? AND id < ?", from, before).Order("id DESC").Limit(limit)
	}
	columns := "(" + strings.Join(w.columns, ", ") + ", id)"
	marks := "(" + strings.Repeat("?, ", len(w.columns)) + "?)"
	all := len(w.values)
	return db.Where(columns+" >= "+marks, append(w.values[:all:all], from)...).
		Where(columns+" < "+marks, append(w.values[:all:all], before)...).
		Order(strings.Join(w.columns, " DESC, ") + " DESC, id DESC").Limit(limit)
}

// afterAll is an id after every other.
const afterAll = "ffffffff-ffff-ffff-ffff-ffffffffffff"
