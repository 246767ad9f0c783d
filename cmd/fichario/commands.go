package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/document"
)

type migrateCmd struct{}

// Run migrates the database.
func (migrateCmd) Run(e *environment) error {
	return e.withStore(func(*gormstore.Store) error {
		return e.print(map[string]bool{"migrated": true}, "The database is up to date.\n")
	})
}

type orgCmd struct {
	Create orgCreateCmd `cmd:"" help:"Make an organisation."`
	List   orgListCmd   `cmd:"" help:"List the organisations, oldest first."`
}

type orgListCmd struct{}

// Run lists the organisations.
func (orgListCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		all, err := app.NewOrganisations(store, now).List(e.ctx, app.Operator())
		if err != nil {
			return err
		}
		type view struct {
			ID        string    `json:"id"`
			Name      string    `json:"name"`
			CreatedAt time.Time `json:"createdAt"`
		}
		views := make([]view, len(all))
		var text strings.Builder
		for i, org := range all {
			views[i] = view{org.ID, org.Name, org.CreatedAt}
			fmt.Fprintf(&text, "%s  %s\n", org.ID, org.Name)
		}
		return e.print(views, "%s", text.String())
	})
}

type orgCreateCmd struct {
	Name string `required:"" help:"Name of the organisation."`
}

// Run makes an organisation.
func (c *orgCreateCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		org, err := app.NewOrganisations(store, now).Create(e.ctx, c.Name)
		if err != nil {
			return err
		}
		return e.print(map[string]string{"id": org.ID, "name": org.Name}, "Organisation %s: %s\n", org.ID, org.Name)
	})
}

type memberCmd struct {
	Add      memberAddCmd      `cmd:"" help:"Add a person."`
	List     memberListCmd     `cmd:"" help:"List the people of an organisation, oldest first."`
	Password memberPasswordCmd `cmd:"" help:"Give a person a new password; ends his sessions."`
}

type memberPasswordCmd struct {
	ID            string `arg:"" help:"Id of the member."`
	PasswordStdin bool   `required:"" name:"password-stdin" help:"Read the password from the first line of standard input."`
}

// Run sets a member's password.
func (c *memberPasswordCmd) Run(e *environment) error {
	password, err := e.password()
	if err != nil {
		return err
	}
	return e.withStore(func(store *gormstore.Store) error {
		if err := members(store).SetPassword(e.ctx, app.Operator(), c.ID, password); err != nil {
			return err
		}
		return e.print(map[string]string{"id": c.ID}, "Member %s has a new password.\n", c.ID)
	})
}

// password reads a password from the first line of standard input.
func (e *environment) password() (string, error) {
	line, err := bufio.NewReader(io.LimitReader(e.in, 1<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("the password on standard input: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

type memberAddCmd struct {
	Org           string `required:"" help:"Id of the organisation."`
	Name          string `required:"" help:"Name of the person."`
	Email         string `required:"" help:"E-mail address to sign in with."`
	Role          string `required:"" enum:"owner,admin,member" help:"owner, admin or member."`
	PasswordStdin bool   `required:"" name:"password-stdin" help:"Read the password from the first line of standard input."`
}

// Run adds a member.
func (c *memberAddCmd) Run(e *environment) error {
	password, err := e.password()
	if err != nil {
		return err
	}
	return e.withStore(func(store *gormstore.Store) error {
		m, err := members(store).Add(e.ctx, app.Operator(), app.NewMember{
			OrgID: c.Org, Name: c.Name, Email: c.Email, Role: crm.Role(c.Role), Password: password,
		})
		if err != nil {
			return err
		}
		return e.print(map[string]string{"id": m.ID, "name": m.Name, "email": m.Email, "role": string(m.Role)}, "Member %s: %s\n", m.ID, m.Name)
	})
}

type memberListCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// Run lists the members.
func (c *memberListCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		all, err := members(store).List(e.ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		type view struct {
			ID     string   `json:"id"`
			Name   string   `json:"name"`
			Email  string   `json:"email"`
			Role   crm.Role `json:"role"`
			Active bool     `json:"active"`
		}
		views := make([]view, len(all))
		var text strings.Builder
		for i, m := range all {
			views[i] = view{m.ID, m.Name, m.Email, m.Role, m.Active}
			fmt.Fprintf(&text, "%s  %-6s  %s <%s>\n", m.ID, m.Role, m.Name, m.Email)
		}
		return e.print(views, "%s", text.String())
	})
}

type keyCmd struct {
	Create keyCreateCmd `cmd:"" help:"Make a key; it is shown once."`
	List   keyListCmd   `cmd:"" help:"List the keys of an organisation."`
	Revoke keyRevokeCmd `cmd:"" help:"End a key for good."`
	Rotate keyRotateCmd `cmd:"" help:"Give a key a new secret; its statement and limits go on."`
}

type keyCreateCmd struct {
	Org     string   `required:"" help:"Id of the organisation."`
	Name    string   `required:"" help:"Name of the key."`
	Scopes  []string `required:"" help:"Document types it may ask about: cpf,cnpj,placa,email."`
	Minute  int      `name:"per-minute" default:"60" help:"Requests per minute, on each instance."`
	Day     int      `name:"per-day" default:"500" help:"Charged lookups per day; 0 allows answers from history only."`
	Month   int      `name:"per-month" default:"5000" help:"Charged lookups per month; 0 allows answers from history only."`
	Expires string   `help:"Last day (2026-12-31, in the instance's time zone) or instant (2026-12-31T18:00:00Z). Default: never."`
}

// Run makes a key.
func (c *keyCreateCmd) Run(e *environment) error {
	expires, err := c.expiry(e)
	if err != nil {
		return err
	}
	scopes := make([]document.Type, len(c.Scopes))
	for i, s := range c.Scopes {
		scopes[i] = document.Type(strings.TrimSpace(s))
	}
	return e.withStore(func(store *gormstore.Store) error {
		key, secret, err := app.NewKeys(store, now).Create(e.ctx, app.Operator(), app.NewKey{
			OrgID: c.Org, Name: c.Name, Scopes: scopes, ExpiresAt: expires,
			Limits: access.Limits{PerMinute: c.Minute, PerDay: c.Day, PerMonth: c.Month},
		})
		if err != nil {
			return err
		}
		return e.printSecret(key, secret)
	})
}

func (c *keyCreateCmd) expiry(e *environment) (time.Time, error) {
	if c.Expires == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, c.Expires); err == nil {
		return at.UTC(), nil
	}
	calendar, err := e.calendar()
	if err != nil {
		return time.Time{}, err
	}
	start, err := calendar.StartOf(c.Expires)
	if err != nil {
		return time.Time{}, fmt.Errorf("--expires: %q is neither a day such as 2026-12-31 nor an instant such as 2026-12-31T18:00:00Z", c.Expires)
	}
	return calendar.NextDay(start), nil
}

func (e *environment) printSecret(key access.Key, secret access.Secret) error {
	return e.print(map[string]string{"id": key.ID, "key": secret.Reveal(), "prefix": key.Prefix},
		"Key %s: %s\nIt is shown only now. To try it:\n\n  curl -H 'Authorization: Bearer %s' %s/api/v1/produtos\n",
		key.ID, secret.Reveal(), secret.Reveal(), e.publicURL(e.settings.Listen))
}

type keyListCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// keyView is a key as `key list --json` shows it.
type keyView struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Prefix     string          `json:"prefix"`
	Scopes     []document.Type `json:"scopes"`
	PerMinute  int             `json:"perMinute"`
	PerDay     int             `json:"perDay"`
	PerMonth   int             `json:"perMonth"`
	CreatedAt  time.Time       `json:"createdAt"`
	ExpiresAt  *time.Time      `json:"expiresAt"`
	RevokedAt  *time.Time      `json:"revokedAt"`
	LastUsedAt *time.Time      `json:"lastUsedAt"`
}

// Run lists the keys.
func (c *keyListCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		keys, err := app.NewKeys(store, now).List(e.ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		views := make([]keyView, len(keys))
		var text strings.Builder
		for i, k := range keys {
			views[i] = keyView{
				ID: k.ID, Name: k.Name, Prefix: k.Prefix, Scopes: k.Scopes, PerMinute: k.Limits.PerMinute, PerDay: k.Limits.PerDay,
				PerMonth: k.Limits.PerMonth, CreatedAt: k.CreatedAt, ExpiresAt: orNull(k.ExpiresAt), RevokedAt: orNull(k.RevokedAt), LastUsedAt: orNull(k.LastUsedAt),
			}
			state := "active"
			if !k.UsableAt(now()) {
				state = "ended"
			}
			fmt.Fprintf(&text, "%s  %s…  %-6s  %s\n", k.ID, k.Prefix, state, k.Name)
		}
		return e.print(views, "%s", text.String())
	})
}

func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

type keyRevokeCmd struct {
	ID string `arg:"" help:"Id of the key."`
}

// Run revokes a key.
func (c *keyRevokeCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		if err := app.NewKeys(store, now).Revoke(e.ctx, app.Operator(), c.ID); err != nil {
			return err
		}
		return e.print(map[string]any{"id": c.ID, "revoked": true}, "Key %s is revoked.\n", c.ID)
	})
}

type keyRotateCmd struct {
	ID      string        `arg:"" help:"Id of the key."`
	Overlap time.Duration `default:"0" help:"How long the old secret still works."`
}

// Run rotates a key.
func (c *keyRotateCmd) Run(e *environment) error {
	return e.withStore(func(store *gormstore.Store) error {
		key, secret, err := app.NewKeys(store, now).Rotate(e.ctx, app.Operator(), c.ID, c.Overlap)
		if err != nil {
			return err
		}
		return e.printSecret(key, secret)
	})
}
