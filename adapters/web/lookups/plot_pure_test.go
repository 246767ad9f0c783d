package lookups

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
)

func TestUseBars(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		used, limit, percent, left int
		class                      string
	}{
		{0, 100, 0, 100, "use-f"}, {79, 100, 79, 21, "use-f"}, {80, 100, 80, 20, "use-w"}, {100, 100, 100, 0, "use-x"},
		{150, 100, 100, 0, "use-x"}, {0, 0, 100, 0, "use-x"},
	} {
		if u := useOf("Dia", c.used, c.limit); u.Percent != c.percent || u.Left() != c.left || u.Class != c.class ||
			u.Bar < 1 || u.Bar > 100 {
			t.Errorf("%d of %d: %+v", c.used, c.limit, u)
		}
	}
}

func TestSpendPlot(t *testing.T) {
	t.Parallel()
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	names := map[string]string{"a": "A", "b": "B", "c": "C", "d": "D"}
	spent := []lookup.DaySpent{}
	for i, p := range []string{"a", "b", "c", "d", "e"} {
		spent = append(spent, lookup.DaySpent{
			Day: "2026-11-02", Product: p, Spent: lookup.Spent{Count: 1, Amount: catalog.Money(i+1) * catalog.Real},
		})
	}
	totals := productTotals(spent, names)
	if totals[0].Name != "e" || totals[4].Name != "A" || totals[4].Class != "s-c" {
		t.Errorf("totals %+v", totals)
	}
	november := spendDrawing{first: day("2026-11-01"), last: day("2026-11-30"), names: names, marks: []mark{
		{Name: "near", Value: int64(18 * catalog.Real)}, {Name: "far", Value: int64(100 * catalog.Real)},
	}}
	p, rows := november.plot(spent, totals)
	if len(p.Marks) != 2 || p.Marks[0].Y != "29.6" || p.Marks[0].NameY != "25.6" || p.Marks[1].Y != "" ||
		p.Marks[1].Times != 6 {
		t.Errorf("marks %+v", p.Marks)
	}
	november.key = &access.Key{}
	if p, _ := november.plot(spent, totals); p.Lines[len(p.Lines)-1].Text != "6" || p.Bars[0].Height != "26.0" {
		t.Errorf("what a key was charged %+v", p)
	}
	if len(p.Series) != 3 || p.Series[2].Name != others || len(p.Bars) != 3 || len(rows) != 1 {
		t.Fatalf("%+v", p)
	}
	row := rows[0]
	if row.Sum != 15*catalog.Real || row.Parts[2] != 6*catalog.Real || row.Count != 5 || row.Day != "02/11/2026" {
		t.Errorf("%+v", row)
	}
	if top := p.Lines[len(p.Lines)-1].Text; strings.ReplaceAll(top, "\u00a0", " ") != "R$ 20" {
		t.Errorf("the top line is %s", top)
	}
	if last := p.Labels[len(p.Labels)-1]; last.Text != "30/11" || last.Anchor != "end" {
		t.Errorf("%+v", last)
	}
	if empty, rows := (spendDrawing{first: day("2026-11-01"), last: day("2026-11-01")}).plot(nil, nil); empty != nil ||
		rows != nil {
		t.Errorf("%+v", empty)
	}
}

func TestPlotLinesAreRound(t *testing.T) {
	t.Parallel()
	for most, top := range map[int64]int64{1: 2, 4: 4, 5: 6, 9: 10, 20: 20, 21: 30, 41: 60, 81: 100, 399: 400} {
		p := drawPlot("", []series{{"A", "s-a"}}, []dayParts{{Parts: []int64{most}}}, 1,
			func(n int64) string { return strconv.FormatInt(n, 10) })
		if got := p.Lines[len(p.Lines)-1].Text; got != strconv.FormatInt(top, 10) {
			t.Errorf("%d under %s, want %d", most, got, top)
		}
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	of := []series{{"A", "s-a"}, {"B", "s-b"}}
	b := drawBars("", of, []barRow{{Parts: []int64{3, 1}}, {Parts: []int64{0, 2}}, {Parts: []int64{0, 0}}})
	if len(b.Rows[0].Bars) != 2 || b.Rows[0].Bars[1].X != "75.00%" || b.Rows[0].Bars[1].Width != "25.00%" ||
		len(b.Rows[1].Bars) != 1 || b.Rows[1].Bars[0].Width != "50.00%" || len(b.Rows[2].Bars) != 0 {
		t.Errorf("%+v", b)
	}
	if nothing := drawBars("", of, []barRow{{Parts: []int64{0, 0}}}); nothing != nil {
		t.Errorf("%+v", nothing)
	}
}

// TestPartsOfSpending: the most expensive first, and what has no place of its own is in the last one, so that all sums
// agree.
func TestPartsOfSpending(t *testing.T) {
	t.Parallel()
	var spent []lookup.PartSpent
	for row := range 20 {
		for column := range 7 {
			spent = append(spent, lookup.PartSpent{
				Of:    [2]string{"r" + strconv.Itoa(row), "c" + strconv.Itoa(column)},
				Spent: lookup.Spent{Count: 1, Amount: catalog.Money((row + 1) * (column + 1))},
			})
		}
	}
	same := func(id string) string { return id }
	p := spentParts{By: partChoice{ID: "chave", Name: "Chave"}, With: partChoice{ID: "lote", Name: "Lote"}}
	p.table(spent, ranked(spent, 0, partRows), ranked(spent, 1, partColumns), [2]func(string) string{same, same})
	p.draw()
	if got := strings.Join(p.Columns, ","); got != "c6,c5,c4,c3,Outros 3" {
		t.Errorf("columns %s", got)
	}
	if len(p.Rows) != partRows || p.Rows[0].Name != "r19" || p.Rows[partRows-1].Name != "Outros 6" {
		t.Errorf("rows %+v", p.Rows)
	}
	var all, columns catalog.Money
	for _, row := range p.Rows {
		all += row.Amount
	}
	for _, sum := range p.Sums {
		columns += sum
	}
	if all != 210*28 || columns != all {
		t.Errorf("the rows sum up to %d, the columns to %d", all, columns)
	}
	if p.Heading() != "chave e lote" || len(p.Drawn.Series) != seriesMost || p.Drawn.Series[2].Name != "todo o resto" ||
		p.Drawn.Rows[0].Bars[2].Class != "s-c" {
		t.Errorf("%+v", p.Drawn)
	}
}

// TestTheMedianOfAnswersInWords is no closer than what is counted.
func TestTheMedianOfAnswersInWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   crm.AnsweredWithin
		want string
	}{
		{crm.AnsweredWithin{3: 6, 4: 13}, "a mediana é de cerca de 9 horas (entre 4 horas e 1 dia)"},
		{crm.AnsweredWithin{0: 20}, "a mediana é de cerca de 3 minutos (até 5 minutos)"},
		{crm.AnsweredWithin{5: 12}, "a mediana é de cerca de 2 dias (entre 1 dia e 3 dias)"},
		{crm.AnsweredWithin{1: 2}, "a mediana está entre 5 minutos e 15 minutos"},
		{crm.AnsweredWithin{0: 2}, "a mediana está em até 5 minutos"},
		{crm.AnsweredWithin{0: 1, 6: 2}, "mais da metade esperou mais de 3 dias"},
	} {
		page := dashboardPage{}
		page.Answers = c.of
		if got := strings.ReplaceAll(page.Median(), "\u00a0", " "); got != c.want {
			t.Errorf("%v: %s", c.of, got)
		}
	}
	drawn := answerBars(crm.AnsweredWithin{3: 6, 4: 13})
	if drawn.Rows[4].Text != "13, 68%, mediana" || drawn.Rows[3].Text != "6, 32%" {
		t.Errorf("%+v", drawn.Rows)
	}
}

// A line of one corner draws nothing: on the first of the month the legend named a curve that nobody could see.
func TestAccruedPlotDrawsTheFirstDay(t *testing.T) {
	t.Parallel()
	month := func(m time.Month, spent ...catalog.Money) lookups.Accrued {
		return lookups.Accrued{Start: time.Date(2026, m, 1, 0, 0, 0, 0, time.UTC), Days: 30, Spent: spent}
	}
	drawn := accruedPlot([2]lookups.Accrued{month(12, 2*catalog.Real), month(11, catalog.Real, 2*catalog.Real)})
	got, zero := drawn.Points[1].Points, "0.00,"+pixels(plotBase)
	if len(strings.Fields(got)) != 2 || !strings.HasPrefix(got, zero+" 0.00,") {
		t.Errorf("the first day is drawn as %q; want a line up from zero", got)
	}
	if got = drawn.Points[0].Points; len(strings.Fields(got)) != 2 {
		t.Errorf("two days are drawn as %q; want one corner a day", got)
	}
}
