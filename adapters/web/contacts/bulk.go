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
	// Until is an id of the time when it was asked whether all are to be deleted: whoever came since was not meant.
	Until string `form:"ate"`
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
		n.Of = contacts.Selection{Search: &search, Until: f.Until}
	}
	switch {
	case action == "unir":
		return s.bulkMerge(c, f)
	case action == "baixar" && f.All == "sim":
		return c.Redirect("/contatos.csv" + web.WithQuery(web.QueryOf(f.contactFilter)))
	case action == "baixar":
		return s.Download(c, contactTable(s.Contacts.Chosen(c.Ctx(), c.By, f.IDs), s.Calendar.Location), "")
	case n.Kind == crm.BulkDelete && (f.Confirmed != "sim" || f.All == "sim" && !app.ValidID(f.Until)):
		return s.bulkAsk(c, f, search)
	}
	started, err := s.Bulks.Start(c.Ctx(), c.By, n)
	if from := c.CameFrom(""); onList(from) {
		if why := bulkRefused(err, f); why != "" {
			return c.NotDone(from, why+" Nada mudou.")
		}
	}
	if err != nil {
		return err
	}
	back := "/contatos" + web.WithQuery(web.QueryOf(f.contactFilter))
	if from := c.CameFrom(back); n.Kind != crm.BulkDelete && onList(from) {
		back = from // which page of it
	}
	return s.bulkDone(c, back, started)
}

// bulkRefused says why an action was not begun, where another tab or another member has changed what it is for; empty
// for anything else.
func bulkRefused(err error, f bulkFields) string {
	why := app.FaultOf(err)
	switch {
	case why == nil:
	case why.Code == fault.NotFound && why.Field == "stage":
		return "A etapa não existe mais."
	case why.Code == fault.NotFound && why.Field == "member":
		return "A pessoa não existe mais."
	case goneFilter(err) != "":
		return goneFilter(err) + "."
	case why.Code == fault.NotFound:
		return "Um dos contatos marcados não existe mais."
	case why.Field == "contacts" && f.All == "sim" && why.Message == contacts.NobodyChosen().Message:
		return "Nenhum contato tem mais o que os filtros pedem."
	case app.IsRefusal(err):
		return why.Message
	}
	return ""
}

// onList reports whether an address is one of the list.
func onList(address string) bool {
	path, _, _ := strings.Cut(address, "?")
	return path == "/contatos"
}

// bulkDone leads to the list, which says what was done; or, where that takes longer, to the page that shows it.
func (s pages) bulkDone(c *web.Call, back string, action crm.Bulk) error {
	page := "/acoes/" + action.ID
	if action.Open() || !onList(back) {
		return c.Redirect(page)
	}
	view, err := s.Bulks.Show(c.Ctx(), c.By, action.ID)
	if err != nil {
		return err
	}
	said := bulkSaid(view)
	if !view.CanUndo(s.Clock()) {
		return c.Done(back, said)
	}
	return c.DoneWithUndo(back, said, web.Undo{Action: page + "/desfazer", Name: "desfazer", Value: "sim"})
}

// leftWords say how many contacts were left as they were and why, of one and of several, in this order.
var leftWords = []struct{ reason, one, more string }{
	{crm.LeftGone, "não existe mais", "não existem mais"},
	{crm.LeftInactive, "ficou com quem estava, porque a pessoa não tem mais acesso",
		"ficaram com quem estavam, porque a pessoa não tem mais acesso"},
	{crm.LeftNowhere, "ficou onde estava, porque a etapa não existe mais",
		"ficaram onde estavam, porque a etapa não existe mais"},
	{crm.LeftChanged, "mudou depois e ficou como estava", "mudaram depois e ficaram como estavam"},
	{"", "ficou como estava", "ficaram como estavam"},
}

// bulkSaid says what an action did, and what it left.
func bulkSaid(v contacts.BulkView) string {
	changed, said := v.Done-v.Skipped, "Nada mudou."
	one, more := "já estava nessa etapa", "já estavam nessa etapa"
	if v.Kind == crm.BulkAssign {
		one, more = "já estava com essa pessoa", "já estavam com essa pessoa"
	}
	switch {
	case changed == 0:
	case v.Status == crm.BulkUndone:
		said = "Desfeito: " + web.Plural(changed, "contato voltou", "contatos voltaram") + " ao que era."
	case v.Kind == crm.BulkAssign:
		said = web.Plural(changed, "contato atribuído", "contatos atribuídos") + " a " + v.Target + "."
	case v.Kind == crm.BulkMove:
		said = web.Plural(changed, "contato movido", "contatos movidos") + " para " + v.Target + "."
	case v.Kind == crm.BulkDelete:
		said = web.Plural(changed, "contato excluído", "contatos excluídos") + "."
	case v.Kind == crm.BulkImport:
	}
	if n := v.Left[crm.LeftSame]; n > 0 {
		said += " " + web.Plural(n, one, more) + "."
	}
	for _, w := range leftWords {
		if n := v.Left[w.reason]; n > 0 {
			said += " " + web.Plural(n, w.one, w.more) + "."
		}
	}
	return said
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
	f.Until = app.NewID()
	data := bulkAsk{
		Fields: f, Count: len(f.IDs), Hidden: web.QueryOf(f.contactFilter), Back: c.CameFrom("/contatos"),
	}
	if f.All == "sim" {
		count, err := s.Contacts.Count(c.Ctx(), c.By, search)
		if err != nil {
			return err
		}
		data.Count, data.Many = min(count, app.CountMax), count > app.CountMax
	}
	return c.Render("acao-excluir", web.Page{Title: "Excluir contatos", Nav: "contatos", Data: data, Read: true})
}

// bulkPage is the outcome of an action.
type bulkPage struct {
	contacts.BulkView
	Undoable, Running bool
	Said              string
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
		BulkView: view, Running: view.Open(), Said: bulkSaid(view), Seconds: int(crm.UndoBulk.Seconds()),
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
	back := c.CameFrom("/acoes/" + action.ID)
	if why := app.FaultOf(err); onList(back) && why != nil && app.IsRefusal(err) {
		return c.NotDone(back, why.Message)
	}
	if err != nil {
		return err
	}
	return s.bulkDone(c, back, action)
}
