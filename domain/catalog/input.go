package catalog

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// InputType is the type of an input. A bureau file uses the same words.
type InputType string

// The types of inputs.
const (
	// InputText is one line of 1 to 120 characters.
	InputText InputType = "text"
	// InputDate is a calendar day, YYYY-MM-DD.
	InputDate InputType = "date"
	// InputNumber is a decimal number with a point, of at most 15 digits before it and four after it.
	InputNumber InputType = "number"
	// InputState is one of the 27 states, as two capital letters.
	InputState InputType = "state"
)

// InputTypes lists the types.
func InputTypes() []InputType { return []InputType{InputText, InputDate, InputNumber, InputState} }

// Form says in Portuguese how a value of the type is written.
func (t InputType) Form() string {
	switch t {
	case InputDate:
		return "uma data como 1980-02-29"
	case InputNumber:
		return "um número com ponto decimal, como 1234.56"
	case InputState:
		return "uma UF, como SP"
	case InputText:
	}
	return "um texto de até 120 caracteres"
}

// Input is a value that a product needs besides the document, such as a birth date.
type Input struct {
	// Name is the word under which a request sends it.
	Name string
	Type InputType
	// Label is what people call it, in Portuguese; see Called for one without.
	Label string
	// Required says that a question without it cannot be asked.
	Required bool
}

// Called is what people call the input: its label, or the words of its name.
func (i Input) Called() string { return Field{Name: i.Name, Label: i.Label}.Called() }

var (
	inputNumber = regexp.MustCompile(`^-?[0-9]{1,15}(\.[0-9]{1,4})?$`)
	states      = strings.Fields("AC AL AM AP BA CE DF ES GO MA MG MS MT PA PB PE PI PR RJ RN RO RR RS SC SE SP TO")
)

const inputMax = 120

// States are the 27 that an input of InputState may be.
func States() []string { return slices.Clone(states) }

// Accepts reports whether a value is one of the input's type.
func (i Input) Accepts(value string) bool {
	switch i.Type {
	case InputDate:
		_, err := time.Parse(time.DateOnly, value)
		return err == nil
	case InputNumber:
		return inputNumber.MatchString(value)
	case InputState:
		return slices.Contains(states, value)
	case InputText:
		return utf8.ValidString(value) && utf8.RuneCountInString(value) <= inputMax && strings.TrimSpace(value) != "" &&
			!strings.ContainsFunc(value, unicode.IsControl)
	}
	return false
}

// Read makes a value of what people write and spreadsheets show: a date as 29/02/1980 or with a time, a number with a
// comma, a state in small letters. Nothing is an empty value; false says that it is none of the type.
func (i Input) Read(written string) (value string, ok bool) {
	value = strings.TrimSpace(written)
	if value == "" {
		return "", true
	}
	switch i.Type {
	case InputDate:
		day, _, _ := strings.Cut(strings.ReplaceAll(value, "T", " "), " ")
		for _, form := range []string{time.DateOnly, "2/1/2006", "2-1-2006", "2.1.2006"} {
			if t, err := time.Parse(form, day); err == nil {
				return t.Format(time.DateOnly), true
			}
		}
		return "", false
	case InputNumber:
		if strings.Contains(value, ",") {
			value = strings.Replace(strings.ReplaceAll(value, ".", ""), ",", ".", 1)
		}
	case InputState:
		value = strings.ToUpper(value)
	case InputText:
	}
	return value, i.Accepts(value)
}

// InputsText is one text for the inputs of a question, the same for the same values; empty for none.
func InputsText(values map[string]string) string {
	if len(values) == 0 {
		return ""
	}
	text, err := json.Marshal(values) // with its keys in order
	if err != nil {
		panic(err) // texts
	}
	return string(text)
}

// InputsOf reads InputsText.
func InputsOf(text string) (values map[string]string) {
	if text != "" && json.Unmarshal([]byte(text), &values) != nil {
		return nil
	}
	return values
}

// BadInput is the error of an input that is missing, or whose value is not of its type. It does not have the value.
type BadInput struct {
	Input Input
	Empty bool
}

// Error is a sentence in Portuguese, without a capital letter and a stop.
func (e *BadInput) Error() string {
	if e.Empty {
		return "falta " + e.Input.Called()
	}
	return "o valor de " + e.Input.Called() + " não é " + e.Input.Type.Form()
}

// ReadInputs reads what people wrote for the product's inputs, by name; nil for nothing. Error: *BadInput.
func (p Product) ReadInputs(written func(Input) string) (values map[string]string, err error) {
	read := map[string]string{}
	for _, in := range p.Inputs {
		value, ok := in.Read(written(in))
		if !ok || value == "" && in.Required {
			return nil, &BadInput{in, ok}
		}
		read[in.Name] = value
	}
	return p.Uses(read), nil
}

// Uses returns those of the values that the product has an input for, without empty ones; nil for none.
func (p Product) Uses(values map[string]string) (used map[string]string) {
	for _, in := range p.Inputs {
		if v := values[in.Name]; v != "" {
			if used == nil {
				used = map[string]string{}
			}
			used[in.Name] = v
		}
	}
	return used
}

// Lacking returns the names of the product's inputs that are required and missing in values, or there with a value that
// is not of their type, in the product's order. An empty value is a missing one.
func (p Product) Lacking(values map[string]string) []string {
	var names []string
	for _, in := range p.Inputs {
		if v := values[in.Name]; v == "" && in.Required || v != "" && !in.Accepts(v) {
			names = append(names, in.Name)
		}
	}
	return names
}
