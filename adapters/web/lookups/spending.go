package lookups

import (
	"slices"
	"time"

	"fichario/adapters/web"
	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
)

type productSpent struct {
	Name  string
	Class string
	lookup.Spent
}

// spendOf adds the plot for the days of the filter, or for the last thirty.
func (s pages) spendOf(c *web.Call, keyID string, data *statement, names map[string]string) error {
	last, err := time.Parse(time.DateOnly, data.Filter.Until)
	if today, _ := time.Parse(time.DateOnly, s.Calendar.Day(s.Clock())); err != nil || last.After(today) {
		last = today
	}
	first, err := time.Parse(time.DateOnly, data.Filter.From)
	if err != nil || first.After(last) {
		first = last.AddDate(0, 0, 1-spendDays)
	}
	if most := last.AddDate(0, 0, 1-spendMost); first.Before(most) {
		first = most
	}
	by := data.Filter.By
	if data.Problem != "" {
		by = ""
	}
	spent, err := s.Statement.Spend(c.Ctx(), c.By, lookups.StatementQuery{OfKey: keyID, By: by},
		first.Format(time.DateOnly), last.Format(time.DateOnly))
	if err != nil {
		return err
	}
	if p := data.Filter.Product; p != "" {
		spent = slices.DeleteFunc(spent, func(d lookup.DaySpent) bool { return d.Product != p })
	}
	data.Totals = productTotals(spent, names)
	for _, t := range data.Totals {
		data.Sum.Count += t.Count
		data.Sum.Amount += t.Amount
	}
	data.First, data.Last = first.Format("02/01/2006"), last.Format("02/01/2006")
	data.Plot, data.Rows = spendPlot(first, last, spent, data.Totals, names)
	return nil
}

// seriesMost is how many products a plot can show distinctly in black and white.
const seriesMost = 3

// others names the products beyond that.
const others = "Outros produtos"

// productTotals sums the spending by product, the most expensive first; where there are too many, the last entry sums
// the remaining ones.
func productTotals(spent []lookup.DaySpent, names map[string]string) []productSpent {
	byProduct := map[string]*productSpent{}
	var all []*productSpent
	for _, d := range spent {
		t := byProduct[d.Product]
		if t == nil {
			t = &productSpent{Name: orID(names, d.Product)}
			byProduct[d.Product], all = t, append(all, t)
		}
		t.Count += d.Count
		t.Amount += d.Amount
	}
	slices.SortStableFunc(all, func(a, b *productSpent) int { return int(b.Amount - a.Amount) })
	out := make([]productSpent, len(all))
	for i, t := range all {
		out[i] = *t
		out[i].Class = "s-" + string("abc"[min(i, seriesMost-1)])
	}
	return out
}

// spentDay is the spending of a day, in total and by the series of the plot.
type spentDay struct {
	Day   string
	Count int
	Parts []catalog.Money
	Sum   catalog.Money
}

// spendPlot draws the days of a period and lists the days with spending, newest first.
func spendPlot(
	first, last time.Time, spent []lookup.DaySpent, totals []productSpent, names map[string]string,
) (*plot, []spentDay) {
	var of []series
	class := map[string]string{}
	for i, t := range totals {
		class[t.Name] = t.Class
		switch {
		case i < seriesMost-1, i == seriesMost-1 && len(totals) == seriesMost:
			of = append(of, series{t.Name, t.Class})
		case i == seriesMost-1:
			of = append(of, series{others, t.Class})
		}
	}
	byDay := map[string]*spentDay{}
	for _, d := range spent {
		row := byDay[d.Day]
		if row == nil {
			row = &spentDay{Parts: make([]catalog.Money, len(of))}
			byDay[d.Day] = row
		}
		at := slices.IndexFunc(of, func(s series) bool { return s.Class == class[orID(names, d.Product)] })
		row.Parts[at] += d.Amount
		row.Count += d.Count
		row.Sum += d.Amount
	}
	var days []dayParts
	var rows []spentDay
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		parts := make([]int64, len(of))
		if row := byDay[day.Format(time.DateOnly)]; row != nil {
			for i, part := range row.Parts {
				parts[i] = int64(part)
			}
			row.Day = day.Format("02/01/2006")
			rows = append(rows, *row)
		}
		days = append(days, dayParts{day, parts})
	}
	slices.Reverse(rows)
	p := drawPlot("Gasto por dia e produto", of, days, int64(roundest),
		func(n int64) string { return web.RoundMoney(catalog.Money(n)) })
	if p != nil {
		p.Left = 64
	}
	return p, rows
}

// roundest is the smallest distance between two lines.
const roundest = catalog.Real / 10
