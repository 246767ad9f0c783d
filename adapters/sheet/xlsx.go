package sheet

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"
)

// readXLSX reads the visible sheets. For formulas it uses the last calculated values.
func (b *book) readXLSX(ctx context.Context, data []byte) error {
	if err := known(data); err != nil {
		return err
	}
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
	dated, err := showsDates(f)
	if err != nil {
		return err
	}
	visible := false
	for _, s := range f.WorkBook.Sheets.Sheet {
		if s.State != "" && s.State != "visible" {
			continue
		}
		visible = true
		err := b.add(s.Name, func(t *table) error { return t.readSheet(ctx, f, s.Name, dated, without) })
		if err != nil {
			return err
		}
	}
	if !visible {
		return unreadable("A planilha não tem nenhuma aba visível.")
	}
	return nil
}

// readSheet reads one sheet. without is the fault of a sheet that was left out, and dated says whether cells may hold
// dates.
func (t *table) readSheet(ctx context.Context, f *excelize.File, name string, dated bool, without error) error {
	rows, err := f.Rows(name)
	if err != nil && without != nil {
		return without
	}
	if err != nil {
		return unreadable(unreadableXLSX)
	}
	defer func() { _ = rows.Close() }()
	dates, err := datesIn(f, name, dated)
	if err != nil {
		return unreadable(unreadableXLSX)
	}
	defer dates.close()
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
		if t.seen += len(cells); t.seen > maxCells || line > maxLines {
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

// known returns the fault of a spreadsheet in another format that is an archive too; nil for all else.
func known(data []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil // within says what is wrong
	}
	for _, file := range archive.File[:min(len(archive.File), maxParts)] {
		switch name := strings.ToLower(file.Name); {
		case name == "content.xml" || name == "meta-inf/manifest.xml":
			return unreadable("O arquivo é do LibreOffice ou do Google (.ods). Abra-o e salve-o como .xlsx ou como CSV, e envie esse.")
		case name == "xl/workbook.bin":
			return unreadable("O arquivo é uma pasta de trabalho binária do Excel (.xlsb). Salve-o como .xlsx ou como CSV.")
		case strings.HasSuffix(name, ".iwa"):
			return unreadable("O arquivo é do Numbers, da Apple. Exporte-o como Excel (.xlsx) ou CSV, e envie esse.")
		}
	}
	return nil
}
