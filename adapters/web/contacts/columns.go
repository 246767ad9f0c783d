package contacts

import (
	"net/url"
	"slices"
	"strings"

	"fichario/adapters/web"
)

// roomy is the value of crm.ContactDensity for more room between the lines; without one they are close.
const roomy = "confortavel"

// listColumn is the heading of a column by which the list may be sorted.
type listColumn struct {
	// Key is its word in crm.ContactColumns. Class is short, as it stands in every row: c and a letter.
	Key, Text, Class string
	// Address sorts by it; empty where that is not offered.
	Address string
	// Sort is the current direction, as in aria-sort; empty when another column is sorted by.
	Sort string
	// Chosen is whether the member sees it.
	Chosen bool

	// first and second are the words of its orders, and how each sorts.
	first, second, sortFirst, sortSecond string
}

// allColumns are the columns beside the name; those marked Chosen are shown to who chose none.
var allColumns = []listColumn{
	{Key: "telefone", Text: "Telefone", Class: "ct", Chosen: true},
	{Key: "empresa", Text: "Empresa", Class: "ce", Chosen: true},
	{Key: "etapa", Text: "Etapa", Class: "cs", Chosen: true},
	{Key: "origem", Text: "Origem", Class: "co", Chosen: true},
	{
		Key: "valor", Text: "Valor", Class: "cv", Chosen: true,
		first: "valor", second: "valor-crescente", sortFirst: "descending", sortSecond: "ascending",
	},
	{Key: "responsavel", Text: "Responsável", Class: "cr", Chosen: true},
	{
		Key: "chegou", Text: "Chegou", Class: "cd", Chosen: true,
		second: "antigos", sortFirst: "descending", sortSecond: "ascending",
	},
	{Key: "email", Text: "E-mail", Class: "cm"},
}

var nameColumn = listColumn{
	Key: "nome", Text: "Contato", first: "nome", second: "nome-z", sortFirst: "ascending", sortSecond: "descending",
}

// columnsInOrder are all columns, those that the member chose first and in their order. The words that they kept may
// name none: then the usual ones are chosen.
func columnsInOrder(kept string) []listColumn {
	all := slices.Clone(allColumns)
	words := strings.Fields(kept)
	if !slices.ContainsFunc(all, func(col listColumn) bool { return slices.Contains(words, col.Key) }) {
		return all
	}
	place := func(col listColumn) int {
		if at := slices.Index(words, col.Key); at >= 0 {
			return at
		}
		return len(words)
	}
	slices.SortStableFunc(all, func(a, b listColumn) int { return place(a) - place(b) })
	for i := range all {
		all[i].Chosen = slices.Contains(words, all[i].Key)
	}
	return all
}

// columnsOf returns the headings of the list: the name, the chosen columns, and those that sort. The one sorted by
// reverses the order.
func columnsOf(query url.Values, order, kept string) (name listColumn, shown, sorting []listColumn) {
	if _, has := orders[order]; !has {
		order = ""
	}
	to := func(order string) string {
		all := url.Values{}
		for name, values := range query {
			all[name] = values
		}
		all.Del("ordem")
		if order == "" {
			return "/contatos" + web.WithQuery(all)
		}
		return "/contatos" + web.WithQuery(all, "ordem", order)
	}
	sortable := func(col *listColumn) {
		if col.second == "" {
			return
		}
		col.Address = to(col.first)
		switch order {
		case col.first:
			col.Sort, col.Address = col.sortFirst, to(col.second)
		case col.second:
			col.Sort = col.sortSecond
		}
		sorting = append(sorting, *col)
	}
	name = nameColumn
	sortable(&name)
	for _, col := range columnsInOrder(kept) {
		sortable(&col)
		switch {
		case !col.Chosen && col.Key == "telefone": // a phone always shows the number to call
			col.Class += " only-n"
		case !col.Chosen:
			continue
		}
		shown = append(shown, col)
	}
	return name, shown, sorting
}
