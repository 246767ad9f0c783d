package jq

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/itchyny/gojq"

	"fichario/domain/catalog"
	"fichario/domain/document"
	words "fichario/domain/text"
)

// ours are the functions that jq has not: what bureaus write in the Brazilian way, as a lookup has it, and what
// destinations hash. Each gives null for anything that it does not recognise, and never an error; a program may define
// its own of the same name.
var ours = map[string]func(v any) any{
	"data_br": day, "telefone": phone, "reais": reais, "documento": identity, "email_limpo": address, "sha256": digest,
}

// oursMax bounds the texts that ours read. A date, a phone, an amount or a document is never longer; an address to be
// hashed may have addressMax.
const (
	oursMax    = 100
	addressMax = 320
)

// oursOptions compiles ours, each with the meter as its argument.
func oursOptions() []gojq.CompilerOption {
	var options []gojq.CompilerOption
	for name, f := range ours {
		options = append(options, gojq.WithFunction("_"+name, 1, 1, func(v any, args []any) any {
			if m, _ := args[0].(*meter); m.spend(addressMax, 1) != nil {
				return m.err
			}
			return f(v)
		}))
	}
	return options
}

// written is the text of a text or a whole number, without blanks around it; empty for anything else.
func written(v any) string {
	text := ""
	switch v := v.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	case int:
		text = strconv.Itoa(v)
	}
	if len(text) > oursMax {
		return ""
	}
	return strings.TrimSpace(text)
}

// dayForm is a day as people and programs write it, with or without a time after it.
var dayForm = regexp.MustCompile(`^(?:(\d{2})([/.-]?)(\d{2})([/.-]?)(\d{4})|(\d{4})(-?)(\d{2})(-?)(\d{2}))(?:[T ].*)?$`)

// firstYear is before anybody's birth and any company's beginning: 0001-01-01 is how programs write no date at all.
const firstYear = 1800

// day reads dd/mm/aaaa, and also 31.12.1999, 31-12-1999, 31121999, 19991231 and 1999-12-31.
func day(v any) any {
	m := dayForm.FindStringSubmatch(written(v))
	if m == nil {
		return nil
	}
	tries := []string{m[5] + "-" + m[3] + "-" + m[1], m[6] + "-" + m[8] + "-" + m[10]}
	if m[2] == "" && m[4] == "" && m[5] != "" {
		// Eight digits: a year comes first if it cannot come last.
		all := m[1] + m[3] + m[5]
		tries[1] = all[:4] + "-" + all[4:6] + "-" + all[6:]
	}
	if m[2] != m[4] || m[7] != m[9] {
		return nil
	}
	for _, text := range tries {
		if t, err := time.Parse(time.DateOnly, text); err == nil && t.Year() >= firstYear {
			return text
		}
	}
	return nil
}

var (
	noDigits = regexp.MustCompile(`[^0-9]+`)
	phoneOf  = regexp.MustCompile(`^(?:550*)?([1-9]{2})0*(9\d{8}|[1-9]\d{7})$`)
	local    = regexp.MustCompile(`^(9\d{8}|[1-9]\d{7})$`)
)

// phone reads a Brazilian number in one text, with or without +55, zeros, an area code and punctuation. Zeros in front
// fill up a field as often as they begin a call abroad; only a plus says for certain that a country comes next.
func phone(v any) any {
	text := written(v)
	digits := strings.TrimLeft(noDigits.ReplaceAllString(text, ""), "0")
	if strings.Contains(text, "+") {
		national, ours := strings.CutPrefix(digits, "55")
		if !ours {
			return nil
		}
		digits = strings.TrimLeft(national, "0")
	}
	switch {
	case phoneOf.MatchString(digits):
		m := phoneOf.FindStringSubmatch(digits)
		return map[string]any{"ddd": m[1], "numero": m[2]}
	case local.MatchString(digits):
		return map[string]any{"ddd": nil, "numero": digits}
	}
	return nil
}

// reais reads an amount as people write it (R$ 1.234,56) or as programs do (1234.56), exactly. A number passes
// unchanged.
func reais(v any) any {
	switch v.(type) {
	case json.Number, int, float64, *big.Int:
		return v
	}
	amount, err := catalog.ParseReais(written(v))
	if err != nil {
		return nil
	}
	return json.Number(amount.String())
}

var (
	identityForm = regexp.MustCompile(`^[0-9A-Z*]{11}(?:[0-9A-Z*]{3})?$`)
	separators   = strings.NewReplacer(".", "", "-", "", "/", "", " ", "")
	blankForm    = regexp.MustCompile(`^[0*]+$`)
)

// identity reads a CPF or CNPJ without its punctuation; one that is masked in part stays so. A number has lost the
// zeros in front: they are added where that makes a valid document.
func identity(v any) any {
	text := words.Upper(separators.Replace(written(v)))
	if _, isText := v.(string); !isText && len(text) < 14 && noDigits.FindString(text) == "" {
		padded := strings.Repeat("0", 14-len(text)) + text
		_, asCNPJ := document.Parse(document.CNPJ, padded)
		_, asCPF := document.Parse(document.CPF, padded[3:])
		switch isCPF := asCPF == nil && padded[:3] == "000"; {
		case isCPF == (asCNPJ == nil): // neither, or either
			return nil
		case isCPF:
			return padded[3:]
		}
		return padded
	}
	if !identityForm.MatchString(text) || blankForm.MatchString(text) {
		return nil
	}
	return text
}

// address is an e-mail address as it is compared: in lower case, without any white space or invisible characters; null
// for what has no text on both sides of one @.
func address(v any) any {
	text, _ := v.(string)
	if len(text) > addressMax {
		return nil
	}
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	if local, host, _ := strings.Cut(text, "@"); local == "" || host == "" || strings.Contains(host, "@") {
		return nil
	}
	return text
}

// digest is the SHA-256 of a text in lower-case hexadecimal; null for an empty or long text, and for anything else.
func digest(v any) any {
	text, _ := v.(string)
	if text == "" || len(text) > addressMax {
		return nil
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
