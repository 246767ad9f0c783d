// Package lookups holds the commands of API keys and bureau files.
package lookups

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/lookups"
	"fichario/cmd/fichario/command"
	"fichario/domain/access"
	"fichario/domain/document"
	"fichario/domain/text"
)

// Key holds the commands of API keys.
type Key struct {
	Create keyCreateCmd `cmd:"" help:"Create a key; it is shown once."`
	List   keyListCmd   `cmd:"" help:"List the keys of an organisation."`
	Set    keySetCmd    `cmd:"" help:"Change a key's purposes, limits, and the networks that may use it."`
	Revoke keyRevokeCmd `cmd:"" help:"Revoke a key permanently."`
	Rotate keyRotateCmd `cmd:"" help:"Give a key a new secret; its statement and limits stay."`
}

type keyCreateCmd struct {
	Org      string      `required:"" help:"Id of the organisation."`
	Name     string      `required:"" help:"Name of the key."`
	Scopes   []string    `required:"" help:"Document types it may look up: cpf,cnpj,placa,email; and bureau: it may name the bureau to ask."`
	Minute   wholeNumber `name:"per-minute" default:"60" help:"Requests per minute, on each instance."`
	Day      wholeNumber `name:"per-day" default:"500" help:"Charged lookups per day; 0 allows answers from history only."`
	Month    wholeNumber `name:"per-month" default:"5000" help:"Charged lookups per month; 0 allows answers from history only."`
	Purposes []string    `help:"Codes of the purposes it may use. Default: all."`
	From     []string    `help:"Addresses and ranges it may be used from, such as 203.0.113.0/24,2001:db8::1. Default: all."`
	Contacts bool        `help:"Let agents search the organisation's contacts with it (docs/mcp.md)."`
	Expires  string      `help:"Last day (2026-12-31, in the instance's time zone) or end time (2026-12-31T18:00:00Z). Default: never."`
}

// Run makes a key.
func (c *keyCreateCmd) Run(e *command.Environment) error {
	expires, err := c.expiry(e)
	if err != nil {
		return err
	}
	scopes := make([]document.Type, len(c.Scopes))
	for i, s := range c.Scopes {
		scopes[i] = document.Type(strings.TrimSpace(s))
	}
	return e.WithStore(func(store *gormstore.Store) error {
		key, secret, err := lookups.NewKeys(store, command.Now).Create(e.Ctx, app.Operator(), lookups.NewKey{
			OrgID: c.Org, Name: c.Name, Scopes: scopes, ExpiresAt: expires,
			Limits:   access.Limits{PerMinute: int(c.Minute), PerDay: int(c.Day), PerMonth: int(c.Month)},
			Purposes: trimmed(c.Purposes), From: c.From, Contacts: c.Contacts,
		})
		if err != nil {
			return err
		}
		return printSecret(e, key, secret)
	})
}

// wholeNumber is a flag with a number, grouped or not: 2000 or 2.000.
type wholeNumber int

// UnmarshalText parses it.
func (n *wholeNumber) UnmarshalText(b []byte) error {
	v, ok := text.Whole(string(b))
	if !ok {
		return fmt.Errorf("%q is not a whole number, such as 60 or 2.000", b)
	}
	*n = wholeNumber(v)
	return nil
}

func (c *keyCreateCmd) expiry(e *command.Environment) (time.Time, error) {
	if c.Expires == "" {
		return time.Time{}, nil
	}
	if at, err := time.Parse(time.RFC3339, c.Expires); err == nil {
		if at.Year() > access.LastYear {
			return time.Time{}, fmt.Errorf("--expires: %w", access.ErrYear)
		}
		return at.UTC(), nil
	}
	calendar, err := e.Calendar()
	if err != nil {
		return time.Time{}, err
	}
	start, err := calendar.StartOf(c.Expires)
	if errors.Is(err, access.ErrYear) {
		return time.Time{}, fmt.Errorf("--expires: %w", err)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf(
			"--expires: %q is neither a day such as 2026-12-31 nor a time such as 2026-12-31T18:00:00Z", c.Expires)
	}
	return calendar.NextDay(start), nil
}

func printSecret(e *command.Environment, key access.Key, secret access.Secret) error {
	return e.Print(map[string]string{"id": key.ID, "key": secret.Reveal(), "prefix": key.Prefix},
		"Key %s: %s\nIt is not shown again. To try it:\n\n  curl -H 'Authorization: Bearer %s' %s/api/v1/produtos\n",
		key.ID, secret.Reveal(), secret.Reveal(), e.PublicURL(e.Settings.Listen))
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
	Purposes   []string        `json:"purposes"`
	From       []netip.Prefix  `json:"from"`
	Contacts   bool            `json:"contacts"`
	Bureau     bool            `json:"bureau"`
	CreatedAt  time.Time       `json:"createdAt"`
	ExpiresAt  *time.Time      `json:"expiresAt"`
	RevokedAt  *time.Time      `json:"revokedAt"`
	LastUsedAt *time.Time      `json:"lastUsedAt"`
}

func viewKey(k access.Key) keyView {
	return keyView{
		ID: k.ID, Name: k.Name, Prefix: k.Prefix, Scopes: k.Scopes, PerMinute: k.Limits.PerMinute,
		PerDay: k.Limits.PerDay, PerMonth: k.Limits.PerMonth, Purposes: append([]string{}, k.Purposes...),
		From: append([]netip.Prefix{}, k.From...), Contacts: k.Contacts,
		Bureau: k.Bureau, CreatedAt: k.CreatedAt,
		ExpiresAt: command.TimeOrNull(k.ExpiresAt),
		RevokedAt: command.TimeOrNull(k.RevokedAt), LastUsedAt: command.TimeOrNull(k.LastUsedAt),
	}
}

// keyUseView is a key with the number and cost, in reais, of the lookups that it was charged for.
type keyUseView struct {
	keyView
	ChargedToday int         `json:"chargedToday"`
	ChargedMonth int         `json:"chargedMonth"`
	SpentToday   json.Number `json:"spentToday"`
	SpentMonth   json.Number `json:"spentMonth"`
}

// Run lists the keys.
func (c *keyListCmd) Run(e *command.Environment) error {
	calendar, err := e.Calendar()
	if err != nil {
		return err
	}
	return e.WithStore(func(store *gormstore.Store) error {
		keys, err := lookups.NewStatement(store, calendar, command.Now).Keys(e.Ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		view := func(k lookups.KeyUse) keyUseView {
			return keyUseView{
				keyView: viewKey(k.Key), ChargedToday: k.Today.Count, ChargedMonth: k.Month.Count,
				SpentToday: json.Number(k.Today.Amount.String()), SpentMonth: json.Number(k.Month.Amount.String()),
			}
		}
		return command.PrintList(e, keys, view, func(k lookups.KeyUse) string {
			state := "active"
			if !k.Usable {
				state = "ended"
			}
			return fmt.Sprintf("%s  %s…  %-6s  today %5d %12s  month %5d %12s  %s", k.ID, k.Prefix, state,
				k.Today.Count, k.Today.Amount.Reais(), k.Month.Count, k.Month.Amount.Reais(), k.Name)
		})
	})
}

// trimmed returns the words that are not empty.
func trimmed(words []string) []string {
	var out []string
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}

type keySetCmd struct {
	ID       string    `arg:"" help:"Id of the key."`
	Purposes *[]string `help:"Codes of the purposes it may use; empty for all."`
	From     *[]string `help:"Addresses and ranges it may be used from, such as 203.0.113.0/24,2001:db8::1; empty for all."`

	Minute *wholeNumber `name:"per-minute" help:"Requests per minute, on each instance."`
	Day    *wholeNumber `name:"per-day" help:"Charged lookups per day; 0 allows answers from history only."`
	Month  *wholeNumber `name:"per-month" help:"Charged lookups per month; 0 allows answers from history only."`
}

// Run changes a key.
func (c *keySetCmd) Run(e *command.Environment) error {
	if c.Purposes == nil && c.From == nil && c.Minute == nil && c.Day == nil && c.Month == nil {
		return errors.New("give --purposes, --from, --per-minute, --per-day or --per-month")
	}
	if c.Purposes != nil {
		purposes := trimmed(*c.Purposes)
		c.Purposes = &purposes
	}
	return e.WithStore(func(store *gormstore.Store) error {
		key, err := lookups.NewKeys(store, command.Now).Change(e.Ctx, app.Operator(), c.ID, lookups.KeyChange{
			Purposes: c.Purposes, From: c.From,
			PerMinute: (*int)(c.Minute), PerDay: (*int)(c.Day), PerMonth: (*int)(c.Month),
		})
		if err != nil {
			return err
		}
		return e.Print(viewKey(key), "Key %s is changed.\n", key.ID)
	})
}

type keyRevokeCmd struct {
	ID string `arg:"" help:"Id of the key."`
}

// Run revokes a key.
func (c *keyRevokeCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		if err := lookups.NewKeys(store, command.Now).Revoke(e.Ctx, app.Operator(), c.ID); err != nil {
			return err
		}
		return e.Print(map[string]any{"id": c.ID, "revoked": true}, "Key %s is revoked.\n", c.ID)
	})
}

type keyRotateCmd struct {
	ID      string        `arg:"" help:"Id of the key."`
	Overlap time.Duration `default:"0" help:"How long the old secret keeps working; at most 720h."`
}

// Run rotates a key.
func (c *keyRotateCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		key, secret, err := lookups.NewKeys(store, command.Now).Rotate(e.Ctx, app.Operator(), c.ID, c.Overlap)
		if err != nil {
			return err
		}
		return printSecret(e, key, secret)
	})
}
