package lookups

import (
	"time"

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
	// OrgID is engine.NoID but on Citus, where a row lies with its organisation.
	OrgID engine.UID `gorm:"not null;default:'00000000-0000-0000-0000-000000000000'"`
}

func (bureauDayRow) TableName() string { return "bureau_days" }

var bureauTally = engine.TallyOf(bureauDayRow{})

// asked counts a call that has ended. One that was settled before was counted then, which is taken back.
func (c *charges) asked(e ended) {
	if e.entry.SpareCalls == settledCalls {
		was := e.entry
		was.Charged, was.Amount, was.SettleAt = true, e.price, nil
		c.settled(was, -1)
	}
	one := bureauDayRow{Calls: 1, Charged: chargedCalls(e.entry), Amount: e.entry.Amount}
	if e.entry.Status != string(lookup.Done) {
		one.Failed = 1
	}
	if e.over {
		one.Above = 1
	}
	c.called(e.entry, e.took, one)
	for _, m := range e.matches {
		c.match(m)
	}
}

// settled counts a call that was settled without an answer, or with -1 takes that back.
func (c *charges) settled(row LookupRow, n int64) {
	took := time.Duration(0)
	if row.SettleAt != nil {
		took = row.SettleAt.Sub(row.At)
	}
	c.called(row, took, bureauDayRow{Calls: n, Failed: n, Charged: n * chargedCalls(row), Amount: n * row.Amount})
}

// called adds to the figures of an entry's bureau and day.
func (c *charges) called(row LookupRow, took time.Duration, more bureauDayRow) {
	if row.Bureau == "" {
		return
	}
	day := bureauDayRow{Bureau: row.Bureau, Day: row.Day, Took: int64(lookup.Pace(took)), Slot: c.slot, OrgID: engine.NoID}
	if c.divided {
		day.OrgID = row.OrgID
	}
	on, sum := day, c.bureaus[day]
	on.Calls, on.Failed, on.Above = sum.Calls+more.Calls, sum.Failed+more.Failed, sum.Above+more.Above
	on.Charged, on.Amount = sum.Charged+more.Charged, sum.Amount+more.Amount
	c.bureaus[day] = on
}
