package privacy

import (
	"encoding/json"
	"iter"
	"net/http"
	"time"

	"fichario/adapters/download"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/contacts"
	privacyapp "fichario/app/privacy"
	"fichario/domain/fault"
	"fichario/domain/privacy"
)

// subjectFields say which person a request is about. They are posted, never in an address, because addresses are
// logged.
type subjectFields struct {
	Type  string      `form:"tipo" app:"-" validate:"omitempty,oneof=documento email telefone"`
	Value web.AsTyped `form:"valor"`
	Block bool        `form:"bloquear" app:"-"`
}

// query is the use case's query.
func (f subjectFields) query(c *web.Call) privacyapp.SubjectQuery {
	q, value := privacyapp.SubjectQuery{OrgID: c.By.OrgID()}, string(f.Value)
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
	web.Form
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

func countLines(counts privacy.Counts) (out []countLine) {
	for _, k := range privacy.AllKinds() {
		if counts[k] > 0 {
			out = append(out, countLine{k.Name(), counts[k]})
		}
	}
	return out
}

// erasuresAtOnce is how many erasures a page shows.
const erasuresAtOnce = 100

func (s pages) privacy(c *web.Call, f struct {
	After string `form:"depois"`
}) error {
	return s.privacyPage(c, http.StatusOK, privacyPage{After: f.After})
}

func (s pages) privacyPage(c *web.Call, status int, p privacyPage) (err error) {
	if p.Erasures, err = s.Subjects.Erasures(c.Ctx(), c.By, c.By.OrgID(), p.After, erasuresAtOnce+1); err != nil {
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
	if p.Blocks, err = s.Subjects.Blocks(c.Ctx(), c.By, c.By.OrgID(), ids...); err != nil {
		return err
	}
	ready, err := s.Subjects.Ready(c.Ctx())
	if err != nil {
		return err
	}
	p.Types, p.Preparing = subjectTypes, !ready
	return c.RenderStatus(status, "privacidade", web.Page{Title: "Privacidade", Nav: "privacidade", Data: p})
}

// subjectAgain shows the form with what is wrong with it.
func (s pages) subjectAgain(c *web.Call, f subjectFields, err error) error {
	shown, _ := c.Again(&f, err)
	if refusal := app.FaultOf(err); refusal == nil || refusal.Code != fault.InvalidRequest {
		return err
	}
	shown.Field = "valor"
	return s.privacyPage(c, http.StatusUnprocessableEntity, privacyPage{Form: shown})
}

// notReady is the fault where the search would take too long for a page.
func (s pages) notReady(c *web.Call) error {
	ready, err := s.Subjects.Ready(c.Ctx())
	if err == nil && !ready {
		err = fault.New(fault.ServiceUnavailable, "O índice de titulares ainda está sendo preparado, o que acontece uma vez "+
			"depois de uma atualização. Tente de novo mais tarde, ou use o comando fichario subject, que espera por ele.")
	}
	return err
}

// openedWithin bounds the time a page spends on opening posts and the like to count what is held of a person.
const openedWithin = 5 * time.Second

func (s pages) subjectFind(c *web.Call, f subjectFields) error {
	if err := s.notReady(c); err != nil {
		return err
	}
	held, err := s.Subjects.Count(c.Ctx(), c.By, f.query(c), openedWithin)
	if err != nil {
		return s.subjectAgain(c, f, err)
	}
	return s.privacyPage(c, http.StatusOK, privacyPage{Form: web.Filled(&f), Found: &held, Lines: countLines(held.Counts)})
}

func (s pages) subjectExport(c *web.Call, f subjectFields) error {
	if err := s.notReady(c); err != nil {
		return err
	}
	x, err := s.Subjects.Export(c.Ctx(), c.By, f.query(c))
	if err != nil {
		return s.subjectAgain(c, f, err)
	}
	x.Alive = func() { download.Extend(c.Writer) }
	h := c.Writer.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="titular.json"`)
	if err := download.Subject(c.Ctx(), c.Writer, x); err != nil {
		s.BrokeOff(c, err)
	}
	return nil
}

// subjectMost is how many of each kind the printable page shows; the file has all.
const subjectMost = 200

// subjectPage is what is held of a person, for printing.
type subjectPage struct {
	*privacyapp.SubjectExport
	// Shown is the first of what is held of each kind, by its word.
	Shown map[string][]any
	// Purposes are the names of the lookups' purposes, by code.
	Purposes map[string]string
	// More says that a kind has more.
	More bool
}

// some returns the first of all, and sets more where there are others.
func some(all iter.Seq2[any, error], more *bool) (out []any, err error) {
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

func (s pages) subjectPrint(c *web.Call, f subjectFields) error {
	if err := s.notReady(c); err != nil {
		return err
	}
	x, err := s.Subjects.Export(c.Ctx(), c.By, f.query(c))
	if err != nil {
		return s.subjectAgain(c, f, err)
	}
	x.Alive = func() { download.Extend(c.Writer) }
	p := subjectPage{SubjectExport: x, Shown: map[string][]any{}}
	if p.Purposes, err = s.PurposeNames(c); err != nil {
		return err
	}
	for _, k := range privacy.Kinds() {
		if k == privacy.Parts || k == privacy.Notices { // which are among the contacts, and say nothing more
			continue
		}
		if p.Shown[string(k)], err = some(x.Held(c.Ctx(), k), &p.More); err != nil {
			return err
		}
	}
	return c.Render("titular", web.Page{Title: "Dados do titular", Nav: "privacidade", Read: true, Data: p})
}

// subjectAsk confirms the erasure of a person, and lists what goes.
func (s pages) subjectAsk(c *web.Call, f subjectFields) error {
	if err := s.notReady(c); err != nil {
		return err
	}
	held, err := s.Subjects.Count(c.Ctx(), c.By, f.query(c), openedWithin)
	if err != nil {
		return s.subjectAgain(c, f, err)
	}
	data := privacyPage{Form: web.Filled(&f), Found: &held, Lines: countLines(held.Counts)}
	return c.Render("titular-apagar", web.Page{Title: "Apagar os dados", Nav: "privacidade", Read: true, Data: data})
}

func (s pages) subjectErase(c *web.Call, f subjectFields) error {
	if err := s.notReady(c); err != nil {
		return err
	}
	e, err := s.Subjects.Erase(c.Ctx(), c.By, f.query(c), f.Block)
	if err != nil {
		return s.subjectAgain(c, f, err)
	}
	return c.Redirect("/privacidade/eliminacoes/" + e.ID)
}

// erasurePage is the receipt of an erasure, or its progress.
type erasurePage struct {
	privacy.Erasure
	Lines   []countLine
	Stays   []string
	Blocked bool
}

func (s pages) erasureShow(c *web.Call) error {
	e, err := s.Subjects.Erasure(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	data := erasurePage{Erasure: e, Lines: countLines(e.Gone), Stays: download.Receipt(e).Fica}
	blocks, err := s.Subjects.Blocks(c.Ctx(), c.By, e.OrgID, e.ID)
	if err != nil {
		return err
	}
	data.Blocked = len(blocks) > 0
	p := web.Page{Title: "Eliminação", Nav: "privacidade", Read: true, Data: data}
	if e.State != privacy.Done {
		p.Refresh = 2
	}
	return c.Render("eliminacao", p)
}

func (s pages) erasureFile(c *web.Call) error {
	e, err := s.Subjects.Erasure(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	h := c.Writer.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="recibo-`+e.ID+`.json"`)
	enc := json.NewEncoder(c.Writer)
	enc.SetEscapeHTML(false)
	return enc.Encode(download.Receipt(e))
}

func (s pages) erasureUnblock(c *web.Call) error {
	id := c.PathValue("id")
	if err := s.Subjects.UnblockErased(c.Ctx(), c.By, id); err != nil {
		return err
	}
	return c.Done("/privacidade/eliminacoes/"+id, "Bloqueio desfeito. O titular pode ser consultado de novo.")
}
