package lookups

import (
	"cmp"
	"slices"
	"strings"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

// partChoice is something to tell spending apart by: its value in addresses, its name, and how charges without it are
// called. OfKey is whether one key's charges differ in it, and Filter the filter that selects a value of it, if any.
type partChoice struct {
	ID, Name, None string
	part           lookup.Part
	OfKey          bool
	filter         string
}

var partChoices = []partChoice{
	{ID: "produto", Name: "Produto", part: lookup.ByProduct, OfKey: true, filter: "produto"},
	{ID: "chave", Name: "Chave", None: "equipe e automações", part: lookup.ByKey, filter: "quem"},
	{ID: "pessoa", Name: "Pessoa", None: "chaves e automações", part: lookup.ByPerson},
	{ID: "finalidade", Name: "Finalidade", None: "sem finalidade", part: lookup.ByPurpose, OfKey: true,
		filter: "finalidade"},
	{ID: "automacao", Name: "Automação", None: "sem automação", part: lookup.ByAutomation},
	{ID: "lote", Name: "Lote", None: "fora de lotes", part: lookup.ByBatch, OfKey: true},
	{ID: "bureau", Name: "Bureau", None: "não informado", part: lookup.ByBureau, OfKey: true},
}

// spentParts is what was spent in a period by two parts, as a table of the first by the second.
type spentParts struct {
	// By and With are the parts; With.ID is empty where there is only one.
	By, With partChoice
	// Choices are those to choose from, Usual the usual pairs, as links.
	Choices []partChoice
	Usual   []partLink
	Columns []string
	Rows    []spentPart
	// Sums are those of Columns.
	Sums  []catalog.Money
	Drawn *bars
}

// Heading names the parts.
func (p spentParts) Heading() string {
	words := strings.ToLower(p.By.Name)
	if p.With.ID != "" {
		words += " e " + strings.ToLower(p.With.Name)
	}
	return words
}

// partLink is a link to a pair of parts.
type partLink struct {
	Name, Href string
	Current    bool
}

// spentPart is a row: a value of the first part, which Href selects the lookups of.
type spentPart struct {
	Name, Href string
	Parts      []catalog.Money
	lookup.Spent
}

// The most columns and rows of a table; the last of more sums up all others.
const (
	partColumns = 5
	partRows    = 15
)

// partsOf makes the table that the filter chooses. The days' figures have the products already; read reads all else.
func (s pages) partsOf(
	c *web.Call, data *statement, days []lookup.DaySpent, read func([2]lookup.Part) ([]lookup.PartSpent, error),
) (spentParts, error) {
	out := chosenParts(data, c.By.MayManage())
	out.link(data)
	var spent []lookup.PartSpent
	var err error
	if out.By.part == lookup.ByProduct && out.With.ID == "" {
		for _, d := range days {
			spent = append(spent, lookup.PartSpent{Of: [2]string{d.Product}, Spent: d.Spent})
		}
	} else if spent, err = read([2]lookup.Part{out.By.part, out.With.part}); err != nil {
		return out, err
	}
	rows, columns := ranked(spent, 0, partRows), ranked(spent, 1, partColumns)
	if out.With.ID == "" {
		columns = nil
	}
	names, err := s.partNames(c, data, out, rows, columns)
	if err != nil {
		return out, err
	}
	out.table(spent, rows, columns, names)
	for i, id := range rows.shown() {
		if filter := out.By.filter; filter != "" && id != "" {
			out.Rows[i].Href = data.Filter.address(data.Path, filter, id) + "#consultas"
		}
	}
	out.draw()
	return out, nil
}

// chosenParts are those that the filter chooses, among those that differ in the statement.
func chosenParts(data *statement, manages bool) (out spentParts) {
	for _, choice := range partChoices {
		whose := choice.part == lookup.ByPerson || choice.part == lookup.ByKey
		if (choice.OfKey || data.Page.Key.ID == "") && (manages || !whose) {
			out.Choices = append(out.Choices, choice)
		}
	}
	out.By = out.Choices[0]
	for _, choice := range out.Choices {
		if choice.ID == data.Filter.Part {
			out.By = choice
		}
	}
	for _, choice := range out.Choices {
		if choice.ID == data.Filter.With && choice.ID != out.By.ID {
			out.With = choice
		}
	}
	return out
}

// usualParts are the pairs that links lead to.
var usualParts = [][2]string{
	{"produto", ""}, {"chave", "finalidade"}, {"finalidade", "produto"}, {"pessoa", "produto"}, {"automacao", "produto"},
	{"lote", "finalidade"}, {"bureau", "produto"},
}

func (p *spentParts) link(data *statement) {
	name := map[string]string{}
	for _, choice := range p.Choices {
		name[choice.ID] = choice.Name
	}
	for _, pair := range usualParts {
		title := name[pair[0]]
		if title == "" {
			continue
		}
		if pair[1] != "" {
			title += " e " + strings.ToLower(name[pair[1]])
		}
		filter := data.Filter
		filter.Part, filter.With = pair[0], pair[1]
		p.Usual = append(p.Usual, partLink{
			title, filter.address(data.Path) + "#gasto", p.By.ID == pair[0] && p.With.ID == pair[1],
		})
	}
}

// ranking is the values of a part, the most expensive first, of which only some are shown.
type ranking struct {
	ids  []string
	most int
}

func ranked(spent []lookup.PartSpent, of, most int) *ranking {
	sums := map[string]lookup.Spent{}
	for _, p := range spent {
		sum := sums[p.Of[of]]
		sum.Add(p.Spent)
		sums[p.Of[of]] = sum
	}
	r := &ranking{most: most}
	for id := range sums {
		r.ids = append(r.ids, id)
	}
	slices.SortFunc(r.ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b].Amount, sums[a].Amount), cmp.Compare(sums[b].Count, sums[a].Count),
			cmp.Compare(a, b))
	})
	return r
}

// shown are the values with a place of their own.
func (r *ranking) shown() []string {
	if r == nil {
		return nil
	}
	if len(r.ids) > r.most {
		return r.ids[:r.most-1]
	}
	return r.ids
}

// places is how many there are, at is that of a value.
func (r *ranking) places() int {
	if r == nil {
		return 0
	}
	return min(len(r.ids), r.most)
}

func (r *ranking) at(id string) int { return min(slices.Index(r.ids, id), r.most-1) }

// called are the names of the places.
func (r *ranking) called(name func(string) string) (out []string) {
	for _, id := range r.shown() {
		out = append(out, name(id))
	}
	if r != nil && len(r.ids) > r.most {
		out = append(out, "Outros "+web.Count(len(r.ids)-r.most+1))
	}
	return out
}

// table sums what was spent into its places.
func (p *spentParts) table(spent []lookup.PartSpent, rows, columns *ranking, names [2]func(string) string) {
	p.Columns = columns.called(names[1])
	p.Sums = make([]catalog.Money, len(p.Columns))
	for _, name := range rows.called(names[0]) {
		p.Rows = append(p.Rows, spentPart{Name: name, Parts: make([]catalog.Money, columns.places())})
	}
	for _, one := range spent {
		row := &p.Rows[rows.at(one.Of[0])]
		row.Add(one.Spent)
		if columns != nil {
			row.Parts[columns.at(one.Of[1])] += one.Amount
			p.Sums[columns.at(one.Of[1])] += one.Amount
		}
	}
}

// draw draws the rows; from the third column on, columns are drawn as one.
func (p *spentParts) draw() {
	of := []series{{"", "s-a"}}
	if p.With.ID != "" {
		of = nil
		for i, name := range p.Columns[:min(len(p.Columns), seriesMost)] {
			if i == seriesMost-1 && len(p.Columns) > seriesMost {
				name = "todo o resto"
			}
			of = append(of, series{name, "s-" + string("abc"[i])})
		}
	}
	var rows []barRow
	for _, row := range p.Rows {
		parts := make([]int64, len(of))
		if p.With.ID == "" {
			parts[0] = int64(row.Amount)
		}
		for i, part := range row.Parts {
			parts[min(i, seriesMost-1)] += int64(part)
		}
		rows = append(rows, barRow{Name: row.Name, Href: row.Href, Text: row.Amount.Exact(), Parts: parts})
	}
	p.Drawn = drawBars("Gasto por "+p.Heading(), of, rows)
	if p.Drawn != nil && p.With.ID == "" {
		p.Drawn.Series = nil
	}
}

// partNames returns what the values of both parts are called.
func (s pages) partNames(
	c *web.Call, data *statement, p spentParts, rows, columns *ranking,
) (out [2]func(string) string, err error) {
	for i, choice := range []partChoice{p.By, p.With} {
		names := map[string]string{}
		switch choice.part {
		case lookup.ByProduct:
			for _, product := range data.Products {
				names[product.ID] = product.Name
			}
		case lookup.ByPurpose:
			for _, purpose := range data.Purposes {
				names[purpose.Code] = web.Shorten(40, purpose.Name)
			}
		case lookup.ByBatch:
			for _, id := range []*ranking{rows, columns}[i].shown() {
				if id == "" {
					continue
				}
				b, err := s.Batches.Show(c.Ctx(), c.By, id)
				if f := app.FaultOf(err); f != nil && f.Code == fault.NotFound {
					continue
				} else if err != nil {
					return out, err
				}
				names[id] = web.Shorten(40, b.Name)
			}
		default:
			names = data.Page.Names
		}
		out[i] = func(id string) string {
			switch name, is := names[id]; {
			case id == "":
				return choice.None
			case is:
				return web.Shorten(40, name)
			case choice.part == lookup.ByProduct, choice.part == lookup.ByPurpose, choice.part == lookup.ByBureau:
				return id
			}
			return "não existe mais"
		}
	}
	return out, nil
}
