package lookups

import (
	"math"
	"slices"
	"strconv"
	"time"

	"fichario/adapters/web"
)

// plot is a bar chart by day, each bar divided into series that remain distinct in black and white. Vertical positions
// are in pixels from the top, horizontal ones in percent of the width from the left, as SVG wants them.
type plot struct {
	Title  string
	Series []series
	days   []dayParts // what is drawn
	Bars   []bar
	Lines  []line
	Labels []label
	// Marks are values to compare the days with.
	Marks []mark
	// More leads to what adds to it; empty for nothing.
	More string
	// Left is the width of the labels of the lines.
	Left int
}

// series is what one colour of a plot stands for.
type series struct{ Name, Class string }
type bar struct{ Class, X, Y, Width, Height string }
type line struct{ Y, TextY, Text string }

// mark is a value to compare the days with, drawn as a line with its name; Text is the value in words.
type mark struct {
	Name, Class, Text string
	Value             int64
	// Counted says that it counts lookups, not money.
	Counted bool
	// Y is where it is, and NameY where its name, empty where another's is there; both are where it is too far above the
	// days, and Times is then how many times the highest of them it is.
	Y, NameY string
	Times    int64
}

// dayParts are a day's values, one per series.
type dayParts struct {
	Day   time.Time
	Parts []int64
}

// byDay is a table of the numbers that a drawing shows. It is exported for templates.
type byDay struct {
	Title, Head string
	Names       []string
	Rows        []byDayRow
}

type byDayRow struct {
	Day   string
	Cells []string
}

// counts is the table of a plot of counts.
func (p *plot) counts() *byDay {
	t := &byDay{Title: p.Title, Head: "Dia"}
	for _, of := range p.Series {
		t.Names = append(t.Names, of.Name)
	}
	for _, d := range p.days {
		row := byDayRow{Day: d.Day.Format("02/01/2006")}
		for _, n := range d.Parts {
			row.Cells = append(row.Cells, web.Count(int(n)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// label is a day; one with a class is hidden on small screens.
type label struct{ X, Anchor, Class, Text string }

// plotTop and plotBase are the positions of the highest line and the base line; plotLines is the most lines that are
// above the base: none is above the one that the highest value needs.
const (
	plotTop   = 14
	plotBase  = 170
	plotLines = 4
)

// drawPlot draws consecutive days; nil when all values are zero. The lines are at multiples of 1, 2 or 5 times a power
// of ten of unit; write formats their labels.
func drawPlot(
	title string, of []series, days []dayParts, unit int64, write func(int64) string, marks ...mark,
) *plot {
	p := &plot{Title: title, Series: of, days: days, Left: 44}
	most := int64(0)
	for _, day := range days {
		sum := int64(0)
		for _, v := range day.Parts {
			sum += v
		}
		most = max(most, sum)
	}
	if most == 0 {
		return nil
	}
	highest := most
	for _, m := range marks {
		if m.Value <= marksMost*highest {
			most = max(most, m.Value)
		}
	}
	between := unit
	for i := 0; plotLines*between < most; i++ {
		between = between * []int64{2, 5, 2}[i%3] / []int64{1, 2, 1}[i%3] // 1, 2, 5, 10 …
	}
	const height = float64(plotBase - plotTop)
	lines := max(2, (most+between-1)/between)
	for i := range lines + 1 {
		y := plotBase - height*float64(i)/float64(lines)
		p.Lines = append(p.Lines, line{Y: pixels(y), TextY: pixels(y + 4), Text: write(between * i)})
	}
	p.mark(marks, highest, lines*between)
	step := 100 / float64(len(days))
	for d, day := range days {
		foot := float64(plotBase)
		for i, s := range of {
			if day.Parts[i] == 0 {
				continue
			}
			h := height * float64(day.Parts[i]) / float64(lines*between)
			foot -= h
			p.Bars = append(p.Bars, bar{
				s.Class, percent(step * (float64(d) + .16)), pixels(foot), percent(step * .68), pixels(h),
			})
		}
		if back, apart := len(days)-1-d, max(1, len(days)/6); back%apart == 0 {
			l := label{X: percent(step * (float64(d) + .5)), Anchor: "middle", Text: day.Day.Format("02/01")}
			if back == 0 {
				l.X, l.Anchor = "100%", "end"
			}
			if back/apart%2 == 1 {
				l.Class = "x2" // hidden where there is little room; the last day stays
			}
			p.Labels = append(p.Labels, l)
		}
	}
	return p
}

// mark draws the marks beside days of which the highest is given, under the value of the top line.
func (p *plot) mark(marks []mark, highest, top int64) {
	var named []float64
	for _, m := range marks {
		if m.Value > marksMost*highest {
			m.Times = m.Value / highest
		} else {
			y := plotBase - float64(plotBase-plotTop)*float64(m.Value)/float64(top)
			if m.Y = pixels(y); !slices.ContainsFunc(named, func(other float64) bool { return math.Abs(y-other) < 14 }) {
				m.NameY, named = pixels(y-4), append(named, y)
			}
		}
		p.Marks = append(p.Marks, m)
	}
}

// marksMost is how much higher than the days a mark may be: beyond that the days would be too low to read.
const marksMost = 3

// bars is a drawing of horizontal bars, each divided into series that remain distinct in black and white.
type bars struct {
	Title  string
	Series []series
	Rows   []barRow
}

// barRow is a bar with its name, which may be a link, and its value in words.
type barRow struct {
	Name, Href, Text string
	// Parts are the values of the series.
	Parts []int64
	Bars  []bar
}

// drawBars draws rows, the longest over the whole width.
func drawBars(title string, of []series, rows []barRow) *bars {
	most := int64(0)
	for _, row := range rows {
		sum := int64(0)
		for _, part := range row.Parts {
			sum += part
		}
		most = max(most, sum)
	}
	if most == 0 {
		return nil
	}
	drawn := make([]barRow, 0, len(rows))
	for _, row := range rows {
		x := 0.0
		for j, one := range of {
			if part := row.Parts[j]; part > 0 {
				width := 100 * float64(part) / float64(most)
				row.Bars = append(row.Bars, bar{one.Class, percent(x), "1", percent(width), "12"})
				x += width
			}
		}
		drawn = append(drawn, row)
	}
	return &bars{title, of, drawn}
}

// percent is a part of a whole in per cent.
func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }

// pixels is a length in a plot.
func pixels(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
