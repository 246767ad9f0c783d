package sheet

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"
)

// readXLSX reads the first visible sheet. For formulas it uses the last calculated values.
func (t *table) readXLSX(ctx context.Context, data []byte) error {
	data, without, err := within(ctx, data)
	if err != nil {
		return err
	}
	// Equal limits keep excelize from unpacking into a temporary file.
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{
		UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxUnpacked, RawCellValue: true,
	})
	if err != nil {
		return unreadable(unreadableXLSX)
	}
	defer func() { _ = f.Close() }()
	name := firstVisible(f)
	if name == "" {
		return unreadable("A planilha não tem nenhuma folha visível.")
	}
	rows, err := f.Rows(name)
	if err != nil && without != nil {
		return without
	}
	if err != nil {
		return unreadable(unreadableXLSX)
	}
	defer func() { _ = rows.Close() }()
	dated, err := showsDates(f)
	if err != nil {
		return err
	}
	dates, err := datesIn(f, name, dated)
	if err != nil {
		return unreadable(unreadableXLSX)
	}
	defer dates.close()
	seen := 0
	for line := 1; rows.Next(); line++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		cells, err := rows.Columns(excelize.Options{RawCellValue: true})
		if err == nil {
			err = dates.spell(cells)
		}
		if err != nil {
			return unreadable(fmt.Sprintf("A linha %d da planilha não pode ser lida.", line))
		}
		if seen += len(cells); seen > maxCells || line > maxLines {
			return tooLarge("A planilha tem linhas ou células demais, mesmo vazias. Deixe só as colunas e linhas que importam.")
		}
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " \t\r\n\u00a0")
		}
		if err := t.add(line, cells); err != nil {
			return err
		}
	}
	if rows.Error() != nil {
		return unreadable(unreadableXLSX)
	}
	return nil
}

// firstVisible is the name of the first sheet that is not hidden; empty where there is none.
func firstVisible(f *excelize.File) string {
	for _, sheet := range f.WorkBook.Sheets.Sheet {
		if sheet.State == "" || sheet.State == "visible" {
			return sheet.Name
		}
	}
	return ""
}
