package client

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"fichario/cmd/fichario/command"
	"fichario/domain/catalog"
)

type apiBatchCmd struct {
	Quote   apiQuoteCmd   `cmd:"" help:"Quote the price of a table of documents; no bureau is asked, nothing is charged."`
	List    apiBatchesCmd `cmd:"" help:"List the key's batches, newest first."`
	Show    apiShowCmd    `cmd:"" help:"Show a batch and its progress."`
	Confirm apiConfirmCmd `cmd:"" help:"Start a quoted batch, within a ceiling."`
	Pause   apiPauseCmd   `cmd:"" help:"Pause a batch; calls in flight are completed."`
	Resume  apiResumeCmd  `cmd:"" help:"Resume a paused batch, or retry items without an answer."`
	Cancel  apiCancelCmd  `cmd:"" help:"Cancel a batch; calls in flight are completed."`
	Results apiResultsCmd `cmd:"" help:"Show the result of each item."`
}

const batchesPath = "/api/v1/lotes"

// oneBatch is a command about a batch.
type oneBatch struct {
	remote        `embed:""`
	command.Shown `embed:""`

	ID string `arg:"" help:"Id of the batch."`
}

// post changes the batch and shows it.
func (b *oneBatch) post(e *command.Environment, what string, body map[string]any) error {
	c := call{method: http.MethodPost, path: batchesPath + "/" + url.PathEscape(b.ID) + "/" + what}
	if len(body) > 0 {
		c.body = body
	}
	answer, err := b.read(e.Ctx, c)
	if err != nil {
		return err
	}
	return b.One(e, answer)
}

type apiQuoteCmd struct {
	remote        `embed:""`
	command.Shown `embed:""`

	File    string        `arg:"" help:"Path of a table, CSV or XLSX; - for standard input."`
	Product string        `required:"" help:"Product id."`
	Sheet   string        `help:"Sheet of a workbook, by name or number. Default: the only one that has documents."`
	Column  string        `help:"Column with the documents, by header, letter or number. Default: the first that has any."`
	Name    string        `help:"Name of the batch, for people."`
	Refresh bool          `help:"Ask the bureau even if history has an answer."`
	Purpose string        `help:"Code of the purpose; required if the key may use several."`
	Ceiling command.Reais `placeholder:"REAIS" help:"Most that the batch may cost."`
	Confirm bool          `help:"Start it at once; requires --ceiling."`
	Once    *string       `placeholder:"NAME" help:"Idempotency-Key: the same name with the same table creates no second batch."`
}

// Run quotes a table.
func (c *apiQuoteCmd) Run(e *command.Environment) error {
	table, err := command.ReadTable(e, c.File)
	if err != nil {
		return err
	}
	query := filled(map[string]string{
		"produto": c.Product, "aba": c.Sheet, "coluna": c.Column, "nome": c.Name, "finalidade": c.Purpose,
	})
	if c.Refresh {
		query.Set("atualizar", "true")
	}
	if c.Ceiling.Amount != nil {
		query.Set("teto", c.Ceiling.Amount.String())
	}
	if c.Confirm {
		query.Set("confirmar", "true")
	}
	header := map[string]string{"Content-Type": "text/csv"}
	if len(table) > 1 && string(table[:2]) == "PK" {
		header["Content-Type"] = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	if c.Once != nil {
		header["Idempotency-Key"] = *c.Once
	}
	answer, err := c.read(e.Ctx, call{
		method: http.MethodPost, path: batchesPath, query: query, header: header, body: table,
	})
	if err != nil {
		return err
	}
	return c.One(e, answer)
}

type apiBatchesCmd struct {
	remote        `embed:""`
	command.Shown `embed:""`

	Limit  int    `default:"50" help:"Batches per page, at most 200."`
	Cursor string `help:"Cursor that the previous page printed."`
}

// Run lists the batches.
func (c *apiBatchesCmd) Run(e *command.Environment) error {
	query := filled(map[string]string{"cursor": c.Cursor, "limite": strconv.Itoa(c.Limit)})
	answer, err := c.read(e.Ctx, call{method: http.MethodGet, path: batchesPath, query: query})
	if err != nil {
		return err
	}
	return c.List(e, answer, "lotes", "id", "situacao", "produto", "itens.total", "progresso.feitos", "progresso.gasto", "nome")
}

type apiShowCmd struct {
	oneBatch `embed:""`
}

// Run shows a batch.
func (c *apiShowCmd) Run(e *command.Environment) error {
	answer, err := c.read(e.Ctx, call{method: http.MethodGet, path: batchesPath + "/" + url.PathEscape(c.ID)})
	if err != nil {
		return err
	}
	return c.One(e, answer)
}

type apiConfirmCmd struct {
	oneBatch `embed:""`

	Ceiling command.Reais `placeholder:"REAIS" help:"Most that the batch may cost. Default: the ceiling of the quote, or else its maximum cost."`
}

// Run confirms a batch.
func (c *apiConfirmCmd) Run(e *command.Environment) error {
	return c.post(e, "confirmar", ceilingIn(c.Ceiling.Amount))
}

// ceilingIn is a body with the ceiling, where one was given.
func ceilingIn(amount *catalog.Money) map[string]any {
	body := map[string]any{}
	if amount != nil {
		body["teto"] = json.Number(amount.String())
	}
	return body
}

type apiPauseCmd struct {
	oneBatch `embed:""`
}

// Run pauses a batch.
func (c *apiPauseCmd) Run(e *command.Environment) error { return c.post(e, "pausar", nil) }

type apiResumeCmd struct {
	oneBatch `embed:""`

	Ceiling  command.Reais `placeholder:"REAIS" help:"Most that the batch may cost in total. Default: as before."`
	Failures bool          `help:"Retry items without an answer, as new spending."`
}

// Run resumes a batch.
func (c *apiResumeCmd) Run(e *command.Environment) error {
	body := ceilingIn(c.Ceiling.Amount)
	if c.Failures {
		body["falhas"] = true
	}
	return c.post(e, "retomar", body)
}

type apiCancelCmd struct {
	oneBatch `embed:""`
}

// Run cancels a batch.
func (c *apiCancelCmd) Run(e *command.Environment) error { return c.post(e, "cancelar", nil) }

type apiResultsCmd struct {
	oneBatch `embed:""`

	Limit  int    `default:"100" help:"Items per page, at most 200; files always have all."`
	Cursor string `help:"Cursor that the previous page printed."`
	State  string `name:"situacao" help:"Only items in this state, such as falhou."`
	Format string `enum:"csv,excel,xlsx,ndjson," default:"" help:"All results as a file: csv, excel (a CSV for spreadsheets in Brazil), xlsx or ndjson."`
}

// Run shows a page of results, or writes all of them as a file.
func (c *apiResultsCmd) Run(e *command.Environment) error {
	asked := call{
		method: http.MethodGet, path: batchesPath + "/" + url.PathEscape(c.ID) + "/resultados",
		query: filled(map[string]string{"situacao": c.State}),
	}
	if c.Format != "" && c.Is(e) == "json" {
		return command.ErrTwoForms
	}
	if c.Format == "" && c.Is(e) == "csv" {
		c.Format = "csv"
	}
	if c.Format != "" {
		asked.query.Set("formato", c.Format)
		return c.copy(e, asked)
	}
	asked.query.Set("limite", strconv.Itoa(c.Limit))
	if c.Cursor != "" {
		asked.query.Set("cursor", c.Cursor)
	}
	answer, err := c.read(e.Ctx, asked)
	if err != nil {
		return err
	}
	return c.List(e, answer, "resultados", "linha", "documento", "situacao", "valor", "campos", "mensagem|code")
}
