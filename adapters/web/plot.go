package web

import (
	"strconv"
	"time"
)

// plot is a drawing of bars by day, each divided by series that can be told apart in
// black and white. Lengths are in pixels from the top and in percent of its width from
// the left, as SVG wants them.
type plot struct {
	Title  string
	Series []series
	Bars   []bar
	Lines  []line
	Labels []label
	// Left is the width of what is written beside the lines.
	Left int
}

type series struct{ Name, Class string }
type bar struct{ Class, X, Y, Width, Height string }
type line struct{ Y, TextY, Text string }

// dayParts are the values of a day, one for each series.
type dayParts struct {
	Day   time.Time
	Parts []int64
}

// label is a day; one with a class is left out on small screens.
type label struct{ X, Anchor, Class, Text string }

// plotTop and plotBase are where the highest line and the ground are; plotLines is how
// many lines stand above the ground.
const (
	plotTop   = 14
	plotBase  = 170
	plotLines = 4
)

// drawPlot draws days in a row; nil when all of their values are zero. The lines are at
// multiples of 1, 2 or 5 tens of unit, which write puts into words.
func drawPlot(title string, of []series, days []dayParts, unit int64, write func(int64) string) *plot {
	p := &plot{Title: title, Series: of, Left: 44}
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
	between := unit
	for i := 0; plotLines*between < most; i++ {
		between = between * []int64{2, 5, 2}[i%3] / []int64{1, 2, 1}[i%3] // 1, 2, 5, 10 …
	}
	const height = float64(plotBase - plotTop)
	for i := range plotLines + 1 {
		y := plotBase - height*float64(i)/plotLines
		p.Lines = append(p.Lines, line{Y: pixels(y), TextY: pixels(y + 4), Text: write(between * int64(i))})
	}
	step := 100 / float64(len(days))
	for d, day := range days {
		foot := float64(plotBase)
		for i, s := range of {
			if day.Parts[i] == 0 {
				continue
			}
			h := height * float64(day.Parts[i]) / float64(plotLines*between)
			foot -= h
			p.Bars = append(p.Bars, bar{
				s.Class, percent(step * (float64(d) + .16)), pixels(foot), percent(step * .68), pixels(h),
			})
		}
		if back := len(days) - 1 - d; back%max(1, len(days)/6) == 0 {
			l := label{X: percent(step * (float64(d) + .5)), Anchor: "middle", Text: day.Day.Format("02/01")}
			if back == 0 {
				l.X, l.Anchor = "100%", "end"
			}
			if len(p.Labels)%2 == 1 {
				l.Class = "x2"
			}
			p.Labels = append(p.Labels, l)
		}
	}
	return p
}

func percent(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) + "%" }
func pixels(x float64) string  { return strconv.FormatFloat(x, 'f', 1, 64) }
