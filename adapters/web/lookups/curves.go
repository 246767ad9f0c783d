package lookups

import (
	"strconv"
	"strings"

	"fichario/adapters/web"
	"fichario/app/lookups"
	"fichario/domain/catalog"
)

// curves is a drawing of cumulated values over the days of a month, beside the previous month.
type curves struct {
	plot
	// Points are the corners of each curve in a box of 100 by plotBase, the current month's last, so that it is on top.
	Points []curve
	// Table has the days of both months; empty where one is still to come.
	Table byDay
}

type curve struct{ Class, Points string }

// accruedPlot draws two months; nil where nothing was spent in either.
func accruedPlot(months [2]lookups.Accrued) *curves {
	days, most := max(months[0].Days, months[1].Days), catalog.Money(0)
	for _, m := range months {
		if n := len(m.Spent); n > 0 {
			most = max(most, m.Spent[n-1])
		}
	}
	last := make([]dayParts, days)
	for i := range last {
		last[i] = dayParts{months[0].Start.AddDate(0, 0, i), []int64{0}}
	}
	last[days-1].Parts[0] = int64(most) // the scale of the highest value
	scale := drawPlot("Gasto acumulado em "+web.MonthName(months[0].Start), []series{{"", ""}}, last, int64(catalog.Real),
		func(n int64) string { return web.RoundMoney(catalog.Money(n)) })
	if scale == nil {
		return nil
	}
	top, _ := strconv.ParseFloat(scale.Bars[0].Height, 64)
	out := &curves{plot: *scale, Table: byDay{Title: scale.Title, Head: "Até o dia"}}
	out.Bars, out.Series, out.Left, out.Labels = nil, nil, 64, nil
	for d := 0; d < months[0].Days; d += 5 {
		l := label{X: percent(100 * float64(d) / float64(max(1, days-1))), Anchor: "middle",
			Text: months[0].Start.AddDate(0, 0, d).Format("02/01")}
		switch {
		case d == 0:
			l.Anchor = "start"
		case d/5%2 == 1:
			l.Class = "x2"
		}
		if d+5 >= months[0].Days && d+1 >= days-1 {
			l.Anchor = "end"
		}
		out.Labels = append(out.Labels, l)
	}
	for i, class := range []string{"ln", "ln-b"} {
		m := months[i]
		name := web.MonthName(m.Start)
		name = strings.ToUpper(name[:1]) + name[1:]
		out.Table.Names = append(out.Table.Names, name)
		sum := catalog.Money(0)
		if n := len(m.Spent); n > 0 {
			sum = m.Spent[n-1]
		}
		out.Series = append(out.Series, series{name + ", " + sum.Reais(), class})
		out.Points = append([]curve{{class, corners(m.Spent, most, days, top)}}, out.Points...)
	}
	for d := range days {
		row := byDayRow{Day: strconv.Itoa(d + 1), Cells: make([]string, len(months))}
		for i, m := range months {
			if d < len(m.Spent) {
				row.Cells[i] = m.Spent[d].Reais()
			}
		}
		out.Table.Rows = append(out.Table.Rows, row)
	}
	return out
}

// corners are the points of a curve over a number of days, of which most is drawn top high.
func corners(spent []catalog.Money, most catalog.Money, days int, top float64) string {
	var points []string
	for d, sum := range spent {
		x := 100 * float64(d) / float64(max(1, days-1))
		y := plotBase - top*float64(sum)/float64(most)
		points = append(points, strconv.FormatFloat(x, 'f', 2, 64)+","+pixels(y))
	}
	if len(points) == 1 { // a line of one corner draws nothing: up from zero on the first of the month
		points = append([]string{"0.00," + pixels(plotBase)}, points...)
	}
	return strings.Join(points, " ")
}
