// Package batches holds the commands of batches.
package batches

import (
	"fmt"
	"log/slog"

	"fichario/adapters/bureau"
	"fichario/adapters/gormstore"
	"fichario/adapters/httpapi"
	"fichario/adapters/spreadsheet"
	"fichario/app"
	"fichario/app/batches"
	"fichario/cmd/fichario/command"
	"fichario/domain/access"
	"fichario/domain/batch"
)

// Batch holds the commands of batches.
type Batch struct {
	Quote   batchQuoteCmd   `cmd:"" help:"Quote the price of a table of documents; no bureau is asked, nothing is charged."`
	Confirm batchConfirmCmd `cmd:"" help:"Start a quoted batch, on any instance, within a ceiling."`
	List    batchListCmd    `cmd:"" help:"List the batches of an organisation, newest first."`
	Show    batchShowCmd    `cmd:"" help:"Show a batch and its progress."`
	Pause   batchPauseCmd   `cmd:"" help:"Pause a batch; calls in flight are completed."`
	Resume  batchResumeCmd  `cmd:"" help:"Resume a paused batch, or retry items without an answer."`
	Cancel  batchCancelCmd  `cmd:"" help:"Cancel a batch; calls in flight are completed."`
	Results batchResultsCmd `cmd:"" help:"Write the result of each item to standard output."`
}

// Config is that of the use case on a store, without what makes the lookups.
func Config(
	e *command.Environment,
	store *gormstore.Store, client *bureau.Bureaus, calendar access.Calendar, log *slog.Logger,
) batches.Config {
	return batches.Config{
		Store: store, Catalog: client.Catalog(), Fresh: e.Settings.HistoryFresh, Calendar: calendar,
		Clock: command.Now, Log: log, Concurrency: e.Settings.BatchCalls, Bureau: client.Name(), PerSecond: client.Rate(),
	}
}

// withBatches runs a command on the use case, without a bureau.
func withBatches(e *command.Environment, f func(*batches.Batches) error) error {
	calendar, err := e.Calendar()
	if err != nil {
		return err
	}
	log, flush := command.NewLogger(e.Settings, e.ErrOut)
	defer flush()
	client, stop, err := e.OpenBureaus(log)
	if err != nil {
		return err
	}
	defer stop()
	return e.WithStore(func(store *gormstore.Store) error {
		return f(batches.New(Config(e, store, client, calendar, log)))
	})
}

type batchQuoteCmd struct {
	File    string        `arg:"" help:"Path of a table, CSV or XLSX; - for standard input."`
	Org     string        `xor:"who" required:"" help:"Id of the organisation; the batch is created as its first active owner."`
	Key     string        `xor:"who" required:"" help:"Key as which the batch is created: its id, or the key itself."`
	Product string        `required:"" help:"Product id."`
	Sheet   string        `help:"Sheet of a workbook, by name or number. Default: the only one that has documents."`
	Column  string        `help:"Column with the documents, by header, letter or number. Default: the first that has any."`
	Name    string        `help:"Name of the batch, for people."`
	Refresh bool          `help:"Ask the bureau even if history has an answer."`
	Purpose string        `help:"Code of the purpose; required if the owner or key may use several."`
	Ceiling command.Reais `placeholder:"REAIS" help:"Most that the batch may cost; confirm may change it."`
}

// Run quotes a table.
func (c *batchQuoteCmd) Run(e *command.Environment) error {
	data, err := command.ReadTable(e, c.File)
	if err != nil {
		return err
	}
	sheets, err := spreadsheet.Read(e.Ctx, data, batch.MaxItems+spreadsheet.Above)
	if err != nil {
		return err
	}
	return withBatches(e, func(on *batches.Batches) error {
		by, err := on.Actor(e.Ctx, c.Org, c.Key)
		if err != nil {
			return err
		}
		v, err := on.Quote(e.Ctx, by, batches.NewBatch{
			Name: c.Name, Product: c.Product, Tabs: sheets, Tab: c.Sheet, Column: c.Column, Refresh: c.Refresh,
			Ceiling: c.Ceiling.Amount, Purpose: c.Purpose,
		})
		return printBatch(e, v, err)
	})
}

type batchConfirmCmd struct {
	ID      string        `arg:"" help:"Id of the batch."`
	Ceiling command.Reais `placeholder:"REAIS" help:"Most that the batch may cost. Default: the ceiling of the quote, or else its maximum cost."`
}

// Run confirms a batch.
func (c *batchConfirmCmd) Run(e *command.Environment) error {
	return withBatches(e, func(on *batches.Batches) error {
		return printed(e)(on.Confirm(e.Ctx, app.Operator(), c.ID, c.Ceiling.Amount))
	})
}

type batchListCmd struct {
	Org   string `required:"" help:"Id of the organisation."`
	Limit int    `default:"50" help:"How many."`
}

// Run lists the batches.
func (c *batchListCmd) Run(e *command.Environment) error {
	return withBatches(e, func(on *batches.Batches) error {
		all, err := on.All(e.Ctx, app.Operator(), c.Org, c.Limit)
		if err != nil {
			return err
		}
		return command.PrintList(e, all, httpapi.BatchEntryOf, func(v batches.View) string {
			return fmt.Sprintf("%s  %-12s %6d/%-6d R$ %-12s %s", v.ID, v.Status, v.Ended, v.Valid, v.Spent.Amount, v.Name)
		})
	})
}

type batchShowCmd struct {
	ID string `arg:"" help:"Id of the batch."`
}

// Run shows a batch.
func (c *batchShowCmd) Run(e *command.Environment) error {
	return withBatches(e, func(on *batches.Batches) error {
		return printed(e)(on.Show(e.Ctx, app.Operator(), c.ID))
	})
}

type batchPauseCmd struct {
	ID string `arg:"" help:"Id of the batch."`
}

// Run pauses a batch.
func (c *batchPauseCmd) Run(e *command.Environment) error {
	return withBatches(e, func(on *batches.Batches) error {
		return printed(e)(on.Pause(e.Ctx, app.Operator(), c.ID))
	})
}

type batchResumeCmd struct {
	ID       string        `arg:"" help:"Id of the batch."`
	Ceiling  command.Reais `placeholder:"REAIS" help:"Most that the batch may cost in total. Default: as before."`
	Failures bool          `help:"Retry items without an answer, as new spending."`
}

// Run resumes a batch.
func (c *batchResumeCmd) Run(e *command.Environment) error {
	return withBatches(e, func(on *batches.Batches) error {
		return printed(e)(on.Resume(e.Ctx, app.Operator(), c.ID, c.Ceiling.Amount, c.Failures))
	})
}

type batchCancelCmd struct {
	ID string `arg:"" help:"Id of the batch."`
}

// Run cancels a batch.
func (c *batchCancelCmd) Run(e *command.Environment) error {
	return withBatches(e, func(on *batches.Batches) error {
		return printed(e)(on.Cancel(e.Ctx, app.Operator(), c.ID))
	})
}

// printed returns what prints a batch, or hands on the error of getting it.
func printed(e *command.Environment) func(batches.View, error) error {
	return func(v batches.View, err error) error { return printBatch(e, v, err) }
}

func printBatch(e *command.Environment, v batches.View, err error) error {
	if err != nil {
		return err
	}
	state := string(v.Status)
	if v.Reason != "" {
		state += " (" + string(v.Reason) + ")"
	}
	text := fmt.Sprintf("Batch %s, %s: %s\n%d rows: %d documents, %d repeated, %d invalid; %d in history\n", v.ID, v.Name,
		state, v.Total, v.Valid, v.Repeated, v.Invalid, v.FromHistory)
	for _, item := range v.Invalids {
		text += fmt.Sprintf("  line %d: %s\n", item.Line, item.Message)
	}
	text += fmt.Sprintf("It costs at most R$ %s; spent R$ %s", v.MaxCost(), v.Spent.Amount)
	if v.HasCeiling {
		text += fmt.Sprintf(" of R$ %s", v.Ceiling)
	}
	text += fmt.Sprintf("\n%d of %d done, %d charged, %d free, %d without an answer\n", v.Ended, v.Valid, v.Charged, v.Free,
		v.Failed)
	return e.Print(httpapi.BatchEntryOf(v), "%s", text)
}
