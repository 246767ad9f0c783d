package download

import (
	"iter"

	"fichario/app/contacts"
	"fichario/domain/crm"
)

// Import is the outcome of each row of an import: the uploaded columns, then situacao, mensagem and contato.
func Import(view contacts.ImportView, rows iter.Seq2[contacts.ImportedRow, error], ending string) Table {
	columns := append([]string(nil), view.Columns...)
	return Table{
		Name: "importacao-" + view.ID + ending, Columns: append(columns, "situacao", "mensagem", "contato"),
		Rows: func(yield func([]any, error) bool) {
			for row, err := range rows {
				cells := make([]any, len(view.Columns)+3)
				for i := range view.Columns {
					cells[i] = ""
					if i < len(row.Row.Cells) {
						cells[i] = row.Row.Cells[i]
					}
				}
				n := len(view.Columns)
				cells[n], cells[n+1], cells[n+2] = importStates[row.State], row.Result, row.ContactID
				if !yield(cells, err) || err != nil {
					return
				}
			}
		},
	}
}

var importStates = map[crm.BulkState]string{
	crm.ItemWaiting: "na fila", crm.ItemDone: "criado", crm.ItemFilled: "completado", crm.ItemSkipped: "pulado",
	crm.ItemWrong: "erro",
}
