package contacts

import (
	"net/url"
	"slices"
	"strings"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/fault"
)

// bulkFields is the form below the list of contacts: an action, and the contacts it is for.
type bulkFields struct {
	contactFilter
	// Action is what to do and, where that needs one, the id of the member or stage after a space.
	Action string   `form:"acao"`
	IDs    []string `form:"c"`
	// All is "sim" for all contacts that match the filter.
	All       string `form:"todos"`
	Confirmed string `form:"confirmar"`
	// Called is the one contact of the row whose button says that somebody spoke to them.
	Called string `form:"falei"`
}

// bulkAsk asks before many contacts are deleted.
type bulkAsk struct {
	Fields bulkFields
	Count  int
	// Many says that there are more than Count.
	Many bool
	// Hidden are the fields of the filter.
	Hidden url.Values
	// Back is the page of the list that the form was sent from.
	Back string
}

func (s pages) bulkStart(c *web.Call, f bulkFields) error {
	if f.Called != "" {
		return s.called(c, f.Called)
	}
	if f.All == "sim" && len(f.IDs) > 0 { // script prevents choosing both; without script, do not guess
		return fault.New(fault.InvalidRequest, "Há contatos marcados, e a escolha é de todos com estes filtros. Escolha "+
			"“Os marcados”, ou desmarque-os. Nada mudou.").At("todos")
	}
	if f.All != "sim" && len(f.IDs) == 0 { // before a question is asked or a file begun
		return contacts.NobodyChosen()
	}
	action, target, _ := strings.Cut(f.Action, " ")
	n := contacts.NewBulk{Kind: crm.BulkKind(action), TargetID: target, Of: contacts.Selection{IDs: f.IDs}}
	search := s.contactSearch(f.contactFilter)
	if f.All == "sim" {
		n.Of = contacts.Selection{Search: &search}
	}
	switch {
	case action == "unir":
		return s.bulkMerge(c, f)
	case action == "baixar" && f.All == "sim":
		return c.Redirect("/contatos.csv" + web.WithQuery(web.QueryOf(f.contactFilter)))
	case action == "baixar":
		return s.Download(c, contactTable(s.Contacts.Chosen(c.Ctx(), c.By, f.IDs), s.Calendar.Location), "")
	case n.Kind == crm.BulkDelete && f.Confirmed != "sim":
		return s.bulkAsk(c, f, search)
	}
	started, err := s.Bulks.Start(c.Ctx(), c.By, n)
	if err != nil {
		return err
	}
	return c.Redirect("/acoes/" + started.ID)
}

// bulkMerge leads to the question whether two contacts become one, the older one.
func (s pages) bulkMerge(c *web.Call, f bulkFields) error {
	if len(f.IDs) != 2 {
		return fault.New(fault.InvalidRequest, "Marque dois contatos para unir. Nada mudou.").At("c")
	}
	slices.Sort(f.IDs) // an id begins with the time
	if !app.ValidID(f.IDs[0]) || !app.ValidID(f.IDs[1]) {
		return app.ContactKind.NotFound()
	}
	return c.Redirect("/contatos/" + f.IDs[0] + "/unir/" + f.IDs[1])
}

// bulkAsk is the page that confirms the deletion of contacts.
func (s pages) bulkAsk(c *web.Call, f bulkFields, search contacts.ContactSearch) error {
	if err := c.Manager(); err != nil {
		return err
	}
	data := bulkAsk{Fields: f, Count: len(f.IDs), Back: c.CameFrom("/contatos")}
	if f.All == "sim" {
		count, err := s.Contacts.Count(c.Ctx(), c.By, search)
		if err != nil {
			return err
		}
		data.Hidden, data.Count, data.Many = web.QueryOf(f.contactFilter), min(count, app.CountMax), count > app.CountMax
	}
	return c.Render("acao-excluir", web.Page{Title: "Excluir contatos", Nav: "contatos", Data: data, Read: true})
}

// bulkPage is the outcome of an action.
type bulkPage struct {
	contacts.BulkView
	Undoable, Running bool
	Changed           int
	Seconds           int
}

func (s pages) bulkShow(c *web.Call) error {
	view, err := s.Bulks.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	if view.Kind == crm.BulkImport {
		return c.Redirect("/importacoes/" + view.ID)
	}
	data := bulkPage{
		BulkView: view, Running: view.Open(), Changed: view.Done - view.Skipped, Seconds: int(crm.UndoBulk.Seconds()),
		Undoable: view.CanUndo(s.Clock()) && (c.By.MayManage() || view.MemberID == c.By.MemberID()),
	}
	p := web.Page{Title: bulkTitles[view.Kind], Nav: "contatos", Data: data, Read: true}
	if data.Running {
		p.Refresh = 2
	}
	return c.Render("acao", p)
}

var bulkTitles = map[crm.BulkKind]string{
	crm.BulkAssign: "Atribuir contatos", crm.BulkMove: "Mover contatos", crm.BulkDelete: "Excluir contatos",
}

func (s pages) bulkUndo(c *web.Call) error {
	action, err := s.Bulks.Undo(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	return c.Redirect("/acoes/" + action.ID)
}
