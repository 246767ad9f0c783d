package privacy

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/privacy"
	"fichario/cmd/fichario/command"
	"fichario/domain/crm"
)

// Purpose holds the commands of purposes.
type Purpose struct {
	Add  purposeAddCmd  `cmd:"" help:"Register a purpose."`
	List purposeListCmd `cmd:"" help:"List the purposes of an organisation, including retired ones."`
	Set  purposeSetCmd  `cmd:"" help:"Rename a purpose, change who may use it, or retire it; lookups keep its code."`
}

type purposeAddCmd struct {
	Org   string   `required:"" help:"Id of the organisation."`
	Code  string   `required:"" help:"Code used in requests, such as credito; it never changes."`
	Name  string   `required:"" help:"Name for people."`
	Basis string   `required:"" help:"Legal basis of LGPD, art. 7: consentimento, obrigacao_legal, politicas_publicas, estudos, execucao_de_contrato, exercicio_de_direitos, protecao_da_vida, tutela_da_saude, legitimo_interesse or protecao_do_credito."`
	Roles []string `help:"Roles whose members may use it: owner,admin,member. Default: all."`
}

// Run registers a purpose.
func (c *purposeAddCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		made, err := privacy.NewPurposes(store, command.Now).Add(e.Ctx, app.Operator(), crm.Purpose{
			OrgID: c.Org, Code: c.Code, Name: c.Name, Basis: crm.Basis(c.Basis), Roles: rolesOf(c.Roles),
		})
		if err != nil {
			return err
		}
		return e.Print(viewPurpose(made), "Purpose %s: %s\n", made.Code, made.Name)
	})
}

func rolesOf(texts []string) []crm.Role {
	roles := []crm.Role{}
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			roles = append(roles, crm.Role(text))
		}
	}
	return roles
}

// purposeView is a purpose as --json shows it; empty roles mean all.
type purposeView struct {
	ID        string     `json:"id"`
	Code      string     `json:"code"`
	Name      string     `json:"name"`
	Basis     crm.Basis  `json:"basis"`
	Roles     []crm.Role `json:"roles"`
	CreatedAt time.Time  `json:"createdAt"`
	RetiredAt *time.Time `json:"retiredAt"`
}

func viewPurpose(p crm.Purpose) purposeView {
	return purposeView{
		p.ID, p.Code, p.Name, p.Basis, append([]crm.Role{}, p.Roles...), p.CreatedAt, command.TimeOrNull(p.RetiredAt),
	}
}

type purposeListCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// Run lists the purposes.
func (c *purposeListCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := privacy.NewPurposes(store, command.Now).List(e.Ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		return command.PrintList(e, all, viewPurpose, func(p crm.Purpose) string {
			state := "in force"
			if !p.InForce() {
				state = "retired"
			}
			return fmt.Sprintf("%-20s  %-8s  %-20s  %s", p.Code, state, p.Basis, p.Name)
		})
	})
}

type purposeSetCmd struct {
	Org     string    `required:"" help:"Id of the organisation."`
	Code    string    `required:"" help:"Code of the purpose."`
	Name    *string   `help:"New name."`
	Basis   *string   `help:"New legal basis."`
	Roles   *[]string `help:"Roles whose members may use it: owner,admin,member; empty for all."`
	Retired *bool     `help:"true: no more lookups for this purpose; false: in force again."`
}

// Run changes a purpose.
func (c *purposeSetCmd) Run(e *command.Environment) error {
	if c.Name == nil && c.Basis == nil && c.Roles == nil && c.Retired == nil {
		return errors.New("give --name, --basis, --roles or --retired")
	}
	change := privacy.PurposeChange{Name: c.Name, Retired: c.Retired}
	if c.Basis != nil {
		basis := crm.Basis(*c.Basis)
		change.Basis = &basis
	}
	if c.Roles != nil {
		roles := rolesOf(*c.Roles)
		change.Roles = &roles
	}
	return e.WithStore(func(store *gormstore.Store) error {
		changed, err := privacy.NewPurposes(store, command.Now).Set(e.Ctx, app.Operator(), c.Org, c.Code, change)
		if err != nil {
			return err
		}
		return e.Print(viewPurpose(changed), "Purpose %s: %s\n", changed.Code, changed.Name)
	})
}
