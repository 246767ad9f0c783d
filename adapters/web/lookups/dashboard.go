package lookups

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/adapters/web/batches"
	"fichario/app/lookups"
	"fichario/domain/crm"
)

// dashboardPage is what happened in a period.
type dashboardPage struct {
	lookups.Overview
	Period string
	Today  lookups.Day
	// Plots omits those with nothing to show.
	Plots []*plot
	// ByWebhook is the one of contacts, if it tells more than their number.
	ByWebhook *byDay
	// Yesterday is nil where the period is only today.
	Yesterday *lookups.Day
	// Stages draws how far the contacts of the funnel have come, ByOrigin where those of the period are from; nil without
	// any.
	Stages, ByOrigin *bars
	// Answered draws how long contacts waited for their first answer, Converted how far those of each origin have come;
	// nil without any.
	Answered, Converted *bars
	// Accrued draws what was spent up to each day of the month; nil without any.
	Accrued *curves
	// Batches are the first that run or await somebody, in the order in which they started, MoreBatches how many
	// others, and ManyBatches whether there may be more than that.
	Batches     []batches.Line
	MoreBatches int
	ManyBatches bool
}

// dashboard is the first page: what happened, and what needs attention.
func (s pages) dashboard(c *web.Call, f struct {
	Period string `form:"periodo"`
}) error {
	days, data := map[string]int{"hoje": 1, "7": 7}[f.Period], dashboardPage{Period: f.Period}
	if days == 0 {
		days, data.Period = 30, "30"
	}
	var err error
	if data.Overview, err = s.Dashboard.Look(c.Ctx(), c.By, days); err != nil {
		return err
	}
	data.Today = data.Days[len(data.Days)-1]
	data.Stages, data.ByOrigin = stageBars(data.Overview), originBars(data.Overview, data.Period)
	data.Answered, data.Converted = answerBars(data.Answers), conversionBars(data.Overview)
	if days > 1 {
		data.Yesterday = &data.Days[len(data.Days)-2]
		contacts := contactPlot(data.Overview)
		for _, p := range []*plot{lookupPlot(data.Overview, s.LookupEnabled), contacts} {
			if p != nil {
				data.Plots = append(data.Plots, p)
			}
		}
		if contacts != nil && len(contacts.Series) > 1 {
			data.ByWebhook = contacts.counts()
		}
	}
	if s.LookupEnabled {
		data.Accrued = accruedPlot(data.Overview.Accrued)
		open, err := s.Batches.Open(c.Ctx(), c.By, batches.BatchesAtOnce)
		if err != nil {
			return err
		}
		data.MoreBatches, data.ManyBatches = max(0, len(open)-batchesShown), len(open) >= batches.BatchesAtOnce
		for _, v := range open[:len(open)-data.MoreBatches] {
			data.Batches = append(data.Batches, batches.LineOf(s.Terms.Catalog, v, nil))
		}
	}
	return c.Render("painel", web.Page{Title: "Painel", Nav: "painel", Data: data, Wide: true})
}

// batchesShown is how many open batches are shown.
const batchesShown = 5

// originsMost is how many origins are drawn; the table has all.
const originsMost = 8

func originBars(o lookups.Overview, period string) *bars {
	var rows []barRow
	for _, origin := range o.Origins[:min(originsMost, len(o.Origins))] {
		row := barRow{Name: "não informada", Text: web.Count(origin.Count), Parts: []int64{int64(origin.Count)}}
		if origin.Name != "" {
			row.Name, row.Href = origin.Name, "/contatos"+web.WithQuery(nil, "origem", origin.ID, "quando", period)
		}
		rows = append(rows, row)
	}
	return named(drawBars("Contatos por origem", []series{{"", "s-a"}}, rows))
}

// stageBars draws the stages of the default funnel, each as long as what has come this far.
func stageBars(o lookups.Overview) *bars {
	var rows []barRow
	for _, s := range o.Funnel {
		if s.Stage.Outcome == crm.Lost {
			continue
		}
		rows = append(rows, barRow{
			Name: s.Stage.Name, Text: web.Count(s.Reached) + ", " + web.Count(o.Percent(s)) + "%",
			Parts: []int64{int64(s.Count), int64(s.Reached - s.Count)},
		})
	}
	return drawBars("Até onde os contatos chegaram", []series{{"na etapa", "s-a"}, {"já passaram dela", "s-c"}}, rows)
}

// boundWords are crm.AnswerBounds in words.
var boundWords = [len(crm.AnswerBounds)]string{"5 minutos", "15 minutos", "1 hora", "4 horas", "1 dia", "3 dias"}

func answerBars(a crm.AnsweredWithin) *bars {
	rows := make([]barRow, len(a))
	median, has := a.Median()
	for i, n := range a {
		rows[i] = barRow{Text: web.Count(n) + ", " + web.Count(lookups.Share(n, a.Count())) + "%", Parts: []int64{int64(n)}}
		if has && crm.Bound(median) == i {
			rows[i].Text += ", mediana"
		}
		if rows[i].Name = "mais de " + boundWords[len(boundWords)-1]; i < len(boundWords) {
			rows[i].Name = "até " + boundWords[i]
		}
	}
	return named(drawBars("Tempo até a primeira resposta", []series{{"", "s-a"}}, rows))
}

// medianOf is how many answers a median is told of more closely than between which bounds it is.
const medianOf = 10

// Median says within what time half of the contacts were answered: the times are counted between bounds, so that it is
// about so long.
func (d dashboardPage) Median() string {
	median, has := d.Answers.Median()
	if !has {
		return "mais da metade esperou mais de " + boundWords[len(boundWords)-1]
	}
	i := crm.Bound(median)
	between := "até " + boundWords[i]
	if i > 0 {
		between = "entre " + boundWords[i-1] + " e " + boundWords[i]
	}
	if d.Answers.Count() < medianOf {
		return "a mediana está " + strings.Replace(between, "até", "em até", 1)
	}
	return "a mediana é de cerca de " + lasting(median) + " (" + between + ")"
}

// lasting words a length of time.
func lasting(d time.Duration) string {
	switch {
	case d < 90*time.Minute:
		return web.Plural(int(max(1, d.Round(time.Minute).Minutes())), "minuto", "minutos")
	case d < 36*time.Hour:
		return web.Plural(int(d.Round(time.Hour).Hours()), "hora", "horas")
	}
	return web.Plural(int(d.Round(24*time.Hour).Hours()/24), "dia", "dias")
}

// conversionBars draws, for each origin, what share was won, and what has left the first stage.
func conversionBars(o lookups.Overview) *bars {
	var rows []barRow
	for _, c := range o.Conversion {
		won := 0
		for i, s := range o.Funnel {
			if s.Stage.Outcome == crm.Won {
				won = max(won, c.Percent(i))
			}
		}
		on := won
		if len(o.Funnel) > 1 && o.Funnel[1].Stage.Outcome != crm.Lost {
			on = c.Percent(1)
		}
		rows = append(rows, barRow{
			Name: c.Name, Text: fmt.Sprintf("%d%% ganhos, %d%% avançaram", won, on), Parts: []int64{int64(won), int64(on - won)},
		})
	}
	return drawBars("Conversão por origem", []series{{"ganhos", "s-a"}, {"avançaram da primeira etapa", "s-c"}}, rows)
}

// named are bars of one series, which needs no name.
func named(b *bars) *bars {
	if b != nil {
		b.Series = nil
	}
	return b
}

func lookupPlot(o lookups.Overview, enabled bool) *plot {
	if !enabled {
		return nil
	}
	values := make([][]int, len(o.Days))
	for i, d := range o.Days {
		values[i] = []int{d.Charged, d.Cached}
	}
	return countPlot("Consultas por dia", []series{{"Cobradas", "s-a"}, {"Do histórico", "s-b"}}, o.Days, values)
}

// contactPlot shows the two webhooks that brought the most contacts, and all others together.
func contactPlot(o lookups.Overview) *plot {
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
			name = "Sem webhook"
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
	p := countPlot("Contatos por webhook", of, o.Days, values)
	if p != nil {
		p.More = "/webhooks/novo"
	}
	return p
}

// countPlot draws values[day][series] and shows the sum of each series.
func countPlot(title string, of []series, days []lookups.Day, values [][]int) *plot {
	parts, totals := make([]dayParts, len(days)), make([]int, len(of))
	for d, day := range days {
		parts[d] = dayParts{day.Start, make([]int64, len(of))}
		for i, v := range values[d] {
			parts[d].Parts[i] = int64(v)
			totals[i] += v
		}
	}
	for i := range of {
		of[i].Name += ", " + web.Count(totals[i])
	}
	return drawPlot(title, of, parts, 1, func(n int64) string { return web.Count(int(n)) })
}
