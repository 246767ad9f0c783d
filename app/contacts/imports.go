package contacts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/privacy"
	"fichario/domain/text"
	"fichario/ports"
)

// NewImport is a table of contacts that somebody sent.
type NewImport struct {
	// File is the name of the file; empty for pasted text.
	File string
	// Tabs are those of the table. Tab names one of them, or is empty for the only one with addresses.
	Tabs []batch.Tab
	Tab  string
}

// ImportChoices are the settings of an import before it begins.
type ImportChoices struct {
	// Fields are what each column becomes, a word of intake.ColumnFields; nil for the proposed ones.
	Fields     []string
	Duplicates crm.Duplicates
	// StageID and AssigneeID may be empty: the entry stage of the default funnel, and the member who imports.
	StageID, AssigneeID string
	Fires               bool
}

// ImportView is an import with the names behind its ids.
type ImportView struct {
	BulkView
	crm.Import
}

const (
	importsShown  = 10
	importNameMax = 120
)

// PrepareImport stores a table, with what each column would become; no contacts are made yet. Faults: NotFound,
// InvalidRequest, ServiceUnavailable.
func (b *Bulks) PrepareImport(ctx context.Context, by app.Caller, n NewImport) (ImportView, error) {
	since := ports.Now()
	if _, err := b.contacts.actor(ctx, by); err != nil {
		return ImportView{}, err
	}
	plan, rows, err := planOf(by, n)
	if err != nil {
		return ImportView{}, err
	}
	action := crm.Bulk{
		ID: app.NewID(), OrgID: by.OrgID(), MemberID: by.MemberID(), Kind: crm.BulkImport, Status: crm.BulkDraft,
		Total: len(rows), At: b.clock(),
	}
	if plan.StageID, err = entryStage(ctx, b.store.Repos(), by.OrgID()); err != nil {
		return ImportView{}, err
	}
	if action.Settings, err = json.Marshal(storedImport(plan)); err != nil {
		return ImportView{}, err
	}
	items := make([]crm.BulkItem, len(rows))
	for i, row := range rows {
		items[i] = crm.BulkItem{ID: app.NewID(), BulkID: action.ID, State: crm.ItemWaiting}
		if items[i].Content, err = json.Marshal(storedRow(row)); err != nil {
			return ImportView{}, err
		}
	}
	err = b.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		barred, err := r.SubjectBlocks.Barred(ctx, action.OrgID, since)
		if err != nil {
			return err
		}
		kept := items
		if barred != nil { // erased while the file was read
			kept = slices.DeleteFunc(slices.Clone(items), func(i crm.BulkItem) bool {
				return slices.ContainsFunc(privacy.FindIn(string(i.Content)), barred)
			})
		}
		action.Total = len(kept)
		return r.Bulks.Create(ctx, action, kept)
	})
	return ImportView{BulkView: BulkView{Bulk: action}, Import: plan}, err
}

// planOf finds the sheet and the columns of a table and proposes what each becomes.
func planOf(by app.Caller, n NewImport) (crm.Import, []crm.ImportRow, error) {
	plan := crm.Import{Duplicates: crm.SkipDuplicates, AssigneeID: by.MemberID()}
	if len(n.Tabs) == 0 {
		return plan, nil, app.Invalid("file", "O arquivo não tem nenhuma linha preenchida.")
	}
	sheet, others, err := batch.Choose(n.Tabs, n.Tab, hasAddresses)
	if err != nil && app.FaultOf(err) == nil {
		err = app.TabFault("sheet", err)
	}
	if err != nil {
		return plan, nil, err
	}
	file := n.File
	if len(others) > 0 {
		file = strings.TrimSpace(file + " · " + sheet.Name)
	}
	plan.File = text.Cut(text.OneLine(text.Clean(app.Storable(file))), importNameMax)
	cells, rows := make([][]string, len(sheet.Rows)), make([]crm.ImportRow, len(sheet.Rows))
	for i, row := range sheet.Rows {
		rows[i] = crm.ImportRow{Line: row.Line, Cells: make([]string, len(row.Cells))}
		for j, cell := range row.Cells {
			rows[i].Cells[j] = app.Storable(cell)
		}
		cells[i] = rows[i].Cells
	}
	var first int
	plan.Columns, plan.Fields, first = intake.ReadColumns(cells)
	rows = rows[first:]
	switch {
	case len(rows) == 0:
		return plan, nil, app.Invalid("file", "Abaixo do cabeçalho não há nenhuma linha.")
	case len(rows) > BulkMost:
		return plan, nil,
			app.Invalid("file", fmt.Sprintf("Uma importação pode ter até %d linhas. Divida o arquivo em partes.", BulkMost))
	}
	return plan, rows, nil
}

// hasAddresses reports whether a sheet may hold contacts: a column in it becomes their address.
func hasAddresses(s batch.Tab) bool {
	cells := make([][]string, min(len(s.Rows), addressesLooked))
	for i := range cells {
		cells[i] = s.Rows[i].Cells
	}
	_, fields, first := intake.ReadColumns(cells)
	return first < len(s.Rows) && slices.Contains(fields, intake.ColumnFields()[0])
}

// addressesLooked is how many rows of a sheet are examined for addresses.
const addressesLooked = 200

// choose applies choices to a plan. Faults: NotFound, InvalidRequest, ServiceUnavailable.
func (b *Bulks) choose(ctx context.Context, by app.Caller, plan *crm.Import, c ImportChoices) error {
	fields := c.Fields
	if fields == nil {
		fields = plan.Fields
	}
	words := intake.ColumnFields()
	switch {
	case len(fields) != len(plan.Columns),
		slices.ContainsFunc(fields, func(f string) bool { return !slices.Contains(words, f) }):
		return app.Invalid("fields", "Cada coluna deve ter um destes destinos: "+strings.Join(words, ", ")+".")
	case !slices.Contains(fields, words[0]):
		return app.Invalid("fields", "Informe qual coluna é o e-mail: sem e-mail não há contato.")
	case !c.Duplicates.Valid():
		return app.Invalid("duplicates", "Com duplicados: pular, completar ou criar.")
	}
	plan.Fields, plan.Duplicates, plan.Fires = fields, c.Duplicates, c.Fires
	if c.StageID != "" {
		if err := b.checkTarget(ctx, by.OrgID(), NewBulk{Kind: crm.BulkMove, TargetID: c.StageID}); err != nil {
			return err
		}
		plan.StageID = c.StageID
	}
	if c.AssigneeID != "" {
		if err := b.checkTarget(ctx, by.OrgID(), NewBulk{Kind: crm.BulkAssign, TargetID: c.AssigneeID}); err != nil {
			return err
		}
		plan.AssigneeID = c.AssigneeID
	}
	return nil
}

// ChooseImport changes the settings of an import that has not begun. Only the member who sent it and those who manage
// the organisation may. Faults: NotFound, Forbidden, InvalidRequest, ServiceUnavailable.
func (b *Bulks) ChooseImport(ctx context.Context, by app.Caller, id string, c ImportChoices) error {
	return b.changeImport(ctx, by, id, c, crm.BulkDraft)
}

// StartImport begins an import, and does what fits into a moment; the rest is done in the background, each row once.
// Only the member who sent it and those who manage the organisation may. Faults: NotFound, Forbidden, InvalidRequest,
// ServiceUnavailable.
func (b *Bulks) StartImport(ctx context.Context, by app.Caller, id string, c ImportChoices) (crm.Bulk, error) {
	if err := b.changeImport(ctx, by, id, c, crm.BulkRunning); err != nil {
		return crm.Bulk{}, err
	}
	return b.here(ctx, by.FindsIn(), id)
}

func (b *Bulks) changeImport(
	ctx context.Context, by app.Caller, id string, c ImportChoices, next crm.BulkStatus,
) error {
	view, err := b.ShowImport(ctx, by, id)
	if err != nil {
		return err
	}
	if view.MemberID != by.MemberID() && !by.Manages(view.OrgID) {
		return app.Forbidden()
	}
	plan := view.Import
	if err := b.choose(ctx, by, &plan, c); err != nil {
		return err
	}
	return b.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		action, err := lockedBulkKind.Visible(ctx, r, by, id)
		if err != nil {
			return err
		}
		if action.Status != crm.BulkDraft {
			return app.Invalid("status", "Esta importação já começou.")
		}
		kept, err := planIn(action)
		if err != nil {
			return err
		}
		plan.File, plan.Columns = kept.File, kept.Columns // an erasure may have taken somebody out of them since
		if action.Settings, err = json.Marshal(storedImport(plan)); err != nil {
			return err
		}
		action.Status = next
		if err := r.Bulks.Save(ctx, action); err != nil || next != crm.BulkRunning {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{
			OrgID: action.OrgID, Action: audit.ImportStarted, Object: id,
			Detail: audit.Detail{"arquivo": plan.File, "linhas": strconv.Itoa(action.Total)},
		})
	})
}

// planIn reads the settings of an import.
func planIn(action crm.Bulk) (plan crm.Import, err error) {
	if action.Unreadable {
		return plan,
			app.Invalid("settings", "O que está gravado desta importação não pode ser lido. Envie o arquivo de novo.")
	}
	var stored storedImport
	err = json.Unmarshal(action.Settings, &stored)
	return crm.Import(stored), err
}

// ShowImport returns an import. Faults: NotFound, InvalidRequest, ServiceUnavailable.
func (b *Bulks) ShowImport(ctx context.Context, by app.Caller, id string) (ImportView, error) {
	view, err := b.Show(ctx, by, id)
	if err != nil {
		return ImportView{}, err
	}
	if view.Kind != crm.BulkImport {
		return ImportView{}, bulkKind.NotFound()
	}
	plan, err := planIn(view.Bulk)
	return ImportView{view, plan}, err
}

// FinishImport works on an import until its end, or until ctx ends, and returns it; another instance may work on it
// too. Faults: NotFound, InvalidRequest, ServiceUnavailable.
func (b *Bulks) FinishImport(ctx context.Context, by app.Caller, id string) (ImportView, error) {
	for {
		view, err := b.ShowImport(ctx, by, id)
		if err != nil || !view.Open() {
			return view, err
		}
		more, err := b.step(ctx, id)
		if err != nil {
			return view, err
		}
		if !more { // somebody else has it locked
			select {
			case <-ports.After(bulkHere):
			case <-ctx.Done():
				return view, ctx.Err()
			}
		}
	}
}

// Imports returns the latest imports of the caller's organisation, the newest first, without those that cannot be read.
// Faults: NotFound, ServiceUnavailable.
func (b *Bulks) Imports(ctx context.Context, by app.Caller) ([]ImportView, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	r := b.store.Repos()
	found, err := r.Bulks.Latest(ctx, orgID, crm.BulkImport, importsShown)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var members []string
	for _, action := range found {
		members = append(members, action.MemberID)
	}
	n, err := app.NamesOf(ctx, r, orgID, members...)
	var out []ImportView
	for _, action := range found {
		if plan, err := planIn(action); err == nil {
			out = append(out, ImportView{BulkView{Bulk: action, By: n.Member(action.MemberID).Name}, plan})
		}
	}
	return out, err
}

// Actor returns the first active owner of an organisation, in whose name the operator imports. Fault: NotFound.
func (b *Bulks) Actor(ctx context.Context, orgID string) (app.Caller, error) {
	return app.LeaderOf(ctx, b.store.Repos(), orgID, "A organização não tem titular ativo, em nome de quem importar.")
}
