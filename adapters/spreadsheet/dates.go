package spreadsheet

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// builtInDates are the formats with a built-in meaning that show a date, or a time with hours.
var builtInDates = map[string]bool{
	"14": true, "15": true, "16": true, "17": true, "18": true, "19": true, "20": true, "21": true, "22": true, "46": true,
}

// literal is what a format shows beside the value; an elapsed time, which is in brackets too, is none.
var literal = regexp.MustCompile(`"[^"]*"?|[\\_*].?|\[[^\]]*[^\]hms][^\]]*\]`)

// isDate reports whether a format, as Excel writes it, shows a value as a date or a time: day, month and year, a month
// by its name beside one of the others, or hours and minutes. Of several formats the first one is for positive numbers.
func isDate(format string) bool {
	format, _, _ = strings.Cut(literal.ReplaceAllString(strings.ToLower(format), ""), ";")
	has := func(part string) bool { return strings.Contains(format, part) }
	return has("h:m") || has("h]:m") || has("m") && has("d") && has("y") || has("mmm") && (has("d") || has("y"))
}

// lastDay is the end of 9999, the last year of Excel.
const lastDay = 2_958_466

// date is the text of a date, which a workbook stores as a number of days and means nothing in a note or a result. A
// text that is no such number stays as it is.
func (w *xlsx) date(cell string) string {
	days, err := strconv.ParseFloat(cell, 64)
	if err != nil || !(days >= 0 && days < lastDay) {
		return cell
	}
	first := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	if w.from1904 {
		first = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	whole := int(days)
	at := first.AddDate(0, 0, whole).Add(time.Duration((days - float64(whole)) * float64(24*time.Hour))).Round(time.Second)
	switch hour := at.Format("15:04"); {
	case days < 1:
		return hour
	case hour == "00:00":
		return at.Format("02/01/2006")
	default:
		return at.Format("02/01/2006 15:04")
	}
}
