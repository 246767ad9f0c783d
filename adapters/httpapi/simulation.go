package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"fichario/app"
	"fichario/domain/fault"
	"fichario/domain/webhook"
)

// simulated reads `simular`. A word that is neither yes nor no must not create a
// contact.
func simulated(values []string) (bool, error) {
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

func (s *server) simulate(ctx context.Context, c echo.Context, hook webhook.Hook, post app.Post) error {
	m, err := s.Intake.Simulate(ctx, hook, post)
	if err != nil {
		return late(ctx, err)
	}
	out := LeadSimulated{Success: true, Simulated: true, Message: "Simulação. Nada foi criado."}
	k := &out.Contact
	k.Nome, k.Email, k.Telefone = m.Contact.Name, m.Contact.Email, orNull(m.Contact.Phone)
	k.TelefoneE164, k.Empresa = orNull(m.Contact.PhoneE164), orNull(m.Contact.Company)
	k.Valor, k.Nota, k.Origem = json.Number(m.Contact.Amount.String()), m.Contact.Note, orNull(m.Origin)
	k.Funil, k.Etapa = m.Funnel, m.Stage
	k.Responsavel, k.Atribuicao = orNull(m.Assignee), map[string]string{}
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
	return writeJSON(c.Response(), http.StatusOK, echo.MIMEApplicationJSON, out)
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
