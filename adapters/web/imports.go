package web

import (
	"errors"
	"net/http"
	"strings"

	"fichario/adapters/download"
	spreadsheet "fichario/adapters/sheet"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/intake"
)

// importsPage is where contacts are uploaded, with the latest imports.
type importsPage struct {
	Form    Form
	Problem string
	Most    int
	// Sheets are those of a workbook to choose from; empty where there is nothing to choose.
	Sheets []string
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

// importWords are the names, for people, of the fields that a column can become.
var importWords = map[string]string{
	"email": "E-mail", "nome": "Nome", "telefone": "Telefone", "ddd": "DDD do telefone", "empresa": "Empresa",
	"valor": "Valor", "documentos": "CPF ou CNPJ", "origem": "Origem", "mensagem": "Nota",
	intake.ColumnNote: "Na nota, com o nome da coluna", intake.ColumnNone: "Não importar",
}

func (s *server) importList(c *call) error { return s.importsPage(c, http.StatusOK, importsPage{}) }

func (s *server) importsPage(c *call, status int, data importsPage) (err error) {
	if data.Latest, err = s.Bulks.Imports(c.ctx(), c.by); err != nil {
		return err
	}
	data.Most = contacts.BulkMost
	return c.renderStatus(status, "importar", page{Title: "Importar contatos", Nav: "contatos", Data: data})
}

// importFields are the fields of a new import's form, beside its file.
type importFields struct {
	Pasted asTyped `form:"linhas"`
	Sheet  string  `form:"aba" app:"sheet"`
	File   string  `form:"arquivo" app:"file"` // carries the file's fault
}

// importSend reads the file, or what was pasted, and shows what each column would become.
func (s *server) importSend(c *call) error {
	var f importFields
	err := c.decode(&f)
	if err == nil {
		release, err := s.Tables.Turn(c.ctx())
		if err != nil {
			return err
		}
		defer release()
	}
	if err == nil {
		var n contacts.NewImport
		if n, err = importTable(c, string(f.Pasted)); err == nil {
			n.Sheet = f.Sheet
			var made contacts.ImportView
			if made, err = s.Bulks.PrepareImport(c.ctx(), c.by, n); err == nil {
				return c.done("/importacoes/"+made.ID, "")
			}
		}
	}
	form, _ := c.again(&f, err)
	known := app.FaultOf(err)
	if known == nil || !app.IsRefusal(err) && known.Code != fault.BodyTooLarge {
		return err
	}
	data := importsPage{Form: form, Problem: known.Message}
	errors.As(err, (*app.Sheets)(&data.Sheets))
	return s.importsPage(c, http.StatusUnprocessableEntity, data)
}

// importTable returns the rows of the file that was sent, or else of what was pasted.
func importTable(c *call, pasted string) (n contacts.NewImport, err error) {
	data, name, err := c.file()
	switch {
	case err != nil:
		return n, err
	case name == "" && strings.TrimSpace(pasted) == "":
		return n, fault.New(fault.InvalidRequest, "Escolha um arquivo, ou cole as linhas.").At("arquivo")
	case name == "":
		data = []byte(pasted)
	}
	n.File = name
	n.Sheets, err = spreadsheet.Read(c.ctx(), data, contacts.BulkMost+spreadsheet.Above)
	return n, err
}

func (s *server) importShow(c *call) error {
	return s.importAgain(c, http.StatusOK, importChoices{}, nil)
}

// importAgain shows an import; after a refusal, with the reason, and the choices as they were sent.
func (s *server) importAgain(c *call, status int, sent importChoices, why error) error {
	view, err := s.Bulks.ShowImport(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	data := importPage{ImportView: view, Running: view.Open()}
	data.Mine = c.by.MayManage() || view.MemberID == c.by.MemberID()
	p := page{Title: "Importar contatos", Nav: "contatos", Read: view.Status != crm.BulkDraft}
	if view.Status == crm.BulkDraft {
		if err := s.importDraft(c, &data); err != nil {
			return err
		}
	}
	if known := app.FaultOf(why); known != nil {
		data.Problem = known.Message
		data.typed(sent)
	}
	if data.Running {
		p.Refresh = 2
	}
	p.Data = data
	return c.renderStatus(status, "importacao", p)
}

// importDraft adds the choices and the trial of an import that has not begun.
func (s *server) importDraft(c *call, data *importPage) (err error) {
	if data.ImportView, data.Trial, err = s.Bulks.TryImport(c.ctx(), c.by, data.ID); err != nil {
		return err
	}
	if data.Choices, err = s.Contacts.Choices(c.ctx(), c.by); err != nil {
		return err
	}
	data.Usable = data.Trial.Total - data.Trial.Wrong
	for _, word := range intake.ColumnFields() {
		data.Words = append(data.Words, contacts.Choice{ID: word, Name: importWords[word]})
	}
	for i, name := range data.Import.Columns {
		column := importColumn{Name: name, Field: data.Fields[i]}
		for _, row := range data.Trial.First {
			if i < len(row.Cells) && row.Cells[i] != "" && len(column.Samples) < 3 {
				column.Samples = append(column.Samples, shorten(titleMax, row.Cells[i]))
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

func (s *server) importChange(c *call, f importChoices) error {
	id := c.PathValue("id")
	choices := contacts.ImportChoices{
		Fields: f.Fields, Duplicates: f.Duplicates, StageID: f.Stage, AssigneeID: f.Assignee, Fires: f.Fires,
	}
	var err error
	if f.Action == "importar" {
		_, err = s.Bulks.StartImport(c.ctx(), c.by, id, choices)
	} else {
		err = s.Bulks.ChooseImport(c.ctx(), c.by, id, choices)
	}
	known := app.FaultOf(err)
	switch {
	case err == nil:
		return c.done("/importacoes/"+id, "")
	case known != nil && app.IsRefusal(err):
		return s.importAgain(c, http.StatusUnprocessableEntity, f, err)
	}
	return err
}

// importCSV sends the outcome of each row, for programs or, with the form excel, for people; importXLSX for people too.
func (s *server) importCSV(c *call, f struct {
	Form download.Form `form:"formato" validate:"omitempty,oneof=excel" says:"O formato deve ser excel, ou nenhum."`
}) error {
	view, rows, err := s.Bulks.ImportResults(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	return s.download(c, download.Import(view, rows, ".csv"), f.Form)
}

func (s *server) importXLSX(c *call) error {
	view, rows, err := s.Bulks.ImportResults(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	if err := download.XLSX(c.w, download.Import(view, rows, ".xlsx")); err != nil {
		s.brokeOff(c, err)
	}
	return nil
}
