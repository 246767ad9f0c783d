package shape

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/document"
)

// rule is a validation tag for texts: whether it holds, and the message when it does not.
type rule struct {
	holds func(text, param string) bool
	says  func(param string) string
}

var uuid = regexp.MustCompile("^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$")

var rules = map[string]rule{
	// whole=1 200: a whole number, as text, within bounds.
	"whole": {
		holds: func(text, param string) bool {
			from, to := bounds(param)
			n, err := strconv.Atoi(text)
			return err == nil && n >= from && n <= to
		},
		says: func(param string) string {
			from, to := bounds(param)
			return fmt.Sprintf("vai de %d a %d", from, to)
		},
	},
	// day: a date such as 2026-11-01, in a year that can be stored.
	"day": {
		holds: func(text, _ string) bool {
			_, err := access.Calendar{Location: time.UTC}.StartOf(text)
			return err == nil
		},
		says: func(string) string {
			return fmt.Sprintf("deve ser uma data entre %d e %d, como 2026-11-01", access.FirstYear, access.LastYear)
		},
	},
	// oneof=a b: one of these words.
	"oneof": {
		holds: func(text, param string) bool { return slices.Contains(strings.Fields(param), text) },
		says:  func(param string) string { return "deve ser " + strings.Join(strings.Fields(param), " ou ") },
	},
	// timezone: the name of a time zone.
	"timezone": {
		holds: func(text, _ string) bool {
			_, err := time.LoadLocation(text)
			return err == nil && text != "" && !strings.EqualFold(text, "local")
		},
		says: func(string) string { return "deve ser um fuso horário, como America/Sao_Paulo" },
	},
	"uuid": {
		holds: func(text, _ string) bool { return uuid.MatchString(text) },
		says:  func(string) string { return "não tem a forma esperada" },
	},
	// product: the syntax of a product's id.
	"product": {
		holds: func(text, _ string) bool { return catalog.ValidID(text) },
		says:  func(string) string { return "deve ser o id de um produto, como cpf; GET /api/v1/produtos os lista" },
	},
	// document=email: a document of a type, in any notation.
	"document": {
		holds: func(text, param string) bool {
			_, err := document.Normalize(document.Type(param), text)
			return err == nil
		},
		says: func(param string) string { return "não é um " + document.Type(param).Label() + " válido" },
	},
	// database: a database URL.
	"database": {
		holds: func(text, _ string) bool {
			scheme, path, _ := strings.Cut(text, "://")
			file := scheme == "sqlite" && path != "" && !strings.ContainsAny(path, "?#")
			return file || scheme == "postgres" || scheme == "postgresql"
		},
		says: func(string) string { return "deve ser sqlite://CAMINHO, sem ? nem #, ou um endereço postgres://" },
	},
	// networks: addresses, and ranges of addresses.
	"networks": {
		holds: func(text, _ string) bool {
			_, err := Networks(text)
			return err == nil
		},
		says: func(string) string { return "deve ser uma lista de faixas de endereços, como 10.0.0.0/8,192.168.1.10" },
	},
	// address: a complete http:// or https:// address without user information.
	"address": {
		holds: func(text, _ string) bool {
			u, err := url.Parse(text)
			return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
		},
		says: func(string) string { return "deve ser um endereço http:// ou https:// completo" },
	},
	// plain: an address that paths can be appended to, with a host name as browsers compare it.
	"plain": {
		holds: func(text, _ string) bool {
			u, err := url.Parse(text)
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
func (t tag) sentence(field string, isText bool) string {
	name := "O campo " + field
	if own, ok := rules[t.name]; ok {
		return name + " " + own.says(t.param) + "."
	}
	switch {
	case t.name == "required":
		return "Falta o campo " + field + "."
	case t.name == "max" && isText:
		return name + " pode ter até " + t.param + " caracteres."
	case t.name == "max":
		return name + " deve ser no máximo " + t.param + "."
	case t.name == "min" && isText:
		return name + " deve ter ao menos " + t.param + " caracteres."
	case t.name == "min":
		return name + " deve ser no mínimo " + t.param + "."
	}
	return unshaped(field)
}

// unshaped is the message where no rule has a better one.
func unshaped(field string) string { return "O campo " + field + " não tem a forma esperada." }
