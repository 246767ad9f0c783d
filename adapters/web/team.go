package web

import (
	"net/http"

	"fichario/app"
	"fichario/domain/crm"
)

// teamPage is the people, the funnels and the origins of an organisation.
type teamPage struct {
	Members []memberLine
	Funnels []crm.Funnel
	Origins []crm.Origin
	// Edit is the id of the row being edited.
	Edit string
	// Part names the form that is shown again, with its fault.
	Part string
	Form
}

// FormOfNew is the form for another person: as it was sent, unless the fault concerns a row.
func (d teamPage) FormOfNew() Form {
	if d.Edit != "" || d.Part != "equipe" {
		return Form{}
	}
	return d.Form
}

func (s *server) team(c *call, f struct {
	Edit string `form:"editar"`
}) error {
	return s.teamPage(c, http.StatusOK, teamPage{Edit: f.Edit})
}

func (s *server) teamPage(c *call, status int, data teamPage) error {
	if err := c.manager(); err != nil {
		return err
	}
	var err error
	if data.Members, err = s.memberLines(c); err != nil {
		return err
	}
	if data.Funnels, err = s.Funnels.List(c.ctx(), c.by, c.by.OrgID()); err != nil {
		return err
	}
	if data.Origins, err = s.Origins.List(c.ctx(), c.by, c.by.OrgID()); err != nil {
		return err
	}
	return c.renderStatus(status, "equipe", page{Title: "Equipe e funil", Nav: "equipe", Data: data})
}

// teamDone answers a form of the page: with a notice, or with the fault above its part.
func (s *server) teamDone(c *call, part string, err error, notice string) error {
	if err == nil {
		return c.done("/equipe#"+part, notice)
	}
	if !app.IsRefusal(err) {
		return err
	}
	return s.teamPage(c, http.StatusUnprocessableEntity, teamPage{
		Part: part, Form: Form{Problem: app.FaultOf(err).Message},
	})
}

// editDone is teamDone for a row being edited, which is shown again as typed.
func (s *server) editDone(c *call, part, id string, f any, err error, notice string) error {
	if err == nil || !app.IsRefusal(err) {
		return s.teamDone(c, part, err, notice)
	}
	shown, _ := c.again(f, err)
	if shown.Field == "" {
		shown.Field = "nome" // use cases name this field differently for each kind
	}
	return s.teamPage(c, http.StatusUnprocessableEntity, teamPage{Part: part, Edit: id, Form: shown})
}

// nameFields is the form of something that has only a name.
type nameFields struct {
	Name string `form:"nome"`
}

func (s *server) originAdd(c *call, f nameFields) error {
	_, err := s.Origins.Add(c.ctx(), c.by, c.by.OrgID(), f.Name)
	return s.editDone(c, "origens", "", &f, err, "Origem acrescentada.")
}

func (s *server) originRename(c *call, f nameFields) error {
	id := c.PathValue("id")
	return s.editDone(c, "origens", id, &f, s.Origins.Rename(c.ctx(), c.by, id, f.Name), "Origem renomeada.")
}

func (s *server) originRemove(c *call) error {
	return s.teamDone(c, "origens", s.Origins.Remove(c.ctx(), c.by, c.PathValue("id")), "Origem tirada.")
}

func (s *server) funnelAdd(c *call, f nameFields) error {
	return s.editDone(c, "funis", "", &f, s.Funnels.Add(c.ctx(), c.by, f.Name), "Funil criado.")
}

// funnelFields describe one action on a funnel or a stage, with its arguments.
type funnelFields struct {
	Do      string      `form:"fazer"`
	Stage   string      `form:"etapa"`
	Name    string      `form:"nome"`
	Outcome crm.Outcome `form:"resultado"`
	Place   int         `form:"lugar" validate:"min=0,max=1000"`
}

func (s *server) funnelChange(c *call, f funnelFields) error {
	ctx, id, err := c.ctx(), c.PathValue("id"), c.manager()
	edited := ""
	switch {
	case err != nil:
	case f.Do == "renomear-funil":
		edited, err = id, s.Funnels.Rename(ctx, c.by, id, f.Name)
	case f.Do == "acrescentar":
		edited, err = "nova-"+id, s.Funnels.AddStage(ctx, c.by, id, f.Name)
	case f.Do == "guardar":
		edited, err = f.Stage, s.Funnels.EditStage(ctx, c.by, id, f.Stage, f.Name, f.Outcome)
	case f.Do == "colocar":
		err = s.Funnels.PlaceStage(ctx, c.by, id, f.Stage, f.Place)
	case f.Do == "tirar":
		err = s.Funnels.RemoveStage(ctx, c.by, id, f.Stage)
	default:
		err = errNowhere
	}
	if edited == "" {
		return s.teamDone(c, "funis", err, "Funil guardado.")
	}
	return s.editDone(c, "funis", edited, &f, err, "Funil guardado.")
}
