package contacts

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"fichario/adapters/download"
	"fichario/adapters/gormstore"
	"fichario/adapters/spreadsheet"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/cmd/fichario/command"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/intake"
)

type contactImportCmd struct {
	File       string   `arg:"" help:"Path of a table, CSV or XLSX; - for standard input."`
	Org        string   `required:"" help:"Id of the organisation; its first active owner imports."`
	Sheet      string   `help:"Sheet of a workbook, by name or number. Default: the only one with e-mail addresses."`
	Duplicates string   `enum:"skip,fill,create" default:"skip" help:"What to do with a contact that exists, by e-mail, phone or document: skip, fill (empty fields) or create."`
	Map        []string `placeholder:"COLUMN=FIELD" help:"Field for a column, instead of the proposed one: email, nome, telefone, ddd, empresa, valor, documentos, origem, mensagem, anotar (into the note) or ignorar."`
	Automation bool     `help:"Run automations for every contact that is created or filled."`
	DryRun     bool     `help:"Show what would be done, and save nothing."`
}

// duplicateRules are the rules for duplicates, by their names in the command.
var duplicateRules = map[string]crm.Duplicates{
	"skip": crm.SkipDuplicates, "fill": crm.FillDuplicates, "create": crm.CreateDuplicates,
}

// importOutcome is the outcome, actual or rehearsed, of importing a table.
type importOutcome struct {
	ID       string            `json:"id,omitempty"`
	Status   string            `json:"situacao"`
	Rows     int               `json:"linhas"`
	Columns  map[string]string `json:"colunas"`
	Made     int               `json:"criados"`
	Filled   int               `json:"completados"`
	Skipped  int               `json:"pulados"`
	Wrong    int               `json:"erros"`
	Repeated int               `json:"repetidas,omitempty"`
	Problems []importProblem   `json:"problemas,omitempty"`
}

type importProblem struct {
	Line int    `json:"linha"`
	Why  string `json:"mensagem"`
}

// Run imports a table. The service continues the import if this command is ended.
func (c *contactImportCmd) Run(e *command.Environment) error {
	data, err := command.ReadTable(e, c.File)
	if err != nil {
		return err
	}
	table := contacts.NewImport{}
	if c.File != "-" {
		table.File = path.Base(c.File)
	}
	table.Tab = c.Sheet
	if table.Tabs, err = spreadsheet.Read(e.Ctx, data, contacts.BulkMost+spreadsheet.Above); err != nil {
		return err
	}
	return e.WithStore(func(store *gormstore.Store) error {
		bulks := contacts.NewBulks(store, command.Now)
		by, err := bulks.Actor(e.Ctx, c.Org)
		if err != nil {
			return err
		}
		plan, trial, err := bulks.RehearseImport(e.Ctx, by, table, c.choices)
		if err != nil {
			return err
		}
		if c.DryRun {
			return printImport(e, importOutcome{
				Status: "ensaio", Rows: trial.Total, Wrong: trial.Wrong, Repeated: trial.Repeated, Problems: problemsOf(trial),
			}, plan)
		}
		return c.run(e, bulks, by, table, plan, trial)
	})
}

func (c *contactImportCmd) run(
	e *command.Environment, bulks *contacts.Bulks, by app.Caller, table contacts.NewImport, plan crm.Import,
	trial contacts.ImportTrial,
) error {
	made, err := bulks.PrepareImport(e.Ctx, by, table)
	if err != nil {
		return err
	}
	chosen, err := c.choices(plan)
	if err != nil {
		return err
	}
	chosen.Fields = plan.Fields
	var view contacts.ImportView
	if _, err = bulks.StartImport(e.Ctx, by, made.ID, chosen); err == nil {
		view, err = bulks.FinishImport(e.Ctx, by, made.ID)
	}
	if err != nil {
		return interrupted(e, bulks, by, made.ID, err)
	}
	return printImport(e, importOutcome{
		ID: view.ID, Status: string(view.Status), Rows: view.Total, Made: view.Made, Filled: view.Filled,
		Skipped: view.Skipped, Wrong: view.Wrong, Problems: problemsOf(trial),
	}, view.Import)
}

// interrupted is the error of an import, or says what happens to one whose command was ended.
func interrupted(e *command.Environment, bulks *contacts.Bulks, by app.Caller, id string, err error) error {
	if e.Ctx.Err() == nil {
		return err
	}
	view, unseen := bulks.ShowImport(context.WithoutCancel(e.Ctx), by, id)
	if unseen != nil || !view.Open() {
		return err
	}
	return fmt.Errorf("interrupted; the service continues import %s, each row once: do not run this again", id)
}

// choices are the flags' choices for the columns of a table.
func (c *contactImportCmd) choices(plan crm.Import) (contacts.ImportChoices, error) {
	chosen := contacts.ImportChoices{
		Fields: slices.Clone(plan.Fields), Duplicates: duplicateRules[c.Duplicates], Fires: c.Automation,
	}
	names, one := columnNames(plan.Columns), ""
	for i, part := range c.Map {
		// Commas separate choices, but also occur in column names: "Cidade, UF=anotar".
		if one += part; !strings.Contains(part, "=") && i < len(c.Map)-1 {
			one += ","
			continue
		}
		at := strings.LastIndexByte(one, '=')
		column := -1
		if at > 0 {
			column = slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, one[:at]) })
		}
		if column < 0 {
			return chosen, fault.New(fault.InvalidRequest, "A tabela não tem a coluna de --map. As que tem: "+
				strings.Join(names, ", ")+".").At("map")
		}
		chosen.Fields[column], one = one[at+1:], ""
	}
	return chosen, nil
}

// columnNames are the names of the columns; a repeated name gets its column letter appended.
func columnNames(columns []string) []string {
	names := slices.Clone(columns)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			names[i] = name + " (" + intake.ColumnLetter(i) + ")"
		}
	}
	return names
}

func problemsOf(trial contacts.ImportTrial) (out []importProblem) {
	for _, row := range trial.Problems {
		out = append(out, importProblem{row.Line, row.Wrong})
	}
	return out
}

func printImport(e *command.Environment, o importOutcome, plan crm.Import) error {
	o.Columns = map[string]string{}
	var text strings.Builder
	for i, name := range columnNames(plan.Columns) {
		o.Columns[name] = plan.Fields[i]
		fmt.Fprintf(&text, "%s -> %s\n", name, plan.Fields[i])
	}
	for _, p := range o.Problems {
		fmt.Fprintf(&text, "linha %d: %s\n", p.Line, p.Why)
	}
	if o.ID == "" {
		return e.Print(o, "%s%d linhas, %d com erro, %d repetidas no arquivo; nada foi guardado\n", text.String(), o.Rows,
			o.Wrong, o.Repeated)
	}
	return e.Print(o, "%s%s  %d linhas: %d contatos novos, %d completados, %d pulados, %d com erro\n", text.String(), o.ID,
		o.Rows, o.Made, o.Filled, o.Skipped, o.Wrong)
}

type contactResultsCmd struct {
	ID     string `arg:"" help:"Id of the import, as contact import printed it."`
	Format string `enum:",csv,excel,xlsx" default:"" help:"csv (without --json), excel (a CSV for spreadsheets in Brazil) or xlsx."`
}

// Run writes the uploaded rows with their outcomes.
func (c *contactResultsCmd) Run(e *command.Environment) error {
	if e.JSON && c.Format != "" {
		return command.ErrTwoForms
	}
	return e.WithStore(func(store *gormstore.Store) error {
		view, rows, err := contacts.NewBulks(store, command.Now).ImportResults(e.Ctx, app.Operator(), c.ID)
		if err != nil {
			return err
		}
		to, table := command.NewOutput(e.Out), download.Import(view, rows, "")
		switch c.Format {
		case "":
			if e.JSON {
				return e.PrintResults(func(lines io.Writer) error { return rowsAsJSON(lines, table) })
			}
			_, err = download.CSV(to, table, download.Plain)
		case "xlsx":
			return download.XLSX(to, table)
		case "excel":
			_, err = download.CSV(to, table, download.Excel)
		default:
			_, err = download.CSV(to, table, download.Plain)
		}
		return err
	})
}

// rowsAsJSON writes each row of a text table as an object keyed by column.
func rowsAsJSON(lines io.Writer, table download.Table) error {
	enc, columns := json.NewEncoder(lines), batch.Distinct(table.Columns)
	enc.SetEscapeHTML(false)
	for cells, err := range table.Rows {
		if err != nil {
			return err
		}
		row := map[string]any{}
		for i, name := range columns {
			row[name] = cells[i]
		}
		if err := enc.Encode(row); err != nil {
			return err
		}
	}
	return nil
}
