package automations

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

// RequestForm describes the request of an http action that is not the signed default: a destination, or the
// differences. Its fields are those of automation.Action.
type RequestForm struct {
	Method     string
	Headers    []automation.Header
	Body, Done string
	// Destination is the name of a shipped destination or of the one in DestinationFile, which is the text of another.
	Destination, DestinationFile string
	// Values are the values filled in, by the names of the fields.
	Values map[string]string
	// Ground belongs to a destination that tells a platform of persons.
	Ground automation.Ground
}

// fileMax bounds the text of a destination, in bytes.
const fileMax = 64 << 10

// Destinations describes the shipped destinations.
func (a *Automations) Destinations() []automation.Destination { return a.means.Destinations.Shipped() }

// Destination describes the destination of a form, or what is to be filled in for its ${…}. Fault: InvalidRequest with
// the field at fault, unless that is merely missing.
func (a *Automations) Destination(url string, f RequestForm) (automation.Destination, error) {
	if err := (NewAutomation{Action: automation.HTTP, URL: url, RequestForm: f}).misplaced(); err != nil {
		return automation.Destination{}, err
	}
	d, faults := a.means.Destinations.Describe(f.action(automation.Action{Kind: automation.HTTP, URL: url}))
	if d.Title != "" { // it could be read
		if err := checkGround(NewAutomation{RequestForm: f}, d); err != nil {
			return d, err
		}
	}
	for _, fault := range faults {
		name, isValue := strings.CutPrefix(fault.Field, "set.")
		if _, given := f.Values[name]; !isValue || given {
			return d, app.Invalid(fault.Field, fault.Message)
		}
	}
	return d, nil
}

// action copies the form into an action.
func (f RequestForm) action(made automation.Action) automation.Action {
	made.Method, made.Headers, made.Body, made.Done = f.Method, f.Headers, f.Body, f.Done
	made.Destination, made.DestinationFile, made.Values = f.Destination, f.DestinationFile, f.Values
	made.Ground = f.Ground
	return made
}

// request checks what an http action sends.
func (a *Automations) request(
	ctx context.Context, r ports.Repos, made automation.Action, n NewAutomation,
) (automation.Action, error) {
	made = n.action(made)
	if made.Destination == "" {
		made.Secret = newSigningSecret()
	}
	if !made.HasForm() && !strings.Contains(made.URL, "${") {
		if err := checkGround(n, automation.Destination{}); err != nil {
			return made, err
		}
		return made, checkTarget(made.URL)
	}
	if max(utf8.RuneCountInString(n.Body), utf8.RuneCountInString(n.Done)) > crm.TextMax ||
		len(n.DestinationFile) > fileMax {
		return made, app.Invalid("body", fmt.Sprintf(
			"O corpo e a condição têm até %d caracteres, e um destino até 64 KiB.", crm.TextMax))
	}
	described, faults := a.means.Destinations.Describe(made)
	if made.DestinationFile != "" {
		made.Destination = described.Name
	}
	if len(faults) > 0 {
		messages := make([]string, len(faults))
		for i, fault := range faults {
			messages[i] = fault.Message
		}
		return made, app.Invalid(faults[0].Field, strings.Join(messages, " "))
	}
	shipped := func(d automation.Destination) bool { return d.Name == made.Destination }
	if made.DestinationFile != "" && slices.ContainsFunc(a.means.Destinations.Shipped(), shipped) {
		return made, app.Invalid("destination", "Um destino com o nome "+made.Destination+" vem com o programa. Dê outro nome, "+
			"em name, ao do arquivo.")
	}
	return made, checkTold(ctx, r, n, described)
}

// misplaced refuses what the action, or the destination, leaves no place for.
func (n NewAutomation) misplaced() error {
	for _, given := range []struct {
		field string
		is    bool
	}{
		{"url", n.URL != ""}, {"method", n.Method != ""}, {"header", len(n.Headers) > 0}, {"body", n.Body != ""}, {"done", n.Done != ""},
		{"destination", n.Destination != ""}, {"set", len(n.Values) > 0},
		{"consent", n.Ground.Consent != ""}, {"basis", n.Ground.Basis != ""},
	} {
		switch {
		case given.is && n.Action != automation.HTTP:
			return app.Invalid(given.field, fmt.Sprintf("A ação %s não usa %s.", n.Action, given.field))
		case given.is && n.Destination != "" && !slices.Contains([]string{"destination", "set", "consent", "basis"}, given.field):
			return app.Invalid(given.field, "O destino já diz isto: tire "+given.field+", ou o destino.")
		}
	}
	return nil
}

// kept fills in from the old action what is not given again, but only if the request goes to the same place: a secret
// is never shown again, nor may it be sent elsewhere by somebody who changes the address.
//
// A value given as an empty text is removed.
func (a *Automations) kept(n NewAutomation, old automation.Action) NewAutomation {
	if n.Destination != "" && n.Destination == old.Destination && n.DestinationFile == "" {
		n.DestinationFile = old.DestinationFile
	}
	if n.URL != old.URL || n.Destination != old.Destination || n.DestinationFile != old.DestinationFile {
		return n
	}
	// A file of one's own may also take a part of its path, or of its body, for an account.
	d, _ := a.means.Destinations.Describe(old)
	for _, field := range d.Fields {
		value, given := n.Values[field.Name]
		if given && value != old.Values[field.Name] && (field.Secret || field.Leads || old.DestinationFile != "") {
			return n
		}
	}
	values := maps.Clone(n.Values)
	if values == nil {
		values = map[string]string{}
	}
	d, _ = a.means.Destinations.Describe(n.action(automation.Action{Kind: automation.HTTP, URL: n.URL}))
	for _, field := range d.Fields {
		if _, given := values[field.Name]; !given {
			values[field.Name] = old.Values[field.Name]
		}
	}
	n.Values = values
	return n
}

// Refill fills in fields of the request of an http action anew: an expired token, another account. What is not given
// stays; but, as in an edit, no secret stays where another one is given, or a field that may lead elsewhere.
// Faults: InvalidRequest with the field at fault, NotFound, Forbidden, ServiceUnavailable.
func (a *Automations) Refill(ctx context.Context, by app.Caller, id string, values map[string]string) error {
	return a.change(ctx, by, id, func(
		_ context.Context, _ ports.Repos, rule automation.Automation,
	) (automation.Automation, audit.Detail, error) {
		return a.refilled(rule, values)
	})
}

// refilled returns an automation with its request filled in anew, and the detail for the audit.
func (a *Automations) refilled(
	rule automation.Automation, values map[string]string,
) (automation.Automation, audit.Detail, error) {
	if len(values) == 0 {
		return rule, nil, app.Invalid("set", "Informe ao menos um campo a preencher.")
	}
	if rule.Unreadable || rule.Action.Kind != automation.HTTP {
		return rule, nil, app.Invalid("set", "Só o pedido de uma ação http tem campos a preencher.")
	}
	old := rule.Action
	n := a.kept(NewAutomation{
		URL: old.URL, RequestForm: RequestForm{
			Method: old.Method, Headers: old.Headers, Body: old.Body, Done: old.Done, Destination: old.Destination,
			DestinationFile: old.DestinationFile, Values: values,
		},
	}, old)
	rule.Action.Values = maps.Clone(n.Values)
	d, _ := a.means.Destinations.Describe(old)
	for _, field := range d.Fields {
		if _, is := n.Values[field.Name]; !is && !field.Secret {
			rule.Action.Values[field.Name] = old.Values[field.Name]
		}
	}
	if _, faults := a.means.Destinations.Describe(rule.Action); len(faults) > 0 {
		return rule, nil, app.Invalid(faults[0].Field, faults[0].Message)
	}
	return rule, audit.Detail{"nome": rule.Name, "preenchido": filledIn(old.Values, rule.Action.Values)}, nil
}

// described adds the description of its request to an automation, unless that is the signed default.
func (a *Automations) described(v View) View {
	if v.Action.HasForm() {
		v.Destination, _ = a.means.Destinations.Describe(v.Action)
	}
	return v
}

// rehearseRequest shows the request that an http action would make.
func (a *Automations) rehearseRequest(
	ctx context.Context, out *Rehearsal, rule automation.Automation, event automation.Event,
) error {
	if rule.Action.Kind != automation.HTTP || rule.Unreadable {
		return nil
	}
	var refused *ports.SendError
	if g := rule.Action.Ground; g != (automation.Ground{}) {
		why, err := withheld(ctx, a.store.Repos(), event.Contact.Contact, g)
		if errors.As(err, &refused) {
			why, err = refused.Reason, nil
		}
		if out.Problem = why; err != nil || why != "" {
			return err
		}
	}
	shown, err := a.means.Destinations.Show(ctx, ports.Call{
		ID: app.NewID(), At: a.clock(), Action: rule.Action, Event: event,
	})
	if errors.As(err, &refused) {
		out.Problem = refused.Reason
		return nil
	}
	out.Request = shown
	return err
}
