package sheet

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// dates spells the dates of a sheet out, which it keeps as numbers of days. It reads the sheet beside who reads its
// values, as it is shown; nil where no cell can hold a date.
type dates struct {
	shown *excelize.Rows
	// from1904 is whether days count from 1904, as on an old Mac.
	from1904 bool
}

// datesIn returns the dates of a sheet.
func datesIn(f *excelize.File, name string) (*dates, error) {
	if !showsDates(f) {
		return nil, nil //nolint:nilnil // most tables have no dates, and are not read twice for them
	}
	props, err := f.GetWorkbookProps()
	if err != nil {
		return nil, err
	}
	shown, err := f.Rows(name)
	return &dates{shown, props.Date1904 != nil && *props.Date1904}, err
}

// showsDates reports whether a workbook has a style for dates or times.
func showsDates(f *excelize.File) bool {
	for i := 0; ; i++ {
		style, err := f.GetStyle(i)
		if err != nil || style == nil {
			return false
		}
		switch n := style.NumFmt; {
		case n >= 14 && n <= 22, n >= 27 && n <= 36, n >= 45 && n <= 47, n >= 50 && n <= 58:
			return true
		}
		if style.CustomNumFmt != nil && strings.ContainsAny(*style.CustomNumFmt, "dDyYhH") {
			return true
		}
	}
}

// What a cell shows that holds a date: numbers, or the name of a month. lastDay is the end of 9999, the last year.
var (
	numbersShown = regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}\b`)
	monthShown   = regexp.MustCompile(`(?i)(^|[-/. ])(jan|fe[bv]|mar|a[bp]r|ma[iy]|jun|jul|aug|ago|sep|set|oct|out|nov|de[cz])`)
)

const lastDay = 2_958_466

// shows reports whether a text shows a time, and not a number that is written with signs between its digits.
func shows(text string, at time.Time) bool {
	switch {
	case numbersShown.MatchString(text):
		return strings.Contains(text, at.Format("06")) && strings.Contains(text, at.Format("2"))
	case monthShown.MatchString(text):
		return true
	}
	return strings.Contains(text, at.Format(":04"))
}

// spell writes the dates among the cells of the next row out.
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
