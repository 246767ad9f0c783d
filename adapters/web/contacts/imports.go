package contacts

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"fichario/adapters/download"
	"fichario/adapters/spreadsheet"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/intake"
)

// importsPage is where contacts are uploaded, with the latest imports.
type importsPage struct {
	Form    web.Form
	Problem string
	Most    int
	// FileSent says that a file was sent, which has to be chosen again.
	FileSent bool
	// Tabs are those of a workbook to choose from; empty where there is nothing to choose.
	Tabs   []string
	Latest []contacts.ImportView
}

// importColumn is a column of a file, with the field that it becomes.
type importColumn struct {
	Name, Field string
	// Samples are its first values.
	Samples []string
}

// importPage is an import: its choices and a trial before it begins, its progress, or its outcome.
type importPage struct {
	contacts.ImportView
	contacts.Choices
	Trial   contacts.ImportTrial
	Columns []importColumn
	// Words are the fields that a column can become.
	Words []contacts.Choice
	// Usable is how many rows make contacts.
	Usable  int
	Problem string
	Mine    bool
	Running bool
}

// importWords are the names, for people, of what a column can become beside the fields in web.ContactWords.
var importWords = map[string]string{
	"ddd": "DDD do telefone", "mensagem": web.ContactWords["nota"],
	intake.ColumnNote: "Na nota, com o nome da coluna", intake.ColumnNone: "Não importar",
}

func (s pages) importList(c *web.Call) error { return s.importsPage(c, http.StatusOK, importsPage{}) }

func (s pages) importsPage(c *web.Call, status int, data importsPage) (err error) {
	if data.Latest, err = s.Bulks.Imports(c.Ctx(), c.By); err != nil {
		return err
	}
	data.Most = contacts.BulkMost
	return c.RenderStatus(status, "importar", web.Page{Title: "Importar contatos", Nav: "contatos", Data: data, Wide: true})
}

// importFields are the fields of a new import's form, beside its file.
type importFields struct {
	Pasted web.AsTyped `form:"linhas"`
	Tab    string      `form:"aba" app:"sheet"`
	File   string      `form:"arquivo" app:"file"` // the name of the file that was sent; carries its fault
}

// importSend reads the file, or what was pasted, and shows what each column would become.
func (s pages) importSend(c *web.Call) error {
	var f importFields
	err := c.Decode(&f)
	f.File = c.FileName()
	if err == nil {
		release, err := s.Tables.Turn(c.Ctx())
		if err != nil {
			return err
		}
		defer release()
	}
	if err == nil {
		var n contacts.NewImport
		if n, err = importTable(c, string(f.Pasted)); err == nil {
			n.Tab = f.Tab
			var made contacts.ImportView
			if made, err = s.Bulks.PrepareImport(c.Ctx(), c.By, n); err == nil {
				return c.Done("/importacoes/"+made.ID, "")
			}
		}
	}
	return s.importSendAgain(c, f, err)
}

// importSendAgain shows the form as it was sent, with the fault beside the file, or else beside what was pasted.
func (s pages) importSendAgain(c *web.Call, f importFields, why error) error {
	form, _ := c.Again(&f, why)
	refusal := app.FaultOf(why)
	if refusal == nil || !app.IsRefusal(why) && refusal.Code != fault.BodyTooLarge {
		return why
	}
	data := importsPage{Form: form, Problem: refusal.Message, FileSent: f.File != ""}
	if form.Field == "arquivo" {
		data.Problem = ""
		if f.File == "" && f.Pasted != "" {
			data.Form.Field = "linhas"
		}
	}
	errors.As(why, (*app.Tabs)(&data.Tabs))
	return s.importsPage(c, http.StatusUnprocessableEntity, data)
}

// importTable returns the rows of the file that was sent, or else of what was pasted.
func importTable(c *web.Call, pasted string) (n contacts.NewImport, err error) {
	data, name, err := c.File()
	switch {
	case err != nil:
		return n, err
	case name == "" && strings.TrimSpace(pasted) == "":
		return n, fault.New(fault.InvalidRequest, "Escolha um arquivo, ou cole as linhas.").At("arquivo")
	case name == "":
		data = []byte(pasted)
	}
	n.File = name
	n.Tabs, err = spreadsheet.Read(c.Ctx(), data, contacts.BulkMost+spreadsheet.Above)
	return n, err
}

func (s pages) importShow(c *web.Call) error {
	return s.importAgain(c, http.StatusOK, importChoices{}, nil)
}

// importAgain shows an import; after a refusal, with the reason, and the choices as they were sent.
func (s pages) importAgain(c *web.Call, status int, sent importChoices, why error) error {
	view, err := s.Bulks.ShowImport(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	data := importPage{ImportView: view, Running: view.Open()}
	data.Mine = c.By.MayManage() || view.MemberID == c.By.MemberID()
	p := web.Page{Title: "Importar contatos", Nav: "contatos", Wide: view.Status == crm.BulkDraft}
	p.Read = !p.Wide
	if p.Wide {
		if err := s.importDraft(c, &data); err != nil {
			return err
		}
	}
	if refusal := app.FaultOf(why); refusal != nil {
		data.Problem = refusal.Message
		data.typed(sent)
	}
	if data.Running {
		p.Refresh = 2
	}
	p.Data = data
	return c.RenderStatus(status, "importacao", p)
}

// importDraft adds the choices and the trial of an import that has not begun.
func (s pages) importDraft(c *web.Call, data *importPage) (err error) {
	if data.ImportView, data.Trial, err = s.Bulks.TryImport(c.Ctx(), c.By, data.ID); err != nil {
		return err
	}
	if data.Choices, err = s.Contacts.Choices(c.Ctx(), c.By); err != nil {
		return err
	}
	data.Usable = data.Trial.Total - data.Trial.Wrong
	for _, word := range intake.ColumnFields() {
		data.Words = append(data.Words, contacts.Choice{ID: word, Name: cmp.Or(importWords[word], web.ContactWords[word])})
	}
	for i, name := range data.Import.Columns {
		column := importColumn{Name: name, Field: data.Fields[i]}
		for _, row := range data.Trial.First {
			if i < len(row.Cells) && row.Cells[i] != "" && len(column.Samples) < 3 {
				column.Samples = append(column.Samples, web.Shorten(web.TitleMax, row.Cells[i]))
			}
		}
		data.Columns = append(data.Columns, column)
	}
	return nil
}

// importChoices are the fields of an import's form.
type importChoices struct {
	Action     string         `form:"acao"`
	Fields     []string       `form:"coluna"`
	Duplicates crm.Duplicates `form:"duplicados"`
	Stage      string         `form:"etapa"`
	Assignee   string         `form:"responsavel"`
	Fires      bool           `form:"automacoes"`
}

// typed puts choices into the form as they were sent.
func (p *importPage) typed(f importChoices) {
	if len(f.Fields) == len(p.Columns) {
		for i := range p.Columns {
			p.Columns[i].Field = f.Fields[i]
		}
	}
	p.Duplicates, p.StageID, p.AssigneeID, p.Fires = f.Duplicates, f.Stage, f.Assignee, f.Fires
}

func (s pages) importChange(c *web.Call, f importChoices) error {
	id := c.PathValue("id")
	choices := contacts.ImportChoices{
		Fields: f.Fields, Duplicates: f.Duplicates, StageID: f.Stage, AssigneeID: f.Assignee, Fires: f.Fires,
	}
	var err error
	if f.Action == "importar" {
		_, err = s.Bulks.StartImport(c.Ctx(), c.By, id, choices)
	} else {
		err = s.Bulks.ChooseImport(c.Ctx(), c.By, id, choices)
	}
	refusal := app.FaultOf(err)
	switch {
	case err == nil:
		return c.Done("/importacoes/"+id, "")
	case refusal != nil && app.IsRefusal(err):
		return s.importAgain(c, http.StatusUnprocessableEntity, f, err)
	}
	return err
}

// importCSV sends the outcome of each row, for programs or, with the form excel, for people; importXLSX for people too.
func (s pages) importCSV(c *web.Call, f struct {
	Form download.Form `form:"formato" validate:"omitempty,oneof=excel" says:"O formato deve ser excel, ou nenhum."`
}) error {
	view, rows, err := s.Bulks.ImportResults(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	return s.Download(c, download.Import(view, rows, ".csv"), f.Form)
}

func (s pages) importXLSX(c *web.Call) error {
	view, rows, err := s.Bulks.ImportResults(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	if err := download.XLSX(c.Writer, download.Import(view, rows, ".xlsx")); err != nil {
		s.BrokeOff(c, err)
	}
	return nil
}
