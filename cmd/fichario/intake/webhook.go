// Package intake holds the commands of webhooks and their deliveries.
package intake

import (
	"bufio"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	intakeapp "fichario/app/intake"
	"fichario/cmd/fichario/command"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/text"
	"fichario/domain/webhook"
)

// Webhook holds the commands of webhooks.
type Webhook struct {
	Create     webhookCreateCmd     `cmd:"" help:"Make a webhook and print its address."`
	List       webhookListCmd       `cmd:"" help:"List the webhooks of an organisation."`
	Show       webhookShowCmd       `cmd:"" help:"Show a webhook with its address and count of posts."`
	Set        webhookSetCmd        `cmd:"" help:"Change a webhook."`
	Enable     webhookEnableCmd     `cmd:"" help:"Accept contacts."`
	Disable    webhookDisableCmd    `cmd:"" help:"Refuse contacts until it is enabled; senders that retry lose none."`
	Regenerate webhookRegenerateCmd `cmd:"" help:"Give it a new address; the old one stops working."`
	Deliveries webhookDeliveriesCmd `cmd:"" help:"List the posts that are kept, newest first."`
	Delivery   webhookDeliveryCmd   `cmd:"" help:"Show a delivery with its body."`
	Replay     webhookReplayCmd     `cmd:"" help:"Process a delivery again, as if it arrived now."`
}

type webhookCreateCmd struct {
	Org         string `required:"" help:"Id of the organisation."`
	Name        string `required:"" help:"Name of the webhook; contacts' histories show it."`
	Type        string `required:"" enum:"generic,formservice,meta,linkedin" help:"generic, formservice for an online form product, or meta or linkedin for the forms of advertisements there, whose leads are fetched (fichario meta connect, fichario linkedin connect)."`
	Origin      string `help:"Name of the fixed origin of all its contacts."`
	Bands       string `enum:"zero,lower,middle,upper" default:"zero" help:"Value of a band such as 'R$ 1 mil a R$ 2 mil': zero, lower, middle or upper."`
	Signature   string `enum:",typeform,tally,standard,hmac,google" default:"" help:"How senders must sign: typeform, tally, standard (Standard Webhooks), hmac (X-Hub-Signature-256 or X-Signature with the HMAC-SHA256 of the body, hex or base64) or google (the key of a lead form of Google Ads, in its body). Default: no signature."`
	Secret      string `help:"Secret that senders sign with."`
	Header      string `name:"signature-header" help:"Header that carries the signature of --signature hmac, such as X-Cal-Signature-256; with or without a leading sha256=, hex or base64. Default: the usual ones."`
	VerifyToken string `name:"verify-token" help:"Text of your choice that Meta's challenge must know; for --type meta, as you enter it at Meta."`
	AppSecret   bool   `name:"app-secret-stdin" help:"Read the secret of the platform's app from standard input, one line, with which it signs; for --type meta and linkedin."`
	ThanksURL   string `name:"thanks-url" help:"Page to which a browser is redirected after a plain HTML form."`
	Rotation    string `help:"Name or id of the rotation that assigns its contacts. Default: they go to the first active member."`
	EmailKey    string `name:"email-key" help:"Field in which the sender puts the contact's e-mail, as a refusal names it. Default: the usual names are recognised."`
}

// Run makes a webhook.
func (c *webhookCreateCmd) Run(e *command.Environment) error {
	signed := signature(c.Signature, c.Secret, c.Header)
	if c.AppSecret {
		var err error
		if signed, err = platformSignature(e, intake.Kind(c.Type)); err != nil {
			return err
		}
	}
	return e.WithStore(func(store *gormstore.Store) error {
		hook, token, err := intakeapp.NewWebhooks(store, command.Now).Create(e.Ctx, app.Operator(), intakeapp.NewWebhook{
			OrgID: c.Org, Name: c.Name, Origin: c.Origin,
			Options:   intake.Options{Kind: intake.Kind(c.Type), Band: fields.Band(c.Bands), EmailKey: c.EmailKey},
			Signature: signed, VerifyToken: c.VerifyToken, ThanksURL: c.ThanksURL,
			Rotation: c.Rotation,
		})
		if err != nil {
			return err
		}
		address := command.WebhookURL(e, token, e.Settings.Listen)
		return e.Print(map[string]string{"id": hook.ID, "token": token.Reveal(), "url": address},
			"Webhook %s: %s\nAnyone who knows this address can post to it:\n\n  %s\n\nTo try it:\n\n  curl -d 'nome=Bia Rocha' -d email=bia@example.com '%s'\n",
			hook.ID, hook.Name, address, address)
	})
}

// platformSignature reads the secret of a platform's app from standard input.
func platformSignature(e *command.Environment, kind intake.Kind) (webhook.Signature, error) {
	if !kind.Fetched() {
		return webhook.Signature{}, errors.New("--app-secret-stdin is for --type meta and linkedin")
	}
	secret, err := e.Typed(bufio.NewReader(e.In), "App secret: ")
	return webhook.OfPlatform(kind, strings.TrimSpace(secret)), err
}

// signature is the scheme that senders must use; "none" accepts any post.
func signature(scheme, secret, header string) webhook.Signature {
	if scheme == "none" {
		scheme = string(webhook.NoSignature)
	}
	return webhook.Signature{Scheme: webhook.Scheme(scheme), Secret: secret, Header: strings.ToLower(header)}
}

type webhookListCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// Run lists the webhooks; their addresses are shown by `webhook show`.
func (c *webhookListCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		all, err := intakeapp.NewWebhooks(store, command.Now).List(e.Ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		type view struct {
			ID       string      `json:"id"`
			Name     string      `json:"name"`
			Type     intake.Kind `json:"type"`
			Enabled  bool        `json:"enabled"`
			Received int64       `json:"received"`
		}
		return command.PrintList(e, all,
			func(w webhook.Webhook) view { return view{w.ID, w.Name, w.Kind, w.Enabled, w.Received} },
			func(w webhook.Webhook) string {
				return fmt.Sprintf("%s  %-11s  %-8s  %6d  %s", w.ID, w.Kind, command.OnOff(w.Enabled), w.Received, w.Name)
			})
	})
}

// webhookView is a webhook as --json shows it.
type webhookView struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Type      intake.Kind    `json:"type"`
	Enabled   bool           `json:"enabled"`
	Origin    *string        `json:"origin"`
	Received  int64          `json:"received"`
	Token     string         `json:"token"`
	URL       string         `json:"url"`
	Bands     fields.Band    `json:"bands"`
	Signature webhook.Scheme `json:"signature"`
	Header    string         `json:"signatureHeader"`
	ThanksURL string         `json:"thanksUrl"`
	Rotation  *string        `json:"rotation"`
	EmailKey  string         `json:"emailKey"`
}

type webhookShowCmd struct {
	ID string `arg:"" help:"Id of the webhook."`
}

// Run shows a webhook.
func (c *webhookShowCmd) Run(e *command.Environment) error { return changeWebhook(e, c.ID, nil) }

// changeWebhook changes a webhook and shows it.
func changeWebhook(e *command.Environment, id string, change func(*intakeapp.Webhooks) error) error {
	return e.WithStore(func(store *gormstore.Store) error {
		hooks := intakeapp.NewWebhooks(store, command.Now)
		if change != nil {
			if err := change(hooks); err != nil {
				return err
			}
		}
		w, err := hooks.Show(e.Ctx, app.Operator(), id)
		if err != nil {
			return err
		}
		v := webhookView{
			ID: w.ID, Name: w.Name, Type: w.Kind, Enabled: w.Enabled, Received: w.Received, Token: w.Token.Reveal(),
			URL: command.WebhookURL(e, w.Token, e.Settings.Listen), Bands: w.Band, Signature: w.Signature.Scheme,
			Header: w.Signature.Header, ThanksURL: w.ThanksURL, Origin: text.OrNil(w.Origin),
			Rotation: text.OrNil(w.Rotation), EmailKey: w.EmailKey,
		}
		return e.Print(v,
			"Webhook %s: %s\n  %s, %s, %d received\n  %s\n", v.ID, v.Name, v.Type, command.OnOff(v.Enabled), v.Received, v.URL)
	})
}

type webhookSetCmd struct {
	ID        string  `arg:"" help:"Id of the webhook."`
	Name      *string `help:"New name."`
	Type      *string `enum:"generic,formservice,meta,linkedin" help:"generic, formservice, meta or linkedin."`
	Origin    *string `help:"Name of the fixed origin; empty for none."`
	Bands     *string `enum:"zero,lower,middle,upper" help:"Value of a band of amounts."`
	Signature *string `enum:"none,typeform,tally,standard,hmac,google" help:"How senders must sign; none accepts any post."`
	Secret    string  `help:"Secret that senders sign with; goes with --signature."`
	Header    string  `name:"signature-header" help:"Header that carries the signature; goes with --signature hmac."`
	Verify    *string `name:"verify-token" help:"Text that Meta's challenge must know; for --type meta."`
	AppSecret bool    `name:"app-secret-stdin" help:"Read the new secret of the platform's app from standard input, one line; for webhooks of type meta and linkedin."`
	ThanksURL *string `name:"thanks-url" help:"Page for browsers after a plain HTML form; empty for none."`
	Rotation  *string `help:"Name or id of the rotation that assigns its contacts; empty for none."`
	EmailKey  *string `name:"email-key" help:"Field in which the sender puts the contact's e-mail; empty for none."`
}

// Run changes a webhook.
func (c *webhookSetCmd) Run(e *command.Environment) error {
	change := intakeapp.Change{Name: c.Name, Origin: c.Origin, ThanksURL: c.ThanksURL, Rotation: c.Rotation,
		EmailKey: c.EmailKey, VerifyToken: c.Verify}
	if c.Type != nil {
		kind := intake.Kind(*c.Type)
		change.Kind = &kind
	}
	if c.Bands != nil {
		band := fields.Band(*c.Bands)
		change.Band = &band
	}
	switch {
	case reflect.ValueOf(change).IsZero() && c.Signature == nil && c.Secret+c.Header == "" && !c.AppSecret:
		return errors.New("give what to change: --name, --type, --origin, --bands, --signature, --verify-token, " +
			"--app-secret-stdin, --thanks-url, --rotation or --email-key")
	case c.AppSecret && c.Signature != nil:
		return errors.New("--app-secret-stdin already says how the platform signs: take --signature out")
	case c.Signature != nil:
		s := signature(*c.Signature, c.Secret, c.Header)
		change.Signature = &s
	case c.Secret != "" || c.Header != "":
		return fmt.Errorf("--secret and --signature-header go with --signature")
	}
	return changeWebhook(e, c.ID, func(w *intakeapp.Webhooks) error {
		if c.AppSecret {
			shown, err := w.Show(e.Ctx, app.Operator(), c.ID)
			if err != nil {
				return err
			}
			kind := shown.Kind
			if change.Kind != nil {
				kind = *change.Kind
			}
			s, err := platformSignature(e, kind)
			if err != nil {
				return err
			}
			change.Signature = &s
		}
		return w.Update(e.Ctx, app.Operator(), c.ID, change)
	})
}

type webhookEnableCmd struct {
	ID string `arg:"" help:"Id of the webhook."`
}

// Run enables a webhook.
func (c *webhookEnableCmd) Run(e *command.Environment) error { return enableWebhook(e, c.ID, true) }

type webhookDisableCmd struct {
	ID string `arg:"" help:"Id of the webhook."`
}

// Run disables a webhook.
func (c *webhookDisableCmd) Run(e *command.Environment) error { return enableWebhook(e, c.ID, false) }

func enableWebhook(e *command.Environment, id string, enabled bool) error {
	return changeWebhook(e, id, func(w *intakeapp.Webhooks) error {
		return w.Update(e.Ctx, app.Operator(), id, intakeapp.Change{Enabled: &enabled})
	})
}

type webhookRegenerateCmd struct {
	ID    string        `arg:"" help:"Id of the webhook."`
	Grace time.Duration `default:"0" help:"How long the old address keeps working; at most 720h."`
}

// Run gives a webhook a new address.
func (c *webhookRegenerateCmd) Run(e *command.Environment) error {
	return changeWebhook(e, c.ID,
		func(w *intakeapp.Webhooks) error { return w.Regenerate(e.Ctx, app.Operator(), c.ID, c.Grace) })
}
