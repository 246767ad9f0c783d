// Package client holds the commands that use a running service with an API key.
package client

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"fichario/cmd/fichario/command"
)

// API has every operation of the API that takes a key, over HTTP. The batch command, which works on the database, is
// separate: it is the operator's, who sees every batch, and a variable must not decide which of the two a command line
// means.
type API struct {
	Lookup    Lookup       `cmd:"" help:"Look up a document, as fichario lookup does."`
	Answer    answerCmd    `cmd:"" help:"Get the answer of a lookup again, free of charge."`
	Products  productsCmd  `cmd:"" help:"List the products that the key may use, with prices."`
	Statement statementCmd `cmd:"" help:"Show what the key has spent, and on what."`
	Batch     apiBatchCmd  `cmd:"" help:"Look up many documents, within a ceiling."`
}

// Lookup looks up a document at a running service.
type Lookup struct {
	remote        `embed:""`
	command.Shown `embed:""`

	Product     string  `arg:"" help:"Product id, such as cpf, cnpj or score."`
	Document    string  `arg:"" help:"Document without punctuation, such as 52998224725."`
	Refresh     bool    `help:"Ask the bureau even if history has an answer; this is charged."`
	MaxAge      *int    `placeholder:"DAYS" help:"Oldest acceptable answer from history."`
	HistoryOnly bool    `help:"Never ask the bureau; free of charge."`
	Purpose     string  `help:"Code of the purpose; required if the key may use several."`
	Bureau      *string `help:"Name of the only bureau to ask; the key needs the scope bureau."`
	Later       bool    `help:"Do not wait for the bureau; fichario api answer ID gets the answer later."`
	Once        *string `name:"idempotency-key" placeholder:"KEY" help:"Name of this question: asked again under it within a day, it is bought once and gives the same answer."`

	Input map[string]string `help:"What the product needs besides the document; may be repeated." placeholder:"NAME=VALUE" mapsep:"none"`
}

// Run looks a document up. The document is in the body, so that no log on the way has it.
func (c *Lookup) Run(e *command.Environment) error {
	body := map[string]any{"produto": c.Product, "documento": c.Document}
	if c.Refresh {
		body["atualizar"] = true
	}
	if c.MaxAge != nil {
		body["maxIdade"] = *c.MaxAge
	}
	if c.HistoryOnly {
		body["somenteHistorico"] = true
	}
	if c.Purpose != "" {
		body["finalidade"] = c.Purpose
	}
	if c.Bureau != nil { // an empty one is refused: a shell's unset variable must not ask every bureau
		body["bureau"] = *c.Bureau
	}
	if len(c.Input) > 0 {
		body["entradas"] = c.Input
	}
	asked := call{method: http.MethodPost, path: "/api/v1/consultas", body: body, header: map[string]string{}}
	if c.Later {
		asked.header["Prefer"] = "respond-async"
	}
	if c.Once != nil {
		asked.header["Idempotency-Key"] = *c.Once
	}
	answer, err := c.read(e.Ctx, asked)
	if err != nil {
		return err
	}
	return c.One(e, answer)
}

type answerCmd struct {
	remote        `embed:""`
	command.Shown `embed:""`

	ID string `arg:"" help:"consultaId of the answer."`
}

// Run repeats the answer of a lookup.
func (c *answerCmd) Run(e *command.Environment) error {
	answer, err := c.read(e.Ctx, call{method: http.MethodGet, path: "/api/v1/consultas/" + url.PathEscape(c.ID)})
	if err != nil {
		return err
	}
	return c.One(e, answer)
}

type productsCmd struct {
	remote        `embed:""`
	command.Shown `embed:""`
}

// Run lists the products.
func (c *productsCmd) Run(e *command.Environment) error {
	answer, err := c.read(e.Ctx, call{method: http.MethodGet, path: "/api/v1/produtos"})
	if err != nil {
		return err
	}
	return c.List(e, answer, "produtos", "id", "preco", "documentos", "nome")
}

type statementCmd struct {
	remote        `embed:""`
	command.Shown `embed:""`

	Limit   int    `default:"50" help:"Lookups per page, at most 200; csv always has all."`
	Cursor  string `help:"Cursor that the previous page printed."`
	From    string `placeholder:"DAY" help:"First day, such as 2026-11-01."`
	Until   string `placeholder:"DAY" help:"Last day, such as 2026-11-30."`
	Product string `help:"Only lookups of this product."`
	Purpose string `help:"Only lookups for this purpose."`
	Cached  *bool  `negatable:"" help:"Only answers from history; --no-cached: only the others."`
	Excel   bool   `help:"With csv: a file for spreadsheets in Brazil."`
}

// Run shows a page of the statement, or writes all of it as CSV.
func (c *statementCmd) Run(e *command.Environment) error {
	query := filled(map[string]string{
		"cursor": c.Cursor, "de": c.From, "ate": c.Until, "produto": c.Product, "finalidade": c.Purpose,
	})
	if c.Cached != nil {
		query.Set("cache", strconv.FormatBool(*c.Cached))
	}
	asked := call{method: http.MethodGet, path: "/api/v1/consultas", query: query}
	if c.Is(e) == "csv" {
		asked.header = map[string]string{"Accept": "text/csv"}
		if c.Excel {
			query.Set("formato", "excel")
		}
		return c.copy(e, asked)
	}
	query.Set("limite", strconv.Itoa(c.Limit))
	answer, err := c.read(e.Ctx, asked)
	if err != nil {
		return err
	}
	if c.Is(e) == "table" {
		_, err = fmt.Fprintf(e.Out, "Spent, in reais: %s. Charged: %s. Limits: %s.\n\n", command.Readable(command.Within(answer, "gasto")),
			command.Readable(command.Within(answer, "cobradas")), command.Readable(command.Within(answer, "limites")))
		if err != nil {
			return err
		}
	}
	return c.List(e, answer, "consultas", "id", "em", "produto", "documento", "cache", "valor", "situacao", "finalidade")
}

// filled returns the parameters that have a value.
func filled(parameters map[string]string) url.Values {
	query := url.Values{}
	for name, value := range parameters {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// copy writes a file as it arrives.
func (r remote) copy(e *command.Environment, c call) error {
	res, err := r.do(e.Ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if _, err = io.Copy(e.Out, res.Body); err != nil {
		return fmt.Errorf("the file arrived incomplete: %w", err)
	}
	return nil
}
