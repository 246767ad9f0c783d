package contacts

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/ports"
)

// stageTotalRow is how many contacts a stage has and what they are worth, as far as one slot has counted them.
type stageTotalRow struct {
	StageID  engine.UID `gorm:"primaryKey"`
	Slot     int64      `gorm:"primaryKey;autoIncrement:false"`
	Contacts int64      `gorm:"not null"`
	High     int64      `gorm:"not null"` // see sum
	Low      int64      `gorm:"not null"`
	OrgID    *engine.UID
}

func (stageTotalRow) TableName() string { return "stage_totals" }

// StageTally counts the contacts of each stage.
var StageTally = engine.TallyOf(stageTotalRow{})

// lowBits is how many low bits of an amount are summed separately.
const lowBits = 20

// sum combines the two partial sums. They are separate because amounts come from outside, and two of them may already
// overflow a sum.
func sum(high, low int64) catalog.Money {
	const most = math.MaxInt64 >> lowBits
	high += low >> lowBits
	return catalog.Money(min(max(high, -most), most)<<lowBits | low&(1<<lowBits-1))
}

// stageTotals is what some contacts add, by stage.
type stageTotals map[engine.UID]stageTotalRow

// add counts a contact n times; n is -1 where it leaves.
func (t stageTotals) add(c *ContactRow, slot, n int64) {
	row := t[c.StageID]
	row.OrgID, row.StageID, row.Slot, row.Contacts = &c.OrgID, c.StageID, slot, row.Contacts+n
	row.High += n * (c.Amount >> lowBits)
	row.Low += n * (c.Amount & (1<<lowBits - 1))
	t[c.StageID] = row
}

// rows returns them in an order that all transactions share, so that no two deadlock.
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

// contactFigures are the figures that contacts count in: of the hour in which each arrived, and of its stage.
type contactFigures struct {
	came  contactHours
	stays stageTotals
	slot  int64
}

// NewContactFigures counts in a slot.
func NewContactFigures(slot int64) contactFigures {
	return contactFigures{contactHours{}, stageTotals{}, slot}
}

func (f contactFigures) Add(c *ContactRow, n int64) {
	f.came.add(c, f.slot, n)
	f.stays.add(c, f.slot, n)
}

// Count writes what was added.
func (f contactFigures) Count(by engine.Counting) error {
	for _, row := range f.came.rows() {
		if err := by(HourTally, &row); err != nil {
			return err
		}
	}
	for _, row := range f.stays.rows() {
		if err := by(StageTally, &row); err != nil {
			return err
		}
	}
	return nil
}

// recount updates the figures for a change of a contact.
func (r contacts) recount(ctx context.Context, op string, e crm.Event, change func(*ContactRow)) error {
	row, err := engine.FindOne(ctx, r.Inside, op, engine.Same[ContactRow], engine.Locked("UPDATE", ""),
		withoutNote, engine.Of(e.OrgID, e.ContactID))
	if err != nil {
		return err
	}
	figures := NewContactFigures(engine.SomeSlot())
	figures.Add(&row, -1)
	change(&row)
	figures.Add(&row, 1)
	return r.Inside(ctx, op, func(db *gorm.DB) error { return figures.Count(engine.Through(db)) })
}

func (r contacts) Totals(
	ctx context.Context, orgID string, f ports.ContactFilter, most int,
) (map[string]ports.StageTotal, error) {
	out := map[string]ports.StageTotal{}
	err := r.QueryList(ctx, "contacts.totals", func(db *gorm.DB) error {
		if !f.Narrows() {
			return addKept(db, orgID, f.Stages, out)
		}
		of := f
		of.Stages = nil
		for _, of.StageID = range f.Stages {
			if err := addNewest(db, orgID, of, most, out); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// addKept adds the stored totals of some stages, or of the whole organisation.
func addKept(db *gorm.DB, orgID string, stages []string, to map[string]ports.StageTotal) error {
	kept := db.Table("stage_totals AS t").Select(`t.stage_id, CAST(SUM(contacts) AS bigint) AS n,
			CAST(SUM(high) AS bigint) AS high, CAST(SUM(low) AS bigint) AS low`).
		Joins("JOIN stages s ON s.id = t.stage_id JOIN funnels f ON f.id = s.funnel_id").
		Where("f.org_id = ?"+engine.OnCitus(db, " AND t.org_id = f.org_id"), orgID).
		Group("t.stage_id").Having("SUM(contacts) <> 0")
	if len(stages) > 0 {
		kept = kept.Where("t.stage_id IN ?", stages)
	}
	var rows []struct {
		StageID      engine.UID
		N, High, Low int64
	}
	err := kept.Find(&rows).Error
	for _, row := range rows {
		to[string(row.StageID)] = ports.StageTotal{Count: int(row.N), Amount: sum(row.High, row.Low)}
	}
	return err
}

// addNewest adds the newest contacts of a filter for one stage.
func addNewest(db *gorm.DB, orgID string, f ports.ContactFilter, most int, to map[string]ports.StageTotal) error {
	w, _, err := narrowest(db, orgID, f, 0)
	if err != nil {
		return err
	}
	newest := func(limit int) *gorm.DB {
		amounts := filtered(orgID, f, w.Columns...)(Inside(db).Select("amount"))
		return w.Page(amounts, "contacts", engine.IDsSince(f.Since), engine.AfterAll, false, limit)
	}
	var n, high, low int64
	counted := db.Raw(`SELECT COUNT(*), CAST(COALESCE(SUM(amount >> ?), 0) AS bigint),
		CAST(COALESCE(SUM(amount & ?), 0) AS bigint) FROM (?) AS newest`, lowBits, 1<<lowBits-1, newest(most))
	err = counted.Row().Scan(&n, &high, &low)
	if err != nil || n == 0 {
		return err
	}
	total := ports.StageTotal{Count: int(n), Amount: sum(high, low)}
	if total.Count == most {
		var upTo int
		err = db.Raw("SELECT COUNT(*) FROM (?) AS newest", newest(most+1)).Scan(&upTo).Error
		total.More = upTo > most
	}
	to[f.StageID] = total
	return err
}
