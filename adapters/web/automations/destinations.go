package automations

import (
	"net/url"
	"strings"

	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/automations"
	"fichario/domain/automation"
)

// keptRequest is the option that keeps an automation's request as a command described it.
const keptRequest = "guardado"

// destinationOption is a destination to choose, with its fields.
type destinationOption struct {
	Name, Title, Help, Repeat string
	Inputs                    []destinationInput
}

// destinationInput is a field of a destination; Type is the HTML type.
type destinationInput struct{ Name, Label, Hint, Type string }

// The fields of what allows a destination that tells a platform of persons, beside its own.
var (
	consentField = automation.DestinationField{
		Name: "consentimento", Title: "Campo do formulário em que a pessoa consente",
		Help: "O nome ou o título dele, como aceite_ofertas. Só sim e true são consentimento; sem ele, nada é enviado.",
	}
	basisField = automation.DestinationField{
		Name: "base", Title: "Ou o código de uma finalidade, com outra base legal",
		Help: "Fica no registro das operações. Um dos dois é preciso, e só um.",
	}
)

// inputsOf are the fields of a destination in the form.
func inputsOf(d automation.Destination) []automation.DestinationField {
	if !d.Consent {
		return d.Fields
	}
	return append(d.Fields[:len(d.Fields):len(d.Fields)], consentField, basisField)
}

// groundFields are the fields in the form of those that the use case names.
var groundFields = map[string]string{"consent": consentField.Name, "basis": basisField.Name}

// inputName is the name of a destination's field in the form.
func inputName(destination string, f automation.DestinationField) string {
	if f.Secret {
		return web.SecretPrefix + destination + "." + f.Name
	}
	return "campo." + destination + "." + f.Name
}

// destinationOptions returns the available destinations. kept is the current one, whose secrets need not be typed
// again.
func destinationOptions(all []automation.Destination, kept string) []destinationOption {
	options := make([]destinationOption, len(all))
	for i, d := range all {
		options[i] = destinationOption{Name: d.Name, Title: d.Title, Help: d.Help, Repeat: d.Repeat}
		for _, f := range inputsOf(d) {
			in := destinationInput{Name: inputName(d.Name, f), Label: f.Title, Hint: f.Help, Type: "text"}
			if f.Optional {
				in.Label += " (opcional)"
			}
			if f.Secret {
				in.Type = "password"
				if d.Name == kept {
					in.Hint = "Guardado. Preencha só para trocar."
				}
			}
			options[i].Inputs = append(options[i].Inputs, in)
		}
	}
	return options
}

// typedSecrets marks secrets that were typed and must be typed again.
func typedSecrets(options []destinationOption, sent url.Values) (any bool) {
	for _, d := range options {
		for i := range d.Inputs {
			if in := &d.Inputs[i]; in.Type == "password" && sent.Get(in.Name) != "" {
				in.Hint, any = "Digite de novo: um segredo nunca volta à página.", true
			}
		}
	}
	return any
}

// request reads the request of an http action from the form.
func (f automationFields) request(n *automations.NewAutomation, all []automation.Destination, sent url.Values) {
	switch f.Destination {
	case "":
		n.URL = f.URL
	case keptRequest:
		n.KeepAction = true
	default:
		n.Destination, n.Values = f.Destination, map[string]string{}
		for _, d := range all {
			if d.Name != f.Destination {
				continue
			}
			if d.Consent { // what is left from another choice does not count
				n.Ground = automation.Ground{
					Consent: strings.TrimSpace(sent.Get(inputName(d.Name, consentField))),
					Basis:   strings.TrimSpace(sent.Get(inputName(d.Name, basisField))),
				}
			}
			for _, field := range d.Fields {
				value := strings.TrimSpace(sent.Get(inputName(d.Name, field)))
				if value != "" || !field.Secret {
					n.Values[field.Name] = value
				}
			}
		}
	}
}

// destinationFault marks the input of a destination that an error names, and keeps what was typed except secrets.
func destinationFault(
	shown *web.Form, destination string, all []automation.Destination, sent url.Values, why error,
) bool {
	refusal := app.FaultOf(why)
	marked := destination == "" && refusal != nil && strings.HasPrefix(refusal.Field, "set.")
	if marked {
		shown.Field = "url"
		shown.Problem = "Os campos ${…} só podem ser preenchidos pelo comando: fichario automation add. Aqui, escreva o endereço inteiro."
	}
	for _, d := range all {
		for _, f := range inputsOf(d) {
			name := inputName(d.Name, f)
			if !f.Secret && shown.Values != nil {
				shown.Values[name] = sent.Get(name)
			}
			if d.Name == destination && refusal != nil &&
				(refusal.Field == "set."+f.Name || groundFields[refusal.Field] == f.Name) {
				shown.Field, shown.Problem, marked = name, refusal.Message, true
			}
		}
	}
	return marked
}

// destinationValues fills the inputs of an action's destination.
func destinationValues(shown *web.Form, a automation.Action, all []automation.Destination) {
	for _, d := range all {
		for _, f := range inputsOf(d) {
			if d.Name == a.Destination && a.DestinationFile == "" && !f.Secret {
				shown.Values[inputName(d.Name, f)] = a.Values[f.Name]
			}
		}
		if d.Consent && d.Name == a.Destination && a.DestinationFile == "" {
			shown.Values[inputName(d.Name, consentField)] = a.Ground.Consent
			shown.Values[inputName(d.Name, basisField)] = a.Ground.Basis
		}
	}
}

// destinationChoice is the option chosen in the form of an existing automation.
func destinationChoice(a automation.Action, all []automation.Destination) string {
	if !a.HasForm() {
		return ""
	}
	for _, d := range all {
		if d.Name == a.Destination && a.DestinationFile == "" {
			return d.Name
		}
	}
	return keptRequest
}
