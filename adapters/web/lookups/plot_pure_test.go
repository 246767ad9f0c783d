package lookups

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"fichario/domain/catalog"
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
	p, rows := spendPlot(day("2026-11-01"), day("2026-11-30"), spent, totals, names)
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
	if empty, rows := spendPlot(day("2026-11-01"), day("2026-11-01"), nil, nil, names); empty != nil || rows != nil {
		t.Errorf("%+v", empty)
	}
}

func TestPlotLinesAreRound(t *testing.T) {
	t.Parallel()
	for most, top := range map[int64]int64{1: 4, 4: 4, 5: 8, 9: 20, 20: 20, 21: 40, 41: 80, 81: 200, 399: 400} {
		p := drawPlot("", []series{{"A", "s-a"}}, []dayParts{{Parts: []int64{most}}}, 1,
			func(n int64) string { return strconv.FormatInt(n, 10) })
		if got := p.Lines[plotLines].Text; got != strconv.FormatInt(top, 10) {
			t.Errorf("%d under %s, want %d", most, got, top)
		}
	}
}
