package lookups

import (
	"context"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
)

// dayTotals are the figures of an asker's days.
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

// partColumns are the columns that tell charges apart.
var partColumns = map[lookup.Part]string{
	"":                  "''",
	lookup.ByDay:        "day",
	lookup.ByProduct:    "product",
	lookup.ByKey:        "COALESCE(CAST(key_id AS text), '')",
	lookup.ByPerson:     "COALESCE(CAST(member_id AS text), '')",
	lookup.ByPurpose:    "purpose",
	lookup.ByAutomation: "COALESCE(CAST(automation_id AS text), '')",
	lookup.ByBatch:      "COALESCE(CAST(batch_id AS text), '')",
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
	source, count := chargesOf(by, f, from, until), "COUNT(*)"
	if slices.Contains(counted, parts[0]) && slices.Contains(counted, parts[1]) && f.Purpose == "" {
		source, count = dayTotals(by, from, until), "SUM(charged)"
	}
	sums := func(db *gorm.DB) *gorm.DB {
		if db = source(db); f.Product != "" {
			db = db.Where("product = ?", f.Product)
		}
		return db.Select(partColumns[parts[0]] + " AS a, " + partColumns[parts[1]] + " AS b, " +
			"CAST(" + count + " AS bigint) AS count, CAST(SUM(amount) AS bigint) AS amount").
			Group("1, 2").Having(count + " <> 0")
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

// chargesOf are an asker's entries that were charged on some days, by the index of the asker. Their ids are bounded, so
// that only partitions of those days are read; an id may be chosen some time before the call.
func chargesOf(by lookup.Asker, f lookup.Filter, from, until string) engine.Scope {
	first, _ := time.Parse(time.DateOnly, from) // the use case has read them
	last, _ := time.Parse(time.DateOnly, until)
	above, below := idsWithin(lookup.Filter{From: first.AddDate(0, 0, -2), Until: last.AddDate(0, 0, 2)}, "")
	return func(db *gorm.DB) *gorm.DB {
		w := indexOf(by)
		if f.Purpose != "" {
			w = ofPurpose(by, f.Purpose)
		}
		if db = db.Model(&LookupRow{}); db.Name() == "sqlite" { // it has no statistics
			db = db.Table("lookups INDEXED BY " + w.Index)
		}
		for i, column := range w.Columns {
			db = db.Where(column+" = ?", w.Values[i])
		}
		if w.Only != "" {
			db = db.Where(w.Only)
		}
		return alike(by)(db).Where("charged AND id > ? AND id < ? AND day BETWEEN ? AND ?", above, below, from, until)
	}
}
