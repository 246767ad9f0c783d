package privacy

import (
	"cmp"
	"net/http"
	"slices"

	"fichario/adapters/web"
	"fichario/app/privacy"
	"fichario/domain/crm"
	"fichario/domain/fault"
)

// purposesPage is the page where an organisation defines what it looks people up for.
type purposesPage struct {
	Purposes []crm.Purpose
	Bases    []crm.Basis
	Roles    []crm.Role
	Shared   bool
	// Part is the code of the purpose whose form is shown again, newPurpose for that of a new one; Open of the one whose
	// form is shown.
	Part, Open string
	Chosen     []string
	web.Form
}

// FormOf is the form of a part of the page: as it was sent, where it comes back.
func (p purposesPage) FormOf(part string) web.Form {
	if p.Part != part {
		return web.Form{}
	}
	return p.Form
}

// Has reports whether a role is chosen in the form of a purpose.
func (p purposesPage) Has(purpose crm.Purpose, r crm.Role) bool {
	if p.Part == purpose.Code {
		return slices.Contains(p.Chosen, string(r))
	}
	return purpose.For(r)
}

// VersionOf is that of what the form of a purpose shows.
func (p purposesPage) VersionOf(purpose crm.Purpose) string { return purposeVersion(purpose) }

func purposeVersion(p crm.Purpose) string { return web.VersionOf([]any{p.Name, p.Basis, p.Roles}) }

// New reports whether a role is chosen in the form of a new purpose.
func (p purposesPage) New(r crm.Role) bool {
	return p.Part != newPurpose || slices.Contains(p.Chosen, string(r))
}

// newPurpose stands for the code in the form of a new purpose; no real code has capital letters.
const newPurpose = "NOVA"

// ownerOnly returns the fault for a caller who is not an owner.
func ownerOnly(c *web.Call) error {
	if c.Member.Role != crm.Owner {
		return fault.New(fault.Forbidden, "Só titulares da organização podem fazer isto.")
	}
	return nil
}

func (s pages) purposeList(c *web.Call) error {
	return s.purposesPage(c, http.StatusOK, purposesPage{})
}

func (s pages) purposesPage(c *web.Call, status int, p purposesPage) (err error) {
	if err := ownerOnly(c); err != nil {
		return err
	}
	p.Open = cmp.Or(p.Part, web.Editing(c))
	p.Bases, p.Roles = crm.Bases(), []crm.Role{crm.Owner, crm.Admin, crm.Common}
	if p.Purposes, err = s.Purposes.List(c.Ctx(), c.By, c.By.OrgID()); err != nil {
		return err
	}
	org, err := s.Organisations.Find(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	p.Shared = !org.OwnHistory
	return c.RenderStatus(status, "finalidades", web.Page{
		Title: "Finalidades", Nav: "configuracoes", Setting: "finalidades", Data: p,
	})
}

// purposeFields are the fields of a purpose's form.
type purposeFields struct {
	Code  string    `form:"codigo" app:"code"`
	Name  string    `form:"nome" app:"name"`
	Basis crm.Basis `form:"base" app:"basis"`
	Roles []string  `form:"papeis" app:"role"`
}

// roles are the chosen roles; nil where all were chosen, which includes future ones.
func (f purposeFields) roles() []crm.Role {
	roles := make([]crm.Role, len(f.Roles))
	for i, r := range f.Roles {
		roles[i] = crm.Role(r)
	}
	if len(roles) == len([]crm.Role{crm.Owner, crm.Admin, crm.Common}) {
		return nil
	}
	return roles
}

func (s pages) purposeAdd(c *web.Call, f purposeFields) error {
	err := f.check()
	if err == nil {
		_, err = s.Purposes.Add(c.Ctx(), c.By, crm.Purpose{
			OrgID: c.By.OrgID(), Code: f.Code, Name: f.Name, Basis: f.Basis, Roles: f.roles(),
		})
	}
	return s.purposeSaved(c, newPurpose, f, err, "Finalidade criada. Ela já vale em todas as instâncias.")
}

// check refuses a purpose without roles, which would otherwise be for all. Fault: InvalidRequest.
func (f purposeFields) check() error {
	if len(f.Roles) == 0 {
		return fault.New(fault.InvalidRequest, "Escolha ao menos um papel que possa usar a finalidade.").At("role")
	}
	return nil
}

func (s pages) purposeChange(c *web.Call, f purposeFields) error {
	code := c.PathValue("codigo")
	err := f.check()
	if err == nil {
		roles := f.roles()
		_, err = s.Purposes.Set(c.Ctx(), c.By, c.By.OrgID(), code, privacy.PurposeChange{
			Name: &f.Name, Basis: &f.Basis, Roles: &roles, Still: web.Still(c, purposeVersion),
		})
	}
	return s.purposeSaved(c, code, f, err, "Finalidade guardada.")
}

func (s pages) purposeRetire(c *web.Call, f struct {
	Retired bool `form:"encerrar"`
}) error {
	_,
		err := s.Purposes.Set(c.Ctx(), c.By, c.By.OrgID(), c.PathValue("codigo"), privacy.PurposeChange{Retired: &f.Retired})
	if err != nil {
		return err
	}
	if f.Retired {
		return c.Done("/finalidades", "Finalidade encerrada. O que foi consultado para ela continua no extrato.")
	}
	return c.Done("/finalidades", "Finalidade em vigor de novo.")
}

func (s pages) purposeShare(c *web.Call, f struct {
	Share bool `form:"dividir"`
}) error {
	if err := s.Organisations.SetShareHistory(c.Ctx(), c.By, c.By.OrgID(), f.Share); err != nil {
		return err
	}
	if f.Share {
		return c.Done("/finalidades", "O histórico de uma finalidade responde às outras.")
	}
	return c.Done("/finalidades", "Cada finalidade usa só o histórico comprado para ela.")
}

func (s pages) purposeSaved(c *web.Call, part string, f purposeFields, err error, notice string) error {
	if shown, ok := c.Again(&f, err); ok {
		return s.purposesPage(c, http.StatusUnprocessableEntity, purposesPage{Part: part, Chosen: f.Roles, Form: shown})
	}
	if err != nil {
		return err
	}
	return c.Done("/finalidades#finalidade-"+part, notice)
}
