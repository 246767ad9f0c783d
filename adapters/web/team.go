package web

import (
	"net/http"

	"fichario/app"
	"fichario/domain/crm"
)

// teamPage is the people, the funnels and the origins of an organisation.
type teamPage struct {
	Members []crm.Member
	Funnels []crm.Funnel
	Origins []crm.Origin
	// Part names the form that came back, with what is wrong in it.
	Part string
	Form
}

func (s *server) team(c *call) error {
	return s.teamPage(c, http.StatusOK, "", Form{Values: map[string]string{}})
}

func (s *server) teamPage(c *call, status int, part string, f Form) error {
	if err := c.manager(); err != nil {
		return err
	}
	data := teamPage{Part: part, Form: f}
	var err error
	if data.Members, err = s.Members.List(c.ctx(), c.by, c.by.OrgID()); err != nil {
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

// teamDone ends a form of the page: with a notice, or with the form and its fault.
func (s *server) teamDone(c *call, part string, err error, notice string, fields ...string) error {
	if err == nil {
		return c.done("/equipe#"+part, notice)
	}
	f, ok := c.formOf(err, fields...)
	if !ok || !app.IsRefusal(err) {
		return err
	}
	f.Field = map[string]string{"name": "nome", "email": "email", "password": "senha", "role": "papel"}[f.Field]
	return s.teamPage(c, http.StatusUnprocessableEntity, part, f)
}

func (s *server) memberAdd(c *call) error {
	_, err := s.Members.Add(c.ctx(), c.by, app.NewMember{
		OrgID: c.by.OrgID(), Name: c.text("nome"), Email: c.text("email"), Role: crm.Role(c.text("papel")),
		Password: c.PostFormValue("senha"),
	})
	return s.teamDone(c, "equipe", err, "Pessoa acrescentada. Diga a ela o e-mail e a senha.", "nome", "email", "papel")
}

func (s *server) memberChange(c *call) error {
	var change app.MemberChange
	notice := "Guardado."
	if role := crm.Role(c.text("papel")); role != "" {
		change.Role = &role
	}
	if word := c.text("ativo"); word != "" {
		active := word == "sim"
		change.Active = &active
		notice = "Acesso encerrado."
		if active {
			notice = "Acesso devolvido."
		}
	}
	return s.teamDone(c, "equipe", s.Members.Update(c.ctx(), c.by, c.PathValue("id"), change), notice)
}

func (s *server) memberPassword(c *call) error {
	err := s.Members.SetPassword(c.ctx(), c.by, c.PathValue("id"), c.PostFormValue("senha"))
	return s.teamDone(c, "equipe", err, "Senha trocada. As sessões dessa pessoa terminaram.")
}

func (s *server) originAdd(c *call) error {
	_, err := s.Origins.Add(c.ctx(), c.by, c.by.OrgID(), c.text("nome"))
	return s.teamDone(c, "origens", err, "Origem acrescentada.", "nome")
}

func (s *server) originRename(c *call) error {
	return s.teamDone(c, "origens", s.Origins.Rename(c.ctx(), c.by, c.PathValue("id"), c.text("nome")),
		"Origem renomeada.")
}

func (s *server) originRemove(c *call) error {
	return s.teamDone(c, "origens", s.Origins.Remove(c.ctx(), c.by, c.PathValue("id")), "Origem tirada.")
}

func (s *server) funnelAdd(c *call) error {
	return s.teamDone(c, "funis", s.Funnels.Add(c.ctx(), c.by, c.text("nome")), "Funil criado.", "nome")
}

// funnelChange does one thing to a funnel: a new name, a stage added, renamed, moved
// up or taken away.
func (s *server) funnelChange(c *call) error {
	ctx, id, stage, name := c.ctx(), c.PathValue("id"), c.text("etapa"), c.text("nome")
	err := c.manager()
	switch do := c.text("fazer"); {
	case err != nil:
	case do == "renomear-funil":
		err = s.Funnels.Rename(ctx, c.by, id, name)
	case do == "acrescentar":
		err = s.Funnels.AddStage(ctx, c.by, id, name)
	case do == "renomear":
		err = s.Funnels.RenameStage(ctx, c.by, id, stage, name)
	case do == "resultado":
		err = s.Funnels.SetOutcome(ctx, c.by, c.by.OrgID(), stage, crm.Outcome(c.text("resultado")))
	case do == "subir":
		err = s.Funnels.RaiseStage(ctx, c.by, id, stage)
	case do == "tirar":
		err = s.Funnels.RemoveStage(ctx, c.by, id, stage)
	default:
		err = errNowhere
	}
	return s.teamDone(c, "funis", err, "Funil guardado.", "nome")
}

func (s *server) account(c *call) error {
	return c.render("conta", page{Title: "Sua conta", Nav: "conta", Data: Form{}})
}

func (s *server) ownPassword(c *call) error {
	err := s.Sessions.ChangeOwnPassword(c.ctx(), c.by, c.PostFormValue("atual"), c.PostFormValue("senha"), s.Members)
	if f := app.FaultOf(err); f != nil && app.IsRefusal(err) {
		return c.renderStatus(http.StatusUnprocessableEntity, "conta", page{
			Title: "Sua conta", Nav: "conta", Data: Form{Field: "senha", Problem: f.Message},
		})
	}
	if err != nil {
		return err
	}
	return c.done("/entrar", "Senha trocada. Entre de novo com a senha nova.")
}
