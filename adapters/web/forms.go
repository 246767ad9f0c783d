package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/go-playground/form/v4"

	"fichario/adapters/shape"
	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/intake/fields"
	"fichario/domain/text"
)

// A form, or the filter in an address, is a struct. Its tags give a field's name on the wire (form), its name in the
// use case where that differs (app; - for fields that people do not see), its shape (validate), and the message for
// another shape (says).

// AsTyped is a text that keeps surrounding space, which other fields lose.
type AsTyped string

// decoder and encoder handle values as Brazilians write them.
var decoder, encoder = func() (*form.Decoder, *form.Encoder) {
	d, e := form.NewDecoder(), form.NewEncoder()
	d.RegisterCustomTypeFunc(readNumber, 0)
	d.RegisterCustomTypeFunc(ReadMoney, catalog.Money(0))
	d.RegisterCustomTypeFunc(readYes, false)
	e.RegisterCustomTypeFunc(writeMoney, catalog.Money(0))
	e.RegisterCustomTypeFunc(writeYes, false)
	return d, e
}()

// errUnread is a text that does not parse as its field's type.
var errUnread = errors.New("unreadable")

// readNumber reads a whole number, grouped or not: 2.000.
func readNumber(sent []string) (any, error) {
	n, ok := text.Whole(sent[0])
	if !ok {
		return nil, errUnread
	}
	return n, nil
}

// ReadMoney reads an amount as writeMoney writes it, R$ 1.234,5678, or as people type it, 50 mil.
func ReadMoney(sent []string) (any, error) {
	if m, err := catalog.ParseReais(sent[0]); err == nil {
		return m, nil
	}
	amount, ok := fields.ParseAmount(sent[0])
	if !ok {
		return nil, errUnread
	}
	return catalog.Money(amount), nil
}

// writeMoney leaves the field of a zero amount empty.
func writeMoney(m any) ([]string, error) {
	if amount, _ := m.(catalog.Money); amount != 0 {
		return []string{amount.Exact()}, nil
	}
	return []string{""}, nil
}

// readYes reads a check box, or a yes-or-no choice.
func readYes(sent []string) (any, error) {
	yes := sent[0] == "sim"
	if !yes && sent[0] != "não" {
		return nil, errUnread
	}
	return yes, nil
}

// writeYes leaves what is not chosen empty.
func writeYes(b any) ([]string, error) {
	if b == true {
		return []string{"sim"}, nil
	}
	return []string{""}, nil
}

// fieldsOf iterates over the fields of a form, by their names on the wire.
func fieldsOf(f any) iter.Seq2[string, reflect.StructField] {
	return func(yield func(string, reflect.StructField) bool) {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(f).Elem()) {
			if name := field.Tag.Get("form"); name != "" && !yield(name, field) {
				return
			}
		}
	}
}

// Decode reads the posted form, or else the address, into the struct that f points to, and validates it; the fault
// names the field that is wrong. An empty field counts as absent, and so does an unreadable one in an address.
func (c *Call) Decode(f any) error {
	sent, posted := c.Form, c.Method == http.MethodPost
	if posted {
		sent = c.PostForm
	}
	readable := url.Values{} // the decoder panics at names with an unmatched bracket
	for name, field := range fieldsOf(f) {
		for _, value := range sent[name] {
			if field.Type != reflect.TypeFor[AsTyped]() {
				value = strings.TrimSpace(value)
			}
			if value != "" {
				readable.Add(name, value)
			}
		}
	}
	var unread form.DecodeErrors
	if err := decoder.Decode(f, readable); err != nil && !errors.As(err, &unread) {
		return err
	}
	for name := range fieldsOf(f) {
		if posted && unread[name] != nil {
			return shape.Unreadable(f, name)
		}
	}
	return shape.Check(f)
}

// Decoded adapts a page that takes a form.
func Decoded[F any](h func(*Call, F) error) Handler {
	return func(c *Call) error {
		var f F
		if err := c.Decode(&f); err != nil {
			return err
		}
		return h(c, f)
	}
}

// Editing is the id of the row of a list whose form a page shows: the forms of all would weigh more than the list.
func Editing(c *Call) string { return c.URL.Query().Get("editar") }

// QueryOf is a filter as in an address: the chosen values, by their names on the wire.
func QueryOf(filter any) url.Values {
	all, _ := encoder.Encode(filter) // whatever was decoded can be encoded
	for name, values := range all {
		if values[0] == "" {
			delete(all, name)
		}
	}
	return all
}

// Form is a form as pages show it: the values of its fields, and what is wrong with one. It is exported for templates,
// which see only exported fields.
type Form struct {
	Values map[string]string
	// Field is the name of the field at fault, Problem says what to do about it.
	Field, Problem string
	// Version is that of what a form to edit showed; empty for something new.
	Version string
}

// versionField is the hidden field with a form's version.
const versionField = "versao"

// VersionOf fingerprints what a form to edit shows.
func VersionOf(shown any) string {
	text, _ := json.Marshal(shown) // whatever a form shows can be encoded
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:9])
}

// Still is the check of a change that a form to edit makes: it refuses one whose page showed another version than that
// of now, because what nobody touched in it would put back what somebody else has changed, such as a limit. The form
// that is shown again is of now.
func Still[T any](c *Call, version func(T) string) app.Still[T] {
	shown := c.PostForm.Get(versionField) // here: the check may run once more, in a transaction that is tried again
	return func(row T) error {
		now := version(row)
		if shown == "" || shown == now {
			return nil
		}
		c.PostForm.Set(versionField, now)
		return app.Invalid(versionField, "Nada foi guardado: alguém mudou isto enquanto esta página estava aberta. Veja em outra "+
			"aba como está agora. Guardar de novo substitui o que está lá.")
	}
}

// Filled is a form that shows existing values.
func Filled(f any) Form {
	out := Form{Values: map[string]string{}}
	for name, values := range QueryOf(f) {
		out.Values[name] = values[0]
	}
	return out
}

// Again is the form that f points to with what was typed, except secrets, marked at the field that an error names by
// its name on the wire or in the use case. It reports false for an error that concerns none of its fields.
func (c *Call) Again(f any, why error) (Form, bool) {
	refusal, out := app.FaultOf(why), Form{Values: map[string]string{}}
	if refusal == nil || !app.IsRefusal(why) {
		return out, false
	}
	out.Problem, out.Version = refusal.Message, c.PostForm.Get(versionField)
	if refusal.Field == versionField {
		out.Field = versionField
	}
	for name, field := range fieldsOf(f) {
		if !c.isSecret(name) {
			out.Values[name] = c.PostForm.Get(name)
		}
		called := field.Tag.Get("app")
		if called != "-" && (refusal.Field == name || refusal.Field == called && called != "") {
			out.Field = name
		}
	}
	return out, out.Field != ""
}

// WithQuery adds values to a query.
func WithQuery(query url.Values, more ...string) string {
	all := url.Values{}
	for name, values := range query {
		all[name] = values
	}
	for i := 0; i+1 < len(more); i += 2 {
		all.Set(more[i], more[i+1])
	}
	if len(all) == 0 {
		return ""
	}
	return "?" + all.Encode()
}
