package lookups

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/catalog"
	"fichario/ports"
)

// bureauOrderRow is the order in which a product's bureaus are asked, their names separated by commas.
type bureauOrderRow struct {
	Product string `gorm:"primaryKey"`
	Names   string `gorm:"not null"`
}

func (bureauOrderRow) TableName() string { return "bureau_orders" }

// bureauOutRow is a bureau that is asked nothing until a time, or until it is back.
type bureauOutRow struct {
	Name      string `gorm:"primaryKey"`
	Until     *time.Time
	Exhausted bool `gorm:"not null"`
}

func (bureauOutRow) TableName() string { return "bureau_outs" }

type bureauStates struct{ engine.Conn }

func (r bureauStates) Settings(ctx context.Context) (out ports.BureauSettings, err error) {
	out.Orders = map[string][]string{}
	err = r.Query(ctx, "bureaus.settings", func(db *gorm.DB) error {
		var orders []bureauOrderRow
		var outs []bureauOutRow
		if err := db.Find(&orders).Error; err != nil {
			return err
		}
		if err := db.Order("name").Find(&outs).Error; err != nil {
			return err
		}
		for _, row := range orders {
			out.Orders[row.Product] = strings.Split(row.Names, ",")
		}
		out.Outs = engine.Mapped(outs, func(row bureauOutRow) ports.BureauOut {
			return ports.BureauOut{Name: row.Name, Until: engine.TimeOf(row.Until), Exhausted: row.Exhausted}
		})
		return nil
	})
	return out, err
}

func (r bureauStates) SetOrder(ctx context.Context, product string, names []string) error {
	return r.Exec(ctx, "bureaus.setOrder", func(db *gorm.DB) error {
		if len(names) == 0 {
			return db.Delete(&bureauOrderRow{}, "product = ?", product).Error
		}
		return db.Clauses(clause.OnConflict{UpdateAll: true}).
			Create(&bureauOrderRow{product, strings.Join(names, ",")}).Error
	})
}

func (r bureauStates) TakeOut(ctx context.Context, out ports.BureauOut, now time.Time) (first bool, err error) {
	err = r.Whole(ctx, "bureaus.takeOut", func(db *gorm.DB) error {
		if err := r.over(db, out.Name, now); err != nil {
			return err
		}
		row := bureauOutRow{out.Name, engine.OptionalTime(out.Until), out.Exhausted}
		put := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
		if first = put.RowsAffected > 0; first || put.Error != nil || out.Exhausted {
			return put.Error // what a person has said stays
		}
		was := db.Model(&bureauOutRow{}).Where("name = ?", out.Name)
		if row.Until != nil { // no credit is left until then at least
			was = was.Where("NOT exhausted OR until <= ?", row.Until)
		}
		return was.Update("until", row.Until).Error
	})
	return first, err
}

func (r bureauStates) Back(ctx context.Context, name string, now time.Time) (was bool, err error) {
	err = r.Whole(ctx, "bureaus.back", func(db *gorm.DB) error {
		if err := r.over(db, name, now); err != nil {
			return err
		}
		gone := db.Delete(&bureauOutRow{}, "name = ?", name)
		was = gone.RowsAffected > 0
		return gone.Error
	})
	return was, err
}

// over removes what has ended.
func (bureauStates) over(db *gorm.DB, name string, now time.Time) error {
	return db.Delete(&bureauOutRow{}, "name = ? AND until <= ?", name, engine.Stamp(now)).Error
}

func (r bureauStates) Days(ctx context.Context, from string) ([]ports.BureauDay, error) {
	summed := func(db *gorm.DB) *gorm.DB {
		return db.Model(&bureauDayRow{}).Select("bureau, day, took, CAST(SUM(calls) AS bigint) AS calls, "+
			"CAST(SUM(failed) AS bigint) AS failed, CAST(SUM(amount) AS bigint) AS amount, CAST(SUM(above) AS bigint) AS above").
			Where("day >= ?", from).Group("bureau, day, took").Order("bureau, day, took")
	}
	return engine.FindAll(ctx, r.QueryList, "bureaus.days", func(row bureauDayRow) ports.BureauDay {
		return ports.BureauDay{
			Bureau: row.Bureau, Day: row.Day, Pace: int(row.Took), Calls: int(row.Calls), Failed: int(row.Failed),
			Over: int(row.Above), Charged: catalog.Money(row.Amount),
		}
	}, summed)
}
