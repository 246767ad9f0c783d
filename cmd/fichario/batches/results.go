package batches

import (
	"fmt"
	"io"

	"fichario/adapters/download"
	"fichario/app"
	"fichario/app/batches"
	"fichario/cmd/fichario/command"
	"fichario/domain/batch"
)

type batchResultsCmd struct {
	ID     string `arg:"" help:"Id of the batch."`
	Format string `enum:",csv,excel,xlsx,ndjson" default:"" help:"csv (without --json), excel (a CSV for spreadsheets in Brazil), xlsx or ndjson."`
	State  string `name:"situacao" help:"Only items in this state, such as falhou."`
}

// Run writes the results.
func (c *batchResultsCmd) Run(e *command.Environment) error {
	if e.JSON && c.Format != "" {
		return command.ErrTwoForms
	}
	return withBatches(e, func(batches *batches.Batches) error {
		results, err := batches.AllResults(e.Ctx, app.Operator(), c.ID, batch.State(c.State))
		if err != nil {
			return err
		}
		asLines := c.Format == "ndjson" || c.Format == "" && e.JSON
		if _, offered := batches.Catalog.Find(results.Batch.Product); !offered && !asLines {
			return fmt.Errorf("FICHARIO_BUREAU of this shell (%s) does not offer %s, so its columns would be missing: set it "+
				"as for the service, or use --format ndjson", e.Settings.Bureau, results.Batch.Product)
		}
		to := command.NewOutput(e.Out)
		switch c.Format {
		case "":
			if e.JSON {
				return e.PrintResults(func(lines io.Writer) error { return download.NDJSON(command.NewOutput(lines), results) })
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
