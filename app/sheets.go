package app

import (
	"errors"
	"strings"

	"fichario/domain/batch"
)

// SheetFault is the fault of a sheet that is not named, or does not exist.
func SheetFault(field string, err error) error {
	var none *batch.NoSheet
	var which *batch.WhichSheet
	switch known := Invalid(field, Sentence(err)); {
	case errors.As(err, &none):
		return known.Because(Sheets(none.Sheets))
	case errors.As(err, &which):
		return known.Because(Sheets(which.Sheets))
	default:
		return known
	}
}

// Sentence is an error as a sentence for people.
func Sentence(err error) string {
	said := err.Error()
	return strings.ToUpper(said[:1]) + said[1:] + "."
}

// Sheets is the cause of the fault of a workbook with several sheets to choose from. Its text is without their names,
// which may be people's.
type Sheets []string

// Error says that there are sheets to choose from.
func (s Sheets) Error() string { return "a sheet must be chosen" }
