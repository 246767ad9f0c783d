package team

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/domain/crm"
)

// membersShown is how many people a page has.
const membersShown = 25

// teamPage is the page of the people of an organisation, of its funnels, or of its origins.
type teamPage struct {
	Members web.Paged[memberLine]
	Funnels []crm.Funnel
	Origins []crm.Origin
	// Edit is the id of the row being edited, About that of the person whom something was done to: the page shows them.
	Edit, About string
	// Open is the id of the funnel whose stages are shown.
	Open string
	// Part is one of the pages, by its name; Ask the question.
	Part, Ask string
	web.Form
}

// FormOfNew is the form for another person: as it was sent, unless the fault concerns a row.
func (d teamPage) FormOfNew() web.Form {
	if d.Edit != "" {
		return web.Form{}
	}
	return d.Form
}

// teamParts are the pages, by their names, which are those of their templates, and their titles.
var teamParts = map[string]string{"equipe": "Equipe", "funis": "Funis", "origens": "Origens"}

// team is the page that a part has.
func (s pages) team(part string) web.Handler {
	return web.Decoded(func(c *web.Call, f struct {
		Edit  string `form:"editar"`
		About string `form:"pessoa"`
		Open  string `form:"funil"`
	}) error {
		return s.teamPage(c, http.StatusOK, teamPage{Part: part, Edit: f.Edit, About: f.About, Open: f.Open})
	})
}

func (s pages) teamPage(c *web.Call, status int, data teamPage) error {
	err := c.Manager()
	switch {
	case err != nil:
	case data.Part == "funis":
		err = s.funnelsOf(c, &data)
	case data.Part == "origens":
		data.Origins, err = s.Origins.List(c.Ctx(), c.By, c.By.OrgID())
	default:
		err = s.membersOf(c, &data)
	}
	if err != nil {
		return err
	}
	return c.RenderStatus(status, data.Part, web.Page{
		Title: teamParts[data.Part], Nav: "configuracoes", Setting: data.Part, Data: data, Wide: true, Ask: data.Ask,
	})
}

// membersOf reads the people of the page that is asked for, or of the one that has whom it is about.
func (s pages) membersOf(c *web.Call, data *teamPage) error {
	members, err := s.memberLines(c)
	if err != nil {
		return err
	}
	data.Members = web.PageOf(c, "/equipe", members, membersShown)
	asked := c.URL.Query().Get("perguntar")
	meant := func(m memberLine) bool {
		return m.ID == data.Edit || m.ID == data.About || strings.HasSuffix(asked, "-"+m.ID)
	}
	if i := slices.IndexFunc(members, meant); i >= 0 {
		data.Members = web.PageWith("/equipe", members, membersShown, i)
	}
	return nil
}

// funnelsOf reads the funnels, and opens the one that something is asked or was done about: that is in the address, by
// its id or by that of a stage. All stages of all funnels would be too much for a page.
func (s pages) funnelsOf(c *web.Call, data *teamPage) (err error) {
	if data.Funnels, err = s.Funnels.List(c.Ctx(), c.By, c.By.OrgID()); err != nil {
		return err
	}
	about := cmp.Or(c.PathValue("id"), data.Edit, data.Open, strings.TrimPrefix(c.URL.Query().Get("perguntar"), "tirar-"))
	open := slices.IndexFunc(data.Funnels, func(f crm.Funnel) bool {
		return f.ID == about || slices.ContainsFunc(f.Stages, func(s crm.Stage) bool { return s.ID == about })
	})
	data.Open = data.Funnels[max(0, open)].ID
	return nil
}

// funnelAt is the address of a funnel, open, on its page.
func funnelAt(id string) string { return "/equipe/funis?funil=" + id + "#f-" + id }

// funnelOpen leads to a funnel. A refused form about it is shown at its address, which a browser may open again.
func (s pages) funnelOpen(c *web.Call) error {
	if err := c.Manager(); err != nil {
		return err
	}
	all, err := s.Funnels.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	id := c.PathValue("id")
	if !slices.ContainsFunc(all, func(f crm.Funnel) bool { return f.ID == id }) {
		return web.ErrNowhere
	}
	return c.Redirect(funnelAt(id))
}

// originAt is the address of an origin, in sight, on its page.
func originAt(id string) string { return "/equipe/origens#o-" + id }

// teamDone answers a form of a page: with a notice, or with the fault above it.
func (s pages) teamDone(c *web.Call, part string, err error, notice string) error {
	address := "/equipe/" + part
	if part == "funis" {
		address = funnelAt(c.PathValue("id"))
	}
	return s.doneAt(c, address, teamPage{Part: part}, err, notice)
}

// personDone is teamDone for a form about a person, whose page of the list is shown.
func (s pages) personDone(c *web.Call, id string, err error, notice string) error {
	return s.doneAt(c, "/equipe?pessoa="+id+"#m-"+id, teamPage{Part: "equipe", About: id}, err, notice)
}

func (s pages) doneAt(c *web.Call, address string, refused teamPage, err error, notice string) error {
	if err == nil {
		return c.Done(address, notice)
	}
	if !app.IsRefusal(err) {
		return err
	}
	refused.Form = web.Form{Problem: app.FaultOf(err).Message}
	return s.teamPage(c, http.StatusUnprocessableEntity, refused)
}

// editDone is doneAt for a row being edited, or a new one, which is shown again as typed.
func (s pages) editDone(c *web.Call, address string, refused teamPage, f any, err error, notice string) error {
	if err == nil || !app.IsRefusal(err) {
		return s.doneAt(c, address, refused, err, notice)
	}
	refused.Form, _ = c.Again(f, err)
	if refused.Field == "" {
		refused.Field = "nome" // use cases name this field differently for each kind
	}
	return s.teamPage(c, http.StatusUnprocessableEntity, refused)
}

// nameFields is the form of something that has only a name.
type nameFields struct {
	Name string `form:"nome"`
}

func (s pages) originAdd(c *web.Call, f nameFields) error {
	made, err := s.Origins.Add(c.Ctx(), c.By, c.By.OrgID(), f.Name)
	return s.editDone(c, originAt(made.ID), teamPage{Part: "origens"}, &f, err, "Origem acrescentada.")
}

func (s pages) originRename(c *web.Call, f nameFields) error {
	id := c.PathValue("id")
	err := s.Origins.Rename(c.Ctx(), c.By, id, f.Name)
	return s.editDone(c, originAt(id), teamPage{Part: "origens", Edit: id}, &f, err, "Origem renomeada.")
}

func (s pages) originRemove(c *web.Call) error {
	return s.teamDone(c, "origens", s.Origins.Remove(c.Ctx(), c.By, c.PathValue("id")), "Origem tirada.")
}

func (s pages) funnelAdd(c *web.Call, f nameFields) error {
	id, err := s.Funnels.Add(c.Ctx(), c.By, f.Name)
	return s.editDone(c, funnelAt(id), teamPage{Part: "funis"}, &f, err, "Funil criado.")
}

// VersionOf is that of what the row of a stage shows where it is edited.
func (p teamPage) VersionOf(s crm.Stage) string { return stageVersion(s) }

func stageVersion(s crm.Stage) string { return web.VersionOf([]any{s.Name, s.Outcome}) }

// funnelFields describe one action on a funnel or a stage, with its arguments.
type funnelFields struct {
	Do      string      `form:"fazer"`
	Stage   string      `form:"etapa"`
	Name    string      `form:"nome"`
	Outcome crm.Outcome `form:"resultado"`
	Place   int         `form:"lugar" validate:"min=0,max=1000"`
}

func (s pages) funnelChange(c *web.Call, f funnelFields) error {
	ctx, id, err := c.Ctx(), c.PathValue("id"), c.Manager()
	edited := ""
	switch {
	case err != nil:
	case f.Do == "renomear-funil":
		edited, err = id, s.Funnels.Rename(ctx, c.By, id, f.Name)
	case f.Do == "acrescentar":
		edited, err = "nova-"+id, s.Funnels.AddStage(ctx, c.By, id, f.Name)
	case f.Do == "guardar":
		edited, err = f.Stage, s.Funnels.EditStage(ctx, c.By, id, f.Stage, f.Name, f.Outcome, web.Still(c, stageVersion))
	case f.Do == "colocar":
		err = s.Funnels.PlaceStage(ctx, c.By, id, f.Stage, f.Place)
	case f.Do == "tirar":
		err = s.Funnels.RemoveStage(ctx, c.By, id, f.Stage)
	default:
		err = web.ErrNowhere
	}
	if edited == "" {
		return s.teamDone(c, "funis", err, "Funil guardado.")
	}
	return s.editDone(c, funnelAt(id), teamPage{Part: "funis", Edit: edited}, &f, err, "Funil guardado.")
}
