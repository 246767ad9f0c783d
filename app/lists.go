package app

import (
	"fmt"

	"fichario/domain/fault"
)

// ListMax is the maximum number of entries on a page of a list.
const ListMax = 500

// RequestKeyMax is the longest idempotency key, in characters.
const RequestKeyMax = 255

// All is the limit that asks for a whole list.
const All = 1 << 30

// Paged reads a list page by page up to limit entries, or to its end.
func Paged[T any](limit int, page func(after string, limit int) ([]T, error), id func(T) string) ([]T, error) {
	if limit < 1 {
		return nil, Invalid("limit", "O limite deve ser de pelo menos 1.")
	}
	var out []T
	after := ""
	for {
		n := min(limit-len(out), ListMax)
		part, err := page(after, n)
		if err != nil {
			return nil, err
		}
		if out = append(out, part...); len(part) < n || len(out) == limit {
			return out, nil
		}
		after = id(part[len(part)-1])
	}
}

// CheckPage checks the bounds of a page of a list.
func CheckPage(after string, limit int) error {
	if limit < 1 || limit > ListMax {
		return Invalid("limit", fmt.Sprintf("O limite vai de 1 a %d.", ListMax))
	}
	if after != "" && !ValidID(after) {
		return Invalid("after", "A página deve começar depois de um id da página anterior.")
	}
	return nil
}

// WrongCursor is the fault of a page that begins after a text that was no page's `proxima`.
func WrongCursor() *fault.Error {
	return Invalid("cursor", "O cursor não veio desta API: use o valor de proxima da página anterior.")
}

// CountMax is how far matching contacts are counted.
const CountMax = 1000
