// Package team holds the commands of organisations, members and notifications.
package team

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/team"
	"fichario/cmd/fichario/command"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

// Member holds the commands of members.
type Member struct {
	Add      memberAddCmd      `cmd:"" help:"Add a person."`
	List     memberListCmd     `cmd:"" help:"List the people of an organisation, oldest first."`
	Budget   memberBudgetCmd   `cmd:"" help:"Set what a person's lookups may cost in a month."`
	Password memberPasswordCmd `cmd:"" help:"Set a new password for a person; ends their sessions."`
	Link     memberLinkCmd     `cmd:"" help:"Create a link for choosing a password; works once, for 30 minutes."`

	Unlink            memberUnlinkCmd `cmd:"" help:"Unlink a person from their account at the OpenID Connect provider, so that another can be linked; ends their sessions."`
	ResetSecondFactor memberResetCmd  `cmd:"" name:"reset-second-factor" help:"Remove a person's second factor; ends their sessions."`
}

type memberBudgetCmd struct {
	ID    string `arg:"" help:"Id of the member."`
	Month string `xor:"budget" required:"" help:"Most that may be charged in a month, in reais, such as 150 or 150.50."`
	None  bool   `xor:"budget" required:"" help:"No limit."`
}

// Run sets or removes a member's budget.
func (c *memberBudgetCmd) Run(e *command.Environment) error {
	budget := team.NoBudget
	if !c.None {
		var err error
		if budget, err = catalog.ParseMoney(c.Month); err != nil {
			return fmt.Errorf("--month: %w", err)
		}
	}
	return e.WithStore(func(store *gormstore.Store) error {
		err := command.Members(store).Update(e.Ctx, app.Operator(), c.ID, team.MemberChange{Budget: &budget})
		if err != nil {
			return err
		}
		if c.None {
			return e.Print(map[string]any{"id": c.ID, "budget": nil}, "Member %s has no budget.\n", c.ID)
		}
		return e.Print(map[string]any{"id": c.ID, "budget": json.Number(budget.String())},
			"Member %s may spend %s a month.\n", c.ID, budget.Reais())
	})
}

type memberPasswordCmd struct {
	ID            string `arg:"" help:"Id of the member."`
	PasswordStdin bool   `required:"" name:"password-stdin" help:"Read the password from the first line of standard input."`
}

// Run sets a member's password.
func (c *memberPasswordCmd) Run(e *command.Environment) error {
	password, err := passwordFor(e)
	if err != nil {
		return err
	}
	return e.WithStore(func(store *gormstore.Store) error {
		if err := command.Members(store).SetPassword(e.Ctx, app.Operator(), c.ID, password); err != nil {
			return err
		}
		return e.Print(map[string]string{"id": c.ID}, "Member %s has a new password.\n", c.ID)
	})
}

// passwordFor reads a password from the first line of standard input.
func passwordFor(e *command.Environment) (string, error) {
	return e.Typed(bufio.NewReader(io.LimitReader(e.In, 1<<10)), "Password: ")
}

type memberAddCmd struct {
	Org           string `required:"" help:"Id of the organisation."`
	Name          string `required:"" help:"Name of the person."`
	Email         string `required:"" help:"E-mail address to sign in with."`
	Role          string `required:"" enum:"owner,admin,member" help:"owner, admin or member."`
	PasswordStdin bool   `required:"" xor:"password" name:"password-stdin" help:"Read the password from the first line of standard input."`
	Invite        bool   `required:"" xor:"password" help:"No password: the person chooses one, with a link from an e-mail or from member link."`
}

// Run adds a member.
func (c *memberAddCmd) Run(e *command.Environment) (err error) {
	password := ""
	if c.PasswordStdin {
		if password, err = passwordFor(e); err != nil {
			return err
		}
		if password == "" {
			password = " " // so that it is refused like any other short password
		}
	}
	if _, err := e.Mailer(); err != nil && c.Invite {
		return err // before anybody is added
	}
	return e.WithStore(func(store *gormstore.Store) error {
		m, err := command.Members(store).Add(e.Ctx, app.Operator(), team.NewMember{
			OrgID: c.Org, Name: c.Name, Email: c.Email, Role: crm.Role(c.Role), Password: password,
		})
		if err == nil && c.Invite && e.Settings.SMTPURL != "" {
			err = withLinks(e, store, func(l *team.Links) error { return l.Invite(e.Ctx, app.Operator(), m.ID) })
			if refusal := app.FaultOf(err); refusal != nil {
				return fmt.Errorf("member %s was added, but not invited: %s; create a link with: fichario member link %s", m.ID,
					strings.TrimSuffix(refusal.Message, ". Tente de novo."), m.ID)
			}
		}
		if err != nil {
			return err
		}
		return e.Print(map[string]string{
			"id": m.ID, "name": m.Name, "email": m.Email, "role": string(m.Role),
		}, "Member %s: %s\n", m.ID, m.Name)
	})
}

type memberListCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// Run lists the members.
func (c *memberListCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := command.Members(store).List(e.Ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		type view struct {
			ID     string       `json:"id"`
			Name   string       `json:"name"`
			Email  string       `json:"email"`
			Role   crm.Role     `json:"role"`
			Active bool         `json:"active"`
			Budget *json.Number `json:"budget"`
		}
		return command.PrintList(e, all,
			func(m crm.Member) view {
				v := view{ID: m.ID, Name: m.Name, Email: m.Email, Role: m.Role, Active: m.Active}
				if m.Budget != nil {
					budget := json.Number(m.Budget.String())
					v.Budget = &budget
				}
				return v
			},
			func(m crm.Member) string { return fmt.Sprintf("%s  %-6s  %s <%s>", m.ID, m.Role, m.Name, m.Email) })
	})
}
