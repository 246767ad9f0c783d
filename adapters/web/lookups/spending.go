package lookups

import (
	"slices"
	"time"

	"fichario/adapters/web"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
)

type productSpent struct {
	Name  string
	Class string
	lookup.Spent
}

// spendOf adds the plot for the days of the filter, or for the last thirty, and what they cost by its parts.
func (s pages) spendOf(c *web.Call, keyID string, data *statement, names map[string]string) error {
	today, _ := time.Parse(time.DateOnly, s.Calendar.Day(s.Clock()))
	last, err := time.Parse(time.DateOnly, data.Filter.Until)
	if err != nil || last.After(today) {
		last = today
	}
	first, err := time.Parse(time.DateOnly, data.Filter.From)
	if err != nil || data.Problem != "" && first.After(last) {
		first = last.AddDate(0, 0, 1-spendDays)
	}
	nothing := first.After(last) // the period begins after today
	if nothing {
		last = first
	}
	if most := last.AddDate(0, 0, 1-spendMost); first.Before(most) {
		first = most
	}
	filter := data.Filter
	if data.Problem != "" {
		filter = statementFilter{}
	}
	q, from, until := filter.query(), first.Format(time.DateOnly), last.Format(time.DateOnly)
	q.OfKey = keyID
	var spent []lookup.DaySpent
	if !nothing {
		if spent, err = s.Statement.Spend(c.Ctx(), c.By, q, from, until); err != nil {
			return err
		}
	}
	totals := productTotals(spent, names)
	for _, t := range totals {
		data.Sum.Add(t.Spent)
	}
	data.First, data.Last = first.Format("02/01/2006"), last.Format("02/01/2006")
	drawn := spendDrawing{first: first, last: last, names: names, key: data.keyOf()}
	if last.Equal(today) {
		drawn.marks = data.marks(last, drawn.key)
	}
	data.Plot, data.Rows = drawn.plot(spent, totals)
	data.Parts, err = s.partsOf(c, data, spent, func(parts [2]lookup.Part) ([]lookup.PartSpent, error) {
		if nothing {
			return nil, nil
		}
		return s.Statement.SpendBy(c.Ctx(), c.By, q, from, until, parts)
	})
	return err
}

// keyOf is the key whose lookups the statement shows; nil where it shows those of others too.
func (data *statement) keyOf() *access.Key {
	if data.Page.Key.ID != "" {
		return &data.Page.Key
	}
	if data.Problem != "" { // then it shows all
		return nil
	}
	at := slices.IndexFunc(data.Keys, func(k access.Key) bool { return k.ID == data.Filter.By })
	if at < 0 {
		return nil
	}
	return &data.Keys[at]
}

// marks are the limits and the pace of the month so far, each as what it is for a day: in lookups for a key, whose
// limits count these, in money else. A limit is for all that it limits, so that a filter within that has none.
func (data *statement) marks(today time.Time, key *access.Key) (out []mark) {
	days := int64(today.AddDate(0, 1, -today.Day()).Day())
	write := func(value int64) string {
		if key != nil {
			return web.Count(int(value))
		}
		return catalog.Money(value).Reais()
	}
	add := func(name, class string, value int64, text string) {
		if value > 0 {
			out = append(out, mark{Name: name, Class: class, Value: value, Text: text, Counted: key != nil})
		}
	}
	perMonth := func(name string, limit int64) {
		perDay := write(limit / days)
		if limit < days {
			perDay = "menos de 1"
		}
		add(name, "ln-c", min(limit, max(1, limit/days)), write(limit)+" ("+perDay+" por dia em média)")
	}
	month := int64(data.Page.Forecast)
	if key != nil {
		month *= int64(data.Page.Month.Count)
		month /= max(1, int64(data.Page.Month.Amount))
	}
	add("média deste mês", "ln-b", month/days, write(month/days)+" por dia")
	one := data.Filter
	if one.From, one.Until = "", ""; key != nil {
		one.By = ""
	}
	switch {
	case one.Any():
	case key != nil:
		add("limite do dia", "ln-c", int64(key.Limits.PerDay), write(int64(key.Limits.PerDay)))
		perMonth("limite do mês", int64(key.Limits.PerMonth))
	case data.Budget != nil:
		perMonth("seu orçamento do mês", int64(data.Budget.Limit))
	}
	return out
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
	// counts are how many lookups Parts paid for.
	counts []int64
}

// spendDrawing is what the picture of days shows: the days, the products' names, what to compare the days with, and the
// key whose charges it counts; nil to draw money.
type spendDrawing struct {
	first, last time.Time
	names       map[string]string
	marks       []mark
	key         *access.Key
}

// plot draws the days of a period and lists the days with spending, newest first.
func (g spendDrawing) plot(spent []lookup.DaySpent, totals []productSpent) (*plot, []spentDay) {
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
			row = &spentDay{Parts: make([]catalog.Money, len(of)), counts: make([]int64, len(of))}
			byDay[d.Day] = row
		}
		at := slices.IndexFunc(of, func(s series) bool { return s.Class == class[orID(g.names, d.Product)] })
		row.Parts[at] += d.Amount
		row.counts[at] += int64(d.Count)
		row.Count += d.Count
		row.Sum += d.Amount
	}
	var days []dayParts
	var rows []spentDay
	for day := g.first; !day.After(g.last); day = day.AddDate(0, 0, 1) {
		parts := make([]int64, len(of))
		if row := byDay[day.Format(time.DateOnly)]; row != nil {
			if copy(parts, row.counts); g.key == nil {
				for i, part := range row.Parts {
					parts[i] = int64(part)
				}
			}
			row.Day = day.Format("02/01/2006")
			rows = append(rows, *row)
		}
		days = append(days, dayParts{day, parts})
	}
	slices.Reverse(rows)
	if g.key != nil {
		return drawPlot("Cobradas por dia e produto", of, days, 1,
			func(n int64) string { return web.Count(int(n)) }, g.marks...), rows
	}
	p := drawPlot("Gasto por dia e produto", of, days, int64(roundest),
		func(n int64) string { return web.RoundMoney(catalog.Money(n)) }, g.marks...)
	if p != nil {
		p.Left = 64
	}
	return p, rows
}

// roundest is the smallest distance between two lines.
const roundest = catalog.Real / 10
