package engine

import (
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm/schema"
)

// Table describes a row's struct to the statements that bypass GORM. The struct is the only list of columns: one added
// there is written everywhere.
type Table struct {
	Name    string
	columns []column
}

// column is one field of a row, in the order of the struct.
type column struct {
	name  string
	field int
	// array is PostgreSQL's type for many values, cast the conversion of one of them.
	array, cast string
	gather      func(rows []reflect.Value, field int) any
}

// parse describes a row. Its type is one of ours, so that it panics where it cannot.
func parse(row schema.Tabler) *schema.Schema {
	parsed, err := schema.Parse(row, &sync.Map{}, schema.NamingStrategy{})
	if err != nil {
		panic(err)
	}
	return parsed
}

// TableOf describes the table of a row.
func TableOf(row schema.Tabler) Table {
	parsed := parse(row)
	t := Table{Name: row.TableName()}
	for _, f := range parsed.Fields {
		c := column{name: f.DBName, field: f.StructField.Index[0]}
		switch kind := reflect.Zero(f.FieldType).Interface().(type) {
		case UID:
			c.array, c.cast, c.gather = "text[]", "::uuid", gather(textOf)
		case *UID:
			c.array, c.cast, c.gather = "text[]", "::uuid", gather(optionalTextOf)
		case string:
			c.array, c.gather = "text[]", gather(textOf)
		case []byte:
			c.array, c.gather = "bytea[]", gather(reflect.Value.Bytes)
		case bool:
			c.array, c.gather = "boolean[]", gather(reflect.Value.Bool)
		case int, int64:
			c.array, c.gather = "bigint[]", gather(reflect.Value.Int)
		case *int64:
			c.array, c.gather = "bigint[]", gather(optionalIntOf)
		case time.Time:
			c.array, c.gather = "timestamptz[]", gather(timeIn)
		case *time.Time:
			c.array, c.gather = "timestamptz[]", gather(optionalTimeIn)
		default:
			panic(fmt.Sprintf("%s.%s: no column holds a %T", t.Name, c.name, kind))
		}
		t.columns = append(t.columns, c)
	}
	return t
}

// keysOf are the columns of a row's primary key.
func keysOf(row schema.Tabler) []string {
	return parse(row).PrimaryFieldDBNames
}

// HasOrg reports whether a table says of which organisation its rows are.
func HasOrg(row schema.Tabler) bool { return parse(row).LookUpField("org_id") != nil }

// ColumnNames are a row's columns, each prefixed with the table's name or alias. No statement selects *: its prepared
// form would fail when a migration adds a column while the previous version still runs.
func ColumnNames(row schema.Tabler, of string) string {
	parsed := parse(row)
	return of + "." + strings.Join(parsed.DBNames, ", "+of+".")
}

// gather makes an array of one column. An absent row becomes NULL, or the zero value where the Go type has no NULL.
func gather[T any](value func(reflect.Value) T) func([]reflect.Value, int) any {
	return func(rows []reflect.Value, field int) any {
		out := make([]T, len(rows))
		for i, row := range rows {
			if row.IsValid() {
				out[i] = value(row.Field(field))
			}
		}
		return out
	}
}

var textPointer = reflect.TypeFor[*string]()

//nolint:forcetypeassert // the types are those of tableOf's switch
func textOf(v reflect.Value) *string { return v.Addr().Convert(textPointer).Interface().(*string) }

//nolint:forcetypeassert // as above
func optionalTextOf(v reflect.Value) *string { return v.Convert(textPointer).Interface().(*string) }

//nolint:forcetypeassert // as above
func optionalIntOf(v reflect.Value) *int64 { return v.Interface().(*int64) }

//nolint:forcetypeassert // as above
func timeIn(v reflect.Value) time.Time { return *v.Addr().Interface().(*time.Time) }

//nolint:forcetypeassert // as above
func optionalTimeIn(v reflect.Value) *time.Time { return v.Interface().(*time.Time) }

// Insert is the statement for one row on SQLite.
func (t Table) Insert() string {
	names := Mapped(t.columns, func(c column) string { return c.name })
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", t.Name, strings.Join(names, ", "), marks)
}

// InsertWhere is insert under a condition; the condition's parameters come last.
func (t Table) InsertWhere(condition string) string {
	values := t.Insert()
	head, marks, _ := strings.Cut(values, " VALUES (")
	return head + " SELECT " + strings.TrimSuffix(marks, ")") + " WHERE " + condition
}

// Values are the parameters of insert; row points to the struct.
func (t Table) Values(row any) []any {
	fields := reflect.ValueOf(row).Elem()
	return Mapped(t.columns, func(c column) any { return fields.Field(c.field).Interface() })
}

// Sent is a table of which a PostgreSQL statement receives many rows at once, one array per column, so that one plan
// serves any number of rows.
type Sent struct {
	Table
	// prefix tells the columns of different tables apart.
	prefix string
	// said maps columns that are not sent to the expressions that the statement has for them already.
	said map[string]string
}

// Insert writes rows from a relation made of the unnested arrays.
func (s Sent) Insert(from string) string {
	names, expressions := make([]string, len(s.columns)), make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i], expressions[i] = c.name, s.prefix+c.name+c.cast
		if said, ok := s.said[c.name]; ok {
			expressions[i] = said
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s",
		s.Name, strings.Join(names, ", "), strings.Join(expressions, ", "), from)
}

// Sent is the table as a statement receives it; see the fields.
func (t Table) Sent(prefix string, said map[string]string) Sent { return Sent{t, prefix, said} }

// But is the table with other expressions for some columns.
func (s Sent) But(said map[string]string) Sent {
	all := maps.Clone(s.said)
	maps.Copy(all, said)
	return Sent{s.Table, s.prefix, all}
}

// arrays are the parameters of a statement that receives rows of several tables.
type arrays struct {
	// Parameters and names are lists for unnest and for the relation it makes.
	Parameters, Names string
	Columns           []sentColumn
}

// sentColumn is a column of one of the tables.
type sentColumn struct {
	column
	table int
}

// ArraysOf numbers the parameters, beginning with first.
func ArraysOf(first int, tables ...Sent) arrays {
	var a arrays
	var parameters, names []string
	for i, t := range tables {
		for _, c := range t.columns {
			if _, ok := t.said[c.name]; !ok {
				parameters = append(parameters, fmt.Sprintf("$%d::%s", first+len(parameters), c.array))
				names = append(names, t.prefix+c.name)
				a.Columns = append(a.Columns, sentColumn{c, i})
			}
		}
	}
	a.Parameters, a.Names = strings.Join(parameters, ", "), strings.Join(names, ", ")
	return a
}

// Values are the parameters' values; rows are given per table, in table order.
func (a arrays) Values(rows ...[]reflect.Value) []any {
	return Mapped(a.Columns, func(c sentColumn) any { return c.gather(rows[c.table], c.field) })
}

// Sealed is a column that the vault encrypts: its field has the tag stored:"sealed". Each value is bound to its place,
// "table|column|id" (see vault.seal).
type Sealed struct{ Table, Column string }

// SealedIn returns the sealed columns of some rows.
func SealedIn(rows []schema.Tabler) (out []Sealed) {
	for _, row := range rows {
		parsed := parse(row)
		for _, f := range parsed.Fields {
			if f.Tag.Get("stored") == "sealed" {
				out = append(out, Sealed{row.TableName(), f.DBName})
			}
		}
	}
	return out
}
