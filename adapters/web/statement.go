package web

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

// formFault is what is wrong with a field of a form.
func formFault(field, message string) error {
	return fault.New(fault.InvalidRequest, message).At(field)
}

// keyPage is a key with its statement.
type keyPage struct {
	KeyLine
	Page app.StatementPage
	// Filter is what was chosen, and Problem what is wrong with it.
	Filter  statementFilter
	Problem string
	Lines   []statementLine
	// Plot is of Days; Totals adds it up by product.
	Plot     spendPlot
	Totals   []productSpent
	Sum      lookup.Spent
	Products []catalog.Product
	// Next is the address of the next page, CSV of the file with all lines.
	Next, CSV string
}

// statementFilter is a filter of the statement, as in the address. It holds nothing
// personal.
type statementFilter struct{ From, Until, Product, Cache, Cursor string }

func (f statementFilter) query() app.StatementQuery {
	return app.StatementQuery{From: f.From, Until: f.Until, Product: f.Product, Cache: map[string]string{"historico": "true", "bureau": "false"}[f.Cache], Cursor: f.Cursor}
}

func (f statementFilter) address(path, cursor string) string {
	q := url.Values{}
	for name, value := range map[string]string{"de": f.From, "ate": f.Until, "produto": f.Product, "resultado": f.Cache, "depois": cursor} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

type statementLine struct {
	lookup.Entry
	Name string
}

type productSpent struct {
	Name  string
	Class string
	lookup.Spent
}

func (c *call) statementFilter() statementFilter {
	return statementFilter{From: c.text("de"), Until: c.text("ate"), Product: c.text("produto"), Cache: c.text("resultado"), Cursor: c.text("depois")}
}

// spendDays is how many days the plot shows unless a filter says otherwise, and
// spendMost how many at most: more bars than that cannot be told apart.
const (
	spendDays = 30
	spendMost = 62
)

func (s *server) keyShow(c *call) error {
	key, err := s.Keys.Show(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	owner := app.Caller{OrgID: key.OrgID, Key: &key}
	data := keyPage{Filter: c.statementFilter()}
	status := http.StatusOK
	data.Page, err = s.Statement.Page(c.ctx(), owner, data.Filter.query())
	if f := app.FaultOf(err); f != nil && f.Code == fault.InvalidRequest {
		// The filter is wrong: it comes back with what is wrong, around everything else.
		data.Problem, status = f.Message, http.StatusUnprocessableEntity
		data.Page, err = s.Statement.Page(c.ctx(), owner, app.StatementQuery{})
	}
	if err != nil {
		return err
	}
	now := s.Clock()
	data.KeyLine = KeyLine{app.KeyUse{Key: key, Today: data.Page.Today, Month: data.Page.Month, Usable: key.UsableAt(now)}, now}
	names := map[string]string{}
	for _, o := range s.Lookups.Offers(app.Caller{}) {
		names[o.Product.ID] = o.Product.Name
		data.Products = append(data.Products, o.Product)
	}
	for _, e := range data.Page.Entries {
		data.Lines = append(data.Lines, statementLine{e, orID(names, e.Product)})
	}
	path := "/chaves/" + key.ID
	if data.Page.Next != "" && data.Problem == "" {
		data.Next = data.Filter.address(path, data.Page.Next) + "#consultas"
	}
	data.CSV = data.Filter.address(path+"/extrato.csv", "")
	if err := s.spendOf(c, owner, &data, names); err != nil {
		return err
	}
	return c.renderStatus(status, "chave", page{Title: shorten(60, key.Name), Nav: "chaves", Data: data})
}

func orID(names map[string]string, id string) string {
	if name, ok := names[id]; ok {
		return name
	}
	return id
}

// spendOf adds the plot of the days of the filter, or of the last thirty.
func (s *server) spendOf(c *call, owner app.Caller, data *keyPage, names map[string]string) error {
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
	spent, err := s.Statement.Spend(c.ctx(), owner, first.Format(time.DateOnly), last.Format(time.DateOnly))
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
	data.Plot = spendPlotOf(first, last, spent, data.Totals, names)
	return nil
}

// seriesMost is how many products a plot tells apart in black and white.
const seriesMost = 3

// others is what products beyond that are called together.
const others = "Outros produtos"

// productTotals adds up by product, the dearest first; the last of the series stands
// for all that are left when there are too many.
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
		out[i].Class = string("abc"[min(i, seriesMost-1)])
	}
	return out
}

// spendPlot is a drawing of what was spent on each day. Lengths are in pixels from the top
// and in percent of its width from the left, as SVG wants them.
type spendPlot struct {
	First, Last string
	Series      []spendSeries
	Bars        []spendBar
	Lines       []spendLine
	Days        []spendDay
	// Height is of the whole, Base of its ground line.
	Height, Base int
	// Rows are the numbers of the days on which something was spent, newest first.
	Rows []spendRow
}

type spendSeries struct{ Class, Name string }

type spendBar struct{ Class, X, Y, Width, Height string }

type spendLine struct {
	Y, TextY string
	Label    string
	Ground   bool
}

type spendDay struct {
	X, Label, Anchor string
	// Extra is left out on small screens.
	Extra bool
}

type spendRow struct {
	Day   string
	Count int
	Parts []catalog.Money
	Sum   catalog.Money
}

const (
	plotTop  = 14
	plotBase = 170
	spendBox = 194
)

// roundest is the smallest amount between two lines.
const roundest = catalog.Real / 10

// spendPlotOf draws the days of a period.
func spendPlotOf(first, last time.Time, spent []lookup.DaySpent, totals []productSpent, names map[string]string) spendPlot {
	p := spendPlot{First: first.Format("02/01/2006"), Last: last.Format("02/01/2006"), Height: spendBox, Base: plotBase}
	class := map[string]string{}
	for i, t := range totals {
		class[t.Name] = t.Class
		switch {
		case i < seriesMost-1, i == seriesMost-1 && len(totals) == seriesMost:
			p.Series = append(p.Series, spendSeries{t.Class, t.Name})
		case i == seriesMost-1:
			p.Series = append(p.Series, spendSeries{t.Class, others})
		}
	}
	days := map[string]*spendRow{}
	most := catalog.Money(0)
	for _, d := range spent {
		row := days[d.Day]
		if row == nil {
			row = &spendRow{Day: d.Day, Parts: make([]catalog.Money, len(p.Series))}
			days[d.Day] = row
		}
		row.Parts[strings.Index("abc", class[orID(names, d.Product)])] += d.Amount
		row.Count += d.Count
		row.Sum += d.Amount
		most = max(most, row.Sum)
	}
	top := p.grid(most)
	n := int(last.Sub(first).Hours()/24+0.5) + 1
	step := 100 / float64(n)
	every := max(1, (n+4)/5)
	for i := range n {
		day := first.AddDate(0, 0, i)
		x := step * float64(i)
		if back := n - 1 - i; back%every == 0 {
			d := spendDay{X: percent(x + step/2), Label: day.Format("02/01"), Anchor: "middle", Extra: back/every%2 == 1}
			if back == 0 {
				d.X, d.Anchor = "100%", "end"
			} else if i == 0 {
				d.X, d.Anchor = "0%", "start"
			}
			p.Days = append(p.Days, d)
		}
		row := days[day.Format(time.DateOnly)]
		if row == nil {
			continue
		}
		y := float64(plotBase)
		for part, amount := range row.Parts {
			h := float64(amount) / float64(top) * (plotBase - plotTop)
			if amount == 0 {
				continue
			}
			y -= h
			p.Bars = append(p.Bars, spendBar{"s-" + p.Series[part].Class, percent(x + step*0.15), pixels(y), percent(step * 0.7), pixels(h)})
		}
		named := *row
		named.Day = day.Format("02/01/2006")
		p.Rows = append(p.Rows, named)
	}
	slices.Reverse(p.Rows)
	return p
}

// grid draws the lines of round amounts and returns the one at the top.
func (p *spendPlot) grid(most catalog.Money) catalog.Money {
	step := catalog.Money(1)
	for i := 0; 4*step < most || step < roundest; i++ {
		step = step * []catalog.Money{2, 5, 2}[i%3] / []catalog.Money{1, 2, 1}[i%3] // 1, 2, 5, 10 …
	}
	for i := range 5 {
		y := plotBase - float64(i)*(plotBase-plotTop)/4
		p.Lines = append(p.Lines, spendLine{pixels(y), pixels(y + 4), roundMoney(step * catalog.Money(i)), i == 0})
	}
	return 4 * step
}

// roundMoney writes an amount without decimals where it has none.
func roundMoney(m catalog.Money) string { return strings.TrimSuffix(money(m), ",00") }

func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }
func pixels(x float64) string  { return strconv.FormatFloat(x, 'f', 1, 64) }

// keyStatementFile sends every line of a key's statement that a filter wants; the
// columns are those of the API's file.
func (s *server) keyStatementFile(c *call) error {
	key, err := s.Keys.Show(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	out, begun := csv.NewWriter(c.w), false
	err = s.Statement.All(c.ctx(), app.Caller{OrgID: key.OrgID, Key: &key}, c.statementFilter().query(), func(entries []lookup.Entry) error {
		if !begun {
			c.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			c.w.Header().Set("Content-Disposition", `attachment; filename="extrato.csv"`)
			begun = true
			if err := out.Write([]string{"id", "produto", "documento", "em", "cache", "cobrada", "valor", "situacao"}); err != nil {
				return err
			}
		}
		for _, e := range entries {
			if err := out.Write([]string{
				e.ID, e.Product, spreadsheetCell(e.Document.Value()), e.At.Format(time.RFC3339Nano), strconv.FormatBool(e.Cache),
				strconv.FormatBool(e.Charged), e.Amount.String(), string(e.Status),
			}); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
	if begun && err != nil {
		// Half of the file is on its way: only a broken connection tells.
		panic(http.ErrAbortHandler)
	}
	return err
}

// spreadsheetCell keeps a spreadsheet from taking a text for a formula.
func spreadsheetCell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// Describe is what a plot says to who does not see it.
func (p spendPlot) Describe() string {
	return fmt.Sprintf("Gasto por dia e produto, de %s a %s; os números estão na tabela abaixo", p.First, p.Last)
}
