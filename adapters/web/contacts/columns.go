package contacts

import (
	"net/url"
	"slices"
	"strings"

	"fichario/adapters/web"
	"fichario/domain/crm"
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

// contactRow is a contact in the list.
type contactRow struct {
	contactLine
	Cells []contactCell
}

// contactCell is one column of it, made here: a page has hundreds, and a template takes ten times as long to find out
// what is in one.
type contactCell struct {
	Class string
	// Kind is the column's word where more than a text stands there.
	Kind string
	// Text is what stands there, None what it says where nothing is known.
	Text, None string
	// Nobody is whether it is the column of who is responsible, and nobody is.
	Nobody bool
	// Tel is the digits of a phone that can be called, Chat those for a chat; empty where there are none.
	Tel, Chat string
}

func rowOf(v crm.ContactView, columns []listColumn) *contactRow {
	row := &contactRow{contactLine: contactLineOf(v), Cells: make([]contactCell, len(columns))}
	const unknown = "não informado"
	for i, col := range columns {
		cell := &row.Cells[i]
		cell.Class = col.Class
		switch col.Key {
		case "telefone":
			cell.Kind, cell.Text, cell.None = col.Key, web.Shorten(24, row.PhoneText), unknown
			cell.Tel, cell.Chat = strings.TrimPrefix(row.PhoneE164, "+"), web.WhatsApp(row.PhoneE164)
		case "empresa":
			cell.Text, cell.None = web.Shorten(60, row.Company), unknown
		case "email":
			cell.Text = web.Shorten(80, row.Email)
		case "origem":
			cell.Text, cell.None = web.Shorten(40, row.Origin), unknown
		case "valor":
			cell.Text = row.Amount.Reais()
		case "responsavel":
			cell.Text, cell.Nobody = web.Shorten(24, row.AssigneeShort), row.AssigneeShort == ""
		default:
			cell.Kind = col.Key
		}
		if cell.Text != "" {
			cell.None = ""
		}
	}
	return row
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
