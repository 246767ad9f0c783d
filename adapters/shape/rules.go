package shape

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
)

// rule is what a `validate` tag asks of a value, which is no pointer.
type rule struct {
	holds func(v reflect.Value, param string) bool
	// says is what is wrong, behind the name of the field.
	says func(v reflect.Value, param string) string
}

// text is a rule on texts that needs no parameter.
func text(holds func(string) bool, says string) rule {
	return rule{
		func(v reflect.Value, _ string) bool { return holds(v.String()) },
		func(reflect.Value, string) string { return says },
	}
}

var rules = map[string]rule{
	// required: not empty. Behind a pointer anything is something.
	required: {func(v reflect.Value, _ string) bool { return !v.IsZero() }, nil},
	// min=3, max=5: the characters of a text, the elements of a list, a number or a duration (min=1s).
	"min": {
		func(v reflect.Value, param string) bool { return size(v) >= limit(v, param) },
		func(v reflect.Value, param string) string {
			switch {
			case v.Kind() != reflect.String:
				return "deve ser no mínimo " + param
			case param == "1":
				return "veio vazio: envie-o com um valor, ou não o envie"
			}
			return "deve ter ao menos " + param + " caracteres"
		},
	},
	"max": {
		func(v reflect.Value, param string) bool { return size(v) <= limit(v, param) },
		func(v reflect.Value, param string) string {
			if v.Kind() == reflect.String {
				return "pode ter até " + param + " caracteres"
			}
			return "deve ser no máximo " + param
		},
	},
	// oneof=csv excel: one of these words.
	"oneof": {
		func(v reflect.Value, param string) bool { return slices.Contains(strings.Fields(param), v.String()) },
		func(_ reflect.Value, param string) string {
			return "deve ser " + strings.Join(strings.Fields(param), " ou ")
		},
	},
	"timezone": text(func(s string) bool {
		_, err := time.LoadLocation(s)
		return err == nil && s != "" && !strings.EqualFold(s, "local") // which time.LoadLocation takes for others
	}, "deve ser um fuso horário, como America/Sao_Paulo"),
	"uuid": text(func(s string) bool { return len(s) == len(uuid.Nil.String()) && uuid.Validate(s) == nil }, unshaped),
	// whole=1 200: a whole number, as text, within bounds.
	"whole": {
		func(v reflect.Value, param string) bool {
			from, to := bounds(param)
			n, err := strconv.Atoi(v.String())
			return err == nil && n >= from && n <= to
		},
		func(_ reflect.Value, param string) string {
			from, to := bounds(param)
			return fmt.Sprintf("vai de %d a %d", from, to)
		},
	},
	// day: a date such as 2026-11-01, in a year that can be stored.
	"day": text(func(s string) bool {
		_, err := access.Calendar{Location: time.UTC}.StartOf(s)
		return err == nil
	}, fmt.Sprintf("deve ser uma data entre %d e %d, como 2026-11-01", access.FirstYear, access.LastYear)),
	// product: the syntax of a product's id.
	"product": text(catalog.ValidID, "deve ser o id de um produto, como cpf; GET /api/v1/produtos os lista"),
	// document=email: a document of a type, in any notation.
	"document": {
		func(v reflect.Value, param string) bool {
			_, err := document.Normalize(document.Type(param), v.String())
			return err == nil
		},
		func(_ reflect.Value, param string) string {
			return "não é um " + document.Type(param).Label() + " válido"
		},
	},
	// database: a database URL.
	"database": text(func(s string) bool {
		scheme, path, _ := strings.Cut(s, "://")
		file := scheme == "sqlite" && path != "" && !strings.ContainsAny(path, "?#")
		return file || scheme == "postgres" || scheme == "postgresql"
	}, "deve ser sqlite://CAMINHO, sem ? nem #, ou um endereço postgres://"),
	// trimmed: a name that could be meant as it stands.
	"trimmed": text(func(s string) bool { return strings.TrimSpace(s) == s },
		"não pode começar nem terminar com um espaço"),
	// networks: addresses, and ranges of addresses.
	"networks": text(func(s string) bool {
		_, err := access.ParseNetworks(strings.Split(s, ","))
		return err == nil
	}, "deve ser uma lista de faixas de endereços, como 10.0.0.0/8,192.168.1.10"),
	// address: a complete http:// or https:// address without user information.
	"address": text(func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil
	}, "deve ser um endereço http:// ou https:// completo"),
	// plain: an address that paths can be appended to, with a host name as browsers compare it.
	"plain": text(func(s string) bool {
		u, err := url.Parse(s)
		beyond := func(r rune) bool { return r > unicode.MaxASCII }
		return err == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && !strings.ContainsFunc(u.Host, beyond)
	}, "não pode ter ? nem #, e um nome com acentos deve estar na forma xn--, como https://xn--exmple-xta.com"),
}

// size is what min and max compare.
func size(v reflect.Value) int64 {
	switch v.Kind() {
	case reflect.String:
		return int64(utf8.RuneCountInString(v.String()))
	case reflect.Slice:
		return int64(v.Len())
	}
	return v.Int()
}

// limit reads the parameter of min and max, which is our own.
func limit(v reflect.Value, param string) int64 {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(param)
		if err != nil {
			panic(err)
		}
		return int64(d)
	}
	n, err := strconv.ParseInt(param, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func bounds(param string) (from, to int) {
	_, _ = fmt.Sscan(param, &from, &to) // tags are our own; an unreadable one accepts nothing
	return from, to
}

// unshaped is what is wrong where no rule has better words.
const unshaped = "não tem a forma esperada"
