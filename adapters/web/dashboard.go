package web

import (
	"slices"

	"fichario/app"
)

// dashboardPage is what happened in a period.
type dashboardPage struct {
	app.Overview
	Period string
	Today  app.Day
	// Lookups and Contacts are plots; nil when there is nothing to show.
	Lookups, Contacts *plot
}

// dashboard is the first page: what happened, and what wants attention.
func (s *server) dashboard(c *call) error {
	days := map[string]int{"hoje": 1, "7": 7}[c.text("periodo")]
	data := dashboardPage{Period: c.text("periodo")}
	if days == 0 {
		days, data.Period = 30, "30"
	}
	var err error
	if data.Overview, err = s.Dashboard.Look(c.ctx(), c.by, days); err != nil {
		return err
	}
	data.Today = data.Days[len(data.Days)-1]
	if days > 1 {
		data.Lookups, data.Contacts = lookupPlot(data.Overview, s.LookupEnabled), contactPlot(data.Overview)
	}
	return c.render("painel", page{Title: "Painel", Nav: "painel", Data: data})
}

// series is one of up to three kinds of bars, told apart in black and white.
type series struct {
	Name, Class string
	Total       int
}

// plot is a drawing of bars by day, each divided by series.
type plot struct {
	ID, Title string
	Series    []series
	Bars      []bar
	Lines     []line
	Labels    []label
}

type bar struct{ Class, X, Y, Width, Height string }
type line struct{ Y, TextY, Text string }
type label struct{ X, Anchor, Class, Text string }

// plotLines is how many lines stand above the ground.
const plotLines = 4

// drawPlot draws values[day][series].
func drawPlot(id, title string, of []series, days []app.Day, values [][]int) *plot {
	p := &plot{ID: id, Title: title, Series: of}
	top, all := 1, 0
	for _, day := range values {
		sum := 0
		for i, v := range day {
			sum += v
			p.Series[i].Total += v
		}
		top, all = max(top, sum), all+sum
	}
	if all == 0 {
		return nil
	}
	top = niceTop(top)
	height := float64(plotBase - plotTop)
	for i := range plotLines + 1 {
		y := plotBase - height*float64(i)/plotLines
		p.Lines = append(p.Lines, line{Y: pixels(y), TextY: pixels(y + 4), Text: count(top * i / plotLines)})
	}
	step := 100.0 / float64(len(days))
	for d, day := range values {
		foot := float64(plotBase)
		for i, v := range day {
			if v == 0 {
				continue
			}
			h := height * float64(v) / float64(top)
			foot -= h
			p.Bars = append(p.Bars, bar{of[i].Class, percent(step * (float64(d) + .16)), pixels(foot), percent(step * .68), pixels(h)})
		}
		if back := len(days) - 1 - d; back%max(1, len(days)/6) == 0 {
			l := label{X: percent(step * (float64(d) + .5)), Anchor: "middle", Text: days[d].Start.Format("02/01")}
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

// niceTop rounds up to a number that four lines divide well.
func niceTop(n int) int {
	for unit := 1; ; unit *= 10 {
		for _, m := range []int{4, 8, 12, 20, 40} {
			if n <= m*unit {
				return m * unit
			}
		}
	}
}

func lookupPlot(o app.Overview, enabled bool) *plot {
	if !enabled {
		return nil
	}
	values := make([][]int, len(o.Days))
	for i, d := range o.Days {
		values[i] = []int{d.Charged, d.Cached}
	}
	return drawPlot("consultas", "Consultas por dia", []series{{Name: "Cobradas", Class: "s-a"}, {Name: "Do histórico", Class: "s-b"}}, o.Days, values)
}

// contactPlot shows the two webhooks that brought most, and all others together.
func contactPlot(o app.Overview) *plot {
	var ids []string
	for id := range o.Total.Contacts {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		if n := o.Total.Contacts[b] - o.Total.Contacts[a]; n != 0 {
			return n
		}
		if a < b {
			return -1
		}
		return 1
	})
	shown := ids[:min(2, len(ids))]
	classes := []string{"s-a", "s-b", "s-c"}
	var of []series
	for i, id := range shown {
		name := o.Webhooks[id]
		if id == "" {
			name = "Feitos à mão"
		}
		of = append(of, series{Name: name, Class: classes[i]})
	}
	if len(ids) > len(shown) {
		of = append(of, series{Name: "Outros", Class: "s-c"})
	}
	values := make([][]int, len(o.Days))
	for i, d := range o.Days {
		values[i] = make([]int, len(of))
		for id, n := range d.Contacts {
			at := slices.Index(shown, id)
			if at < 0 {
				at = len(of) - 1
			}
			values[i][at] += n
		}
	}
	return drawPlot("contatos", "Contatos por webhook", of, o.Days, values)
}
