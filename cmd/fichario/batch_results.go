package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"fichario/adapters/download"
	"fichario/app"
	"fichario/app/batches"
	"fichario/domain/batch"
)

type batchResultsCmd struct {
	ID     string `arg:"" help:"Id of the batch."`
	Format string `enum:",csv,excel,xlsx,ndjson" default:"" help:"csv (without --json), excel (a CSV for spreadsheets in Brazil), xlsx or ndjson."`
	State  string `name:"situacao" help:"Only items in this state, such as falhou."`
}

// Run writes the results.
func (c *batchResultsCmd) Run(e *environment) error {
	if e.json && c.Format != "" {
		return errTwoForms
	}
	return e.withBatches(func(batches *batches.Batches) error {
		results, err := batches.AllResults(e.ctx, app.Operator(), c.ID, batch.State(c.State))
		if err != nil {
			return err
		}
		asLines := c.Format == "ndjson" || c.Format == "" && e.json
		if _, offered := batches.Catalog.Find(results.Batch.Product); !offered && !asLines {
			return fmt.Errorf("FICHARIO_BUREAU of this shell (%s) does not offer %s, so its columns would be missing: set it "+
				"as for the service, or use --format ndjson", e.settings.Bureau, results.Batch.Product)
		}
		to := output{e.out, http.Header{}}
		switch c.Format {
		case "":
			if e.json {
				return e.printResults(func(lines io.Writer) error { return download.NDJSON(output{lines, http.Header{}}, results) })
			}
			_, err = download.CSV(to, download.Batch(results), download.Plain)
		case "xlsx":
			return download.XLSX(to, download.Batch(results))
		case "ndjson":
			return download.NDJSON(to, results)
		case "excel":
			_, err = download.CSV(to, download.Batch(results), download.Excel)
		default:
			_, err = download.CSV(to, download.Batch(results), download.Plain)
		}
		return err
	})
}

// errTwoForms is for results requested in two formats.
var errTwoForms = errors.New("--format and --json ask for two formats: use one of them")

// printResults prints lines of JSON as one value, in the form of a page of results.
func (e *environment) printResults(write func(lines io.Writer) error) error {
	var lines bytes.Buffer
	if err := write(&lines); err != nil {
		return err
	}
	all := []json.RawMessage{}
	for line := range bytes.Lines(lines.Bytes()) {
		all = append(all, bytes.TrimSpace(line))
	}
	return e.print(map[string]any{"resultados": all, "proxima": nil}, "")
}

// output receives a file that is otherwise an HTTP response.
type output struct {
	io.Writer
	header http.Header
}

// Header is ignored.
func (o output) Header() http.Header { return o.header }

// WriteHeader is ignored.
func (o output) WriteHeader(int) {}
