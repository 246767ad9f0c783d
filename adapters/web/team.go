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
	return s.teamPage(c, http.StatusOK, "", Form{})
}

func (s *server) teamPage(c *call, status int, part string, shown Form) error {
	if err := c.manager(); err != nil {
		return err
	}
	data := teamPage{Part: part, Form: shown}
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

// teamDone ends a form of the page: with a notice, or with what is wrong above its part.
func (s *server) teamDone(c *call, part string, err error, notice string) error {
	if err == nil {
		return c.done("/equipe#"+part, notice)
	}
	if !app.IsRefusal(err) {
		return err
	}
	return s.teamPage(c, http.StatusUnprocessableEntity, part, Form{Problem: app.FaultOf(err).Message})
}

// memberFields are what the form of another person asks for.
type memberFields struct {
	Name     string   `form:"nome" app:"name"`
	Email    string   `form:"email"`
	Role     crm.Role `form:"papel" app:"role"`
	Password asTyped  `form:"senha" app:"password"`
}

func (s *server) memberAdd(c *call, f memberFields) error {
	_, err := s.Members.Add(c.ctx(), c.by, app.NewMember{
		OrgID: c.by.OrgID(), Name: f.Name, Email: f.Email, Role: f.Role, Password: string(f.Password),
	})
	if shown, ok := c.again(&f, err); ok {
		return s.teamPage(c, http.StatusUnprocessableEntity, "equipe", shown)
	}
	return s.teamDone(c, "equipe", err, "Pessoa acrescentada. Diga a ela o e-mail e a senha.")
}

// memberChangeFields are a new role, or whether the person may come in; what is not sent stays.
type memberChangeFields struct {
	Role   crm.Role `form:"papel"`
	Active *bool    `form:"ativo"`
}

func (s *server) memberChange(c *call, f memberChangeFields) error {
	change, notice := app.MemberChange{Active: f.Active}, "Guardado."
	if f.Role != "" {
		change.Role = &f.Role
	}
	if f.Active != nil {
		notice = map[bool]string{true: "Acesso devolvido.", false: "Acesso encerrado."}[*f.Active]
	}
	return s.teamDone(c, "equipe", s.Members.Update(c.ctx(), c.by, c.PathValue("id"), change), notice)
}

func (s *server) memberPassword(c *call, f struct {
	Password asTyped `form:"senha"`
}) error {
	err := s.Members.SetPassword(c.ctx(), c.by, c.PathValue("id"), string(f.Password))
	return s.teamDone(c, "equipe", err, "Senha trocada. As sessões dessa pessoa terminaram.")
}

// nameFields are the form of what has only a name.
type nameFields struct {
	Name string `form:"nome"`
}

func (s *server) originAdd(c *call, f nameFields) error {
	_, err := s.Origins.Add(c.ctx(), c.by, c.by.OrgID(), f.Name)
	return s.teamDone(c, "origens", err, "Origem acrescentada.")
}

func (s *server) originRename(c *call, f nameFields) error {
	return s.teamDone(c, "origens", s.Origins.Rename(c.ctx(), c.by, c.PathValue("id"), f.Name), "Origem renomeada.")
}

func (s *server) originRemove(c *call) error {
	return s.teamDone(c, "origens", s.Origins.Remove(c.ctx(), c.by, c.PathValue("id")), "Origem tirada.")
}

func (s *server) funnelAdd(c *call, f nameFields) error {
	return s.teamDone(c, "funis", s.Funnels.Add(c.ctx(), c.by, f.Name), "Funil criado.")
}

// funnelFields are one thing that is done to a funnel or to a stage of it, and what it takes.
type funnelFields struct {
	Do      string      `form:"fazer"`
	Stage   string      `form:"etapa"`
	Name    string      `form:"nome"`
	Outcome crm.Outcome `form:"resultado"`
}

func (s *server) funnelChange(c *call, f funnelFields) error {
	ctx, id, err := c.ctx(), c.PathValue("id"), c.manager()
	switch {
	case err != nil:
	case f.Do == "renomear-funil":
		err = s.Funnels.Rename(ctx, c.by, id, f.Name)
	case f.Do == "acrescentar":
		err = s.Funnels.AddStage(ctx, c.by, id, f.Name)
	case f.Do == "renomear":
		err = s.Funnels.RenameStage(ctx, c.by, id, f.Stage, f.Name)
	case f.Do == "resultado":
		err = s.Funnels.SetOutcome(ctx, c.by, c.by.OrgID(), f.Stage, f.Outcome)
	case f.Do == "subir":
		err = s.Funnels.RaiseStage(ctx, c.by, id, f.Stage)
	case f.Do == "tirar":
		err = s.Funnels.RemoveStage(ctx, c.by, id, f.Stage)
	default:
		err = errNowhere
	}
	return s.teamDone(c, "funis", err, "Funil guardado.")
}

func (s *server) account(c *call) error {
	return c.render("conta", page{Title: "Sua conta", Nav: "conta", Data: Form{}})
}

// passwordFields are the form of one's own password.
type passwordFields struct {
	Present asTyped `form:"atual"`
	New     asTyped `form:"senha" app:"password"`
}

func (s *server) ownPassword(c *call, f passwordFields) error {
	err := s.Sessions.ChangeOwnPassword(c.ctx(), c.by, string(f.Present), string(f.New), s.Members)
	if shown, ok := c.again(&f, err); ok {
		return c.renderStatus(http.StatusUnprocessableEntity, "conta", page{Title: "Sua conta", Nav: "conta", Data: shown})
	}
	if err != nil {
		return err
	}
	return c.done("/entrar", "Senha trocada. Entre de novo com a senha nova.")
}
