package automation

import (
	"bytes"
	"encoding/json"
	"time"

	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/text"
)

// eventJSON is the body of a call in Standard Webhooks' form. The event's time is the same in every attempt. The
// contract's `x-webhooks` describe it, and say what is as it was when the event happened.
type eventJSON struct {
	Type      automation.EventName `json:"type"`
	Timestamp time.Time            `json:"timestamp"`
	Data      any                  `json:"data"`
}

func eventBody(e automation.Event) ([]byte, error) {
	return encode(eventJSON{Type: e.Name, Timestamp: e.At, Data: dataOf(e)})
}

// eventData is only the data of an event, which conditions are evaluated on.
func eventData(e automation.Event) ([]byte, error) { return encode(dataOf(e)) }

func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(out.Bytes()), err
}

// dataOf is what other systems are told of an event.
func dataOf(e automation.Event) any {
	switch e.Name {
	case automation.ContactUpdated:
		return struct {
			ContactJSON
			Alterados           []string `json:"alterados"`
			ResponsavelAnterior *string  `json:"responsavelAnterior"`
		}{NewContactJSON(e.Contact), e.Changed, text.OrNil(e.Before.Name)}
	case automation.ContactMoved:
		return struct {
			ContactJSON
			EtapaAnterior *string `json:"etapaAnterior"`
		}{NewContactJSON(e.Contact), text.OrNil(e.From)}
	case automation.LookupCompleted:
		if e.Lookup != nil {
			return lookupData(e)
		}
	case automation.BatchCompleted:
		if e.Batch != nil {
			return batchData(*e.Batch)
		}
	case automation.CapReached:
		if e.Cap != nil {
			return capData(*e.Cap)
		}
	case automation.DeliveryRefused:
		if e.Delivery != nil {
			return deliveryData(e)
		}
	case automation.ContactCreated:
	}
	return NewContactJSON(e.Contact)
}

type lookupJSON struct {
	ConsultaID string      `json:"consultaId"`
	Produto    string      `json:"produto"`
	Documento  string      `json:"documento"`
	Cache      bool        `json:"cache"`
	Valor      json.Number `json:"valorCobrado"`
	// ConsultadoEm is when the bureau answered.
	ConsultadoEm time.Time `json:"consultadoEm"`
	// Finalidade is the code of the lookup's purpose.
	Finalidade *string `json:"finalidade"`
	// Automacao is the id of the automation that made the lookup.
	Automacao *string `json:"automacao"`
	// Bureau is the name of the one that answered.
	Bureau  *string         `json:"bureau"`
	Campos  json.RawMessage `json:"campos"`
	Contato *ContactJSON    `json:"contato"`
}

func lookupData(e automation.Event) lookupJSON {
	l := e.Lookup
	out := lookupJSON{
		ConsultaID: l.Entry.ID, Produto: l.Entry.Product, Documento: l.Record.Document.Value(), Cache: l.Entry.Cache,
		Valor: json.Number(l.Entry.Cost().String()), ConsultadoEm: l.Record.AnsweredAt,
		Finalidade: text.OrNil(l.Entry.Purpose), Automacao: text.OrNil(l.Entry.AutomationID),
		Bureau: text.OrNil(l.Record.Bureau), Campos: l.Record.Fields,
	}
	if e.Contact.ID != "" {
		contact := NewContactJSON(e.Contact)
		out.Contato = &contact
	}
	return out
}

// batchJSON is a batch in the contract's terms.
type batchJSON struct {
	ID       string       `json:"id"`
	Nome     string       `json:"nome"`
	Produto  string       `json:"produto"`
	Situacao batch.Status `json:"situacao"`
	Itens    struct {
		Total     int `json:"total"`
		Validos   int `json:"validos"`
		Repetidos int `json:"repetidos"`
		Invalidos int `json:"invalidos"`
	} `json:"itens"`
	Teto      json.Number `json:"teto"`
	Progresso struct {
		Feitos   int         `json:"feitos"`
		Cobrados int         `json:"cobrados"`
		Gratis   int         `json:"gratis"`
		Falhas   int         `json:"falhas"`
		Gasto    json.Number `json:"gasto"`
	} `json:"progresso"`
	CriadoEm     time.Time `json:"criadoEm"`
	ConfirmadoEm time.Time `json:"confirmadoEm"`
	TerminadoEm  time.Time `json:"terminadoEm"`
}

func batchData(b automation.BatchOutcome) batchJSON {
	out := batchJSON{
		ID: b.ID, Nome: b.Name, Produto: b.Product, Situacao: b.Status, Teto: json.Number(b.Limit().String()),
		CriadoEm: b.CreatedAt, ConfirmadoEm: b.StartedAt, TerminadoEm: b.EndedAt,
	}
	items, done := &out.Itens, &out.Progresso
	items.Total, items.Validos, items.Repetidos, items.Invalidos = b.Total, b.Valid, b.Repeated, b.Invalid
	done.Feitos, done.Cobrados, done.Gratis, done.Falhas = b.Ended, b.Charged, b.Free, b.Failed
	done.Gasto = json.Number(b.Spent.String())
	return out
}

type keyJSON struct {
	ID      string `json:"id"`
	Nome    string `json:"nome"`
	Prefixo string `json:"prefixo"`
}

type capJSON struct {
	Chave      keyJSON `json:"chave"`
	Periodo    string  `json:"periodo"`
	Percentual int     `json:"percentual"`
	Limite     int     `json:"limite"`
	Cobradas   int     `json:"cobradas"`
}

func capData(c automation.Cap) capJSON {
	return capJSON{keyJSON{c.KeyID, c.Key, c.Prefix}, c.Period, c.Percent, c.Limit, c.Used}
}

type deliveryJSON struct {
	ID       string `json:"id"`
	Webhook  string `json:"webhook"`
	Codigo   string `json:"codigo"`
	Mensagem string `json:"mensagem"`
}

func deliveryData(e automation.Event) deliveryJSON {
	return deliveryJSON{e.Delivery.ID, e.Webhook, e.Delivery.Code, e.Delivery.Reason}
}

// ContactJSON is a contact as other systems and the commands see it.
type ContactJSON struct {
	ID    string `json:"id"`
	Nome  string `json:"nome"`
	Email string `json:"email"`
	// Absent fields are null. TelefoneE164 is also null when the phone is no valid number.
	Telefone     *string `json:"telefone"`
	TelefoneE164 *string `json:"telefoneE164"`
	Empresa      *string `json:"empresa"`
	// Documentos are the CPFs and CNPJs of the contact, never null.
	Documentos []DocumentJSON `json:"documentos"`
	// Valor is in reais, exact.
	Valor json.Number `json:"valor"`
	Nota  string      `json:"nota"`
	// Respostas are the questions of the note with their answers, without those that Atribuicao has.
	Respostas        map[string]string `json:"respostas"`
	Origem           *string           `json:"origem"`
	Funil            string            `json:"funil"`
	Etapa            string            `json:"etapa"`
	Responsavel      *string           `json:"responsavel"`
	ResponsavelEmail *string           `json:"responsavelEmail"`
	Webhook          *string           `json:"webhook"`
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
		ID: c.ID, Nome: c.Name, Email: c.Email, Telefone: text.OrNil(c.Phone), TelefoneE164: text.OrNil(c.PhoneE164),
		Empresa: text.OrNil(c.Company), Valor: json.Number(c.Amount.String()), Nota: c.Note,
		Respostas: intake.NoteAnswers(c.Note), Origem: text.OrNil(c.Origin), Funil: c.Funnel, Etapa: c.Stage,
		Responsavel: text.OrNil(c.Assignee.Name), ResponsavelEmail: text.OrNil(c.Assignee.Email),
		Webhook: text.OrNil(c.Webhook), Fonte: "webhook", Atribuicao: map[string]string{}, CriadoEm: c.CreatedAt,
		Documentos: make([]DocumentJSON, len(c.Documents)),
	}
	for i, d := range c.Documents {
		out.Documentos[i] = DocumentJSON{string(d.Type()), d.Value()}
	}
	if c.WebhookID == "" {
		out.Fonte = "manual"
	}
	for _, a := range c.Attribution {
		out.Atribuicao[a.Key] = a.Value
		delete(out.Respostas, a.Key) // the note has it too
	}
	return out
}
