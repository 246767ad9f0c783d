package intake

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
	"time"

	"fichario/adapters/gormstore"
	"fichario/adapters/linkedin"
	"fichario/adapters/meta"
	"fichario/app"
	intakeapp "fichario/app/intake"
	"fichario/cmd/fichario/command"
	"fichario/domain/intake"
	"fichario/domain/text"
	"fichario/domain/webhook"
	"fichario/ports"
)

// Pages holds the commands of the pages whose leads are fetched from an advertising platform: those of Meta, and the
// advertising accounts of LinkedIn.
type Pages struct {
	Connect    pageConnectCmd    `cmd:"" help:"Subscribe the pages (at LinkedIn: advertising accounts) that a token opens, and fetch their leads from now on; again with a new token renews it."`
	List       pageListCmd       `cmd:"" help:"List the pages of a webhook, with the state of their tokens."`
	Test       pageTestCmd       `cmd:"" help:"Ask the platform whether the leads of the pages can be fetched; exit 1 when not."`
	Disconnect pageDisconnectCmd `cmd:"" help:"Unsubscribe pages and forget their tokens."`
	Backfill   pageBackfillCmd   `cmd:"" help:"Fetch the leads since a time, at most of the last 90 days; known ones stay as they are."`
}

// formView is a form as --json shows it.
type formView struct {
	ID        string   `json:"id"`
	Name      string   `json:"nome"`
	Questions []string `json:"perguntas"`
}

// pageView is a page as --json shows it.
type pageView struct {
	Page  string     `json:"pagina"`
	Name  string     `json:"nome"`
	Forms []formView `json:"formularios"`
}

func viewPage(s webhook.Source) pageView {
	v := pageView{s.Page, s.Name, []formView{}}
	for _, f := range s.Forms {
		of := formView{f.ID, f.Name, []string{}}
		for _, q := range f.Questions {
			of.Questions = append(of.Questions, q.Label)
		}
		v.Forms = append(v.Forms, of)
	}
	return v
}

func linePage(s webhook.Source) string {
	var forms []string
	for _, f := range s.Forms {
		forms = append(forms, f.Name)
	}
	return command.Printable(fmt.Sprintf("%s  %s: %s", s.Page, s.Name, strings.Join(forms, ", ")))
}

// LeadsOf is the use case of leads that are fetched, beside an intake.
func LeadsOf(e *command.Environment, store *gormstore.Store, in *intakeapp.Intake) *intakeapp.Leads {
	log, _ := command.NewLogger(e.Settings, e.ErrOut)
	return intakeapp.NewLeads(intakeapp.LeadsConfig{
		Store: store, Platforms: Platforms(e.Settings), Clock: command.Now, ReadBack: e.Settings.MetaReadBack, Log: log,
		AddressOf: func(t webhook.Token) string { return command.WebhookURL(e, t, e.Settings.Listen) },
	}, in)
}

// Platforms are the advertising platforms whose leads are fetched.
func Platforms(s command.Settings) map[intake.Kind]ports.LeadSource {
	return map[intake.Kind]ports.LeadSource{intake.Meta: meta.New(s.MetaURL), intake.LinkedIn: linkedin.New(s.LinkedInURL)}
}

// withLeads runs a command on the use case.
func withLeads(e *command.Environment, do func(*intakeapp.Leads) error) error {
	return e.WithStore(func(store *gormstore.Store) error {
		return do(LeadsOf(e, store, intakeapp.New(store, command.Now).Mailing(true)))
	})
}

type pageConnectCmd struct {
	Webhook   string `required:"" help:"Id of the webhook, of type meta or linkedin."`
	Page      string `help:"Name or id of the only page to connect. Default: all that the token opens; an unknown one lists them."`
	FromStdin bool   `name:"page-token-stdin" required:"" help:"Read the access token from standard input, one line; not shown when typed."`
}

// Run connects the pages of a token.
func (c *pageConnectCmd) Run(e *command.Environment) error {
	token, err := e.Typed(bufio.NewReader(e.In), "Page token: ")
	if err != nil {
		return err
	}
	return withLeads(e, func(leads *intakeapp.Leads) error {
		pages, err := leads.Connect(e.Ctx, app.Operator(), c.Webhook, strings.TrimSpace(token), c.Page)
		if err != nil {
			return err
		}
		return command.PrintList(e, pages, viewPage, linePage)
	})
}

type pageListCmd struct {
	Webhook string `required:"" help:"Id of the webhook."`
}

// Run lists the pages.
func (c *pageListCmd) Run(e *command.Environment) error {
	return withLeads(e, func(leads *intakeapp.Leads) error {
		all, waiting, err := leads.Sources(e.Ctx, app.Operator(), c.Webhook)
		if err != nil {
			return err
		}
		type view struct {
			pageView
			State   webhook.SourceState `json:"estado"`
			Reason  *string             `json:"motivo"`
			Expires *time.Time          `json:"venceEm"`
			ReadTo  time.Time           `json:"lidoAte"`
			Waiting int                 `json:"aguardando"` // of all pages of the webhook
		}
		return command.PrintList(e, all, func(s webhook.Source) view {
			return view{viewPage(s), s.State, text.OrNil(s.Reason), command.TimeOrNull(s.ExpiresAt), s.ReadTo, waiting}
		}, func(s webhook.Source) string {
			return fmt.Sprintf("%s  %s %s", linePage(s), s.State, command.Printable(s.Reason))
		})
	})
}

type pageTestCmd struct {
	Webhook string `required:"" help:"Id of the webhook."`
	Page    string `help:"Id of the page. Default: all."`
}

// Run tries the pages.
func (c *pageTestCmd) Run(e *command.Environment) error {
	return withLeads(e, func(leads *intakeapp.Leads) error {
		all, err := leads.Test(e.Ctx, app.Operator(), c.Webhook, c.Page)
		if err != nil {
			return err
		}
		type view struct {
			pageView
			OK      bool       `json:"ok"`
			Reason  *string    `json:"motivo"`
			Expires *time.Time `json:"venceEm"`
		}
		failed := false
		err = command.PrintList(e, all, func(t intakeapp.SourceTrial) view {
			return view{viewPage(t.Source), t.Failure == "", text.OrNil(t.Failure), command.TimeOrNull(t.ExpiresAt)}
		}, func(t intakeapp.SourceTrial) string {
			if t.Failure == "" {
				return linePage(t.Source) + "  ok"
			}
			return linePage(t.Source) + "  " + t.Failure
		})
		for _, t := range all {
			failed = failed || t.Failure != ""
		}
		if err == nil && failed {
			err = errors.New("the leads of a page cannot be fetched")
		}
		return err
	})
}

type pageDisconnectCmd struct {
	Webhook string `required:"" help:"Id of the webhook."`
	Page    string `help:"Id of the page. Default: all."`
}

// Run disconnects pages.
func (c *pageDisconnectCmd) Run(e *command.Environment) error {
	return withLeads(e, func(leads *intakeapp.Leads) error {
		gone, err := leads.Disconnect(e.Ctx, app.Operator(), c.Webhook, c.Page)
		if err != nil {
			return err
		}
		return command.PrintList(e, gone, viewPage, linePage)
	})
}

// sinceOf reads a time, a day in UTC, or how long ago it was; zero for an empty text.
func sinceOf(text string, now time.Time) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	if text == "" {
		return time.Time{}, nil
	}
	return time.Time{}, errors.New("--since: write 2026-11-01, 2026-11-01T12:00:00Z, or how long ago, such as 48h")
}

type pageBackfillCmd struct {
	Webhook string `required:"" help:"Id of the webhook."`
	Since   string `help:"Only leads since then: 2026-11-01, 2026-11-01T12:00:00Z, or how long ago, such as 48h. Default: as far as they are kept, 90 days."`
	Page    string `help:"Id of the page. Default: all."`
}

// Run reads pages back.
func (c *pageBackfillCmd) Run(e *command.Environment) error {
	since, err := sinceOf(c.Since, command.Now())
	if err != nil {
		return err
	}
	return withLeads(e, func(leads *intakeapp.Leads) error {
		all, err := leads.Backfill(e.Ctx, app.Operator(), c.Webhook, c.Page, since)
		if err != nil {
			return err
		}
		type view struct {
			Page string `json:"pagina"`
			Name string `json:"nome"`
			Made int    `json:"contatos"`
		}
		return command.PrintList(e, all, func(r intakeapp.ReadPage) view { return view{r.Page, r.Name, r.Made} },
			func(r intakeapp.ReadPage) string { return fmt.Sprintf("%s  %d contacts", linePage(r.Source), r.Made) })
	})
}
