package app

import (
	"bytes"
	"encoding/json"
	"time"

	"fichario/domain/automation"
)

// eventJSON is what an http automation sends: the form of Standard Webhooks, with a
// contact in the words of `fichario contact list`.
type eventJSON struct {
	Type      automation.EventName `json:"type"`
	Timestamp time.Time            `json:"timestamp"`
	Data      ContactJSON          `json:"data"`
}

// ContactJSON is a contact as other systems and the commands see it.
type ContactJSON struct {
	ID    string `json:"id"`
	Nome  string `json:"nome"`
	Email string `json:"email"`
	// What was not sent, or has no name, is null. TelefoneE164 is also null when the
	// phone is no valid number.
	Telefone     *string `json:"telefone"`
	TelefoneE164 *string `json:"telefoneE164"`
	Empresa      *string `json:"empresa"`
	// Valor is in reais, exact.
	Valor            json.Number       `json:"valor"`
	Nota             string            `json:"nota"`
	Origem           *string           `json:"origem"`
	Funil            string            `json:"funil"`
	Etapa            string            `json:"etapa"`
	Responsavel      *string           `json:"responsavel"`
	ResponsavelEmail *string           `json:"responsavelEmail"`
	Webhook          *string           `json:"webhook"`
	Atribuicao       map[string]string `json:"atribuicao"`
	CriadoEm         time.Time         `json:"criadoEm"`
}

// JSON returns the contact as other systems see it.
func (v ContactView) JSON() ContactJSON {
	out := ContactJSON{
		ID: v.ID, Nome: v.Name, Email: v.Email, Telefone: orNull(v.Phone), TelefoneE164: orNull(v.PhoneE164), Empresa: orNull(v.Company),
		Valor: json.Number(v.Amount.String()), Nota: v.Note, Origem: orNull(v.Origin), Funil: v.Funnel, Etapa: v.Stage, Webhook: orNull(v.Webhook), Atribuicao: map[string]string{},
		Responsavel: orNull(v.Assignee.Name), ResponsavelEmail: orNull(v.Assignee.Email), CriadoEm: v.CreatedAt,
	}
	for _, a := range v.Attribution {
		out.Atribuicao[a.Key] = a.Value
	}
	return out
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// eventBody returns the body of an http automation: the contact as it is now, at the
// time of the event, which is the same in every attempt.
func eventBody(v ContactView) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(eventJSON{Type: automation.ContactCreated, Timestamp: v.CreatedAt, Data: v.JSON()})
	return bytes.TrimSpace(out.Bytes()), err
}
