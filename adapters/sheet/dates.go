package sheet

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// dates converts the dates of a sheet, which are stored as numbers of days, to text. It reads the formatted sheet in
// parallel with the raw values; nil where no cell can hold a date.
type dates struct {
	shown *excelize.Rows
	// from1904 says that days count from 1904, as on an old Mac.
	from1904 bool
}

// datesIn returns the dates of a sheet; nil unless the workbook shows dates.
func datesIn(f *excelize.File, name string, shows bool) (*dates, error) {
	if !shows {
		return nil, nil //nolint:nilnil // most tables have none, and need not be read twice
	}
	props, err := f.GetWorkbookProps()
	if err != nil {
		return nil, err
	}
	shown, err := f.Rows(name)
	return &dates{shown, props.Date1904 != nil && *props.Date1904}, err
}

// Numbers of formats, as in Excel: the first have a built-in meaning, and from ownFormats on a workbook defines its
// own.
const (
	ownFormats    = 164
	maxFormats    = 250
	maxFormatCode = 255
)

// isDate reports whether a built-in format shows a date or a time.
func isDate(n int) bool {
	return n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58
}

// showsDates reports whether a workbook has a style for dates or times. Of its own formats it keeps only those that
// cells use and that show dates, because excelize searches all of them for each cell. Fault: BodyTooLarge.
func showsDates(f *excelize.File) (shows bool, err error) {
	styles := f.Styles
	if styles == nil || styles.CellXfs == nil {
		return false, nil
	}
	used := map[int]bool{}
	for _, xf := range styles.CellXfs.Xf {
		if n := xf.NumFmtID; n != nil {
			used[*n] = true
			shows = shows || isDate(*n)
		}
	}
	if styles.NumFmts == nil {
		return shows, nil
	}
	kept, known := styles.NumFmts.NumFmt[:0], map[int]bool{}
	for _, format := range styles.NumFmts.NumFmt {
		n := format.NumFmtID
		if known[n] || !used[n] {
			continue // the first of repeated ones counts
		}
		known[n] = true
		own := n < 0 || n >= ownFormats
		date := strings.ContainsAny(format.FormatCode, "dDyYhH")
		if max(len(format.FormatCode), len(format.FormatCode16)) > maxFormatCode || own && !date {
			continue
		}
		shows = shows || date
		kept = append(kept, format)
	}
	if len(kept) > maxFormats {
		return false, tooLarge("A planilha tem formatos de data demais. Copie as colunas que importam para uma planilha nova.")
	}
	styles.NumFmts.NumFmt = kept
	return shows, nil
}

// What a cell with a date displays: numbers, or the name of a month. lastDay is the end of 9999, the last year.
var (
	numbersShown = regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}\b`)
	monthShown   = regexp.MustCompile(`(?i)(^|[-/. ])(jan|fe[bv]|mar|a[bp]r|ma[iy]|jun|jul|aug|ago|sep|set|oct|out|nov|de[cz])`)
)

const lastDay = 2_958_466

// shows reports whether a text displays a time, rather than a number with signs between its digits.
func shows(text string, at time.Time) bool {
	switch {
	case numbersShown.MatchString(text):
		return strings.Contains(text, at.Format("06")) && strings.Contains(text, at.Format("2"))
	case monthShown.MatchString(text):
		return true
	}
	return strings.Contains(text, at.Format(":04"))
}

// spell converts the dates among the cells of the next row to text.
func (d *dates) spell(cells []string) error {
	if d == nil || !d.shown.Next() {
		return nil
	}
	shown, err := d.shown.Columns(excelize.Options{})
	for i := range min(len(cells), len(shown)) {
		if cells[i] == shown[i] {
			continue
		}
		days, notNumber := strconv.ParseFloat(cells[i], 64)
		if notNumber != nil || days < 0 || days >= lastDay {
			continue
		}
		at, notDate := excelize.ExcelDateToTime(days, d.from1904)
		if at = at.Round(time.Second); notDate != nil || !shows(shown[i], at) {
			continue
		}
		switch hour := at.Format("15:04"); {
		case days < 1:
			cells[i] = hour
		case hour == "00:00":
			cells[i] = at.Format("02/01/2006")
		default:
			cells[i] = at.Format("02/01/2006 15:04")
		}
	}
	return err
}

func (d *dates) close() {
	if d != nil {
		_ = d.shown.Close()
	}
}
