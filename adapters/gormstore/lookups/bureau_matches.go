package lookups

import (
	"context"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/catalog"
	"fichario/ports"
)

// bureauMatchRow counts how two bureaus' answers agreed on a field in a month, as ports.BureauMatch says.
type bureauMatchRow struct {
	Month        string `gorm:"primaryKey"`
	Product      string `gorm:"primaryKey"`
	FirstBureau  string `gorm:"primaryKey"`
	SecondBureau string `gorm:"primaryKey"`
	Field        string `gorm:"primaryKey"`
	Equal        int64  `gorm:"not null"`
	Different    int64  `gorm:"not null"`
	OnlyFirst    int64  `gorm:"not null"`
	OnlySecond   int64  `gorm:"not null"`
	Neither      int64  `gorm:"not null"`
	FirstAmount  int64  `gorm:"not null"`
	SecondAmount int64  `gorm:"not null"`
}

func (bureauMatchRow) TableName() string { return "bureau_matches" }

var (
	matchTally     = engine.TallyOf(bureauMatchRow{})
	addMatchesMany = matchTally.Many()
)

// match counts what a comparison found.
func (c *charges) match(m ports.BureauMatch) {
	row := bureauMatchRow{
		Month: m.Month, Product: m.Product, FirstBureau: m.First, SecondBureau: m.Second, Field: m.Field,
	}
	sum := c.matches[row]
	on := row
	on.Equal, on.Different = sum.Equal+int64(m.Equal), sum.Different+int64(m.Different)
	on.OnlyFirst, on.OnlySecond = sum.OnlyFirst+int64(m.OnlyFirst), sum.OnlySecond+int64(m.OnlySecond)
	on.Neither = sum.Neither + int64(m.Neither)
	on.FirstAmount, on.SecondAmount = sum.FirstAmount+int64(m.FirstCost), sum.SecondAmount+int64(m.SecondCost)
	c.matches[row] = on
}

func (r bureauStates) Matches(ctx context.Context, product string) ([]ports.BureauMatch, error) {
	summed := func(db *gorm.DB) *gorm.DB {
		const by = "product, first_bureau, second_bureau, field"
		columns := by
		for _, count := range matchTally.Counts {
			columns += ", CAST(SUM(" + count + ") AS bigint) AS " + count
		}
		if product != "" {
			db = db.Where("product = ?", product)
		}
		return db.Model(&bureauMatchRow{}).Select(columns).Group(by).Order(by)
	}
	return engine.FindAll(ctx, r.QueryList, "bureaus.matches", func(row bureauMatchRow) ports.BureauMatch {
		return ports.BureauMatch{
			Product: row.Product, First: row.FirstBureau, Second: row.SecondBureau, Field: row.Field,
			Agreement: catalog.Agreement{
				Equal: int(row.Equal), Different: int(row.Different), OnlyFirst: int(row.OnlyFirst),
				OnlySecond: int(row.OnlySecond), Neither: int(row.Neither),
			},
			FirstCost: catalog.Money(row.FirstAmount), SecondCost: catalog.Money(row.SecondAmount),
		}
	}, summed)
}
