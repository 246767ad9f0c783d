package app

import (
	"errors"

	"fichario/domain/fault"
)

// FaultOf returns the fault in an error; nil when there is none.
func FaultOf(err error) *fault.Error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	return nil
}
