package download

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"time"
	"unicode/utf8"

	"fichario/app/contacts"
	privacyapp "fichario/app/privacy"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/domain/text"
	"fichario/domain/webhook"
)

// Subject streams everything that is held of a person as one JSON object.
func Subject(ctx context.Context, to io.Writer, x *privacyapp.SubjectExport) error {
	w := &objectWriter{to: to}
	w.field("organizacao", struct {
		ID   string `json:"id"`
		Nome string `json:"nome"`
	}{x.Org.ID, x.Org.Name})
	w.field("geradoEm", x.At)
	w.field("pedidoPor", x.AskedBy)
	type identity struct {
		Tipo  string `json:"tipo"`
		Valor string `json:"valor"`
	}
	identities := make([]identity, len(x.Identities))
	for n, i := range x.Identities {
		identities[n] = identity{string(i.Type), i.Value}
	}
	w.field("titular", identities)
	for _, held := range inFile {
		list(w, string(held.kind), x.Held(ctx, held.kind), func(one any) any { return held.view(x, one) })
	}
	w.write("}\n")
	return w.err
}

// written is how one kind is written.
type written struct {
	kind privacy.Kind
	view func(*privacyapp.SubjectExport, any) any
}

// inFile are the kinds in the file, in its order. Contacts have those of privacy.Parts too.
var inFile = []written{
	{privacy.Lookups, as(lookupOf)}, {privacy.Contacts, as(contactOf)}, {privacy.Removed, as(removalOf)},
	{privacy.Deliveries, as(deliveryOf)}, {privacy.Items, as(itemOf)}, {privacy.Rows, as(rowOf)},
	{privacy.Batches, as(fileOf)}, {privacy.Imports, as(fileOf)},
	{privacy.Notices, as(noticeOf)}, {privacy.Texts, as(textOf)},
}

func as[T any](view func(*privacyapp.SubjectExport, T) any) func(*privacyapp.SubjectExport, any) any {
	return func(x *privacyapp.SubjectExport, one any) any {
		held, _ := one.(T)
		return view(x, held)
	}
}

// objectWriter writes an object field by field.
type objectWriter struct {
	to    io.Writer
	begun bool
	err   error
}

func (w *objectWriter) write(s string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.to, s)
	}
}

func (w *objectWriter) name(name string) {
	if w.begun {
		w.write(",\n ")
	} else {
		w.write("{")
	}
	w.begun = true
	w.value(name)
	w.write(": ")
}

func (w *objectWriter) value(v any) {
	if w.err != nil {
		return
	}
	enc := json.NewEncoder(trimming{w.to})
	enc.SetEscapeHTML(false)
	w.err = enc.Encode(v)
}

// trimming drops the line break at the end of an encoder's output.
type trimming struct{ io.Writer }

func (t trimming) Write(p []byte) (int, error) {
	n := len(p)
	if n > 0 && p[n-1] == '\n' {
		p = p[:n-1]
	}
	_, err := t.Writer.Write(p)
	return n, err
}

func (w *objectWriter) field(name string, v any) {
	w.name(name)
	w.value(v)
}

func list[T any](w *objectWriter, name string, all iter.Seq2[T, error], view func(T) any) {
	w.name(name)
	w.write("[")
	first := true
	for one, err := range all {
		if err != nil {
			w.err = err
		}
		if w.err != nil {
			return
		}
		if !first {
			w.write(",\n  ")
		}
		first = false
		w.value(view(one))
	}
	w.write("]")
}

type subjectAnswer struct {
	RespondidaEm time.Time `json:"respondidaEm"`
	Encontrado   bool      `json:"encontrado"`
	Bureau       *string   `json:"bureau"`
	// Fontes are the fields that another bureau answered before.
	Fontes map[string]subjectSource `json:"fontes"`
	Campos json.RawMessage          `json:"campos"`
	// Bruto is the bureau's bytes: JSON unchanged, anything else as a string.
	Bruto json.RawMessage `json:"bruto"`
}

type subjectSource struct {
	Bureau string    `json:"bureau"`
	Em     time.Time `json:"em"`
}

func lookupOf(_ *privacyapp.SubjectExport, l privacyapp.SubjectLookup) any {
	out := struct {
		ID        string  `json:"id"`
		Produto   string  `json:"produto"`
		Documento *string `json:"documento"`
		// Entradas are what was sent beside the document; Bureau is who was asked, or gave history the answer.
		Entradas map[string]string `json:"entradas"`
		Bureau   *string           `json:"bureau"`
		// SoEntradas: the rest is about somebody else.
		SoEntradas bool        `json:"soEntradas"`
		Em         time.Time   `json:"em"`
		Por        *string     `json:"por"`
		Quem       string      `json:"quem"`
		ParaQue    *string     `json:"paraQue"` // the code of the purpose
		Cache      bool        `json:"cache"`
		Cobrada    bool        `json:"cobrada"`
		Valor      json.Number `json:"valor"`
		Situacao   string      `json:"situacao"`
		// Origem says where the answer came from.
		Origem     string         `json:"origem"`
		RespostaID *string        `json:"respostaId"`
		Resposta   *subjectAnswer `json:"resposta"`
		// Tambem are what the same answer said of other products.
		Tambem []subjectPart `json:"tambem,omitempty"`
	}{
		ID: l.ID, Produto: l.Product, Em: l.At, Quem: l.AskedByName, Cache: l.Cache, Cobrada: l.Charged,
		Valor: json.Number(l.Amount.String()), Situacao: string(l.Status), Origem: "bureau",
		Documento: text.OrNil(l.Document.Value()), Por: text.OrNil(l.AskedBy()), RespostaID: text.OrNil(l.RecordID),
		ParaQue: text.OrNil(l.Purpose), Entradas: l.Sent(), Bureau: text.OrNil(l.Bureau), SoEntradas: l.Partly,
	}
	if l.Cache {
		out.Origem = "historico"
	}
	if l.Record != nil {
		out.Resposta = answerOf(l.Record)
	}
	for _, part := range l.Parts {
		out.Tambem = append(out.Tambem, subjectPart{part.Product, part.ID, answerOf(&part)})
	}
	return out
}

type subjectPart struct {
	Produto    string         `json:"produto"`
	RespostaID string         `json:"respostaId"`
	Resposta   *subjectAnswer `json:"resposta"`
}

func answerOf(r *lookup.Record) *subjectAnswer {
	out := &subjectAnswer{
		RespondidaEm: r.AnsweredAt, Encontrado: r.Found, Bureau: text.OrNil(r.Bureau), Campos: r.Fields, Bruto: r.Raw,
	}
	for field, from := range r.Sources {
		if out.Fontes == nil {
			out.Fontes = map[string]subjectSource{}
		}
		out.Fontes[field] = subjectSource{from.Bureau, from.At}
	}
	if !json.Valid(out.Bruto) {
		out.Bruto, _ = json.Marshal(string(r.Raw)) // a string always encodes
	}
	if !json.Valid(out.Campos) {
		out.Campos = nil
	}
	return out
}

type subjectDocument struct {
	Tipo      string `json:"tipo"`
	Documento string `json:"documento"`
}

func documentsOf(all []document.Document) []subjectDocument {
	out := make([]subjectDocument, len(all))
	for n, d := range all {
		out[n] = subjectDocument{string(d.Type()), d.Value()}
	}
	return out
}

type subjectContact struct {
	ID         string            `json:"id"`
	CriadoEm   time.Time         `json:"criadoEm"`
	SoParte    bool              `json:"soDocumento"` // the rest is about somebody else
	Nome       string            `json:"nome,omitempty"`
	Email      string            `json:"email,omitempty"`
	Telefone   string            `json:"telefone,omitempty"`
	Empresa    string            `json:"empresa,omitempty"`
	Valor      json.Number       `json:"valor,omitempty"`
	Documentos []subjectDocument `json:"documentos"`
	Nota       string            `json:"nota,omitempty"`
	Origem     string            `json:"origem,omitempty"`
	Webhook    string            `json:"webhook,omitempty"`
	Funil      string            `json:"funil,omitempty"`
	Etapa      string            `json:"etapa,omitempty"`
	Resp       string            `json:"responsavel,omitempty"`
	Atribuicao map[string]string `json:"atribuicao,omitempty"`
	Historico  []subjectEvent    `json:"historico"`
	Automacoes []subjectRun      `json:"automacoes"`
	// Consentimentos are the yes and no of its forms; Enviado is what platforms were told.
	Consentimentos []subjectConsent `json:"consentimentos,omitempty"`
	Enviado        []subjectTold    `json:"enviadoAPlataformas,omitempty"`
}

type subjectConsent struct {
	Campo  string    `json:"campo"`
	Titulo *string   `json:"titulo"`
	Dado   bool      `json:"dado"`
	Em     time.Time `json:"em"`
	// Por is the member who recorded it by hand.
	Por string `json:"por,omitempty"`
}

type subjectTold struct {
	Em      time.Time `json:"em"`
	Destino string    `json:"destino"`
	// RecebidoEm is when the platform took it; null where that is not known.
	RecebidoEm *time.Time `json:"recebidoEm"`
	// Consentimento is the field by which the person consented, Finalidade the code of the purpose instead.
	Consentimento *string `json:"consentimento"`
	Finalidade    *string `json:"finalidade"`
	Corpo         string  `json:"corpo"`
}

func toldOf(t automation.Told) subjectTold {
	out := subjectTold{
		Em: t.At, Destino: t.Destination, Consentimento: text.OrNil(t.Ground.Consent), Finalidade: text.OrNil(t.Ground.Basis),
		Corpo: t.Body,
	}
	if !t.AnsweredAt.IsZero() {
		out.RecebidoEm = &t.AnsweredAt
	}
	return out
}

type subjectEvent struct {
	Em    time.Time `json:"em"`
	Tipo  string    `json:"tipo"`
	Autor string    `json:"autor"`
	Texto string    `json:"texto"`
}

type subjectRun struct {
	Em        time.Time `json:"em"`
	Automacao string    `json:"automacao"`
	Acao      string    `json:"acao"`
	// Para is whom it passed the contact on to: an address, or a destination's name.
	Para      *string `json:"para"`
	Situacao  string  `json:"situacao"`
	Resultado string  `json:"resultado"`
}

func contactOf(_ *privacyapp.SubjectExport, c privacyapp.SubjectContact) any {
	out := contactFields(c.Contact)
	out.Origem, out.Webhook, out.Funil, out.Etapa, out.Resp = c.Origin, c.Webhook, c.Funnel, c.Stage, c.Assignee.Name
	if out.SoParte = c.Partly; c.Partly {
		out.Valor = ""
	}
	for _, e := range c.Events {
		out.Historico = append(out.Historico, subjectEvent{e.At, string(e.Kind), e.Actor, e.Text()})
	}
	for _, t := range c.Told {
		out.Enviado = append(out.Enviado, toldOf(t))
	}
	for _, run := range c.Runs {
		out.Automacoes = append(out.Automacoes, subjectRun{
			run.CreatedAt, run.Rule.Name, string(run.Kind), text.OrNil(c.PassedTo(run)), string(run.State), run.Result,
		})
	}
	return out
}

func contactFields(c crm.Contact) subjectContact {
	out := subjectContact{
		ID: c.ID, CriadoEm: c.CreatedAt, Nome: c.Name, Email: c.Email, Telefone: c.Phone, Empresa: c.Company,
		Valor: json.Number(c.Amount.String()), Documentos: documentsOf(c.Documents), Nota: c.Note,
		Historico: []subjectEvent{}, Automacoes: []subjectRun{},
	}
	for _, said := range c.Consents {
		out.Consentimentos = append(out.Consentimentos,
			subjectConsent{said.Key, text.OrNil(said.Title), said.Given, said.At, said.By})
	}
	for _, a := range c.Attribution {
		if out.Atribuicao == nil {
			out.Atribuicao = map[string]string{}
		}
		out.Atribuicao[a.Key] = a.Value
	}
	return out
}

func removalOf(_ *privacyapp.SubjectExport, r crm.Removal) any {
	return struct {
		Em      time.Time      `json:"em"`
		Por     string         `json:"por"`
		UnidoA  *string        `json:"unidoA"`
		Contato subjectContact `json:"contato"`
	}{r.At, r.By, text.OrNil(r.IntoID), contactFields(r.Contact)}
}

func deliveryOf(x *privacyapp.SubjectExport, d webhook.Delivery) any {
	headers := d.Headers
	if headers == nil {
		headers = []intake.Pair{}
	}
	body := string(d.Body)
	if !utf8.ValidString(body) {
		body = string([]rune(body))
	}
	return struct {
		ID         string            `json:"id"`
		Em         time.Time         `json:"em"`
		Webhook    string            `json:"webhook"`
		Situacao   string            `json:"situacao"`
		Contato    *string           `json:"contato"`
		Cabecalhos map[string]string `json:"cabecalhos"`
		Corpo      string            `json:"corpo"`
	}{d.ID, d.At, x.Webhook(d.WebhookID), string(d.Outcome), text.OrNil(d.ContactID), pairs(headers), body}
}

func pairs(all []intake.Pair) map[string]string {
	out := map[string]string{}
	for _, p := range all {
		out[p.Key] = p.Value
	}
	return out
}

func itemOf(_ *privacyapp.SubjectExport, i privacyapp.SubjectItem) any {
	cells, columns := map[string]string{}, batch.Distinct(i.Batch.Columns)
	for n, cell := range i.Cells {
		if n < len(columns) {
			cells[columns[n]] = cell
		}
	}
	return struct {
		Lote     string            `json:"lote"`
		Nome     string            `json:"nome"`
		Produto  string            `json:"produto"`
		CriadoEm time.Time         `json:"criadoEm"`
		Linha    int               `json:"linha"`
		Doc      *string           `json:"documento"`
		Colunas  map[string]string `json:"colunas"`
		Situacao string            `json:"situacao"`
		Consulta *string           `json:"consultaId"`
	}{
		i.BatchID, i.Batch.Name, i.Batch.Product, i.Batch.CreatedAt, i.Line, text.OrNil(i.Document.Value()), cells,
		string(i.State), text.OrNil(i.LookupID),
	}
}

func rowOf(_ *privacyapp.SubjectExport, r crm.BulkItem) any {
	row, _ := contacts.StoredRow(r.Content) // content that is not a row of a file has no cells
	return struct {
		Acao    string   `json:"importacao"`
		Linha   int      `json:"linha"`
		Celulas []string `json:"celulas"`
	}{r.BulkID, row.Line, row.Cells}
}

func noticeOf(_ *privacyapp.SubjectExport, n crm.Notification) any {
	return struct {
		Em    time.Time `json:"em"`
		Tipo  string    `json:"tipo"`
		Texto string    `json:"texto"`
	}{n.At, string(n.Kind), n.Subject}
}

func fileOf(_ *privacyapp.SubjectExport, f privacy.File) any {
	return struct {
		CriadoEm time.Time `json:"criadoEm"`
		Nomes    []string  `json:"nomes"`
	}{f.At, f.Names}
}

func textOf(_ *privacyapp.SubjectExport, t privacyapp.SubjectText) any {
	return struct {
		Contato  string    `json:"contato"`
		CriadoEm time.Time `json:"criadoEm"`
		Trechos  []string  `json:"trechos"`
	}{t.ContactID, t.CreatedAt, t.Passages}
}
