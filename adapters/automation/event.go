package automation

import (
	"bytes"
	"encoding/json"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
)

// eventJSON is what a call sends: the form of Standard Webhooks, with the contact as it is
// now, at the time of the event, which is the same in every attempt.
type eventJSON struct {
	Type      automation.EventName `json:"type"`
	Timestamp time.Time            `json:"timestamp"`
	Data      ContactJSON          `json:"data"`
}

func eventBody(e automation.Event) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(eventJSON{Type: e.Name, Timestamp: e.At, Data: NewContactJSON(e.Contact)})
	return bytes.TrimSpace(out.Bytes()), err
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
	// Documentos are the CPFs and CNPJs of the contact, never null.
	Documentos []DocumentJSON `json:"documentos"`
	// Valor is in reais, exact.
	Valor            json.Number `json:"valor"`
	Nota             string      `json:"nota"`
	Origem           *string     `json:"origem"`
	Funil            string      `json:"funil"`
	Etapa            string      `json:"etapa"`
	Responsavel      *string     `json:"responsavel"`
	ResponsavelEmail *string     `json:"responsavelEmail"`
	Webhook          *string     `json:"webhook"`
	// Fonte is webhook, or manual where a member made the contact.
	Fonte      string            `json:"fonte"`
	Atribuicao map[string]string `json:"atribuicao"`
	CriadoEm   time.Time         `json:"criadoEm"`
}

// DocumentJSON is a document of a contact, in its bare characters.
type DocumentJSON struct {
	Tipo      string `json:"tipo"`
	Documento string `json:"documento"`
}

// NewContactJSON describes a contact for other systems.
func NewContactJSON(c crm.ContactView) ContactJSON {
	out := ContactJSON{
		ID: c.ID, Nome: c.Name, Email: c.Email, Telefone: orNull(c.Phone), TelefoneE164: orNull(c.PhoneE164),
		Empresa: orNull(c.Company), Valor: json.Number(c.Amount.String()), Nota: c.Note, Origem: orNull(c.Origin),
		Funil: c.Funnel, Etapa: c.Stage, Responsavel: orNull(c.Assignee.Name),
		ResponsavelEmail: orNull(c.Assignee.Email), Webhook: orNull(c.Webhook), Fonte: "webhook",
		Atribuicao: map[string]string{}, CriadoEm: c.CreatedAt, Documentos: make([]DocumentJSON, len(c.Documents)),
	}
	for i, d := range c.Documents {
		out.Documentos[i] = DocumentJSON{string(d.Type()), d.Value()}
	}
	if c.WebhookID == "" {
		out.Fonte = "manual"
	}
	for _, a := range c.Attribution {
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
