package contacts

import (
	"html/template"
	"net/url"
	"slices"
	"strconv"
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

// rowOf writes the row of a contact: a page has hundreds of cells, and a template takes ten times as long for each. It
// leaves out what HTML lets a writer leave out, and what all rows say stands once on the page (contact-table). double
// is whether an older contact may be the same person, and n the row's number.
func (s pages) rowOf(n int, v crm.ContactView, double bool, columns []listColumn) template.HTML {
	line := contactLineOf(v)
	id, number := template.HTMLEscapeString(line.ID), strconv.Itoa(n)
	var out strings.Builder
	write := func(parts ...string) {
		for _, part := range parts {
			out.WriteString(part)
		}
	}
	write(`<th scope=row><div id=c`, number, `><input type=checkbox name=c value=`, id,
		" aria-labelledby=c", number, `><a href="/contatos/`, id, `"><bdi>`,
		template.HTMLEscapeString(web.Shorten(50, line.Name)), "</bdi></a>")
	if double {
		write(`<a href="/contatos/`, id, `/unir" aria-describedby=dup>repetido?</a>`)
	}
	if line.Unanswered {
		write(`<b><i>sem retorno </i>`, s.Age(line.CreatedAt), "</b>")
	}
	write("</div>")
	for _, col := range columns {
		class := col.Class
		if strings.Contains(class, " ") {
			class = `"` + class + `"`
		}
		write(`<td class=`, class, `>`, s.cellOf(&line, col.Key))
	}
	return template.HTML(out.String()) //nolint:gosec // what comes from outside is escaped
}

// cellOf is what stands in a column, as HTML.
func (s pages) cellOf(line *contactLine, column string) string {
	text := func(most int, of, none string) string {
		if of == "" && none != "" {
			return "<i>" + none + "</i>"
		}
		return template.HTMLEscapeString(web.Shorten(most, of))
	}
	const unknown = "não informado"
	switch column {
	case "telefone":
		return phoneCell(line, text(24, line.PhoneText, unknown))
	case "empresa":
		return text(36, line.Company, unknown)
	case "email":
		return text(40, line.Email, "")
	case "origem":
		return text(32, line.Origin, unknown)
	case "valor":
		return template.HTMLEscapeString(line.Amount.Reais())
	case "responsavel":
		if line.AssigneeShort == "" {
			return `<span class="ni">ninguém</span>`
		}
		return text(24, line.AssigneeShort, "")
	case "etapa":
		if line.StageOutcome == crm.Open { // most are: its badge is the style of the column
			return "<bdi>" + text(40, line.Stage, "") + "</bdi>"
		}
		return string(line.StageBadge())
	}
	at := line.CreatedAt
	return s.Date(at) + "<small> " + s.ClockTime(at) + "</small>"
}

// phoneCell is the number to call, a chat with it, and what tells that somebody called.
func phoneCell(line *contactLine, text string) string {
	switch {
	case line.PhoneText == "":
	case line.PhoneE164 != "":
		text = `<a href="tel:` + template.HTMLEscapeString(line.PhoneE164) + `">` + text + "</a>"
	default:
		text = `<bdi class="doc">` + text + "</bdi>"
	}
	chat := web.WhatsApp(line.PhoneE164)
	if chat == "" && !line.Unanswered {
		return text
	}
	if chat != "" {
		text += `<a href="https://wa.me/` + template.HTMLEscapeString(chat) + `">WhatsApp</a>`
	}
	if line.Unanswered {
		text += "<button name=falei value=" + template.HTMLEscapeString(line.ID) + ">Já falei</button>"
	}
	return text
}

// StageBadge is the stage as a list and a contact's page show it.
func (line contactLine) StageBadge() template.HTML {
	class, icon := "b-q", template.HTML("")
	switch line.StageOutcome {
	case crm.Won:
		class, icon = "b-on", web.Icon("check")
	case crm.Lost:
		class = "b-off"
	case crm.Open:
	}
	name := template.HTMLEscapeString(web.Shorten(40, line.Stage))
	return `<span class="badge ` + template.HTML(class) + `">` + icon + "<bdi>" + //nolint:gosec // one of three
		template.HTML(name) + "</bdi></span>" //nolint:gosec // escaped
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
