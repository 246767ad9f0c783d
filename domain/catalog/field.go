package catalog

import (
	"slices"
	"strings"
	"unicode"
)

// Kind is the type of a named field. A bureau file uses the same words.
type Kind string

// The kinds of named fields.
const (
	String  Kind = "string"
	Number  Kind = "number"
	Boolean Kind = "boolean"
	// Date is a calendar day, YYYY-MM-DD.
	Date   Kind = "date"
	List   Kind = "list"
	Object Kind = "object"
)

// Valid reports whether k is one of the kinds.
func (k Kind) Valid() bool {
	return slices.Contains([]Kind{String, Number, Boolean, Date, List, Object}, k)
}

// Format is how a value is written for people, where its kind does not say so. For a list it applies to each element.
type Format string

// The formats of fields.
const (
	// Reais is an amount in reais; Percent is in hundredths; Year is a number without separators.
	Reais   Format = "reais"
	Percent Format = "percent"
	Year    Format = "year"
	// Score is a number from 0 to 1000; more is better.
	Score Format = "score"
	// Email is an address to write to.
	Email Format = "email"
	// Code is a text in which every character counts: a chassis, a plate.
	Code Format = "code"
	// Identity is the CPF or CNPJ of somebody other than the subject of the lookup: a CPF is shown only in part.
	Identity Format = "identity"
	// Activity, Phone and Address are objects with the fields that the standard products give them.
	Activity Format = "activity"
	Phone    Format = "phone"
	Address  Format = "address"
)

// Field is a named field of a product's answer. It is always present in an answer, and null where the bureau gives no
// value. Its name and presentation are defined here and nowhere else.
type Field struct {
	Name string
	Kind Kind
	// Description says what the field holds, as a sentence in Portuguese.
	Description string
	// Label is what people call it; see Called for fields without one.
	Label string
	// Group is the title under which it is shown. Place orders the fields: 0 keeps the order of the answer, more comes
	// after, less before.
	Group  string
	Place  int
	Format Format
	// Fields are the named fields of an object, or of each object of a list. Without them an object or a list is passed on
	// unchanged.
	Fields []Field
	// Items is the kind of the elements of a list of plain values.
	Items Kind
	// Twin names another field with the same content: where one is empty, it takes the other's value.
	Twin string
}

// Called is what people call the field: its label, or its description, or the words of its name. A bureau file's own
// fields have no label.
func (f Field) Called() string {
	if f.Label != "" {
		return f.Label
	}
	if described := strings.TrimSuffix(strings.TrimSpace(f.Description), "."); described != "" {
		return described
	}
	var words strings.Builder
	for i, r := range f.Name {
		switch {
		case i == 0:
			words.WriteRune(unicode.ToUpper(r))
		case r == '_':
			words.WriteByte(' ')
		case unicode.IsUpper(r):
			words.WriteString(" " + string(unicode.ToLower(r)))
		default:
			words.WriteRune(r)
		}
	}
	return strings.TrimSpace(words.String())
}

// Group is some of a product's fields under a title.
type Group struct {
	Title  string
	Fields []Field
}

// Groups returns the fields grouped for display. Those without a group come last, under a title in Portuguese, and are
// left out if their twin has a group.
func (p Product) Groups() []Group {
	fields := slices.Clone(p.Fields)
	slices.SortStableFunc(fields, func(a, b Field) int { return a.Place - b.Place })
	var groups []Group
	var others []Field
	for _, f := range fields {
		if f.Group == "" {
			if twin, _ := p.Field(f.Twin); twin.Group == "" {
				others = append(others, f)
			}
			continue
		}
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Title == f.Group })
		if i < 0 {
			i, groups = len(groups), append(groups, Group{Title: f.Group})
		}
		groups[i].Fields = append(groups[i].Fields, f)
	}
	switch {
	case len(others) == 0:
		return groups
	case len(groups) == 0:
		return []Group{{"Dados", others}}
	}
	return append(groups, Group{"Outros dados", others})
}
