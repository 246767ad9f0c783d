package app

import (
	"errors"
	"strings"

	"fichario/domain/batch"
)

// TabFault is the fault of a sheet that is not named, or does not exist.
func TabFault(field string, err error) error {
	var none *batch.NoTab
	var which *batch.WhichTab
	switch refusal := Invalid(field, Sentence(err)); {
	case errors.As(err, &none):
		return refusal.Because(Tabs(none.Tabs))
	case errors.As(err, &which):
		return refusal.Because(Tabs(which.Tabs))
	default:
		return refusal
	}
}

// Sentence is an error as a sentence for people.
func Sentence(err error) string {
	said := err.Error()
	return strings.ToUpper(said[:1]) + said[1:] + "."
}

// Tabs is the cause of the fault of a workbook with several sheets to choose from. Its text is without their names,
// which may be people's.
type Tabs []string

// Error says that there are sheets to choose from.
func (t Tabs) Error() string { return "a sheet must be chosen" }
