package lookups

import (
	"fichario/adapters/gormstore/engine"
	"fichario/domain/lookup"
)

// bureauDayRow counts the calls to a bureau on a day that took about as long, as far as one slot has counted them.
type bureauDayRow struct {
	Bureau string `gorm:"primaryKey"`
	Day    string `gorm:"primaryKey"`
	// Took is lookup.Pace of the call.
	Took    int64 `gorm:"primaryKey;autoIncrement:false"`
	Slot    int64 `gorm:"primaryKey;autoIncrement:false"`
	Calls   int64 `gorm:"not null"`
	Failed  int64 `gorm:"not null"`
	Charged int64 `gorm:"not null"`
	Amount  int64 `gorm:"not null"`
	// Above counts the calls for which the bureau named more than its price.
	Above int64 `gorm:"not null"`
}

func (bureauDayRow) TableName() string { return "bureau_days" }

var bureauTally = engine.TallyOf(bureauDayRow{})

// asked counts a call that has ended.
func (c *charges) asked(e ended) {
	if e.entry.Bureau == "" {
		return
	}
	day := bureauDayRow{
		Bureau: e.entry.Bureau, Day: e.entry.Day, Took: int64(lookup.Pace(e.took)), Slot: c.slot,
	}
	sum := c.bureaus[day]
	on := day
	on.Calls, on.Failed, on.Above = sum.Calls+1, sum.Failed, sum.Above
	if e.entry.Status != string(lookup.Done) {
		on.Failed++
	}
	if e.over {
		on.Above++
	}
	on.Charged, on.Amount = sum.Charged+chargedCalls(e.entry), sum.Amount+e.entry.Amount
	c.bureaus[day] = on
	for _, m := range e.matches {
		c.match(m)
	}
}
