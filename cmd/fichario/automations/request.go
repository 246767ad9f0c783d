package automations

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/automations"
	"fichario/cmd/fichario/command"
	"fichario/domain/automation"
)

// written is a flag that may be left out but not be blank: in a script, --when "$CONDITION" of an unset variable would
// otherwise make an automation without a condition.
type written string

// UnmarshalText refuses a blank text.
func (w *written) UnmarshalText(text []byte) error {
	if strings.TrimSpace(string(text)) == "" {
		return errors.New("is blank; leave the option out instead")
	}
	*w = written(text)
	return nil
}

// requestFlags describe the request of an http action.
type requestFlags struct {
	Method      string            `help:"http: GET, POST (the default), PUT, PATCH or DELETE."`
	Header      []string          `sep:"none" help:"http: a header, as 'Name: value'; may be repeated. A $${SECRET} in it, or in --url, is read once, and stored encrypted."`
	Body        written           `help:"http: the body, as jq over the event's data; without it, the event."`
	Done        written           `help:"http: whether the call succeeded, as jq over {status, headers, body} of the answer; without it, if the status is 2xx."`
	Destination string            `help:"http: instead of --url, a built-in destination (automation destinations lists them) or the path of a destination file."`
	Consent     written           `help:"http: for a destination that tells an ad platform of persons: the field of the form, by name or title, by which a person consents (sim or true)."`
	Basis       string            `help:"http: for such a destination, instead of --consent: the code of a purpose, whose legal basis allows it."`
	Set         map[string]string `mapsep:"none" help:"http: the value of a field of the destination or a $${NAME}, as name=value; may be repeated. A secret that is not given is read from standard input."`
}

// form reads the flags, and prompts for missing secrets.
func (f requestFlags) form(
	e *command.Environment, rules *automations.Automations, n automations.NewAutomation) (automations.RequestForm, error,
) {
	form := automations.RequestForm{
		Method: strings.ToUpper(f.Method), Body: string(f.Body), Done: string(f.Done), Destination: f.Destination,
		Values: f.Set, Ground: automation.Ground{Consent: string(f.Consent), Basis: f.Basis},
	}
	for _, h := range f.Header {
		name, value, ok := strings.Cut(h, ":")
		if !ok {
			return form, errors.New("--header: a header is written as 'Name: value'")
		}
		form.Headers = append(form.Headers, automation.Header{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)})
	}
	if f.Destination != "" && strings.ContainsAny(f.Destination, "./\\") {
		src, err := os.ReadFile(f.Destination)
		if err != nil {
			return form, fmt.Errorf("--destination: %w", err)
		}
		form.DestinationFile = string(src)
	}
	if n.Action != automation.HTTP {
		return form, nil // refused later where it has anything
	}
	d, err := rules.Destination(n.URL, form)
	if err != nil {
		return form, err
	}
	form.Values, err = secrets(e, d.Fields, form.Values)
	return form, err
}

// secrets adds each missing secret to the given values, by prompting for it.
func secrets(
	e *command.Environment,
	fields []automation.DestinationField, given map[string]string,
) (map[string]string, error) {
	all := maps.Clone(given)
	if all == nil {
		all = map[string]string{}
	}
	lines := bufio.NewReader(e.In)
	for _, field := range fields {
		if !field.Secret || field.Optional || all[field.Name] != "" {
			continue
		}
		value, err := secretOf(e, lines, field)
		if err != nil {
			return all, err
		}
		all[field.Name] = value
	}
	return all, nil
}

// secretOf prompts for a secret: a line of standard input, which a terminal does not echo.
func secretOf(e *command.Environment, lines *bufio.Reader, field automation.DestinationField) (string, error) {
	value, err := e.Typed(lines, fmt.Sprintf("%s (%s): ", field.Name, field.Title))
	if err == nil && value == "" {
		err = fmt.Errorf("%s is missing: give it on standard input, or with --set %[1]s=…", field.Name)
	}
	return value, err
}

type automationDestinationsCmd struct{}

// destinationView is a destination as --json shows it.
type destinationView struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Help   string `json:"help"`
	Repeat string `json:"repeat"`
	// Consent says that it needs --consent or --basis, and is told of stages only.
	Consent bool        `json:"consent"`
	Fields  []fieldView `json:"fields"`
}

type fieldView struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Help     string `json:"help"`
	Secret   bool   `json:"secret"`
	Optional bool   `json:"optional"`
	Default  string `json:"default,omitempty"`
}

// Run lists the destinations that come with the program.
func (automationDestinationsCmd) Run(e *command.Environment) error {
	return command.PrintList(e, UseCase(e, nil, nil).Destinations(), func(d automation.Destination) destinationView {
		v := destinationView{
			Name: d.Name, Title: d.Title, Help: d.Help, Repeat: d.Repeat, Consent: d.Consent, Fields: []fieldView{},
		}
		for _, f := range d.Fields {
			v.Fields = append(v.Fields, fieldView{f.Name, f.Title, f.Help, f.Secret, f.Optional, f.Default})
		}
		return v
	}, func(d automation.Destination) string {
		text := fmt.Sprintf("%s: %s", d.Name, d.Help)
		if d.Consent {
			text += "\n  --consent … or --basis …"
		}
		for _, f := range d.Fields {
			text += fmt.Sprintf("\n  --set %-18s %s%s", f.Name+"=…", f.Title, map[bool]string{true: " (optional)"}[f.Optional])
		}
		return text
	})
}

type automationTryCmd struct {
	ID      string `arg:"" help:"Id of the automation."`
	Contact string `required:"" help:"Id of the contact to try it with."`
}

// requestView is a request as --json shows it.
type requestView struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Search  *requestView      `json:"search,omitempty"`
}

func viewRequest(r automation.ShownRequest) *requestView {
	if r.Method == "" {
		return nil
	}
	v := &requestView{Method: r.Method, URL: r.Address, Headers: map[string]string{}, Body: r.Body}
	for _, h := range r.Headers {
		v.Headers[h.Name] = h.Value
	}
	if r.Search != nil {
		v.Search = viewRequest(*r.Search)
	}
	return v
}

// tryView is what an automation would do with a contact, as --json shows it.
type tryView struct {
	Runs bool `json:"runs"`
	// Enabled is false where it does nothing until it is enabled.
	Enabled bool `json:"enabled"`
	// Unmet lists the conditions that do not hold.
	Unmet   string       `json:"unmet,omitempty"`
	Request *requestView `json:"request"`
	To      string       `json:"to,omitempty"`
	Subject string       `json:"subject,omitempty"`
	Text    string       `json:"text,omitempty"`
	Problem string       `json:"problem,omitempty"`
}

// Run shows what an automation would do; it sends and changes nothing.
func (c *automationTryCmd) Run(e *command.Environment) error {
	return e.WithStore(func(store *gormstore.Store) error {
		r, err := UseCase(e, store, nil).Rehearse(e.Ctx, app.Operator(), c.ID, c.Contact)
		if err != nil {
			return err
		}
		v := tryView{
			Runs: r.Runs, Enabled: r.Automation.Enabled, Request: viewRequest(r.Request), To: r.To, Subject: r.Subject,
			Text: r.Text, Problem: r.Problem,
		}
		if !r.Runs {
			v.Unmet = unmet(r)
		}
		return e.Print(v, "%s", rehearsalText(r))
	})
}

func rehearsalText(r automations.Rehearsal) string {
	text := "It would run for this contact.\n"
	if !r.Automation.Enabled {
		text = "It is disabled. Enabled, it would run for this contact.\n"
	}
	if !r.Runs {
		text = "It would not run for this contact: " + unmet(r) + ".\n"
	}
	switch {
	case r.Problem != "":
		text += "There is no request to show: " + r.Problem + "\n"
	case r.Automation.Action.Kind == automation.HTTP && r.Request.Method == "":
		text += "There is nothing to send: the body is null.\n"
	case r.Request.Method != "":
		if r.Request.Search != nil {
			text += "It would first ask whether the record exists:\n\n" + requestText(*r.Request.Search)
			text += "\nAnd if it does not:\n"
		}
		text += "\n" + requestText(r.Request)
	case r.To != "":
		text += "To: " + r.To + "\nSubject: " + r.Subject + "\n\n" + r.Text + "\n"
	case r.Text != "":
		text += r.Text + "\n"
	}
	return text + "Nothing was sent or changed.\n"
}

// unmet lists the conditions that do not hold, by the flags that set them.
func unmet(r automations.Rehearsal) string {
	flags := map[string]string{"origin": "--origin", "webhook": "--webhook", "amount": "--min-value", "when": "--when"}
	var names []string
	for _, condition := range r.Conditions {
		if !condition.Holds {
			names = append(names, flags[condition.Field])
		}
	}
	text := strings.Join(names, ", ") + " not met"
	if r.WhenProblem != "" {
		text += ": " + r.WhenProblem
	}
	return text
}

func requestText(r automation.ShownRequest) string {
	text := r.Method + " " + r.Address + "\n"
	for _, h := range r.Headers {
		text += h.Name + ": " + h.Value + "\n"
	}
	if r.Body != "" {
		text += "\n" + r.Body + "\n"
	}
	return text
}
