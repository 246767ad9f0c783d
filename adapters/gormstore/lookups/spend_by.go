package lookups

import (
	"context"
	"slices"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/catalog"
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

// partColumns are the columns that tell charges apart.
var partColumns = map[lookup.Part]string{
	"":                  "''",
	lookup.ByDay:        "day",
	lookup.ByProduct:    "product",
	lookup.ByKey:        "CAST(key_id AS text)",
	lookup.ByPerson:     "CAST(member_id AS text)",
	lookup.ByPurpose:    "purpose",
	lookup.ByAutomation: "CAST(automation_id AS text)",
	lookup.ByBatch:      "CAST(batch_id AS text)",
	lookup.ByBureau:     "bureau",
}

// sumsOf are the sums that SpendBy reads.
type sumsOf struct {
	A, B          string
	Count, Amount int64
}

func (r statement) SpendBy(
	ctx context.Context, by lookup.Asker, f lookup.Filter, from, until string, parts [2]lookup.Part,
) ([]lookup.PartSpent, error) {
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
		return db.Select(partColumns[parts[0]] + " AS a, " + partColumns[parts[1]] + " AS b, " +
			"CAST(SUM(charged) AS bigint) AS count, CAST(SUM(amount) AS bigint) AS amount").
			Group("1, 2").Having("SUM(charged) <> 0")
	}
	return engine.FindAll(ctx, r.QueryList, "statement.spendBy", func(r sumsOf) lookup.PartSpent {
		return lookup.PartSpent{
			Of:    [2]string{known(r.A), known(r.B)},
			Spent: lookup.Spent{Count: int(r.Count), Amount: catalog.Money(r.Amount)},
		}
	}, sums)
}

// known is a value of a part; the figures of days have an id of zeros for none.
func known(value string) string {
	if value == string(engine.NoID) {
		return ""
	}
	return value
}
