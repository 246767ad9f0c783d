package privacy

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"fichario/adapters/bureau"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/privacy"
	"fichario/cmd/fichario/command"
	"fichario/domain/crm"
	"fichario/ports"
)

type subjectRecordCmd struct {
	Org string `required:"" help:"Id of the organisation."`
}

// RecordOf is the use case, with the configured bureau.
func RecordOf(e *command.Environment, store ports.Store, client *bureau.Bureaus) *privacy.Record {
	return privacy.NewRecord(privacy.RecordConfig{
		Store: store, Clock: command.Now, Bureau: client.Name(), Catalog: client.Catalog(), Fresh: e.Settings.HistoryFresh,
		Keeping: e.Keeping(), Mails: e.Settings.SMTPURL != "",
	})
}

// recordView is a record of operations as --json shows it.
type recordView struct {
	Organisation string          `json:"organisation"`
	At           time.Time       `json:"at"`
	Purposes     []recordPurpose `json:"purposes"`
	Subjects     []string        `json:"subjects"`
	Categories   []string        `json:"categories"`
	Sources      []recordSource  `json:"sources"`
	Recipients   []recordTarget  `json:"recipients"`
	Retention    []recordTerm    `json:"retention"`
	Measures     []string        `json:"measures"`
}

type recordPurpose struct {
	purposeView
	BasisName string `json:"basisName"`
}

type recordSource struct {
	Kind    string   `json:"kind"`
	Name    string   `json:"name"`
	Product string   `json:"product,omitempty"`
	Fields  []string `json:"fields,omitempty"`
}

type recordTarget struct {
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Target string `json:"target"`
	// Basis is given where a platform is told of a person's stages.
	Basis string `json:"basis,omitempty"`
}

type recordTerm struct {
	What string `json:"what"`
	Term string `json:"term"`
}

func viewRecord(o privacy.Operations) recordView {
	v := recordView{
		Organisation: o.Organisation.Name, At: o.At, Purposes: []recordPurpose{}, Subjects: o.Subjects,
		Categories: o.Categories, Measures: o.Measures,
	}
	for _, p := range o.Purposes {
		v.Purposes = append(v.Purposes, recordPurpose{viewPurpose(p), p.Basis.Name()})
	}
	for _, s := range o.Sources {
		v.Sources = append(v.Sources, recordSource{s.Kind, s.Name, s.Product, s.Fields})
	}
	for _, r := range o.Recipients {
		v.Recipients = append(v.Recipients, recordTarget(r))
	}
	for _, t := range o.Terms {
		v.Retention = append(v.Retention, recordTerm(t))
	}
	return v
}

// Run prints the record.
func (c *subjectRecordCmd) Run(e *command.Environment) error {
	client, stop, err := e.OpenBureaus(slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer stop()
	return e.WithStore(func(store *gormstore.Store) error {
		o, err := RecordOf(e, store, client).Of(e.Ctx, app.Operator(), c.Org)
		if err != nil {
			return err
		}
		return e.Print(viewRecord(o), "%s", recordText(o))
	})
}

func recordText(o privacy.Operations) string {
	var b strings.Builder
	part := func(title string, lines ...string) {
		fmt.Fprintf(&b, "\n%s\n", title)
		for _, line := range lines {
			fmt.Fprintf(&b, "  - %s\n", line)
		}
	}
	fmt.Fprintf(&b, "Registro das operações de tratamento (LGPD, art. 37): %s, %s\n", o.Organisation.Name,
		o.At.Format(time.DateOnly))
	part("Finalidades e bases legais", lines(o.Purposes, func(p crm.Purpose) string {
		return fmt.Sprintf("%s (%s): %s", p.Name, p.Code, p.Basis.Name())
	})...)
	part("Titulares", o.Subjects...)
	part("Categorias de dados", o.Categories...)
	part("Fontes", lines(o.Sources, func(s privacy.DataSource) string {
		return strings.TrimRight(fmt.Sprintf("%s %s %s: %s", s.Kind, s.Name, s.Product, strings.Join(s.Fields, ", ")), ": ")
	})...)
	part("Destinatários", lines(o.Recipients, func(r privacy.DataRecipient) string {
		line := fmt.Sprintf("%s %s: %s", r.Kind, r.Name, r.Target)
		if r.Basis != "" {
			line += " (" + r.Basis + ")"
		}
		return line
	})...)
	part("Retenção", lines(o.Terms, func(t privacy.KeptTerm) string { return t.What + ": " + t.Term })...)
	part("Medidas de segurança", o.Measures...)
	return b.String()
}

func lines[T any](all []T, line func(T) string) []string {
	out := make([]string, len(all))
	for i, one := range all {
		out[i] = line(one)
	}
	return out
}
