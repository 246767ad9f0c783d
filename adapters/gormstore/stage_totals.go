package gormstore

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gorm.io/gorm"

	"fichario/domain/catalog"
)

// stageTotalRow is how many contacts are in a stage and what they are worth, as far as one slot has counted them.
type stageTotalRow struct {
	StageID  uid   `gorm:"primaryKey"`
	Slot     int64 `gorm:"primaryKey;autoIncrement:false"`
	Contacts int64 `gorm:"not null"`
	High     int64 `gorm:"not null"` // see sum
	Low      int64 `gorm:"not null"`
}

func (stageTotalRow) TableName() string { return "stage_totals" }

const (
	countStage = `INSERT INTO stage_totals (stage_id, slot, contacts, high, low) VALUES (?, ?, ?, ?, ?)` + addStage
	addStage   = `
	ON CONFLICT (stage_id, slot) DO UPDATE SET contacts = stage_totals.contacts + excluded.contacts,
		high = stage_totals.high + excluded.high, low = stage_totals.low + excluded.low`
)

// values are those of countStage.
func (r stageTotalRow) values() []any { return []any{r.StageID, r.Slot, r.Contacts, r.High, r.Low} }

// amounts adds amounts up in two parts.
const (
	lowBits = 20
	amounts = "SUM(amount >> 20) AS high, SUM(amount & 1048575) AS low"
)

// sum puts together what was added up in two parts, because amounts come from outside
// and two of them may be more than a sum can hold.
func sum(high, low int64) catalog.Money {
	const most = math.MaxInt64 >> lowBits
	high += low >> lowBits
	return catalog.Money(min(max(high, -most), most)<<lowBits | low&(1<<lowBits-1))
}

// stageTotals are what some contacts add, by stage.
type stageTotals map[uid]stageTotalRow

// add counts a contact n times, which is -1 for one that leaves.
func (t stageTotals) add(c *contactRow, slot, n int64) {
	row := t[c.StageID]
	row.StageID, row.Slot, row.Contacts = c.StageID, slot, row.Contacts+n
	row.High += n * (c.Amount >> lowBits)
	row.Low += n * (c.Amount & (1<<lowBits - 1))
	t[c.StageID] = row
}

// rows are in one order everywhere, so that no two transactions wait for each other.
func (t stageTotals) rows() []stageTotalRow {
	var out []stageTotalRow
	for _, row := range t {
		if row.Contacts != 0 || row.High != 0 || row.Low != 0 {
			out = append(out, row)
		}
	}
	slices.SortFunc(out, func(a, b stageTotalRow) int { return cmp.Compare(a.StageID, b.StageID) })
	return out
}

// contactFigures are the figures that contacts are in: of the hour that each came in, and of its stage.
type contactFigures struct {
	came  contactHours
	stays stageTotals
	slot  int64
}

func newContactFigures(slot int64) contactFigures {
	return contactFigures{contactHours{}, stageTotals{}, slot}
}

func (f contactFigures) add(c *contactRow, n int64) {
	f.came.add(c, f.slot, n)
	f.stays.add(c, f.slot, n)
}

func (f contactFigures) count(db *gorm.DB) error {
	for _, row := range f.came.rows() {
		if err := db.Exec(countContacts, row.values()...).Error; err != nil {
			return err
		}
	}
	for _, row := range f.stays.rows() {
		if err := db.Exec(countStage, row.values()...).Error; err != nil {
			return err
		}
	}
	return nil
}

// recount moves a contact in the figures to where a change brings it.
func (r contacts) recount(ctx context.Context, op, id string, change func(*contactRow)) error {
	row, err := findOne(ctx, r.inside, op, func(row contactRow) contactRow { return row }, locked("UPDATE", ""),
		withoutNote, where("id = ?", id))
	if err != nil {
		return err
	}
	figures := newContactFigures(someSlot())
	figures.add(&row, -1)
	change(&row)
	figures.add(&row, 1)
	return r.inside(ctx, op, figures.count)
}
