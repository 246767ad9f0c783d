package contacts

import (
	"encoding/json"

	"fichario/domain/crm"
)

// storedImport is how the settings of an import are stored, storedRow one of its rows.
type (
	storedImport struct {
		File       string         `json:"arquivo"`
		Columns    []string       `json:"colunas"`
		Fields     []string       `json:"campos"`
		Duplicates crm.Duplicates `json:"duplicados"`
		StageID    string         `json:"etapa"`
		AssigneeID string         `json:"responsavel"`
		Fires      bool           `json:"automacoes"`
		Made       int            `json:"criados"`
		Filled     int            `json:"completados"`
		Wrong      int            `json:"erros"`
	}
	storedRow struct {
		Line  int      `json:"linha"`
		Cells []string `json:"celulas"`
	}
)

// StoredRow reads a row of an import from the content of its item.
func StoredRow(content []byte) (crm.ImportRow, error) {
	var row storedRow
	err := json.Unmarshal(content, &row)
	return crm.ImportRow(row), err
}
