package web

import (
	"net/http"

	"fichario/app"
	"fichario/app/team"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

// memberLine is a person in the list of the team.
type memberLine struct {
	crm.Member
	// Spent is the cost of the person's lookups this month.
	Spent catalog.Money
	// Editable says that the caller may change the person.
	Editable bool
}

// memberLines are the people of the caller's organisation.
func (s *server) memberLines(c *call) ([]memberLine, error) {
	all, err := s.Members.List(c.ctx(), c.by, c.by.OrgID())
	if err != nil {
		return nil, err
	}
	ids, lines := make([]string, len(all)), make([]memberLine, len(all))
	for i, m := range all {
		ids[i] = m.ID
	}
	spent, err := s.Lookups.SpentByMembers(c.ctx(), c.by, ids)
	for i, m := range all {
		lines[i] = memberLine{m, spent[m.ID].Amount, c.member.Role == crm.Owner || m.Role != crm.Owner}
	}
	return lines, err
}

// memberFields are the fields of another person's form.
type memberFields struct {
	Name     string   `form:"nome" app:"name"`
	Email    string   `form:"email"`
	Role     crm.Role `form:"papel" app:"role"`
	Password asTyped  `form:"senha" app:"password"`
}

func (s *server) memberAdd(c *call, f memberFields) error {
	if f.Password == "" && !s.Links.Mails() {
		f.Password = " " // so that it is refused like any other short password
	}
	made, err := s.Members.Add(c.ctx(), c.by, team.NewMember{
		OrgID: c.by.OrgID(), Name: f.Name, Email: f.Email, Role: f.Role, Password: string(f.Password),
	})
	if shown, ok := c.again(&f, err); ok {
		return s.teamPage(c, http.StatusUnprocessableEntity, teamPage{Part: "equipe", Form: shown})
	}
	if err == nil && f.Password == "" {
		if err = s.Links.Invite(c.ctx(), c.by, made.ID); app.FaultOf(err) != nil {
			// The person was added: only the invitation has to be sent again.
			return s.teamPage(c, http.StatusOK, teamPage{Part: "equipe", Form: Form{
				Problem: "Pessoa acrescentada, mas o convite não pôde ser enviado. Use Convidar de novo.",
			}})
		}
		return s.teamDone(c, "equipe", err, "Convite enviado. O link vale por 30 minutos.")
	}
	return s.teamDone(c, "equipe", err, "Pessoa acrescentada. Diga a ela o e-mail e a senha.")
}

// memberChangeFields are the changes to a person; fields that are not sent stay.
type memberChangeFields struct {
	Name   *string        `form:"nome" app:"name"`
	Role   crm.Role       `form:"papel" app:"role"`
	Active *bool          `form:"ativo" app:"active"`
	Budget *catalog.Money `form:"orcamento" app:"budget" validate:"omitempty,min=0" says:"Escreva um valor só, como R$ 150,00, ou deixe vazio."`
}

func (s *server) memberChange(c *call) error {
	var f memberChangeFields
	id, err := c.PathValue("id"), c.decode(&f)
	if err == nil {
		err = s.Members.Update(c.ctx(), c.by, id, f.change(c))
	}
	if shown, ok := c.again(&f, err); ok && f.Active == nil {
		return s.teamPage(c, http.StatusUnprocessableEntity, teamPage{Part: "equipe", Edit: id, Form: shown})
	}
	notice := "Guardado."
	if f.Active != nil {
		notice = map[bool]string{true: "Acesso devolvido.", false: "Acesso encerrado."}[*f.Active]
	}
	return s.teamDone(c, "equipe", err, notice)
}

// change is the change in the form; an empty budget removes it.
func (f memberChangeFields) change(c *call) team.MemberChange {
	change := team.MemberChange{Name: f.Name, Active: f.Active, Budget: f.Budget}
	if f.Role != "" {
		change.Role = &f.Role
	}
	if none := team.NoBudget; f.Budget == nil && c.PostForm.Has("orcamento") {
		change.Budget = &none
	}
	return change
}

func (s *server) memberPassword(c *call, f struct {
	Password asTyped `form:"senha"`
}) error {
	err := s.Members.SetPassword(c.ctx(), c.by, c.PathValue("id"), string(f.Password))
	return s.teamDone(c, "equipe", err, "Senha trocada. As sessões dessa pessoa terminaram.")
}

func (s *server) account(c *call) error {
	return c.render("conta", page{Title: "Sua conta", Nav: "conta", Data: Form{}})
}

// passwordFields are the form for one's own password.
type passwordFields struct {
	Present asTyped `form:"atual"`
	New     asTyped `form:"senha" app:"password"`
}

func (s *server) ownPassword(c *call, f passwordFields) error {
	err := s.Sessions.ChangeOwnPassword(c.ctx(), c.by, string(f.Present), string(f.New), s.Members)
	if why := app.FaultOf(err); tooMany(err) {
		retryAfter(c, why)
		return c.renderStatus(http.StatusServiceUnavailable, "conta", page{
			Title: "Sua conta", Nav: "conta", Data: Form{Field: "atual", Problem: "A senha não foi conferida. " + why.Message},
		})
	}
	if shown, ok := c.again(&f, err); ok {
		if isUnauthenticated(err) { // the current password is checked before the new one
			shown.Field = "atual"
		}
		return c.renderStatus(http.StatusUnprocessableEntity, "conta", page{Title: "Sua conta", Nav: "conta", Data: shown})
	}
	if err != nil {
		return err
	}
	return leave(c, "Senha trocada. Entre com a nova.")
}

// memberInvite sends a person another link.
func (s *server) memberInvite(c *call) error {
	err := s.Links.Invite(c.ctx(), c.by, c.PathValue("id"))
	return s.teamDone(c, "equipe", err, "Convite enviado. O link vale por 30 minutos.")
}
