package automation

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Row is one comparison of a condition that is written in rows. A condition in rows is a jq expression by one rule,
// Rows and RowsOf: each row is a clause, and all must hold.
//
//	field is value        .field == value, or (.field == 3 or .field == "3")
//	field is not value    .field != value, or (.field != 3 and .field != "3")
//	field is above value  .field > value, and >=
//	field is below value  (.field != null and .field < value), and <=: a missing number is not a small one
//	field has text        (.field // "" | tostring | contains("text"))
//	field is there        .field != null
//
// A value is a number where it is one in JSON, and else a text. For equality it, or a true or false, is the text as
// well: a document or the answer to a form is a text of digits. The parts of a field are separated by dots, one with
// other characters than letters, digits and "_" in quotes.
type Row struct {
	// Field is like campos.score.
	Field string
	Is    Comparison
	// Value is empty for Exists.
	Value string
}

// Comparison is what a row asks of its field.
type Comparison string

// The comparisons.
const (
	Equal    Comparison = "=="
	Unequal  Comparison = "!="
	Above    Comparison = ">"
	AtLeast  Comparison = ">="
	Below    Comparison = "<"
	AtMost   Comparison = "<="
	Contains Comparison = "contem"
	Exists   Comparison = "existe"
)

const rowPath = `((?:[A-Za-z_]\w*|"(?:[^"\\]|\\.)*")(?:\.(?:[A-Za-z_]\w*|"(?:[^"\\]|\\.)*"))*)`

var (
	rowField  = regexp.MustCompile(`^` + rowPath + `$`)
	rowNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,9})?$`)
	rowPlain  = regexp.MustCompile(`^\.` + rowPath + ` (==|!=|>=|>) (.+)$`)
	rowBelow  = regexp.MustCompile(`^\(\.` + rowPath + ` != null and \..* (<=|<) (.+)\)$`)
	rowEither = regexp.MustCompile(`^\(\.` + rowPath + ` (==|!=) (\S+) (?:or|and) \..* "(?:\S+)"\)$`)
	rowText   = regexp.MustCompile(`^\(\.` + rowPath + ` // "" \| tostring \| contains\((.+)\)\)$`)
)

// ValidField reports whether a text names a field as rows do.
func ValidField(field string) bool { return rowField.MatchString(field) }

// Rows writes rows as an expression. Rows whose field is not valid are the caller's mistake.
func Rows(rows []Row) string {
	clauses := make([]string, len(rows))
	for i, r := range rows {
		clauses[i] = r.clause()
	}
	return strings.Join(clauses, " and ")
}

func (r Row) clause() string {
	path := "." + r.Field
	switch r.Is {
	case Exists:
		return path + " != null"
	case Contains:
		return "(" + path + ` // "" | tostring | contains(` + Quoted(r.Value) + "))"
	case Below, AtMost:
		return "(" + path + " != null and " + path + " " + string(r.Is) + " " + literal(r.Value) + ")"
	case Equal, Unequal:
		if rowNumber.MatchString(r.Value) || r.Value == "true" || r.Value == "false" {
			either := map[Comparison]string{Equal: " or ", Unequal: " and "}[r.Is]
			return "(" + r.plain(r.Value) + either + r.plain(Quoted(r.Value)) + ")"
		}
	case Above, AtLeast:
	}
	return r.plain(literal(r.Value))
}

// plain compares the field with a literal.
func (r Row) plain(value string) string { return "." + r.Field + " " + string(r.Is) + " " + value }

// RowsOf reads an expression as rows; false when it is not what Rows writes.
func RowsOf(expression string) ([]Row, bool) {
	expression = strings.TrimSpace(expression)
	if expression == "" {
		return nil, true
	}
	var rows []Row
	are := true
	for _, clause := range clausesOf(expression) {
		r := rowOf(clause)
		rows = append(rows, r)
		// Somebody may compare with the number alone.
		are = are && (clause == r.clause() || rowNumber.MatchString(r.Value) && clause == r.plain(r.Value))
	}
	return rows, are
}

// rowOf reads a clause; the zero value when it is none.
func rowOf(clause string) Row {
	if m := rowText.FindStringSubmatch(clause); m != nil {
		return Row{m[1], Contains, unquoted(m[2])}
	}
	if m := rowBelow.FindStringSubmatch(clause); m != nil {
		return Row{m[1], Comparison(m[2]), unquoted(m[3])}
	}
	if m := rowEither.FindStringSubmatch(clause); m != nil {
		return Row{m[1], Comparison(m[2]), m[3]}
	}
	m := rowPlain.FindStringSubmatch(clause)
	switch {
	case m == nil:
		return Row{}
	case m[2] == string(Unequal) && m[3] == "null":
		return Row{m[1], Exists, ""}
	}
	return Row{m[1], Comparison(m[2]), unquoted(m[3])}
}

// clausesOf splits an expression at each "and" outside quotes and brackets.
func clausesOf(expression string) (clauses []string) {
	depth, from, inText := 0, 0, false
	for i := 0; i < len(expression); i++ {
		switch c := expression[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0 && strings.HasPrefix(expression[i:], " and "):
			clauses, from = append(clauses, expression[from:i]), i+len(" and ")
		}
	}
	return append(clauses, expression[from:])
}

// literal is a value in jq.
func literal(value string) string {
	if rowNumber.MatchString(value) {
		return value
	}
	return Quoted(value)
}

// Quoted is a text in jq, in which "\(" would begin an expression: JSON writes no such escape.
func Quoted(value string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // a text always encodes
	return strings.TrimSuffix(out.String(), "\n")
}

// unquoted is the value of a literal.
func unquoted(written string) string {
	var value string
	if json.Unmarshal([]byte(written), &value) == nil {
		return value
	}
	return written
}
