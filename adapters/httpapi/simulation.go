package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v5"

	"fichario/app/intake"
	"fichario/domain/fault"
	"fichario/domain/text"
	"fichario/domain/webhook"
)

// simulated reads `simular` of a query. A value that is neither yes nor no must not create a contact, not even one that
// cannot be read, which url.ParseQuery leaves out, as it does what has a semicolon.
func simulated(query string) (bool, *fault.Error) {
	var values []string
	for _, pair := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(pair, "=")
		if name, err := url.QueryUnescape(name); err == nil && name == "simular" {
			value, _ = url.QueryUnescape(value) // an unreadable one is empty
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return false, nil
	}
	switch strings.Join(values, ",") {
	case "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	}
	return false, fault.New(fault.InvalidRequest,
		"O parâmetro simular é true ou false, uma vez só: ?simular=true mostra o contato e não cria nada.").At("simular")
}

func (s *server) simulate(ctx context.Context, c *echo.Context, hook webhook.Hook, post intake.Post) error {
	made, err := s.Intake.Simulate(ctx, hook, post)
	if err != nil {
		return late(ctx, err)
	}
	all := make([]SimulatedContact, len(made))
	for i, m := range made {
		all[i] = simulatedContact(m)
	}
	out := LeadSimulated{Success: true, Simulated: true, Message: "Simulação. Nada foi criado.", Contact: all[0]}
	if len(all) > 1 {
		out.Contacts = &all
	}
	return writeJSON(c.Response(), http.StatusOK, echo.MIMEApplicationJSON, out)
}

func simulatedContact(m intake.Simulation) SimulatedContact {
	k := SimulatedContact{
		Nome: m.Contact.Name, Email: m.Contact.Email, Telefone: text.OrNil(m.Contact.Phone),
		TelefoneE164: text.OrNil(m.Contact.PhoneE164), Empresa: text.OrNil(m.Contact.Company),
		Valor: json.Number(m.Contact.Amount.String()), Nota: m.Contact.Note, Origem: text.OrNil(m.Origin),
		Funil: m.Funnel, Etapa: m.Stage, Responsavel: text.OrNil(m.Assignee), Atribuicao: map[string]string{},
	}
	k.Documentos = make([]ContactDocument, len(m.Contact.Documents))
	for i, d := range m.Contact.Documents {
		k.Documentos[i] = ContactDocument{Tipo: ContactDocumentTipo(d.Type()), Documento: d.Value()}
	}
	for _, a := range m.Contact.Attribution {
		k.Atribuicao[a.Key] = a.Value
	}
	k.Campos = make([]struct {
		Campo string `json:"campo"`
		Chave string `json:"chave"`
	}, len(m.Fields))
	for i, f := range m.Fields {
		k.Campos[i].Campo, k.Campos[i].Chave = f.Field, f.Key
	}
	return k
}
