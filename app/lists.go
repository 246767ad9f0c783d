package app

import "fmt"

// listMax is the maximum number of entries on a page of a list.
const listMax = 500

// All is the limit that asks for a whole list.
const All = 1 << 30

// paged reads a list page by page up to limit entries, or to its end.
func paged[T any](limit int, page func(after string, limit int) ([]T, error), id func(T) string) ([]T, error) {
	if limit < 1 {
		return nil, invalid("limit", "O limite deve ser de pelo menos 1.")
	}
	var out []T
	after := ""
	for {
		n := min(limit-len(out), listMax)
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

// checkPage checks the bounds of a page of a list.
func checkPage(after string, limit int) error {
	if limit < 1 || limit > listMax {
		return invalid("limit", fmt.Sprintf("O limite vai de 1 a %d.", listMax))
	}
	if after != "" && !validID(after) {
		return invalid("after", "A página deve começar depois de um id da página anterior.")
	}
	return nil
}

// CountMax is how far matching contacts are counted.
const CountMax = 1000
