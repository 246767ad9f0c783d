package lookups

import (
	"cmp"
	"net/http"

	"fichario/adapters/web"
	"fichario/app/lookups"
	"fichario/domain/document"
)

// lookupsAtOnce is how many lookups a page of the list, or of search results, has.
const lookupsAtOnce = 50

// lookupListPage is the team's lookups, or one's own.
type lookupListPage struct {
	Lines []lookupLine
	Own   bool
	// Text is what was searched for, and Searched says that a search was made.
	Text     string
	Searched bool
	// Looked is how many lookups were searched, and Cut says that there are older ones.
	Looked int
	Cut    bool
	// First says that it is the first page, Next is the address of the next.
	First bool
	Next  string
}

// Whose is the address's word for whose lookups are listed.
func (p lookupListPage) Whose() string {
	if p.Own {
		return lookups.BySelf
	}
	return ""
}

// lookupListFields are the fields of the list. A search is posted, so that it is in no address.
type lookupListFields struct {
	Whose  string `form:"de"`
	Text   string `form:"procurar"`
	Cursor string `form:"depois"`
}

func (s pages) lookupList(c *web.Call, f lookupListFields) error {
	found, err := s.Sheet.List(c.Ctx(), c.By, f.Whose == lookups.BySelf, f.Cursor, lookupsAtOnce)
	if err != nil {
		return err
	}
	p := lookupListPage{First: f.Cursor == ""}
	if found.Next != "" {
		p.Next = "/consultas" + web.WithQuery(web.QueryOf(lookupListFields{Whose: f.Whose}), "depois", found.Next)
	}
	return s.lookupListPage(c, f, found, p)
}

func (s pages) lookupSearch(c *web.Call, f lookupListFields) error {
	if f.Text == "" {
		return c.Redirect("/consultas" + web.WithQuery(web.QueryOf(lookupListFields{Whose: f.Whose})))
	}
	found, err := s.Sheet.Search(c.Ctx(), c.By, f.Whose == lookups.BySelf, web.Shorten(typedMax, f.Text), lookupsAtOnce)
	if err != nil {
		return err
	}
	return s.lookupListPage(c, f, found, lookupListPage{Searched: true, Looked: found.Looked, Cut: found.Cut})
}

func (s pages) lookupListPage(c *web.Call, f lookupListFields, found lookups.List, p lookupListPage) error {
	p.Lines, p.Own, p.Text = namedLines(found.Lookups), f.Whose == lookups.BySelf, f.Text
	title := "Consultas da equipe"
	if p.Own {
		title = "Minhas consultas"
	}
	return c.RenderStatus(http.StatusOK, "consultas", web.Page{Title: title, Nav: "consultar", Data: p, Wide: true})
}

// namedLines are lookups in a list; where one product's answer names a document's subject, all its lines show the name.
func namedLines(views []lookups.View) []lookupLine {
	names, lines := map[document.Document]string{}, make([]lookupLine, len(views))
	for i, v := range views {
		lines[i] = lookupLineOf(v)
		names[v.Entry.Document] = cmp.Or(names[v.Entry.Document], lines[i].Name)
	}
	for i := range lines {
		lines[i].Name = cmp.Or(lines[i].Name, names[lines[i].Entry.Document])
	}
	return lines
}
