package sheet

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/xuri/excelize/v2"
)

// readXLSX reads the first sheet that is not hidden. Of formulas it has the values that were calculated last.
func (t *table) readXLSX(data []byte) error {
	const unreadableXLSX = "A planilha não pode ser lida. Abra-a no Excel, salve-a de novo como .xlsx, sem senha, e envie-a outra vez."
	if err := unpackable(data); err != nil {
		return err
	}
	// Both limits are one, so that nothing of it is put in a file beside.
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{
		UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxUnpacked, RawCellValue: true,
	})
	if err != nil {
		return unreadable(unreadableXLSX)
	}
	defer func() { _ = f.Close() }()
	name := ""
	for _, sheet := range f.GetSheetList() {
		if visible, err := f.GetSheetVisible(sheet); err == nil && visible {
			name = sheet
			break
		}
	}
	if name == "" {
		return unreadable("A planilha não tem nenhuma folha visível.")
	}
	rows, err := f.Rows(name)
	if err != nil {
		return unreadable(unreadableXLSX)
	}
	defer func() { _ = rows.Close() }()
	dates, err := datesIn(f, name)
	if err != nil {
		return unreadable(unreadableXLSX)
	}
	defer dates.close()
	for line := 1; rows.Next(); line++ {
		cells, err := rows.Columns(excelize.Options{RawCellValue: true})
		if err == nil {
			err = dates.spell(cells)
		}
		if err != nil {
			return unreadable(fmt.Sprintf("A linha %d da planilha não pode ser lida.", line))
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

// unpackable refuses an archive that unpacks to more than it may, whatever its directory says.
func unpackable(data []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return unreadable("O arquivo está incompleto ou não é uma planilha .xlsx. Salve-o de novo e envie-o outra vez.")
	}
	left := int64(maxUnpacked)
	for _, file := range archive.File {
		r, err := file.Open()
		if err != nil {
			return unreadable("O arquivo está danificado. Salve-o de novo e envie-o outra vez.")
		}
		n, err := io.Copy(io.Discard, io.LimitReader(r, left+1))
		_ = r.Close()
		if err != nil {
			return unreadable("O arquivo está danificado. Salve-o de novo e envie-o outra vez.")
		}
		if left -= n; left < 0 {
			return tooLarge("A planilha descompactada é grande demais. Deixe só as colunas e linhas que importam.")
		}
	}
	return nil
}
