package lookups

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/lookup"
)

// dayTotals are the figures of an asker's days by product, and of an organisation's also by key.
func dayTotals(by lookup.Asker, from, until string) engine.Scope {
	return func(db *gorm.DB) *gorm.DB {
		if db = db.Model(&spendDayRow{}); by.MemberID != "" {
			db = db.Model(&memberDayRow{}).Where("member_id = ?", by.MemberID)
		} else if by.KeyID != "" {
			db = db.Where("key_id = ?", by.KeyID)
		} else if by.Members {
			db = db.Where("key_id = ?", engine.NoID)
		}
		return db.Where("org_id = ? AND day BETWEEN ? AND ?", by.OrgID, from, until)
	}
}

// chargeTotals are the figures of an asker's days by all parts.
func chargeTotals(by lookup.Asker, from, until string) engine.Scope {
	return func(db *gorm.DB) *gorm.DB {
		db = db.Model(&chargeDayRow{}).Where("org_id = ? AND day BETWEEN ? AND ?", by.OrgID, from, until)
		switch {
		case by.MemberID != "":
			db = db.Where("member_id = ?", by.MemberID)
		case by.KeyID != "":
			db = db.Where("key_id = ?", by.KeyID)
		case by.Members:
			db = db.Where("key_id = ?", engine.NoID)
		}
		return db
	}
}

// partText is the column that tells charges apart by a part, as text, which ids are on SQLite anyway.
func partText(db *gorm.DB, part lookup.Part) string {
	column := partColumns[part]
	switch {
	case part == "":
		return "''"
	case strings.HasSuffix(column, "_id") && db.Name() != "sqlite":
		return "CAST(" + column + " AS text)"
	}
	return column
}

// partColumns are the columns that tell charges apart.
var partColumns = map[lookup.Part]string{
	lookup.ByDay:        "day",
	lookup.ByProduct:    "product",
	lookup.ByKey:        "key_id",
	lookup.ByPerson:     "member_id",
	lookup.ByPurpose:    "purpose",
	lookup.ByAutomation: "automation_id",
	lookup.ByBatch:      "batch_id",
	lookup.ByBureau:     "bureau",
}

func (r statement) SpendBy(
	ctx context.Context, by lookup.Asker, f lookup.Filter, from, until string, parts [2]lookup.Part,
) (out []lookup.PartSpent, err error) {
	counted := []lookup.Part{"", lookup.ByDay, lookup.ByProduct}
	if by.MemberID == "" {
		counted = append(counted, lookup.ByKey)
	}
	source := chargeTotals
	if slices.Contains(counted, parts[0]) && slices.Contains(counted, parts[1]) && f.Purpose == "" {
		source = dayTotals // fewer rows
	}
	sums := func(db *gorm.DB) *gorm.DB {
		if db = source(by, from, until)(db); f.Product != "" {
			db = db.Where("product = ?", f.Product)
		}
		if f.Purpose != "" {
			db = db.Where("purpose = ?", f.Purpose)
		}
		first, second := parts[0], parts[1]
		if second == lookup.ByDay {
			first, second = second, first // the figures are in the order of days: SQLite need not sort them
		}
		for _, part := range []lookup.Part{first, second} {
			if part != "" {
				db = db.Group(partColumns[part])
			}
		}
		return db.Select(partText(db, parts[0]) + ", " + partText(db, parts[1]) +
			", CAST(SUM(charged) AS bigint), CAST(SUM(amount) AS bigint)").Having("SUM(charged) <> 0")
	}
	// Without GORM's reading of rows, of which a month has hundreds: it would take as long as the statement.
	err = r.QueryList(ctx, "statement.spendBy", func(db *gorm.DB) error {
		rows, err := sums(db).Rows()
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for out = []lookup.PartSpent{}; rows.Next(); {
			var sum lookup.PartSpent
			if err := rows.Scan(&sum.Of[0], &sum.Of[1], &sum.Count, (*int64)(&sum.Amount)); err != nil {
				return err
			}
			sum.Of = [2]string{known(sum.Of[0]), known(sum.Of[1])}
			out = append(out, sum)
		}
		return rows.Err()
	})
	return out, err
}

// known is a value of a part; the figures of days have an id of zeros for none.
func known(value string) string {
	if value == string(engine.NoID) {
		return ""
	}
	return value
}
