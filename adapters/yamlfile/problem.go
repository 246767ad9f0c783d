package yamlfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one fault of a file.
type Problem struct {
	// Line is the line of the file, from 1; it is 1 when the fault has no line of its own.
	Line int `json:"line"`
	// Path names the key at fault, as "products.cpf.fields.nome"; empty for the
	// file as a whole.
	Path string `json:"path"`
	// Message says what is wrong and what is expected. It never holds the value
	// of an environment variable.
	Message string `json:"message"`
}

// String returns "line N: path: message".
func (p Problem) String() string {
	s := fmt.Sprintf("line %d: ", max(p.Line, 1))
	if p.Path != "" {
		s += p.Path + ": "
	}
	return s + p.Message
}

// Problems are all faults of a file, in the order of its lines. It is an error.
type Problems []Problem

// Error lists the problems, each on a line of its own.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return strings.Join(lines, "\n")
}

// Sorted returns the problems in the order of their lines, without duplicates.
func (p Problems) Sorted() Problems {
	slices.SortStableFunc(p, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return slices.Compact(p)
}
