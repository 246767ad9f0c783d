package lookups

import (
	"net/http"

	"fichario/adapters/download"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

// statement is a page of lookups and their cost, for one key or a whole organisation.
type statement struct {
	Page lookups.StatementPage
	// Path is the page's address.
	Path string
	// Filter is the chosen filter, and Problem what is wrong with it.
	Filter   statementFilter
	Problem  string
	Lines    []statementLine
	Products []catalog.Product
	// Keys are the options of the filter; nil in the statement of one key.
	Keys []access.Key
	// Purposes are those of the organisation, including retired ones.
	Purposes []crm.Purpose
	// Budget is the reader's budget; nil where there is none.
	Budget *lookups.Budget
	// First and Last are the days of the plot, Rows its figures on days with spending, newest first, Parts its figures by
	// two parts, and Sum all of it. Listed is what the lines of this page cost.
	First, Last string
	Plot        *plot
	Rows        []spentDay
	Parts       spentParts
	Sum         lookup.Spent
	Listed      catalog.Money
	// Back is the address of the first page, Next that of the next one, CSV and Excel those of the files with all lines.
	Back, Next, CSV, Excel string
}

// keyPage is a key with its statement.
type keyPage struct {
	KeyLine
	Statement statement
}

// Failed is the newest lookup of the statement's first page that the bureau did not answer; nil where none is, or where
// a filter leaves lookups out.
func (p keyPage) Failed() *lookup.Entry {
	if p.Statement.Filter.Any() || p.Statement.Filter.Cursor != "" {
		return nil
	}
	for i := range p.Statement.Page.Entries {
		if e := &p.Statement.Page.Entries[i]; e.Unanswered() {
			return e
		}
	}
	return nil
}

// statementFilter is a filter of the statement, as in the address. It holds no personal data.
type statementFilter struct {
	From    string `form:"de" validate:"omitempty,day"`
	Until   string `form:"ate" validate:"omitempty,day"`
	Product string `form:"produto"`
	Purpose string `form:"finalidade"`
	Cache   string `form:"resultado"`
	By      string `form:"quem"`
	Cursor  string `form:"depois"`
	// Part and With are what spending is told apart by.
	Part string `form:"por"`
	With string `form:"e"`
}

// statementDownload is the filter and the format of a file of lines.
type statementDownload struct {
	statementFilter
	Form download.Form `form:"formato" validate:"omitempty,oneof=excel" says:"O formato deve ser excel, ou nenhum."`
}

func (f statementFilter) query() lookups.StatementQuery {
	q := lookups.StatementQuery{
		From: f.From, Until: f.Until, Product: f.Product, Purpose: f.Purpose, By: f.By, Cursor: f.Cursor,
	}
	if cached, ok := map[string]bool{"historico": true, "bureau": false}[f.Cache]; ok {
		q.Cache = &cached
	}
	return q
}

// address is the address of the first page, with some more values.
func (f statementFilter) address(path string, more ...string) string {
	f.Cursor = ""
	return path + web.WithQuery(web.QueryOf(f), more...)
}

// Any reports whether the filter excludes anything.
func (f statementFilter) Any() bool {
	return f.From != "" || f.Until != "" || f.Product != "" || f.Purpose != "" || f.Cache != "" || f.By != ""
}

// statementLine is an entry with its product's name and, in an organisation's statement, the asker's.
type statementLine struct {
	lookup.Entry
	Name, Who string
	// Purpose is the name of the lookup's purpose.
	Purpose string
}

// spendDays is how many days the plot shows unless a filter says otherwise, and spendMost the maximum: more bars would
// be indistinguishable.
const (
	spendDays = 30
	spendMost = 62
)

func (s pages) keyShow(c *web.Call) error {
	key, err := s.Keys.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	data, status := keyPage{}, http.StatusOK
	if path := "/chaves/" + key.ID; c.Script() { // the figures alone, every few seconds
		data.Statement.Page, err = s.Statement.Figures(c.Ctx(), c.By, lookups.StatementQuery{OfKey: key.ID})
	} else {
		status, err = s.statement(c, key.ID, path, path+"/extrato.csv", &data.Statement)
	}
	if err != nil {
		return err
	}
	lines := []KeyLine{s.keyLine(lookups.KeyUse{
		Key: key, Today: data.Statement.Page.Today, Month: data.Statement.Page.Month, Usable: key.UsableAt(s.Clock()),
	})}
	if data.KeyLine = lines[0]; c.Script() {
		return c.RenderPart("chave", "key-figures", data)
	}
	if err := s.namePurposes(c, lines); err != nil {
		return err
	}
	data.KeyLine = lines[0]
	if data.Refused, err = s.Statement.Refused(c.Ctx(), c.By, key); err != nil {
		return err
	}
	return c.RenderStatus(status, "chave",
		web.Page{Title: web.Shorten(60, key.Name), Nav: "chaves", Data: data, Wide: true})
}

// statementShow shows the statement of the whole organisation, or, to a member who does not manage it, the member's
// own.
func (s pages) statementShow(c *web.Call) error {
	var data statement
	var err error
	if c.By.MayManage() {
		if data.Keys, err = s.Keys.List(c.Ctx(), c.By, c.By.OrgID()); err != nil {
			return err
		}
	}
	if data.Budget, err = s.Statement.Budget(c.Ctx(), c.By); err != nil {
		return err
	}
	status, err := s.statement(c, "", "/extrato", "/extrato.csv", &data)
	if err != nil {
		return err
	}
	return c.RenderStatus(status, "extrato", web.Page{Title: "Extrato", Nav: "extrato", Data: data, Wide: true})
}

// selected makes the sums of an organisation's statement obey its filter.
func (s pages) selected(c *web.Call, data *statement) error {
	if !data.Filter.Any() || data.Problem != "" || data.Page.Key.ID != "" {
		return nil
	}
	only, err := s.Statement.Selected(c.Ctx(), c.By, data.Filter.query())
	data.Page.Today, data.Page.Month, data.Page.Forecast = only.Today, only.Month, only.Forecast
	return err
}

// statement reads what the filter of the address selects and returns the status of the page.
func (s pages) statement(c *web.Call, keyID, path, file string, out *statement) (status int, err error) {
	out.Path, status = path, http.StatusOK
	if err = c.Decode(&out.Filter); err == nil {
		q := out.Filter.query()
		q.OfKey = keyID
		out.Page, err = s.Statement.Page(c.Ctx(), c.By, q)
	}
	if f := app.FaultOf(err); f != nil && f.Code == fault.InvalidRequest {
		// The filter is invalid: show it again with the problem, above the unfiltered statement.
		out.Problem, status = f.Message, http.StatusUnprocessableEntity
		if f.Field == "ate" && out.Filter.Until < out.Filter.From { // the use case words this with the API's parameter names
			out.Problem = "A data em Até vem antes da data em De."
		}
		out.Page, err = s.Statement.Page(c.Ctx(), c.By, lookups.StatementQuery{OfKey: keyID})
	}
	if err != nil {
		return status, err
	}
	names := map[string]string{}
	out.Products = s.Terms.Catalog
	for _, p := range out.Products {
		names[p.ID] = p.Name
	}
	if out.Purposes, err = s.Purposes.List(c.Ctx(), c.By, c.By.OrgID()); err != nil {
		return status, err
	}
	purposes := map[string]string{}
	for _, p := range out.Purposes {
		purposes[p.Code] = p.Name
	}
	for _, e := range out.Page.Entries {
		out.Lines = append(out.Lines, statementLine{
			e, orID(names, e.Product), out.Page.Names[e.AskedBy()], purposes[e.Purpose],
		})
		out.Listed += e.Amount
	}
	if out.Page.Next != "" && out.Problem == "" {
		out.Next = out.Filter.address(path, "depois", out.Page.Next) + "#consultas"
	}
	out.Back = out.Filter.address(path) + "#consultas"
	out.CSV, out.Excel = out.Filter.address(file), out.Filter.address(file, "formato", string(download.Excel))
	if err := s.selected(c, out); err != nil {
		return status, err
	}
	return status, s.spendOf(c, keyID, out, names)
}

func orID(names map[string]string, id string) string {
	if name, ok := names[id]; ok {
		return name
	}
	return id
}

// keyStatementFile sends a key's statement, like the API.
func (s pages) keyStatementFile(c *web.Call, f statementDownload) error {
	return s.statementFile(c, f, c.PathValue("id"))
}

// orgStatementFile sends the organisation's.
func (s pages) orgStatementFile(c *web.Call, f statementDownload) error {
	return s.statementFile(c, f, "")
}

func (s pages) statementFile(c *web.Call, f statementDownload, keyID string) error {
	q := f.query()
	q.OfKey = keyID
	lines, err := s.Statement.Lines(c.Ctx(), c.By, q)
	if err != nil {
		return err
	}
	return s.Download(c, download.Statement(lines), f.Form)
}
