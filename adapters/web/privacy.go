package web

import (
	"encoding/json"
	"iter"
	"net/http"
	"time"

	"fichario/adapters/download"
	"fichario/app"
	"fichario/app/contacts"
	privacyapp "fichario/app/privacy"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
)

// subjectFields say which person a request is about. They are posted, never in an address, because addresses are
// logged.
type subjectFields struct {
	Type  string  `form:"tipo" app:"-" validate:"omitempty,oneof=documento email telefone"`
	Value asTyped `form:"valor"`
	Block bool    `form:"bloquear" app:"-"`
}

// query is the use case's query.
func (f subjectFields) query(c *call) privacyapp.SubjectQuery {
	q, value := privacyapp.SubjectQuery{OrgID: c.by.OrgID()}, string(f.Value)
	switch f.Type {
	case "email":
		q.Email = value
	case "telefone":
		q.Phone = value
	default:
		q.Document = value
	}
	return q
}

// subjectTypes are the kinds of identity that people are found by.
var subjectTypes = []contacts.Choice{
	{ID: "documento", Name: "CPF, CNPJ ou placa"}, {ID: "email", Name: "E-mail"}, {ID: "telefone", Name: "Telefone"},
}

// privacyPage is the owners' page for data subjects' rights.
type privacyPage struct {
	Form
	Types []contacts.Choice
	// Found is what is held of the person asked about; nil before a search.
	Found *privacyapp.Held
	Lines []countLine
	// After is the last erasure on the previous page.
	After    string
	Erasures []privacy.Erasure
	Blocks   []privacy.Block
	// Next is the address of the next page of erasures.
	Next string
	// Preparing says that the index is not complete yet.
	Preparing bool
}

// countLine is the number of items of a kind.
type countLine struct {
	Name string
	N    int
}

// kindNames are the kinds in words, in display order.
var kindNames = []struct {
	kind privacy.Kind
	name string
}{
	{privacy.Lookups, "Consultas"}, {privacy.Answers, "Respostas do bureau guardadas"}, {privacy.Items, "Linhas de lotes"},
	{privacy.Contacts, "Contatos"}, {privacy.Happenings, "Registros no histórico dos contatos"},
	{privacy.Runs, "Execuções de automações"}, {privacy.Parts, "Documento em contatos de outras pessoas"},
	{privacy.Removed, "Contatos excluídos ou unidos"}, {privacy.Deliveries, "Envios recebidos por webhooks"},
	{privacy.Rows, "Linhas de importações"}, {privacy.Notices, "Notificações"},
	{privacy.Texts, "Menções em contatos de outras pessoas"},
}

func countLines(counts privacy.Counts) (out []countLine) {
	for _, k := range kindNames {
		if counts[k.kind] > 0 {
			out = append(out, countLine{k.name, counts[k.kind]})
		}
	}
	return out
}

// erasuresAtOnce is how many erasures a page shows.
const erasuresAtOnce = 100

func (s *server) privacy(c *call, f struct {
	After string `form:"depois"`
}) error {
	return s.privacyPage(c, http.StatusOK, privacyPage{After: f.After})
}

func (s *server) privacyPage(c *call, status int, p privacyPage) (err error) {
	if p.Erasures, err = s.Subjects.Erasures(c.ctx(), c.by, c.by.OrgID(), p.After, erasuresAtOnce+1); err != nil {
		return err
	}
	if len(p.Erasures) > erasuresAtOnce {
		p.Erasures = p.Erasures[:erasuresAtOnce]
		p.Next = "/privacidade?depois=" + p.Erasures[erasuresAtOnce-1].ID + "#eliminacoes-t"
	}
	ids := make([]string, len(p.Erasures))
	for i, e := range p.Erasures {
		ids[i] = e.ID
	}
	if p.Blocks, err = s.Subjects.Blocks(c.ctx(), c.by, c.by.OrgID(), ids...); err != nil {
		return err
	}
	ready, err := s.Subjects.Ready(c.ctx())
	if err != nil {
		return err
	}
	p.Types, p.Preparing = subjectTypes, !ready
	return c.renderStatus(status, "privacidade", page{Title: "Privacidade", Nav: "privacidade", Data: p})
}

// subjectAgain shows the form with what is wrong with it.
func (s *server) subjectAgain(c *call, f subjectFields, err error) error {
	shown, _ := c.again(&f, err)
	if known := app.FaultOf(err); known == nil || known.Code != fault.InvalidRequest {
		return err
	}
	shown.Field = "valor"
	return s.privacyPage(c, http.StatusUnprocessableEntity, privacyPage{Form: shown})
}

// notReady is the fault where the search would take too long for a page.
func (s *server) notReady(c *call) error {
	ready, err := s.Subjects.Ready(c.ctx())
	if err == nil && !ready {
		err = fault.New(fault.ServiceUnavailable, "O índice de titulares ainda está sendo preparado, o que acontece uma vez "+
			"depois de uma atualização. Tente de novo mais tarde, ou use o comando fichario subject, que espera por ele.")
	}
	return err
}

// openedWithin bounds the time a page spends on opening posts and the like to count what is held of a person.
const openedWithin = 5 * time.Second

func (s *server) subjectFind(c *call, f subjectFields) error {
	if err := s.notReady(c); err != nil {
		return err
	}
	held, err := s.Subjects.Count(c.ctx(), c.by, f.query(c), openedWithin)
	if err != nil {
		return s.subjectAgain(c, f, err)
	}
	return s.privacyPage(c, http.StatusOK, privacyPage{Form: filled(&f), Found: &held, Lines: countLines(held.Counts)})
}

func (s *server) subjectExport(c *call, f subjectFields) error {
	if err := s.notReady(c); err != nil {
		return err
	}
	x, err := s.Subjects.Export(c.ctx(), c.by, f.query(c))
	if err != nil {
		return s.subjectAgain(c, f, err)
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="titular.json"`)
	if err := download.Subject(c.ctx(), c.w, x); err != nil {
		s.brokeOff(c, err)
	}
	return nil
}

// subjectMost is how many of each kind the printable page shows; the file has all.
const subjectMost = 200

// subjectPage is what is held of a person, for printing.
type subjectPage struct {
	*privacyapp.SubjectExport
	Lookups    []privacyapp.SubjectLookup
	Contacts   []privacyapp.SubjectContact
	Deliveries []webhook.Delivery
	Items      []privacyapp.SubjectItem
	Removed    []crm.Removal
	Rows       []crm.BulkItem
	Texts      []privacyapp.SubjectText
	// Purposes are the names of the lookups' purposes, by code.
	Purposes map[string]string
	// More says that a kind has more.
	More bool
}

// some returns the first of all, and sets more where there are others.
func some[T any](all iter.Seq2[T, error], more *bool) (out []T, err error) {
	for one, err := range all {
		if err != nil {
			return nil, err
		}
		if len(out) == subjectMost {
			*more = true
			break
		}
		out = append(out, one)
	}
	return out, nil
}

func (s *server) subjectPrint(c *call, f subjectFields) error {
	if err := s.notReady(c); err != nil {
		return err
	}
	x, err := s.Subjects.Export(c.ctx(), c.by, f.query(c))
	if err != nil {
		return s.subjectAgain(c, f, err)
	}
	p := subjectPage{SubjectExport: x}
	if p.Purposes, err = s.purposeNames(c); err != nil {
		return err
	}
	if p.Lookups, err = some(x.Lookups(c.ctx()), &p.More); err != nil {
		return err
	}
	if p.Contacts, err = some(x.Contacts(c.ctx()), &p.More); err != nil {
		return err
	}
	if p.Deliveries, err = some(x.Deliveries(c.ctx()), &p.More); err != nil {
		return err
	}
	if p.Items, err = some(x.Items(c.ctx()), &p.More); err != nil {
		return err
	}
	if p.Removed, err = some(x.Removed(c.ctx()), &p.More); err != nil {
		return err
	}
	if p.Rows, err = some(x.Rows(c.ctx()), &p.More); err != nil {
		return err
	}
	if p.Texts, err = some(x.Texts(c.ctx()), &p.More); err != nil {
		return err
	}
	return c.render("titular", page{Title: "Dados do titular", Nav: "privacidade", Read: true, Data: p})
}

// subjectAsk confirms the erasure of a person, and lists what goes.
func (s *server) subjectAsk(c *call, f subjectFields) error {
	if err := s.notReady(c); err != nil {
		return err
	}
	held, err := s.Subjects.Count(c.ctx(), c.by, f.query(c), openedWithin)
	if err != nil {
		return s.subjectAgain(c, f, err)
	}
	data := privacyPage{Form: filled(&f), Found: &held, Lines: countLines(held.Counts)}
	return c.render("titular-apagar", page{Title: "Apagar os dados", Nav: "privacidade", Read: true, Data: data})
}

func (s *server) subjectErase(c *call, f subjectFields) error {
	if err := s.notReady(c); err != nil {
		return err
	}
	e, err := s.Subjects.Erase(c.ctx(), c.by, f.query(c), f.Block)
	if err != nil {
		return s.subjectAgain(c, f, err)
	}
	return c.redirect("/privacidade/eliminacoes/" + e.ID)
}

// erasurePage is the receipt of an erasure, or its progress.
type erasurePage struct {
	privacy.Erasure
	Lines   []countLine
	Stays   []string
	Blocked bool
}

func (s *server) erasureShow(c *call) error {
	e, err := s.Subjects.Erasure(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	data := erasurePage{Erasure: e, Lines: countLines(e.Gone), Stays: download.Receipt(e).Fica}
	blocks, err := s.Subjects.Blocks(c.ctx(), c.by, e.OrgID, e.ID)
	if err != nil {
		return err
	}
	data.Blocked = len(blocks) > 0
	p := page{Title: "Eliminação", Nav: "privacidade", Read: true, Data: data}
	if e.State != privacy.Done {
		p.Refresh = 2
	}
	return c.render("eliminacao", p)
}

func (s *server) erasureFile(c *call) error {
	e, err := s.Subjects.Erasure(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="recibo-`+e.ID+`.json"`)
	enc := json.NewEncoder(c.w)
	enc.SetEscapeHTML(false)
	return enc.Encode(download.Receipt(e))
}

func (s *server) erasureUnblock(c *call) error {
	id := c.PathValue("id")
	if err := s.Subjects.UnblockErased(c.ctx(), c.by, id); err != nil {
		return err
	}
	return c.done("/privacidade/eliminacoes/"+id, "Bloqueio desfeito. O titular pode ser consultado de novo.")
}
