package team

import (
	"net/http"

	"fichario/adapters/web"
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

// Version is that of what the row shows where it is edited.
func (m memberLine) Version() string { return memberVersion(m.Member) }

func memberVersion(m crm.Member) string { return web.VersionOf([]any{m.Name, m.Role, m.Budget}) }

// memberLines are the people of the caller's organisation.
func (s pages) memberLines(c *web.Call) ([]memberLine, error) {
	all, err := s.Members.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return nil, err
	}
	ids, lines := make([]string, len(all)), make([]memberLine, len(all))
	for i, m := range all {
		ids[i] = m.ID
	}
	spent, err := s.Statement.SpentByAccounts(c.Ctx(), c.By, ids)
	for i, m := range all {
		lines[i] = memberLine{m, spent[m.ID].Amount, c.Member.Role == crm.Owner || m.Role != crm.Owner}
	}
	return lines, err
}

// memberFields are the fields of another person's form.
type memberFields struct {
	Name     string      `form:"nome" app:"name"`
	Email    string      `form:"email"`
	Role     crm.Role    `form:"papel" app:"role"`
	Password web.AsTyped `form:"senha" app:"password"`
}

func (s pages) memberAdd(c *web.Call, f memberFields) error {
	if f.Password == "" && !s.Links.Mails() {
		f.Password = " " // so that it is refused like any other short password
	}
	made, err := s.Members.Add(c.Ctx(), c.By, team.NewMember{
		OrgID: c.By.OrgID(), Name: f.Name, Email: f.Email, Role: f.Role, Password: string(f.Password),
	})
	if shown, ok := c.Again(&f, err); ok {
		return s.teamPage(c, http.StatusUnprocessableEntity, teamPage{Part: "equipe", Form: shown})
	}
	if err == nil && f.Password == "" {
		if err = s.Links.Invite(c.Ctx(), c.By, made.ID); app.FaultOf(err) != nil {
			// The person was added: only the invitation has to be sent again.
			return s.teamPage(c, http.StatusOK, teamPage{Part: "equipe", About: made.ID, Form: web.Form{
				Problem: "Pessoa acrescentada, mas o convite não pôde ser enviado. Use Convidar de novo.",
			}})
		}
		return s.personDone(c, made.ID, err, "Convite enviado. O link vale por 30 minutos.")
	}
	return s.personDone(c, made.ID, err, "Pessoa acrescentada. Diga a ela o e-mail e a senha.")
}

// memberChangeFields are the changes to a person; fields that are not sent stay.
type memberChangeFields struct {
	Name   *string        `form:"nome" app:"name"`
	Role   crm.Role       `form:"papel" app:"role"`
	Active *bool          `form:"ativo" app:"active"`
	Budget *catalog.Money `form:"orcamento" app:"budget" validate:"omitempty,min=0" says:"Escreva um valor só, como R$ 150,00, ou deixe vazio."`
}

func (s pages) memberChange(c *web.Call) error {
	var f memberChangeFields
	id, err := c.PathValue("id"), c.Decode(&f)
	if err == nil {
		err = s.Members.Update(c.Ctx(), c.By, id, f.change(c))
	}
	if shown, ok := c.Again(&f, err); ok && f.Active == nil {
		return s.teamPage(c, http.StatusUnprocessableEntity, teamPage{Part: "equipe", Edit: id, Form: shown})
	}
	notice := "Guardado."
	if f.Active != nil {
		notice = map[bool]string{true: "Acesso devolvido.", false: "Acesso encerrado."}[*f.Active]
	}
	return s.personDone(c, id, err, notice)
}

// change is the change in the form; an empty budget removes it.
func (f memberChangeFields) change(c *web.Call) team.MemberChange {
	change := team.MemberChange{
		Name: f.Name, Active: f.Active, Budget: f.Budget, Still: web.Still(c, memberVersion),
	}
	if f.Role != "" {
		change.Role = &f.Role
	}
	if none := team.NoBudget; f.Budget == nil && c.PostForm.Has("orcamento") {
		change.Budget = &none
	}
	return change
}

func (s pages) memberPassword(c *web.Call, f struct {
	Password web.AsTyped `form:"senha" app:"password"`
}) error {
	id := c.PathValue("id")
	err := s.Members.SetPassword(c.Ctx(), c.By, id, string(f.Password))
	if shown, ok := c.Again(&f, err); ok {
		again := teamPage{Part: "equipe", About: id, Ask: "senha-" + id, Form: shown}
		return s.teamPage(c, http.StatusUnprocessableEntity, again)
	}
	return s.personDone(c, id, err, "Senha trocada. As sessões dessa pessoa terminaram.")
}

func (s pages) account(c *web.Call) error {
	return c.Render("conta", web.Page{Title: "Sua conta", Nav: "conta", Data: web.Form{}})
}

// passwordFields are the form for one's own password.
type passwordFields struct {
	Present web.AsTyped `form:"atual"`
	New     web.AsTyped `form:"senha" app:"password"`
}

func (s pages) ownPassword(c *web.Call, f passwordFields) error {
	err := s.Sessions.ChangeOwnPassword(c.Ctx(), c.By, string(f.Present), string(f.New), s.Members)
	if why := app.FaultOf(err); tooMany(err) {
		retryAfter(c, why)
		return c.RenderStatus(http.StatusServiceUnavailable, "conta", web.Page{
			Title: "Sua conta", Nav: "conta",
			Data: web.Form{Field: "atual", Problem: "A senha não foi conferida. " + why.Message},
		})
	}
	if shown, ok := c.Again(&f, err); ok {
		if web.IsUnauthenticated(err) { // the current password is checked before the new one
			shown.Field = "atual"
		}
		return c.RenderStatus(http.StatusUnprocessableEntity, "conta",
			web.Page{Title: "Sua conta", Nav: "conta", Data: shown})
	}
	if err != nil {
		return err
	}
	return leave(c, "Senha trocada. Entre com a nova.")
}

// memberInvite sends a person another link.
func (s pages) memberInvite(c *web.Call) error {
	id := c.PathValue("id")
	err := s.Links.Invite(c.Ctx(), c.By, id)
	return s.personDone(c, id, err, "Convite enviado. O link vale por 30 minutos.")
}
