package contacts

import (
	"context"
	"iter"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/crm"
)

// importReadAtOnce is how many rows are read together.
const importReadAtOnce = 1000

// rowErased is the result of a row whose person was erased.
const rowErased = "Os dados desta linha foram apagados a pedido do titular."

// rowsOf yields the rows of an import, in their order.
func (b *Bulks) rowsOf(ctx context.Context, id string) iter.Seq2[ImportedRow, error] {
	return app.ReadAhead(ctx, importReadAtOnce, func(ctx context.Context, last *ImportedRow) ([]ImportedRow, error) {
		after := ""
		if last != nil {
			after = last.ID
		}
		items, err := b.store.Repos().Bulks.Items(ctx, id, "", after, importReadAtOnce)
		out := make([]ImportedRow, len(items))
		for i, item := range items {
			out[i] = ImportedRow{BulkItem: item}
			switch {
			case err != nil || item.Unreadable:
			case item.Content == nil: // somebody erased the person
				out[i].Result = rowErased
			default:
				out[i].Row, err = StoredRow(item.Content)
			}
		}
		return out, err
	})
}

// ImportedRow is a row of an import, with its outcome.
type ImportedRow struct {
	crm.BulkItem
	Row crm.ImportRow
}

// ImportResults returns the outcome of each row of an import that has begun, read while it is written. Faults:
// NotFound, InvalidRequest, ServiceUnavailable.
func (b *Bulks) ImportResults(
	ctx context.Context, by app.Caller, id string,
) (ImportView, iter.Seq2[ImportedRow, error], error) {
	view, err := b.ShowImport(ctx, by, id)
	if err == nil && view.Status == crm.BulkDraft {
		err = bulkKind.NotFound()
	}
	if err == nil {
		err = app.Looked(ctx, b.store, by, audit.Line{OrgID: view.OrgID, Action: audit.ImportDownloaded, Object: id})
	}
	return view, b.rowsOf(app.ForPage(ctx), id), err
}
