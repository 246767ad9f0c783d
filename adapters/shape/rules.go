package shape

import (
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-playground/validator/v10"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
)

// rule is a validation tag of our own: whether it holds, and the message when it does not.
type rule struct {
	holds func(validator.FieldLevel) bool
	says  func(param string) string
}

var rules = map[string]rule{
	// whole=1 200: a whole number, as text, within bounds.
	"whole": {
		holds: func(f validator.FieldLevel) bool {
			from, to := bounds(f.Param())
			n, err := strconv.Atoi(f.Field().String())
			return err == nil && n >= from && n <= to
		},
		says: func(param string) string {
			from, to := bounds(param)
			return fmt.Sprintf("vai de %d a %d", from, to)
		},
	},
	// day: a date such as 2026-11-01, in a year that can be stored.
	"day": {
		holds: func(f validator.FieldLevel) bool {
			_, err := access.Calendar{Location: time.UTC}.StartOf(f.Field().String())
			return err == nil
		},
		says: func(string) string {
			return fmt.Sprintf("deve ser uma data entre %d e %d, como 2026-11-01", access.FirstYear, access.LastYear)
		},
	},
	// product: the syntax of a product's id.
	"product": {
		holds: func(f validator.FieldLevel) bool { return catalog.ValidID(f.Field().String()) },
		says:  func(string) string { return "deve ser o id de um produto, como cpf; GET /api/v1/produtos os lista" },
	},
	// document=email: a document of a type, in any notation.
	"document": {
		holds: func(f validator.FieldLevel) bool {
			_, err := document.Normalize(document.Type(f.Param()), f.Field().String())
			return err == nil
		},
		says: func(param string) string { return "não é um " + document.Type(param).Label() + " válido" },
	},
	// database: a database URL.
	"database": {
		holds: func(f validator.FieldLevel) bool {
			scheme, path, _ := strings.Cut(f.Field().String(), "://")
			file := scheme == "sqlite" && path != "" && !strings.ContainsAny(path, "?#")
			return file || scheme == "postgres" || scheme == "postgresql"
		},
		says: func(string) string { return "deve ser sqlite://CAMINHO, sem ? nem #, ou um endereço postgres://" },
	},
	// networks: addresses, and ranges of addresses.
	"networks": {
		holds: func(f validator.FieldLevel) bool {
			_, err := Networks(f.Field().String())
			return err == nil
		},
		says: func(string) string { return "deve ser uma lista de faixas de endereços, como 10.0.0.0/8,192.168.1.10" },
	},
	// address: a complete http:// or https:// address without user information.
	"address": {
		holds: func(f validator.FieldLevel) bool {
			u, err := url.Parse(f.Field().String())
			return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
		},
		says: func(string) string { return "deve ser um endereço http:// ou https:// completo" },
	},
	// plain: an address that paths can be appended to, with a host name as browsers compare it.
	"plain": {
		holds: func(f validator.FieldLevel) bool {
			u, err := url.Parse(f.Field().String())
			beyond := func(r rune) bool { return r > unicode.MaxASCII }
			return err == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && !strings.ContainsFunc(u.Host, beyond)
		},
		says: func(string) string {
			return "não pode ter ? nem #, e um nome com acentos deve estar na forma xn--, como https://xn--exmple-xta.com"
		},
	},
}

// Networks parses addresses and ranges of addresses, separated by commas.
func Networks(text string) (all []netip.Prefix, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if !strings.Contains(part, "/") {
			address, err := netip.ParseAddr(part)
			if err != nil {
				return nil, err
			}
			all = append(all, netip.PrefixFrom(address, address.BitLen()))
			continue
		}
		network, err := netip.ParsePrefix(part)
		if err != nil {
			return nil, err
		}
		all = append(all, network)
	}
	return all, nil
}

func bounds(param string) (from, to int) {
	_, _ = fmt.Sscan(param, &from, &to) // tags are our own; an unreadable one accepts nothing
	return from, to
}

// sentence is the message for a field.
func sentence(e validator.FieldError) string {
	name := "O campo " + e.Field()
	if own, ok := rules[e.Tag()]; ok {
		return name + " " + own.says(e.Param()) + "."
	}
	isText := e.Kind() == reflect.String
	switch e.Tag() {
	case "required":
		return "Falta o campo " + e.Field() + "."
	case "timezone":
		return name + " deve ser um fuso horário, como America/Sao_Paulo."
	case "oneof":
		return name + " deve ser " + strings.Join(strings.Fields(e.Param()), " ou ") + "."
	case "max":
		if isText {
			return name + " pode ter até " + e.Param() + " caracteres."
		}
		return name + " deve ser no máximo " + e.Param() + "."
	case "min":
		switch {
		case isText && e.Param() == "1":
			return name + " veio vazio: envie-o com um valor, ou não o envie."
		case isText:
			return name + " deve ter ao menos " + e.Param() + " caracteres."
		}
		return name + " deve ser no mínimo " + e.Param() + "."
	}
	return unshaped(e.Field())
}

// unshaped is the message where no rule has a better one.
func unshaped(field string) string { return "O campo " + field + " não tem a forma esperada." }
